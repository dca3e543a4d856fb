#include "platform/trace/events.h"

#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INSNS 1024 // buckets
#define OPEN \
    192 // words of a thread that are kept: a record of a wait may come as late as a step is long
#define LATE   128
#define FRAMES 12

const struct ts_trace_format_info ts_trace_formats[TS_TRACE_FORMATS] = {
    [TS_TRACE_JSON] = {"json", "trace.json.gz", "Perfetto and Chrome"},
    [TS_TRACE_KANATA] = {"kanata", "trace.kanata", "Konata: each Tensix word from push to end"},
    [TS_TRACE_VCD] = {"vcd", "trace.vcd", "GTKWave"},
    [TS_TRACE_FOLDED] = {"folded", "trace.folded", "flame graphs"},
    [TS_TRACE_LINES] = {"lines", "trace.lines.csv", "cycles per source line"},
};

static struct ts_trace_sink *(*const makers[TS_TRACE_FORMATS])(const struct ts_kernel *,
                                                               const struct ts_trace_options *,
                                                               struct ts_error *) = {
    [TS_TRACE_JSON] = ts_chrome_sink, [TS_TRACE_KANATA] = ts_kanata_sink,
    [TS_TRACE_VCD] = ts_vcd_sink,     [TS_TRACE_FOLDED] = ts_folded_sink,
    [TS_TRACE_LINES] = ts_lines_sink,
};

// A thread: its words that are not complete, in order.
struct front {
    struct {
        struct ts_trace_word word;
        bool works; // its work is known
    } open[OPEN];
    unsigned count;
    struct ts_trace_word next; // the waits of the next word; gate is 0: none
    ts_cycle last_push;
    uint32_t last_pc;
};

struct core {
    const char *name[FRAMES];
    ts_cycle since[FRAMES];
    unsigned depth;
    uint32_t pc;
    const struct ts_trace_place *place;
    ts_cycle at;
};

struct events {
    struct ts_trace_writer base;
    const struct ts_object **objects; // by id
    size_t object_count;
    void **state;      // by id: struct front or struct core, NULL for the others
    size_t *thread_of; // by domain and thread: id of the front end + 1
    struct ts_trace_insn *insns[INSNS];
    struct ts_trace_sink *sinks[TS_TRACE_FORMATS];
    struct ts_trace_options options;
    struct ts_trace_names names;
    ts_cycle end; // the last cycle that was seen
    int error;
};

const char *ts_trace_short(const struct ts_object *object)
{
    size_t length = strlen(object->domain->object.path);
    return object == &object->domain->object ? object->path : object->path + length + 1;
}

// --- to the sinks

#define EACH(call, argument)                                  \
    for (unsigned s = 0; s < TS_TRACE_FORMATS; s++) {         \
        struct ts_trace_sink *sink = self->sinks[s];          \
        if (sink == NULL || sink->full || sink->call == NULL) \
            continue;                                         \
        sink->call(sink, argument);                           \
        if (sink->full && self->options.ends)                 \
            self->options.ends[s].full = self->end;           \
    }

static bool outside(const struct events *self, ts_cycle from, ts_cycle to)
{
    return to <= self->options.from || from >= self->options.to;
}

static void send_word(struct events *self, const struct ts_trace_word *word)
{
    if (!outside(self, word->from, word->to))
        EACH(word, word)
}

static void send_frame(struct events *self, const struct ts_object *core, const char *name,
                       unsigned depth, ts_cycle from, ts_cycle to)
{
    struct ts_trace_frame frame = {core, name, depth, from, to};
    if (frame.from < self->options.from)
        frame.from = self->options.from;
    if (frame.to > self->options.to)
        frame.to = self->options.to;
    if (frame.to > frame.from)
        EACH(frame, &frame)
}

static void send_visit(struct events *self, const struct ts_object *object, const struct core *core,
                       ts_cycle to)
{
    struct ts_trace_visit visit = {object, core->pc, core->place, core->at, to};
    if (core->place && to > core->at && !outside(self, core->at, to))
        EACH(visit, &visit)
}

// --- words

static struct ts_trace_insn *insn_of(struct events *self, const struct ts_object *front,
                                     uint32_t word, uint32_t pc)
{
    uint32_t hash = (word * 2654435761u ^ pc * 40503u ^ front->id * 2246822519u) >> 12;
    struct ts_trace_insn **at = &self->insns[hash % INSNS];
    for (struct ts_trace_insn *insn = *at; insn; insn = insn->next)
        if (insn->word == word && insn->pc == pc && insn->front == front)
            return insn;
    struct ts_trace_insn *insn = calloc(1, sizeof *insn);
    char text[280];
    self->names.operands(self->names.context, word, text, sizeof text);
    char *operands = strdup(text);
    if (insn == NULL || operands == NULL) {
        free(insn);
        free(operands);
        self->error = ENOMEM;
        return NULL;
    }
    *insn = (struct ts_trace_insn){.word = word,
                                   .pc = pc,
                                   .front = front,
                                   .op = self->names.op(self->names.context, word),
                                   .operands = operands,
                                   .place = self->names.place(self->names.context, front, pc),
                                   .next = *at};
    *at = insn;
    return insn;
}

