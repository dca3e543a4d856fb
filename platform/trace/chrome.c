// The Chrome / Perfetto trace: trace.json.gz. One process per domain. Lanes: the functions of a core,
// the words in a unit for each thread, the work of other components; waits on a lane of their own
// (slices that overlap partly on one lane are dropped by Perfetto); zones of the program. A lane is
// named when it first holds something. A counter per channel, buffer and bank. Flows: from the push of
// a word to its execution, from the post of a semaphore to the wait that it ended.
//
// Lines differ in few digits, and these stand at their ends: what is before is made once for all lines that say the
// same (lines.h). A line's brace is closed by the next one.
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/trace/events.h"
#include "platform/trace/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lanes of a component; stalls have even numbers.
enum { LANE_WORK = 1, LANE_STALL = 2, LANE_ZONE = 7, LANES = 8 };
#define WAITS 16

// What a line says: in the high bits of the first number of its name.
enum { WORD = 1, FRAME, STALL, ZONE, WORK, LEVEL, START, FINISH };
#define SAYS(what) ((uint64_t)(what) << 60)
#define FEW        256u // a duration, wait or level below this is part of what a line says

struct chrome {
    struct ts_trace_sink base;
    struct ts_trace_out out;
    struct ts_lines lines;
    const struct ts_kernel *kernel;
    uint64_t mhz;
    uint8_t *named;                 // by component: bit per lane that has its name
    uint32_t *lanes;                // by component: the number before its lanes
    bool *domains;                  // by domain: the same
    const struct ts_object **cores; // by front end's id: the core that feeds it
    bool *semaphore;                // by object: it is one
    ts_cycle *raised;               // by object: when a semaphore was raised last
    uint64_t *level;                // by object: the last one
    uint64_t flow;                  // the last number
    bool first;
    // Waits for semaphores that a post has ended, whose post is not known yet.
    struct wait {
        const struct ts_object *semaphore, *who;
        ts_cycle posted, end;
    } waits[WAITS];
    unsigned wait_count;
};

// --- lanes

static void begin(struct chrome *self, const char *phase, const struct ts_object *object,
                  uint32_t tid)
{
    ts_out_text(&self->out, self->first ? "\n{\"ph\":\"" : "},\n{\"ph\":\"");
    self->first = false;
    ts_out_text(&self->out, phase);
    ts_out_text(&self->out, "\",\"pid\":");
    ts_out_number(&self->out, object->domain->index + 1);
    ts_out_text(&self->out, ",\"tid\":");
    ts_out_number(&self->out, tid);
}

static void put_name(struct chrome *self, const struct ts_object *object, const char *what,
                     uint32_t tid, const char *name, const char *suffix)
{
    begin(self, "M", object, tid);
    ts_out_text(&self->out, ",\"name\":\"");
    ts_out_text(&self->out, what);
    ts_out_text(&self->out, "_name\",\"args\":{\"name\":");
    ts_out_string(&self->out, name, suffix);
    ts_out_text(&self->out, "}");
    begin(self, "M", object, tid);
    ts_out_text(&self->out, ",\"name\":\"");
    ts_out_text(&self->out, what);
    ts_out_text(&self->out, "_sort_index\",\"args\":{\"sort_index\":");
    ts_out_number(&self->out, tid ? tid : object->domain->index);
    ts_out_text(&self->out, "}");
    ts_out_flush(&self->out);
}

static void name_domain(struct chrome *self, const struct ts_object *object)
{
    struct ts_domain *domain = object->domain;
    if (self->domains[domain->index])
        return;
    self->domains[domain->index] = true;
    put_name(self, &domain->object, "process", 0, domain->object.path, "");
}

// The lane's number; named when it is used first. Work of threads is on separate lanes, because
// a unit can take a word of each in one cycle.
static uint32_t new_lane(struct chrome *self, const struct ts_object *object, unsigned kind)
{
    static const char *const suffix[LANES] = {
        [LANE_STALL] = " stall", [LANE_ZONE] = " zones", [3] = " T1", [5] = " T2"};
    const struct ts_component *c = ts_object_component(object);
    if (c == NULL)
        return 0;
    self->lanes[object->id] = LANES * c->index;
    self->named[object->id] |= (uint8_t)(1u << kind);
    name_domain(self, object);
    bool of_t0 = kind == LANE_WORK && strcmp(c->ops->kind, "unit") == 0;
    put_name(self, object, "thread", LANES * c->index + kind, ts_trace_short(object),
             of_t0          ? " T0"
             : suffix[kind] ? suffix[kind]
                            : "");
    return LANES * c->index + kind;
}

