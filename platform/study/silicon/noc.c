// Truth table: the networks.
//
//   TRIP       round trips by a modelled core (trip.h)
//   BENCH      nocbench: 64 writes or reads by up to two masters, first issue to last answer
//   MULTICAST  issue to data seen at the first receiver
//   FLUSHED    bandwidth of multicasts with a flush after each
//   MERGE      the senders of a row write 256 x 16 KiB each into the tile at the row's end
//   ATOMIC     tiles increment one word
// Streams are scripts with the pace of the published issue loops.
#include "platform/study/silicon/trip.h"

#include <math.h>
#include <stdio.h>

#define WRITE_LOOP  23 // cycles of a core's write loop, NOC-051
#define ATOMIC_LOOP 32
#define POLL        12 // of the receiver's loop, in the card's values of a multicast

enum kind { TRIP, BENCH, MULTICAST, FLUSHED, MERGE, ATOMIC };

struct row {
    struct ts_silicon_row base;
    enum kind kind;
    unsigned noc;
    struct ts_noc_xy from[2], to[2]; // of up to two masters
    unsigned timed;                  // the master
    bool read, reserve;
    uint32_t length;
    unsigned count; // senders
};

static double bench(const struct row *row, const struct ts_silicon_context *context,
                    struct ts_error *error)
{
    struct rig *rig = rig_new("p150", context, error);
    struct ts_traffic_op ops[2][2];
    for (unsigned m = 0; m < row->count && error->code == TS_OK; m++) {
        struct ts_noc_xy by = row->from[m], to = row->to[m];
        ops[m][0] = row->read
                        ? ts_traffic_read(&rig->chip, 0, by, to, 0x20000, 0x40000, row->length)
                        : ts_traffic_write(&rig->chip, 0, by, to, 0x20000, 0x40000, row->length, 1,
                                           false);
        ops[m][0].count = 64;
        ops[m][0].gap = row->read ? 47 : 35;
        ops[m][1] = rig_barrier();
        rig_drive(rig, by, ops[m], 2);
    }
    double cycles = rig_run(rig, 1000000)
                        ? (double)(ops[row->timed][1].ended - ops[row->timed][0].started)
                        : NAN;
    rig_free(rig);
    return cycles;
}

static double multicast(const struct row *row, const struct ts_silicon_context *context,
                        struct ts_error *error)
{
    struct rig *rig = rig_new("p150", context, error);
    struct ts_noc_xy from = row->from[0], first = at(from.x + 1u, from.y), last = row->to[0];
    uint32_t ctrl = row->reserve ? TS_NOC_CTRL_PATH_RESERVE : 0, mark = 0x12345678;
    struct ts_traffic_op ops[80];
    unsigned count = row->kind == FLUSHED ? 40 : 1;
    size_t n = 0;
    for (unsigned i = 0; i < count && error->code == TS_OK; i++) {
        ops[n] = ts_traffic_multicast(&rig->chip, row->noc, from, first, last, 0x20000, 0x40000,
                                      row->length, ctrl);
        ops[n].gap = 150; // the harness needs about 75 cycles after its wait (M2-NOC-008)
        n++;
        ops[n++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_SENT, .gap = 8};
    }
    struct ts_traffic_op wait = {
        .kind = TS_TRAFFIC_WORD, .address = 0x40000 + row->length - 4, .value = mark, .gap = 1};
    double result = NAN;
    if (error->code == TS_OK &&
        ts_chip_write(&rig->chip, from, 0x20000 + row->length - 4, &mark, 4, error) == TS_OK) {
        rig_drive(rig, from, ops, n);
        rig_drive(rig, first, &wait, 1);
        if (rig_run(rig, 1000000))
            result = row->kind == MULTICAST ? (double)(wait.ended - ops[0].started) + POLL
                                            : (double)count * row->length /
                                                  (double)(ops[n - 1].ended - ops[0].started);
    }
    rig_free(rig);
    return result;
}

static void merge(const struct row *row, const struct ts_silicon_context *context,
                  double *simulated, struct ts_error *error)
{
    static const unsigned columns[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 16};
    enum { PACKETS = 256 };
    struct rig *rig = rig_new("p100", context, error);
    struct ts_traffic_op ops[16][2];
    // NoC 0 flows right: the target is the last column, the nearest sender the one before it.
    for (unsigned i = 0; i < row->count && error->code == TS_OK; i++) {
        unsigned x = columns[row->noc == 0 ? 10 - i : 1 + i], to = columns[row->noc == 0 ? 11 : 0];
        ops[i][0] = ts_traffic_write(&rig->chip, row->noc, at(x, 2), at(to, 2), 0x20000, 0x40000,
                                     16384, 1, false);
        ops[i][0].count = PACKETS;
        ops[i][0].gap = WRITE_LOOP;
        ops[i][1] = rig_barrier();
        rig_drive(rig, at(x, 2), ops[i], 2);
    }
    if (rig_run(rig, 100000000))
        for (unsigned i = 0; i < row->count; i++)
            simulated[i] = PACKETS * 16384.0 / (double)(ops[i][1].ended - ops[i][0].started);
    rig_free(rig);
}

