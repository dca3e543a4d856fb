// The program file behind a short name and its settings (config/aliases.def): "matmul m=64" is llk/matmul, "matmul m=64
// cores=2x2" is matmul-2d.
#ifndef TENSIM_RUN_PLAN_ALIAS_H
#define TENSIM_RUN_PLAN_ALIAS_H

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
// Files that a name may run, the first first; `setting` is what asks for it, "" of the first. The result is `path`; NULL: no more.
const char *ts_alias_file(const char *kernel, unsigned index, const char **setting,
                          char path[PATH_MAX]);

#endif