static inline uint32_t lane(struct chrome *self, const struct ts_object *object, unsigned kind)
{
    if (__builtin_expect(self->named[object->id] & 1u << kind, 1))
        return self->lanes[object->id] + kind;
    return new_lane(self, object, kind);
}

// --- parts of a line

static struct ts_line *line_of(struct chrome *self, uint64_t what, const void *which)
{
    return ts_line_of(&self->lines, what, (uintptr_t)which);
}

static void put_duration(struct chrome *self, ts_cycle cycles)
{
    ts_out_text(&self->out, ",\"dur\":");
    ts_out_thousandths(&self->out, cycles);
}

// The line in the buffer, which is none of the table.
static void write_line(struct ts_trace_out *out, size_t gap, uint64_t number, ts_cycle at)
{
    char digits[TS_DIGITS_MOST];
    unsigned length = gap ? ts_digits_of(number, digits) : 0;
    ts_gzip_text(out->gzip, out->buffer, gap);
    ts_gzip_text(out->gzip, digits, length);
    ts_gzip_text(out->gzip, out->buffer + gap, out->used - gap);
    out->gone += out->used + length;
    out->used = 0;
    ts_out_thousandths(out, at);
    ts_out_flush(out);
}

// A new line, whose text is in the buffer up to its time. NULL: it is none of the table.
static void end_new(struct chrome *self, struct ts_line *line, size_t gap, uint64_t number,
                    ts_cycle at)
{
    ts_out_text(&self->out, ",\"ts\":");
    if (line && ts_line_learn(&self->lines, line, gap))
        ts_line_add(&self->lines, line, number, at);
    else
        write_line(&self->out, gap, number, at);
}

// Ends a line at its time. Its text is in the buffer, unless it is known. `number` belongs
// at `gap`, unless that is 0. A cycle is shown as one nanosecond: Perfetto's clock has whole
// nanoseconds, and a cycle is shorter. `ts` is in microseconds.
static inline void end_line(struct chrome *self, struct ts_line *line, size_t gap, uint64_t number,
                            ts_cycle at)
{
    if (__builtin_expect(ts_line_known(line), 1))
        ts_line_add(&self->lines, line, number, at);
    else
        end_new(self, line, gap, number, at);
    self->base.full = ts_out_full(&self->out);
}

// --- flows

static void flow_end(struct chrome *self, bool start, const struct ts_object *object, uint32_t tid,
                     ts_cycle at, const char *name)
{
    struct ts_line *line = line_of(
        self, SAYS(start ? START : FINISH) | (uint64_t)tid << 24 | object->id, name);
    size_t gap = 0;
    if (!ts_line_known(line)) {
        begin(self, start ? "s" : "f", object, tid);
        ts_out_text(&self->out, start ? ",\"cat\":\"flow\",\"name\":\""
                                      : ",\"bp\":\"e\",\"cat\":\"flow\",\"name\":\"");
        ts_out_text(&self->out, name);
        ts_out_text(&self->out, "\",\"id\":");
        gap = self->out.used;
    }
    end_line(self, line, gap, self->flow, at);
}

static const struct ts_object *core_of(struct chrome *self, const struct ts_trace_word *word)
{
    const struct ts_object **known = &self->cores[word->front->id];
    char name[16];
    if (*known)
        return *known;
    snprintf(name, sizeof name, "trisc%u", word->thread);
    for (const struct ts_object *o = ts_kernel_objects(self->kernel); o; o = o->next)
        if (o->domain == word->front->domain && ts_object_component(o) &&
            strcmp(ts_trace_short(o), name) == 0)
            *known = o;
    return *known;
}

static void flow_from_push(struct chrome *self, const struct ts_trace_word *word, uint32_t tid)
{
    const struct ts_object *core = core_of(self, word);
    if (core == NULL || !word->first || word->insn->pc == TS_TRACE_NO_PC)
        return;
    self->flow++;
    flow_end(self, true, core, lane(self, core, LANE_WORK), word->pushed, "push");
    flow_end(self, false, word->unit, tid, word->from, "push");
}

// The word may be the post that ended a wait.
static void flow_from_post(struct chrome *self, const struct ts_trace_word *word, uint32_t tid)
{
    for (unsigned i = 0; i < self->wait_count; i++) {
        struct wait wait = self->waits[i];
        if (wait.posted != word->passed || wait.semaphore->domain != word->unit->domain)
            continue;
        self->waits[i--] = self->waits[--self->wait_count];
        self->flow++;
        flow_end(self, true, word->unit, tid, word->from, "post");
        flow_end(self, false, wait.who, lane(self, wait.who, LANE_STALL), wait.end - 1, "post");
    }
}

