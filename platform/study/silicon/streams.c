// Truth table: streams between L1s that run alone, side by side, over one link or into one tile.
//
// The loops are the reports' own assembler: 27 cycles for a write, 29 for a read, 36 for an
// increment (B0805, B0806, B0904). A region begins one loop before the first request leaves the
// core, and ends with a poll and a read of the clock: START. The card's columns 6 and 15 are
// harvested; coordinates are raw ones of NoC 0.
#include "platform/study/silicon/flow.h"

#define WRITE_LOOP     27
#define READ_LOOP      29
#define INCREMENT_LOOP 36
#define START          40
#define EMPTY          (256 * 4.26) // the empty loop that the stream sweep subtracts
#define KIB16          16384

#define W(n, bx, by_, ax, ay, packets)                                                \
    {                                                                                 \
        .op = FLOW_WRITE, .noc = n, .by = {bx, by_}, .at = {ax, ay}, .length = KIB16, \
        .count = packets, .gap = WRITE_LOOP, .vc = 1                                  \
    }
#define P(n, bx, by_, ax, ay, packets, channel)                                        \
    {                                                                                  \
        .op = FLOW_POSTED, .noc = n, .by = {bx, by_}, .at = {ax, ay}, .length = KIB16, \
        .count = packets, .gap = WRITE_LOOP, .vc = channel                             \
    }
#define R(n, bx, by_, ax, ay, packets)                                               \
    {                                                                                \
        .op = FLOW_READ, .noc = n, .by = {bx, by_}, .at = {ax, ay}, .length = KIB16, \
        .count = packets, .gap = READ_LOOP, .vc = 1                                  \
    }
#define SEEN_W(n, bx, by_, ax, ay, packets, bytes)                                    \
    {                                                                                 \
        .op = FLOW_WRITE, .noc = n, .by = {bx, by_}, .at = {ax, ay}, .length = bytes, \
        .count = packets, .gap = WRITE_LOOP, .vc = 1, .watch = FLOW_WATCH_LAST        \
    }
#define SEEN_P(bx, by_, ax, ay)                                                           \
    {                                                                                     \
        .op = FLOW_POSTED, .by = {bx, by_}, .at = {ax, ay}, .length = KIB16, .count = 16, \
        .gap = WRITE_LOOP, .vc = 1, .watch = FLOW_WATCH_LAST                              \
    }
#define VICTIM(p)                                                                     \
    {                                                                                 \
        .op = FLOW_WRITE, .by = {1, 4}, .at = {16, 4}, .length = KIB16, .count = 128, \
        .gap = WRITE_LOOP, .vc = 1, .priority = p                                     \
    }
#define BACK(bx, ax, p)                                                                \
    {                                                                                  \
        .op = FLOW_WRITE, .by = {bx, 4}, .at = {ax, 4}, .length = KIB16, .count = 128, \
        .gap = WRITE_LOOP, .vc = 1, .priority = p                                      \
    }
#define FLOWS(n, ...)                                          \
    .chip = "p100", .count = n, .flows = (const struct flow[]) \
    {                                                          \
        __VA_ARGS__                                            \
    }

// 256 x 16 KiB between two tiles, the empty loop subtracted.
#define SWEEP(name, read, write, n, bx, ax)                                     \
    {.row = {.id = name " read", .measured = read},                             \
     .figure = FLOW_REGION,                                                     \
     .plus = START - EMPTY,                                                     \
     FLOWS(1, R(n, bx, 2, ax, 2, 256))},                                        \
    {                                                                           \
        .row = {.id = name " write", .measured = write}, .figure = FLOW_REGION, \
        .plus = START - EMPTY, FLOWS(1, W(n, bx, 2, ax, 2, 256))                \
    }
