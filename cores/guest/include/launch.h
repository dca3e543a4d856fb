// Where things lie in L1, and the words by which host, firmware and kernels agree. Used on both
// sides.
//
//   0x00000 BRISC (firmware and writer)   0x06000 TRISC0   0x0b000 TRISC1   0x10000 TRISC2 0x15000
//   NCRISC (reader) 0x1f000 struct ts_launch              0x20000 tensors  0x16b000 event buffers
//   of the three threads
//
// Places of code, tensors and event buffers are those of the vendor's low-level kernel tests
// (tt-llk).
#ifndef TENSIM_GUEST_LAUNCH_H
#define TENSIM_GUEST_LAUNCH_H

#include <stdint.h>

#define TS_L1_THROTTLE   0x10 // of the ARC firmware: odd means matmuls throttle
#define TS_L1_BRISC      0x00000
#define TS_L1_TRISC0     0x06000
#define TS_L1_TRISC1     0x0b000
#define TS_L1_TRISC2     0x10000
#define TS_L1_NCRISC     0x15000
#define TS_L1_SEMAPHORES 0x1e000 // of grid kernels: eight of 16 bytes
#define TS_L1_DRAM       0x1e100 // coordinates of the DRAM channels' endpoints, of NoC 0 and NoC 1
#define TS_DRAM_CHANNELS 8
#define TS_L1_LAUNCH     0x1f000
#define TS_L1_DATA       0x20000
#define TS_L1_EVENTS     0x16b000 // 4 KiB for each of unpack, math, pack

#define TS_SYNC_GO   0x80 // BRISC to the others
#define TS_SYNC_DONE 0x00 // and back
#define TS_DONE_WORD 0x600dd04eu

#define TS_CBS  32
#define TS_ARGS 48

// A circular buffer: tiles of one format between two cores. Counters count tiles, modulo 2^16.
struct ts_cb_config {
    uint32_t address;    // of the ring
    uint32_t tiles;      // in the ring
    uint32_t tile_bytes; // a multiple of 16
    uint32_t format;     // enum ts_guest_format
};

// The coprocessor's format codes.
enum ts_guest_format {
    TS_DF_FP32 = 0,
    TS_DF_FP16 = 1,
    TS_DF_BFP8A = 2,
    TS_DF_BFP4A = 3,
    TS_DF_TF32 = 4,
    TS_DF_BF16 = 5,
    TS_DF_BFP8 = 6,
    TS_DF_BFP4 = 7,
    TS_DF_INT32 = 8,
    TS_DF_INT16 = 9,
    TS_DF_FP8 = 10,
    TS_DF_BFP2A = 11,
    TS_DF_INT8 = 14,
    TS_DF_BFP2 = 15,
};

// What a run measures: everything, or one thread with the others feigned (the run types people use
// on silicon).
enum ts_run_type {
    TS_RUN_L1_TO_L1,
    TS_RUN_UNPACK_ISOLATE,
    TS_RUN_MATH_ISOLATE,
    TS_RUN_PACK_ISOLATE,
    TS_RUN_L1_CONGESTION,
    TS_RUN_TYPES
};

struct ts_launch {
    uint32_t done;          // TS_DONE_WORD when all five have finished
    uint32_t sync[4];       // NCRISC, TRISC0..2: TS_SYNC_GO, TS_SYNC_DONE
    uint32_t x, y;          // of this tile
    uint32_t used;          // bit i: cb[i] is there
    uint32_t args[TS_ARGS]; // of the kernel
    struct ts_cb_config cb[TS_CBS];
    uint32_t received[TS_CBS]; // tiles put in
    uint32_t acked[TS_CBS];    // tiles taken out
};

// Event buffers: two words an entry.
#define TS_EVENT_START 0xau
#define TS_EVENT_END   0xbu
#define TS_ZONE_KERNEL 1u
#define TS_ZONE_INIT   2u
#define TS_ZONE_LOOP   3u

// Arguments every compute kernel has, then its own from TS_ARG_OWN on.
enum {
    TS_ARG_RUN_TYPE,
    TS_ARG_REPEAT, // of the whole work
    TS_ARG_PHASES, // of math fidelity: 1 to 4
    TS_ARG_THROTTLE,
    TS_ARG_DST32,
    TS_ARG_TRANSPOSE, // matmul: in1 is stored transposed. This and the next for general images only
    TS_ARG_TO_DST,    // unpack straight to Dst
    TS_ARG_FACES,     // of a tile of the result: down | across << 4
    TS_ARG_OWN = 8,
};
enum { // matmul, in tiles
    TS_ARG_MT = TS_ARG_OWN,
    TS_ARG_NT,
    TS_ARG_KT,
    TS_ARG_SUB_H,
    TS_ARG_SUB_W,
    TS_ARG_BLOCKS, // of the inner dimension; partial sums are accumulated in L1
};
// x of a column of worker tiles: 1 to 7 and 10 to 16; DRAM and others stand in between.
static inline uint32_t ts_grid_x(uint32_t column)
{
    return column < 7 ? 1 + column : 3 + column;
}
#define TS_GRID_Y       2  // of the first row
#define TS_GRID_COLUMNS 14 // worker tiles of a p150
#define TS_GRID_ROWS    10

enum { // a matmul over a grid of tiles
    TS_ARG_GRID_COLUMNS = 16,
    TS_ARG_GRID_ROWS,
    TS_ARG_GRID_COLUMN, // of this tile
    TS_ARG_GRID_ROW,
    TS_ARG_GRID_SHARD, // L1 address of this tile's columns of in0; 0: in0 lies in DRAM
    TS_ARG_GRID_DRAM0, // where in every channel a matrix starts
    TS_ARG_GRID_DRAM1,
    TS_ARG_GRID_DRAM_OUT, // 0: the result stays in L1
};
enum { // tile by tile kernels
    TS_ARG_TILES = TS_ARG_OWN,
    TS_ARG_OP,
    TS_ARG_BROADCAST,
    TS_ARG_ACROSS, // tiles side by side in the matrix
    TS_ARG_SCALE,  // bits of an FP32 factor
};

#define TS_CB_IN0      0
#define TS_CB_IN1      1
#define TS_CB_OUT      16
#define TS_CB_PARTIALS 24 // sums of the blocks so far

#endif
