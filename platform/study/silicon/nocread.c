// Truth table: nocreadbench, one tile reads from L1s of others.
//
// Tile 1-2 runs config/probes/nocread.cpp: it reads the clock, issues a burst of reads by the
// vendor's function or by the one that keeps the registers' state, waits for the last answer, and
// reads the clock again. The reply goes round the ring, so distance does not matter, but direction
// does: 17 hops in a row, 12 in a column. What the report averaged is averaged here: rows and
// columns, and four strides of what is read or where it goes.
#include "platform/study/silicon/squad.h"

enum { STATELESS, STATEFUL };
enum { ROW, COLUMN, BOTH, FAN, SINKS, SOURCES }; // the last two: strides

struct read_row {
    struct ts_silicon_row row;
    uint8_t state;
    uint16_t reads, length;
    uint8_t where, distance; // or sources
};

#define READ(name, value, issue, n, bytes, along, hops)               \
    {                                                                 \
        {.id = name, .measured = value}, issue, n, bytes, along, hops \
    }

// clang-format off
static const struct read_row rows[] = {
    READ("S0589", 3247.7, STATELESS, 64, 64, ROW, 13),
    READ("S0590", 3240.0, STATELESS, 64, 128, ROW, 13),
    READ("S0592", 3240.3, STATELESS, 64, 512, ROW, 13),
    READ("S0593", 3248.7, STATELESS, 64, 1024, ROW, 13),
    READ("S0594", 3267.3, STATELESS, 64, 2048, ROW, 13),
    READ("S0595", 4544.7, STATELESS, 64, 4096, ROW, 13),
    READ("S0597", 3216.8, STATELESS, 64, 64, BOTH, 2),
    READ("S0600", 3216.5, STATELESS, 64, 64, BOTH, 5),
    READ("S0601", 3216.5, STATELESS, 64, 64, BOTH, 6),
    READ("S0602", 3216.3, STATELESS, 64, 64, BOTH, 9),
    READ("S0603", 3240.7, STATELESS, 64, 64, ROW, 10),
    READ("S0604", 3240.3, STATELESS, 64, 64, ROW, 11),
    READ("S0606", 3241.0, STATELESS, 64, 64, ROW, 13),
    READ("S0607", 3192.7, STATELESS, 64, 64, COLUMN, 7),
    READ("S0609", 3240.0, STATELESS, 64, 64, FAN, 1),
    READ("S0610", 3245.0, STATELESS, 64, 64, FAN, 2),
    READ("S0611", 3273.7, STATELESS, 64, 64, FAN, 4),
    READ("S0613", 3244.1, STATELESS, 64, 64, SINKS, 13),
    READ("S0614", 3240.5, STATELESS, 64, 64, SOURCES, 13),
    READ("S0615", 420.3, STATELESS, 4, 64, ROW, 13),
    READ("S0617", 3240.7, STATELESS, 64, 64, ROW, 13),
    READ("S0618", 6248.7, STATELESS, 128, 64, ROW, 13),
    READ("S0619", 2075.0, STATEFUL, 64, 64, ROW, 13),
    READ("S0621", 2079.0, STATEFUL, 64, 256, ROW, 13),
    READ("S0622", 2079.0, STATEFUL, 64, 512, ROW, 13),
    READ("S0624", 2431.0, STATEFUL, 64, 2048, ROW, 13),
    READ("S0625", 4521.7, STATEFUL, 64, 4096, ROW, 13),
    READ("S0626", 2051.0, STATEFUL, 64, 64, BOTH, 1),
    READ("S0627", 2051.0, STATEFUL, 64, 64, BOTH, 2),
    READ("S0630", 2051.0, STATEFUL, 64, 64, BOTH, 5),
    READ("S0631", 2051.0, STATEFUL, 64, 64, BOTH, 6),
    READ("S0632", 2051.0, STATEFUL, 64, 64, BOTH, 9),
    READ("S0633", 2071.0, STATEFUL, 64, 64, ROW, 10),
    READ("S0634", 2071.0, STATEFUL, 64, 64, ROW, 11),
    READ("S0635", 2071.0, STATEFUL, 64, 64, ROW, 12),
    READ("S0636", 2071.0, STATEFUL, 64, 64, ROW, 13),
    READ("S0637", 2031.0, STATEFUL, 64, 64, COLUMN, 7),
    READ("S0638", 2031.0, STATEFUL, 64, 64, COLUMN, 8),
    READ("S0640", 2071.0, STATEFUL, 64, 64, SINKS, 13),
    READ("S0642", 331.0, STATEFUL, 4, 64, ROW, 13),
    READ("S0643", 679.0, STATEFUL, 16, 64, ROW, 13),
    READ("S0644", 2071.0, STATEFUL, 64, 64, ROW, 13),
    READ("S0645", 3927.0, STATEFUL, 128, 64, ROW, 13),
    READ("S0646", 3248.0, STATELESS, 64, 64, ROW, 13),
    READ("S0647", 3240.7, STATELESS, 64, 128, ROW, 13),
    READ("S0648", 3240.3, STATELESS, 64, 256, ROW, 13),
    READ("S0649", 3248.0, STATELESS, 64, 512, ROW, 13),
    READ("S0651", 3269.3, STATELESS, 64, 2048, ROW, 13),
    READ("S0652", 4550.0, STATELESS, 64, 4096, ROW, 13),
    READ("S0653", 3216.2, STATELESS, 64, 64, BOTH, 1),
    READ("S0654", 3216.3, STATELESS, 64, 64, BOTH, 2),
    READ("S0655", 3216.5, STATELESS, 64, 64, BOTH, 3),
    READ("S0657", 3216.5, STATELESS, 64, 64, BOTH, 5),
    READ("S0659", 3216.0, STATELESS, 64, 64, BOTH, 9),
    READ("S0660", 3240.7, STATELESS, 64, 64, ROW, 10),
    READ("S0661", 3240.7, STATELESS, 64, 64, ROW, 11),
    READ("S0662", 3240.3, STATELESS, 64, 64, ROW, 12),
    READ("S0663", 3240.3, STATELESS, 64, 64, ROW, 13),
    READ("S0665", 3192.0, STATELESS, 64, 64, COLUMN, 8),
    READ("S0666", 3240.3, STATELESS, 64, 64, FAN, 1),
    READ("S0667", 3265.3, STATELESS, 64, 64, FAN, 2),
    READ("S0668", 3266.3, STATELESS, 64, 64, FAN, 4),
    READ("S0669", 3267.7, STATELESS, 64, 64, FAN, 8),
    READ("S0670", 3243.3, STATELESS, 64, 64, SINKS, 13),
    READ("S0673", 984.0, STATELESS, 16, 64, ROW, 13),
    READ("S0675", 6248.0, STATELESS, 128, 64, ROW, 13),
};
// clang-format on

