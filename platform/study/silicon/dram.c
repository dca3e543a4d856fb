// Truth table: DRAM.
//
//   RATE     tiles read or write one channel, or a channel each in turn; 4 KiB (dramratebench)
//   SPREAD   the tiles column by column, a channel each in turn; 2 KiB (dram-noc-bench)
//   STRIPED  every tile's pages lie on all channels in turn; batches of 32, both NoCs
//   others   single streams and pairs of them
// The loops are slower than 40 cycles only where a tile is limited by its channel, not by them.
// Windows over many tiles are cut short (cut).
#include "platform/study/silicon/flow.h"

#define LOOP      38
#define READ_LOOP 47 // of dramratebench
#define START     40
#define PEAK      47.4 // bytes a cycle of a channel, for rows in % of it
#define GB        1.35 // GB/s of a byte a cycle
#define KIB16     16384

enum { PREFERRED, SPLIT3 };

// Columns of Tensix tiles on the cards.
static const uint8_t bench_columns[] = {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16};
static const uint8_t columns[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 16};

static struct flow request(const struct flow_row *row, struct ts_noc_xy by, unsigned channel,
                           unsigned endpoint)
{
    return (struct flow){.op = row->op,
                         .noc = row->noc,
                         .by = by,
                         .at = flow_endpoint(channel, endpoint),
                         .length = row->length,
                         .count = row->requests,
                         .gap = row->op == FLOW_READ && row->length == 4096 ? READ_LOOP : LOOP,
                         .vc = 1};
}

// Tiles row by row.
static struct ts_noc_xy bench_tile(unsigned i)
{
    return (struct ts_noc_xy){bench_columns[i % 12], (uint8_t)(2 + i / 12)};
}

static unsigned make_onechan(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++)
        flows[i] = request(row, bench_tile(i), 0, 2);
    return row->cores;
}

static unsigned make_fanchan(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++)
        flows[i] = request(row, bench_tile(i), i % 8, flow_preferred(i % 8, 0));
    return row->cores;
}

// Tiles column by column, seven channels.
static unsigned make_spread(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < row->cores; i++) {
        struct ts_noc_xy by = {columns[i / 10], (uint8_t)(2 + i % 10)};
        flows[i] = request(row, by, i % 7,
                           row->mode == SPLIT3 ? i % 3 : flow_preferred(i % 7, row->noc));
    }
    return row->cores;
}

// Tiles column by column, pages on eight channels in turn; one stream a tile, on NoC 0 and NoC 1 in
// turn, or two of half the size.
static unsigned make_striped(const struct flow_row *row, struct flow *flows)
{
    unsigned n = 0;
    for (unsigned i = 0; i < row->cores; i++)
        for (unsigned stream = 0; stream < row->mode; stream++) {
            struct ts_noc_xy by = {columns[i / 10], (uint8_t)(2 + i % 10)};
            struct flow *flow = &flows[n++];
            *flow = request(row, by, 0, 0);
            flow->noc = (uint8_t)((i + stream) % 2);
            flow->count = row->requests / row->mode;
            flow->channels = 8;
            flow->batch = 32;
        }
    return n;
}

// One tile next to each channel.
static unsigned make_adjacent(const struct flow_row *row, struct flow *flows)
{
    for (unsigned i = 0; i < 8; i++) {
        struct ts_noc_xy bank = flow_endpoint(i, flow_preferred(i, 0));
        bank.x++;
        flows[i] = request(row, bank, i, flow_preferred(i, 0));
    }
    return 8;
}

#define RATE(name, value, how, kind, n, times)                                                   \
    {                                                                                            \
        .row = {.id = name, .measured = value, .cause = SHARES}, .chip = "p150",                 \
        .figure = FLOW_RATE, .plus = START, .make = how, .op = kind, .cores = n, .length = 4096, \
        .requests = times, .cut = 256 / (times),                                                 \
        .text = (how) == make_onechan ? "one channel" : "a channel each"                         \
    }
#define SPREAD(name, value, kind, n, where, tiles, bytes, times, of)                     \
    {                                                                                    \
        .row = {.id = name, .measured = value, .cause = SHARES}, .chip = "p100",         \
        .figure = FLOW_WINDOW, .plus = START, .make = make_spread, .op = kind, .noc = n, \
        .mode = where, .cores = tiles, .length = bytes, .requests = times, .cut = of,    \
        .text = "spread"                                                                 \
    }
