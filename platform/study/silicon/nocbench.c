// Truth table: nocbench, writes and reads between L1s by one to six masters.
//
// Every master runs config/probes/nocbench.cpp: it meets the others, reads the clock, issues 64
// requests with the vendor's functions, waits for the last answer, and reads the clock again.
// Coordinates are physical ones of NoC 0.
#include "platform/study/silicon/squad.h"

#define REQUESTS 64

struct bench_flow {
    struct ts_noc_xy by, at;
    uint32_t bytes;
    uint8_t vc;
    bool read;
};

struct bench_row {
    struct ts_silicon_row row;
    uint8_t pick; // the flow whose region was measured
    uint8_t count;
    const struct bench_flow *flows;
};

#define W(bx, by_, ax, ay, n, channel)                             \
    {                                                              \
        .by = {bx, by_}, .at = {ax, ay}, .bytes = n, .vc = channel \
    }
#define R(bx, by_, ax, ay, n)                                              \
    {                                                                      \
        .by = {bx, by_}, .at = {ax, ay}, .bytes = n, .vc = 1, .read = true \
    }
#define FLOWS(n, ...)                                \
    .count = n, .flows = (const struct bench_flow[]) \
    {                                                \
        __VA_ARGS__                                  \
    }
// One master; two whose paths share links; several into one tile; two on different channels.
#define ONE(bx, by_, ax, ay, bytes) FLOWS(1, W(bx, by_, ax, ay, bytes, 1))
#define SHARED(bx, by_, ax, ay, bytes) \
    FLOWS(2, W(15, 2, 6, 3, bytes, 1), W(bx, by_, ax, ay, bytes, 1))
#define MERGE(n)                                                                          \
    FLOWS(n, W(1, 11, 11, 2, 4096, 1), W(2, 10, 11, 2, 4096, 1), W(3, 9, 11, 2, 4096, 1), \
          W(4, 8, 11, 2, 4096, 1), W(5, 7, 11, 2, 4096, 1), W(6, 6, 11, 2, 4096, 1))
#define CHANNELS(channel) FLOWS(2, W(1, 2, 3, 3, 16384, 1), W(2, 2, 4, 4, 16384, channel))
#define READS(n)          FLOWS(n, R(2, 11, 1, 2, 8192), R(3, 10, 1, 2, 8192))

