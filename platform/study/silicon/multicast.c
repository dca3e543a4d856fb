// Truth table: multicasts, with and without a reserved path.
//
// One tile multicasts along its row or to a rectangle. Times are from issue to the last word seen
// by a receiver, whose loop (load, compare, jump; POLL) is in the card's value, or bandwidths of
// multicasts with a wait after each (its marks, clock reads and registers: ROUND). On NoC 1 the way
// from 1-4 to 2-4 is the long one, 16 hops.
#include "platform/study/silicon/flow.h"

#define RESERVE TS_NOC_CTRL_PATH_RESERVE
#define POLL    15
#define ROUND   150
#define KIB16   16384

#define FLOWS(n, ...)                                          \
    .chip = "p100", .count = n, .flows = (const struct flow[]) \
    {                                                          \
        __VA_ARGS__                                            \
    }
#define M(n, bx, by_, fx, fy, lx, ly, bytes, times, every, how)                              \
    {                                                                                        \
        .op = FLOW_MULTICAST, .noc = n, .by = {bx, by_}, .at = {fx, fy}, .last = {lx, ly},   \
        .length = bytes, .count = times, .gap = ROUND, .vc = 5, .flush = every, .flags = how \
    }
// Issue to last word seen, one receiver.
#define UNICAST(name, value, n, bytes)                                                        \
    {                                                                                         \
        .row = {.id = name " unicast", .measured = value}, .figure = FLOW_SEEN, .plus = POLL, \
        FLOWS(1, {.op = FLOW_WRITE,                                                           \
                  .noc = n,                                                                   \
                  .by = {1, 4},                                                               \
                  .at = {2, 4},                                                               \
                  .length = bytes,                                                            \
                  .count = 1,                                                                 \
                  .gap = 1,                                                                   \
                  .vc = 1,                                                                    \
                  .watch = FLOW_WATCH_LAST})                                                  \
    }
#define SEEN(name, value, n, bytes, how)                                           \
    {                                                                              \
        .row = {.id = name, .measured = value}, .figure = FLOW_SEEN, .plus = POLL, \
        FLOWS(1, {.op = FLOW_MULTICAST,                                            \
                  .noc = n,                                                        \
                  .by = {1, 4},                                                    \
                  .at = {2, 4},                                                    \
                  .last = {2, 4},                                                  \
                  .length = bytes,                                                 \
                  .count = 1,                                                      \
                  .gap = 1,                                                        \
                  .vc = 5,                                                         \
                  .flags = how,                                                    \
                  .watch = FLOW_WATCH_LAST})                                       \
    }
#define ONE(name, unicast, multicast, reserved, n, bytes)                 \
    UNICAST(name, unicast, n, bytes), SEEN(name, multicast, n, bytes, 0), \
        SEEN(name " reserved", reserved, n, bytes, RESERVE)
// Rounds of `depth` linked multicasts, a wait after each round.
#define ROUNDS(name, value, n, last, depth)                            \
    {                                                                  \
        .row = {.id = name, .measured = value}, .figure = FLOW_RATE,   \
        FLOWS(1, M(n, 1, 4, 2, 4, last, 4, KIB16, 40, depth, RESERVE)) \
    }
// Last word seen at one of the receivers, after the packet has left.
#define AFTER(name, value, n, fx, fy, lx, ly, wx, wy)                                      \
    {                                                                                      \
        .row = {.id = name, .measured = value, .cause = PHASE}, .figure = FLOW_SEEN_AFTER, \
        .plus = POLL,                                                                      \
        FLOWS(1, {.op = FLOW_MULTICAST,                                                    \
                  .noc = n,                                                                \
                  .by = {1, 2},                                                            \
                  .at = {fx, fy},                                                          \
                  .last = {lx, ly},                                                        \
                  .length = KIB16,                                                         \
                  .count = 1,                                                              \
                  .gap = 1,                                                                \
                  .vc = 5,                                                                 \
                  .flush = 1,                                                              \
                  .watch = FLOW_WATCH_LAST,                                                \
                  .watcher = {wx, wy}})                                                    \
    }
