// Waveforms for GTKWave: trace.vcd (IEEE 1364, value change dump; strings are GTKWave's extension).
//
// One scope per domain and object. A unit has the instruction of each thread (op_t0 ..); a front end
// and every other component has what it waits for (wait); a core its pc and function; a channel, bank
// or buffer its level. One unit of time is one cycle.
//
// The format is in the order of time, and its head names all signals: changes are kept and sorted
// at the end.
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/trace/events.h"
#include "platform/trace/out.h"

enum { OP0, OP1, OP2, WAIT, PC, FUNCTION, LEVEL, NAMED_LEVEL, KINDS };
static const char *const kind_names[] = {"op_t0", "op_t1",    "op_t2", "wait",
                                         "pc",    "function", "level"};

struct signal {
    const struct ts_object *object;
    const char *label; // of NAMED_LEVEL
    unsigned kind;
    ts_cycle last; // end of the last word or wait
    size_t end;    // the change that ends it + 1
};

struct change {
    ts_cycle cycle;
    uint64_t value;
    const char *text; // a string, "" for none; NULL: a number
    uint32_t signal;  // UINT32_MAX: taken back
    uint32_t order;
};

struct vcd {
    struct ts_trace_sink base;
    struct ts_trace_out out;
    struct signal *signals;
    uint32_t signal_count, signal_room;
    uint32_t *first; // by object: index of its first signal + 1; they are few
    struct change *changes;
    size_t count, room;
    bool lost;
};

// --- changes

static struct signal *signal_of(struct vcd *self, const struct ts_object *object, unsigned kind,
                                const char *label)
{
    for (uint32_t i = self->first[object->id]; i > 0 && i <= self->signal_count; i++) {
        struct signal *s = &self->signals[i - 1];
        if (s->object == object && s->kind == kind &&
            (label == s->label || (label && s->label && strcmp(label, s->label) == 0)))
            return s;
    }
    if (!TS_GROW(self->signals, self->signal_count, self->signal_room)) {
        self->lost = true;
        return NULL;
    }
    self->signals[self->signal_count] = (struct signal){object, label, kind, 0, 0};
    if (self->first[object->id] == 0)
        self->first[object->id] = self->signal_count + 1;
    return &self->signals[self->signal_count++];
}

static void change(struct vcd *self, const struct signal *signal, ts_cycle at, uint64_t value,
                   const char *text)
{
    if (!TS_GROW(self->changes, self->count, self->room)) {
        self->lost = true;
        return;
    }
    self->changes[self->count] = (struct change){
        at, value, text, (uint32_t)(signal - self->signals), (uint32_t)self->count};
    self->count++;
    self->base.full = self->count * 12 > self->out.limit; // about the text of a change
}

// A string from..to; nothing after it, unless another one follows at once.
static void span(struct vcd *self, struct signal *signal, ts_cycle from, ts_cycle to,
                 const char *text)
{
    if (signal == NULL)
        return;
    if (signal->end && from <= signal->last)
        self->changes[signal->end - 1].signal = UINT32_MAX;
    change(self, signal, from, 0, text);
    change(self, signal, to, 0, "");
    signal->last = to;
    signal->end = self->count;
}

static void put_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct vcd *self = (struct vcd *)base;
    span(self, signal_of(self, word->unit, OP0 + word->thread, NULL), word->from, word->to,
         word->insn->op);
}

static void put_visit(struct ts_trace_sink *base, const struct ts_trace_visit *visit)
{
    struct vcd *self = (struct vcd *)base;
    const struct signal *pc = signal_of(self, visit->core, PC, NULL);
    if (pc)
        change(self, pc, visit->from, visit->pc, NULL);
    span(self, signal_of(self, visit->core, FUNCTION, NULL), visit->from, visit->to,
         visit->place->function);
}

static void put_episode(struct ts_trace_sink *base, const struct ts_trace_episode *e)
{
    struct vcd *self = (struct vcd *)base;
    if (e->kind == TS_RECORD_STALL) {
        span(self, signal_of(self, e->who, WAIT, NULL), e->from, e->to, ts_stall_name(e->reason));
    } else if (e->kind == TS_RECORD_COUNT) {
        const struct signal *s = signal_of(self, e->who, e->label ? NAMED_LEVEL : LEVEL, e->label);
        if (s)
            change(self, s, e->from, e->value, NULL);
    }
}

// --- the file

// Identifiers of printable characters.
static void put_id(struct vcd *self, uint32_t index)
{
    char id[8];
    size_t length = 0;
    do
        id[length++] = (char)('!' + index % 94);
    while ((index /= 94) > 0);
    ts_out_bytes(&self->out, id, length);
}

// A name without what the format or a viewer takes as its own.
static void put_plain(struct vcd *self, const char *text)
{
    for (; *text; text++)
        ts_out_bytes(&self->out, *text <= ' ' || *text == '$' ? "_" : text, 1);
}

