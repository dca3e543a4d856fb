// The published table of matmuls over a grid, run again (anchors.h) as the program config/programs/matmul-2d.
#include "platform/study/sweep/anchors.h"

#include "platform/run/timed.h"

#include <stdio.h>
#include <string.h>

#define COLUMNS 13
#define ROWS    10

#define TS_ANCHOR(shape, m, k, n, format, fidelity, blocks, storage, percent) \
    {shape, m, k, n, format, fidelity, blocks, storage, percent},
const struct ts_anchor ts_anchors[] = {
#include "config/anchors.def"
};
const uint32_t ts_anchor_count = sizeof ts_anchors / sizeof *ts_anchors;

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

bool ts_anchor_run(const struct ts_anchor *anchor, const struct ts_params *params, uint32_t threads,
                   void (*shown)(void *context, double share), void *context, double *utilisation,
                   ts_cycle *cycles, struct ts_error *error)
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
    struct ts_timed_cycles took;
    if (!ts_timed_run(&(struct ts_timed){.path = path,
                                         .settings = settings,
                                         .setting_count = PARAMS,
                                         .threads = threads,
                                         .shown = shown,
                                         .context = context},
                      params, &took, error))
        return false;
    // The mean of the math kernels is what the published utilisation is of: 16 MVMULs a phase for every product.
    const int phases = 1 + ts_word_index(TS_PLAN_FIDELITIES, anchor->fidelity);
    double products = (double)anchor->m * anchor->k * anchor->n / (TS_TILE * TS_TILE * TS_TILE);
    *cycles = took.math;
    *utilisation = 16 * phases * products / (COLUMNS * ROWS) / (double)took.math;
    return true;
}
