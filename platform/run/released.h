// What released the tiles together: the waits that ended before the largest rise of MVMULs, by source line.
//
//   poll of a core has ended --loss.h--> log of its tile
//   after the run: of each tile that multiplies more in the rise, the last wait of its unpack or math core in the us before, and before
//   that the last wait of a core that moves data; waits at the same lines are one row
#pragma once

#include "platform/activity/steps.h"
#include "platform/run/work.h"

struct ts_released;

// For an elaborated kernel. NULL: out of memory.
struct ts_released *ts_released_new(struct ts_kernel *kernel);
void ts_released_free(struct ts_released *self);
// A tile whose waits are logged.
void ts_released_tile(struct ts_released *self, const struct ts_tile *tile);
// As ts_loss.polled, of such a tile.
void ts_released_polled(struct ts_released *self, const struct ts_rv_core *core, ts_cycle to);
// After ts_activity_steps_make: [{ns, tiles, text, wait, by}, ...] of the largest rise within up to 1 us, most tiles first.
json_t *ts_released_json(const struct ts_released *self, const struct ts_activity *activity,
                         const struct ts_activity_steps *steps);