static int by_place(const void *a, const void *b)
{
    const struct signal *x = *(const struct signal *const *)a,
                        *y = *(const struct signal *const *)b;
    return TS_COMPARE(x->object->domain->index, y->object->domain->index)
               ?: TS_COMPARE(x->object->id, y->object->id)
               ?: TS_COMPARE(x, y);
}

static void put_head(struct vcd *self, const struct signal **sorted)
{
    const struct ts_object *last = NULL;
    ts_out_text(&self->out, "$comment One unit of time is one cycle. $end\n$timescale 1 ns $end\n");
    for (uint32_t i = 0; i < self->signal_count; i++) {
        const struct signal *s = sorted[i];
        bool number = s->kind == PC || s->kind >= LEVEL;
        if (last == NULL || last->domain != s->object->domain) {
            ts_out_text(&self->out, last ? "$upscope $end\n$upscope $end\n" : "");
            ts_out_text(&self->out, "$scope module ");
            put_plain(self, s->object->domain->object.path);
            ts_out_text(&self->out, " $end\n");
        } else if (last != s->object) {
            ts_out_text(&self->out, "$upscope $end\n");
        }
        if (last != s->object) {
            ts_out_text(&self->out, "$scope module ");
            put_plain(self, ts_trace_short(s->object));
            ts_out_text(&self->out, " $end\n");
        }
        last = s->object;
        ts_out_text(&self->out, number ? "$var wire 32 " : "$var string 1 ");
        put_id(self, (uint32_t)(s - self->signals));
        ts_out_text(&self->out, " ");
        put_plain(self, s->kind == NAMED_LEVEL ? s->label : kind_names[s->kind]);
        ts_out_text(&self->out, " $end\n");
    }
    ts_out_text(&self->out, last ? "$upscope $end\n$upscope $end\n" : "");
    ts_out_text(&self->out, "$enddefinitions $end\n");
}

static void put_change(struct vcd *self, const struct change *c)
{
    if (c->text) {
        ts_out_text(&self->out, "s");
        put_plain(self, c->text[0] ? c->text : "-");
    } else {
        char bits[65];
        size_t next = sizeof bits;
        uint64_t value = c->value;
        do
            bits[--next] = (char)('0' + (value & 1));
        while ((value >>= 1) > 0);
        ts_out_text(&self->out, "b");
        ts_out_bytes(&self->out, bits + next, sizeof bits - next);
    }
    ts_out_text(&self->out, " ");
    put_id(self, c->signal);
    ts_out_text(&self->out, "\n");
}

static int in_order(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return TS_COMPARE(x->cycle, y->cycle) ?: TS_COMPARE(x->order, y->order);
}

static void write_all(struct vcd *self, const struct signal **sorted)
{
    for (uint32_t i = 0; i < self->signal_count; i++)
        sorted[i] = &self->signals[i];
    if (self->signal_count)
        qsort(sorted, self->signal_count, sizeof *sorted, by_place);
    put_head(self, sorted);
    if (self->count)
        qsort(self->changes, self->count, sizeof *self->changes, in_order);
    ts_cycle now = TS_NEVER;
    for (size_t i = 0; i < self->count; i++) {
        if (self->changes[i].signal == UINT32_MAX)
            continue;
        if (self->changes[i].cycle != now) {
            now = self->changes[i].cycle;
            ts_out_text(&self->out, "#");
            ts_out_number(&self->out, now);
            ts_out_text(&self->out, "\n");
        }
        put_change(self, &self->changes[i]);
    }
}

static int close_file(struct ts_trace_sink *base)
{
    struct vcd *self = (struct vcd *)base;
    const struct signal **sorted = calloc(self->signal_count + 1, sizeof(*sorted));
    if (sorted)
        write_all(self, sorted);
    int error = ts_out_close(&self->out);
    error = error ? error : sorted == NULL || self->lost ? ENOMEM : 0;
    free(sorted);
    free(self->signals);
    free(self->changes);
    free(self->first);
    free(self);
    return error;
}

struct ts_trace_sink *ts_vcd_sink(const struct ts_kernel *kernel,
                                  const struct ts_trace_options *options, struct ts_error *error)
{
    struct vcd *self = calloc(1, sizeof *self);
    size_t count = 1;
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next)
        count++;
    if (self)
        self->first = calloc(count, sizeof *self->first);
    if (self == NULL || self->first == NULL ||
        !ts_out_open(&self->out, options->path[TS_TRACE_VCD], false, options->limit, error)) {
        if (error->code == TS_OK)
            ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        free(self ? self->first : NULL);
        free(self);
        return NULL;
    }
    self->base = (struct ts_trace_sink){
        .episode = put_episode, .word = put_word, .visit = put_visit, .close = close_file};
    return &self->base;
}
