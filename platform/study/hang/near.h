// Near misses of a run: what would have gone another way if something had come a little later.
//
// A search for a timing that hangs tries these first, the nearest first:
//
// - a semaphore at its edge: a get that came shortly after the post it needs, a post that came
//   shortly after the get that made room, without a wait in between. Hold the first of the two.
// - a SrcA or SrcB bank that the matrix unit gives back shortly after it became valid, without
//   having used it or waited for it: hold the unpacker's instruction.
// - a circular buffer that was full or empty when it was counted: hold the count.
// - every other place of synchronisation once: a post, a get, a bank, a mail, a count of pages, a
//   request to the NoC, for 100 and for 1000 cycles.
// - a core's store to a word that the network changes later (a flag that it clears): hold the store until
//   this change has passed. Ranks behind full and empty buffers.
//
// The run that is watched needs places that count (struct ts_tile_config: perturb_max 1,
// perturb_holds "").
// Inaccuracies: a core's wait before its get is not seen, so such a pair is tried in vain.
#pragma once

#include "platform/tile/follow.h"

#define TS_NEAR_HOLDS 400 // at most

struct ts_near_hold {
    unsigned rank;  // small ones first, then
    uint64_t slack; // cycles between the two
    char perturb[TS_PERTURB_TEXT];
    char why[120];
};

struct ts_near;

struct ts_near *ts_near_new(void);
void ts_near_free(struct ts_near *self);
// Before the run: watches a tile, too.
void ts_near_watch(struct ts_near *self, struct ts_tile *tile);
// After it, before the tiles are freed.
void ts_near_end(struct ts_near *self);
// All near misses, in the order in which to try them. They live as long as `self`. Texts name the
// tile if there are several.
const struct ts_near_hold *ts_near_list(const struct ts_near *self, size_t *count);
// One line each, "T0@5+24 why"; and back: the number of holds that were read.
void ts_near_write(const struct ts_near *self, FILE *file);
size_t ts_near_read(FILE *file, struct ts_near_hold *list, size_t room);
