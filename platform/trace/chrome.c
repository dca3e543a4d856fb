// The Chrome / Perfetto trace: trace.json.gz. One process per domain. Lanes: the functions of a core,
// the words in a unit for each thread, the work of other components; waits on a lane of their own
// (slices that overlap partly on one lane are dropped by Perfetto); zones of the program. A lane is
// named when it first holds something. A counter per channel, buffer and bank. Flows: from the push of a word to its execution, from the post of a
// semaphore to the wait that it ended.
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "platform/trace/events.h"
#include "platform/trace/out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lanes of a component; stalls have even numbers.
enum { LANE_WORK = 1, LANE_STALL = 2, LANE_ZONE = 7, LANES = 8 };
#define WAITS 16

struct chrome {
    struct ts_trace_sink base;
    struct ts_trace_out out;
    const struct ts_kernel *kernel;
    uint64_t mhz;
    uint8_t *named;                 // by component: bit per lane that has its name
    bool *domains;                  // by domain: the same
    const struct ts_object **cores; // by front end's id: the core that feeds it
    bool *semaphore;                // by object
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

// A cycle is shown as one nanosecond: Perfetto's clock has whole nanoseconds, and a cycle is shorter.
// `ts` is in microseconds.
static void put_time(struct chrome *self, ts_cycle cycles)
{
    ts_out_thousandths(&self->out, cycles);
}

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
    const struct ts_component *c = ts_object_component(object);
    if (c == NULL)
        return 0;
    uint32_t tid = LANES * c->index + kind;
    if (!(self->named[object->id] & 1u << kind)) {
        self->named[object->id] |= (uint8_t)(1u << kind);
        name_domain(self, object);
        bool of_t0 = kind == LANE_WORK && strcmp(c->ops->kind, "unit") == 0;
        put_name(self, object, "thread", tid, ts_trace_short(object),
                 of_t0          ? " T0"
                 : suffix[kind] ? suffix[kind]
                                : "");
    }
    return tid;
}

static void slice(struct chrome *self, const struct ts_object *object, uint32_t tid, ts_cycle from,
                  ts_cycle to)
{
    begin(self, "X", object, tid);
    ts_out_text(&self->out, ",\"ts\":");
    put_time(self, from);
    ts_out_text(&self->out, ",\"dur\":");
    put_time(self, to - from);
}

static void at_limit(struct chrome *self)
{
    self->base.full = ts_out_full(&self->out);
}

// --- flows

static void flow_end(struct chrome *self, bool start, const struct ts_object *object, uint32_t tid,
                     ts_cycle at, const char *name)
{
    begin(self, start ? "s" : "f", object, tid);
    ts_out_text(&self->out, start ? ",\"ts\":" : ",\"bp\":\"e\",\"ts\":");
    put_time(self, at);
    ts_out_text(&self->out, ",\"cat\":\"flow\",\"name\":\"");
    ts_out_text(&self->out, name);
    ts_out_text(&self->out, "\",\"id\":");
    ts_out_number(&self->out, self->flow);
    ts_out_text(&self->out, "}");
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

// The text that all executions of a word have in common, before their time and after it.
static bool describe(struct chrome *self, const struct ts_trace_word *word, uint32_t tid)
{
    struct ts_trace_insn *insn = word->insn;
    const struct ts_trace_place *place = insn->place;
    size_t size = 0;
    FILE *text = open_memstream(&insn->json, &size);
    if (text == NULL) {
        self->out.error = errno;
        return false;
    }
    fprintf(text, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":", word->unit->domain->index + 1,
            tid);
    fflush(text);
    insn->json_head = size;
    fprintf(text, ",\"name\":\"%s\",\"args\":{\"operands\":\"%s\"", insn->op, insn->operands);
    if (insn->pc != TS_TRACE_NO_PC)
        fprintf(text, ",\"pc\":\"0x%x\"", insn->pc);
    if (place->function[0])
        fprintf(text, ",\"function\":\"%s\"", place->function);
    if (place->line[0])
        fprintf(text, ",\"line\":\"%s\"", place->line);
    fclose(text);
    insn->json_tail = size - insn->json_head;
    return true;
}

static void put_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct chrome *self = (struct chrome *)base;
    struct ts_trace_insn *insn = word->insn;
    uint32_t tid = lane(self, word->unit, LANE_WORK + 2 * word->thread);
    if (insn->json == NULL && !describe(self, word, tid))
        return;
    ts_out_bytes(&self->out, self->first ? insn->json + 1 : insn->json,
                 self->first ? insn->json_head - 1 : insn->json_head);
    self->first = false;
    put_time(self, word->from);
    ts_out_text(&self->out, ",\"dur\":");
    put_time(self, word->to - word->from);
    ts_out_bytes(&self->out, insn->json + insn->json_head, insn->json_tail);
    if (word->waited) {
        ts_out_text(&self->out, ",\"waited\":");
        ts_out_number(&self->out, word->passed - word->gate);
        ts_out_text(&self->out, ",\"reason\":\"");
        ts_out_text(&self->out, ts_stall_name(word->reason));
        ts_out_text(&self->out, "\"");
    }
    ts_out_text(&self->out, "}}");
    flow_from_push(self, word, tid);
    if (self->wait_count)
        flow_from_post(self, word, tid);
    at_limit(self);
}