#define FABRIC(name, value, kind, n)                                                              \
    {                                                                                             \
        .row = {.id = name, .measured = value, .cause = SHARES}, .chip = "p100",                  \
        .figure = FLOW_RATE, .plus = START, .make = make_spread, .op = kind, .noc = n,            \
        .mode = SPLIT3, .cores = 118, .length = KIB16, .requests = 16, .cut = 4, .text = "spread" \
    }
#define STRIPED(name, value, kind, tiles, streams, times, of)                              \
    {                                                                                      \
        .row = {.id = name, .measured = value, .cause = SHARES}, .chip = "p150",           \
        .figure = FLOW_RATE, .plus = START, .scale = GB, .make = make_striped, .op = kind, \
        .mode = streams, .cores = tiles, .length = 2048, .requests = times, .cut = of,     \
        .text = "striped"                                                                  \
    }
#define FLOWS(n, ...)                                          \
    .chip = "p100", .count = n, .flows = (const struct flow[]) \
    {                                                          \
        __VA_ARGS__                                            \
    }
#define S(kind, n, bx, by_, ax, ay, bytes, times)                                               \
    {                                                                                           \
        .op = kind, .noc = n, .by = {bx, by_}, .at = {ax, ay}, .length = bytes, .count = times, \
        .gap = LOOP, .vc = 1                                                                    \
    }
// 64 x 2 KiB on NoC 0 and on NoC 1, at once.
#define BOTH(name, a, b, kind, bx, by_, ax, ay)                                                 \
    {                                                                                           \
        .row = {.id = name,                                                                     \
                .measured = a,                                                                  \
                .others = (const double[]){b},                                                  \
                .other_count = 1,                                                               \
                .cause = (kind) == FLOW_WRITE ? TURNS : NULL},                                  \
        .figure = FLOW_RATES, .plus = START,                                                    \
        FLOWS(2, S(FLOW_READ, 0, 1, 4, 0, 11, 2048, 64), S(kind, 1, bx, by_, ax, ay, 2048, 64)) \
    }

// Sixteen tiles read one endpoint, in % of the channel's peak.
#define REQUESTS(name, percent, bytes)                                                          \
    {                                                                                           \
        .row = {.id = name, .measured = percent * PEAK / 100, .cause = CLOCK}, .chip = "p150",  \
        .figure = FLOW_RATE, .plus = START, .make = make_onechan, .op = FLOW_READ, .cores = 16, \
        .length = bytes, .requests = 128, .text = "small reads, one channel"                    \
    }

#define SHARES \
    "not known; on the card packets that trickle from DRAM seem to keep their links meanwhile"
#define TURNS "reads queue ahead of writes in the channel here; the card's controller alternates"
#define CLOCK "in % of 64 GB/s; with S1112's 16.4 cycles it agrees at an AI clock of 1.13 GHz"

