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
    self->buffer = malloc(TS_TRACE_BUFFER);
    self->gzip = compressed ? calloc(1, sizeof *self->gzip) : NULL;
    if (self->buffer == NULL || (compressed && self->gzip == NULL)) {
        free(self->buffer);
        free(self->gzip);
        close(self->file);
        ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        return false;
    }
    if (self->gzip)
        ts_gzip_begin(self->gzip, self->file);
    return true;
}

void ts_out_flush(struct ts_trace_out *self)
{
    if (self->gzip) {
        ts_gzip_text(self->gzip, self->buffer, self->used);
    } else {
        int error = self->error ? 0 : ts_write_all(self->file, self->buffer, self->used);
        self->error = self->error ? self->error : error;
    }
    self->gone += self->used;
    self->used = 0;
}

int ts_out_close(struct ts_trace_out *self)
{
    ts_out_flush(self);
    int error = self->gzip ? ts_gzip_end(self->gzip) : 0;
    self->error = self->error ? self->error : error;
    if (close(self->file) != 0 && self->error == 0)
        self->error = errno;
    free(self->buffer);
    free(self->gzip);
    return self->error;
}

void ts_out_large(struct ts_trace_out *self, const char *text, size_t length)
{
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
    if (TS_TRACE_BUFFER - self->used < TS_DIGITS_MOST)
        ts_out_flush(self);
    self->used += ts_digits_of(value, self->buffer + self->used);
}

void ts_out_thousandths(struct ts_trace_out *self, uint64_t value)
{
    uint64_t low = value % 1000;
    char rest[4] = {'.', (char)('0' + low / 100), (char)('0' + low / 10 % 10),
                    (char)('0' + low % 10)};
    ts_out_number(self, value / 1000);
    ts_out_bytes(self, rest, sizeof rest);
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
