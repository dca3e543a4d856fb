// Parameters: every number of a model, with value, unit, kind and source.
//
// A group of parameters is one .def file of rows TS_PARAM(key, unit, lowest, highest, text). It
// yields a struct of integers (what the model reads) and a table (what is loaded, listed and set).
// The values stand in YAML, under the name of the group, each with its kind and its source:
//
//   noc:
//     hop: {value: 9, unit: cycles, kind: documented, source: "NoC page, 9 cycles a hop"}
//
// Nothing is optional: a number without a value, a kind or a source is an error, and so is one that
// no model knows.
//
// A group of choices has one list of names for all its rows. Its file says `bits: silicon`, or a
// name for each row; evidence is in the table.
#pragma once

#include "platform/base/error.h"

enum ts_param_kind {
    TS_DOCUMENTED, // the vendor's documents say so
    TS_MEASURED,   // on silicon, by at least two independent measurements
    TS_INFERRED,   // follows from measurements or documents
    TS_ASSUMED,    // nobody published it
    TS_CHOSEN,     // not of the hardware: a choice of the model or the user
};

struct ts_param {
    const char *key;
    const char *unit;
    int64_t low, high;
    const char *text;
};

struct ts_param_value {
    int64_t value;
    enum ts_param_kind kind;
    char *source;
    char *where; // file:line, or --set
};

// A group: its table, and the values once loaded.
struct ts_param_group {
    const char *name;
    const struct ts_param *rows;
    size_t count;
    // of choices: the names of the values, ends with NULL, and the evidence for each row; NULL: numbers
    const char *const *names, *const *evidence;
    struct ts_param_value *values;
};

// The rows of config/blackhole.yaml, as the build has read it (gen_defaults.c): who loads a file of these very
// bytes need not parse it.
struct ts_param_known {
    const char *group, *key, *unit, *kind, *source;
    int64_t value;
    int line;
};
struct ts_params_known {
    uint64_t hash; // of the file
    const struct ts_param_known *rows;
    size_t count;
};
extern const struct ts_params_known ts_params_known;

#define TS_PARAM_GROUP_MAX 32

struct ts_params {
    struct ts_param_group groups[TS_PARAM_GROUP_MAX];
    size_t count;
    char machine[16]; // whose numbers they are, as their file says; "": it says nothing
    bool starved;     // there was no memory for a group: loading says so
};

const char *ts_param_kind_name(enum ts_param_kind kind);

// Adds a group of `count` rows. The rows must outlive the parameters.
void ts_params_add(struct ts_params *self, const char *name, const struct ts_param *rows,
                   size_t count);
// Adds a group of choices; value i of every row is names[i].
void ts_params_add_choices(struct ts_params *self, const char *name, const struct ts_param *rows,
                           size_t count, const char *const *names, const char *const *evidence);
// Loads the values of all groups from a file: every parameter must be there, and nothing else.
enum ts_code ts_params_load(struct ts_params *self, const char *path, struct ts_error *error);
// Sets one: "group.key=value", or all choices of a group: "group=name". The kind becomes "chosen",
// the source of a number "--set".
enum ts_code ts_params_set(struct ts_params *self, const char *assignment, struct ts_error *error);
// Copies the values of a group into its struct of int64_t.
void ts_params_fill(const struct ts_params *self, const char *name, int64_t *values, size_t count);
#define TS_PARAMS_FILL(self, name, target) \
    ts_params_fill((self), (name), (int64_t *)(target), sizeof *(target) / sizeof(int64_t))
// The same for a struct of uint32_t.
void ts_params_fill32(const struct ts_params *self, const char *name, uint32_t *values,
                      size_t count);
#define TS_PARAMS_FILL32(self, name, target) \
    ts_params_fill32((self), (name), (uint32_t *)(target), sizeof *(target) / sizeof(uint32_t))
// Writes the resolved values as YAML that ts_params_load reads.
void ts_params_write(const struct ts_params *self, FILE *file);
void ts_params_free(struct ts_params *self);

// The path of a file of config/ (config_path.c): in TENSIM_CONFIG_PATH if that is set; else in
// share/tensim next to the program or library that this code is in; else in the source tree.
void ts_config_path(char *path, size_t size, const char *name);
// The names of the .yaml files in a folder of config/, for messages: "p100, p150". Returns `text`.
const char *ts_config_names(const char *folder, char *text, size_t size);
// The path of a file that kernels are compiled with: in share/tensim/guest of an installed tensim;
// else in the build tree.
void ts_sdk_path(char *path, size_t size, const char *name);