static void put_frame(struct ts_trace_sink *base, const struct ts_trace_frame *frame)
{
    struct chrome *self = (struct chrome *)base;
    slice(self, frame->core, lane(self, frame->core, LANE_WORK), frame->from, frame->to);
    ts_out_text(&self->out, ",\"name\":");
    ts_out_string(&self->out, frame->name, "");
    ts_out_text(&self->out, "}");
    at_limit(self);
}

static void put_level(struct chrome *self, const struct ts_trace_episode *e)
{
    const char *name = ts_trace_short(e->who);
    const struct ts_component *c = ts_object_component(e->who);
    bool buffer = e->label && c && strcmp(c->ops->kind, "riscv") == 0; // counted by cores
    if (strncmp(name, "semaphore[", 10) == 0) {
        if (e->value > self->level[e->who->id])
            self->raised[e->who->id] = e->from;
        self->level[e->who->id] = e->value;
    }
    name_domain(self, e->who);
    begin(self, "C", e->who, 0);
    ts_out_text(&self->out, ",\"ts\":");
    put_time(self, e->from);
    ts_out_text(&self->out, ",\"name\":");
    ts_out_string(&self->out, buffer ? "buffer " : e->label ? "" : name, e->label ? e->label : "");
    ts_out_text(&self->out, ",\"args\":{\"level\":");
    ts_out_number(&self->out, e->value);
    ts_out_text(&self->out, "}}");
}

static void put_episode(struct ts_trace_sink *base, const struct ts_trace_episode *e)
{
    struct chrome *self = (struct chrome *)base;
    bool stall = e->kind == TS_RECORD_STALL;
    unsigned kind = stall ? LANE_STALL : e->kind == TS_RECORD_ZONE ? LANE_ZONE : LANE_WORK;
    const struct ts_component *c = ts_object_component(e->who);
    if (e->kind == TS_RECORD_COUNT) {
        put_level(self, e);
        at_limit(self);
        return;
    }
    uint32_t tid = lane(self, e->who, kind);
    if (e->kind == TS_RECORD_MARK) {
        begin(self, "i", e->who, tid);
        ts_out_text(&self->out, ",\"s\":\"t\",\"ts\":");
        put_time(self, e->from);
    } else {
        slice(self, e->who, tid, e->from, e->to);
    }
    ts_out_text(&self->out, ",\"name\":");
    ts_out_string(&self->out,
                  stall      ? ts_stall_name(e->reason)
                  : e->label ? e->label
                  : c        ? c->ops->kind
                             : "work",
                  "");
    ts_out_text(&self->out, ",\"args\":{\"cycle\":");
    ts_out_number(&self->out, e->from);
    if (e->kind == TS_RECORD_MARK) {
        ts_out_text(&self->out, ",\"value\":");
        ts_out_number(&self->out, e->value);
    }
    if (e->other) {
        ts_out_text(&self->out, ",\"object\":");
        ts_out_string(&self->out, e->other->path, "");
    }
    ts_out_text(&self->out, "}}");
    if (stall)
        note_wait(self, e);
    at_limit(self);
}

// --- the file

static void free_lanes(struct chrome *self)
{
    free(self->named);
    free(self->domains);
    free(self->cores);
    free(self->raised);
    free(self->level);
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
        self->cores = calloc(count, sizeof *self->cores);
        self->raised = calloc(count, sizeof *self->raised);
        self->level = calloc(count, sizeof *self->level);
        self->domains = calloc(ts_kernel_domain_count(kernel), sizeof *self->domains);
    }
    if (!self || !self->named || !self->cores || !self->raised || !self->level || !self->domains ||
        !ts_out_open(&self->out, options->path[TS_TRACE_JSON], true, options->limit, error)) {
        if (error->code == TS_OK)
            ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        if (self)
            free_lanes(self);
        return NULL;
    }
    self->base = (struct ts_trace_sink){
        .episode = put_episode, .word = put_word, .frame = put_frame, .close = close_file};
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
