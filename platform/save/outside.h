// Words of the region that point out of it: to libraries, to the C library's heap, to the arguments of the program. Where
// those lie differs from process to process.
//
// Two processes that ran the same command up to the first window have the same words in the region, except for these. So a word
// that points outside in both, to different addresses, is a pointer, and what the one process has there is what the other has.
#pragma once

#include "platform/save/region.h"

struct ts_outside_word {
    uint64_t at, value;
};

// The words that look like pointers to the outside, by address. Some are only numbers.
struct ts_outside {
    struct ts_outside_word *words;
    size_t count, room;
};

// Calls `each` for runs of pages that are not zero; false as soon as it is.
typedef bool ts_region_run(void *context, char *at, size_t bytes);
bool ts_region_runs(uint32_t heap, ts_region_run *each, void *context);

// Looks through the stack above `frame` and the blocks. False: no memory.
bool ts_outside_find(struct ts_outside *self, const void *frame);
// A hash of all words of the blocks but these: the same in every process that is as far in the same command. Frames have holes
// and times, and are not in it.
uint64_t ts_outside_hash(const struct ts_outside *self);

// What the other process had (by value) becomes what this one has.
struct ts_outside_map {
    struct ts_outside_word *pairs; // at: there, value: here
    size_t count;
};
bool ts_outside_map(struct ts_outside_map *self, const struct ts_outside *there,
                    const struct ts_outside *here);
void ts_outside_translate(const struct ts_outside_map *self, uint64_t *words, size_t count);
