// The life of each Tensix word, for Konata: trace.kanata.
//
// Format: Kanata 0004 (github.com/shioyadan/Konata, docs/kanata-log-format.md). One instruction per
// word that passed a gate; its thread is the Tensix thread. Stages: Q in the front end since its push,
// G first at the gate, U in the unit before its work, X executing. The text in the left pane is the
// instruction and its source line; the text that hovering shows has the pc, the operands and what it
// waited for at the gate.
//
// The format is in the order of cycles; words are not. They are kept and sorted at the end.
#include "platform/base/grow.h"
#include "platform/kernel/domain.h"
#include "platform/trace/events.h"
#include "platform/trace/out.h"

#include <errno.h>
#include <stdlib.h>

enum step { PUSH, GATE, PASS, WORK, DONE, STEPS };
static const char *const stages[STEPS] = {"Q", "G", "U", "X", NULL};

struct moment {
    ts_cycle cycle;
    uint32_t word;
    uint32_t step;
};

struct kanata {
    struct ts_trace_sink base;
    struct ts_trace_out out;
    struct ts_trace_word *words;
    size_t count, room;
};

static void put_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct kanata *self = (struct kanata *)base;
    if (!TS_GROW(self->words, self->count, self->room)) {
        self->base.full = true;
        return;
    }
    self->words[self->count++] = *word;
    self->base.full = self->count * 256 > self->out.limit; // about the text of a word
}

static ts_cycle cycle_of(const struct ts_trace_word *word, enum step step)
{
    switch (step) {
    case PUSH:
        return word->pushed;
    case GATE:
        return word->gate;
    case PASS:
        return word->passed;
    case WORK:
        return word->from;
    default:
        return word->to;
    }
}

// A stage without a cycle is left out.
static bool has(const struct ts_trace_word *word, enum step step)
{
    return step == PUSH || step == DONE || step == WORK ||
           cycle_of(word, step) < cycle_of(word, step + 1);
}

static int in_order(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->word != y->word)
        return x->word < y->word ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

static void line(struct kanata *self, const char *command, size_t id)
{
    ts_out_text(&self->out, command);
    ts_out_text(&self->out, "\t");
    ts_out_number(&self->out, id);
}

static void texts(struct kanata *self, const char *const *text)
{
    for (; *text; text++)
        ts_out_text(&self->out, *text);
}

static void introduce(struct kanata *self, size_t id)
{
    const struct ts_trace_word *word = &self->words[id];
    const struct ts_trace_insn *insn = word->insn;
    line(self, "I", id);
    ts_out_text(&self->out, "\t");
    ts_out_number(&self->out, id);
    ts_out_text(&self->out, "\t");
    ts_out_number(&self->out, word->front->domain->index * 3 + word->thread);
    ts_out_text(&self->out, "\n");
    line(self, "L", id);
    ts_out_text(&self->out, "\t0\tT");
    ts_out_number(&self->out, word->thread);
    texts(self, (const char *[]){" ", insn->op, " ", insn->place->line, "\n", NULL});
    line(self, "L", id);
    texts(self,
          (const char *[]){"\t1\t", insn->op, " ", insn->operands, " in ", word->unit->path, NULL});
    if (insn->pc != TS_TRACE_NO_PC) {
        ts_out_text(&self->out, ", pc 0x");
        ts_out_hex(&self->out, insn->pc);
        texts(self, (const char *[]){" ", insn->place->function, NULL});
    }
    if (word->waited) {
        ts_out_text(&self->out, ", waited ");
        ts_out_number(&self->out, word->passed - word->gate);
        texts(self, (const char *[]){": ", ts_stall_name(word->reason), " on ",
                                     word->on ? word->on->path : "nothing", NULL});
    }
    ts_out_text(&self->out, "\n");
}

static void stage(struct kanata *self, const char *command, size_t id, enum step step)
{
    line(self, command, id);
    ts_out_text(&self->out, "\t0\t");
    ts_out_text(&self->out, stages[step]);
    ts_out_text(&self->out, "\n");
}

static void enact(struct kanata *self, const struct moment *moment)
{
    const struct ts_trace_word *word = &self->words[moment->word];
    int before = (int)moment->step - 1;
    if (moment->step == PUSH)
        introduce(self, moment->word);
    while (before > 0 && !has(word, (enum step)before))
        before--;
    if (moment->step != PUSH)
        stage(self, "E", moment->word, (enum step)before);
    if (moment->step != DONE) {
        stage(self, "S", moment->word, (enum step)moment->step);
        return;
    }
    line(self, "R", moment->word);
    ts_out_text(&self->out, "\t");
    ts_out_number(&self->out, moment->word);
    ts_out_text(&self->out, "\t0\n");
}

static void write_all(struct kanata *self, const struct moment *moments, size_t count)
{
    ts_cycle now = count ? moments[0].cycle : 0;
    ts_out_text(&self->out, "Kanata\t0004\nC=\t");
    ts_out_number(&self->out, now);
    ts_out_text(&self->out, "\n");
    for (size_t i = 0; i < count; i++) {
        if (moments[i].cycle > now) {
            ts_out_text(&self->out, "C\t");
            ts_out_number(&self->out, moments[i].cycle - now);
            ts_out_text(&self->out, "\n");
            now = moments[i].cycle;
        }
        enact(self, &moments[i]);
    }
}

static int by_push(const void *a, const void *b)
{
    const struct ts_trace_word *x = a, *y = b;
    if (x->pushed != y->pushed)
        return x->pushed < y->pushed ? -1 : 1;
    if (x->front->id != y->front->id)
        return x->front->id < y->front->id ? -1 : 1;
    return x->passed < y->passed ? -1 : x->passed > y->passed;
}

static int close_file(struct ts_trace_sink *base)
{
    struct kanata *self = (struct kanata *)base;
    struct moment *moments = calloc(self->count * STEPS + 1, sizeof *moments);
    size_t count = 0;
    if (self->count)
        qsort(self->words, self->count, sizeof *self->words, by_push); // numbers count up
    for (size_t i = 0; moments && i < self->count; i++)
        for (unsigned step = 0; step < STEPS; step++)
            if (has(&self->words[i], step))
                moments[count++] = (struct moment){cycle_of(&self->words[i], step), (uint32_t)i,
                                                   step};
    if (count)
        qsort(moments, count, sizeof *moments, in_order);
    if (moments)
        write_all(self, moments, count);
    int error = ts_out_close(&self->out);
    error = error ? error : moments ? 0 : ENOMEM;
    free(moments);
    free(self->words);
    free(self);
    return error;
}

struct ts_trace_sink *ts_kanata_sink(const struct ts_kernel *kernel,
                                     const struct ts_trace_options *options, struct ts_error *error)
{
    struct kanata *self = calloc(1, sizeof *self);
    (void)kernel;
    if (self == NULL)
        return ts_nothing(error, TS_NO_MEMORY, "out of memory for the trace");
    if (!ts_out_open(&self->out, options->path[TS_TRACE_KANATA], false, options->limit, error)) {
        free(self);
        return NULL;
    }
    self->base = (struct ts_trace_sink){.word = put_word, .close = close_file};
    return &self->base;
}