// `count` tiles increment one word 512 times each; cycles per operation at the target.
static double atomics(const struct row *row, const struct ts_silicon_context *context,
                      struct ts_error *error)
{
    enum { TIMES = 512 };
    struct rig *rig = rig_new("p150", context, error);
    struct ts_traffic_op ops[16][2];
    ts_cycle first = TS_NEVER, last = 0;
    for (unsigned i = 0; i < row->count && error->code == TS_OK; i++) {
        struct ts_noc_xy by = at(1, 3 + i);
        ops[i][0] = ts_traffic_increment(&rig->chip, 0, by, at(1, 2), 0x20004, 0x30000, 1, false);
        ops[i][0].count = TIMES;
        ops[i][0].gap = ATOMIC_LOOP;
        ops[i][1] = rig_barrier();
        rig_drive(rig, by, ops[i], 2);
    }
    uint32_t sum = 0;
    if (rig_run(rig, 10000000) &&
        ts_chip_read(&rig->chip, at(1, 2), 0x20004, &sum, 4, error) == TS_OK &&
        sum != row->count * TIMES)
        ts_fail(error, TS_BUG, "%u increments, not %u", sum, row->count * TIMES);
    if (error->code == TS_OK)
        for (unsigned i = 0; i < row->count; i++) {
            first = ops[i][0].started < first ? ops[i][0].started : first;
            last = ops[i][1].ended > last ? ops[i][1].ended : last;
        }
    rig_free(rig);
    return (double)(last - first - 200) / (row->count * TIMES);
}

// ---- the rows

#define TRIP_(name, n, dx, dy, reads, bytes, value)                      \
    {                                                                    \
        .base = {.id = name, .measured = value}, .kind = TRIP, .noc = n, \
        .to = {{1 + (dx), 2 + (dy)}}, .read = reads, .length = bytes     \
    }
#define BENCH_(name, masters, which, x, y, tx, ty, x2, y2, tx2, ty2, reads, bytes, value)   \
    {                                                                                       \
        .base = {.id = name, .measured = value}, .kind = BENCH, .from = {{x, y}, {x2, y2}}, \
        .to = {{tx, ty}, {tx2, ty2}}, .count = masters, .timed = which, .read = reads,      \
        .length = bytes                                                                     \
    }
#define BENCH1(name, x, y, tx, ty, reads, bytes, value) \
    BENCH_(name, 1, 0, x, y, tx, ty, 0, 0, 0, 0, reads, bytes, value)
#define MULTICAST_(name, how, n, last, bytes, path, value)                                \
    {                                                                                     \
        .base = {.id = name, .measured = value}, .kind = how, .noc = n, .from = {{1, 4}}, \
        .to = {{last, 4}}, .length = bytes, .reserve = path                               \
    }
#define MERGE_(name, n, senders, value, list)                                                \
    {                                                                                        \
        .base = {.id = name, .measured = value, .others = list, .other_count = (senders)-1}, \
        .kind = MERGE, .noc = n, .count = senders                                            \
    }
#define ATOMIC_(name, senders, value)                                             \
    {                                                                             \
        .base = {.id = name, .measured = value}, .kind = ATOMIC, .count = senders \
    }

static const double b0857[] = {31.449};
static const double b0860[] = {21.088, 15.812, 12.644, 12.634};
static const double b0866[] = {21.041, 15.781, 12.631, 10.530, 9.028,
                               7.902,  7.023,  6.321,  5.747,  5.749};
static const double b0872[] = {21.081, 15.807, 12.651, 10.537, 9.029, 9.024};

