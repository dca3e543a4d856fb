// An open store, for cost.c and cost_run.c.
#pragma once

#include "platform/lib/cost.h"
#include "platform/lib/inside.h"

#include <sqlite3.h>

struct ts_costs {
    struct tensim_config config; // the caller's
    struct ts_params params;
    char file[PATH_MAX];
    sqlite3 *db; // NULL: none
    sqlite3_stmt *find, *insert;
    uint64_t hash; // of tensim, chips and parameters
    json_t *files; // hash of each program file that was asked for
};
