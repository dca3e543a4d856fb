#include "platform/trace/lines.h"

#include <stdlib.h>

#define DIGITS 8 // of a number, about

bool ts_lines_init(struct ts_lines *self, struct ts_trace_out *out)
{
    *self = (struct ts_lines){.out = out, .part_count = 1, .part_end = TS_LINE_PARTS};
    self->entries = calloc(2 * TS_LINES, sizeof *self->entries);
    self->lines = calloc(TS_LINES, sizeof *self->lines);
    self->waiting = malloc(TS_LINES * sizeof *self->waiting);
    self->leaving = malloc(TS_LINES * sizeof *self->leaving);
    self->parts = aligned_alloc(sizeof *self->parts, 2 * TS_LINE_PARTS * sizeof *self->parts);
    self->text = malloc(TS_LINES_TEXT);
    if (self->entries && self->lines && self->waiting && self->leaving && self->parts && self->text)
        return true;
    ts_lines_free(self);
    return false;
}

void ts_lines_free(struct ts_lines *self)
{
    free(self->entries);
    free(self->lines);
    free(self->waiting);
    free(self->leaving);
    free(self->parts);
    free(self->text);
    *self = (struct ts_lines){0};
}

struct ts_line *ts_lines_new(struct ts_lines *self, struct ts_line_entry *entry, uint64_t what,
                             uint64_t which)
{
    struct ts_line *line = &self->lines[self->count++];
    *line = (struct ts_line){.what = what, .which = which};
    *entry = (struct ts_line_entry){what, which, line};
    return line;
}

bool ts_line_learn(struct ts_lines *self, struct ts_line *line, size_t gap)
{
    size_t length = self->out->used;
    char *text = self->text + self->text_used;
    if (gap > TS_PHRASE_MOST || length - gap > TS_PHRASE_MOST)
        return false;
    memcpy(text, self->out->buffer, length);
    self->text_used += length;
    self->out->used = 0;
    line->phrases[0] = ts_gzip_learn(text, gap);
    line->phrases[1] = ts_gzip_learn(text + gap, length - gap);
    line->bytes = (uint32_t)length + (gap ? 2 * DIGITS : DIGITS);
    return true;
}

// The next part of those that leave.
static void write_part(struct ts_lines *self)
{
    struct ts_line_leaves *leaves = &self->leaving[self->left];
    struct ts_line *line = leaves->line;
    const struct ts_line_part *part = &self->parts[leaves->first];
    bool two = line->phrases[0].length > 0;
    __builtin_prefetch(&self->parts[part->next]);
    ts_gzip_lines(self->out->gzip, line->phrases, part->numbers, part->count >> two);
    leaves->first = part->next;
    self->left += part->next == 0;
}

// All that wait leave.
static void leave(struct ts_lines *self)
{
    while (self->left < self->leaving_count)
        write_part(self);
    for (uint32_t i = 0; i < self->waiting_count; i++) {
        struct ts_line *line = self->waiting[i];
        self->leaving[i] = (struct ts_line_leaves){line, line->first};
        line->first = line->last = 0;
    }
    bool low = self->part_end == TS_LINE_PARTS;
    self->leaving_count = self->waiting_count;
    self->waiting_count = self->left = 0;
    self->part_count = low ? TS_LINE_PARTS : 1;
    self->part_end = low ? 2 * TS_LINE_PARTS : TS_LINE_PARTS;
}

struct ts_line_part *ts_line_extend(struct ts_lines *self, struct ts_line *line)
{
    uint32_t next = self->part_count++;
    if (line->last == 0) {
        line->first = next;
        self->waiting[self->waiting_count++] = line;
    } else {
        self->parts[line->last].next = next;
    }
    line->last = next;
    self->parts[next].next = self->parts[next].count = 0;
    if (self->left < self->leaving_count)
        write_part(self);
    return &self->parts[next];
}

void ts_lines_flush(struct ts_lines *self)
{
    leave(self);
    leave(self);
}

void ts_lines_make_room(struct ts_lines *self)
{
    if (self->part_count > self->part_end - 64) {
        leave(self);
        return;
    }
    ts_lines_flush(self);
    memset(self->entries, 0, 2 * TS_LINES * sizeof *self->entries);
    self->count = 0;
    self->text_used = 0;
}
