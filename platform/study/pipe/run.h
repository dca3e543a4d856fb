// Runs a program of the TPUSH/TPOP machine, judges it, explains it.
#pragma once

#include "cores/pto/cluster.h"
#include "platform/kernel/kernel.h"
#include "platform/study/pipe/program.h"

#include <jansson.h>

// One output tensor against its expectation.
struct ts_pipe_output {
    uint32_t tensor;
    uint64_t hash; // FNV-1a of its bytes
    bool compared;
    uint64_t wrong;    // elements beyond the tolerance
    double worst;      // largest difference
    uint32_t row, col; // of the worst
    double got, want;
};

struct ts_pipe_run {
    struct ts_pipe_program *program;
    struct ts_kernel *kernel;
    struct ts_cluster *cluster;
    struct ts_tape *tape; // of the first cluster; NULL: none. Set before the run begins
    // Results.
    struct ts_run run;
    enum ts_pipe_verdict verdict;
    struct ts_findings findings; // of the program and of all clusters
    uint8_t *gm;                 // of all clusters together
    struct ts_pipe_output *outputs;
    uint32_t output_count;
    uint64_t tile_ops;
    char why[500]; // one sentence
};

// Builds the clusters, a domain each, in a kernel that is not elaborated yet, and fills GM.
enum ts_code ts_pipe_run_begin(struct ts_pipe_run *self, struct ts_pipe_program *program,
                               struct ts_kernel *kernel, struct ts_error *error);
// Judges the run. Returns the exit code of the verdict.
enum ts_code ts_pipe_run_end(struct ts_pipe_run *self, const struct ts_run *run,
                             struct ts_error *error);
void ts_pipe_run_free(struct ts_pipe_run *self);
// The same on a separate kernel, which stays until ts_pipe_run_free_alone: for sweeps and tests.
enum ts_code ts_pipe_run_alone(struct ts_pipe_run *self, struct ts_pipe_program *program,
                               uint32_t threads, struct ts_error *error);
void ts_pipe_run_free_alone(struct ts_pipe_run *self);
enum ts_code ts_pipe_verdict_code(enum ts_pipe_verdict verdict);

// golden.c: evaluates an expression over the tensors as they were before the run. NULL after
// an error.
double *ts_pipe_golden(const struct ts_pipe_program *program, const uint8_t *gm,
                       const char *expression, uint32_t rows, uint32_t cols,
                       struct ts_error *error);
// Fills a tensor's bytes as its declaration says.
enum ts_code ts_pipe_fill(const struct ts_pipe_program *program, uint32_t tensor, uint8_t *bytes,
                          struct ts_error *error);

// report.c
// {verdict, rings[], pipes[], output, findings[], ...} into an object.
void ts_pipe_report_json(const struct ts_pipe_run *self, json_t *document);
// Rings and clusters, into the stats of the run.
void ts_pipe_report_stats(const struct ts_pipe_run *self, json_t *stats);
void ts_pipe_report_print(const struct ts_pipe_run *self, FILE *file);
// Of a program that is refused: every reason, once.
void ts_pipe_refusal_print(const struct ts_pipe_run *self, FILE *file);
// What waits for what: for each blocked scalar unit and pipe its operation, pipe, index, flag,
// counter and setter.
void ts_pipe_explain(const struct ts_pipe_run *self, FILE *file);
// Where a deadlock is: the instruction and the pipe of the wait that explains it.
struct ts_spot ts_pipe_stuck(const struct ts_pipe_run *self, char object_name[40]);
json_t *ts_pipe_explain_json(const struct ts_pipe_run *self);
// The root cause in a sentence, as hang.json has it.
json_t *ts_pipe_cause(const struct ts_pipe_run *self);
