// Random extra delays, to shift what happens against each other: --perturb SEED[:max].
//
// A core's access to registers, its store to L1, an instruction at a thread's gate, a stream of an
// unpacker or the packer and a request to the NoC may be held for up to `max` cycles, one in four of
// them. Each place draws from a sequence of its own, which depends on the
// seed, the tile and the place only: the same seed gives the same run, whatever the number of
// threads.
#ifndef TENSIM_BASE_PERTURB_H
#define TENSIM_BASE_PERTURB_H

#include "platform/base/random.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct ts_perturb {
    uint32_t max;   // 0: off
    bool drawn;     // for what is in hand
    uint64_t state; // of the sequence
    uint64_t count; // that were in hand so far
    uint64_t until; // what is in hand is held before this cycle
};

static inline void ts_perturb_init(struct ts_perturb *self, uint32_t max, uint64_t seed,
                                   uint64_t place)
{
    *self = (struct ts_perturb){.max = max,
                                .state = seed * UINT64_C(0x9e3779b97f4a7c15) +
                                         place * UINT64_C(0xbf58476d1ce4e5b9) + 1};
}

// Is what is in hand still held at `now`? Drawn once; ts_perturb_passed when it has gone.
static inline bool ts_perturb_holds(struct ts_perturb *self, uint64_t now)
{
    if (!self->drawn) {
        uint64_t bits = ts_random(&self->state);
        self->drawn = true;
        self->count++;
        self->until = bits & 3 ? now : now + 1 + (bits >> 8) % self->max;
    }
    return now < self->until;
}

// "SEED" or "SEED:MAX"; false: neither.
static inline bool ts_perturb_parse(const char *text, uint64_t *seed, uint32_t *max)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);
    *seed = value;
    *max = 16;
    if (end == text)
        return false;
    if (*end == ':') {
        const char *second = end + 1;
        value = strtoul(second, &end, 0);
        if (end == second || value == 0 || value > 1u << 20)
            return false;
        *max = (uint32_t)value;
    }
    return *end == '\0';
}

static inline void ts_perturb_passed(struct ts_perturb *self)
{
    self->drawn = false;
}

#endif
