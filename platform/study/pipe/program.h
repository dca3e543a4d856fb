// A program of the TPUSH/TPOP machine: what a YAML file says, ready to run.
//
// The file declares parameters, tensors in GM, tiles, pipes, and the text of the Cube's and the
// Vector cores' programs in a small assembly language (`tensim ops pipe` and config/pipes/*.yaml
// show it). Everything that can be refused is refused before the run, with the parameter and its
// legal range.
#pragma once

#include "cores/pto/isa.h"
#include "platform/base/params.h"
#include "platform/base/yaml.h"

enum ts_pipe_init {
    TS_INIT_ZERO,
    TS_INIT_RANDOM,
    TS_INIT_INTS,
    TS_INIT_IOTA,
    TS_INIT_VALUE,
    TS_INIT_FILE
};

// What a tensor holds before the run, and what it should hold after it.
struct ts_pipe_data {
    enum ts_pipe_init init;
    double low, high, value;
    uint64_t seed;
    char *file;
    char *expect; // matrix expression over the inputs, or NULL
    double tolerance;
    char *save; // file to write the output to, or NULL
};

struct ts_pipe_name {
    char name[32];
    int64_t value;
};

enum ts_pipe_verdict {
#define TS_PIPE_VERDICT(id, ...) TS_PIPE_##id,
#include "config/tpipe.def"
};

extern const char *const ts_pipe_verdict_names[]; // by verdict; NULL at the end

// A key that a sweep varies if nothing is named (`tune`), with its values.
enum { TS_PIPE_AXES = 12, TS_PIPE_VALUES = 32 };
struct ts_pipe_axis {
    char key[64];
    char value[TS_PIPE_VALUES][24];
    unsigned count;
};

struct ts_pipe_program {
    char name[64];
    char file[256]; // for messages
    char preset[16];
    struct ts_machine machine;
    struct ts_pipe_data *data; // by tensor
    struct ts_pipe_name *params;
    uint32_t param_count;
    struct ts_params timing;    // values with their sources
    char names[2][TS_VARS][32]; // of the variables, by side
    uint32_t published;         // bits by ts_published
    ts_cycle limit;
    // What the file says should happen, for galleries.
    bool has_expectation;
    enum ts_pipe_verdict expected;
    bool expects_finding[TS_FINDING_COUNT];
    ts_cycle expected_cycles;   // 0: any
    struct ts_pipe_name *peaks; // by pipe as the report names it: the most slots taken at a time
    uint32_t peak_count;
    struct ts_pipe_axis *axes; // of `tune`
    uint32_t axis_count;
    // What is wrong with it, before the run.
    struct ts_findings findings;
};

// Assignments that override the file: "params.M=64", "pipes.c2v.slots=5", "timing.flag=20", "variant=B".
struct ts_pipe_sets {
    const char *const *text;
    size_t count;
    uint8_t *used; // by text: was its key looked up? NULL: not wanted
};

// Loads a text, or the file if it is NULL. An error (what cannot be understood) is returned; what is understood and
// illegal becomes a finding of kind C or K.
enum ts_code ts_pipe_load(struct ts_pipe_program *self, const char *path, const char *text,
                          const struct ts_pipe_sets *sets, struct ts_error *error);
// A file with such texts, each of which must be KEY=VALUE with a key that the program has.
enum ts_code ts_pipe_load_set(struct ts_pipe_program *self, const char *path,
                              const char *const *texts, size_t count, struct ts_error *error);
void ts_pipe_program_free(struct ts_pipe_program *self);

// Would this program be refused?
bool ts_pipe_refused(const struct ts_pipe_program *self);

// --- parts ---

// Compiles an expression; *at is moved behind it. Names are variables, then parameters.
struct ts_pipe_scope {
    struct ts_pipe_program *program;
    const char *vars[TS_VARS]; // NULL: not taken
    char text[TS_VARS][32];
};
bool ts_pipe_expr(struct ts_pipe_scope *scope, const char **at, struct ts_expr *expr, char *why,
                  size_t room);
// asm.c: assembles the program of one side (0 Cube, 1 Vector): a block of text, or a list of
// instructions with a line and column each.
enum ts_code ts_pipe_assemble(struct ts_pipe_program *self, unsigned side, struct ts_yaml_node node,
                              struct ts_error *error);
// The number of a declaration by its name, with which it begins; -1: there is none.
int ts_pipe_find(const void *list, uint32_t count, size_t size, const char *name);
#define ts_pipe_find_tile(machine, name) \
    ts_pipe_find((machine)->tiles, (machine)->tile_count, sizeof *(machine)->tiles, name)
#define ts_pipe_find_tensor(machine, name) \
    ts_pipe_find((machine)->tensors, (machine)->tensor_count, sizeof *(machine)->tensors, name)
#define ts_pipe_find_pipe(machine, name) \
    ts_pipe_find((machine)->pipes, (machine)->pipe_count, sizeof *(machine)->pipes, name)
// place.c: gives addresses to what has none.
void ts_pipe_place(struct ts_pipe_program *self);
// check.c: the rules of config/pipe_rules.def.
void ts_pipe_check(struct ts_pipe_program *self);

void *ts_pipe_or_die(void *memory);
