// Truth table: complete kernels on one tile.
//
//   RMSNorm    1024 to 4096 BF16 values from L1 to L1 (rmsnorm.h), in all the ways that its authors
//              timed; and its parts
//   triangle   a matmul's threads around one or four BF16 tiles (triangle.h)
#include "platform/study/silicon/rmsnorm.h"
#include "platform/study/silicon/triangle.h"

#include <stdio.h>

struct row {
    struct ts_silicon_row base;
    struct rmsnorm norm;
    struct rmsnorm second; // of the second figure; no tiles: there is none
    enum triangle_part part;
    unsigned side; // of a triangle; 0: an RMSNorm
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    if (row->side) {
        simulated[0] = triangle_run(row->side, row->part, context, error);
        return;
    }
    simulated[0] = rmsnorm_run(&row->norm, context, error);
    if (row->second.tiles)
        simulated[1] = rmsnorm_run(&row->second, context, error);
}

#define NORM(count, how, ...)                              \
    {                                                      \
        .tiles = count, .math = RMSNORM_##how, __VA_ARGS__ \
    }
#define HYBRID(count, how, next, ...) \
    NORM(count, HYBRID, .squares = RMSNORM_##how, .feed = RMSNORM_##next, __VA_ARGS__)
#define ROW(name, value, ...)                                        \
    {                                                                \
        .base = {.id = name, .measured = value}, .norm = __VA_ARGS__ \
    }
#define TWO(name, value, other, one, ...)           \
    {                                               \
        .base = {.id = name,                        \
                 .measured = value,                 \
                 .others = (const double[]){other}, \
                 .other_count = 1},                 \
        .norm = one, .second = __VA_ARGS__          \
    }
#define TOTAL   .phases = 4, .part = RMSNORM_TOTAL
#define COMPUTE .phases = 4, .part = RMSNORM_COMPUTE
#define PACK    .phases = 4, .part = RMSNORM_PACK
#define HIFI3   .phases = 3
#define PLAIN   .plain = true, .feed = RMSNORM_AHEAD
#define TRIANGLE(name, value, tiles, what)                                              \
    {                                                                                   \
        .base = {.id = name, .measured = value}, .side = tiles, .part = TRIANGLE_##what \
    }

static const struct row rows[] = {
    ROW("B0614", 193, HYBRID(1, MACROS, AHEAD, PACK)),
    ROW("B0620", 417, HYBRID(3, MACROS, AHEAD, PACK)),
    ROW("B0623", 529, HYBRID(4, MACROS, AHEAD, PACK)),
    ROW("B0632", 305, HYBRID(2, PAIRS, AHEAD, PACK, .plain = true)),
    ROW("B0613", 786, HYBRID(1, MACROS, AHEAD, TOTAL)),
    ROW("B0622", 1525, HYBRID(4, MACROS, AHEAD, TOTAL)),
    ROW("B0615", 1085, HYBRID(2, MACROS, STRICT, TOTAL)),
    ROW("B0618", 1379, HYBRID(3, MACROS, STRICT, TOTAL)),
    ROW("B0621", 1686, HYBRID(4, MACROS, STRICT, TOTAL)),
    ROW("B0610", 793.5, HYBRID(1, MACROS, LOOSE, TOTAL)),
    ROW("B0611", 1041, HYBRID(2, MACROS, LOOSE, TOTAL)),
    ROW("B0589", 864.5, HYBRID(1, BY_T0, LOOSE, TOTAL)),
    ROW("B0590", 870.5, HYBRID(1, BY_T2, LOOSE, TOTAL)),
    ROW("B0591", 1118, HYBRID(2, PAIRS, LOOSE, TOTAL)),
    ROW("B0597", 1600, HYBRID(2, PAIRS, FRESH, TOTAL, .exported = true)),
    ROW("B0598", 834, HYBRID(1, PAIRS, FRESH, TOTAL)),
    ROW("B0601", 1122, HYBRID(2, PAIRS, LOOSE, TOTAL)),
    ROW("B0602", 837, HYBRID(1, SERIAL, LOOSE, TOTAL)),
    ROW("B0604", 1174.5, HYBRID(1, BETWEEN, LOOSE, TOTAL)),
    ROW("B0605", 1796, HYBRID(2, BETWEEN, LOOSE, TOTAL)),
    ROW("B0609", 1105, HYBRID(2, PAIRS, LOOSE, TOTAL)),
    TWO("B0624", 1055, 1102, HYBRID(2, MACROS, AHEAD, TOTAL),
        HYBRID(2, MACROS, AHEAD, TOTAL, .mop = true)),
    TWO("B0625", 356, 403, HYBRID(2, MACROS, AHEAD, COMPUTE),
        HYBRID(2, MACROS, AHEAD, COMPUTE, .mop = true)),
    TWO("B0626", 1547.5, 1595, HYBRID(4, MACROS, AHEAD, TOTAL),
        HYBRID(4, MACROS, AHEAD, TOTAL, .mop = true)),
    ROW("B0631", 911, HYBRID(2, PAIRS, AHEAD, COMPUTE, .plain = true)),
    ROW("B0634", 1330, HYBRID(2, PAIRS, AHEAD, TOTAL, .plain = true)),
    ROW("B0635", 1111, HYBRID(2, MACROS, AHEAD, TOTAL, .setup = true)),
    ROW("B0638", 1056.5, HYBRID(2, MACROS, AHEAD, TOTAL)),
    ROW("B0639", 1030.5, HYBRID(2, MACROS, AHEAD, HIFI3)),
    TWO("B0640", 1547, 1513.5, HYBRID(4, MACROS, AHEAD, TOTAL), HYBRID(4, MACROS, AHEAD, HIFI3)),
    ROW("B0594", 1369, NORM(1, PORT, .feed = RMSNORM_FRESH, .exported = true)),
    ROW("B0595", 2141.5, NORM(2, PORT, .feed = RMSNORM_FRESH, .exported = true)),
    ROW("B0607", 1563, NORM(2, PORT, .feed = RMSNORM_LOOSE)),
    ROW("B0628", 1471, NORM(2, VECTOR, PLAIN)),
    ROW("B0630", 1084.5, NORM(2, VECTOR, PLAIN, .part = RMSNORM_COMPUTE)),
    TRIANGLE("B0702", 19, 1, ISSUE),
    TRIANGLE("B0703", 90, 1, LATENCY),
    TRIANGLE("B0704", 147, 1, ROUNDS),
    TRIANGLE("B0706", 187, 2, LATENCY),
    TRIANGLE("B0707", 244, 2, ROUNDS),
    ROW("B0633", 1508.5, NORM(2, VECTOR, PLAIN)),
};

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const maths[] = {"vector unit by MOPs", "vector unit", "matrix and vector"};
    static const char *const squares[] = {
        "", ", one after the other", ", interleaved", ", T0 too", ", T2 too", ", macros"};
    static const char *const feeds[] = {", configured each time", "", ", one tile at a time",
                                        ", next tile ahead"};
    static const char *const parts[] = {"", ": unpack and math", ": pack"};
    const struct row *row = (const struct row *)base;
    const struct rmsnorm *n = &((const struct row *)base)->norm;
    static const char *const ends[] = {"", "issue", "latency", "two rounds"};
    text->metric = "cycles";
    if (row->side) {
        snprintf(text->workload, sizeof text->workload,
                 "matmul threads on %u tiles, BF16 HiFi2: %s, less an empty round",
                 row->side * row->side, ends[row->part]);
        return;
    }
    bool hybrid = n->math == RMSNORM_HYBRID;
    const struct rmsnorm *second = &((const struct row *)base)->second;
    snprintf(text->workload, sizeof text->workload, "RMSNorm %u, %s%s%s%s%s%s%s%s", 1024 * n->tiles,
             maths[n->math], hybrid ? squares[n->squares] : "", feeds[n->feed],
             n->phases == 3 ? ", HiFi3" : "", n->exported ? ", scale exported" : "",
             n->setup ? ", with set-up" : "", parts[n->part],
             second->mop     ? "; products by a MOP"
             : second->tiles ? "; HiFi3"
                             : "");
    text->metric = "cycles";
}

const struct ts_silicon_family ts_silicon_kernels = {
    .name = "kernels",
    .title = "whole kernels on one tile",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.05,
    .p90 = 0.15,
    .groups = "riscv tensix",
};
