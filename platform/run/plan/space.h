// Where tensors lie: DRAM and L1 as the vendor's allocator divides them.
//
//   DRAM  0 .. 1048704 not for tensors (print ring, barrier) | tensors upwards --> | end of a bank
//   L1    0 .. 0x1b400 firmware, ring of kernels (program.h) | circular buffers --> ... <-- tensors | 0x180000
//
// All banks in lockstep: a tensor has one address, which is taken in every bank, also in those that hold nothing of it. First fit
// among the free pieces: the lowest of DRAM, the highest of L1. What is freed joins its free neighbours.
// Source: tt-metal tt_metal/impl/allocator (bank_manager.cpp, tech_reports/memory/allocator.md).
// Inaccuracies: no L1_SMALL and no trace region (both 0 bytes unless a host asks for them).
#pragma once

#include "platform/base/std.h"

#define TS_SPACE_DRAM   1048704u // behind the vendor's print area
#define TS_SPACE_PIECES 128      // taken at once
#define TS_SPACE_ALIGN  64

static inline uint64_t ts_space_aligned(uint64_t bytes)
{
    return (bytes + TS_SPACE_ALIGN - 1) / TS_SPACE_ALIGN * TS_SPACE_ALIGN;
}

// The taken pieces of a kind of memory, the lowest first.
struct ts_space {
    struct ts_space_kind {
        uint64_t first, end;
        uint32_t count;
        struct {
            uint64_t at, bytes;
            char name[32];
        } piece[TS_SPACE_PIECES];
    } kind[2]; // DRAM, L1
};

void ts_space_init(struct ts_space *self, uint64_t dram_end, uint64_t l1_end);
// False: no free piece is so large.
bool ts_space_take(struct ts_space *self, bool l1, uint64_t bytes, const char *name,
                   uint32_t *address);
void ts_space_give(struct ts_space *self, bool l1, uint32_t address);
uint64_t ts_space_largest(const struct ts_space *self, bool l1); // free piece
uint32_t ts_space_lowest(const struct ts_space *self); // address in L1 that is taken, or its end
// "; L1: 111616 to 900000 free, h from 900000 to 1572864"; "" if nothing is taken.
void ts_space_map(const struct ts_space *self, bool l1, char *text, size_t size);