// clang-format off
static const struct bench_row rows[] = {
    {.row = {"S0406", 4519}, .pick = 0, ONE(1, 2, 2, 2, 4096)},
    {.row = {"S0407", 4524}, .pick = 0, ONE(1, 2, 3, 2, 4096)},
    {.row = {"S0408", 4514}, .pick = 0, ONE(1, 2, 4, 2, 4096)},
    {.row = {"S0409", 4513}, .pick = 0, ONE(1, 2, 5, 2, 4096)},
    {.row = {"S0410", 4507}, .pick = 0, ONE(1, 2, 6, 2, 4096)},
    {.row = {"S0412", 4491}, .pick = 0, ONE(1, 2, 12, 2, 4096)},
    {.row = {"S0413", 4507}, .pick = 0, ONE(1, 2, 13, 2, 4096)},
    {.row = {"S0414", 4481}, .pick = 0, ONE(1, 2, 1, 3, 4096)},
    {.row = {"S0416", 4467}, .pick = 0, ONE(1, 2, 1, 5, 4096)},
    {.row = {"S0418", 4482}, .pick = 0, ONE(1, 2, 1, 7, 4096)},
    {.row = {"S0419", 4460}, .pick = 0, ONE(1, 2, 1, 8, 4096)},
    {.row = {"S0420", 4467}, .pick = 0, ONE(1, 2, 1, 9, 4096)},
    {.row = {"S0424", 4620}, .pick = 0, ONE(1, 2, 4, 5, 4096)},
    {.row = {"S0425", 4619}, .pick = 0, ONE(1, 2, 5, 6, 4096)},
    {.row = {"S0426", 4635}, .pick = 0, ONE(1, 2, 6, 7, 4096)},
    {.row = {"S0427", 4620}, .pick = 0, ONE(1, 2, 11, 8, 4096)},
    {.row = {"S0428", 4619}, .pick = 0, ONE(1, 2, 12, 9, 4096)},
    {.row = {"S0429", 4618}, .pick = 0, ONE(1, 2, 13, 10, 4096)},
    {.row = {"S0431", 2544}, .pick = 0, ONE(1, 2, 2, 3, 512)},
    {.row = {"S0432", 4626}, .pick = 0, ONE(1, 2, 2, 3, 4096)},
    {.row = {"S0433", 17315}, .pick = 0, ONE(1, 2, 2, 3, 16384)},
    {.row = {"S0434", 8873}, .pick = 0, READS(1)},
    {.row = {"S0435", 16815}, .pick = 0, READS(2)},
    {.row = {"S0436", 17237}, .pick = 1, READS(2)},
    {.row = {"S0437", 2546}, .pick = 0, SHARED(6, 2, 14, 4, 64)},
    {.row = {"S0438", 2556}, .pick = 1, SHARED(6, 2, 14, 4, 64)},
    {.row = {"S0439", 2534}, .pick = 0, SHARED(5, 2, 13, 4, 64)},
    {.row = {"S0440", 2557}, .pick = 1, SHARED(5, 2, 13, 4, 64)},
    {.row = {"S0441", 2535}, .pick = 0, SHARED(4, 2, 12, 4, 64)},
    {.row = {"S0442", 2557}, .pick = 1, SHARED(4, 2, 12, 4, 64)},
    {.row = {"S0443", 2534}, .pick = 0, SHARED(3, 2, 11, 4, 64)},
    {.row = {"S0444", 2557}, .pick = 1, SHARED(3, 2, 11, 4, 64)},
    {.row = {"S0445", 2535}, .pick = 0, SHARED(11, 2, 2, 4, 64)},
    {.row = {"S0446", 2557}, .pick = 1, SHARED(11, 2, 2, 4, 64)},
    {.row = {"S0447", 2534}, .pick = 0, SHARED(12, 2, 3, 4, 64)},
    {.row = {"S0448", 2556}, .pick = 1, SHARED(12, 2, 3, 4, 64)},
    {.row = {"S0449", 2534}, .pick = 0, SHARED(13, 2, 4, 4, 64)},
    {.row = {"S0450", 2557}, .pick = 1, SHARED(13, 2, 4, 4, 64)},
    {.row = {"S0451", 2535}, .pick = 0, SHARED(14, 2, 5, 4, 64)},
    {.row = {"S0453", 17174}, .pick = 0, SHARED(6, 2, 14, 4, 16384)},
    {.row = {"S0457", 32831}, .pick = 0, SHARED(4, 2, 12, 4, 16384)},
    {.row = {"S0458", 33298}, .pick = 1, SHARED(4, 2, 12, 4, 16384)},
    {.row = {"S0460", 32156}, .pick = 1, SHARED(3, 2, 11, 4, 16384)},
    {.row = {"S0461", 33671}, .pick = 0, SHARED(11, 2, 2, 4, 16384)},
    {.row = {"S0462", 33777}, .pick = 1, SHARED(11, 2, 2, 4, 16384)},
    {.row = {"S0463", 33654}, .pick = 0, SHARED(12, 2, 3, 4, 16384)},
    {.row = {"S0464", 33754}, .pick = 1, SHARED(12, 2, 3, 4, 16384)},
    {.row = {"S0465", 33678}, .pick = 0, SHARED(13, 2, 4, 4, 16384)},
    {.row = {"S0470", 8703}, .pick = 0, MERGE(2)},
    {.row = {"S0471", 8717}, .pick = 1, MERGE(2)},
    {.row = {"S0473", 12836}, .pick = 1, MERGE(3)},
    {.row = {"S0475", 8737}, .pick = 0, MERGE(4)},
    {.row = {"S0476", 12924}, .pick = 1, MERGE(4)},
    {.row = {"S0477", 17111}, .pick = 2, MERGE(4)},
    {.row = {"S0480", 12944}, .pick = 1, MERGE(6)},
    {.row = {"S0481", 17124}, .pick = 2, MERGE(6)},
    {.row = {"S0482", 21314}, .pick = 3, MERGE(6)},
    {.row = {"S0483", 25509}, .pick = 4, MERGE(6)},
    {.row = {"S0485", 33288}, .pick = 0, CHANNELS(0)},
    {.row = {"S0487", 33822}, .pick = 0, CHANNELS(1)},
    {.row = {"S0488", 34073}, .pick = 1, CHANNELS(1)},
    {.row = {"S0490", 33283}, .pick = 1, CHANNELS(2)},
    {.row = {"S0491", 33270}, .pick = 0, CHANNELS(3)},
    {.row = {"S0492", 33276}, .pick = 1, CHANNELS(3)},
    {.row = {"S0493", 2547}, .pick = 0, SHARED(6, 2, 14, 4, 64)},
    {.row = {"S0496", 2557}, .pick = 1, SHARED(5, 2, 13, 4, 64)},
    {.row = {"S0498", 2557}, .pick = 1, SHARED(4, 2, 12, 4, 64)},
    {.row = {"S0499", 2534}, .pick = 0, SHARED(3, 2, 11, 4, 64)},
    {.row = {"S0500", 2557}, .pick = 1, SHARED(3, 2, 11, 4, 64)},
    {.row = {"S0501", 2535}, .pick = 0, SHARED(11, 2, 2, 4, 64)},
    {.row = {"S0502", 2556}, .pick = 1, SHARED(11, 2, 2, 4, 64)},
    {.row = {"S0503", 2535}, .pick = 0, SHARED(12, 2, 3, 4, 64)},
    {.row = {"S0504", 2557}, .pick = 1, SHARED(12, 2, 3, 4, 64)},
    {.row = {"S0506", 2557}, .pick = 1, SHARED(13, 2, 4, 4, 64)},
    {.row = {"S0507", 2535}, .pick = 0, SHARED(14, 2, 5, 4, 64)},
    {.row = {"S0508", 2557}, .pick = 1, SHARED(14, 2, 5, 4, 64)},
    {.row = {"S0509", 2543}, .pick = 0, SHARED(6, 2, 14, 4, 512)},
    {.row = {"S0510", 2555}, .pick = 1, SHARED(6, 2, 14, 4, 512)},
    {.row = {"S0513", 2543}, .pick = 0, SHARED(4, 2, 12, 4, 512)},
    {.row = {"S0514", 2554}, .pick = 1, SHARED(4, 2, 12, 4, 512)},
    {.row = {"S0515", 2542}, .pick = 0, SHARED(3, 2, 11, 4, 512)},
    {.row = {"S0517", 2543}, .pick = 0, SHARED(11, 2, 2, 4, 512)},
    {.row = {"S0518", 2555}, .pick = 1, SHARED(11, 2, 2, 4, 512)},
    {.row = {"S0520", 2554}, .pick = 1, SHARED(12, 2, 3, 4, 512)},
    {.row = {"S0521", 2542}, .pick = 0, SHARED(13, 2, 4, 4, 512)},
    {.row = {"S0522", 2555}, .pick = 1, SHARED(13, 2, 4, 4, 512)},
    {.row = {"S0523", 2542}, .pick = 0, SHARED(14, 2, 5, 4, 512)},
    {.row = {"S0524", 2554}, .pick = 1, SHARED(14, 2, 5, 4, 512)},
    {.row = {"S0525", 2567}, .pick = 0, SHARED(6, 2, 14, 4, 2048)},
    {.row = {"S0526", 2577}, .pick = 1, SHARED(6, 2, 14, 4, 2048)},
    {.row = {"S0527", 4123, "the card itself varies: repeats of this run gave 4186 and 4551 cycles"}, .pick = 0, SHARED(5, 2, 13, 4, 2048)},
    {.row = {"S0529", 4385}, .pick = 0, SHARED(4, 2, 12, 4, 2048)},
    {.row = {"S0530", 4612}, .pick = 1, SHARED(4, 2, 12, 4, 2048)},
    {.row = {"S0531", 4385}, .pick = 0, SHARED(3, 2, 11, 4, 2048)},
    {.row = {"S0534", 4474}, .pick = 1, SHARED(11, 2, 2, 4, 2048)},
    {.row = {"S0535", 4439}, .pick = 0, SHARED(12, 2, 3, 4, 2048)},
    {.row = {"S0536", 4468}, .pick = 1, SHARED(12, 2, 3, 4, 2048)},
    {.row = {"S0538", 4466}, .pick = 1, SHARED(13, 2, 4, 4, 2048)},
    {.row = {"S0539", 4478}, .pick = 0, SHARED(14, 2, 5, 4, 2048)},
    {.row = {"S0541", 4623}, .pick = 0, SHARED(6, 2, 14, 4, 4096)},
    {.row = {"S0543", 8622}, .pick = 0, SHARED(5, 2, 13, 4, 4096)},
    {.row = {"S0547", 8647}, .pick = 0, SHARED(3, 2, 11, 4, 4096)},
    {.row = {"S0548", 8713}, .pick = 1, SHARED(3, 2, 11, 4, 4096)},
    {.row = {"S0549", 8583}, .pick = 0, SHARED(11, 2, 2, 4, 4096)},
    {.row = {"S0550", 8617}, .pick = 1, SHARED(11, 2, 2, 4, 4096)},
    {.row = {"S0552", 8625}, .pick = 1, SHARED(12, 2, 3, 4, 4096)},
    {.row = {"S0554", 8619}, .pick = 1, SHARED(13, 2, 4, 4, 4096)},
    {.row = {"S0555", 8606}, .pick = 0, SHARED(14, 2, 5, 4, 4096)},
    {.row = {"S0557", 8822}, .pick = 0, SHARED(6, 2, 14, 4, 8192)},
    {.row = {"S0559", 16672}, .pick = 0, SHARED(5, 2, 13, 4, 8192)},
    {.row = {"S0560", 16908}, .pick = 1, SHARED(5, 2, 13, 4, 8192)},
    {.row = {"S0562", 16913}, .pick = 1, SHARED(4, 2, 12, 4, 8192)},
    {.row = {"S0563", 16782}, .pick = 0, SHARED(3, 2, 11, 4, 8192)},
    {.row = {"S0564", 16905}, .pick = 1, SHARED(3, 2, 11, 4, 8192)},
    {.row = {"S0565", 16911}, .pick = 0, SHARED(11, 2, 2, 4, 8192)},
    {.row = {"S0566", 17011}, .pick = 1, SHARED(11, 2, 2, 4, 8192)},
    {.row = {"S0568", 17003}, .pick = 1, SHARED(12, 2, 3, 4, 8192)},
    {.row = {"S0570", 17033}, .pick = 1, SHARED(13, 2, 4, 4, 8192)},
    {.row = {"S0571", 16983}, .pick = 0, SHARED(14, 2, 5, 4, 8192)},
    {.row = {"S0572", 17082}, .pick = 1, SHARED(14, 2, 5, 4, 8192)},
    {.row = {"S0573", 17158}, .pick = 0, SHARED(6, 2, 14, 4, 16384)},
    {.row = {"S0574", 17195}, .pick = 1, SHARED(6, 2, 14, 4, 16384)},
    {.row = {"S0576", 33297}, .pick = 1, SHARED(5, 2, 13, 4, 16384)},
    {.row = {"S0577", 33310}, .pick = 0, SHARED(4, 2, 12, 4, 16384)},
    {.row = {"S0578", 33034}, .pick = 1, SHARED(4, 2, 12, 4, 16384)},
    {.row = {"S0579", 33038}, .pick = 0, SHARED(3, 2, 11, 4, 16384)},
    {.row = {"S0580", 33298}, .pick = 1, SHARED(3, 2, 11, 4, 16384)},
    {.row = {"S0581", 33710}, .pick = 0, SHARED(11, 2, 2, 4, 16384)},
    {.row = {"S0582", 33811}, .pick = 1, SHARED(11, 2, 2, 4, 16384)},
    {.row = {"S0583", 33678}, .pick = 0, SHARED(12, 2, 3, 4, 16384)},
    {.row = {"S0584", 33780}, .pick = 1, SHARED(12, 2, 3, 4, 16384)},
    {.row = {"S0586", 33773}, .pick = 1, SHARED(13, 2, 4, 4, 16384)},
    {.row = {"S0587", 33686}, .pick = 0, SHARED(14, 2, 5, 4, 16384)},
    {.row = {"S0588", 33788}, .pick = 1, SHARED(14, 2, 5, 4, 16384)},
};
// clang-format on

