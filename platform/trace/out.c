#include "platform/trace/out.h"

#include "platform/trace/phrases.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ts_out_open(struct ts_trace_out *self, const char *path, bool compressed, uint64_t limit,
                 struct ts_error *error)
{
    *self = (struct ts_trace_out){.limit = limit};
    ts_out_whole(self, 0);
    for (uint32_t i = 0; i < 1000; i++)
        self->digits[i] = ('0' + i / 100) | ('0' + i / 10 % 10) << 8 | ('0' + i % 10) << 16;
    self->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (self->file < 0) {
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    if (compressed && (self->coder = ts_coder_new(self->file)) != NULL) {
        self->block = &self->coder->blocks[0];
        self->buffer = self->block->text;
        self->room = TS_CODER_TEXT;
    } else if (!compressed && (self->buffer = malloc(TS_TRACE_BUFFER)) != NULL) {
        self->room = TS_TRACE_BUFFER;
    } else {
        close(self->file);
        ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        return false;
    }
    return true;
}

void ts_out_flush(struct ts_trace_out *self)
{
    if (self->coder) {
        if (self->coded < self->used)
            ts_out_text_piece(self, NULL);
        self->block = ts_coder_pass(self->coder, self->block);
        self->buffer = self->block->text;
        self->coded = 0;
        self->learn = SIZE_MAX;
    } else {
        int error = self->error ? 0 : ts_write_all(self->file, self->buffer, self->used);
        self->error = self->error ? self->error : error;
    }
    self->gone += self->used;
    self->used = 0;
}

void ts_out_drain(struct ts_trace_out *self)
{
    ts_out_flush(self);
    ts_coder_wait(self->coder);
}

void ts_out_learn(struct ts_trace_out *self, struct ts_phrases *phrases, struct ts_phrase *phrase)
{
    size_t length = self->used - self->coded;
    if (phrase == NULL || self->learn != self->coded || length < 4 || length > TS_PHRASE_MOST)
        return;
    char *text = ts_phrases_text(phrases, length);
    if (text == NULL)
        return;
    memcpy(text, self->buffer + self->coded, length);
    phrase->text = text;
    phrase->length = (uint32_t)length;
    ts_out_text_piece(self, phrase);
}

void ts_out_short(struct ts_trace_out *self)
{
    if (self->used - self->coded > 24)
        return;
    while (self->coded < self->used) {
        size_t left = self->used - self->coded, part = left < 8 ? left : 8;
        uint64_t bytes = 0;
        memcpy(&bytes, self->buffer + self->coded, part);
        ts_out_piece(self,
                     (struct ts_piece){.few = ts_gzip_order(bytes), .length = (uint32_t)part});
        self->coded += part;
    }
}

int ts_out_close(struct ts_trace_out *self)
{
    ts_out_flush(self);
    int error = self->coder ? ts_coder_free(self->coder) : 0;
    self->error = self->error ? self->error : error;
    if (close(self->file) != 0 && self->error == 0)
        self->error = errno;
    if (self->room == TS_TRACE_BUFFER)
        free(self->buffer);
    return self->error;
}

void ts_out_large(struct ts_trace_out *self, const char *text, size_t length)
{
    while (length > 0) {
        if (self->used == self->room)
            ts_out_flush(self);
        size_t room = self->room - self->used, part = length < room ? length : room;
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

void ts_out_whole(struct ts_trace_out *self, uint64_t whole)
{
    self->whole = whole;
    self->thousands_length = digits_of(whole, self->thousands);
    self->point = 0;
    for (unsigned i = 0; i < self->thousands_length && i < 7; i++)
        self->point |= (uint64_t)(unsigned char)self->thousands[i] << 8 * i;
    if (self->thousands_length < 8)
        self->point |= (uint64_t)'.' << 8 * self->thousands_length;
}

void ts_out_thousandths(struct ts_trace_out *self, uint64_t value)
{
    if (value / 1000 != self->whole)
        ts_out_whole(self, value / 1000);
    uint32_t digits = self->digits[value % 1000];
    char rest[4] = {'.', (char)digits, (char)(digits >> 8), (char)(digits >> 16)};
    ts_out_bytes(self, self->thousands, self->thousands_length);
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
