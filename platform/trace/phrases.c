#include "platform/trace/phrases.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 16384 // entries

bool ts_phrases_init(struct ts_phrases *self)
{
    *self = (struct ts_phrases){.room = FIRST, .most = FIRST / 2};
    self->entries = calloc(self->room, sizeof *self->entries);
    self->text = malloc(TS_PHRASES_TEXT);
    if (self->entries && self->text)
        return true;
    ts_phrases_free(self);
    return false;
}

void ts_phrases_free(struct ts_phrases *self)
{
    free(self->entries);
    free(self->text);
    *self = (struct ts_phrases){0};
}

static struct ts_phrase_entry *place_for(struct ts_phrase_entry *entries, size_t room,
                                         uint64_t what, uint64_t which)
{
    size_t at = ts_phrases_hash(what, which) & (room - 1);
    while (entries[at].what)
        at = (at + 1) & (room - 1);
    return &entries[at];
}

// Twice the room. False: no memory.
static bool grow(struct ts_phrases *self)
{
    size_t room = 2 * self->room;
    struct ts_phrase_entry *entries = calloc(room, sizeof *entries);
    if (entries == NULL)
        return false;
    for (size_t i = 0; i < self->room; i++) {
        const struct ts_phrase_entry *entry = &self->entries[i];
        if (entry->what)
            *place_for(entries, room, entry->what, entry->which) = *entry;
    }
    free(self->entries);
    self->entries = entries;
    self->room = room;
    return true;
}

void ts_phrases_make_room(struct ts_phrases *self)
{
    if (self->room > TS_PHRASES || self->most == 0 || !grow(self)) {
        memset(self->entries, 0, self->room * sizeof *self->entries);
        self->count = self->text_used = 0;
    }
    self->most = self->room / 2;
}

struct ts_phrase *ts_phrases_add(struct ts_phrases *self, uint64_t what, uint64_t which)
{
    struct ts_phrase_entry *entry = place_for(self->entries, self->room, what, which);
    *entry = (struct ts_phrase_entry){.what = what, .which = which};
    self->count++;
    return &entry->phrase;
}

char *ts_phrases_text(struct ts_phrases *self, size_t length)
{
    char *text = self->text + self->text_used;
    size_t whole = (length + TS_PHRASE_UNIT - 1) / TS_PHRASE_UNIT * TS_PHRASE_UNIT;
    if (whole > TS_PHRASES_TEXT - self->text_used) {
        self->most = 0; // before the next event it begins again
        return NULL;
    }
    self->text_used += whole;
    return text;
}