// Columns of Tensix tiles on the card.
static uint8_t column(unsigned hops)
{
    static const uint8_t columns[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};
    return columns[hops < sizeof columns ? hops : sizeof columns - 1];
}

static const struct ts_noc_xy reader = {1, 2};

static double burst(const struct read_row *row, bool down, uint32_t stride,
                    const struct ts_silicon_context *context, struct ts_error *error)
{
    struct squad *squad = squad_new("p150", context, error);
    unsigned sources = row->where == FAN ? row->distance : 1, count = NOCREAD_SOURCE_XY;
    uint32_t arguments[SQUAD_ARGUMENTS] = {
        [NOCREAD_RESULTS] = PROBE_RESULTS,
        [NOCREAD_DATA] = PROBE_DATA,
        [NOCREAD_DATA_BYTES] = 32768,
        [NOCREAD_KEEPS_STATE] = row->state == STATEFUL,
        [NOCREAD_READS] = row->reads,
        [NOCREAD_BYTES] = row->length,
        [NOCREAD_SINK_STRIDE] = row->where == SINKS ? stride : 0,
        [NOCREAD_SOURCE_STRIDE] = row->where == SOURCES ? stride : 0,
        [NOCREAD_SOURCES] = sources,
    };
    for (unsigned i = 0; i < sources; i++) {
        struct ts_noc_xy source = reader;
        if (row->where == FAN)
            source.x = column(i + 1);
        else if (down)
            source.y = (uint8_t)(2 + row->distance);
        else
            source.x = row->distance > 6 ? (uint8_t)(1 + row->distance) : column(row->distance);
        uint32_t name = squad_name(squad, source);
        arguments[count++] = name & 63;
        arguments[count++] = name >> 6;
    }
    squad_guest(squad, reader, "nocread.brisc", arguments, count);
    squad_run(squad, 1000000);
    double cycles = squad_result(squad, reader, NOCREAD_OUT_CYCLES);
    squad_free(squad);
    return cycles;
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    static const uint32_t strides[] = {0, 64, 128, 512};
    const struct read_row *row = (const struct read_row *)base;
    if (row->where == SINKS || row->where == SOURCES) {
        *simulated = 0;
        for (unsigned i = 0; i < 4 && error->code == TS_OK; i++)
            *simulated += burst(row, false, strides[i], context, error) / 4;
        return;
    }
    *simulated = burst(row, row->where == COLUMN, 0, context, error);
    if (row->where == BOTH && error->code == TS_OK)
        *simulated = (*simulated + burst(row, true, 0, context, error)) / 2;
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const along[] = {"along the row",
                                        "along the column",
                                        "along the row and the column",
                                        "sources",
                                        "along the row, to four strides",
                                        "along the row, from four strides"};
    const struct read_row *row = (const struct read_row *)base;
    snprintf(text->workload, sizeof text->workload, "%u reads of %u B%s, %u %s%s", row->reads,
             row->length, row->state == STATEFUL ? " from a kept coordinate" : "", row->distance,
             row->where == FAN ? "" : "hops ", along[row->where]);
    text->metric = "cycles";
}

const struct ts_silicon_family ts_silicon_nocread = {
    .name = "nocread",
    .title = "networks: bursts of reads (nocreadbench)",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.04,
    .p90 = 0.08,
    .groups = "riscv noc",
};