// The master of a flow meets the others, and flow 0 is the last to come: the host launched it so, more than a million
// cycles after the first.
#define LATE 2000

static void start(struct squad *squad, const struct bench_row *row, unsigned index)
{
    const struct bench_flow *flow = &row->flows[index];
    uint32_t target = squad_name(squad, flow->at);
    uint32_t arguments[SQUAD_ARGUMENTS] = {
        [NOCBENCH_LATE] = index == 0 ? LATE : 0,
        [NOCBENCH_RESULTS] = PROBE_RESULTS,
        [NOCBENCH_DATA] = PROBE_DATA,
        [NOCBENCH_FLOW] = index,
        [NOCBENCH_PEERS] = row->count - 1u,
        [NOCBENCH_TO_X] = target & 63,
        [NOCBENCH_TO_Y] = target >> 6,
        [NOCBENCH_REQUESTS] = REQUESTS,
        [NOCBENCH_BYTES] = flow->bytes,
        [NOCBENCH_DIRECTION] = flow->read ? NOCBENCH_READS : NOCBENCH_WRITES,
        [NOCBENCH_CHANNEL] = flow->vc,
    };
    unsigned count = NOCBENCH_PEER_XY;
    for (unsigned i = 0; i < row->count; i++) {
        uint32_t peer = squad_name(squad, row->flows[i].by);
        if (i == index)
            continue;
        arguments[count++] = peer & 63;
        arguments[count++] = peer >> 6;
    }
    squad_guest(squad, flow->by, "nocbench.brisc", arguments, count);
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct bench_row *row = (const struct bench_row *)base;
    struct squad *squad = squad_new("p150", context, error);
    for (unsigned i = 0; i < row->count; i++)
        start(squad, row, i);
    squad_run(squad, 1000000);
    struct ts_noc_xy at = row->flows[row->pick].by;
    *simulated = squad_result(squad, at, NOCBENCH_OUT_CYCLES);
    squad_free(squad);
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    const struct bench_row *row = (const struct bench_row *)base;
    const struct bench_flow *flow = &row->flows[row->pick];
    snprintf(text->workload, sizeof text->workload,
             "%u x %u B %s, %u-%u and %u-%u, channel %u%s%.0u%s", REQUESTS, flow->bytes,
             flow->read ? "read" : "write", flow->by.x, flow->by.y, flow->at.x, flow->at.y,
             flow->vc, row->count > 1 ? ", " : "", row->count > 1 ? row->count : 0,
             row->count > 1 ? " flows" : "");
    text->metric = "cycles, first issue to last answer";
}

const struct ts_silicon_family ts_silicon_nocbench = {
    .name = "nocbench",
    .title = "networks: writes and reads that meet (nocbench)",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.04,
    .p90 = 0.08,
    .groups = "riscv noc",
};
