// Truth table: streams between L1s that run alone, side by side, over one link or into one tile.
//
// Senders and receivers run the reports' own programs (senders.h). The senders of a ladder send 64
// packets, not 256: rates of a steady state. The card's columns 6 and 15 are harvested; coordinates
// are raw ones of NoC 0.
#include "platform/study/silicon/senders.h"

#include <stdio.h>
#include <string.h>

#define KIB16     16384
#define FLOWS_MAX 32
#define LIMIT     100000000

enum figure {
    REGION,    // cycles of flow `pick`, from clock to clock
    LESS_LOOP, // the same, less the empty loop
    RATES,     // bytes a cycle of each flow
    RATE_ALL,  // bytes a cycle, all flows, first start to last end
    RATE_OF,   // of flow `pick`
    WINDOW,    // cycles from the first start to the last end
    SEEN,      // cycles from the first start to the word at the receiver
    SEENS,     // that of every flow
    SEEN_RATE, // bytes a cycle until the word is seen everywhere
    ISSUE_OP,  // cycles per request, until the last one is issued
    SEEN_OP,   // cycles per request, until the receiver has seen the sum
};

struct stream_flow {
    uint8_t kind, op, noc;         // enum sender_kind, sender_op
    struct ts_noc_xy by, at, from; // from: where SENDER_SAME reads
    uint32_t count;
    uint8_t vc, priority;
};

struct stream_row {
    struct ts_silicon_row row;
    uint8_t figure, pick;
    unsigned count;
    const struct stream_flow *flows;
    // Or flows made for the row.
    unsigned (*make)(const struct stream_row *row, struct stream_flow *flows);
    uint8_t noc, cores, kind, op;
    uint32_t requests;
    const char *text; // our words for it; NULL: the flows say it
};

#define FLOW(k, o, n, bx, by_, ax, ay, packets, channel)                                 \
    {                                                                                    \
        .kind = k, .op = o, .noc = n, .by = {bx, by_}, .at = {ax, ay}, .count = packets, \
        .vc = channel                                                                    \
    }
#define W(n, bx, by_, ax, ay, packets) \
    FLOW(SENDER_OBSERVE, SEND_WRITE, n, bx, by_, ax, ay, packets, 1)
#define P(n, bx, by_, ax, ay, packets, channel) \
    FLOW(SENDER_OBSERVE, SEND_POSTED, n, bx, by_, ax, ay, packets, channel)
#define GW(n, bx, by_, ax, ay, packets) \
    FLOW(SENDER_GATED, SEND_WRITE, n, bx, by_, ax, ay, packets, 1)
#define GR(n, bx, by_, ax, ay, packets) \
    FLOW(SENDER_GATED, SEND_READ, n, bx, by_, ax, ay, packets, 1)
#define FLOWS(n, ...)                                 \
    .count = n, .flows = (const struct stream_flow[]) \
    {                                                 \
        __VA_ARGS__                                   \
    }

// Four times 64 packets between two tiles, the empty loop subtracted.
#define SWEEP(name, read, write, n, bx, ax)                                   \
    {.row = {.id = name " read", .measured = read},                           \
     .figure = LESS_LOOP,                                                     \
     FLOWS(1, FLOW(SENDER_SWEEP, SEND_READ, n, bx, 2, ax, 2, 64, 1))},        \
    {                                                                         \
        .row = {.id = name " write", .measured = write}, .figure = LESS_LOOP, \
        FLOWS(1, FLOW(SENDER_SWEEP, SEND_WRITE, n, bx, 2, ax, 2, 64, 1))      \
    }
// One core that reads from 2-2 and writes to 1-3.
#define SAME(name, value, n, o)                                   \
    {                                                             \
        .row = {.id = name, .measured = value}, .figure = REGION, \
        FLOWS(1, {.kind = SENDER_SAME,                            \
                  .op = o,                                        \
                  .noc = n,                                       \
                  .by = {1, 2},                                   \
                  .at = {1, 3},                                   \
                  .from = {2, 2},                                 \
                  .count = 64,                                    \
                  .vc = 1})                                       \
    }
#define TIMED(bx, ax, p)                                                                    \
    {                                                                                       \
        .kind = SENDER_TIMED, .op = SEND_WRITE, .by = {bx, 4}, .at = {ax, 4}, .count = 128, \
        .vc = 1, .priority = p                                                              \
    }
