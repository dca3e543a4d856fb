// Truth table: zones of the vendor's profiler around a loop of requests and a barrier.
//
// The NoC estimator's kernels issue transactions and wait for all of them; nocevbench waits for each
// one, with the events of the network trace. Both run as they were published, compiled
// (config/probes/zones.cpp, events.cpp): loops, polls and marks are theirs. Reads are NCRISC's,
// writes BRISC's. The cores are neighbours, in a column or across; a shard lies in channel 0.
#include "platform/study/silicon/rig.h"
#include "platform/study/silicon/squad.h"

#include <stdio.h>

enum zone_kind {
    ZONE_READ,
    ZONE_WRITE_SAME,
    ZONE_WRITE_DIFF,
    BANK_READ,
    BANK_WRITE,
    EVENT_READ,
    EVENT_WRITE
};

struct zone_row {
    struct ts_silicon_row row;
    uint8_t kind, noc;
    uint16_t transactions;
    uint16_t cut; // the measurement had so many times as many transactions; 0: as many
    uint32_t bytes;
    struct ts_noc_xy at;
};

#define EVENTS 8         // transactions of nocevbench
#define BANK   0x100040u // where a shard begins
#define MARK   4         // words of an event
#define LIMIT  10000000

static const char *const images[][2] = {
    [ZONE_READ] = {NULL, "zone_read.ncrisc"},
    [ZONE_WRITE_SAME] = {"zone_write_same.brisc", NULL},
    [ZONE_WRITE_DIFF] = {"zone_write_diff.brisc", NULL},
    [BANK_READ] = {"bank_read.ncrisc", NULL},
    [BANK_WRITE] = {"bank_write.brisc", NULL},
    [EVENT_READ] = {"event_read0.ncrisc", "event_read1.ncrisc"},
    [EVENT_WRITE] = {"event_write0.brisc", "event_write1.brisc"},
};

// --- the run ---

static bool waits_for_each(const struct zone_row *row)
{
    return row->kind == EVENT_READ || row->kind == EVENT_WRITE;
}

// From the mark at the issue to that at the end of the barrier, the mean of all transactions.
static double events(struct squad *squad, struct ts_noc_xy by)
{
    double sum = 0;
    for (unsigned i = 0; i < EVENTS; i++)
        sum += squad_result(squad, by, 3 * MARK * i + 2 * MARK + 1) -
               squad_result(squad, by, 3 * MARK * i + 1);
    return sum / EVENTS;
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct zone_row *row = (const struct zone_row *)base;
    const struct ts_noc_xy by = at(1, 2);
    struct squad *squad = squad_new("p150", context, error);
    if (error->code == TS_OK) {
        bool bank = squad->soc.node[row->at.y][row->at.x] == TS_NOC_NODE_DRAM;
        uint32_t name = squad_name(squad, row->at), cut = row->cut ? row->cut : 1;
        const uint32_t arguments[ZONES_ARGUMENTS] = {
            [ZONES_X] = name & 0x3f,
            [ZONES_Y] = name >> 6,
            [ZONES_FAR] = bank ? BANK : PROBE_DATA,
            [ZONES_TRANSACTIONS] = row->transactions / cut,
            [ZONES_BYTES] = row->bytes,
        };
        squad_guest(squad, by, images[row->kind][row->noc], arguments, ZONES_ARGUMENTS);
        if (squad_run(squad, LIMIT))
            *simulated = waits_for_each(row)
                             ? events(squad, by)
                             : (double)(squad_result(squad, by, 3) - squad_result(squad, by, 1)) *
                                   cut;
    }
    squad_free(squad);
}

// --- rows ---

#define READ_DIFF  ZONE_READ, 1, 2, 3
#define READ_SAME  ZONE_READ, 1, 1, 3
#define WRITE_DIFF ZONE_WRITE_DIFF, 0, 2, 3
#define WRITE_SAME ZONE_WRITE_SAME, 0, 1, 3
#define READ_BANK  BANK_READ, 0, 0, 11
#define WRITE_BANK BANK_WRITE, 0, 0, 11

#define SHARDS                                                                                   \
    "not known: the kernel takes the same page each time; 42 B a cycle at 2 to 8 KiB, 47 at 16 " \
    "KiB"

