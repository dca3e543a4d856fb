// Truth table: matmuls of 5000 x 5000 x 5000 over 110 tiles of a card, and their unpack thread alone
// (peak.h).
#include "platform/study/silicon/peak.h"

#include <stdio.h>

// What a row is about.
enum figure {
    TIMES,     // us until all of c is written; and of T1, from its first wait to its end
    THREADS,   // the second of these only
    TOTAL,     // us until all of c is written
    MATH,      // us until T1 has ended
    PACK,      // us until T2 has ended
    TAIL,      // us from there until all of c is written
    WRITER,    // us of the longest writer
    PER_TILE,  // cycles of the threads for each tile that T0 unpacks
    PER_ROW,   // ... for each row of tiles
    UNPACKING, // cycles of T0 for each row
    COMMIT,    // cycles that T1's wait at the end of a sub-block costs
    PROBE      // cycles of a part of T0 alone
};

struct row {
    struct ts_silicon_row base;
    enum figure figure;
    struct peak peak;
    unsigned part; // of PROBE
};

static double rows_of(const struct peak *peak)
{
    const unsigned subblocks = PEAK_SIDE * PEAK_SIDE / peak->height / peak->width;
    return subblocks * peak_blocks(peak) * peak->block * peak->height;
}

static double commit_cost(const struct row *row, const struct ts_silicon_context *context,
                          struct ts_error *error)
{
    struct peak unsynced = row->peak;
    unsynced.unsynced = true;
    const double subblocks = rows_of(&row->peak) / row->peak.block / row->peak.height;
    return (peak_tile(&row->peak, context, error).math -
            peak_tile(&unsynced, context, error).math) /
           subblocks;
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    const struct peak *peak = &row->peak;
    if (row->figure == COMMIT) {
        simulated[0] = commit_cost(row, context, error);
        return;
    }
    if (row->figure == PROBE) {
        simulated[0] = peak_probe(row->part, context, error);
        return;
    }
    if (row->figure == UNPACKING) {
        simulated[0] = peak_tile(peak, context, error).unpacking / rows_of(peak);
        return;
    }
    const bool written = row->figure == TIMES || row->figure == TOTAL || row->figure == TAIL ||
                         row->figure == WRITER;
    const struct peak_times times = peak_parts(peak, written, context, error);
    const double threads = times.math - times.ready;
    switch (row->figure) {
    case TIMES:
        simulated[1] = threads / PEAK_MHZ;
        simulated[0] = times.total / PEAK_MHZ;
        break;
    case THREADS:
        simulated[0] = threads / PEAK_MHZ;
        break;
    case TOTAL:
        simulated[0] = times.total / PEAK_MHZ;
        break;
    case MATH:
        simulated[0] = times.math / PEAK_MHZ;
        break;
    case PACK:
        simulated[0] = times.pack / PEAK_MHZ;
        break;
    case TAIL:
        simulated[0] = (times.total - times.pack) / PEAK_MHZ;
        break;
    case WRITER:
        simulated[0] = times.writer / PEAK_MHZ;
        break;
    case PER_TILE:
        simulated[0] = threads / rows_of(peak) / (peak->width + 1);
        break;
    default:
        simulated[0] = threads / rows_of(peak);
    }
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const parts[] = {[TIMES] = "total and threads",
                                        [THREADS] = "threads",
                                        [TOTAL] = "total",
                                        [MATH] = "until T1 has ended",
                                        [PACK] = "until T2 has ended",
                                        [TAIL] = "output after T2",
                                        [WRITER] = "longest writer",
                                        [PER_TILE] = "a tile that T0 unpacks",
                                        [PER_ROW] = "a row that T0 unpacks",
                                        [UNPACKING] = "T0 for a row, with counters",
                                        [COMMIT] = "T1's wait for a sub-block"};
    const struct row *row = (const struct row *)base;
    const struct peak *peak = &row->peak;
    if (row->figure == PROBE) {
        static const char *const probes[] = {"", "poll of the contexts", "change of context",
                                             "a row"};
        text->metric = "cycles, less an empty round";
        if (row->part < PEAK_SUBBLOCK)
            snprintf(text->workload, sizeof text->workload, "matmul's T0 alone: %s",
                     probes[row->part]);
        else if (row->part == PEAK_RELOAD)
            snprintf(text->workload, sizeof text->workload,
                     "matmul's T0 alone: four tiles to SrcA, with another MOP and back");
        else
            snprintf(text->workload, sizeof text->workload,
                     "matmul's T0 alone: sub-block of 2x2 BF16 tiles, K %u",
                     row->part - PEAK_SUBBLOCK + 1);
        return;
    }
    text->metric = row->figure >= PER_TILE ? "cycles" : "us at 1.35 GHz";
    snprintf(text->workload, sizeof text->workload,
             "matmul of 5000^3, 110 tiles, %s, %u phase%s, Dst %s, %ux%u, K %u%s: %s",
             peak->fp8 ? "FP8" : "BF16", peak->phases, peak->phases > 1 ? "s" : "",
             peak->wide  ? "FP32"
             : peak->fp8 ? "FP16"
                         : "BF16",
             peak->height, peak->width, peak->block, peak->unsynced ? ", no wait" : "",
             parts[row->figure]);
}

