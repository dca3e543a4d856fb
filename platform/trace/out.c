#include "platform/trace/out.h"

#include <fcntl.h>
#include <unistd.h>

#define PACKED      (64u * 1024)
#define LEVEL       1         // traces repeat themselves: more takes longer than the run
#define GZIP        (15 + 16) // zlib's window of 32 KiB, in a gzip file
#define MEMORY      8         // zlib's default
#define DIGITS_MOST 20        // of a number

static void free_all(struct ts_trace_out *self)
{
    if (self->compressed)
        deflateEnd(&self->zlib);
    free(self->buffer);
    free(self->packed);
}

bool ts_out_open(struct ts_trace_out *self, const char *path, bool compressed, uint64_t limit,
                 struct ts_error *error)
{
    *self = (struct ts_trace_out){.limit = limit};
    self->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (self->file < 0)
        return ts_refuse(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(errno));
    self->buffer = malloc(TS_TRACE_BUFFER);
    self->packed = compressed ? malloc(PACKED) : NULL;
    self->compressed = compressed && deflateInit2(&self->zlib, LEVEL, Z_DEFLATED, GZIP, MEMORY,
                                                  Z_DEFAULT_STRATEGY) == Z_OK;
    if (self->buffer == NULL || (compressed && (self->packed == NULL || !self->compressed))) {
        free_all(self);
        close(self->file);
        return ts_refuse(error, TS_NO_MEMORY, "out of memory for the trace");
    }
    return true;
}

static void write_out(struct ts_trace_out *self, const char *bytes, size_t length)
{
    while (length > 0 && self->error == 0) {
        ssize_t done = write(self->file, bytes, length);
        if (done < 0 && errno != EINTR)
            self->error = errno;
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
}

// `how`: Z_NO_FLUSH, or Z_FINISH at the end.
static void compress_out(struct ts_trace_out *self, int how)
{
    self->zlib.next_in = (unsigned char *)self->buffer;
    self->zlib.avail_in = (unsigned)self->used;
    do {
        self->zlib.next_out = (unsigned char *)self->packed;
        self->zlib.avail_out = PACKED;
        deflate(&self->zlib, how);
        write_out(self, self->packed, PACKED - self->zlib.avail_out);
    } while (self->zlib.avail_out == 0);
}

static void flush(struct ts_trace_out *self, int how)
{
    if (self->compressed)
        compress_out(self, how);
    else
        write_out(self, self->buffer, self->used);
    self->gone += self->used;
    self->used = 0;
}

void ts_out_flush(struct ts_trace_out *self)
{
    flush(self, Z_NO_FLUSH);
}

int ts_out_close(struct ts_trace_out *self)
{
    flush(self, Z_FINISH);
    if (close(self->file) != 0 && self->error == 0)
        self->error = errno;
    free_all(self);
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

// The digits in front of `end`. Returns where they begin.
static char *digits_of(uint64_t value, unsigned base, char *end)
{
    do
        *--end = "0123456789abcdef"[value % base];
    while (value /= base);
    return end;
}

void ts_out_number(struct ts_trace_out *self, uint64_t value)
{
    char digits[DIGITS_MOST], *end = digits + sizeof digits, *first = digits_of(value, 10, end);
    ts_out_bytes(self, first, (size_t)(end - first));
}

void ts_out_hex(struct ts_trace_out *self, uint32_t value)
{
    char digits[DIGITS_MOST], *end = digits + sizeof digits, *first = digits_of(value, 16, end);
    ts_out_bytes(self, first, (size_t)(end - first));
}

void ts_out_thousandths(struct ts_trace_out *self, uint64_t value)
{
    uint64_t low = value % 1000;
    char rest[4] = {'.', (char)('0' + low / 100), (char)('0' + low / 10 % 10),
                    (char)('0' + low % 10)};
    ts_out_number(self, value / 1000);
    ts_out_bytes(self, rest, sizeof rest);
}

// Bytes of a character of UTF-8 outside ASCII (RFC 3629); 0: it is none.
static size_t utf8(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = byte[0] < 0xc2 || byte[0] > 0xf4 ? 0
                    : byte[0] < 0xe0                 ? 2
                    : byte[0] < 0xf0                 ? 3
                                                     : 4;
    for (size_t i = 1; i < length; i++)
        if ((byte[i] & 0xc0) != 0x80)
            return 0;
    bool wrong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xed && byte[1] > 0x9f) ||
                 (byte[0] == 0xf0 && byte[1] < 0x90) || (byte[0] == 0xf4 && byte[1] > 0x8f);
    return wrong ? 0 : length;
}

// Names come from programs: what is no text becomes a question mark.
static void escaped(struct ts_trace_out *self, const char *text)
{
    while (*text) {
        size_t plain = 0;
        while (text[plain] >= ' ' && text[plain] < 127 && text[plain] != '"' && text[plain] != '\\')
            plain++;
        ts_out_bytes(self, text, plain);
        text += plain;
        if (*text == '\0')
            return;
        size_t length = (unsigned char)*text >= 0x80 ? utf8(text) : 0;
        if (*text == '"' || *text == '\\')
            ts_out_bytes(self, (char[]){'\\', *text}, 2);
        else if (length)
            ts_out_bytes(self, text, length);
        else
            ts_out_bytes(self, (unsigned char)*text < ' ' ? " " : "?", 1);
        text += length ? length : 1;
    }
}

void ts_out_string(struct ts_trace_out *self, const char *text, const char *suffix)
{
    ts_out_text(self, "\"");
    escaped(self, text);
    escaped(self, suffix);
    ts_out_text(self, "\"");
}