#define PRIORITY(name, value, victim, background)                                          \
    {                                                                                      \
        .row = {.id = name, .measured = value}, .figure = REGION,                          \
        FLOWS(4, TIMED(1, 16, victim), TIMED(4, 10, background), TIMED(5, 11, background), \
              TIMED(7, 12, background))                                                    \
    }
#define CUT2(a, b)             P(0, 5, 4, 14, 4, 16, a), P(0, 7, 4, 16, 4, 16, b)
#define CUT4(a, b, c, d)       P(0, 3, 4, 12, 4, 16, a), P(0, 4, 4, 13, 4, 16, b), CUT2(c, d)
#define CUT6(a, b, c, d, e, f) P(0, 1, 4, 10, 4, 16, a), P(0, 2, 4, 11, 4, 16, b), CUT4(c, d, e, f)
#define STRESS(name, value, n, flows)                                             \
    {                                                                             \
        .row = {.id = name, .measured = value}, .figure = WINDOW, FLOWS(n, flows) \
    }
#define RATE(name, value, what, which, ...)                                                \
    {                                                                                      \
        .row = {.id = name, .measured = value}, .figure = what, .pick = which, __VA_ARGS__ \
    }

// --- flows by number ---

static const uint8_t live[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 16};

// Senders of row 4, near to far, into the tile at its end.
static unsigned make_ladder(const struct stream_row *row, struct stream_flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++)
        flows[i] = (struct stream_flow){.kind = row->kind,
                                        .op = row->op,
                                        .noc = row->noc,
                                        .by = {live[row->noc ? 1 + i : 10 - i], 4},
                                        .at = {row->noc ? 1 : 16, 4},
                                        .count = row->requests,
                                        .vc = 1};
    return row->cores;
}

// Neighbours in a row, in pairs: row by row.
static unsigned make_pairs(const struct stream_row *row, struct stream_flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++)
        flows[i] = (struct stream_flow){.by = {live[i % 6 * 2], (uint8_t)(2 + i / 6)},
                                        .at = {live[i % 6 * 2 + 1], (uint8_t)(2 + i / 6)},
                                        .count = 64,
                                        .vc = 1};
    return row->cores;
}

// Six streams over one link.
static unsigned make_shared(const struct stream_row *row, struct stream_flow *flows)
{
    for (unsigned i = 0; i < 6; i++) {
        unsigned from = i, to = i + 6;
        flows[i] = (struct stream_flow){.noc = row->noc,
                                        .by = {live[row->noc ? to : from], 4},
                                        .at = {live[row->noc ? from : to], 4},
                                        .count = 64,
                                        .vc = 1};
    }
    return 6;
}

#define LADDER(name, n, k, value, list)                                                       \
    {                                                                                         \
        .row = {.id = name, .measured = value, .others = list, .other_count = (k)-1},         \
        .figure = RATES, .make = make_ladder, .kind = SENDER_ARBITRATE, .noc = n, .cores = k, \
        .requests = 64, .text = "senders of a row"                                            \
    }
#define PAIRS(name, value, k, why)                                                \
    {                                                                             \
        .row = {.id = name, .measured = value, .cause = why}, .figure = RATE_ALL, \
        .make = make_pairs, .cores = k, .text = "neighbours"                      \
    }
#define SHARED(name, value, n)                                                                     \
    {                                                                                              \
        .row = {.id = name, .measured = value}, .figure = RATE_ALL, .make = make_shared, .noc = n, \
        .text = "over one link"                                                                    \
    }
#define SUM(name, value, what, n, k, how, o, times)                                               \
    {                                                                                             \
        .row = {.id = name, .measured = value}, .figure = what, .make = make_ladder, .kind = how, \
        .op = o, .noc = n, .cores = k, .requests = times, .text = "one word incremented"          \
    }
#define ATOMIC(name, value, what, n, k) SUM(name, value, what, n, k, SENDER_ATOMIC, SEND_WRITE, 256)
#define SIGNAL(name, value, n, k, o)    SUM(name, value, SEEN_OP, n, k, SENDER_SIGNAL, o, 64)

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

#define SKEW "the cores of the card start up to 600 cycles apart, ours together"

