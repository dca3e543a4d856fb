// Words of L1 that somebody synchronises by: semaphores, counters of circular buffers, flags. A small write by the NoC or
// the coprocessor leaves with the word what its writer knew; atomics add to it. A word serves synchronisation once
// an atomic or a poll has accessed it: then no load of it is a race, and each load acquires what its value, or the end of its poll, guarantees. So does a word that a small transfer
// over a link has written, once a core loads the word a second time: routers look at many counters in one loop.
#pragma once

#include "platform/check/releases.h"

#define TS_CHECK_WORDS 4096u

struct ts_check_word {
    uint32_t word; // address / 4 + 1; 0: none
    bool sync;
    bool flag;                    // a small transfer over a link has written it
    uint8_t looked;               // of a flag: bit for each core that has loaded it
    struct ts_releases releases;  // what its writers knew
    struct ts_check_place atomic; // the last one of the NoC since the word was set; at 0: none
};

struct ts_check_words {
    struct ts_check_word *table;
};

bool ts_check_words_init(struct ts_check_words *self);
void ts_check_words_free(struct ts_check_words *self);
struct ts_check_word *ts_check_word_find(const struct ts_check_words *self, uint32_t address);
// The same; a word that is not there is added, in the place of a word that does not serve synchronisation. NULL: no room.
struct ts_check_word *ts_check_word_make(struct ts_check_words *self, uint32_t address);
// The host has set the words: what their writers knew before is over.
void ts_check_words_host(struct ts_check_words *self, uint64_t address, uint64_t length);
