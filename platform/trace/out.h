// A trace file on its way out: buffered text, plain or compressed by a thread of its own, in integers
// only, so that the bytes are the same on every host; it ends at a limit.
#ifndef TENSIM_TRACE_OUT_H
#define TENSIM_TRACE_OUT_H

#include "platform/base/cycle.h"
#include "platform/base/error.h"
#include "platform/trace/coder.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TS_TRACE_BUFFER (128u * 1024) // of plain text

struct ts_trace_out {
    int file;               // a descriptor
    struct ts_coder *coder; // NULL: plain
    struct ts_coder_block *block;
    uint64_t gone; // bytes that are not in the buffer
    uint64_t limit;
    int error;
    char *buffer; // of the block, or our own
    size_t used, room;
    size_t coded;   // bytes at the buffer's start that are pieces of the block
    size_t learn;   // where the text of a new phrase begins; SIZE_MAX: it is no longer there
    uint64_t whole; // the last thousands, as text, and that with the point behind it as a number
    char thousands[24];
    unsigned thousands_length;
    uint64_t point;
    uint32_t digits[1000]; // of three digits, the same
};

// False: error says why.
bool ts_out_open(struct ts_trace_out *self, const char *path, bool compressed, uint64_t limit,
                 struct ts_error *error);
// Returns 0, or an errno.
int ts_out_close(struct ts_trace_out *self);
// The limit is reached: nothing more should be written but the end.
static inline bool ts_out_full(const struct ts_trace_out *self)
{
    return self->gone + self->used > self->limit;
}

void ts_out_flush(struct ts_trace_out *self);
void ts_out_large(struct ts_trace_out *self, const char *text, size_t length);

static inline void ts_out_bytes(struct ts_trace_out *self, const char *text, size_t length)
{
    if (__builtin_expect(length > self->room - self->used, 0)) {
        ts_out_large(self, text, length);
        return;
    }
    memcpy(self->buffer + self->used, text, length);
    self->used += length;
}

// Room for `most` bytes, to be taken by ts_out_took: for text that is made where it stands.
static inline char *ts_out_room(struct ts_trace_out *self, size_t most)
{
    if (__builtin_expect(most > self->room - self->used, 0))
        ts_out_flush(self);
    return self->buffer + self->used;
}

static inline void ts_out_took(struct ts_trace_out *self, size_t length)
{
    self->used += length;
}

static inline void ts_out_text(struct ts_trace_out *self, const char *text)
{
    ts_out_bytes(self, text, strlen(text)); // a constant is measured by the compiler
}

// --- phrases, only where the file is compressed

static inline void ts_out_piece(struct ts_trace_out *self, struct ts_piece piece)
{
    self->block->pieces[self->block->count++] = piece;
}

// The text so far is a piece; `phrase`: it becomes one.
static inline void ts_out_text_piece(struct ts_trace_out *self, struct ts_phrase *phrase)
{
    ts_out_piece(self, (struct ts_piece){.head = phrase,
                                         .few = self->coded,
                                         .length = (uint32_t)(self->used - self->coded),
                                         .text = true});
    self->coded = self->used;
}

// The text so far is a piece, and there is room for those of a line.
static inline void ts_out_settle(struct ts_trace_out *self)
{
    if (__builtin_expect(self->block->count > TS_CODER_PIECES - 16 ||
                             self->room - self->used < 2 * TS_PHRASE_MOST,
                         0))
        ts_out_flush(self);
    if (__builtin_expect(self->coded < self->used, 0))
        ts_out_text_piece(self, NULL);
}

static inline bool ts_phrase_known(const struct ts_phrase *phrase)
{
    return phrase && phrase->text;
}

// Writes a phrase and returns true. False: it is not known yet (or NULL: it never will be). Then its
// text follows, and ts_out_learn.
static inline bool ts_out_phrase(struct ts_trace_out *self, struct ts_phrase *phrase)
{
    ts_out_settle(self);
    self->learn = self->used;
    if (!ts_phrase_known(phrase))
        return false;
    ts_out_piece(self, (struct ts_piece){.head = phrase});
    self->gone += phrase->length;
    return true;
}

struct ts_phrases;
void ts_out_learn(struct ts_trace_out *self, struct ts_phrases *phrases, struct ts_phrase *phrase);
// The bytes since the last phrase are digits: there is nothing to look for. If they are more than a
// number, other text is among them.
void ts_out_short(struct ts_trace_out *self);
// Waits until all is compressed: nothing refers to a phrase any more.
void ts_out_drain(struct ts_trace_out *self);

// --- text

void ts_out_number(struct ts_trace_out *self, uint64_t value);
// value / 1000, with three digits after the point.
void ts_out_thousandths(struct ts_trace_out *self, uint64_t value);
void ts_out_whole(struct ts_trace_out *self, uint64_t whole);
// After a phrase, a number below a million and up to two characters: the first one lowest.
static inline void ts_out_count(struct ts_trace_out *self, uint64_t value, uint64_t end,
                                unsigned end_length)
{
    // Three digits without zeros before them.
    uint32_t high = (uint32_t)value / 1000, low = (uint32_t)value % 1000;
    uint32_t first = high ? high : low;
    unsigned skipped = first < 10 ? 2 : first < 100;
    uint64_t bytes = self->digits[first] >> 8 * skipped;
    unsigned length = 3 - skipped;
    if (high) {
        bytes |= (uint64_t)self->digits[low] << 8 * length;
        length += 3;
    }
    bytes |= end << 8 * length;
    length += end_length;
    ts_out_piece(self, (struct ts_piece){.few = bytes, .length = length});
    self->gone += length;
}
// A phrase, a number as thousandths, and a phrase. Both phrases are known.
static inline void ts_out_line(struct ts_trace_out *self, struct ts_phrase *head, uint64_t value,
                               struct ts_phrase *tail)
{
    uint64_t whole = value / 1000;
    if (__builtin_expect(whole != self->whole, 0)) // times come nearly in order
        ts_out_whole(self, whole);
    unsigned length = self->thousands_length + 4;
    ts_out_settle(self);
    if (__builtin_expect(length > 8, 0)) {
        ts_out_phrase(self, head);
        ts_out_thousandths(self, value);
        ts_out_short(self);
        ts_out_phrase(self, tail);
        return;
    }
    uint64_t time = self->point | (uint64_t)self->digits[value - 1000 * whole] << 8 * (length - 3);
    ts_out_piece(self, (struct ts_piece){head, tail, time, length, false});
    self->gone += head->length + length + tail->length;
}
// In quotes, as a string of JSON; `suffix` is part of it.
void ts_out_string(struct ts_trace_out *self, const char *text, const char *suffix);

#endif
