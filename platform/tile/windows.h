// The coprocessor as the cores see it: what each window on it does with a load and a store.
//
//   push.c        0xffe40000  instruction FIFOs    0xffb80000  MOP configuration (write-only)
//   semaphores.c  0xffe80000  Manual TTSync, semaphores
//   registers.c   0xffe00000  GPRs                 0xffef0000  backend configuration
//                 0xffb11000  TDMA-RISC            0xffbd8000  Dst
//   overlay.c     0xffb40000  NoC overlay
//
// The context of every window is the tile. The table in tile.c maps them into the address space.
#pragma once

#include "platform/tile/tile.h"

#define TS_WINDOW_LOAD(name)                                                           \
    enum ts_rv_answer name(void *tile, unsigned core, uint32_t address, unsigned size, \
                           ts_cycle now, struct ts_rv_reply *reply)
#define TS_WINDOW_STORE(name)                                                          \
    enum ts_rv_answer name(void *tile, unsigned core, uint32_t address, unsigned size, \
                           const uint32_t *words, unsigned count, ts_cycle now,        \
                           struct ts_rv_reply *reply)

TS_WINDOW_LOAD(ts_push_load);
TS_WINDOW_STORE(ts_push_store);
TS_WINDOW_LOAD(ts_mop_load);
TS_WINDOW_STORE(ts_mop_store);
TS_WINDOW_LOAD(ts_semaphore_load);
TS_WINDOW_STORE(ts_semaphore_store);
TS_WINDOW_LOAD(ts_gpr_load);
TS_WINDOW_STORE(ts_gpr_store);
TS_WINDOW_LOAD(ts_cfg_load);
TS_WINDOW_STORE(ts_cfg_store);
TS_WINDOW_LOAD(ts_tdma_load);
TS_WINDOW_STORE(ts_tdma_store);
TS_WINDOW_LOAD(ts_dst_load);
TS_WINDOW_STORE(ts_dst_store);
TS_WINDOW_LOAD(ts_overlay_load);
TS_WINDOW_STORE(ts_overlay_store);

// Turns a hold into the bus's answer: a wait for an object, or a number of lost cycles where it is
// known.
static inline enum ts_rv_answer ts_window_held(const struct ts_hold *hold, ts_cycle now,
                                               struct ts_rv_reply *reply)
{
    if (hold->until != TS_NEVER) {
        reply->delay += (uint32_t)(hold->until - now);
        return TS_RV_DONE;
    }
    reply->reason = hold->reason;
    reply->object = hold->object;
    return TS_RV_WAIT;
}

static inline bool ts_is_trisc(unsigned core)
{
    return core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2;
}

// Auto TTSync holds a TRISC's access while words in flight use the same registers.
static inline bool ts_window_tracked(struct ts_tile *self, unsigned core, unsigned resources,
                                     bool store, ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_hold hold;
    return ts_is_trisc(core) &&
           !ts_frontend_untracked(&self->front[core - TS_RV_TRISC0], resources, store, &hold) &&
           ts_window_held(&hold, now, reply) == TS_RV_WAIT;
}

// Part of a word, for loads of less than four bytes.
static inline void ts_window_narrow(struct ts_rv_reply *reply, uint32_t address)
{
    reply->value >>= address % 4 * 8;
}

// A register of the overlay without an access; 0: it has none there.
uint32_t ts_overlay_word(const struct ts_tile *self, uint32_t address);
// Who wrote the stream of a readable register last, from outside of the tile; NULL: it is none.
const struct ts_overlay_write *ts_overlay_written(const struct ts_tile *self, uint32_t address);

// The core whose local RAM the slow path has at this address; -1: none.
int ts_local_core(const struct ts_tile *self, uint32_t address);

// The pc of the store that a core sends now.
static inline uint32_t ts_store_pc(const struct ts_tile *self, unsigned core)
{
    const struct ts_rv_core *c = &self->cores[core];
    return c->stores[c->store_head].pc[0];
}
