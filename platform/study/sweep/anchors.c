// The published table of matmuls over a grid, run again (anchors.h) as the program config/programs/matmul-2d.
#include "platform/study/sweep/anchors.h"

#include "platform/run/plan/launch.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 13
#define ROWS    10
#define LIMIT   UINT64_C(100000000)

#define TS_ANCHOR(shape, m, k, n, format, fidelity, blocks, storage, percent) \
    {shape, m, k, n, format, fidelity, blocks, storage, percent},
const struct ts_anchor ts_anchors[] = {
#include "config/anchors.def"
};
#undef TS_ANCHOR
const uint32_t ts_anchor_count = sizeof ts_anchors / sizeof *ts_anchors;

struct bench {
    struct ts_tile_config config;
    struct ts_kernel *kernel;
    struct ts_work *work;
    void (*shown)(void *context, double share);
    void *shown_to;
};

// Rows and columns of a sub-block: the first of the benchmark's choices that divides a core's block,
// in whole rows or a single one.
static void sub_block(const struct ts_anchor *anchor, uint32_t *rows, uint32_t *columns)
{
    static const uint8_t choices[][2] = {{4, 2}, {2, 4}, {8, 1}, {1, 8}, {7, 1}, {1, 7}, {3, 2},
                                         {2, 3}, {6, 1}, {1, 6}, {5, 1}, {1, 5}, {2, 2}, {4, 1},
                                         {1, 4}, {3, 1}, {1, 3}, {2, 1}, {1, 2}, {1, 1}};
    const uint32_t height = anchor->m / TS_TILE / ROWS, width = anchor->n / TS_TILE / COLUMNS;
    size_t i = 0;
    do {
        *rows = choices[i][0];
        *columns = choices[i][1];
    } while (i++ < sizeof choices / sizeof *choices &&
             (height % *rows || width % *columns || (*rows > 1 && *columns != width)));
}

static struct ts_work *new_program(struct bench *self, const struct ts_anchor *anchor,
                                   const struct ts_params *params, struct ts_error *error)
{
    enum { PARAMS = 9 };
    char path[PATH_MAX], texts[PARAMS][32];
    const char *settings[PARAMS];
    uint32_t rows, columns;
    sub_block(anchor, &rows, &columns);
    snprintf(texts[0], sizeof texts[0], "m=%u", anchor->m);
    snprintf(texts[1], sizeof texts[1], "k=%u", anchor->k);
    snprintf(texts[2], sizeof texts[2], "n=%u", anchor->n);
    snprintf(texts[3], sizeof texts[3], "format=%s", anchor->format);
    snprintf(texts[4], sizeof texts[4], "fidelity=%s", anchor->fidelity);
    snprintf(texts[5], sizeof texts[5], "blocks=%u", anchor->blocks);
    snprintf(texts[6], sizeof texts[6], "sub_rows=%u", rows);
    snprintf(texts[7], sizeof texts[7], "sub_columns=%u", columns);
    snprintf(texts[8], sizeof texts[8], "from=%s",
             strncmp(anchor->storage, "l1", 2) == 0 ? "l1" : "dram");
    for (unsigned i = 0; i < PARAMS; i++)
        settings[i] = texts[i];
    ts_config_path(path, sizeof path, "programs/matmul-2d/program.yaml");
    const struct ts_plan_options options = {
        .params = settings, .param_count = PARAMS, .unchecked = true, .bare = true};
    struct ts_plan *plan = ts_plan_read(path, &options, error);
    if (plan && ts_plan_compile(plan, &options, error))
        return ts_work_new_program(plan, params, &self->config, self->kernel, error);
    ts_plan_free(plan);
    return NULL;
}

// The mean of the math kernels: what the published device utilisation is of.
static ts_cycle math_mean(const struct ts_work *work)
{
    ts_cycle sum = 0;
    for (uint32_t i = 0; i < work->made; i++) {
        const struct ts_job_zone *zone = &work->results[i].zones[1][TS_JOB_KERNEL];
        sum += zone->end - zone->start;
    }
    return (sum + work->made / 2) / work->made;
}

static void pause(void *context)
{
    struct bench *self = context;
    self->shown(self->shown_to, ts_work_share(self->work));
}

static bool run_row(struct bench *self, const struct ts_anchor *anchor,
                    const struct ts_params *params, double *utilisation, ts_cycle *cycles,
                    struct ts_error *error)
{
    const int phases = 1 + ts_word_index(TS_PLAN_FIDELITIES, anchor->fidelity);
    self->work = new_program(self, anchor, params, error);
    if (self->work == NULL || ts_kernel_elaborate(self->kernel, error) != TS_OK ||
        !ts_work_start(self->work, error))
        return false;
    ts_kernel_pause(self->kernel, pause, self);
    struct ts_run run = ts_work_run(self->work, LIMIT);
    if (!ts_work_finish(self->work, &run, error))
        return false;
    if (self->work->result.code != TS_OK)
        return ts_fail(error, self->work->result.code, "%s", self->work->result.text) == TS_OK;
    // 16 MVMULs a phase for every product.
    *cycles = math_mean(self->work);
    double products = (double)anchor->m * anchor->k * anchor->n / (TS_TILE * TS_TILE * TS_TILE);
    *utilisation = 16 * phases * products / (COLUMNS * ROWS) / (double)*cycles;
    return true;
}

bool ts_anchor_run(const struct ts_anchor *anchor, const struct ts_params *params, uint32_t threads,
                   void (*shown)(void *context, double share), void *context, double *utilisation,
                   ts_cycle *cycles, char *text, size_t size)
{
    struct ts_error error = {0};
    struct bench self = {.config = ts_tile_config_from(params),
                         .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = threads}),
                         .shown = shown,
                         .shown_to = context};
    self.config.timing_only = true;
    bool good = self.kernel && run_row(&self, anchor, params, utilisation, cycles, &error);
    snprintf(text, size, "%s", error.text[0] ? error.text : good ? "" : "out of memory");
    ts_work_free(self.work);
    ts_kernel_free(self.kernel);
    return good;
}