static const struct row rows[] = {
    TRIP_("B0758", 0, 1, 0, true, 16, 227.117),
    TRIP_("B0760", 1, 1, 0, true, 256, 235.117),
    TRIP_("B0761", 0, 1, 0, true, 1024, 243.117),
    TRIP_("B0762", 1, 1, 0, true, 4096, 291.18),
    TRIP_("B0766", 0, 1, 0, false, 64, 225.117),
    TRIP_("B0768", 1, 1, 0, false, 1024, 241.121),
    TRIP_("B0770", 0, 1, 0, false, 16384, 481.1),
    TRIP_("B0773", 1, 0, 1, true, 64, 187.117),
    TRIP_("B0775", 0, 0, 1, true, 1024, 203.117),
    TRIP_("B0777", 1, 0, 1, true, 16384, 443.1),
    TRIP_("B0780", 0, 0, 1, false, 64, 177.117),
    TRIP_("B0784", 1, 0, 1, false, 16384, 434.055),
    TRIP_("B0786", 0, 1, 1, true, 16, 339.117),
    TRIP_("B0790", 1, 1, 1, true, 4096, 403.117),
    TRIP_("B0791", 0, 1, 1, true, 16384, 595.215),
    TRIP_("B0793", 1, 1, 1, false, 16, 337.117),
    TRIP_("B0797", 0, 1, 1, false, 4096, 400.96),
    TRIP_("B0798", 1, 1, 1, false, 16384, 587.8),
    BENCH1("S0406", 1, 2, 2, 2, false, 4096, 4519),
    BENCH1("S0412", 1, 2, 12, 2, false, 4096, 4491),
    BENCH1("S0414", 1, 2, 1, 3, false, 4096, 4481),
    BENCH1("S0420", 1, 2, 1, 9, false, 4096, 4467),
    BENCH1("S0424", 1, 2, 4, 5, false, 4096, 4620),
    BENCH1("S0429", 1, 2, 13, 10, false, 4096, 4618),
    BENCH1("S0431", 1, 2, 2, 3, false, 512, 2544),
    BENCH1("S0433", 1, 2, 2, 3, false, 16384, 17315),
    BENCH1("S0434", 2, 11, 1, 2, true, 8192, 8873),
    BENCH_("S0435", 2, 0, 2, 11, 1, 2, 3, 10, 1, 2, true, 8192, 16815),
    BENCH_("S0436", 2, 1, 2, 11, 1, 2, 3, 10, 1, 2, true, 8192, 17237),
    BENCH_("S0437", 2, 0, 15, 2, 6, 3, 6, 2, 14, 4, false, 64, 2546),
    BENCH_("S0438", 2, 1, 15, 2, 6, 3, 6, 2, 14, 4, false, 64, 2556),
    BENCH_("S0457", 2, 0, 15, 2, 6, 3, 4, 2, 12, 4, false, 16384, 32831),
    BENCH_("S0458", 2, 1, 15, 2, 6, 3, 4, 2, 12, 4, false, 16384, 33298),
    BENCH_("S0461", 2, 0, 15, 2, 6, 3, 11, 2, 2, 4, false, 16384, 33671),
    BENCH_("S0462", 2, 1, 15, 2, 6, 3, 11, 2, 2, 4, false, 16384, 33777),
    MULTICAST_("B0942", MULTICAST, 0, 2, 64, false, 45),
    MULTICAST_("B0942 reserved", MULTICAST, 0, 2, 64, true, 62.5),
    MULTICAST_("B0945", MULTICAST, 1, 2, 16, false, 178),
    MULTICAST_("B0945 reserved", MULTICAST, 1, 2, 16, true, 407),
    MULTICAST_("B0947", MULTICAST, 1, 2, 16384, false, 442),
    MULTICAST_("B0949", FLUSHED, 0, 3, 16384, true, 42.742),
    MULTICAST_("B0950", FLUSHED, 0, 5, 16384, true, 40.021),
    MERGE_("B0857", 0, 2, 31.506, b0857),
    MERGE_("B0860", 0, 5, 31.636, b0860),
    MERGE_("B0866", 0, 11, 31.553, b0866),
    MERGE_("B0872", 1, 7, 31.618, b0872),
    ATOMIC_("B0906", 4, 12.69),
    ATOMIC_("B0907", 8, 12.61),
    ATOMIC_("B0908", 8, 12.06),
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    switch (row->kind) {
    case TRIP:
        *simulated = trip_cycles(context, row->noc, row->to[0], row->read, row->length, error);
        break;
    case BENCH:
        *simulated = bench(row, context, error);
        break;
    case MULTICAST:
    case FLUSHED:
        *simulated = multicast(row, context, error);
        break;
    case MERGE:
        merge(row, context, simulated, error);
        break;
    case ATOMIC:
        *simulated = atomics(row, context, error);
        break;
    }
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    const struct row *row = (const struct row *)base;
    const char *verb = row->read ? "read" : "write";
    char *to = text->workload;
    size_t size = sizeof text->workload;
    text->metric = "cycles";
    switch (row->kind) {
    case TRIP:
        snprintf(to, size, "blocking %s of %u B, tile 1-2 and %u-%u, NoC %u", verb, row->length,
                 row->to[0].x, row->to[0].y, row->noc);
        text->metric = "cycles per request";
        break;
    case BENCH:
        snprintf(to, size, "64 %ss of %u B, %u-%u and %u-%u, %u master%s", verb, row->length,
                 row->from[row->timed].x, row->from[row->timed].y, row->to[row->timed].x,
                 row->to[row->timed].y, row->count, row->count > 1 ? "s" : "");
        break;
    case MULTICAST:
        snprintf(to, size, "multicast of %u B to one tile, NoC %u%s, issue to seen", row->length,
                 row->noc, row->reserve ? ", path reserved" : "");
        break;
    case FLUSHED:
        snprintf(to, size, "multicasts of %u B to %u tiles, flushed each", row->length,
                 row->to[0].x - row->from[0].x);
        text->metric = "B per cycle";
        break;
    case MERGE:
        snprintf(to, size, "%u senders of a row write into its last tile, NoC %u", row->count,
                 row->noc);
        text->metric = "B per cycle per sender";
        break;
    case ATOMIC:
        snprintf(to, size, "%u tiles increment one word", row->count);
        text->metric = "cycles per increment";
        break;
    }
}

const struct ts_silicon_family ts_silicon_noc = {
    .name = "noc",
    .title = "networks on chip",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.04,
    .p90 = 0.12,
    .groups = "riscv noc",
};