#define SPREAD "one run each: 128 B took the card 240 cycles here, 64 B 226 and 512 B 228"

#define ZONE(...) ZONE_(__VA_ARGS__)
#define ZONE_(name, value, what, n, x, y, times, size, of)                                    \
    {                                                                                         \
        .row = {.id = name,                                                                   \
                .measured = value,                                                            \
                .cause = (y) == 11  ? SHARDS                                                  \
                         : (x) == 1 ? SPREAD                                                  \
                                    : NULL},                                                  \
        .kind = what, .noc = n, .at = {x, y}, .transactions = times, .bytes = size, .cut = of \
    }
#define EVENT(name, value, what, n, x, y, size)                                               \
    {                                                                                         \
        .row = {.id = name, .measured = value}, .kind = EVENT_##what, .noc = n, .at = {x, y}, \
        .transactions = EVENTS, .bytes = size                                                 \
    }

// clang-format off
static const struct zone_row rows[] = {
    ZONE("S0806", 373, READ_DIFF, 1, 64, 0),
    ZONE("S0808", 372, READ_DIFF, 1, 256, 0),
    ZONE("S0810", 388, READ_DIFF, 1, 1024, 0),
    ZONE("S0812", 439, READ_DIFF, 1, 4096, 0),
    ZONE("S0813", 510, READ_DIFF, 1, 8192, 0),
    ZONE("S0815", 916, READ_DIFF, 1, 32768, 0),
    ZONE("S0816", 1457, READ_DIFF, 1, 65536, 0),
    ZONE("S0818", 240, READ_SAME, 1, 128, 0),
    ZONE("S0819", 244, READ_SAME, 1, 256, 0),
    ZONE("S0820", 228, READ_SAME, 1, 512, 0),
    ZONE("S0821", 246, READ_SAME, 1, 1024, 0),
    ZONE("S0823", 286, READ_SAME, 1, 4096, 0),
    ZONE("S0825", 503, READ_SAME, 1, 16384, 0),
    ZONE("S0826", 754, READ_SAME, 1, 32768, 0),
    ZONE("S0827", 1300, READ_SAME, 1, 65536, 0),
    ZONE("S0828", 461, READ_DIFF, 4, 64, 0),
    ZONE("S0829", 464, READ_DIFF, 4, 128, 0),
    ZONE("S0830", 479, READ_DIFF, 4, 256, 0),
    ZONE("S0831", 480, READ_DIFF, 4, 512, 0),
    ZONE("S0832", 480, READ_DIFF, 4, 1024, 0),
    ZONE("S0833", 503, READ_DIFF, 4, 2048, 0),
    ZONE("S0834", 634, READ_DIFF, 4, 4096, 0),
    ZONE("S0835", 913, READ_DIFF, 4, 8192, 0),
    ZONE("S0836", 1453, READ_DIFF, 4, 16384, 0),
    ZONE("S0837", 2514, READ_DIFF, 4, 32768, 0),
    ZONE("S0838", 4653, READ_DIFF, 4, 65536, 0),
    ZONE("S0840", 879, READ_DIFF, 16, 128, 0),
    ZONE("S0842", 887, READ_DIFF, 16, 512, 0),
    ZONE("S0843", 919, READ_DIFF, 16, 1024, 0),
    ZONE("S0844", 929, READ_DIFF, 16, 2048, 0),
    ZONE("S0846", 2511, READ_DIFF, 16, 8192, 0),
    ZONE("S0849", 17402, READ_DIFF, 16, 65536, 0),
    ZONE("S0850", 2558, READ_DIFF, 64, 64, 0),
    ZONE("S0851", 2559, READ_DIFF, 64, 128, 0),
    ZONE("S0852", 2566, READ_DIFF, 64, 256, 0),
    ZONE("S0853", 2566, READ_DIFF, 64, 512, 0),
    ZONE("S0855", 2594, READ_DIFF, 64, 2048, 0),
    ZONE("S0856", 4705, READ_DIFF, 64, 4096, 0),
    ZONE("S0857", 8894, READ_DIFF, 64, 8192, 0),
    ZONE("S0859", 34410, READ_DIFF, 64, 32768, 0),
    ZONE("S0863", 9288, READ_DIFF, 256, 256, 0),
    ZONE("S0864", 9287, READ_DIFF, 256, 512, 0),
    ZONE("S0865", 9294, READ_DIFF, 256, 1024, 0),
    ZONE("S0866", 9312, READ_DIFF, 256, 2048, 0),
    ZONE("S0868", 34473, READ_DIFF, 256, 8192, 0),
    ZONE("S0871", 272293, READ_DIFF, 256, 65536, 0),
    ZONE("S0873", 359, WRITE_DIFF, 1, 128, 0),
    ZONE("S0874", 360, WRITE_DIFF, 1, 256, 0),
    ZONE("S0876", 375, WRITE_DIFF, 1, 1024, 0),
    ZONE("S0877", 403, WRITE_DIFF, 1, 2048, 0),
    ZONE("S0878", 432, WRITE_DIFF, 1, 4096, 0),
    ZONE("S0879", 510, WRITE_DIFF, 1, 8192, 0),
    ZONE("S0881", 892, WRITE_DIFF, 1, 32768, 0),
    ZONE("S0882", 1441, WRITE_DIFF, 1, 65536, 0),
    ZONE("S0883", 208, WRITE_SAME, 1, 64, 0),
    ZONE("S0886", 236, WRITE_SAME, 1, 512, 0),
    ZONE("S0888", 251, WRITE_SAME, 1, 2048, 0),
    ZONE("S0889", 271, WRITE_SAME, 1, 4096, 0),
    ZONE("S0891", 484, WRITE_SAME, 1, 16384, 0),
    ZONE("S0892", 741, WRITE_SAME, 1, 32768, 0),
    ZONE("S0893", 1281, WRITE_SAME, 1, 65536, 0),
    ZONE("S0894", 432, WRITE_DIFF, 4, 64, 0),
    ZONE("S0896", 438, WRITE_DIFF, 4, 256, 0),
    ZONE("S0897", 437, WRITE_DIFF, 4, 512, 0),
    ZONE("S0898", 447, WRITE_DIFF, 4, 1024, 0),
    ZONE("S0899", 501, WRITE_DIFF, 4, 2048, 0),
    ZONE("S0900", 633, WRITE_DIFF, 4, 4096, 0),
    ZONE("S0901", 906, WRITE_DIFF, 4, 8192, 0),
    ZONE("S0902", 1438, WRITE_DIFF, 4, 16384, 0),
    ZONE("S0903", 2497, WRITE_DIFF, 4, 32768, 0),
    ZONE("S0904", 4611, WRITE_DIFF, 4, 65536, 0),
    ZONE("S0905", 279, WRITE_SAME, 4, 64, 0),
    ZONE("S0906", 279, WRITE_SAME, 4, 128, 0),
    ZONE("S0907", 286, WRITE_SAME, 4, 256, 0),
    ZONE("S0908", 287, WRITE_SAME, 4, 512, 0),
    ZONE("S0909", 295, WRITE_SAME, 4, 1024, 0),
    ZONE("S0910", 341, WRITE_SAME, 4, 2048, 0),
    ZONE("S0911", 471, WRITE_SAME, 4, 4096, 0),
    ZONE("S0912", 759, WRITE_SAME, 4, 8192, 0),
    ZONE("S0913", 1287, WRITE_SAME, 4, 16384, 0),
    ZONE("S0914", 2345, WRITE_SAME, 4, 32768, 0),
    ZONE("S0915", 4459, WRITE_SAME, 4, 65536, 0),
    ZONE("S0916", 709, WRITE_DIFF, 16, 64, 0),
    ZONE("S0918", 714, WRITE_DIFF, 16, 256, 0),
    ZONE("S0920", 722, WRITE_DIFF, 16, 1024, 0),
    ZONE("S0922", 1443, WRITE_DIFF, 16, 4096, 0),
    ZONE("S0923", 2483, WRITE_DIFF, 16, 8192, 0),
    ZONE("S0924", 4614, WRITE_DIFF, 16, 16384, 0),
    ZONE("S0925", 8793, WRITE_DIFF, 16, 32768, 0),
    ZONE("S0926", 17223, WRITE_DIFF, 16, 65536, 0),
    ZONE("S0928", 1818, WRITE_DIFF, 64, 128, 0),
    ZONE("S0929", 1821, WRITE_DIFF, 64, 256, 0),
    ZONE("S0930", 1819, WRITE_DIFF, 64, 512, 0),
    ZONE("S0931", 1841, WRITE_DIFF, 64, 1024, 0),
    ZONE("S0932", 2541, WRITE_DIFF, 64, 2048, 0),
    ZONE("S0933", 4635, WRITE_DIFF, 64, 4096, 0),
    ZONE("S0934", 8805, WRITE_DIFF, 64, 8192, 0),
    ZONE("S0935", 17279, WRITE_DIFF, 64, 16384, 0),
    ZONE("S0936", 34040, WRITE_DIFF, 64, 32768, 0),
    ZONE("S0937", 67808, WRITE_DIFF, 64, 65536, 0),
    ZONE("S0938", 6228, WRITE_DIFF, 256, 64, 0),
    ZONE("S0940", 6242, WRITE_DIFF, 256, 256, 0),
    ZONE("S0941", 6240, WRITE_DIFF, 256, 512, 0),
    ZONE("S0942", 6243, WRITE_DIFF, 256, 1024, 0),
    ZONE("S0943", 9070, WRITE_DIFF, 256, 2048, 0),
    ZONE("S0944", 17322, WRITE_DIFF, 256, 4096, 0),
    ZONE("S0945", 34145, WRITE_DIFF, 256, 8192, 0),
    ZONE("S0946", 67751, WRITE_DIFF, 256, 16384, 0),
    ZONE("S0947", 135331, WRITE_DIFF, 256, 32768, 0),
    ZONE("S0948", 269985, WRITE_DIFF, 256, 65536, 0),
    ZONE("S0950", 481, READ_BANK, 1, 128, 0),
    ZONE("S0951", 500, READ_BANK, 1, 256, 0),
    ZONE("S0952", 506, READ_BANK, 1, 512, 0),
    ZONE("S0953", 540, READ_BANK, 1, 1024, 0),
    ZONE("S0954", 538, READ_BANK, 1, 2048, 0),
    ZONE("S0955", 578, READ_BANK, 1, 4096, 0),
    ZONE("S0956", 665, READ_BANK, 1, 8192, 0),
    ZONE("S0961", 817, READ_BANK, 16, 512, 0),
    ZONE("S0963", 1244, READ_BANK, 16, 2048, 0),
    ZONE("S0964", 1977, READ_BANK, 16, 4096, 0),
    ZONE("S0965", 3561, READ_BANK, 16, 8192, 0),
    ZONE("S0966", 6034, READ_BANK, 16, 16384, 0),
    ZONE("S0967", 1874, READ_BANK, 64, 64, 0),
    ZONE("S0969", 1890, READ_BANK, 64, 256, 0),
    ZONE("S0970", 1890, READ_BANK, 64, 512, 0),
    ZONE("S0971", 2032, READ_BANK, 64, 1024, 0),
    ZONE("S0972", 3602, READ_BANK, 64, 2048, 0),
    ZONE("S0973", 6693, READ_BANK, 64, 4096, 0),
    ZONE("S0974", 12705, READ_BANK, 64, 8192, 0),
    ZONE("S0975", 22905, READ_BANK, 64, 16384, 0),
    ZONE("S0976", 380, WRITE_BANK, 1, 64, 0),
    ZONE("S0977", 388, WRITE_BANK, 1, 128, 0),
    ZONE("S0978", 388, WRITE_BANK, 1, 256, 0),
    ZONE("S0979", 391, WRITE_BANK, 1, 512, 0),
    ZONE("S0981", 422, WRITE_BANK, 1, 2048, 0),
    ZONE("S0982", 454, WRITE_BANK, 1, 4096, 0),
    ZONE("S0983", 523, WRITE_BANK, 1, 8192, 0),
    ZONE("S0984", 678, WRITE_BANK, 1, 16384, 0),
    ZONE("S0988", 783, WRITE_BANK, 16, 512, 0),
    ZONE("S0989", 791, WRITE_BANK, 16, 1024, 0),
    ZONE("S0990", 976, WRITE_BANK, 16, 2048, 0),
    ZONE("S0991", 1695, WRITE_BANK, 16, 4096, 0),
    ZONE("S0992", 3293, WRITE_BANK, 16, 8192, 0),
    ZONE("S0994", 2025, WRITE_BANK, 64, 64, 0),
    ZONE("S0995", 2023, WRITE_BANK, 64, 128, 0),
    ZONE("S0996", 2031, WRITE_BANK, 64, 256, 0),
    ZONE("S0997", 2031, WRITE_BANK, 64, 512, 0),
    ZONE("S0998", 2039, WRITE_BANK, 64, 1024, 0),
    ZONE("S1000", 6607, WRITE_BANK, 64, 4096, 0),
    ZONE("S1001", 12752, WRITE_BANK, 64, 8192, 0),
    ZONE("S1002", 22351, WRITE_BANK, 64, 16384, 0),
    EVENT("S0734", 450.6, WRITE, 0, 0, 11, 4096),
    EVENT("S0736", 504.5, READ, 0, 0, 11, 256),
    EVENT("S0737", 378.9, WRITE, 1, 0, 1, 256),
    EVENT("S0739", 450.9, WRITE, 1, 0, 1, 4096),
    EVENT("S0740", 373.4, WRITE, 0, 2, 3, 256),
    EVENT("S0741", 375.9, READ, 1, 2, 3, 256),
    EVENT("S0743", 436.0, READ, 1, 2, 3, 4096),
    EVENT("S0744", 378.9, WRITE, 0, 0, 11, 256),
    EVENT("S0745", 490.9, READ, 1, 0, 1, 256),
    EVENT("S0747", 585.2, READ, 1, 0, 1, 4096),
    EVENT("S0748", 502.9, READ, 0, 0, 11, 256),
    EVENT("S0749", 378.6, WRITE, 1, 0, 1, 256),
    EVENT("S0750", 572.9, READ, 0, 0, 11, 4096),
    EVENT("S0751", 450.6, WRITE, 1, 0, 1, 4096),
    EVENT("S0752", 373.4, WRITE, 0, 2, 3, 256),
    EVENT("S0753", 375.9, READ, 1, 2, 3, 256),
    EVENT("S0754", 434.4, WRITE, 0, 2, 3, 4096),
    EVENT("S0756", 378.6, WRITE, 0, 0, 11, 256),
    EVENT("S0759", 575.9, READ, 1, 0, 1, 4096),
    EVENT("S0761", 378.9, WRITE, 1, 0, 1, 256),
    EVENT("S0762", 577.8, READ, 0, 0, 11, 4096),
    EVENT("S0764", 372.6, WRITE, 0, 2, 3, 256),
    EVENT("S0765", 374.6, READ, 1, 2, 3, 256),
    EVENT("S0766", 432.5, WRITE, 0, 2, 3, 4096),
    EVENT("S0767", 437.0, READ, 1, 2, 3, 4096),
};
// clang-format on

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const kinds[] = {
        [ZONE_READ] = "read",           [ZONE_WRITE_SAME] = "write",
        [ZONE_WRITE_DIFF] = "write",    [BANK_READ] = "read of DRAM",
        [BANK_WRITE] = "write of DRAM", [EVENT_READ] = "read, traced",
        [EVENT_WRITE] = "write, traced"};
    const struct zone_row *row = (const struct zone_row *)base;
    snprintf(text->workload, sizeof text->workload, "%u x %u B %s, 1-2 and %u-%u, NoC %u",
             row->transactions, row->bytes, kinds[row->kind], row->at.x, row->at.y, row->noc);
    text->metric = waits_for_each(row) ? "cycles of one, issue to end of barrier"
                                       : "cycles of zone";
}

const struct ts_silicon_family ts_silicon_zones = {
    .name = "zones",
    .title = "networks and DRAM: zones of the profiler (noc_estimator, nocevbench)",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.03,
    .p90 = 0.08,
    .groups = "riscv noc dram",
};
