// Truth table: DRAM.
//
//   RATE     tiles read or write one channel, or a channel each in turn; 4 KiB (dramratebench)
//   SPREAD   the tiles column by column, a channel each in turn; 2 KiB (dram-noc-bench)
//   STRIPED  every tile's pages lie on all channels in turn; batches of 32, both NoCs
//   others   single streams and pairs of them
// The tiles run the reports' own programs: RATE config/probes/dramrate.cpp, the others dram_code.h.
// Rows run with the requests of the measurement: queues in the routers take thousands of cycles to
// fill. Only where many tiles use one channel, which is the limit from the start, are there fewer.
// dramratebench divides by the longest time of a tile; here by the window of all, which is as long
// but for the starts.
// The program of S1111 and S1112 is not published: they run dramratebench's.
#include "platform/study/silicon/dram_code.h"

#include <stdio.h>

#define KIB16   16384u
#define MIB     0x100000u
#define BASE    0x1000000u // in a channel
#define SLICES  16u        // of a channel, dramratebench
#define GB      1.35       // GB/s of a byte a cycle
#define STREAMS 256
#define LIMIT   100000000

enum { READ, WRITE };
enum { ON_BRISC, ON_NCRISC, ON_BOTH };
// Which program, and which endpoints; from PREFERRED on assembler.
enum { ONE_CHANNEL, CHANNEL_EACH, ADJACENT, PREFERRED, SPLIT3, STRIPES, PAIR };
enum figure {
    RATES,    // bytes a cycle of each stream
    RATE_ALL, // bytes a cycle, all streams, first start to last end
    WINDOW,   // cycles from the first start to the last end
    PER_OP,   // cycles per request
};

// One of a pair, or the only one.
struct dram_end {
    uint8_t op, noc;
    struct ts_noc_xy by, at;
};

struct dram_row {
    struct ts_silicon_row row;
    const char *chip;
    uint8_t figure, where, op, noc;
    uint8_t on; // STRIPES: cores of a tile that move pages
    uint16_t cores;
    uint32_t length, requests;
    double scale; // of the figure; 0: 1
    struct dram_end ends[2];
    const char *text; // our words for it
};

// A stream of a core.
struct stream {
    struct ts_noc_xy by, at;
    uint8_t op, noc, core;
    uint32_t count;
};

#define RATE(name, value, how, kind, n, times)                                             \
    {                                                                                      \
        .row = {.id = name, .measured = value, .cause = SHARES}, .chip = "p150",           \
        .figure = RATE_ALL, .where = how, .op = kind, .cores = n, .length = 4096,          \
        .requests = times, .text = (how) == ONE_CHANNEL ? "one channel" : "a channel each" \
    }
#define SPREAD(name, value, kind, n, how, tiles)                                                   \
    {                                                                                              \
        .row = {.id = name, .measured = value, .cause = SHARES}, .chip = "p100", .figure = WINDOW, \
        .where = how, .op = kind, .noc = n, .cores = tiles, .length = 2048, .requests = 512,       \
        .text = "spread"                                                                           \
    }
#define FABRIC(name, value, kind, n)                                                              \
    {                                                                                             \
        .row = {.id = name, .measured = value, .cause = SHARES}, .chip = "p100",                  \
        .figure = RATE_ALL, .where = SPLIT3, .op = kind, .noc = n, .cores = 118, .length = KIB16, \
        .requests = 64, .text = "spread"                                                          \
    }
#define STRIPED(name, value, kind, tiles, who)                                                    \
    {                                                                                             \
        .row = {.id = name, .measured = value, .cause = ONE_CORE}, .chip = "p150",                \
        .figure = RATE_ALL, .scale = GB, .where = STRIPES, .op = kind, .on = who, .cores = tiles, \
        .length = 2048, .requests = 256, .text = "striped"                                        \
    }
#define ALONE(name, value, kind)                                                                   \
    {                                                                                              \
        .row = {.id = name, .measured = value}, .chip = "p100", .figure = RATE_ALL, .where = PAIR, \
        .op = kind, .cores = 1, .length = KIB16, .requests = 64,                                   \
        .ends = {{kind, 0, {1, 2}, {0, 11}}}, .text = "alone"                                      \
    }
