#include "platform/demo/demo.h"

#include <string.h>

const struct ts_demo_model *const ts_demo_models[] = {
    &ts_demo_tile, NULL,
};

const struct ts_demo_model *ts_demo_find(const char *name)
{
    for (int i = 0; ts_demo_models[i]; i++)
        if (strcmp(ts_demo_models[i]->name, name) == 0)
            return ts_demo_models[i];
    return NULL;
}
