// Runs the programs of a probe on a fresh tile (probe.h).
#include "platform/study/silicon/probe.h"

#include "platform/kernel/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void probe_run_each(struct probe *probe, unsigned first, unsigned threads, double cycles[3])
{
    struct ts_error *error = probe->error;
    for (unsigned t = 0; t < 3; t++)
        cycles[t] = NAN;
    if (error->code != TS_OK)
        return;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &probe->context->tile, error);
    if (tile)
        ts_kernel_elaborate(kernel, error);
    for (unsigned t = first; t < first + threads && error->code == TS_OK; t++) {
        if (probe->p[t].overflow || probe->p[t].count * 4 > ROOM)
            ts_fail(error, TS_BUG, "the program of T%u is longer than %u bytes", t, ROOM);
        ts_l1_write(&tile->l1, CODE(t), probe->p[t].words, probe->p[t].count * 4, 0);
        ts_tile_start(tile, TS_RV_TRISC0 + t, CODE(t), 0, error);
        tile->front[t].pushes = probe->fresh ? 0 : 1;
    }
    if (error->code == TS_OK) {
        struct ts_run result = ts_kernel_run(kernel, 1000000);
        if (result.stop != TS_STOP_DONE && result.stop != TS_STOP_LIMIT)
            ts_fail(error, TS_BUG, "%s", result.error.text);
    }
    for (unsigned t = first; t < first + threads && error->code == TS_OK; t++) {
        uint32_t out[2];
        memcpy(out, tile->l1.bytes + OUT + 8 * t, 8);
        if (out[1] == DONE)
            cycles[t] = out[0];
        else
            ts_fail(error, TS_LIMIT, "T%u does not come to its end", t);
    }
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

double probe_run(struct probe *probe, unsigned first, unsigned threads)
{
    double cycles[3], slowest = 0;
    probe_run_each(probe, first, threads, cycles);
    for (unsigned t = first; t < first + threads; t++)
        slowest = cycles[t] > slowest ? cycles[t] : slowest;
    return probe->error->code == TS_OK ? slowest : NAN;
}