// 64 x 2 KiB on NoC 0 and on NoC 1, at once.
#define BOTH(name, a, b, kind, bx, by_, ax, ay)                                              \
    {                                                                                        \
        .row = {.id = name, .measured = a, .others = (const double[]){b}, .other_count = 1}, \
        .chip = "p100", .figure = RATES, .where = PAIR, .cores = 2, .length = 2048,          \
        .requests = 64, .text = "both NoCs", .ends = {                                       \
            {READ, 0, {1, 4}, {0, 11}},                                                      \
            {kind, 1, {bx, by_}, {ax, ay}}                                                   \
        }                                                                                    \
    }

#define SHARES                                                                                    \
    "not known; on the card the answers of a few flows cross a link at 47 B a cycle, and a link " \
    "rests 4 cycles, not 2, between writes to DRAM"
#define ONE_CORE "not known; on the card one core a tile reads slower than two, here it does not"

// clang-format off
static const struct dram_row rows[] = {
    RATE("S0676", 46.303, ONE_CHANNEL, READ, 1, 256),
    RATE("S0677", 46.349, CHANNEL_EACH, READ, 1, 256),
    RATE("S0678", 46.058, ONE_CHANNEL, READ, 2, 256),
    RATE("S0679", 92.858, CHANNEL_EACH, READ, 2, 256),
    RATE("S0681", 148.108, CHANNEL_EACH, READ, 4, 256),
    RATE("S0682", 45.693, ONE_CHANNEL, READ, 8, 256),
    RATE("S0683", 188.702, CHANNEL_EACH, READ, 8, 256),
    RATE("S0685", 172.355, CHANNEL_EACH, READ, 12, 256),
    RATE("S0686", 46.398, ONE_CHANNEL, READ, 16, 256),
    RATE("S0687", 212.244, CHANNEL_EACH, READ, 16, 256),
    RATE("S0688", 47.096, ONE_CHANNEL, READ, 24, 64),
    RATE("S0689", 205.348, CHANNEL_EACH, READ, 24, 256),
    RATE("S0690", 47.075, ONE_CHANNEL, READ, 32, 32),
    RATE("S0691", 232.997, CHANNEL_EACH, READ, 32, 256),
    RATE("S0692", 47.086, ONE_CHANNEL, READ, 48, 32),
    RATE("S0694", 47.143, ONE_CHANNEL, READ, 120, 32),
    RATE("S0695", 233.450, CHANNEL_EACH, READ, 120, 256),
    RATE("S0716", 46.961, ONE_CHANNEL, WRITE, 1, 256),
    RATE("S0717", 47.038, CHANNEL_EACH, WRITE, 1, 256),
    RATE("S0720", 46.535, ONE_CHANNEL, WRITE, 48, 32),
    RATE("S0721", 111.372, CHANNEL_EACH, WRITE, 48, 256),
    RATE("S0722", 46.698, ONE_CHANNEL, WRITE, 120, 32),
    RATE("S0723", 129.794, CHANNEL_EACH, WRITE, 120, 256),
    SPREAD("B0992", 84571, READ, 0, PREFERRED, 7),
    SPREAD("B0993", 128480, READ, 0, PREFERRED, 14),
    SPREAD("B0994", 161047, READ, 0, PREFERRED, 28),
    SPREAD("B0995", 274864, READ, 0, PREFERRED, 56),
    SPREAD("B0996", 585333, READ, 0, PREFERRED, 118),
    SPREAD("B0997", 22643, READ, 1, PREFERRED, 1),
    SPREAD("B0998", 68450, READ, 1, PREFERRED, 7),
    SPREAD("B0999", 112922, READ, 1, PREFERRED, 14),
    SPREAD("B1000", 232147, READ, 1, PREFERRED, 28),
    SPREAD("B1002", 840611, READ, 1, PREFERRED, 118),
    SPREAD("B1003", 22300, WRITE, 0, PREFERRED, 1),
    SPREAD("B1004", 65022, WRITE, 0, PREFERRED, 7),
    SPREAD("B1005", 110056, WRITE, 0, PREFERRED, 14),
    SPREAD("B1007", 527543, WRITE, 0, PREFERRED, 56),
    SPREAD("B1008", 1080217, WRITE, 0, PREFERRED, 118),
    SPREAD("B1009", 22694, WRITE, 1, PREFERRED, 1),
    SPREAD("B1010", 81249, WRITE, 1, PREFERRED, 7),
    SPREAD("B1011", 128773, WRITE, 1, PREFERRED, 14),
    SPREAD("B1015", 22608, READ, 0, SPLIT3, 1),
    SPREAD("B1016", 103418, READ, 0, SPLIT3, 7),
    SPREAD("B1017", 138602, READ, 0, SPLIT3, 14),
    SPREAD("B1018", 159822, READ, 0, SPLIT3, 28),
    SPREAD("B1020", 567465, READ, 0, SPLIT3, 118),
    SPREAD("B1021", 22616, READ, 1, SPLIT3, 1),
    SPREAD("B1022", 85185, READ, 1, SPLIT3, 7),
    SPREAD("B1024", 228292, READ, 1, SPLIT3, 28),
    SPREAD("B1025", 374201, READ, 1, SPLIT3, 56),
    SPREAD("B1027", 22300, WRITE, 0, SPLIT3, 1),
    SPREAD("B1028", 60018, WRITE, 0, SPLIT3, 7),
    SPREAD("B1029", 111748, WRITE, 0, SPLIT3, 14),
    SPREAD("B1030", 232562, WRITE, 0, SPLIT3, 28),
    SPREAD("B1031", 478391, WRITE, 0, SPLIT3, 56),
    SPREAD("B1034", 114998, WRITE, 1, SPLIT3, 7),
    SPREAD("B1036", 204341, WRITE, 1, SPLIT3, 28),
    SPREAD("B1037", 318835, WRITE, 1, SPLIT3, 56),
    SPREAD("B1038", 530974, WRITE, 1, SPLIT3, 118),
    STRIPED("B1074", 196.2, READ, 8, ON_BRISC),
    STRIPED("B1075", 193.4, READ, 8, ON_NCRISC),
    STRIPED("B1077", 192.2, WRITE, 8, ON_BRISC),
    STRIPED("B1079", 179.9, WRITE, 8, ON_BOTH),
    STRIPED("B1081", 344.0, READ, 16, ON_NCRISC),
    STRIPED("B1083", 294.9, WRITE, 16, ON_BRISC),
    STRIPED("B1085", 278.1, WRITE, 16, ON_BOTH),
    STRIPED("B1086", 427.0, READ, 32, ON_BRISC),
    STRIPED("B1088", 471.1, READ, 32, ON_BOTH),
    STRIPED("B1089", 327.3, WRITE, 32, ON_BRISC),
    STRIPED("B1090", 327.7, WRITE, 32, ON_NCRISC),
    STRIPED("B1093", 445.5, READ, 64, ON_NCRISC),
    STRIPED("B1094", 482.3, READ, 64, ON_BOTH),
    STRIPED("B1097", 345.4, WRITE, 64, ON_BOTH),
    STRIPED("B1099", 446.8, READ, 110, ON_NCRISC),
    STRIPED("B1100", 481.8, READ, 110, ON_BOTH),
    STRIPED("B1102", 328.7, WRITE, 110, ON_NCRISC),
    STRIPED("B1103", 340.9, WRITE, 110, ON_BOTH),
    STRIPED("B1104", 457.0, READ, 117, ON_BRISC),
    STRIPED("B1105", 456.3, READ, 117, ON_NCRISC),
    STRIPED("B1108", 331.3, WRITE, 117, ON_NCRISC),
    STRIPED("B1109", 343.0, WRITE, 117, ON_BOTH),
    FABRIC("B0847", 157.432, READ, 1),
    FABRIC("B0848", 115.992, WRITE, 0),
    FABRIC("B0849", 234.387, WRITE, 1),
    ALONE("B1039", 46.375, READ),
    ALONE("B1041", 47.11, WRITE),
    BOTH("B1043", 22.141, 22.383, READ, 2, 4, 0, 1),
    BOTH("B1044", 20.739, 21.996, WRITE, 2, 4, 0, 1),
    BOTH("B1045", 40.157, 40.095, READ, 2, 4, 0, 10),
    BOTH("B1047", 40.157, 40.157, READ, 14, 7, 9, 1),
    {.row = {.id = "S1111", .measured = 46.3}, .chip = "p150", .figure = RATE_ALL, .scale = 1.0 / 8,
     .where = ADJACENT, .op = READ, .cores = 8, .length = KIB16, .requests = 32,
     .text = "a tile next to each channel"},
    {.row = {.id = "S1112", .measured = 16.4}, .chip = "p150", .figure = PER_OP, .where = ONE_CHANNEL,
     .op = READ, .cores = 16, .length = 64, .requests = 128, .text = "small reads"},
};
// clang-format on

