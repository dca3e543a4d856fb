// A program file's launch: where things lie in L1, and the words by which host, firmware and kernels
// agree. Used on both sides.
//
//   0x00000 BRISC   0x04000 NCRISC   0x08000 TRISC0   0x0d000 TRISC1   0x13000 TRISC2
//   0x18000 struct ts_program, then this core's configuration: runtime arguments, semaphores,
//           circular buffers
//   0x1b400 free: circular buffers from here upwards, tensors in L1 from the end downwards
//
// Free L1 starts where it does under the vendor's runtime (tt-metal, bh_hal_tensix.cpp); words below
// 128 are the vendor's too (dev_mem_map.h). What lies between is ours.
#ifndef TENSIM_GUEST_PROGRAM_H
#define TENSIM_GUEST_PROGRAM_H

#include <stdint.h>

enum ts_processor { TS_ON_BRISC, TS_ON_NCRISC, TS_ON_TRISC0, TS_ON_TRISC1, TS_ON_TRISC2, TS_ON };

#define TS_PROGRAM_ATOMIC   4  // where the answers of atomic requests go
#define TS_PROGRAM_THROTTLE 16 // of the ARC firmware: odd means matmuls throttle
#define TS_PROGRAM_INLINE   32 // 16 bytes for each NoC, for BRISC and for NCRISC
#define TS_PROGRAM_CODE     128
#define TS_PROGRAM_BRISC    0x00000
#define TS_PROGRAM_NCRISC   0x04000
#define TS_PROGRAM_TRISC0   0x08000
#define TS_PROGRAM_TRISC1   0x0d000
#define TS_PROGRAM_TRISC2   0x13000
#define TS_PROGRAM          0x18000
#define TS_PROGRAM_FREE     0x1b400
#define TS_PROGRAM_END      0x180000

// Counters of circular buffers, if they are in the NoC overlay: tt-metal's places, stream n for buffer n. Received: the size of
// its remote buffer, acknowledged: the start.
#define TS_CB_STREAMS 0xffb40000
#define TS_CB_STEP    0x1000

#define TS_PROGRAM_CBS    64
#define TS_PROGRAM_DRAM   8
#define TS_PROGRAM_MORE   4   // banks of DRAM behind the first eight
#define TS_PROGRAM_BANKS  140 // L1 of every compute core
#define TS_PROGRAM_ZEROS  512 // bytes
#define TS_PROGRAM_PRINT  256 // bytes of a message
#define TS_PROGRAM_ZONES  16
#define TS_SEMAPHORE_STEP 16

#define TS_PROGRAM_READY 0x40 // the others to BRISC: set up
#define TS_PROGRAM_GO    0x80 // and back: all kernels start
#define TS_PROGRAM_DONE  0x600dd04eu
// The cycle at which all tiles start their kernels, as dispatch would start them: later than any of
// them needs to get ready.
#define TS_PROGRAM_START 12000

// A circular buffer, in bytes.
struct ts_program_cb {
    uint32_t address, size, pages, page_size;
};

struct ts_program {
    uint32_t done;        // TS_PROGRAM_DONE when all processors have finished
    uint32_t start_after; // cycles behind TS_PROGRAM_START; with TS_REMEDIES, TS_SEQUENCE
    uint32_t unused[2];
    uint32_t sync[4]; // NCRISC, TRISC0..2: READY, GO, then 0
    // This core: translated coordinates; its place in the grid, and in the kernels' core range.
    uint32_t my_x, my_y, logical_x, logical_y, relative_x, relative_y;
    uint32_t enables; // bit i: processor i has a kernel
    uint32_t rta[TS_ON],
        crta[TS_ON];     // addresses of runtime arguments: own, and common to all cores
    uint32_t semaphores; // address of the first
    uint32_t cb_config;  // address of struct ts_program_cb, by number
    uint32_t cb_mask[2]; // those that are there
    uint32_t received[TS_PROGRAM_CBS],
        acked[TS_PROGRAM_CBS];            // pages put in, taken out; modulo 2^16
    uint16_t dram_xy[2][TS_PROGRAM_DRAM]; // x | y << 6, of NoC 0 and NoC 1
    uint16_t l1_xy[2][TS_PROGRAM_BANKS];
    uint8_t columns[16], rows[16]; // translated x and y of logical columns and rows
    uint16_t dram_more[2][TS_PROGRAM_MORE];
    uint8_t zeros[TS_PROGRAM_ZEROS] __attribute__((aligned(64)));
    uint8_t print[TS_ON][TS_PROGRAM_PRINT];
    // What a kernel prints: items in `print`, then their number here. The host reads them in the cycle
    // of that store.
    uint32_t printed[8] __attribute__((aligned(16)));
    // Timed zones, a ring for each processor: word 0 the clock's low half, then word 1. The host takes
    // an entry at the store of word 1. A ring, because a core may join stores to one address.
    uint32_t zone[TS_ON][TS_PROGRAM_ZONES][2] __attribute__((aligned(16)));
    // Requests of BRISC and NCRISC on each NoC by kind, where both cores use both NoCs.
    uint32_t requests[2][2][5];
};

#define TS_PROGRAM_CONFIG ((TS_PROGRAM + sizeof(struct ts_program) + 63) / 64 * 64)

// Word 1 of a zone: type << 28 | id << 12 | the clock's high half.
#define TS_ZONE_BEGIN  0xau
#define TS_ZONE_FINISH 0xbu
#define TS_ZONE_MARK   0xcu
#define TS_ZONE_WHOLE  1u // the complete kernel; ids below 16 are reserved

#endif
