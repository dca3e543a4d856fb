// The Chrome / Perfetto trace: trace.json.gz. One process per domain. Lanes: the functions of a core,
// the words in a unit for each thread, the work of other components; waits on a lane of their own
// (slices that overlap partly on one lane are dropped by Perfetto); zones of the program. A lane is
// named when it first holds something. A counter per channel, buffer and bank. Flows: from the push of
// a word to its execution, from the post of a semaphore to the wait that it ended.
//
// Lines differ in few digits. What stands between them is a phrase (gzip.h), made once: what a line
// begins with, by lane; what a word, wait, function or level says after its time.
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/trace/events.h"
#include "platform/trace/out.h"
#include "platform/trace/phrases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lanes of a component; stalls have even numbers.
enum { LANE_WORK = 1, LANE_STALL = 2, LANE_ZONE = 7, LANES = 8 };
#define WAITS 16

// What a phrase says: in the high bits of its first number.
enum { HEAD = 1, WORD, WAITED, REASON, FRAME, EPISODE, OBJECT, LEVEL, FLOW };
#define SAYS(what) ((uint64_t)(what) << 56)
#define FEW        256 // a duration or level below this is part of a phrase

struct chrome {
    struct ts_trace_sink base;
    struct ts_trace_out out;
    struct ts_phrases phrases;
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
    ts_out_text(&self->out, self->first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
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
    ts_out_text(&self->out, "}}");
    begin(self, "M", object, tid);
    ts_out_text(&self->out, ",\"name\":\"");
    ts_out_text(&self->out, what);
    ts_out_text(&self->out, "_sort_index\",\"args\":{\"sort_index\":");
    ts_out_number(&self->out, tid ? tid : object->domain->index);
    ts_out_text(&self->out, "}}");
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
static uint32_t lane(struct chrome *self, const struct ts_object *object, unsigned kind)
{
    static const char *const suffix[LANES] = {
        [LANE_STALL] = " stall", [LANE_ZONE] = " zones", [3] = " T1", [5] = " T2"};
    if (self->named[object->id] & 1u << kind)
        return self->lanes[object->id] + kind;
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

// --- parts of a line

// Before an event.
static void ready(struct chrome *self)
{
    if (!ts_phrases_full(&self->phrases))
        return;
    ts_out_drain(&self->out);
    ts_phrases_make_room(&self->phrases);
}

static struct ts_phrase *phrase(struct chrome *self, uint64_t what, uint64_t which)
{
    return ts_phrase_of(&self->phrases, what, which);
}

static bool known(struct chrome *self, struct ts_phrase *phrase)
{
    return ts_out_phrase(&self->out, phrase);
}

static void learn(struct chrome *self, struct ts_phrase *phrase)
{
    ts_out_learn(&self->out, &self->phrases, phrase);
}

// Up to its time, and then a phrase, if it is known: else false, and its text follows. A cycle is
// shown as one nanosecond: Perfetto's clock has whole nanoseconds, and a cycle is shorter. `ts` is in
// microseconds.
static bool line(struct chrome *self, char phase, const struct ts_object *object, uint32_t tid,
                 ts_cycle at, struct ts_phrase *after)
{
    struct ts_phrase *head = phrase(self, SAYS(HEAD) | (unsigned char)phase,
                                    (uint64_t)object->domain->index << 32 | tid);
    if (ts_phrase_known(head) && ts_phrase_known(after)) {
        ts_out_line(&self->out, head, at, after);
        return true;
    }
    bool first = self->first;
    if (first || !known(self, head)) {
        begin(self, (char[2]){phase}, object, tid);
        ts_out_text(&self->out, phase == 'f' ? ",\"bp\":\"e\",\"ts\":" : ",\"ts\":");
        learn(self, first ? NULL : head);
    }
    ts_out_thousandths(&self->out, at);
    ts_out_short(&self->out);
    return known(self, after);
}

// A long duration is not part of a phrase.
static struct ts_phrase *unless_long(struct chrome *self, ts_cycle cycles, unsigned what,
                                     const void *which)
{
    return cycles < FEW ? phrase(self, SAYS(what) | cycles, (uintptr_t)which) : NULL;
}

static void put_duration(struct chrome *self, ts_cycle cycles)
{
    ts_out_text(&self->out, ",\"dur\":");
    ts_out_thousandths(&self->out, cycles);
}

// A number, and a line's end: so many braces.
static void put_last(struct chrome *self, uint64_t value, unsigned braces)
{
    if (value < 1000000 && self->out.coded == self->out.used) {
        ts_out_count(&self->out, value, UINT64_C(0x7d7d) & ((1u << 8 * braces) - 1), braces);
        return;
    }
    ts_out_number(&self->out, value);
    ts_out_bytes(&self->out, "}}", braces);
    ts_out_short(&self->out);
}

static void at_limit(struct chrome *self)
{
    self->base.full = ts_out_full(&self->out);
}

// --- flows

static void flow_end(struct chrome *self, bool start, const struct ts_object *object, uint32_t tid,
                     ts_cycle at, const char *name)
{
    struct ts_phrase *p = phrase(self, SAYS(FLOW), (uintptr_t)name);
    if (!line(self, start ? 's' : 'f', object, tid, at, p)) {
        ts_out_text(&self->out, ",\"cat\":\"flow\",\"name\":\"");
        ts_out_text(&self->out, name);
        ts_out_text(&self->out, "\",\"id\":");
        learn(self, p);
    }
    put_last(self, self->flow, 1);
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

static void put_reason(struct chrome *self, enum ts_stall reason)
{
    struct ts_phrase *p = phrase(self, SAYS(REASON), reason);
    if (known(self, p))
        return;
    ts_out_text(&self->out, ",\"reason\":\"");
    ts_out_text(&self->out, ts_stall_name(reason));
    ts_out_text(&self->out, "\"}}");
    learn(self, p);
}

static void put_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct chrome *self = (struct chrome *)base;
    ready(self);
    uint32_t tid = lane(self, word->unit, LANE_WORK + 2 * word->thread);
    ts_cycle cycles = word->to - word->from;
    struct ts_phrase *p = unless_long(self, cycles, word->waited ? WAITED : WORD, word->insn);
    if (!line(self, 'X', word->unit, tid, word->from, p)) {
        put_duration(self, cycles);
        put_insn(self, word->insn);
        ts_out_text(&self->out, word->waited ? "\",\"waited\":" : "\"}}");
        learn(self, p);
    }
    if (word->waited) {
        put_last(self, word->passed - word->gate, 0);
        put_reason(self, word->reason);
    }
    flow_from_push(self, word, tid);
    if (self->wait_count)
        flow_from_post(self, word, tid);
    at_limit(self);
}

static void put_frame(struct ts_trace_sink *base, const struct ts_trace_frame *frame)
{
    struct chrome *self = (struct chrome *)base;
    ready(self);
    uint32_t tid = lane(self, frame->core, LANE_WORK);
    ts_cycle cycles = frame->to - frame->from;
    struct ts_phrase *p = unless_long(self, cycles, FRAME, frame->name);
    if (!line(self, 'X', frame->core, tid, frame->from, p)) {
        put_duration(self, cycles);
        ts_out_text(&self->out, ",\"name\":");
        ts_out_string(&self->out, frame->name, "");
        ts_out_text(&self->out, "}");
        learn(self, p);
    }
    at_limit(self);
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
    struct ts_phrase *p = phrase(self, SAYS(LEVEL) | (uint64_t)id << 16 | value,
                                 (uintptr_t)e->label);
    if (!line(self, 'C', e->who, 0, e->from, p)) {
        const struct ts_component *c = ts_object_component(e->who);
        bool buffer = e->label && c && strcmp(c->ops->kind, "riscv") == 0; // counted by cores
        ts_out_text(&self->out, ",\"name\":");
        ts_out_string(&self->out,
                      buffer     ? "buffer "
                      : e->label ? ""
                                 : ts_trace_short(e->who),
                      e->label ? e->label : "");
        ts_out_text(&self->out, ",\"args\":{\"level\":");
        if (value < FEW) {
            ts_out_number(&self->out, value);
            ts_out_text(&self->out, "}}");
        }
        learn(self, p);
    }
    if (value == FEW)
        put_last(self, e->value, 2);
    at_limit(self);
}

static void put_object(struct chrome *self, const struct ts_object *object)
{
    struct ts_phrase *p = phrase(self, SAYS(OBJECT), object->id);
    if (known(self, p))
        return;
    ts_out_text(&self->out, ",\"object\":");
    ts_out_string(&self->out, object->path, "");
    ts_out_text(&self->out, "}}");
    learn(self, p);
}

static void put_mark(struct chrome *self, const struct ts_trace_episode *e, uint32_t tid)
{
    begin(self, "i", e->who, tid);
    ts_out_text(&self->out, ",\"s\":\"t\",\"ts\":");
    ts_out_thousandths(&self->out, e->from);
}

static void put_episode(struct ts_trace_sink *base, const struct ts_trace_episode *e)
{
    struct chrome *self = (struct chrome *)base;
    ready(self);
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
    struct ts_phrase *p = mark ? NULL : unless_long(self, cycles, EPISODE, name);
    if (mark)
        put_mark(self, e, tid);
    if (mark || !line(self, 'X', e->who, tid, e->from, p)) {
        if (!mark)
            put_duration(self, cycles);
        ts_out_text(&self->out, ",\"name\":");
        ts_out_string(&self->out, name, "");
        ts_out_text(&self->out, ",\"args\":{\"cycle\":");
        learn(self, p);
    }
    put_last(self, e->from, mark || e->other ? 0 : 2);
    if (mark) {
        ts_out_text(&self->out, ",\"value\":");
        ts_out_number(&self->out, e->value);
        ts_out_text(&self->out, e->other ? "" : "}}");
    }
    if (e->other)
        put_object(self, e->other);
    if (stall)
        note_wait(self, e);
    at_limit(self);
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
    ts_phrases_free(&self->phrases);
    free(self);
}

static int close_file(struct ts_trace_sink *base)
{
    struct chrome *self = (struct chrome *)base;
    ts_out_text(&self->out, "\n]}\n");
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
        !self->semaphore || !self->domains || !ts_phrases_init(&self->phrases) ||
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
