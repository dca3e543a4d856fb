// The loader of a program: one value at a time, of the command line, of the file, or the default.
// Every error names file, line and column of the value.
#pragma once

#include "platform/study/pipe/program.h"

struct ts_loader {
    struct ts_pipe_program *program;
    const struct ts_pipe_sets *sets;
    struct ts_yaml yaml;
    struct ts_pipe_scope scope;
    uint32_t published; // bits by ts_published
};

// A mapping of the file whose values may be overridden.
struct ts_load_place {
    struct ts_loader *loader;
    struct ts_yaml_node map;
    char path[100]; // "pipes.c2v."
};

const char *ts_load_override(const struct ts_loader *self, const char *path);
const char *ts_load_text(const struct ts_load_place *place, const char *key, const char *otherwise);
struct ts_yaml_node ts_load_where(const struct ts_load_place *place, const char *key);
// An integer expression over the parameters.
int64_t ts_load_integer(const struct ts_load_place *place, const char *key, int64_t low,
                        int64_t high, int64_t otherwise);
bool ts_load_flag(const struct ts_load_place *place, const char *key, bool otherwise);
double ts_load_real(const struct ts_load_place *place, const char *key, double otherwise);
// One of the names (which end with NULL); otherwise < 0: the key must be there.
int ts_load_choice(const struct ts_load_place *place, const char *key, const char *const *names,
                   int otherwise);
void ts_load_name(const struct ts_load_place *place, char *to, size_t room);
// An element of a list of declarations; `keys` are those it may have.
struct ts_load_place ts_load_element(struct ts_loader *self, const char *list,
                                     struct ts_yaml_node node, const char *const *keys);

enum ts_mem ts_load_mem(const struct ts_load_place *place, const char *key);
// A text, to be freed; NULL: the key is not there.
char *ts_load_copy(const struct ts_load_place *place, const char *key);

// load_pipe.c
void ts_load_pipe(struct ts_loader *self, struct ts_yaml_node node);