#define FP8(h, w, k, ...) \
    .peak = {.height = h, .width = w, .block = k, .phases = 1, .fp8 = true, __VA_ARGS__}
#define BF16(h, w, k, ...) .peak = {.height = h, .width = w, .block = k, __VA_ARGS__}
#define ROW(name, value, what, ...)                                          \
    {                                                                        \
        .base = {.id = name, .measured = value}, .figure = what, __VA_ARGS__ \
    }
// Total and threads.
#define BOTH(name, total, threads, ...)               \
    {                                                 \
        .base = {.id = name,                          \
                 .measured = total,                   \
                 .others = (const double[]){threads}, \
                 .other_count = 1},                   \
        .figure = TIMES, __VA_ARGS__                  \
    }

// The published cycles of a sub-block (B0654 to B0662) are the time of the threads in another unit.
// The total of B0654 is that of B0669; B0655 to B0658 write c as B0669 and B0670 do.
static const struct row rows[] = {
    ROW("B0654", 617, THREADS, FP8(2, 4, 10)),
    ROW("B0655", 611, THREADS, FP8(1, 8, 10)),
    ROW("B0656", 838, THREADS, FP8(2, 2, 10)),
    ROW("B0657", 633, THREADS, FP8(2, 4, 5)),
    ROW("B0658", 610, THREADS, FP8(2, 4, 10, .unsynced = true)),
    BOTH("B0662", 982, 866, BF16(1, 8, 6, .phases = 1, .unsynced = true)),
    ROW("B0663", 75, UNPACKING, FP8(2, 4, 10, .counters = true)),
    ROW("B0664", 16.3, PER_TILE, FP8(2, 4, 10)),
    ROW("B0667", 55, PER_ROW, FP8(2, 2, 10)),
    ROW("B0668", 50, COMMIT, FP8(1, 8, 10)),
    ROW("B0669", 737.42, TOTAL, FP8(2, 4, 10)),
    ROW("B0670", 711.10, TOTAL, FP8(1, 8, 10, .unsynced = true)),
    ROW("B0676", 1283.87, TOTAL, FP8(2, 2, 4, .wide = true)),
    ROW("B0677", 977.98, TOTAL, FP8(1, 4, 4)),
    ROW("B0678", 1369.56, TOTAL, BF16(2, 4, 6, .phases = 2)),
    ROW("B0680", 617.57, MATH, FP8(2, 4, 10)),
    ROW("B0681", 618.02, PACK, FP8(2, 4, 10)),
    ROW("B0682", 119.32, TAIL, FP8(2, 4, 10)),
    ROW("B0684", 176.52, WRITER, FP8(2, 4, 10)),
    ROW("B0708", 74.6, PROBE, .part = PEAK_SUBBLOCK),
    ROW("B0709", 149.9, PROBE, .part = PEAK_SUBBLOCK + 1),
    ROW("B0710", 224.5, PROBE, .part = PEAK_SUBBLOCK + 2),
    ROW("B0711", 300.0, PROBE, .part = PEAK_SUBBLOCK + 3),
    ROW("B0712", 375.4, PROBE, .part = PEAK_SUBBLOCK + 4),
    {.base = {.id = "B0713",
              .measured = 487.4,
              .cause = "not known: 37 cycles above the card's own line through B0708 to B0712; the "
                       "loop's code "
                       "is 2.2 KiB, and its cache holds 4 KiB by other rows"},
     .figure = PROBE,
     .part = PEAK_SUBBLOCK + 5},
    ROW("B0714", 51.3, PROBE, .part = PEAK_ROW),
    ROW("B0715", 273.9, PROBE, .part = PEAK_RELOAD),
    ROW("B0716", 4.2, PROBE, .part = PEAK_POLL),
    ROW("B0717", 9.5, PROBE, .part = PEAK_FLIP),
};

const struct ts_silicon_family ts_silicon_matmuls = {
    .name = "matmuls",
    .title = "matmuls over 110 tiles of a card, and T0 of one alone",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.05,
    .p90 = 0.15,
};
