// Lines of a trace file by what they say: a table from two numbers to a line (gzip.h: one or two
// phrases with a number behind each), and the numbers of those that are not written yet.
//
// Lines that say the same are written together, so that each refers to the one before it: when there
// is no room for more, all that wait leave, a part of them with each new part, so that the work is even.
// Their order in the file depends on the events alone.
// The size of this does not depend on the length of the run: when there are TS_LINES different
// lines, or no more text fits, all are written and forgotten.
#ifndef TENSIM_TRACE_LINES_H
#define TENSIM_TRACE_LINES_H

#include "platform/trace/out.h"

#define TS_LINES        (1u << 15)
#define TS_LINES_TEXT   (1u << 23) // nothing is resident before it is used
#define TS_LINE_PARTS   (1u << 13) // that wait; as many leave
#define TS_PART_NUMBERS 7u

// Numbers of a line that wait.
struct ts_line_part {
    uint32_t next, count; // next: 0 in the last part of a line
    uint64_t numbers[TS_PART_NUMBERS];
};

struct ts_line {
    uint64_t what, which;
    uint32_t bytes;              // of a line, about
    uint32_t first, last;        // parts; 0: nothing waits
    struct ts_phrase phrases[2]; // the first one is empty: a line has one number
};

struct ts_lines {
    struct ts_trace_out *out;
    struct ts_line_entry {
        uint64_t what, which; // what is never 0
        struct ts_line *line;
    } * entries; // a hash table
    struct ts_line *lines, **waiting;
    struct ts_line_leaves {
        struct ts_line *line;
        uint32_t first; // part
    } * leaving;
    struct ts_line_part *parts; // the first one is not used
    char *text;
    size_t text_used;
    uint32_t count, waiting_count, leaving_count, left; // left: of those that leave
    uint32_t part_count, part_end;
};

// False: out of memory.
bool ts_lines_init(struct ts_lines *self, struct ts_trace_out *out);
void ts_lines_free(struct ts_lines *self);
// Writes all that waits.
void ts_lines_flush(struct ts_lines *self);

// A new entry. Its line has no text.
struct ts_line *ts_lines_new(struct ts_lines *self, struct ts_line_entry *entry, uint64_t what,
                             uint64_t which);
// Gives it what is in the buffer of `out`, with a number behind it, and one at `gap`, unless that is 0. False: it is
// too long.
bool ts_line_learn(struct ts_lines *self, struct ts_line *line, size_t gap);
// Before an event: pointers to lines may not be valid any longer.
void ts_lines_make_room(struct ts_lines *self);
static inline void ts_lines_ready(struct ts_lines *self)
{
    if (__builtin_expect(self->part_count > self->part_end - 64 || self->count > TS_LINES - 64 ||
                             self->text_used > TS_LINES_TEXT - 64 * TS_PHRASE_MOST,
                         0))
        ts_lines_make_room(self);
}

static inline struct ts_line *ts_line_of(struct ts_lines *self, uint64_t what, uint64_t which)
{
    uint64_t hash = (what ^ which << 23) * UINT64_C(0x9e3779b97f4a7c15) + which;
    for (size_t at = (size_t)(hash ^ hash >> 32);; at++) {
        struct ts_line_entry *entry = &self->entries[at % (2 * TS_LINES)];
        if (entry->what == what && entry->which == which)
            return entry->line;
        if (entry->what == 0)
            return ts_lines_new(self, entry, what, which);
    }
}

static inline bool ts_line_known(const struct ts_line *line)
{
    return line && line->phrases[1].length;
}

// A line that waits and has room for a number or two.
struct ts_line_part *ts_line_extend(struct ts_lines *self, struct ts_line *line);

// A line that is known. `number` counts only if it has two.
static inline void ts_line_add(struct ts_lines *self, struct ts_line *line, uint64_t number,
                               uint64_t time)
{
    struct ts_line_part *part = &self->parts[line->last];
    if (__builtin_expect(line->last == 0 || part->count > TS_PART_NUMBERS - 2, 0))
        part = ts_line_extend(self, line);
    if (line->phrases[0].length)
        part->numbers[part->count++] = number;
    part->numbers[part->count++] = time;
    self->out->gone += line->bytes;
}

#endif