static void *state_of(struct events *self, const struct ts_object *object, size_t size)
{
    if (self->state[object->id] == NULL) {
        self->state[object->id] = calloc(1, size);
        if (self->state[object->id] == NULL)
            self->error = ENOMEM;
    }
    return self->state[object->id];
}

// The oldest words leave, up to `kept`. By then all is known of them.
static void release(struct events *self, struct front *front, unsigned kept)
{
    unsigned gone = front->count > kept ? front->count - kept : 0;
    for (unsigned i = 0; i < gone; i++)
        send_word(self, &front->open[i].word);
    front->count -= gone;
    memmove(front->open, front->open + gone, front->count * sizeof *front->open);
}

static void add_word(struct events *self, const struct ts_object *object,
                     const struct ts_record *record)
{
    struct front *front = state_of(self, object, sizeof *front);
    uint32_t pc = (uint32_t)(record->value >> 32);
    struct ts_trace_insn *insn = insn_of(self, object, (uint32_t)record->value, pc);
    if (front == NULL || insn == NULL)
        return;
    self->thread_of[object->domain->index * 4 + (record->reason & 3u)] = object->id + 1;
    if (front->count == OPEN)
        release(self, front, LATE);
    ts_cycle from = record->cycle + ts_record_wait(record), work = ts_record_work(record);
    struct ts_trace_word word = {.insn = insn,
                                 .front = object,
                                 .unit = self->objects[record->other - 1],
                                 .thread = record->reason,
                                 .pushed = record->cycle - ts_record_age(record),
                                 .gate = front->next.gate ? front->next.gate : record->cycle,
                                 .passed = record->cycle,
                                 .from = from,
                                 .to = from + (work ? work : 1),
                                 .reason = front->next.reason,
                                 .on = front->next.on,
                                 .waited = front->next.waited};
    word.first = word.pushed != front->last_push || pc != front->last_pc;
    if (word.pushed > word.gate)
        word.gate = word.pushed;
    front->last_push = word.pushed;
    front->last_pc = pc;
    front->open[front->count].word = word;
    front->open[front->count++].works = work != 0;
    front->next = (struct ts_trace_word){0};
}

// The work of a word that waited in its unit.
static void add_work(struct events *self, const struct ts_object *unit,
                     const struct ts_record *record)
{
    size_t id = self->thread_of[unit->domain->index * 4 + (record->reason & 3u)];
    struct front *front = id ? self->state[id - 1] : NULL;
    for (unsigned i = 0; front && i < front->count; i++) {
        struct ts_trace_word *word = &front->open[i].word;
        if (front->open[i].works || word->unit != unit)
            continue;
        word->from = record->cycle > word->passed ? record->cycle : word->passed;
        word->to = word->from + (record->value ? record->value : 1);
        front->open[i].works = true;
        return;
    }
}

static void note_wait(struct ts_trace_word *word, const struct ts_record *record,
                      const struct ts_object *on)
{
    if (record->cycle < word->gate && record->cycle >= word->pushed)
        word->gate = record->cycle;
    if (record->value > word->waited) {
        word->waited = record->value;
        word->reason = (enum ts_stall)record->reason;
        word->on = on;
    }
}

// A wait of a front end: of the word that passed at its end, or of the next one.
static void add_wait(struct events *self, const struct ts_object *object,
                     const struct ts_record *record)
{
    struct front *front = self->state[object->id];
    ts_cycle end = record->cycle + record->value;
    const struct ts_object *on = record->other ? self->objects[record->other - 1] : NULL;
    if (front == NULL)
        return;
    unsigned i = front->count;
    while (i > 0 && front->open[i - 1].word.passed > end)
        i--;
    if (i > 0 && front->open[i - 1].word.passed == end) {
        note_wait(&front->open[i - 1].word, record, on);
    } else if (i == front->count) {
        if (front->next.gate == 0)
            front->next = (struct ts_trace_word){.gate = record->cycle};
        note_wait(&front->next, record, on);
    }
}

// --- cores

static void add_pc(struct events *self, const struct ts_object *object,
                   const struct ts_record *record)
{
    struct core *core = state_of(self, object, sizeof *core);
    if (core == NULL)
        return;
    ts_cycle at = record->cycle > core->at ? record->cycle : core->at;
    const struct ts_trace_place *place = self->names.place(self->names.context, object,
                                                           (uint32_t)record->value);
    send_visit(self, object, core, at);
    unsigned depth = place->depth < FRAMES ? place->depth : FRAMES, same = 0;
    while (same < depth && same < core->depth && core->name[same] == place->frames[same])
        same++;
    while (core->depth > same) {
        core->depth--;
        send_frame(self, object, core->name[core->depth], core->depth, core->since[core->depth],
                   at);
    }
    for (; core->depth < depth; core->depth++) {
        core->name[core->depth] = place->frames[core->depth];
        core->since[core->depth] = at;
    }
    core->pc = (uint32_t)record->value;
    core->place = place;
    core->at = at;
}

