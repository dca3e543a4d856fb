// Resources that a run may have for free (config/free.def): what they cost is the difference.
#pragma once

#include "platform/base/params.h"

struct ts_rv_params;
struct ts_tile_config;

struct ts_free {
#define TS_PARAM(key, unit, low, high, text) uint32_t key;
#include "config/free.def"
};

// The rows of the group "free", in order; ends with a row without key.
extern const struct ts_param ts_free_rows[];

void ts_free_add(struct ts_params *params);
struct ts_free ts_free_get(const struct ts_params *params);
// The parameters of a core that is free.
void ts_free_core(struct ts_rv_params *params);
// Makes the resources of a tile free.
void ts_free_tile(const struct ts_free *self, struct ts_tile_config *config);