static void note_wait(struct chrome *self, const struct ts_trace_episode *e)
{
    ts_cycle posted = e->other ? self->raised[e->other->id] : 0;
    if (posted < e->from || posted > e->to || posted == 0)
        return;
    if (self->wait_count == WAITS)
        memmove(self->waits, self->waits + 1, --self->wait_count * sizeof *self->waits);
    self->waits[self->wait_count++] = (struct wait){e->other, e->who, posted, e->to};
}

// --- events

// What a word says after its time.
static void put_insn(struct chrome *self, const struct ts_trace_insn *insn)
{
    const struct ts_trace_place *place = insn->place;
    char pc[24];
    ts_out_text(&self->out, ",\"name\":\"");
    ts_out_text(&self->out, insn->op);
    ts_out_text(&self->out, "\",\"args\":{\"operands\":\"");
    ts_out_text(&self->out, insn->operands);
    if (insn->pc != TS_TRACE_NO_PC) {
        snprintf(pc, sizeof pc, "\",\"pc\":\"0x%x", insn->pc);
        ts_out_text(&self->out, pc);
    }
    if (place->function[0]) {
        ts_out_text(&self->out, "\",\"function\":\"");
        ts_out_text(&self->out, place->function);
    }
    if (place->line[0]) {
        ts_out_text(&self->out, "\",\"line\":\"");
        ts_out_text(&self->out, place->line);
    }
}

static void put_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct chrome *self = (struct chrome *)base;
    ts_lines_ready(&self->lines);
    uint32_t tid = lane(self, word->unit, LANE_WORK + 2 * word->thread);
    ts_cycle cycles = word->to - word->from, waited = word->passed - word->gate;
    uint64_t wait = word->waited ? waited << 8 | word->reason << 1 | 1 : 0;
    struct ts_line *line = NULL;
    if (cycles < FEW && waited < FEW) {
        uint64_t what = SAYS(WORD) | (uint64_t)tid << 32 | cycles << 16 | wait;
        line = word->insn->line;
        if (line == NULL || line->what != what || line->which != (uintptr_t)word->insn)
            line = word->insn->line = line_of(self, what, word->insn);
    }
    if (!ts_line_known(line)) {
        begin(self, "X", word->unit, tid);
        put_duration(self, cycles);
        put_insn(self, word->insn);
        ts_out_text(&self->out, word->waited ? "\",\"waited\":" : "\"}");
        if (word->waited) {
            ts_out_number(&self->out, waited);
            ts_out_text(&self->out, ",\"reason\":\"");
            ts_out_text(&self->out, ts_stall_name(word->reason));
            ts_out_text(&self->out, "\"}");
        }
    }
    end_line(self, line, 0, 0, word->from);
    flow_from_push(self, word, tid);
    if (self->wait_count)
        flow_from_post(self, word, tid);
}

static void put_frame(struct ts_trace_sink *base, const struct ts_trace_frame *frame)
{
    struct chrome *self = (struct chrome *)base;
    ts_lines_ready(&self->lines);
    uint32_t tid = lane(self, frame->core, LANE_WORK);
    ts_cycle cycles = frame->to - frame->from;
    struct ts_line *line = NULL;
    if (cycles < FEW)
        line = line_of(self, SAYS(FRAME) | cycles << 32 | frame->core->id, frame->name);
    if (!ts_line_known(line)) {
        begin(self, "X", frame->core, tid);
        put_duration(self, cycles);
        ts_out_text(&self->out, ",\"name\":");
        ts_out_string(&self->out, frame->name, "");
    }
    end_line(self, line, 0, 0, frame->from);
}

static void put_level(struct chrome *self, const struct ts_trace_episode *e)
{
    uint32_t id = e->who->id;
    if (self->semaphore[id]) {
        if (e->value > self->level[id])
            self->raised[id] = e->from;
        self->level[id] = e->value;
    }
    name_domain(self, e->who);
    uint64_t value = e->value < FEW ? e->value : FEW;
    struct ts_line *line = line_of(self, SAYS(LEVEL) | value << 32 | id, e->label);
    size_t gap = 0;
    if (!ts_line_known(line)) {
        const struct ts_component *c = ts_object_component(e->who);
        bool buffer = e->label && c && strcmp(c->ops->kind, "riscv") == 0; // counted by cores
        begin(self, "C", e->who, 0);
        ts_out_text(&self->out, ",\"name\":");
        ts_out_string(&self->out,
                      buffer     ? "buffer "
                      : e->label ? ""
                                 : ts_trace_short(e->who),
                      e->label ? e->label : "");
        ts_out_text(&self->out, ",\"args\":{\"level\":");
        if (value < FEW)
            ts_out_number(&self->out, value);
        else
            gap = self->out.used;
        ts_out_text(&self->out, "}");
    }
    end_line(self, line, gap, e->value, e->from);
}

