// Many variants of one program: every combination of values of some keys, in parallel, resumable.
//
//   axes --> points --> a crew (platform/crew) --> results.jsonl --> front, tables, page
//
// A run that was stopped goes on where it was. The front are the points that no other beats in both cycles and memory.
#ifndef TENSIM_STUDY_PIPE_TUNE_H
#define TENSIM_STUDY_PIPE_TUNE_H

#include "platform/crew/crew.h"
#include "platform/study/pipe/run.h"

enum { TS_TUNE_POINTS = 100000 };

// Bytes that a program takes: ring slots in GM; tiles and buffers in UB (of one Vector core), L1, and
// L0 with the accumulator.
struct ts_pipe_memory {
    uint64_t gm, ub, l1, l0;
};
struct ts_pipe_memory ts_pipe_memory(const struct ts_pipe_program *program);
// On chip, both Vector cores; and all of it.
uint64_t ts_pipe_memory_chip(const struct ts_pipe_memory *memory);
uint64_t ts_pipe_memory_total(const struct ts_pipe_memory *memory);

struct ts_tune_point {
    bool done;
    enum ts_pipe_verdict verdict;
    uint64_t cycles;
    uint64_t memory, chip;
    bool front;  // no other passing point has fewer cycles and no more memory
    bool proved; // of the front: safe in every interleaving
    char why[120];
};

struct ts_tune {
    const char *program;
    const struct ts_pipe_sets *sets; // --set of the command line
    struct ts_pipe_axis axes[TS_PIPE_AXES];
    unsigned axis_count;
    // Results.
    char name[64], profile[8], preset[16];
    struct ts_tune_point *points;
    size_t count;
    size_t own; // the point that is the program as it is; count: none is
};

// "pipes.p.slots=1,2,4" or "...=1..8": an axis more. False: an error.
bool ts_tune_vary(struct ts_tune *self, const char *text, struct ts_error *error);
// The axes of the file (`tune`), or, without any, depth and local slots of every pipe.
bool ts_tune_axes(struct ts_tune *self, struct ts_error *error);
// Runs what the crew has not. A code for the command line: TS_SIGNAL + n when a signal stopped it.
int ts_tune_run(struct ts_tune *self, struct ts_crew *crew, struct ts_error *error);
void ts_tune_free(struct ts_tune *self);
// Value of an axis at a point; "pipes.p.slots=4 params.TILE=32".
const char *ts_tune_value(const struct ts_tune *self, size_t point, unsigned axis);
void ts_tune_key(const struct ts_tune *self, size_t point, char *to, size_t room);

void ts_tune_print(const struct ts_tune *self, FILE *file);
void ts_tune_csv(const void *self, FILE *file);
json_t *ts_tune_json(const struct ts_tune *self);

#endif
