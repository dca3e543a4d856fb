// Costs of many operations at once (platform/lib/cost.h), for `cost' and `tune': from the store, and what is missing by a crew.
#pragma once

#include "platform/cli/common.h"
#include "platform/crew/crew.h"
#include "platform/lib/cost.h"

struct ts_pricing {
    struct ts_costs *costs;
    struct ts_crew crew;               // its rows: {code, answer or error}
    const struct ts_cost_query **runs; // all different
    size_t count;
    bool numbers; // run them with arithmetic: these answers are not stored
    // In order, as soon as all rows before are there; NULL: nobody looks.
    void (*show)(void *context, size_t index, const json_t *row);
    void *context;
    struct ts_error kept; // private: the store could not be written
};

// Opens the store that the options of a command name (-o, -c, -D, --allow, -j). An exit code.
int ts_pricing_open(struct ts_pricing *self, const struct ts_options *options, const char *allow,
                    unsigned jobs, int argc, char **argv);
// A code as ts_crew_run. Then ts_crew_free.
int ts_pricing_run(struct ts_pricing *self, struct ts_error *error);
