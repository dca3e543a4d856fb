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

#define TS_TRACE_BUFFER (128u * 1024)

struct ts_trace_out {
    int file;             // a descriptor
    struct ts_gzip *gzip; // NULL: plain
    uint64_t bytes, limit;
    int error;
    size_t kept; // bytes at the buffer's start that were written: repetitions refer to them
    size_t used;
    uint64_t whole; // the last thousands, and as text
    char thousands[24];
    unsigned thousands_length;
    char buffer[TS_TRACE_BUFFER];
};

// False: error says why.
bool ts_out_open(struct ts_trace_out *self, const char *path, bool compressed, uint64_t limit,
                 struct ts_error *error);
// Returns 0, or an errno.
int ts_out_close(struct ts_trace_out *self);
// The limit is reached: nothing more should be written but the end.
static inline bool ts_out_full(const struct ts_trace_out *self)
{
    return self->bytes > self->limit;
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
    self->bytes += length;
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
    self->bytes += length;
}

static inline void ts_out_text(struct ts_trace_out *self, const char *text)
{
    ts_out_bytes(self, text, strlen(text)); // a constant is measured by the compiler
}

void ts_out_number(struct ts_trace_out *self, uint64_t value);
// value / 1000, with three digits after the point.
void ts_out_thousandths(struct ts_trace_out *self, uint64_t value);
// In quotes, as a string of JSON; `suffix` is part of it.
void ts_out_string(struct ts_trace_out *self, const char *text, const char *suffix);

#endif
