#include "platform/trace/out.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

// The fastest compression: traces repeat themselves, and the writer must keep up with the
// simulation.
#define MODE_COMPRESSED "wb1"
#define MODE_PLAIN      "wbT"

bool ts_out_open(struct ts_trace_out *self, const char *path, bool compressed, uint64_t limit,
                 struct ts_error *error)
{
    *self = (struct ts_trace_out){.limit = limit};
    gzFile file = gzopen(path, compressed ? MODE_COMPRESSED : MODE_PLAIN);
    if (file == NULL) {
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    gzbuffer(file, TS_TRACE_BUFFER);
    self->file = file;
    return true;
}

void ts_out_flush(struct ts_trace_out *self)
{
    if (self->used && gzwrite(self->file, self->buffer, (unsigned)self->used) == 0 &&
        self->error == 0)
        self->error = errno ? errno : EIO;
    self->used = 0;
}

int ts_out_close(struct ts_trace_out *self)
{
    ts_out_flush(self);
    int result = gzclose(self->file);
    if (self->error == 0 && result != Z_OK)
        self->error = result == Z_ERRNO && errno ? errno : EIO;
    return self->error;
}

void ts_out_large(struct ts_trace_out *self, const char *text, size_t length)
{
    self->bytes += length;
    while (length > 0) {
        if (self->used == TS_TRACE_BUFFER)
            ts_out_flush(self);
        size_t room = TS_TRACE_BUFFER - self->used, part = length < room ? length : room;
        memcpy(self->buffer + self->used, text, part);
        self->used += part;
        text += part;
        length -= part;
    }
}

void ts_out_number(struct ts_trace_out *self, uint64_t value)
{
    char digits[20];
    size_t next = sizeof digits;
    do
        digits[--next] = (char)('0' + value % 10);
    while (value /= 10);
    ts_out_bytes(self, digits + next, sizeof digits - next);
}

static void escaped(struct ts_trace_out *self, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            ts_out_bytes(self, "\\", 1);
        ts_out_bytes(self, (unsigned char)*text < ' ' ? " " : text, 1);
    }
}

void ts_out_string(struct ts_trace_out *self, const char *text, const char *suffix)
{
    ts_out_text(self, "\"");
    escaped(self, text);
    escaped(self, suffix);
    ts_out_text(self, "\"");
}
