// A trace file on its way out: buffered text, compressed or plain, in integers only, so that the
// bytes are the same on every host; it ends at a limit.
#ifndef TENSIM_TRACE_OUT_H
#define TENSIM_TRACE_OUT_H

#include "platform/base/cycle.h"
#include "platform/base/error.h"
#include "platform/trace/gzip.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TS_TRACE_BUFFER (512u * 1024)

struct ts_trace_out {
    int file;             // a descriptor
    struct ts_gzip *gzip; // NULL: plain
    uint64_t gone;        // bytes that were in the buffer and are no more
    uint64_t limit;
    int error;
    size_t coded; // bytes at the buffer's start that are written: repetitions refer to them
    size_t used;
    size_t learn;   // where the text of a new phrase begins; SIZE_MAX: it is no longer there
    uint64_t whole; // the last thousands, as text, and that with the point behind it as a number
    char thousands[24];
    unsigned thousands_length;
    uint64_t point;
    uint32_t digits[1000]; // of three digits, the same
    char buffer[TS_TRACE_BUFFER + TS_PHRASE_UNIT];
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
    if (__builtin_expect(length > TS_TRACE_BUFFER - self->used, 0)) {
        ts_out_large(self, text, length);
        return;
    }
    memcpy(self->buffer + self->used, text, length);
    self->used += length;
}

// Room for `most` bytes, to be taken by ts_out_took: for text that is made where it stands.
static inline char *ts_out_room(struct ts_trace_out *self, size_t most)
{
    if (__builtin_expect(most > TS_TRACE_BUFFER - self->used, 0))
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

// All text is compressed; there is room for a line.
static inline void ts_out_settle(struct ts_trace_out *self)
{
    ts_out_room(self, 2 * TS_PHRASE_MOST + 8);
    if (__builtin_expect(self->coded < self->used, 0)) {
        ts_gzip_add(self->gzip, self->buffer + self->coded, self->used - self->coded);
        self->coded = self->used;
    }
}

static inline void ts_out_coded(struct ts_trace_out *self, size_t length)
{
    self->coded = self->used += length;
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
    ts_gzip_add_phrase(self->gzip, self->buffer + self->used, phrase);
    ts_out_coded(self, phrase->length);
    return true;
}

struct ts_phrases;
void ts_out_learn(struct ts_trace_out *self, struct ts_phrases *phrases, struct ts_phrase *phrase);
// The bytes since the last phrase are digits: there is nothing to look for. If they are more than a
// number, other text is among them.
static inline void ts_out_short(struct ts_trace_out *self)
{
    if (self->used - self->coded > 24)
        return;
    ts_gzip_add_short(self->gzip, self->buffer + self->coded, self->used - self->coded);
    self->coded = self->used;
}

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
    uint64_t word = ts_gzip_order(bytes);
    char *to = ts_out_room(self, sizeof word);
    memcpy(to, &word, sizeof word);
    ts_gzip_add_few(self->gzip, to, bytes, length);
    ts_out_coded(self, length);
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
    ts_gzip_add_line(self->gzip, self->buffer + self->used, head, time, length, tail);
    ts_out_coded(self, head->length + length + tail->length);
}
// In quotes, as a string of JSON; `suffix` is part of it.
void ts_out_string(struct ts_trace_out *self, const char *text, const char *suffix);

#endif