// --- streams ---

// Columns of Tensix tiles on the cards: tiles row by row, or column by column.
static struct ts_noc_xy bench_tile(unsigned i)
{
    static const uint8_t columns[] = {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16};
    return (struct ts_noc_xy){columns[i % 12], (uint8_t)(2 + i / 12)};
}

static struct ts_noc_xy column_tile(unsigned i)
{
    static const uint8_t columns[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 16};
    return (struct ts_noc_xy){columns[i / 10], (uint8_t)(2 + i % 10)};
}

static struct stream stream_of(const struct dram_row *row, const struct ts_soc *soc, unsigned i)
{
    struct stream stream = {.op = row->op, .noc = row->noc, .count = row->requests};
    uint32_t bank = 0;
    switch (row->where) {
    case ONE_CHANNEL:
    case CHANNEL_EACH:
    case ADJACENT:
        stream.by = bench_tile(i);
        bank = row->where == ONE_CHANNEL ? 0 : i % 8;
        break;
    case STRIPES:
        stream.by = column_tile(i);
        stream.noc = (uint8_t)(i % 2);
        break;
    case PAIR:
        stream.op = row->ends[i].op;
        stream.noc = row->ends[i].noc;
        stream.by = row->ends[i].by;
        stream.at = row->ends[i].at;
        return stream;
    default:
        stream.by = column_tile(i);
        bank = i % 7;
    }
    stream.at = row->where == SPLIT3 ? soc->dram[bank][i % 3]
                                     : ts_soc_worker_endpoint(soc, bank, stream.noc);
    if (row->where == ADJACENT)
        stream.by = (struct ts_noc_xy){(uint8_t)(stream.at.x + 1), stream.at.y};
    return stream;
}

