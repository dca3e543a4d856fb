// The Chrome / Perfetto trace: trace.json.gz. One process per domain, and of several chips one with the links of each: a
// lane is a direction of a link. Other lanes: the functions of a core,
// the words in a unit for each thread, the work of other components; waits on a lane of their own
// (slices that overlap partly on one lane are dropped by Perfetto); zones of the program. A lane is
// named when it first holds something. A counter per channel, buffer and bank. Flows: from the push of
// a word to its execution, from the post of a semaphore to the wait that it ended.
#include "platform/kernel/cluster.h"
#include "platform/kernel/fifo.h"
#include "platform/trace/events.h"
#include "platform/trace/out.h"

// Lanes of a component; stalls have even numbers.
enum { LANE_WORK = 1, LANE_STALL = 2, LANE_ZONE = 7, LANES = 8 };
#define WAITS 16

struct chrome {
    struct ts_trace_sink base;
    struct ts_trace_out out;
    const struct ts_kernel *kernel;
    const struct ts_trace_names *names; // NULL: none
    uint64_t mhz;
    uint8_t *named;                 // by component: bit per lane that has its name
    uint32_t *lanes;                // by component: the number before its lanes
    bool *domains;                  // by domain, and behind them by place: the same
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

// The process of an object, from 0 on.
static uint32_t process_of(const struct chrome *self, const struct ts_object *object)
{
    return ts_trace_link(object)
               ? (uint32_t)ts_kernel_domain_count(self->kernel) + object->domain->place
               : object->domain->index;
}

static void begin(struct chrome *self, const char *phase, const struct ts_object *object,
                  uint32_t tid)
{
    ts_out_text(&self->out, self->first ? "\n{\"ph\":\"" : ",\n{\"ph\":\"");
    self->first = false;
    ts_out_text(&self->out, phase);
    ts_out_text(&self->out, "\",\"pid\":");
    ts_out_number(&self->out, process_of(self, object) + 1);
    ts_out_text(&self->out, ",\"tid\":");
    ts_out_number(&self->out, tid);
}

// Processes of a chip stand together, its links with the first tile.
static uint32_t order_of(const struct chrome *self, const struct ts_object *object)
{
    const uint32_t place = object->domain->place;
    return (place ? place - 1 : 0) * (uint32_t)ts_kernel_domain_count(self->kernel) +
           (ts_trace_link(object) ? 0 : object->domain->index);
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
    ts_out_number(&self->out, tid ? tid : order_of(self, object));
    ts_out_text(&self->out, "}}");
}

static const char *domain_name(const struct chrome *self, const struct ts_domain *domain)
{
    const char *name = self->names && self->names->domain
                           ? self->names->domain(self->names->context, domain)
                           : NULL;
    return name ? name : domain->object.path;
}

static void name_domain(struct chrome *self, const struct ts_object *object)
{
    const struct ts_domain *domain = object->domain;
    bool *named = &self->domains[process_of(self, object)];
    char links[64];
    if (*named)
        return;
    *named = true;
    if (ts_trace_link(object)) {
        snprintf(links, sizeof links, "%.*s/links", (int)strcspn(domain->object.path, "/"),
                 domain->object.path);
        put_name(self, object, "process", 0, links, "");
    } else {
        put_name(self, &domain->object, "process", 0, domain_name(self, domain), "");
    }
}

// "chip0/eth0 (1-1) to chip1/eth4 (5-1)". Links have numbers of their own; the level of one is in the process of its tile.
static uint32_t link_lane(struct chrome *self, const struct ts_fifo *link)
{
    const struct ts_object *object = &link->object;
    if (self->lanes[object->id])
        return self->lanes[object->id];
    char to[128];
    snprintf(to, sizeof to, " to %s", domain_name(self, link->reader->domain));
    self->lanes[object->id] = object->domain->index + 1;
    name_domain(self, object);
    put_name(self, object, "thread", self->lanes[object->id], domain_name(self, object->domain),
             to);
    return self->lanes[object->id];
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

// A cycle is shown as one nanosecond: Perfetto's clock has whole nanoseconds, and a cycle is
// shorter. `ts` and `dur` are in microseconds.
static void put_duration(struct chrome *self, ts_cycle cycles)
{
    ts_out_text(&self->out, ",\"dur\":");
    ts_out_thousandths(&self->out, cycles);
}

static void end_line(struct chrome *self, ts_cycle at)
{
    ts_out_text(&self->out, ",\"ts\":");
    ts_out_thousandths(&self->out, at);
    ts_out_text(&self->out, "}");
    self->base.full = ts_out_full(&self->out);
}

// --- flows

static void flow_end(struct chrome *self, bool start, const struct ts_object *object, uint32_t tid,
                     ts_cycle at, const char *name)
{
    begin(self, start ? "s" : "f", object, tid);
    ts_out_text(&self->out, start ? ",\"cat\":\"flow\",\"name\":\""
                                  : ",\"bp\":\"e\",\"cat\":\"flow\",\"name\":\"");
    ts_out_text(&self->out, name);
    ts_out_text(&self->out, "\",\"id\":");
    ts_out_number(&self->out, self->flow);
    end_line(self, at);
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

static void put_insn(struct chrome *self, const struct ts_trace_insn *insn)
{
    const struct ts_trace_place *place = insn->place;
    ts_out_text(&self->out, ",\"name\":");
    ts_out_string(&self->out, insn->op, "");
    ts_out_text(&self->out, ",\"args\":{\"operands\":");
    ts_out_string(&self->out, insn->operands, "");
    if (insn->pc != TS_TRACE_NO_PC) {
        ts_out_text(&self->out, ",\"pc\":\"0x");
        ts_out_hex(&self->out, insn->pc);
        ts_out_text(&self->out, "\"");
    }
    if (place->function[0]) {
        ts_out_text(&self->out, ",\"function\":");
        ts_out_string(&self->out, place->function, "");
    }
    if (place->line[0]) {
        ts_out_text(&self->out, ",\"line\":");
        ts_out_string(&self->out, place->line, "");
    }
}

static void put_word(struct ts_trace_sink *base, const struct ts_trace_word *word)
{
    struct chrome *self = (struct chrome *)base;
    uint32_t tid = lane(self, word->unit, LANE_WORK + 2 * word->thread);
    begin(self, "X", word->unit, tid);
    put_duration(self, word->to - word->from);
    put_insn(self, word->insn);
    if (word->waited) {
        ts_out_text(&self->out, ",\"waited\":");
        ts_out_number(&self->out, word->passed - word->gate);
        ts_out_text(&self->out, ",\"reason\":\"");
        ts_out_text(&self->out, ts_stall_name(word->reason));
        ts_out_text(&self->out, "\"");
    }
    ts_out_text(&self->out, "}");
    end_line(self, word->from);
    flow_from_push(self, word, tid);
    if (self->wait_count)
        flow_from_post(self, word, tid);
}

static void put_frame(struct ts_trace_sink *base, const struct ts_trace_frame *frame)
{
    struct chrome *self = (struct chrome *)base;
    begin(self, "X", frame->core, lane(self, frame->core, LANE_WORK));
    put_duration(self, frame->to - frame->from);
    ts_out_text(&self->out, ",\"name\":");
    ts_out_string(&self->out, frame->name, "");
    end_line(self, frame->from);
}

static void put_level(struct chrome *self, const struct ts_trace_episode *e)
{
    uint32_t id = e->who->id;
    const struct ts_component *c = ts_object_component(e->who);
    bool buffer = e->label && c && strcmp(c->ops->kind, "riscv") == 0; // counted by cores
    if (self->semaphore[id]) {
        if (e->value > self->level[id])
            self->raised[id] = e->from;
        self->level[id] = e->value;
    }
    const struct ts_object *tile = &e->who->domain->object; // of a link, too
    name_domain(self, tile);
    begin(self, "C", tile, 0);
    ts_out_text(&self->out, ",\"name\":");
    ts_out_string(&self->out,
                  buffer     ? "buffer "
                  : e->label ? ""
                             : ts_trace_short(e->who),
                  e->label ? e->label : "");
    ts_out_text(&self->out, ",\"args\":{\"level\":");
    ts_out_number(&self->out, e->value);
    ts_out_text(&self->out, "}");
    end_line(self, e->from);
}

static void put_episode(struct ts_trace_sink *base, const struct ts_trace_episode *e)
{
    struct chrome *self = (struct chrome *)base;
    if (e->kind == TS_RECORD_COUNT) {
        put_level(self, e);
        return;
    }
    bool stall = e->kind == TS_RECORD_STALL;
    unsigned kind = stall ? LANE_STALL : e->kind == TS_RECORD_ZONE ? LANE_ZONE : LANE_WORK;
    const struct ts_component *c = ts_object_component(e->who);
    const char *name = stall      ? ts_stall_name(e->reason)
                       : e->label ? e->label
                       : c        ? c->ops->kind
                                  : "frames";
    const struct ts_fifo *link = ts_trace_link(e->who);
    begin(self, "X", e->who, link ? link_lane(self, link) : lane(self, e->who, kind));
    put_duration(self, e->to - e->from);
    ts_out_text(&self->out, ",\"name\":");
    ts_out_string(&self->out, name, "");
    ts_out_text(&self->out, ",\"args\":{\"cycle\":");
    ts_out_number(&self->out, e->from);
    if (e->polled || e->other) {
        ts_out_text(&self->out, ",\"object\":");
        ts_out_string(&self->out, e->polled ? e->polled : e->other->path, "");
    }
    ts_out_text(&self->out, "}");
    end_line(self, e->from);
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
        self->domains = calloc(ts_kernel_domain_count(kernel) + TS_PLACES, sizeof *self->domains);
    }
    if (!self || !self->named || !self->lanes || !self->cores || !self->raised || !self->level ||
        !self->semaphore || !self->domains ||
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
    self->names = options->names;
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
