// The coprocessor in the cores' CSRs and in the tile's debug registers (hooks.h).
#include "platform/tile/hooks.h"
#include "platform/tile/windows.h"

uint32_t ts_tile_status(struct ts_tile *self, unsigned core, unsigned which, ts_cycle reached,
                        ts_cycle now)
{
    uint32_t all = 0, own;
    for (unsigned t = 0; t < TS_THREADS; t++)
        ts_frontend_catch_up(&self->front[t], reached);
    for (unsigned t = 0; t < TS_THREADS; t++)
        all |= ts_frontend_status(&self->front[t], which == 1, now);
    own = ts_is_trisc(core) ? ts_frontend_status(&self->front[core - TS_RV_TRISC0], which == 1, now)
                            : all;
    return which == 1 ? own | all << 11 : own | all << 13;
}

// DBG_FEATURE_DISABLE bit 11: the 16-bit view of Dst is the high halves of the 32-bit one.
void ts_tile_features(struct ts_tile *self, uint32_t value, ts_cycle now)
{
    ts_files_dst(&self->files, now)->hi16 = value >> 11 & 1;
}
