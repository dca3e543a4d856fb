// The program file behind a short name and its settings (config/aliases.def): "matmul m=64" is llk/matmul, "matmul m=64
// cores=2x2" is matmul-2d.
#pragma once

#include "platform/run/plan/plan.h"

#define TS_ALIAS_PARAMS 160

struct ts_alias {
    char path[PATH_MAX];
    char *params[TS_ALIAS_PARAMS]; // "m=64"
    size_t count;
};

// False: error, and there is nothing to free.
bool ts_alias_find(struct ts_alias *self, const char *kernel, const char *const *settings,
                   size_t count, struct ts_error *error);
void ts_alias_free(struct ts_alias *self);
// The names, separated by blanks; `all`: with those that no command has.
const char *ts_alias_names(bool all);
// Files that a name may run, the first first, in `path` (PATH_MAX); the result is the setting that asks for it, "" of the
// first. NULL: no more.
const char *ts_alias_file(const char *kernel, unsigned index, char *path);
