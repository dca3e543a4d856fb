// Two sums over a run, from the same events: trace.folded and trace.lines.csv.
//
// folded: stacks and their cycles, as flamegraph.pl, inferno and speedscope read them: what cores
// executed by function, what units worked on by function and instruction, what gates waited for.
// lines: for each source line the cycles of the cores at it, the words it pushed, the cycles units
// worked on these, and the cycles these waited at the gate; most cycles first.
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/trace/events.h"
#include "platform/trace/out.h"
#include "platform/trace/tally.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORE, WORDS, UNIT, WAITED };

struct sums {
    struct ts_trace_sink base;
    struct ts_trace_out out;
    struct ts_tally tally;
    char *stack; // the one that is being made
    size_t used, room;
    bool lost;
};

static void add(struct sums *self, const char *name, unsigned column, uint64_t value)
{
    struct ts_tally_row *row = ts_tally_row(&self->tally, name);
    if (row)
        row->sum[column] += value;
    else
        self->lost = true;
}

// --- stacks

// Adds to the stack, which has room for names of any length.
__attribute__((format(printf, 2, 3))) static void append(struct sums *self, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t length = (size_t)vsnprintf(NULL, 0, format, again), need = self->used + length + 1;
    va_end(again);
    if (need > self->room) {
        char *stack = realloc(self->stack, 2 * need);
        self->lost |= stack == NULL;
        self->room = stack ? 2 * need : self->room;
        self->stack = stack ? stack : self->stack;
    }
    if (need <= self->room)
        self->used += (size_t)vsnprintf(self->stack + self->used, length + 1, format, args);
    va_end(args);
}

static void add_stack(struct sums *self, uint64_t cycles)
{
    if (self->used)
        add(self, self->stack, 0, cycles);
    self->used = 0;
}

static void stack_of_visit(struct ts_trace_sink *base, const struct ts_trace_visit *visit)
{
    struct sums *self = (struct sums *)base;
    append(self, "%s;%s", visit->core->domain->object.path, ts_trace_short(visit->core));
    for (unsigned i = 0; i < visit->place->depth; i++)
        append(self, ";%s", visit->place->frames[i]);
    add_stack(self, visit->to - visit->from);
}

static void stack_of_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct sums *self = (struct sums *)base;
    const struct ts_trace_place *place = word->insn->place;
    append(self, "%s;%s;T%u;%s%s%s", word->unit->domain->object.path, ts_trace_short(word->unit),
           word->thread, place->function, place->function[0] ? ";" : "", word->insn->op);
    add_stack(self, word->to - word->from);
}

static void stack_of_wait(struct ts_trace_sink *base, const struct ts_trace_episode *e)
{
    struct sums *self = (struct sums *)base;
    if (e->kind != TS_RECORD_STALL || strcmp(ts_object_component(e->who)->ops->kind, "frontend"))
        return;
    append(self, "%s;%s waits;%s;%s", e->who->domain->object.path, ts_trace_short(e->who),
           ts_stall_name(e->reason), e->other ? ts_trace_short(e->other) : "nothing");
    add_stack(self, e->to - e->from);
}

// --- lines

#define FIELD 1000 // bytes of a name that is shown; templates have longer ones

// A field of CSV: in quotes, those inside doubled. Returns its end.
static char *field(char *to, const char *text)
{
    *to++ = '"';
    for (unsigned i = 0; text[i] && i < FIELD; i++) {
        if (text[i] == '"')
            *to++ = '"';
        *to++ = text[i];
    }
    *to++ = '"';
    return to;
}

static void name_line(const struct ts_trace_place *place, char text[4 * FIELD + 8])
{
    char *end = field(text, place->line[0] ? place->line : "?");
    *end++ = ',';
    end = field(end, place->function);
    *end = '\0';
}

static void line_of_visit(struct ts_trace_sink *base, const struct ts_trace_visit *visit)
{
    char text[4 * FIELD + 8];
    name_line(visit->place, text);
    add((struct sums *)base, text, CORE, visit->to - visit->from);
}

static void line_of_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct sums *self = (struct sums *)base;
    char text[4 * FIELD + 8];
    name_line(word->insn->place, text);
    add(self, text, WORDS, 1);
    add(self, text, UNIT, word->to - word->from);
    add(self, text, WAITED, word->passed - word->gate);
}

// --- the files

static int by_name(const void *a, const void *b)
{
    const struct ts_tally_row *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static uint64_t weight(const struct ts_tally_row *row)
{
    return row->sum[CORE] + row->sum[UNIT] + row->sum[WAITED];
}

static int heaviest_first(const void *a, const void *b)
{
    const struct ts_tally_row *x = a, *y = b;
    if (weight(x) != weight(y))
        return weight(x) > weight(y) ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int end(struct sums *self)
{
    int error = ts_out_close(&self->out);
    error = error ? error : self->lost ? ENOMEM : 0;
    ts_tally_free(&self->tally);
    free(self->stack);
    free(self);
    return error;
}

static int close_folded(struct ts_trace_sink *base)
{
    struct sums *self = (struct sums *)base;
    ts_tally_sort(&self->tally, by_name);
    for (size_t i = 0; i < self->tally.room; i++) {
        ts_out_text(&self->out, self->tally.rows[i].name);
        ts_out_text(&self->out, " ");
        ts_out_number(&self->out, self->tally.rows[i].sum[0]);
        ts_out_text(&self->out, "\n");
    }
    return end(self);
}

static int close_lines(struct ts_trace_sink *base)
{
    struct sums *self = (struct sums *)base;
    ts_tally_sort(&self->tally, heaviest_first);
    ts_out_text(&self->out, "line,function,core_cycles,words,unit_cycles,gate_cycles\n");
    for (size_t i = 0; i < self->tally.room; i++) {
        ts_out_text(&self->out, self->tally.rows[i].name);
        for (unsigned c = CORE; c <= WAITED; c++) {
            ts_out_text(&self->out, ",");
            ts_out_number(&self->out, self->tally.rows[i].sum[c]);
        }
        ts_out_text(&self->out, "\n");
    }
    return end(self);
}

static struct ts_trace_sink *new_sums(const char *path, struct ts_trace_sink base, uint64_t limit,
                                      struct ts_error *error)
{
    struct sums *self = calloc(1, sizeof *self);
    if (self == NULL)
        return ts_nothing(error, TS_NO_MEMORY, "out of memory for the trace");
    self->base = base;
    if (!ts_out_open(&self->out, path, false, limit, error)) {
        free(self);
        return NULL;
    }
    return &self->base;
}

struct ts_trace_sink *ts_folded_sink(const struct ts_kernel *kernel,
                                     const struct ts_trace_options *options, struct ts_error *error)
{
    struct ts_trace_sink base = {.episode = stack_of_wait,
                                 .word = stack_of_word,
                                 .visit = stack_of_visit,
                                 .close = close_folded};
    (void)kernel;
    return new_sums(options->path[TS_TRACE_FOLDED], base, options->limit, error);
}

struct ts_trace_sink *ts_lines_sink(const struct ts_kernel *kernel,
                                    const struct ts_trace_options *options, struct ts_error *error)
{
    struct ts_trace_sink base = {
        .word = line_of_word, .visit = line_of_visit, .close = close_lines};
    (void)kernel;
    return new_sums(options->path[TS_TRACE_LINES], base, options->limit, error);
}
