#include "tests/demo/demo.h"

#include <string.h>

const struct ts_demo_model *const ts_demo_models[] = {
    &ts_demo_tile, &ts_demo_ring, &ts_demo_torus, &ts_demo_crowd, &ts_demo_table, NULL,
};

static const struct ts_param rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "tests/demo/demo.def"
};

const struct ts_demo_model *ts_demo_find(const char *name)
{
    for (int i = 0; ts_demo_models[i]; i++)
        if (strcmp(ts_demo_models[i]->name, name) == 0)
            return ts_demo_models[i];
    return NULL;
}

void ts_demo_params_add(struct ts_params *params)
{
    ts_params_add(params, "demo", rows, sizeof rows / sizeof *rows);
}
