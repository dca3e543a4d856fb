// Extra delays, to shift what happens against each other: --perturb.
//
//   SEED[:MAX]                         random delays of up to MAX cycles, for one in four
//   [X-Y/]PLACE@NUMBER+CYCLES,...      holds exactly these: the NUMBERth at PLACE for CYCLES cycles
//   [X-Y/]PLACE@NUMBER=CYCLE,...       until that cycle
//
// Places: T0 T1 T2 (instructions at a thread's gate); brisc.load trisc0.store ... (a core's accesses
// to registers); trisc0.l1 ... (its stores to L1); unpack0 unpack1 pack (transfers of the unpackers and
// the packer); noc0 noc1 (requests to the NoC). At random, each place draws from a sequence of its
// own, which depends on the seed, the tile and the place only: the same text gives the same run,
// whatever the number of threads.
#pragma once

#include "platform/base/random.h"

#define TS_PERTURB_TEXT 200 // characters of a text, with its end, that a search tries

struct ts_perturb {
    uint32_t max;   // 0: off
    bool drawn;     // for what is in hand
    uint64_t state; // of the sequence
    uint64_t count; // that were in hand so far
    uint64_t until; // what is in hand is held before this cycle
    // Holds: all of them (NULL: at random), this place, and the next one at it.
    const char *holds;
    const char *place;
    uint32_t x, y;
    uint64_t number, cycles; // number 0: none is left
    bool absolute;
    // For who wants to know: the cycles in which the first `room` of them came.
    uint64_t *times, room;
};

static inline void ts_perturb_init(struct ts_perturb *self, uint32_t max, uint64_t seed,
                                   uint64_t place)
{
    *self = (struct ts_perturb){.max = max,
                                .state = seed * UINT64_C(0x9e3779b97f4a7c15) +
                                         place * UINT64_C(0xbf58476d1ce4e5b9) + 1};
}

// Holds instead of random delays; the texts live as long as it. `x`, `y`: its tile.
void ts_perturb_only(struct ts_perturb *self, const char *holds, const char *place, uint32_t x,
                     uint32_t y);
// The next of its holds.
void ts_perturb_next(struct ts_perturb *self);

// Is what is in hand still held at `now`? Drawn once; ts_perturb_passed when it has gone.
static inline bool ts_perturb_holds(struct ts_perturb *self, uint64_t now)
{
    if (!self->drawn) {
        self->drawn = true;
        if (self->count++ < self->room)
            self->times[self->count - 1] = now;
        if (self->holds) {
            bool own = self->count == self->number;
            self->until = !own ? now : self->absolute ? self->cycles : now + self->cycles;
            if (own)
                ts_perturb_next(self);
        } else {
            uint64_t bits = ts_random(&self->state);
            self->until = bits & 3 ? now : now + 1 + (bits >> 8) % self->max;
        }
    }
    return now < self->until;
}

static inline void ts_perturb_passed(struct ts_perturb *self)
{
    self->drawn = false;
}

// What --perturb asks for.
struct ts_perturb_how {
    uint64_t seed;
    uint32_t max;      // 0: off
    const char *holds; // of the text; NULL: at random
};

#define TS_PERTURB_FORM \
    "SEED or SEED:MAX, nor PLACE@NUMBER+CYCLES,... (T0@17+300,trisc0.store@5+40)"

// False: it is none of them.
bool ts_perturb_parse(const char *text, struct ts_perturb_how *how);

// Names of places, by kind: the gates of the threads; loads, stores to registers and stores to L1 of
// the cores; transfers; NoCs.
enum ts_perturb_kind {
    TS_PERTURB_GATE,
    TS_PERTURB_LOAD,
    TS_PERTURB_STORE,
    TS_PERTURB_L1,
    TS_PERTURB_TRANSFER,
    TS_PERTURB_NOC,
    TS_PERTURB_KINDS
};
const char *ts_perturb_place(enum ts_perturb_kind kind, unsigned index);
