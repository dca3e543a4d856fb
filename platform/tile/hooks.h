// The coprocessor's connections to its tile: the hooks of the units, and the effects of the tile's
// registers on the coprocessor.
#pragma once

#include "platform/tile/tile.h"

void ts_tile_hooks(struct ts_tile *self, struct ts_tensix_hooks *hooks);

// status.c: the CSRs 0xbc0 (which: 0) and 0xbc1 (1) of a core (core.h).
uint32_t ts_tile_status(struct ts_tile *self, unsigned core, unsigned which, ts_cycle reached,
                        ts_cycle now);
// status.c: RISCV_DEBUG_REG_DBG_FEATURE_DISABLE was written.
void ts_tile_features(struct ts_tile *self, uint32_t value, ts_cycle now);
// soft_reset.c: RISCV_DEBUG_REG_SOFT_RESET_0 changed.
void ts_tile_soft_reset(struct ts_tile *self, uint32_t before, uint32_t after, ts_cycle now);
