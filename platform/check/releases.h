// What the writers of a word or of a semaphore knew, write by write: a wait gets what its threshold guarantees.
//
// A wait for n increments has seen an increment only if n cannot be reached without it: those of all other senders and the
// earlier ones of its own sender are fewer than n. A wait for a value that one writer sets again and again (a counter that the writer sends) has seen
// the first write that is enough.
// Inaccuracies: increments that come after the wait count as none; the oldest of more than TS_RELEASES_MOST count as known to every actor.
#pragma once

#include "platform/check/findings.h"
#include "platform/check/vclock.h"

#define TS_RELEASES_MOST 256u

struct ts_release {
    struct ts_vclock *clock; // what its writer knew
    uint32_t value;          // of the word, after it
    uint32_t at;
    uint16_t home;
    uint8_t actor; // the writer himself
    uint8_t proof; // who knows of this one knows of the write
    bool adds;     // to what was there; else it replaces it
};

struct ts_releases {
    struct ts_release *list;
    uint16_t count, room;
    uint32_t first;         // the value before the list
    struct ts_vclock *base; // known to all who wait; NULL: nothing
};

// A write or an increment that leaves `value`; `home`: where the word is.
void ts_releases_add(struct ts_releases *self, unsigned home, const struct ts_known *known,
                     uint32_t value, bool adds);
// Somebody has waited until the word was at least `spare` less than `value`: calls `gets` for the clocks that this guarantees.
typedef void ts_releases_get(void *context, struct ts_vclock *clock);
void ts_releases_wait(const struct ts_releases *self, uint32_t value, uint32_t spare,
                      ts_releases_get *gets, void *context);
// The last increment that `known` does not cover; NULL: it covers all.
const struct ts_release *ts_releases_unknown(const struct ts_releases *self,
                                             const struct ts_known *known);
void ts_releases_free(struct ts_releases *self);
