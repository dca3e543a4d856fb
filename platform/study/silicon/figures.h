// Figures that rows of config/silicon name: expressions of the results r[0], r[1] ...
#pragma once

#include "platform/base/floats.h"

// A slope over the length of a loop, so that what is before and after it does not count.
#define SLOPE(rounds) ((r[1] - r[0]) / (rounds))
// The same less the slope of an empty loop, which runs first; and for 20 and 60 blocks, each by itself.
#define DOUBLE_SLOPE(rounds) ((r[3] - r[2] - r[1] + r[0]) / (rounds))
#define BLOCKS(words)        (((r[3] - r[2]) / 40 - (r[1] - r[0]) / 40) / (words))

// Streams: five results of each flow (config/probes/streams.S), packets of 16 KiB.
enum { FLOW_STARTED, FLOW_ENDED, FLOW_EMPTY, FLOW_ISSUED, FLOW_SEEN, FLOW_RESULTS };

static inline double least(const double *r, unsigned flows, unsigned what)
{
    double value = r[what];
    for (unsigned i = 1; i < flows; i++)
        value = r[FLOW_RESULTS * i + what] < value ? r[FLOW_RESULTS * i + what] : value;
    return value;
}

static inline double most(const double *r, unsigned flows, unsigned what)
{
    double value = 0;
    for (unsigned i = 0; i < flows; i++)
        value = r[FLOW_RESULTS * i + what] > value ? r[FLOW_RESULTS * i + what] : value;
    return value;
}

// From clock to clock of one flow; from the first start to the last end, or to the last word seen; bytes a cycle.
#define REGION(flow)             (r[FLOW_RESULTS * (flow) + FLOW_ENDED] - r[FLOW_RESULTS * (flow)])
#define WINDOW(flows)            (most(r, flows, FLOW_ENDED) - least(r, flows, FLOW_STARTED))
#define SEEN_ALL(flows)          (most(r, flows, FLOW_SEEN) - least(r, flows, FLOW_STARTED))
#define RATE_ALL(flows, packets) (16384.0 * (packets) * (flows) / WINDOW(flows))

// Streams to DRAM: clock before and after each. From the first start to the last end; bytes a cycle of each.
static inline double span(const double *r, unsigned streams)
{
    double first = r[0], last = 0;
    for (unsigned i = 0; i < streams; i++) {
        first = r[2 * i] < first ? r[2 * i] : first;
        last = r[2 * i + 1] > last ? r[2 * i + 1] : last;
    }
    return last - first;
}

// Of tt-metal's profiler, behind the last answer (config/silicon_harness.def).
#define STAMPED 50

// Streams of several draws, of so many bytes together: the mean of the bytes per cycle.
static inline double drawn(const double *r, unsigned streams, unsigned draws, double bytes)
{
    double sum = 0;
    for (unsigned i = 0; i < draws; i++)
        sum += bytes / span(r + 2 * streams * i, streams);
    return sum / draws;
}

static inline double rates_of_two(const double *r, double *figures, double bytes)
{
    figures[1] = bytes / (r[3] - r[2]);
    return bytes / (r[1] - r[0]);
}

// Pairs of marks: the mean of their distances.
static inline double mean_of_pairs(const double *r, unsigned pairs)
{
    double sum = 0;
    for (unsigned i = 0; i < pairs; i++)
        sum += r[2 * i + 1] - r[2 * i];
    return sum / pairs;
}

