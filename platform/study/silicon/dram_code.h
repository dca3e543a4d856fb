// The programs of the reports on DRAM that are assembler, instruction by instruction
// (boopdotpng/tenstorrent-docs, microbenching/noc/riscv_dram_noc_bench; boopdotpng/blackhole-py,
// tests/movement/bench_dram_bandwidth).
//
// Both read the clock, move their pages and read the clock again; what the hosts write before, and what
// proves that the bytes are right, is left out.
#ifndef TENSIM_STUDY_SILICON_DRAM_CODE_H
#define TENSIM_STUDY_SILICON_DRAM_CODE_H

#include "platform/study/silicon/senders.h"

#define DRAM_BANKS 8

struct dram_stream {
    uint8_t noc, core;
    bool read, gated;      // gated: starts at a given time
    uint32_t bytes, count; // of a page; pages
    uint32_t base;         // of the first page in its channel
    uint32_t slot;         // of two streams of a tile: whose pages in L1
    uint32_t own;          // coordinates as programs give them
    uint32_t to[DRAM_BANKS];
};

// All pages in one channel, one request after the other; then the wait for all.
void dram_bench_code(struct ts_rvasm *p, const struct dram_stream *self);
// Pages on all channels in turn, in batches. A read waits for its batch; a write waits until the batch
// has left, and for all answers at the end.
void dram_striped_code(struct ts_rvasm *p, const struct dram_stream *self);

#endif