// clang-format off
static const struct stream_row rows[] = {
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
    SAME("B0834", 16882, 0, SEND_READ),
    SAME("B0834 NoC 1", 16904, 1, SEND_READ),
    SAME("B0835", 16917, 0, SEND_WRITE),
    SAME("B0835 NoC 1", 16742, 1, SEND_WRITE),
    SAME("B0836", 17485, 0, SEND_WRITE_READ),
    SAME("B0836 NoC 1", 17397, 1, SEND_WRITE_READ),
    SAME("B0837", 17220, 0, SEND_READ_WRITE),
    SAME("B0837 NoC 1", 17149, 1, SEND_READ_WRITE),
    RATE("B0839", 63.512, RATE_ALL, 0, FLOWS(2, GR(0, 4, 4, 1, 4, 64), GW(0, 2, 4, 5, 4, 64))),
    RATE("B0841", 63.446, RATE_ALL, 0, FLOWS(2, GR(1, 1, 4, 4, 4, 64), GW(1, 5, 4, 2, 4, 64))),
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
             .cause = "the card's senders start up to 100 cycles apart"},
     .figure = SEENS, .make = make_ladder, .kind = SENDER_ARBITRATE, .cores = 8, .requests = 64,
     .text = "first packets of the senders of a row"},
    RATE("B0876", 34004, REGION, 0, FLOWS(1, TIMED(1, 16, 1))),
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
    RATE("B0893", 60.886, RATE_OF, 0, FLOWS(1, W(0, 16, 2, 1, 2, 32))),
    RATE("B0894", 60.942, RATE_OF, 0, FLOWS(1, W(0, 10, 2, 16, 2, 32))),
    RATE("B0895", 60.215, RATE_OF, 0, FLOWS(1, W(0, 1, 2, 4, 5, 32))),
    RATE("B0896", 30.824, RATE_OF, 0, FLOWS(2, W(0, 1, 2, 4, 5, 32), W(0, 2, 2, 5, 2, 32))),
    RATE("B0897", 59.843, RATE_OF, 0, FLOWS(2, W(0, 1, 2, 4, 5, 32), W(0, 1, 3, 1, 6, 32))),
    {.row = {.id = "B0898", .measured = 105.363, .cause = SKEW}, .figure = SEEN_RATE,
     FLOWS(2, P(0, 10, 10, 12, 10, 16, 1), P(0, 11, 9, 11, 11, 16, 1))},
    RATE("B0899", 61.12, SEEN_RATE, 0, FLOWS(2, P(0, 1, 2, 5, 10, 16, 1), P(0, 2, 2, 5, 11, 16, 1))),
    RATE("B0900", 59.864, SEEN_RATE, 0, FLOWS(1, P(0, 10, 10, 12, 10, 16, 1))),
    RATE("B0901", 109.96, RATE_ALL, 0, FLOWS(2, GW(0, 1, 4, 4, 4, 8), GW(1, 11, 4, 4, 4, 8))),
    RATE("B0902", 110.843, RATE_ALL, 0, FLOWS(2, GW(0, 4, 4, 10, 4, 8), GW(1, 4, 4, 1, 4, 8))),
    RATE("B0820", 503, REGION, 0, FLOWS(1, W(0, 1, 2, 2, 2, 1))),
    RATE("B0820 seen", 363, SEEN, 0, FLOWS(1, W(0, 1, 2, 2, 2, 1))),
    RATE("B0821", 17133, REGION, 0, FLOWS(1, W(0, 1, 2, 2, 2, 64))),
    RATE("B0821 seen", 16980, SEEN, 0, FLOWS(1, W(0, 1, 2, 2, 2, 64))),
    RATE("B0822", 17130, REGION, 0, FLOWS(1, W(1, 1, 2, 2, 2, 64))),
    RATE("B0822 seen", 17129, SEEN, 0, FLOWS(1, W(1, 1, 2, 2, 2, 64))),
    RATE("B0990", 4462, REGION, 0, FLOWS(1, FLOW(SENDER_COUNTER, SEND_WRITE, 0, 1, 4, 7, 4, 16, 1))),
    RATE("B0990 posted", 4278, REGION, 0, FLOWS(1, FLOW(SENDER_COUNTER, SEND_POSTED, 0, 1, 4, 7, 4, 16, 1))),
    ATOMIC("B0904", 36.05, ISSUE_OP, 0, 1),
    ATOMIC("B0905", 18.21, SEEN_OP, 0, 2),
    ATOMIC("B0906", 12.69, SEEN_OP, 0, 4),
    ATOMIC("B0907", 12.61, SEEN_OP, 0, 8),
    ATOMIC("B0908", 12.06, SEEN_OP, 0, 8),
    ATOMIC("B0909", 12.39, SEEN_OP, 1, 8),
    SIGNAL("B0913", 29.56, 0, 1, SEND_WRITE),
    SIGNAL("B0915", 12.24, 0, 8, SEND_WRITE),
    SIGNAL("B0916", 28.58, 1, 1, SEND_READ),
    SIGNAL("B0917", 12.09, 1, 8, SEND_WRITE),
};
// clang-format on