static void put_episode(struct ts_trace_sink *base, const struct ts_trace_episode *e)
{
    struct chrome *self = (struct chrome *)base;
    ts_lines_ready(&self->lines);
    if (e->kind == TS_RECORD_COUNT) {
        put_level(self, e);
        return;
    }
    bool stall = e->kind == TS_RECORD_STALL, mark = e->kind == TS_RECORD_MARK;
    unsigned kind = stall ? LANE_STALL : e->kind == TS_RECORD_ZONE ? LANE_ZONE : LANE_WORK;
    const struct ts_component *c = ts_object_component(e->who);
    const char *name = stall      ? ts_stall_name(e->reason)
                       : e->label ? e->label
                       : c        ? c->ops->kind
                                  : "work";
    uint32_t tid = lane(self, e->who, kind);
    ts_cycle cycles = e->to - e->from;
    struct ts_line *line = NULL;
    size_t gap = 0;
    if (!mark && cycles < FEW)
        line = line_of(self,
                       SAYS(stall               ? STALL
                            : kind == LANE_ZONE ? ZONE
                                                : WORK) |
                           cycles << 48 | (uint64_t)(e->other ? e->other->id + 1 : 0) << 24 |
                           e->who->id,
                       name);
    if (!ts_line_known(line)) {
        begin(self, mark ? "i" : "X", e->who, tid);
        if (mark)
            ts_out_text(&self->out, ",\"s\":\"t\"");
        else
            put_duration(self, cycles);
        ts_out_text(&self->out, ",\"name\":");
        ts_out_string(&self->out, name, "");
        ts_out_text(&self->out, ",\"args\":{\"cycle\":");
        gap = self->out.used;
        if (mark) {
            ts_out_text(&self->out, ",\"value\":");
            ts_out_number(&self->out, e->value);
        }
        if (e->other) {
            ts_out_text(&self->out, ",\"object\":");
            ts_out_string(&self->out, e->other->path, "");
        }
        ts_out_text(&self->out, "}");
    }
    end_line(self, line, gap, e->from, e->from);
    if (stall)
        note_wait(self, e);
}

// --- the file

static void free_lanes(struct chrome *self)
{
    free(self->named);
    free(self->lanes);
    free(self->domains);
    free(self->cores);
    free(self->raised);
    free(self->level);
    free(self->semaphore);
    ts_lines_free(&self->lines);
    free(self);
}

static int close_file(struct ts_trace_sink *base)
{
    struct chrome *self = (struct chrome *)base;
    ts_lines_flush(&self->lines);
    ts_out_text(&self->out, self->first ? "\n]}\n" : "}\n]}\n");
    int error = ts_out_close(&self->out);
    free_lanes(self);
    return error;
}

struct ts_trace_sink *ts_chrome_sink(const struct ts_kernel *kernel,
                                     const struct ts_trace_options *options, struct ts_error *error)
{
    struct chrome *self = calloc(1, sizeof *self);
    size_t count = 1;
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next)
        count++;
    if (self) {
        self->named = calloc(count, sizeof *self->named);
        self->lanes = calloc(count, sizeof *self->lanes);
        self->cores = calloc(count, sizeof *self->cores);
        self->raised = calloc(count, sizeof *self->raised);
        self->level = calloc(count, sizeof *self->level);
        self->semaphore = calloc(count, sizeof *self->semaphore);
        self->domains = calloc(ts_kernel_domain_count(kernel), sizeof *self->domains);
    }
    if (!self || !self->named || !self->lanes || !self->cores || !self->raised || !self->level ||
        !self->semaphore || !self->domains || !ts_lines_init(&self->lines, &self->out) ||
        !ts_out_open(&self->out, options->path[TS_TRACE_JSON], true, options->limit, error)) {
        if (error->code == TS_OK)
            ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        if (self)
            free_lanes(self);
        return NULL;
    }
    self->base = (struct ts_trace_sink){
        .episode = put_episode, .word = put_word, .frame = put_frame, .close = close_file};
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next)
        self->semaphore[o->id] = strncmp(ts_trace_short(o), "semaphore[", 10) == 0;
    self->kernel = kernel;
    self->mhz = options->clock_mhz;
    self->first = true;
    ts_out_text(&self->out,
                "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"schema\":\"tensim.trace\","
                "\"version\":2,\"time\":\"1 ns stands for 1 cycle\",\"clock_mhz\":");
    ts_out_number(&self->out, self->mhz);
    ts_out_text(&self->out, "},\"traceEvents\":[");
    ts_out_flush(&self->out); // the first write allocates: not while the model runs
    return &self->base;
}
