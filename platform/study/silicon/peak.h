// A matmul of 5000 x 5000 x 5000 over 10 x 11 tiles of a p150 card, as published with its times
// (blackhole-py, examples/matmul_peak.py and tests/movement, September 2026), written again from its
// description.
//
//   BRISC   first column: reads a block of a (16 tiles high) from DRAM, multicasts it to its row
//   NCRISC  first row: reads a block of b (16 tiles wide), multicasts it down its column, NoC 1;
//           all: write their 16 x 16 tiles of c to DRAM at the end
//   T0      unpacks a row of a sub-block after the other: one tile of a, then those of b
//   T1      multiplies, two halves of Dst in turn; tiles at the edges are not full
//   T2      packs each sub-block; the packer adds it to the sums in L1, and the last block starts
//           from these sums (or is added, too)
//
// One tile alone, whose input is always there, has the pace of the three threads (peak_tile). The
// whole grid runs with peak_grid.
#ifndef TENSIM_STUDY_SILICON_PEAK_H
#define TENSIM_STUDY_SILICON_PEAK_H

#include "platform/study/silicon/peak_code.h"
#include "platform/study/silicon/silicon.h"

#define PEAK_MHZ 1350.0

// What of it runs: all; the input of one block; the output, when all of it is in L1.
enum peak_part { PEAK_WHOLE, PEAK_FILL, PEAK_TAIL };

struct peak {
    unsigned height, width; // tiles of a sub-block
    unsigned block;         // tiles of a block of the inner dimension
    unsigned phases;        // of MVMUL
    bool fp8;               // a and b; else BF16
    bool wide;              // sums and c in FP32; else as FP8's FP16 or BF16
    bool unsynced;          // T1 does not wait for its words at the end of a sub-block
    bool counters;       // the threads add up times of their parts, as the profile of level 1 does
    unsigned blocks;     // run only so many of the inner dimension; 0: all
    enum peak_part part; // of a grid
};

// What a run shows, in cycles.
struct peak_times {
    double ready;      // until the threads are set up
    double fill;       // until the slowest tile has its first blocks
    double math, pack; // until T1, T2 are through, from BRISC's start
    double writer;     // longest time of a writer of c
    double total;      // until all of c is written
    double block;      // of T2: between two blocks
    double last;       // of T2: the last block
    double unpacking;  // of T0, with counters
};

struct peak_times peak_tile(const struct peak *peak, const struct ts_silicon_context *context,
                            struct ts_error *error);
struct peak_times peak_grid(const struct peak *peak, const struct ts_silicon_context *context,
                            struct ts_error *error);
// The whole from its parts: the first input of a grid, a tile's threads, the output of a grid.
// Tiles differ in nothing but their place; input comes faster than they use it, and output is
// written slower than they pack. `written`: with the output.
struct peak_times peak_parts(const struct peak *peak, bool written,
                             const struct ts_silicon_context *context, struct ts_error *error);

// T0's part alone, T1 only clears what it unpacks (microbench_unpack_backend.py): cycles of a round,
// less those of an empty one, when each part in turn runs ten rounds.
// PEAK_SUBBLOCK + i: of 2 x 2 tiles, K i + 1.
enum peak_probe {
    PEAK_POLL = 1,
    PEAK_FLIP,
    PEAK_ROW,
    PEAK_SUBBLOCK,
    PEAK_RELOAD = PEAK_SUBBLOCK + 6
};
double peak_probe(unsigned part, const struct ts_silicon_context *context, struct ts_error *error);

// ---- the plan, and what the programs share

#define PEAK_ROWS    10
#define PEAK_COLUMNS 11
#define PEAK_SIDE    16 // of a core's part of c, in tiles
// Rows, columns and inner elements of c that a core computes.
enum { PEAK_M = 504, PEAK_N = 464, PEAK_K = 5008 };
enum { PEAK_A, PEAK_B, PEAK_C = 16, PEAK_SUMS = 24 }; // buffers
enum { PEAK_ARGUMENTS = 0x30000, PEAK_SEMAPHORES = 0x30200, PEAK_A_DONE = PEAK_SEMAPHORES + 96 };
enum { PEAK_BUFFERS = 0x37000, PEAK_STARTED = 0x17ff10, PEAK_STAMPS = 0x17b000 };
// Stamps: pairs of start and end.
enum { PEAK_AT_TRISC0, PEAK_AT_TRISC1, PEAK_AT_TRISC2, PEAK_AT_BRISC, PEAK_AT_NCRISC };
enum { PEAK_AT_INPUT = PEAK_AT_NCRISC + 1, PEAK_AT_OUTPUT, PEAK_AT_FIRST, PEAK_AT_LAST };
#define PEAK_START(at) (PEAK_STAMPS + 32u * (at))
#define PEAK_END(at)   (PEAK_START(at) + 8)

static inline unsigned peak_blocks(const struct peak *peak)
{
    unsigned all = (157 + peak->block - 1) / peak->block;
    return peak->blocks ? peak->blocks : all;
}
// The inner elements of the blocks that run: the last one has what the last one of all has.
static inline unsigned peak_inner(const struct peak *peak)
{
    unsigned all = (157 + peak->block - 1) / peak->block;
    return PEAK_K - (all - peak_blocks(peak)) * 32 * peak->block;
}
static inline unsigned peak_page(const struct peak *peak, bool input)
{
    return input ? peak->fp8 ? 1024 : 2048 : peak->wide ? 4096 : 2048;
}
// The four buffers of a tile.
void peak_buffers(const struct peak *peak, struct peak_buffer buffers[4]);
// Adds the time between two places of a thread to a counter: which.
void peak_count_start(struct peak_code *k, const struct peak *peak, unsigned counter);
void peak_count_end(struct peak_code *k, const struct peak *peak, unsigned counter);
enum { PEAK_UNPACKING, PEAK_INPUT_WAIT, PEAK_ROOM_WAIT, PEAK_COMMIT, PEAK_DATA_WAIT, PEAK_PACKING };
// Waits until all three threads are set up.
void peak_threads(struct peak_code *k, unsigned thread);

void peak_unpack(struct peak_code *k, const struct peak *peak);
// Its parts: the configuration; registers that hold addresses; a poll for a free context (the
// register has its address); a row: the tile of a that S9 names and `count` of b from S10 on; a
// change of context alone.
void peak_unpack_set_up(struct peak_code *k, const struct peak *peak);
void peak_unpack_registers(struct peak_code *k);
void peak_wait_for_context(struct peak_code *k, unsigned at);
void peak_unpack_row(struct peak_code *k, unsigned count);
void peak_other_context(struct peak_code *k);
void peak_unpack_tiles(struct peak_code *k, unsigned tiles); // to SrcA, with another MOP, and back
void peak_math(struct peak_code *k, const struct peak *peak);
void peak_pack(struct peak_code *k, const struct peak *peak);
void peak_reader(struct peak_code *k, const struct peak *peak, bool sends);
void peak_writer(struct peak_code *k, const struct peak *peak, bool sends);

#endif