// clang-format off
static const struct flow_row rows[] = {
    RATE("S0676", 46.303, make_onechan, FLOW_READ, 1, 128),
    RATE("S0677", 46.349, make_fanchan, FLOW_READ, 1, 128),
    RATE("S0678", 46.058, make_onechan, FLOW_READ, 2, 128),
    RATE("S0679", 92.858, make_fanchan, FLOW_READ, 2, 128),
    RATE("S0681", 148.108, make_fanchan, FLOW_READ, 4, 128),
    RATE("S0682", 45.693, make_onechan, FLOW_READ, 8, 128),
    RATE("S0683", 188.702, make_fanchan, FLOW_READ, 8, 128),
    RATE("S0685", 172.355, make_fanchan, FLOW_READ, 12, 64),
    RATE("S0686", 46.398, make_onechan, FLOW_READ, 16, 64),
    RATE("S0687", 212.244, make_fanchan, FLOW_READ, 16, 64),
    RATE("S0688", 47.096, make_onechan, FLOW_READ, 24, 64),
    RATE("S0689", 205.348, make_fanchan, FLOW_READ, 24, 64),
    RATE("S0690", 47.075, make_onechan, FLOW_READ, 32, 32),
    RATE("S0691", 232.997, make_fanchan, FLOW_READ, 32, 32),
    RATE("S0692", 47.086, make_onechan, FLOW_READ, 48, 32),
    RATE("S0694", 47.143, make_onechan, FLOW_READ, 120, 24),
    RATE("S0695", 233.450, make_fanchan, FLOW_READ, 120, 24),
    RATE("S0716", 46.961, make_onechan, FLOW_WRITE, 1, 128),
    RATE("S0717", 47.038, make_fanchan, FLOW_WRITE, 1, 128),
    RATE("S0720", 46.535, make_onechan, FLOW_WRITE, 48, 32),
    RATE("S0721", 111.372, make_fanchan, FLOW_WRITE, 48, 32),
    RATE("S0722", 46.698, make_onechan, FLOW_WRITE, 120, 24),
    RATE("S0723", 129.794, make_fanchan, FLOW_WRITE, 120, 24),
    SPREAD("B0992", 84571, FLOW_READ, 0, PREFERRED, 7, 2048, 64, 8),
    SPREAD("B0993", 128480, FLOW_READ, 0, PREFERRED, 14, 2048, 64, 8),
    SPREAD("B0994", 161047, FLOW_READ, 0, PREFERRED, 28, 2048, 64, 8),
    SPREAD("B0995", 274864, FLOW_READ, 0, PREFERRED, 56, 2048, 64, 8),
    SPREAD("B0996", 585333, FLOW_READ, 0, PREFERRED, 118, 2048, 32, 16),
    SPREAD("B0997", 22643, FLOW_READ, 1, PREFERRED, 1, 2048, 512, 1),
    SPREAD("B0998", 68450, FLOW_READ, 1, PREFERRED, 7, 2048, 64, 8),
    SPREAD("B0999", 112922, FLOW_READ, 1, PREFERRED, 14, 2048, 64, 8),
    SPREAD("B1000", 232147, FLOW_READ, 1, PREFERRED, 28, 2048, 64, 8),
    SPREAD("B1002", 840611, FLOW_READ, 1, PREFERRED, 118, 2048, 32, 16),
    SPREAD("B1003", 22300, FLOW_WRITE, 0, PREFERRED, 1, 2048, 512, 1),
    SPREAD("B1004", 65022, FLOW_WRITE, 0, PREFERRED, 7, 2048, 64, 8),
    SPREAD("B1005", 110056, FLOW_WRITE, 0, PREFERRED, 14, 2048, 64, 8),
    SPREAD("B1007", 527543, FLOW_WRITE, 0, PREFERRED, 56, 2048, 64, 8),
    SPREAD("B1008", 1080217, FLOW_WRITE, 0, PREFERRED, 118, 2048, 32, 16),
    SPREAD("B1009", 22694, FLOW_WRITE, 1, PREFERRED, 1, 2048, 512, 1),
    SPREAD("B1010", 81249, FLOW_WRITE, 1, PREFERRED, 7, 2048, 64, 8),
    SPREAD("B1011", 128773, FLOW_WRITE, 1, PREFERRED, 14, 2048, 64, 8),
    SPREAD("B1015", 22608, FLOW_READ, 0, SPLIT3, 1, 2048, 512, 1),
    SPREAD("B1016", 103418, FLOW_READ, 0, SPLIT3, 7, 2048, 64, 8),
    SPREAD("B1017", 138602, FLOW_READ, 0, SPLIT3, 14, 2048, 64, 8),
    SPREAD("B1018", 159822, FLOW_READ, 0, SPLIT3, 28, 2048, 64, 8),
    SPREAD("B1020", 567465, FLOW_READ, 0, SPLIT3, 118, 2048, 32, 16),
    SPREAD("B1021", 22616, FLOW_READ, 1, SPLIT3, 1, 2048, 512, 1),
    SPREAD("B1022", 85185, FLOW_READ, 1, SPLIT3, 7, 2048, 64, 8),
    SPREAD("B1024", 228292, FLOW_READ, 1, SPLIT3, 28, 2048, 64, 8),
    SPREAD("B1025", 374201, FLOW_READ, 1, SPLIT3, 56, 2048, 64, 8),
    SPREAD("B1027", 22300, FLOW_WRITE, 0, SPLIT3, 1, 2048, 512, 1),
    SPREAD("B1028", 60018, FLOW_WRITE, 0, SPLIT3, 7, 2048, 64, 8),
    SPREAD("B1029", 111748, FLOW_WRITE, 0, SPLIT3, 14, 2048, 64, 8),
    SPREAD("B1030", 232562, FLOW_WRITE, 0, SPLIT3, 28, 2048, 64, 8),
    SPREAD("B1031", 478391, FLOW_WRITE, 0, SPLIT3, 56, 2048, 64, 8),
    SPREAD("B1034", 114998, FLOW_WRITE, 1, SPLIT3, 7, 2048, 64, 8),
    SPREAD("B1036", 204341, FLOW_WRITE, 1, SPLIT3, 28, 2048, 64, 8),
    SPREAD("B1037", 318835, FLOW_WRITE, 1, SPLIT3, 56, 2048, 64, 8),
    SPREAD("B1038", 530974, FLOW_WRITE, 1, SPLIT3, 118, 2048, 32, 16),
    STRIPED("B1074", 196.2, FLOW_READ, 8, 1, 128, 2),
    STRIPED("B1075", 193.4, FLOW_READ, 8, 1, 128, 2),
    STRIPED("B1077", 192.2, FLOW_WRITE, 8, 1, 128, 2),
    STRIPED("B1079", 179.9, FLOW_WRITE, 8, 2, 128, 2),
    STRIPED("B1081", 344.0, FLOW_READ, 16, 1, 128, 2),
    STRIPED("B1083", 294.9, FLOW_WRITE, 16, 1, 128, 2),
    STRIPED("B1085", 278.1, FLOW_WRITE, 16, 2, 128, 2),
    STRIPED("B1086", 427.0, FLOW_READ, 32, 1, 64, 4),
    STRIPED("B1088", 471.1, FLOW_READ, 32, 2, 64, 4),
    STRIPED("B1089", 327.3, FLOW_WRITE, 32, 1, 64, 4),
    STRIPED("B1090", 327.7, FLOW_WRITE, 32, 1, 64, 4),
    STRIPED("B1093", 445.5, FLOW_READ, 64, 1, 64, 4),
    STRIPED("B1094", 482.3, FLOW_READ, 64, 2, 64, 4),
    STRIPED("B1097", 345.4, FLOW_WRITE, 64, 2, 64, 4),
    STRIPED("B1099", 446.8, FLOW_READ, 110, 1, 64, 4),
    STRIPED("B1100", 481.8, FLOW_READ, 110, 2, 64, 4),
    STRIPED("B1102", 328.7, FLOW_WRITE, 110, 1, 64, 4),
    STRIPED("B1103", 340.9, FLOW_WRITE, 110, 2, 64, 4),
    STRIPED("B1104", 457.0, FLOW_READ, 117, 1, 64, 4),
    STRIPED("B1105", 456.3, FLOW_READ, 117, 1, 64, 4),
    STRIPED("B1108", 331.3, FLOW_WRITE, 117, 1, 64, 4),
    STRIPED("B1109", 343.0, FLOW_WRITE, 117, 2, 64, 4),
    FABRIC("B0847", 157.432, FLOW_READ, 1),
    FABRIC("B0848", 115.992, FLOW_WRITE, 0),
    FABRIC("B0849", 234.387, FLOW_WRITE, 1),
    {.row = {.id = "B1039", .measured = 46.375}, .figure = FLOW_RATE, .plus = START,
     FLOWS(1, S(FLOW_READ, 0, 1, 2, 0, 11, KIB16, 64))},
    {.row = {.id = "B1041", .measured = 47.11}, .figure = FLOW_RATE, .plus = START,
     FLOWS(1, S(FLOW_WRITE, 0, 1, 2, 0, 11, KIB16, 64))},
    BOTH("B1043", 22.141, 22.383, FLOW_READ, 2, 4, 0, 1),
    BOTH("B1044", 20.739, 21.996, FLOW_WRITE, 2, 4, 0, 1),
    BOTH("B1045", 40.157, 40.095, FLOW_READ, 2, 4, 0, 10),
    BOTH("B1047", 40.157, 40.157, FLOW_READ, 14, 7, 9, 1),
    {.row = {.id = "S1111", .measured = 46.3}, .chip = "p150", .figure = FLOW_RATE, .plus = START,
     .scale = 1.0 / 8, .make = make_adjacent, .op = FLOW_READ, .length = KIB16, .requests = 32,
     .text = "a tile next to each channel"},
    {.row = {.id = "S1112", .measured = 16.4}, .chip = "p150", .figure = FLOW_PER_OP,
     .make = make_onechan, .op = FLOW_READ, .cores = 16, .length = 64, .requests = 128,
     .text = "small reads"},
    REQUESTS("S1113", 62, 576),
    REQUESTS("S1113 1088 B", 91, 1088),
    REQUESTS("S1113 2048 B", 98, 2048),
};
// clang-format on

const struct ts_silicon_family ts_silicon_dram = {
    .name = "dram",
    .title = "DRAM",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = flow_run_row,
    .describe = flow_describe,
    .median = 0.05,
    .p90 = 0.32,
    .groups = "noc dram",
};
