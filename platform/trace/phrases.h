// The phrases of a trace file by what they say: a table from two numbers to a phrase, and the memory
// of their texts.
//
// Its size does not depend on the length of the run: when it holds TS_PHRASES phrases, or
// no more text fits, it forgets all of them and begins again.
#ifndef TENSIM_TRACE_PHRASES_H
#define TENSIM_TRACE_PHRASES_H

#include "platform/trace/gzip.h"

#define TS_PHRASES      (1u << 16)
#define TS_PHRASES_TEXT (1u << 24) // nothing is resident before it is used

struct ts_phrase_entry {
    uint64_t what, which; // what is never 0
    struct ts_phrase phrase;
};

struct ts_phrases {
    struct ts_phrase_entry *entries; // a hash table
    size_t count, room;
    size_t most; // of count, before it grows or begins again
    char *text;
    size_t text_used;
};

// False: out of memory.
bool ts_phrases_init(struct ts_phrases *self);
void ts_phrases_free(struct ts_phrases *self);

// Do the phrases of another event fit? If not, ts_phrases_make_room, after which pointers to phrases
// are no longer valid.
static inline bool ts_phrases_full(const struct ts_phrases *self)
{
    return self->count >= self->most;
}
void ts_phrases_make_room(struct ts_phrases *self);

// A new entry.
struct ts_phrase *ts_phrases_add(struct ts_phrases *self, uint64_t what, uint64_t which);
// Memory for a text, in whole units. NULL: there is none.
char *ts_phrases_text(struct ts_phrases *self, size_t length);

static inline size_t ts_phrases_hash(uint64_t what, uint64_t which)
{
    uint64_t hash = (what ^ which << 23) * UINT64_C(0x9e3779b97f4a7c15) + which;
    return (size_t)(hash ^ hash >> 32);
}

// The phrase that says this. Not known yet: its text is NULL.
static inline struct ts_phrase *ts_phrase_of(struct ts_phrases *self, uint64_t what, uint64_t which)
{
    size_t mask = self->room - 1;
    for (size_t at = ts_phrases_hash(what, which) & mask;; at = (at + 1) & mask) {
        struct ts_phrase_entry *entry = &self->entries[at];
        if (entry->what == what && entry->which == which)
            return &entry->phrase;
        if (entry->what == 0)
            return ts_phrases_add(self, what, which);
    }
}

#endif