#define TAGGED(n, bx, fx, fy, lx, ly, how)                                                       \
    {                                                                                            \
        .op = FLOW_MULTICAST, .noc = n, .by = {bx, 2}, .at = {fx, fy}, .last = {lx, ly},         \
        .length = KIB16, .count = 16, .gap = ROUND, .vc = 5, .flush = 1, .tag = 16, .flags = how \
    }
// Two of 16 receivers each: 16 rounds of 16 KiB and 16 B.
#define PAIR(name, value, n, bfx, bfy, blx, bly, how, why)                                      \
    {                                                                                           \
        .row = {.id = name, .measured = value, .cause = why}, .figure = FLOW_RATE, .scale = 16, \
        FLOWS(2, TAGGED(n, 1, 2, 3, 5, 6, how), TAGGED(n, 11, bfx, bfy, blx, bly, how))         \
    }

#define SHARE    "inferred: the card's senders start apart, and its unit of sharing is not published"
#define PHASE    "the phase of the receiver's poll, up to 12 cycles"
#define BACK_OFF "the back-off of a refused reservation is random on the card, constant here"

// clang-format off
static const struct flow_row rows[] = {
    ONE("B0942", 43, 45, 62.5, 0, 64),
    ONE("B0943", 60, 60, 78, 0, 1024),
    ONE("B0945", 180, 178, 407, 1, 16),
    ONE("B0947", 443, 442, 668, 1, 16384),
    ROUNDS("B0949", 42.742, 0, 3, 1),
    ROUNDS("B0950", 40.021, 0, 5, 1),
    ROUNDS("B0951", 32.141, 0, 12, 1),
    ROUNDS("B0953", 28.456, 1, 2, 1),
    ROUNDS("B0954", 28.456, 1, 3, 1),
    ROUNDS("B0955", 28.456, 1, 5, 1),
    ROUNDS("B0958", 32.137, 0, 12, 1),
    ROUNDS("B0959", 41.981, 0, 12, 2),
    ROUNDS("B0960", 49.076, 0, 12, 4),
    ROUNDS("B0961", 28.453, 1, 12, 1),
    ROUNDS("B0962", 38.638, 1, 12, 2),
    ROUNDS("B0963", 46.804, 1, 12, 4),
    PAIR("B0965", 1154.0, 0, 12, 3, 16, 6, 0, NULL),
    PAIR("B0966", 291.7, 0, 4, 5, 10, 8, RESERVE, NULL),
    PAIR("B0967", 760.5, 0, 4, 5, 10, 8, 0, SHARE),
    PAIR("B0968", 267.8, 0, 2, 3, 5, 6, RESERVE, BACK_OFF),
    PAIR("B0969", 880.5, 0, 2, 3, 5, 6, 0, SHARE),
    PAIR("B0970", 195.4, 1, 12, 3, 16, 6, RESERVE, NULL),
    AFTER("B0973 16-2", 36, 1, 2, 2, 16, 2, 16, 2),
    AFTER("B0973 5-2", 126, 1, 2, 2, 16, 2, 5, 2),
    AFTER("B0973 2-2", 164, 1, 2, 2, 16, 2, 2, 2),
    AFTER("B0977 16-11", 65, 1, 2, 3, 16, 11, 16, 11),
    AFTER("B0977 16-3", 138, 1, 2, 3, 16, 11, 16, 3),
    AFTER("B0977 2-11", 192, 1, 2, 3, 16, 11, 2, 11),
    AFTER("B0977 2-3", 264, 1, 2, 3, 16, 11, 2, 3),
};
// clang-format on

const struct ts_silicon_family ts_silicon_multicast = {
    .name = "multicast",
    .title = "networks: multicasts",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = flow_run_row,
    .describe = flow_describe,
    .median = 0.04,
    .p90 = 0.13,
    .groups = "noc",
};
