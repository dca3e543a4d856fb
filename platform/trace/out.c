#include "platform/trace/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ts_out_open(struct ts_trace_out *self, const char *path, bool compressed, uint64_t limit,
                 struct ts_error *error)
{
    *self = (struct ts_trace_out){.limit = limit};
    self->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (self->file < 0) {
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    if (!compressed)
        return true;
    self->gzip = malloc(sizeof *self->gzip);
    if (self->gzip == NULL) {
        close(self->file);
        ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        return false;
    }
    ts_gzip_begin(self->gzip, self->file);
    return true;
}

// What was written and may be repeated moves to the start of the buffer.
static void keep(struct ts_trace_out *self)
{
    self->kept = self->used < TS_GZIP_WINDOW ? self->used : TS_GZIP_WINDOW;
    memmove(self->buffer, self->buffer + self->used - self->kept, self->kept);
    self->used = self->kept;
}

void ts_out_flush(struct ts_trace_out *self)
{
    size_t length = self->used - self->kept;
    if (self->gzip) {
        ts_gzip_add(self->gzip, self->buffer + self->kept, length);
        keep(self);
        return;
    }
    int error = self->error ? 0 : ts_write_all(self->file, self->buffer, length);
    self->error = self->error ? self->error : error;
    self->used = 0;
}

int ts_out_close(struct ts_trace_out *self)
{
    ts_out_flush(self);
    int error = self->gzip ? ts_gzip_end(self->gzip) : 0;
    self->error = self->error ? self->error : error;
    if (close(self->file) != 0 && self->error == 0)
        self->error = errno;
    free(self->gzip);
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

static unsigned digits_of(uint64_t value, char *to)
{
    char digits[20];
    unsigned next = sizeof digits;
    do
        digits[--next] = (char)('0' + value % 10);
    while (value /= 10);
    memcpy(to, digits + next, sizeof digits - next);
    return (unsigned)sizeof digits - next;
}

void ts_out_number(struct ts_trace_out *self, uint64_t value)
{
    ts_out_took(self, digits_of(value, ts_out_room(self, 20)));
}

void ts_out_thousandths(struct ts_trace_out *self, uint64_t value)
{
    uint64_t whole = value / 1000;
    unsigned rest = (unsigned)(value % 1000), length = 1;
    char *to = ts_out_room(self, sizeof self->thousands + 4);
    if (whole == 0) {
        to[0] = '0';
    } else {
        if (whole != self->whole) { // times come nearly in order: most begin like the one before
            self->whole = whole;
            self->thousands_length = digits_of(whole, self->thousands);
        }
        memcpy(to, self->thousands, sizeof self->thousands); // the rest is written over
        length = self->thousands_length;
    }
    to[length] = '.';
    to[length + 1] = (char)('0' + rest / 100);
    to[length + 2] = (char)('0' + rest / 10 % 10);
    to[length + 3] = (char)('0' + rest % 10);
    ts_out_took(self, length + 4);
}

static void escaped(struct ts_trace_out *self, const char *text)
{
    while (*text) {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= ' ' && text[plain] != '"' && text[plain] != '\\')
            plain++;
        ts_out_bytes(self, text, plain);
        text += plain;
        if (*text == '"' || *text == '\\')
            ts_out_bytes(self, "\\", 1);
        if (*text)
            ts_out_bytes(self, (unsigned char)*text < ' ' ? " " : text, 1), text++;
    }
}

void ts_out_string(struct ts_trace_out *self, const char *text, const char *suffix)
{
    ts_out_text(self, "\"");
    escaped(self, text);
    escaped(self, suffix);
    ts_out_text(self, "\"");
}