// One core that reads and writes, 64 x 16 KiB each.
#define TWIN(name, value, n, first, fx, fy, second, sx, sy)                           \
    {                                                                                 \
        .row = {.id = name, .measured = value}, .figure = FLOW_REGION, .plus = START, \
        FLOWS(1, {.op = first,                                                        \
                  .noc = n,                                                           \
                  .by = {1, 2},                                                       \
                  .at = {fx, fy},                                                     \
                  .length = KIB16,                                                    \
                  .count = 64,                                                        \
                  .gap = WRITE_LOOP,                                                  \
                  .vc = 1,                                                            \
                  .twin = true,                                                       \
                  .twin_op = second,                                                  \
                  .twin_at = {sx, sy}})                                               \
    }
#define PRIORITY(name, value, victim, background)                                     \
    {                                                                                 \
        .row = {.id = name, .measured = value}, .figure = FLOW_REGION, .plus = START, \
        FLOWS(4, VICTIM(victim), BACK(4, 10, background), BACK(5, 11, background),    \
              BACK(7, 12, background))                                                \
    }
#define CUT2(a, b)             P(0, 5, 4, 14, 4, 16, a), P(0, 7, 4, 16, 4, 16, b)
#define CUT4(a, b, c, d)       P(0, 3, 4, 12, 4, 16, a), P(0, 4, 4, 13, 4, 16, b), CUT2(c, d)
#define CUT6(a, b, c, d, e, f) P(0, 1, 4, 10, 4, 16, a), P(0, 2, 4, 11, 4, 16, b), CUT4(c, d, e, f)
#define STRESS(name, value, n, flows)                                                 \
    {                                                                                 \
        .row = {.id = name, .measured = value}, .figure = FLOW_WINDOW, .plus = START, \
        FLOWS(n, flows)                                                               \
    }
#define RATE(name, value, kind, which, ...)                                                   \
    {                                                                                         \
        .row = {.id = name, .measured = value}, .figure = kind, .pick = which, .plus = START, \
        __VA_ARGS__                                                                           \
    }

// --- flows by number ---

static const uint8_t live[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 16};

// Senders of row 4, near to far, into the tile at its end: 64 of the 256 packets.
static unsigned make_ladder(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++)
        flows[i] = (struct flow){.op = FLOW_WRITE,
                                 .noc = row->noc,
                                 .by = {live[row->noc ? 1 + i : 10 - i], 4},
                                 .at = {row->noc ? 1 : 16, 4},
                                 .length = KIB16,
                                 .count = row->requests,
                                 .gap = WRITE_LOOP,
                                 .vc = 1,
                                 .watch = row->figure == FLOW_SEENS ? FLOW_WATCH_FIRST : 0};
    return row->cores;
}

// Neighbours in a row, in pairs: row by row. 64 x 16 KiB.
static unsigned make_pairs(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++)
        flows[i] = (struct flow){.op = FLOW_WRITE,
                                 .by = {live[i % 6 * 2], (uint8_t)(2 + i / 6)},
                                 .at = {live[i % 6 * 2 + 1], (uint8_t)(2 + i / 6)},
                                 .length = KIB16,
                                 .count = 64,
                                 .gap = WRITE_LOOP,
                                 .vc = 1};
    return row->cores;
}

// Six streams over one link.
static unsigned make_shared(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < 6; i++) {
        unsigned from = i, to = i + 6;
        flows[i] = (struct flow){.op = FLOW_WRITE,
                                 .noc = row->noc,
                                 .by = {live[row->noc ? to : from], 4},
                                 .at = {live[row->noc ? from : to], 4},
                                 .length = KIB16,
                                 .count = 64,
                                 .gap = WRITE_LOOP,
                                 .vc = 1};
    }
    return 6;
}

// Tiles of a row increment a word of the one at its end, nearest first.
static unsigned make_increments(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++)
        flows[i] = (struct flow){.op = FLOW_INCREMENT,
                                 .noc = row->noc,
                                 .by = {live[row->noc ? 1 + i : 10 - i], 4},
                                 .at = {row->noc ? 1 : 16, 4},
                                 .length = 4,
                                 .count = row->requests,
                                 .gap = row->length,
                                 .vc = 1};
    return row->cores;
}