// All of them: one a tile, or two on its two networks with half the pages each.
static unsigned streams_of(const struct dram_row *row, const struct ts_soc *soc,
                           struct stream *streams)
{
    unsigned count = 0;
    for (unsigned i = 0; i < row->cores; i++) {
        struct stream one = stream_of(row, soc, i);
        one.core = row->where == STRIPES && row->on == ON_NCRISC ? TS_RV_NCRISC : TS_RV_BRISC;
        if (row->where == STRIPES && row->on == ON_BOTH) {
            one.count /= 2;
            streams[count++] = one;
            one.noc = !one.noc;
            one.core = TS_RV_NCRISC;
        }
        streams[count++] = one;
    }
    return count;
}

// --- running ---

static void add_guest(struct squad *squad, const struct dram_row *row, const struct stream *streams,
                      unsigned index, unsigned count)
{
    const struct stream *one = &streams[index];
    uint32_t endpoint = squad_name(squad, one->at), words = DRAMRATE_PEER_XY;
    uint32_t data_bytes = 2 * row->length < 8192 ? 8192 : 2 * row->length;
    uint32_t arguments[SQUAD_ARGUMENTS] = {
        [DRAMRATE_ARRIVALS] = PROBE_DATA,   [DRAMRATE_DATA] = PROBE_DATA + 0x1000,
        [DRAMRATE_DATA_BYTES] = data_bytes, [DRAMRATE_INDEX] = index,
        [DRAMRATE_TILES] = count,           [DRAMRATE_REQUESTS] = one->count,
        [DRAMRATE_BYTES] = row->length,     [DRAMRATE_X] = endpoint & 63,
        [DRAMRATE_Y] = endpoint >> 6,       [DRAMRATE_SLICE] = BASE + index % SLICES * MIB,
        [DRAMRATE_SLICE_BYTES] = MIB,
    };
    for (unsigned i = 0; i < count; i++) {
        uint32_t peer = squad_name(squad, streams[i].by);
        arguments[words++] = peer & 63;
        arguments[words++] = peer >> 6;
    }
    squad_guest(squad, one->by, one->op == READ ? "dram_read.brisc" : "dram_write.brisc", arguments,
                words);
}