// --- running ---

// What one flow was measured with.
struct times {
    double started, ended, empty, issued, seen;
};

static struct sender sender_of(const struct squad *squad, const struct stream_flow *flow,
                               unsigned index, unsigned core)
{
    return (struct sender){.kind = flow->kind,
                           .op = flow->op,
                           .noc = flow->noc,
                           .vc = flow->vc,
                           .priority = flow->priority,
                           .core = (uint8_t)core,
                           .bytes = KIB16,
                           .count = flow->count,
                           .repeats = flow->kind == SENDER_SWEEP ? 4 : 1,
                           .slot = flow->kind == SENDER_ARBITRATE ? index : 0,
                           .own = squad_name(squad, flow->by),
                           .to = squad_name(squad, flow->at),
                           .read_at = flow->kind == SENDER_SAME ? squad_name(squad, flow->from)
                                                                : 0};
}

// The second stream of a tile is NCRISC's.
static unsigned core_of(const struct stream_flow *flows, unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (flows[i].by.x == flows[index].by.x && flows[i].by.y == flows[index].by.y)
            return TS_RV_NCRISC;
    return TS_RV_BRISC;
}

static void add_receivers(struct squad *squad, const struct stream_row *row,
                          const struct stream_flow *flows, unsigned count)
{
    struct sender first = sender_of(squad, &flows[0], 0, TS_RV_BRISC);
    struct ts_rvasm *end = NULL;
    if (row->figure == SEENS || row->figure == SEEN_OP)
        end = squad_code(squad, flows[0].at, TS_RV_BRISC);
    if (row->figure == SEENS)
        sender_scan(end, &first, count);
    if (row->figure == SEEN_OP)
        sender_sum(end, &first, count * flows[0].count);
    for (unsigned i = 0; i < count && (row->figure == SEEN || row->figure == SEEN_RATE); i++) {
        struct sender sender = sender_of(squad, &flows[i], i, TS_RV_BRISC);
        sender_watch(squad_code(squad, flows[i].at, TS_RV_BRISC), &sender);
    }
}

static void run_flows(const struct stream_row *row, const struct stream_flow *flows, unsigned count,
                      const struct ts_silicon_context *context, struct times *times,
                      struct ts_error *error)
{
    static const uint32_t mark = SENDER_MARK;
    struct squad *squad = squad_new("p100", context, error);
    for (unsigned i = 0; i < count; i++) {
        unsigned core = core_of(flows, i);
        struct sender sender = sender_of(squad, &flows[i], i, core);
        sender_code(squad_code(squad, flows[i].by, core), &sender);
    }
    add_receivers(squad, row, flows, count);
    squad_build(squad);
    bool watched = row->figure == SEEN || row->figure == SEENS || row->figure == SEEN_RATE;
    for (unsigned i = 0; i < count && watched && error->code == TS_OK; i++) {
        struct sender sender = sender_of(squad, &flows[i], i, TS_RV_BRISC);
        ts_chip_write(&squad->chip, flows[i].by, sender_mark_from(&sender), &mark, sizeof mark,
                      error);
    }
    squad_run(squad, LIMIT);
    for (unsigned i = 0; i < count; i++) {
        unsigned base = sender_results(core_of(flows, i));
        unsigned seen = row->figure == SEENS ? i : 0;
        times[i] = (struct times){
            .started = squad_word(squad, flows[i].by, base + 4 * SENDER_STARTED),
            .ended = squad_word(squad, flows[i].by, base + 4 * SENDER_ENDED),
            .empty = squad_word(squad, flows[i].by, base + 4 * SENDER_EMPTY),
            .issued = squad_word(squad, flows[i].by, base + 4 * SENDER_ISSUED),
            .seen = squad_result(squad, flows[i].at, SENDER_SEEN + seen),
        };
    }
    squad_free(squad);
}