#define LADDER(name, n, k, value, list)                                                  \
    {                                                                                    \
        .row = {.id = name, .measured = value, .others = list, .other_count = (k)-1},    \
        .chip = "p100", .figure = FLOW_RATES, .make = make_ladder, .noc = n, .cores = k, \
        .requests = 64, .cut = 4, .text = "senders of a row"                             \
    }
#define PAIRS(name, value, k, why)                                                                 \
    {                                                                                              \
        .row = {.id = name, .measured = value, .cause = why}, .chip = "p100", .figure = FLOW_RATE, \
        .plus = START, .make = make_pairs, .cores = k, .text = "neighbours"                        \
    }
#define SHARED(name, value, n)                                                       \
    {                                                                                \
        .row = {.id = name, .measured = value}, .chip = "p100", .figure = FLOW_RATE, \
        .plus = START, .make = make_shared, .noc = n, .text = "over one link"        \
    }
#define SUM(name, value, n, k, loop, times)                                               \
    {                                                                                     \
        .row = {.id = name, .measured = value}, .chip = "p100", .figure = FLOW_PER_OP,    \
        .make = make_increments, .noc = n, .cores = k, .length = loop, .requests = times, \
        .plus = -150, .text = "one word incremented"                                      \
    }

static const double b0857[] = {31.449};
static const double b0858[] = {21.015, 21.042};
static const double b0860[] = {21.088, 15.812, 12.644, 12.634};
static const double b0861[] = {21.086, 15.812, 12.660, 10.544, 10.538};
static const double b0863[] = {21.104, 15.821, 12.656, 10.547, 9.041, 7.903, 7.907};
static const double b0866[] = {21.041, 15.781, 12.631, 10.530, 9.028,
                               7.902,  7.023,  6.321,  5.747,  5.749};
static const double b0867[] = {31.453};
static const double b0868[] = {21.091, 21.064};
static const double b0869[] = {21.013, 15.759, 15.744};
static const double b0870[] = {21.104, 15.826, 12.650, 12.640};
static const double b0871[] = {21.071, 15.792, 12.627, 10.522, 10.516};
static const double b0872[] = {21.081, 15.807, 12.651, 10.537, 9.029, 9.024};
static const double b0874[] = {781, 1184, 2283, 4312, 8496};

#define SKEW "the cores of the card start up to 600 cycles apart, those of a script together"