static void add_code(struct squad *squad, const struct dram_row *row, const struct stream *one,
                     unsigned index)
{
    struct dram_stream stream = {.noc = one->noc,
                                 .core = one->core,
                                 .read = one->op == READ,
                                 .gated = row->where == PAIR && row->cores > 1,
                                 .bytes = row->length,
                                 .count = one->count,
                                 .base = BASE + index * MIB,
                                 .slot = row->on == ON_BOTH && one->core == TS_RV_NCRISC,
                                 .own = squad_name(squad, one->by),
                                 .to = {squad_name(squad, one->at)}};
    struct ts_rvasm *code = squad_code(squad, one->by, one->core);
    if (row->where != STRIPES) {
        dram_bench_code(code, &stream);
        return;
    }
    for (uint32_t bank = 0; bank < DRAM_BANKS; bank++)
        stream.to[bank] = squad_name(squad, ts_soc_worker_endpoint(&squad->soc, bank, one->noc));
    dram_striped_code(code, &stream);
}

static double word_of(struct squad *squad, bool guest, const struct stream *one, bool end)
{
    if (guest)
        return squad_result(squad, one->by, end ? DRAMRATE_OUT_AFTER : DRAMRATE_OUT_BEFORE);
    return squad_word(squad, one->by,
                      sender_results(one->core) + 4u * (end ? SENDER_ENDED : SENDER_STARTED));
}

static void take_figures(const struct dram_row *row, struct squad *squad,
                         const struct stream *streams, unsigned count, double *simulated)
{
    double first = 0, last = 0, bytes = 0, requests = 0, scale = 1;
    double times[STREAMS];
    for (unsigned i = 0; i < count; i++) {
        double start = word_of(squad, row->where < PREFERRED, &streams[i], false);
        double end = word_of(squad, row->where < PREFERRED, &streams[i], true);
        times[i] = end - start;
        first = i == 0 || start < first ? start : first;
        last = end > last ? end : last;
        bytes += (double)row->length * streams[i].count;
        requests += streams[i].count;
    }
    if (row->scale > 0)
        scale = row->scale;
    switch ((enum figure)row->figure) {
    case RATES:
        for (unsigned i = 0; i < count; i++)
            simulated[i] = (double)row->length * streams[i].count / times[i];
        break;
    case RATE_ALL:
        simulated[0] = scale * bytes / (last - first);
        break;
    case WINDOW:
        simulated[0] = last - first;
        break;
    case PER_OP:
        simulated[0] = (last - first) / requests;
        break;
    }
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct dram_row *row = (const struct dram_row *)base;
    struct squad *squad = squad_new(row->chip, context, error);
    struct stream streams[STREAMS];
    unsigned count = streams_of(row, &squad->soc, streams);
    for (unsigned i = 0; i < count && error->code == TS_OK; i++) {
        if (row->where < PREFERRED)
            add_guest(squad, row, streams, i, count);
        else
            add_code(squad, row, &streams[i], i);
    }
    if (squad_run(squad, LIMIT))
        take_figures(row, squad, streams, count, simulated);
    squad_free(squad);
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const figures[] = {
        [RATES] = "B per cycle of each flow",
        [RATE_ALL] = "B per cycle in sum",
        [WINDOW] = "cycles, first clock to last",
        [PER_OP] = "cycles per request",
    };
    const struct dram_row *row = (const struct dram_row *)base;
    struct ts_soc soc;
    struct ts_error error = {TS_OK, ""};
    if (ts_soc_find(&soc, row->chip, &error) != TS_OK)
        return;
    struct stream streams[STREAMS];
    unsigned count = streams_of(row, &soc, streams);
    text->metric = figures[row->figure];
    snprintf(text->workload, sizeof text->workload,
             "%s: %u x %u B %s, %u-%u and %u-%u, NoC %u%s%.0u%s", row->text, streams[0].count,
             row->length, streams[0].op == READ ? "read" : "write", streams[0].by.x,
             streams[0].by.y, streams[0].at.x, streams[0].at.y, streams[0].noc,
             count > 1 ? ", " : "", count > 1 ? count : 0, count > 1 ? " flows" : "");
}

const struct ts_silicon_family ts_silicon_dram = {
    .name = "dram",
    .title = "DRAM",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.025,
    .p90 = 0.11,
    .groups = "riscv noc dram",
};
