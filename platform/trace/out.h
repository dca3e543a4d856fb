// A trace file on its way out: buffered text, plain or compressed by zlib, in integers only, so that the text is the
// same on every host; it ends at a limit.
#pragma once

#include "platform/base/cycle.h"
#include "platform/base/error.h"

#include <zlib.h>

#define TS_TRACE_BUFFER (128u * 1024)

struct ts_trace_out {
    int file; // a descriptor
    bool compressed;
    z_stream zlib;
    uint64_t gone; // bytes that are not in the buffer
    uint64_t limit;
    int error; // the first errno
    size_t used;
    char *buffer, *packed; // packed: on their way from zlib to the file
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

static inline void ts_out_text(struct ts_trace_out *self, const char *text)
{
    ts_out_bytes(self, text, strlen(text)); // a constant is measured by the compiler
}

void ts_out_number(struct ts_trace_out *self, uint64_t value);
void ts_out_hex(struct ts_trace_out *self, uint32_t value);
// value / 1000, with three digits after the point.
void ts_out_thousandths(struct ts_trace_out *self, uint64_t value);
// In quotes, as a string of JSON; `suffix` is part of it.
void ts_out_string(struct ts_trace_out *self, const char *text, const char *suffix);
