// Truth table: DRAM. Tiles read or write one endpoint with the pace of the published issue loops;
// bytes a cycle in sum.
#include "platform/study/silicon/rig.h"

#include <math.h>
#include <stdio.h>

#define PEAK 47.4 // bytes a cycle of a channel, for rows in % of it

struct row {
    struct ts_silicon_row base;
    unsigned tiles, count;
    bool read;
    uint32_t length;
    const uint32_t *lengths; // of the further figures
};

static double rate(const struct row *row, uint32_t length, const struct ts_silicon_context *context,
                   struct ts_error *error)
{
    struct rig *rig = rig_new("p150", context, error);
    struct ts_traffic_op ops[140][2];
    for (unsigned i = 0; i < row->tiles && error->code == TS_OK; i++) {
        struct ts_noc_xy by = rig->chip.tiles[i], bank = at(0, 11);
        uint64_t place = 0x100000 + i * 0x100000u;
        ops[i][0] = row->read ? ts_traffic_read(&rig->chip, 0, by, bank, place, 0x20000, length)
                              : ts_traffic_write(&rig->chip, 0, by, bank, 0x20000, place, length, 1,
                                                 false);
        ops[i][0].count = row->count;
        ops[i][0].gap = 29;
        ops[i][1] = rig_barrier();
        rig_drive(rig, by, ops[i], 2);
    }
    double result = NAN;
    if (rig_run(rig, 100000000)) {
        ts_cycle last = 0;
        for (unsigned i = 0; i < row->tiles; i++)
            last = ops[i][1].ended > last ? ops[i][1].ended : last;
        result = (double)row->tiles * row->count * length / (double)last;
    }
    rig_free(rig);
    return result;
}

static const double s1113[] = {0.91 * PEAK, 0.98 * PEAK};
static const uint32_t s1113_lengths[] = {1088, 2048};

#define ROW(name, value, n, reads, bytes, times)                                             \
    {                                                                                        \
        .base = {.id = name, .measured = value}, .tiles = n, .read = reads, .length = bytes, \
        .count = times                                                                       \
    }

static const struct row rows[] = {
    ROW("B1039", 46.375, 1, true, 16384, 64),
    ROW("B1041", 47.11, 1, false, 16384, 64),
    ROW("S0692", 47.086, 48, true, 4096, 64),
    {
        .base = {.id = "S1113",
                 .measured = 0.62 * PEAK,
                 .others = s1113,
                 .other_count = 2,
                 .cause = "one request in 16.4 cycles (DRAM-005) gives 35 B per cycle at 576 B, "
                          "the card 29; the card's number of readers is not published"},
        .tiles = 16,
        .read = true,
        .length = 576,
        .lengths = s1113_lengths,
        .count = 256,
    },
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    for (unsigned i = 0; i <= base->other_count; i++)
        simulated[i] = rate(row, i ? row->lengths[i - 1] : row->length, context, error);
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    const struct row *row = (const struct row *)base;
    snprintf(text->workload, sizeof text->workload,
             "%u tile%s %s one DRAM endpoint, %u x %u B each", row->tiles,
             row->tiles > 1 ? "s" : "", row->read ? "read" : "write", row->count, row->length);
    text->metric = "B per cycle in sum";
}

const struct ts_silicon_family ts_silicon_dram = {
    .name = "dram",
    .title = "DRAM",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.04,
    .p90 = 0.20,
    .groups = "noc dram",
};
