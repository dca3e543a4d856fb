// The published table of matmuls over a grid, run again (grid.h).
#include "platform/run/grid.h"
#include "platform/run/spec.h"
#include "platform/tile/watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 13
#define ROWS    10
#define TILES   (COLUMNS * ROWS)
#define LIMIT   UINT64_C(100000000)

#define TS_ANCHOR(shape, m, k, n, format, fidelity, blocks, storage, percent) \
    {shape, m, k, n, format, fidelity, blocks, storage, percent},
const struct ts_anchor ts_anchors[] = {
#include "config/anchors.def"
};
#undef TS_ANCHOR
const uint32_t ts_anchor_count = sizeof ts_anchors / sizeof *ts_anchors;

struct bench {
    struct ts_job jobs[TILES];
    struct ts_job_result results[TILES];
    struct ts_chip chip;
    const struct ts_params *params;
    struct ts_kernel *kernel;
    uint32_t made;
    void (*shown)(void *context, double share);
    void *shown_to;
};

static bool make_spec(const struct ts_anchor *anchor, struct ts_job_spec *spec, char *text,
                      size_t size, struct ts_error *error)
{
    ts_job_spec_default(spec, "matmul");
    spec->m = anchor->m;
    spec->k = anchor->k;
    spec->n = anchor->n;
    spec->blocks = anchor->blocks;
    spec->grid_columns = COLUMNS;
    spec->grid_rows = ROWS;
    spec->timing_only = true;
    if (!ts_spec_set(spec, "format", anchor->format, text, size) ||
        !ts_spec_set(spec, "fidelity", anchor->fidelity, text, size) ||
        !ts_spec_set(spec, "storage", anchor->storage, text, size))
        return false;
    if (ts_grid_plan(spec, error))
        return true;
    snprintf(text, size, "%s", error->text);
    return false;
}

static bool build(struct bench *self, const struct ts_job_spec *plan, struct ts_error *error)
{
    for (; self->made < TILES; self->made++) {
        struct ts_job_spec spec = *plan;
        spec.grid_row = self->made / COLUMNS;
        spec.grid_column = self->made % COLUMNS;
        if (!ts_job_build(&self->jobs[self->made], &spec, self->kernel, error))
            return false;
    }
    if (!ts_grid_connect(self->jobs, TILES, self->params, &self->chip, error) ||
        ts_kernel_elaborate(self->kernel, error) != TS_OK)
        return false;
    for (uint32_t i = 0; i < TILES; i++)
        if (!ts_job_start(&self->jobs[i], error))
            return false;
    return true;
}

// Every tile stops the run once; then its cores are held, and it goes on.
static struct ts_run run_all(struct bench *self)
{
    for (;;) {
        struct ts_run run = ts_watched_run(self->kernel, LIMIT);
        uint32_t done = 0;
        for (uint32_t i = 0; i < TILES; i++) {
            if (self->jobs[i].done == 0)
                continue;
            done++;
            for (unsigned core = 0; core < TS_RV_CORES; core++)
                ts_tile_hold(self->jobs[i].tile, core, run.cycle);
        }
        if (run.stop != TS_STOP_BREAK || done == TILES)
            return run;
    }
}

static void pause(void *context)
{
    struct bench *self = context;
    double share = 0;
    for (uint32_t i = 0; i < TILES; i++)
        share += ts_job_share(&self->jobs[i]) / TILES;
    self->shown(self->shown_to, share);
}

bool ts_anchor_run(const struct ts_anchor *anchor, const struct ts_params *params, uint32_t threads,
                   void (*shown)(void *context, double share), void *context, double *utilisation,
                   ts_cycle *cycles, char *text, size_t size)
{
    struct ts_error error = {0};
    struct ts_job_spec spec;
    if (!make_spec(anchor, &spec, text, size, &error))
        return false;
    struct ts_tile_config config = ts_tile_config_from(params);
    spec.tile_config = &config;
    struct bench *self = calloc(1, sizeof *self);
    bool good = self != NULL;
    if (good) {
        self->params = params;
        self->kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = threads});
        good = self->kernel != NULL && build(self, &spec, &error);
    }
    snprintf(text, size, "%s", error.text[0] ? error.text : good ? "" : "out of memory");
    if (good) {
        self->shown = shown;
        self->shown_to = context;
        ts_kernel_pause(self->kernel, pause, self);
        struct ts_run run = run_all(self);
        for (uint32_t i = 0; i < TILES && good; i++) {
            ts_job_finish(&self->jobs[i], &run, &self->results[i]);
            good = self->results[i].code == TS_OK;
            if (!good)
                snprintf(text, size, "%s", self->results[i].text);
        }
        // 16 MVMULs a phase for every product.
        *cycles = good ? ts_grid_mean(self->results, TILES) : run.cycle;
        *utilisation = 16.0 * spec.phases * (double)self->results[0].work / (double)*cycles;
    }
    for (uint32_t i = 0; self && i < self->made; i++)
        ts_job_free(&self->jobs[i]);
    if (self)
        ts_chip_free(&self->chip);
    if (self && self->kernel)
        ts_kernel_free(self->kernel);
    free(self);
    return good;
}