// Multicasts: 32 clocks of a receiver less those of the sender, the median; the latest of 32 after the first clock.
static inline double median_of_32(const double *r)
{
    double sorted[32];
    for (unsigned i = 0; i < 32; i++) {
        unsigned at = i;
        for (; at > 0 && sorted[at - 1] > r[i] - r[32 + i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = r[i] - r[32 + i];
    }
    return (sorted[15] + sorted[16]) / 2;
}

static inline double mean_of_32(const double *r)
{
    double sum = 0;
    for (unsigned i = 0; i < 32; i++)
        sum += r[i] - r[32 + i];
    return sum / 32;
}

static inline double latest_of_32(const double *r)
{
    double last = 0;
    for (unsigned i = 1; i <= 32; i++)
        last = r[i] - r[0] > last ? r[i] - r[0] : last;
    return last;
}

static inline double from_bf16(unsigned bits)
{
    return (double)ts_bits_float((uint32_t)bits << 16);
}

// RMSNorm: the cycles between the marks, if y, two values a word behind them, is right (config/probes/kernels.S has x and
// gamma). BF16 rounds by up to 0.4 %; three phases of ELWMUL lose a little more.
static inline double norm(const double *r, unsigned tiles)
{
    double sum = 0;
    for (unsigned i = 0; i < 1024 * tiles; i++) {
        double x = from_bf16((i * 7 & 1) << 15 | (0x3f00 + i * 37 % 0x140));
        sum += x * x;
    }
    double by = 1 / sqrt(sum / (1024 * tiles) + 1e-5);
    for (unsigned i = 0; i < 1024 * tiles; i++) {
        double x = from_bf16((i * 7 & 1) << 15 | (0x3f00 + i * 37 % 0x140));
        double gamma = from_bf16((i * 5 >> 2 & 1) << 15 | (0x3f40 + i * 29 % 0x80));
        double y = from_bf16((uint32_t)r[2 + i / 2] >> 16 * (i % 2) & 0xffff);
        if (fabs(y / (x * gamma * by) - 1) > 0.006)
            return NAN;
    }
    return r[1] - r[0];
}

static inline double two_norms(const double *r, double *figures, unsigned tiles)
{
    figures[1] = norm(r + 2 + 512 * tiles, tiles);
    return norm(r, tiles);
}

// A large matmul (config/probes/matmuls.S), in cycles: one tile alone, then the first input and the last output of all tiles.
enum {
    MATMUL_TILES = 110,
    MATMUL_SIDE = 16,
    MATMUL_ALONE = 11,
    MATMUL_INPUT = 3,
    MATMUL_OUTPUT = 2
};

struct matmul {
    double subblocks, rows; // that T0 unpacks
    double unpacking;       // of T0, with counters
    double alone;           // until T1 has ended, on a tile with all input
    double threads;         // of T1, from its first wait to its end
    double math, pack;      // until T1, T2 have ended
    double total;           // until all of c is written
    double writer;          // longest time of a writer of c
};

// Tiles differ in nothing but their place; input comes faster than they use it, and output is written slower than they pack.
static inline struct matmul matmul(const double *r)
{
    const double height = r[0], width = r[1], block = r[2], blocks = r[3], began = r[4];
    const double ready = r[5] - began, math = r[6] - began, pack = r[7] - began;
    const double a_block = (r[9] - r[8]) / (blocks > 2 ? blocks - 2 : 1); // of T2
    const double last_block = pack + began - r[9];
    const double *input = r + MATMUL_ALONE, *output = input + MATMUL_INPUT * MATMUL_TILES;
    double first = input[0], filled = 0, writing = 0;
    for (unsigned i = 0; i < MATMUL_TILES; i++) {
        const double *in = input + MATMUL_INPUT * i, *out = output + MATMUL_OUTPUT * i;
        first = fmin(first, in[0]);
        filled = fmax(filled, fmax(in[1], in[2]));
        writing = fmax(writing, out[1] - out[0]);
    }
    const double fill = filled - first;
    struct matmul to = {.subblocks = MATMUL_SIDE * MATMUL_SIDE / height / width * blocks,
                        .unpacking = r[10],
                        .alone = math,
                        .math = math + (fill - ready), // threads are set up while the input comes
                        .pack = pack + (fill - ready)};
    to.rows = to.subblocks * block * height;
    to.threads = to.math - ready;
    to.writer = writing + last_block / (MATMUL_SIDE * MATMUL_SIDE) * height * width;
    to.total = to.pack - last_block + to.writer;
    // A writer starts when it has the last input: that is read while the block before is used.
    to.writer += a_block - fill;
    return to;
}

static inline double total_and_threads(const double *r, double *figures)
{
    figures[1] = matmul(r).threads / 1350;
    return matmul(r).total / 1350;
}

// A matmul over so many cores, m x k x n with so many phases a product: percent of the peak while its math kernels run.
#define GEMM(cores, m, k, n, phases) \
    (100. * 16 * (phases) * ((double)(m) * (k) * (n) / (32 * 32 * 32)) / (cores) / r[1])

// Figures of each flow: bytes a cycle; cycles from the first start to its word seen.
static inline double rates(const double *r, double *figures, unsigned flows, double packets)
{
    for (unsigned i = 0; i < flows; i++)
        figures[i] = 16384 * packets / REGION(i);
    return figures[0];
}

static inline double seens(const double *r, double *figures, unsigned flows, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        figures[i] = r[FLOW_RESULTS * i + FLOW_SEEN] - least(r, flows, FLOW_STARTED);
    return figures[0];
}