// clang-format off
static const struct flow_row rows[] = {
    SWEEP("B0824", 65767, 64980, 0, 2, 1),
    SWEEP("B0825", 65751, 64980, 0, 5, 1),
    SWEEP("B0826", 65758, 64988, 0, 11, 1),
    SWEEP("B0827", 65826, 66375, 1, 1, 1),
    SWEEP("B0828", 66538, 65015, 1, 2, 1),
    SWEEP("B0829", 65771, 64999, 1, 7, 1),
    SWEEP("B0830", 66764, 64988, 0, 1, 2),
    SWEEP("B0831", 66796, 65055, 0, 1, 7),
    SWEEP("B0832", 66140, 65748, 1, 16, 14),
    SWEEP("B0833", 65771, 65007, 1, 16, 10),
    RATE("B0834", 16882, FLOW_REGION, 0, FLOWS(1, R(0, 1, 2, 2, 2, 64))),
    RATE("B0834 NoC 1", 16904, FLOW_REGION, 0, FLOWS(1, R(1, 1, 2, 2, 2, 64))),
    RATE("B0835", 16917, FLOW_REGION, 0, FLOWS(1, W(0, 1, 2, 1, 3, 64))),
    RATE("B0835 NoC 1", 16742, FLOW_REGION, 0, FLOWS(1, W(1, 1, 2, 1, 3, 64))),
    TWIN("B0836", 17485, 0, FLOW_WRITE, 1, 3, FLOW_READ, 2, 2),
    TWIN("B0836 NoC 1", 17397, 1, FLOW_WRITE, 1, 3, FLOW_READ, 2, 2),
    TWIN("B0837", 17220, 0, FLOW_READ, 2, 2, FLOW_WRITE, 1, 3),
    TWIN("B0837 NoC 1", 17149, 1, FLOW_READ, 2, 2, FLOW_WRITE, 1, 3),
    RATE("B0839", 63.512, FLOW_RATE, 0, FLOWS(2, R(0, 4, 4, 1, 4, 64), W(0, 2, 4, 5, 4, 64))),
    RATE("B0841", 63.446, FLOW_RATE, 0, FLOWS(2, R(1, 1, 4, 4, 4, 64), W(1, 5, 4, 2, 4, 64))),
    SHARED("B0843", 62.302, 0),
    SHARED("B0845", 62.295, 1),
    PAIRS("B0850", 61.184, 1, NULL),
    PAIRS("B0851", 122.126, 2, NULL),
    PAIRS("B0852", 241.802, 4, NULL),
    PAIRS("B0854", 891.362, 16, SKEW),
    PAIRS("B0855", 1778.943, 32, SKEW),
    LADDER("B0857", 0, 2, 31.506, b0857),
    LADDER("B0858", 0, 3, 31.588, b0858),
    LADDER("B0860", 0, 5, 31.636, b0860),
    LADDER("B0861", 0, 6, 31.618, b0861),
    LADDER("B0863", 0, 8, 31.639, b0863),
    LADDER("B0866", 0, 11, 31.553, b0866),
    LADDER("B0867", 1, 2, 31.510, b0867),
    LADDER("B0868", 1, 3, 31.693, b0868),
    LADDER("B0869", 1, 4, 31.519, b0869),
    LADDER("B0870", 1, 5, 31.641, b0870),
    LADDER("B0871", 1, 6, 31.622, b0871),
    LADDER("B0872", 1, 7, 31.618, b0872),
    {.row = {.id = "B0874", .measured = 467, .others = b0874, .other_count = 5,
             .cause = "the card's senders start up to 100 cycles apart"}, .chip = "p100",
     .figure = FLOW_SEENS, .plus = 120, .make = make_ladder, .cores = 8, .requests = 64,
     .text = "first packets of the senders of a row"},
    RATE("B0876", 34004, FLOW_REGION, 0, FLOWS(1, VICTIM(1))),
    PRIORITY("B0877", 134038, 1, 1),
    PRIORITY("B0879", 34001, 2, 1),
    PRIORITY("B0880", 134364, 8, 8),
    PRIORITY("B0881", 33834, 9, 8),
    PRIORITY("B0883", 33990, 15, 8),
    STRESS("B0884", 7930, 2, CUT2(1, 1)),
    STRESS("B0886", 7757, 2, CUT2(0, 1)),
    STRESS("B0887", 16339, 4, CUT4(1, 1, 1, 1)),
    STRESS("B0889", 15659, 4, CUT4(0, 1, 2, 3)),
    STRESS("B0890", 24740, 6, CUT6(1, 1, 1, 1, 1, 1)),
    RATE("B0893", 60.886, FLOW_RATE_OF, 0, FLOWS(1, W(0, 16, 2, 1, 2, 32))),
    RATE("B0894", 60.942, FLOW_RATE_OF, 0, FLOWS(1, W(0, 10, 2, 16, 2, 32))),
    RATE("B0895", 60.215, FLOW_RATE_OF, 0, FLOWS(1, W(0, 1, 2, 4, 5, 32))),
    RATE("B0896", 30.824, FLOW_RATE_OF, 0, FLOWS(2, W(0, 1, 2, 4, 5, 32), W(0, 2, 2, 5, 2, 32))),
    RATE("B0897", 59.843, FLOW_RATE_OF, 0, FLOWS(2, W(0, 1, 2, 4, 5, 32), W(0, 1, 3, 1, 6, 32))),
    {.row = {.id = "B0898", .measured = 105.363, .cause = SKEW}, .figure = FLOW_SEEN_RATE,
     .plus = START, FLOWS(2, SEEN_P(10, 10, 12, 10), SEEN_P(11, 9, 11, 11))},
    RATE("B0899", 61.12, FLOW_SEEN_RATE, 0, FLOWS(2, SEEN_P(1, 2, 5, 10), SEEN_P(2, 2, 5, 11))),
    RATE("B0900", 59.864, FLOW_SEEN_RATE, 0, FLOWS(1, SEEN_P(10, 10, 12, 10))),
    RATE("B0901", 109.96, FLOW_RATE, 0, FLOWS(2, W(0, 1, 4, 4, 4, 8), W(1, 11, 4, 4, 4, 8))),
    RATE("B0902", 110.843, FLOW_RATE, 0, FLOWS(2, W(0, 4, 4, 10, 4, 8), W(1, 4, 4, 1, 4, 8))),
    RATE("B0820", 503, FLOW_REGION, 0, FLOWS(1, W(0, 1, 2, 2, 2, 1))),
    {.row = {.id = "B0820 seen", .measured = 363, .cause = "the receiver's loop and clock reads, about 40 cycles, are in the card's value"},
     .figure = FLOW_SEEN, .plus = START, FLOWS(1, SEEN_W(0, 1, 2, 2, 2, 1, KIB16))},
    RATE("B0821", 17133, FLOW_REGION, 0, FLOWS(1, W(0, 1, 2, 2, 2, 64))),
    RATE("B0821 seen", 16980, FLOW_SEEN, 0, FLOWS(1, SEEN_W(0, 1, 2, 2, 2, 64, KIB16))),
    RATE("B0822", 17130, FLOW_REGION, 0, FLOWS(1, W(1, 1, 2, 2, 2, 64))),
    RATE("B0822 seen", 17129, FLOW_SEEN, 0, FLOWS(1, SEEN_W(1, 1, 2, 2, 2, 64, KIB16))),
    RATE("B0990", 4462, FLOW_REGION, 0, FLOWS(1, SEEN_W(0, 1, 4, 7, 4, 16, KIB16))),
    RATE("B0990 posted", 4278, FLOW_REGION, 0, FLOWS(1, P(0, 1, 4, 7, 4, 16, 1))),
    SUM("B0904", 36.05, 0, 1, INCREMENT_LOOP, 256),
    SUM("B0905", 18.21, 0, 2, INCREMENT_LOOP, 256),
    SUM("B0906", 12.69, 0, 4, INCREMENT_LOOP, 256),
    SUM("B0907", 12.61, 0, 8, INCREMENT_LOOP, 256),
    SUM("B0908", 12.06, 0, 8, INCREMENT_LOOP, 256),
    SUM("B0909", 12.39, 1, 8, INCREMENT_LOOP, 256),
    SUM("B0913", 29.56, 0, 1, 29, 256),
    SUM("B0915", 12.24, 0, 8, 29, 64),
    SUM("B0916", 28.58, 1, 1, 29, 256),
    SUM("B0917", 12.09, 1, 8, 29, 64),
};
// clang-format on

static const struct ts_silicon_left left[] = {
    {"B0891", "B0892",
     "unicasts on channels 4 and 5, which the specification keeps for multicasts"},
    {0},
};

const struct ts_silicon_family ts_silicon_streams = {
    .name = "streams",
    .title = "networks: streams, merges, channels, increments",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = flow_run_row,
    .describe = flow_describe,
    .median = 0.04,
    .p90 = 0.10,
    .groups = "noc",
    .left = left,
};
