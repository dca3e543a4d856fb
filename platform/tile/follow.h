// A follower of a tile's synchronisation: sees every instruction that passes a gate, and what cores
// do to semaphores, mailboxes and circular buffers. For recordings; without a follower it costs
// nothing.
#pragma once

#include "platform/tile/tile.h"

struct ts_follow {
    void *context;
    void (*word)(void *context, unsigned thread, uint32_t word);
    // A core's store to a semaphore.
    void (*semaphore)(void *context, unsigned core, unsigned index, bool get);
    void (*mail)(void *context, unsigned core, unsigned other, bool send);
    // Pages counted in or out of a buffer, by a thread (below TS_THREADS) or a core (TS_BY_CORE + it).
    void (*pages)(void *context, unsigned by, unsigned buffer, bool push, uint32_t pages);
    // The network is about to change a word of L1. NULL: no call.
    void (*arrival)(void *context, uint32_t address, ts_cycle now);
};

// Call before the run. The caller owns the struct; NULL: no follower any more.
void ts_follow_start(struct ts_tile *tile, const struct ts_follow *follow);
