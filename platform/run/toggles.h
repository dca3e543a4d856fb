// Toggles of MVMULs' operands on all tiles of a run: see units/matrix/toggles.h.
#pragma once

#include "platform/run/work.h"

// Before the run of an elaborated kernel: each tile counts from now on. False: out of memory.
bool ts_toggles_begin(const struct ts_work *work, struct ts_kernel *kernel);
// After it: {mvmuls, srca, srcb, dst: bits; of a MVMUL; tiles: [{tile, mvmuls, srca, srcb, dst}]}.
json_t *ts_toggles_json(const struct ts_work *work, ts_cycle now);
