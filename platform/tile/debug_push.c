// Instructions that a debugger pushes (control.h).
#include "platform/tile/tile.h"

#define TAKES(thread)  (1u << (thread))       // CTRL0; STATUS: there is room
#define PUSHES(thread) (1u << (4 + (thread))) // CTRL0; STATUS: nothing is in the FIFO
#define RESERVED       0xffffff88u

static uint32_t status(struct ts_tile *tile, ts_cycle now)
{
    uint32_t bits = 0;
    for (unsigned thread = 0; thread < TS_THREADS; thread++) {
        struct ts_frontend *front = &tile->front[thread];
        ts_frontend_catch_up(front, now);
        if (front->replay_count < TS_FRONT_REPLAY && !front->brisc_full)
            bits |= TAKES(thread);
        if (front->replay_count == 0 && !front->brisc_full)
            bits |= PUSHES(thread);
    }
    return bits;
}

// The cores that push into a thread keep up with time from here on, so that none has pushed ahead of it.
static void take(struct ts_tile *tile, unsigned thread, bool taken, ts_cycle now)
{
    if (taken) {
        ts_rv_debug_attach(&tile->cores[TS_RV_BRISC], now);
        ts_rv_debug_attach(&tile->cores[TS_RV_TRISC0 + thread], now);
    }
    tile->front[thread].taken = taken;
}

uint32_t ts_debug_push_load(struct ts_tile *tile, unsigned which, ts_cycle now)
{
    const struct ts_debug_push *self = &tile->control.push;
    return which == TS_DEBUG_PUSH_CTRL0   ? self->control
           : which == TS_DEBUG_PUSH_CTRL1 ? self->word
                                          : status(tile, now);
}

enum ts_rv_answer ts_debug_push_store(struct ts_tile *tile, unsigned which, uint32_t value,
                                      ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_debug_push *self = &tile->control.push;
    if (which == TS_DEBUG_PUSH_CTRL1)
        self->word = value;
    if (which != TS_DEBUG_PUSH_CTRL0)
        return TS_RV_DONE;
    if (value & RESERVED)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "reserved bits of INSTRN_BUF_CTRL0 in 0x%08x", value);
    const uint32_t risen = value & ~self->control;
    self->control = value;
    for (unsigned thread = 0; thread < TS_THREADS; thread++) {
        take(tile, thread, value & TAKES(thread), now);
        struct ts_hold hold;
        if ((value & TAKES(thread)) && (risen & PUSHES(thread)) &&
            (!(status(tile, now) & TAKES(thread)) ||
             !ts_frontend_push_brisc(&tile->front[thread], self->word, now, &hold)))
            return ts_tile_refuse(
                reply, TS_CONTRACT,
                "INSTRN_BUF_CTRL0 pushes 0x%08x into T%u, whose FIFO is full (bit %u of "
                "INSTRN_BUF_STATUS)",
                self->word, thread, thread);
    }
    return TS_RV_DONE;
}