static void end_core(struct events *self, const struct ts_object *object, struct core *core)
{
    send_visit(self, object, core, self->end);
    while (core->depth > 0) {
        core->depth--;
        send_frame(self, object, core->name[core->depth], core->depth, core->since[core->depth],
                   self->end);
    }
}

// --- the writer

static bool has_words(const struct ts_object *object)
{
    const struct ts_component *c = ts_object_component(object);
    return c && strcmp(c->ops->kind, "frontend") == 0;
}

// Words and functions say more than that these are busy, and levels than that a channel is.
static bool shown_otherwise(const struct events *self, const struct ts_object *object)
{
    const struct ts_component *c = ts_object_component(object);
    const char *kind = c ? c->ops->kind : "";
    if (c == NULL)
        return true;
    return self->base.detail && (strcmp(kind, "frontend") == 0 || strcmp(kind, "unit") == 0 ||
                                 strcmp(kind, "riscv") == 0);
}

static void take(struct ts_trace_writer *base, const struct ts_record *record)
{
    struct events *self = (struct events *)base;
    const struct ts_object *object = self->objects[record->emitter];
    enum ts_record_kind kind = (enum ts_record_kind)record->kind;
    bool lasts = kind != TS_RECORD_COUNT && kind != TS_RECORD_MARK;
    if (kind == TS_RECORD_WORD) {
        add_word(self, object, record);
    } else if (kind == TS_RECORD_WORK) {
        add_work(self, object, record);
    } else if (kind == TS_RECORD_PC) {
        add_pc(self, object, record);
    } else {
        struct ts_trace_episode episode = {.kind = kind,
                                           .who = object,
                                           .other = record->other ? self->objects[record->other - 1]
                                                                  : NULL,
                                           .label = record->label,
                                           .reason = (enum ts_stall)record->reason,
                                           .from = record->cycle,
                                           .to = record->cycle + (lasts ? record->value : 1),
                                           .value = record->value};
        if (kind == TS_RECORD_STALL && self->base.detail && has_words(object))
            add_wait(self, object, record);
        if (lasts && episode.to > self->end)
            self->end = episode.to;
        if (!outside(self, episode.from, episode.to) &&
            !(kind == TS_RECORD_BUSY && shown_otherwise(self, object)))
            EACH(episode, &episode)
    }
}

static void free_all(struct events *self)
{
    for (size_t i = 0; self->state && i < self->object_count; i++)
        free(self->state[i]);
    for (size_t i = 0; i < INSNS; i++)
        for (struct ts_trace_insn *insn = self->insns[i], *next; insn; insn = next) {
            next = insn->next;
            free(insn->operands);
            free(insn->json);
            free(insn);
        }
    free(self->state);
    free(self->thread_of);
    free(self->objects);
    free(self);
}

static int done(struct ts_trace_writer *base)
{
    struct events *self = (struct events *)base;
    for (size_t i = 0; i < self->object_count; i++)
        if (self->state[i] && has_words(self->objects[i]))
            release(self, self->state[i], 0);
        else if (self->state[i])
            end_core(self, self->objects[i], self->state[i]);
    int error = self->error;
    for (unsigned s = 0; s < TS_TRACE_FORMATS; s++) {
        int wrong = self->sinks[s] ? self->sinks[s]->close(self->sinks[s]) : 0;
        error = error ? error : wrong;
        if (self->options.ends)
            self->options.ends[s].error = wrong;
    }
    free_all(self);
    return error;
}

struct ts_trace_writer *ts_trace_open(const struct ts_kernel *kernel,
                                      const struct ts_trace_options *options,
                                      struct ts_error *error)
{
    struct events *self = calloc(1, sizeof *self);
    size_t count = 0;
    for (const struct ts_object *object = ts_kernel_objects(kernel); object; object = object->next)
        count++;
    if (self) {
        self->object_count = count;
        self->objects = calloc(count + 1, sizeof *self->objects);
        self->state = calloc(count + 1, sizeof *self->state);
        self->thread_of = calloc(4 * ts_kernel_domain_count(kernel), sizeof *self->thread_of);
    }
    if (self == NULL || !self->objects || !self->state || !self->thread_of) {
        if (self)
            free_all(self);
        ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        return NULL;
    }
    for (const struct ts_object *object = ts_kernel_objects(kernel); object; object = object->next)
        self->objects[object->id] = object;
    self->base = (struct ts_trace_writer){take, done, options->names != NULL};
    self->options = *options;
    if (options->limit == 0)
        self->options.limit = TS_TRACE_LIMIT;
    if (options->names)
        self->names = *options->names;
    for (unsigned s = 0; s < TS_TRACE_FORMATS; s++) {
        self->sinks[s] = options->path[s] ? makers[s](kernel, &self->options, error) : NULL;
        if (options->path[s] && self->sinks[s] == NULL) {
            done(&self->base);
            return NULL;
        }
    }
    return &self->base;
}