static void take_figures(const struct stream_row *row, const struct stream_flow *flows,
                         unsigned count, const struct times *times, double *simulated)
{
    double first = times[0].started, last = 0, seen = 0, bytes = 0, requests = 0;
    for (unsigned i = 0; i < count; i++) {
        first = times[i].started < first ? times[i].started : first;
        last = times[i].ended > last ? times[i].ended : last;
        seen = times[i].seen > seen ? times[i].seen : seen;
        bytes += (double)KIB16 * flows[i].count;
        requests += flows[i].count;
    }
    const struct times *picked = &times[row->pick];
    double region = picked->ended - picked->started;
    for (unsigned i = 0; i < row->row.other_count + 1 && i < count; i++) {
        switch ((enum figure)row->figure) {
        case REGION:
            simulated[i] = region;
            break;
        case LESS_LOOP:
            simulated[i] = region - picked->empty;
            break;
        case RATES:
            simulated[i] = (double)KIB16 * flows[i].count / (times[i].ended - times[i].started);
            break;
        case RATE_ALL:
            simulated[i] = bytes / (last - first);
            break;
        case RATE_OF:
            simulated[i] = (double)KIB16 * flows[row->pick].count / region;
            break;
        case WINDOW:
            simulated[i] = last - first;
            break;
        case SEEN:
            simulated[i] = picked->seen - picked->started;
            break;
        case SEENS:
            simulated[i] = times[i].seen - first;
            break;
        case SEEN_RATE:
            simulated[i] = bytes / (seen - first);
            break;
        case ISSUE_OP:
            simulated[i] = (picked->issued - picked->started) / flows[row->pick].count;
            break;
        case SEEN_OP:
            simulated[i] = (seen - first) / requests;
            break;
        }
    }
}

static unsigned flows_of(const struct stream_row *row, struct stream_flow *flows)
{
    memset(flows, 0, FLOWS_MAX * sizeof *flows);
    if (row->make)
        return row->make(row, flows);
    memcpy(flows, row->flows, row->count * sizeof *flows);
    return row->count;
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct stream_row *row = (const struct stream_row *)base;
    struct stream_flow flows[FLOWS_MAX];
    struct times times[FLOWS_MAX];
    unsigned count = flows_of(row, flows);
    run_flows(row, flows, count, context, times, error);
    if (error->code == TS_OK)
        take_figures(row, flows, count, times, simulated);
}

static const char *const op_names[] = {"writes", "posted writes", "reads", "writes and reads",
                                       "reads and writes"};
static const char *const figure_names[] = {
    [REGION] = "cycles, clock to clock",
    [LESS_LOOP] = "cycles, less an empty loop",
    [RATES] = "B per cycle of each flow",
    [RATE_ALL] = "B per cycle in sum",
    [RATE_OF] = "B per cycle",
    [WINDOW] = "cycles, first clock to last",
    [SEEN] = "cycles, start to word seen",
    [SEENS] = "cycles, start to word seen",
    [SEEN_RATE] = "B per cycle in sum, at the receivers",
    [ISSUE_OP] = "cycles per request issued",
    [SEEN_OP] = "cycles per request at the receiver",
};

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    const struct stream_row *row = (const struct stream_row *)base;
    struct stream_flow flows[FLOWS_MAX];
    unsigned count = flows_of(row, flows);
    const struct stream_flow *flow = &flows[row->pick];
    bool sums = flow->kind == SENDER_ATOMIC || flow->kind == SENDER_SIGNAL;
    text->metric = figure_names[row->figure];
    snprintf(text->workload, sizeof text->workload, "%s%s%u %s, %u-%u and %u-%u, NoC %u%s%.0u%s",
             row->text ? row->text : "", row->text ? ": " : "",
             flow->count * (flow->kind == SENDER_SWEEP ? 4 : 1),
             sums ? "increments" : op_names[flow->op], flow->by.x, flow->by.y, flow->at.x,
             flow->at.y, flow->noc, count > 1 ? ", " : "", count > 1 ? count : 0,
             count > 1 ? " flows" : "");
}

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
    .run = run,
    .describe = describe,
    .median = 0.04,
    .p90 = 0.10,
    .groups = "riscv noc",
    .left = left,
};
