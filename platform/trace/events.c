#include "platform/trace/events.h"

#include "platform/kernel/fifo.h"
#include "platform/kernel/kernel.h"

#define INSNS  256 // entries of a front end at first
#define RING   256
#define OPEN   192 // words of a thread that are kept: a record of a wait may come as late as a step
#define LATE   128 // is long
#define FRAMES 12

const struct ts_trace_format_info ts_trace_formats[TS_TRACE_FORMATS] = {
    [TS_TRACE_JSON] = {"json", "trace.json.gz", "Perfetto and Chrome"},
    [TS_TRACE_VCD] = {"vcd", "trace.vcd", "GTKWave"},
};

static struct ts_trace_sink *(*const makers[TS_TRACE_FORMATS])(const struct ts_kernel *,
                                                               const struct ts_trace_options *,
                                                               struct ts_error *) = {
    [TS_TRACE_JSON] = ts_chrome_sink,
    [TS_TRACE_VCD] = ts_vcd_sink,
};

// A thread: its words that are not complete, from first to end, in a ring.
struct front {
    struct ts_trace_word open[RING];
    uint32_t first, end;
    uint32_t idle[RING]; // those whose work is not known yet
    unsigned idle_count;
    struct ts_trace_word next; // the waits of the next word; gate is 0: none
    ts_cycle last_push;
    uint32_t last_pc;
    struct insn_entry {
        uint32_t word, pc;
        struct ts_trace_insn *insn; // NULL: none
    } * insns;                      // a hash table, at most half full
    size_t insn_count, insn_room;
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
    bool *has_words, *shown;          // by id: see below
    size_t object_count;
    void **state;      // by id: struct front or struct core, NULL for the others
    size_t *thread_of; // by domain and thread: id of the front end + 1
    struct ts_trace_sink *sinks[TS_TRACE_FORMATS];
    unsigned first_sink, end_sink; // those that there are lie between
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

#define EACH(call, argument)                                       \
    for (unsigned s = self->first_sink; s < self->end_sink; s++) { \
        struct ts_trace_sink *sink = self->sinks[s];               \
        if (sink == NULL || sink->full || sink->call == NULL)      \
            continue;                                              \
        sink->call(sink, argument);                                \
        if (sink->full && self->options.ends)                      \
            self->options.ends[s].full = self->end;                \
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

// The entry of a word, or the empty one where it belongs. There is room.
static inline struct insn_entry *entry_of(const struct front *front, uint32_t word, uint32_t pc)
{
    uint32_t hash = word * 2654435761u ^ pc * 2246822519u;
    for (hash ^= hash >> 15;; hash++) {
        struct insn_entry *entry = &front->insns[hash & (front->insn_room - 1)];
        if ((entry->word == word && entry->pc == pc) || entry->insn == NULL)
            return entry;
    }
}

// Room for one more. False: no memory.
static bool grow_insns(struct front *front)
{
    if (2 * front->insn_count < front->insn_room)
        return true;
    struct front old = {.insns = front->insns, .insn_room = front->insn_room};
    size_t room = old.insn_room ? 4 * old.insn_room : INSNS;
    struct insn_entry *insns = calloc(room, sizeof(*insns));
    if (insns == NULL)
        return false;
    front->insns = insns;
    front->insn_room = room;
    for (size_t i = 0; i < old.insn_room; i++)
        if (old.insns[i].insn)
            *entry_of(front, old.insns[i].word, old.insns[i].pc) = old.insns[i];
    free(old.insns);
    return true;
}

static struct ts_trace_insn *new_insn(struct events *self, struct front *front,
                                      const struct ts_object *object, uint32_t word, uint32_t pc)
{
    char text[280];
    self->names.operands(self->names.context, word, text, sizeof text);
    size_t length = strlen(text) + 1;
    struct ts_trace_insn *insn = malloc(sizeof *insn + length);
    if (insn == NULL || !grow_insns(front)) {
        free(insn);
        self->error = ENOMEM;
        return NULL;
    }
    *insn = (struct ts_trace_insn){.word = word,
                                   .pc = pc,
                                   .op = self->names.op(self->names.context, word),
                                   .place = self->names.place(self->names.context, object, pc)};
    memcpy(insn->operands, text, length);
    front->insn_count++;
    *entry_of(front, word, pc) = (struct insn_entry){word, pc, insn};
    return insn;
}

static inline struct ts_trace_insn *insn_of(struct events *self, struct front *front,
                                            const struct ts_object *object, uint32_t word,
                                            uint32_t pc)
{
    if (front->insn_room) {
        struct ts_trace_insn *insn = entry_of(front, word, pc)->insn;
        if (insn)
            return insn;
    }
    return new_insn(self, front, object, word, pc);
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

static struct ts_trace_word *open_word(struct front *front, uint32_t number)
{
    return &front->open[number % RING];
}

// The oldest words leave, up to `kept`. By then all is known of them.
static void release(struct events *self, struct front *front, unsigned kept)
{
    while (front->end - front->first > kept)
        send_word(self, open_word(front, front->first++));
}

static void add_word(struct events *self, const struct ts_object *object,
                     const struct ts_record *record)
{
    struct front *front = state_of(self, object, sizeof *front);
    uint32_t pc = (uint32_t)(record->value >> 32);
    struct ts_trace_insn *insn = front ? insn_of(self, front, object, (uint32_t)record->value, pc)
                                       : NULL;
    if (insn == NULL)
        return;
    self->thread_of[object->domain->index * 4 + (record->reason & 3u)] = object->id + 1;
    if (front->end - front->first == OPEN)
        release(self, front, LATE);
    ts_cycle from = record->cycle + ts_record_wait(record), work = ts_record_work(record);
    ts_cycle pushed = record->cycle - ts_record_age(record);
    ts_cycle gate = front->next.gate ? front->next.gate : record->cycle;
    struct ts_trace_word *word = open_word(front, front->end);
    word->insn = insn;
    word->front = object;
    word->unit = self->objects[record->other - 1];
    word->thread = record->reason;
    word->pushed = pushed;
    word->gate = pushed > gate ? pushed : gate;
    word->passed = record->cycle;
    word->from = from;
    word->to = from + (work ? work : 1);
    word->first = pushed != front->last_push || pc != front->last_pc;
    word->reason = front->next.reason;
    word->on = front->next.on;
    word->waited = front->next.waited;
    front->last_push = pushed;
    front->last_pc = pc;
    if (work == 0 && front->idle_count < RING)
        front->idle[front->idle_count++] = front->end;
    front->end++;
    if (front->next.gate)
        front->next = (struct ts_trace_word){0};
}

// The work of a word that waited in its unit: of the oldest one. With `other` of the last one, for
// which its own record had too few bits.
static void add_work(struct events *self, const struct ts_object *unit,
                     const struct ts_record *record)
{
    if (record->other) {
        struct front *last = self->state[record->other - 1];
        if (last && last->end != last->first) {
            struct ts_trace_word *word = open_word(last, last->end - 1);
            word->from = record->cycle;
            word->to = record->cycle + record->value;
        }
        return;
    }
    size_t id = self->thread_of[unit->domain->index * 4 + (record->reason & 3u)];
    struct front *front = id ? self->state[id - 1] : NULL;
    for (unsigned i = 0; front && i < front->idle_count; i++) {
        struct ts_trace_word *word = open_word(front, front->idle[i]);
        bool gone = front->end - front->idle[i] > front->end - front->first;
        if (!gone && word->unit != unit)
            continue;
        memmove(front->idle + i, front->idle + i + 1,
                (--front->idle_count - i) * sizeof *front->idle);
        if (gone) {
            i--;
            continue;
        }
        word->from = record->cycle > word->passed ? record->cycle : word->passed;
        word->to = word->from + (record->value ? record->value : 1);
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
    uint32_t i = front->end;
    while (i != front->first && open_word(front, i - 1)->passed > end)
        i--;
    if (i != front->first && open_word(front, i - 1)->passed == end) {
        note_wait(open_word(front, i - 1), record, on);
    } else if (i == front->end) {
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

const struct ts_fifo *ts_trace_link(const struct ts_object *object)
{
    const struct ts_fifo *fifo = object->kind == TS_OBJECT_FIFO ? (const struct ts_fifo *)object
                                                                : NULL;
    return fifo && fifo->cut ? fifo : NULL;
}

// Is it shown that it is busy? Words and functions say more, and levels more of a channel.
static bool shown(const struct ts_object *object, bool detail)
{
    const struct ts_component *c = ts_object_component(object);
    if (c == NULL)
        return ts_trace_link(object) != NULL;
    const char *kind = c->ops->kind;
    return !detail || (strcmp(kind, "frontend") != 0 && strcmp(kind, "unit") != 0 &&
                       strcmp(kind, "riscv") != 0);
}

static void take_record(struct ts_trace_writer *base, const struct ts_record *record)
{
    struct events *self = (struct events *)base;
    const struct ts_object *object = self->objects[record->emitter];
    enum ts_record_kind kind = (enum ts_record_kind)record->kind;
    bool lasts = kind != TS_RECORD_COUNT;
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
                                           .label = kind == TS_RECORD_STALL ? NULL : record->label,
                                           .reason = (enum ts_stall)record->reason,
                                           .from = record->cycle,
                                           .to = record->cycle + (lasts ? record->value : 1),
                                           .value = record->value};
        if (kind == TS_RECORD_STALL && self->has_words[object->id])
            add_wait(self, object, record);
        if (kind == TS_RECORD_STALL && record->more && self->names.polled)
            episode.polled = self->names.polled(self->names.context, object,
                                                (uint32_t)record->more);
        if (lasts && episode.to > self->end)
            self->end = episode.to;
        if (!outside(self, episode.from, episode.to) &&
            !(kind == TS_RECORD_BUSY && !self->shown[object->id]))
            EACH(episode, &episode)
    }
}

static void free_insns(struct front *front)
{
    for (size_t i = 0; i < front->insn_room; i++)
        free(front->insns[i].insn);
    free(front->insns);
}

static void free_all(struct events *self)
{
    for (size_t i = 0; self->state && i < self->object_count; i++) {
        if (self->state[i] && self->has_words[i])
            free_insns(self->state[i]);
        free(self->state[i]);
    }
    free(self->state);
    free(self->thread_of);
    free(self->has_words);
    free(self->shown);
    free(self->objects);
    free(self);
}

static int done(struct ts_trace_writer *base)
{
    struct events *self = (struct events *)base;
    for (size_t i = 0; i < self->object_count; i++)
        if (self->state[i] && self->has_words[i])
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
        self->has_words = calloc(count + 1, sizeof *self->has_words);
        self->shown = calloc(count + 1, sizeof *self->shown);
        self->thread_of = calloc(4 * ts_kernel_domain_count(kernel), sizeof *self->thread_of);
    }
    if (self == NULL || !self->objects || !self->state || !self->has_words || !self->shown ||
        !self->thread_of) {
        if (self)
            free_all(self);
        return ts_nothing(error, TS_NO_MEMORY, "out of memory for the trace");
    }
    bool detail = options->names != NULL;
    for (const struct ts_object *object = ts_kernel_objects(kernel); object;
         object = object->next) {
        self->objects[object->id] = object;
        self->has_words[object->id] = detail && has_words(object);
        self->shown[object->id] = shown(object, detail);
    }
    self->base = (struct ts_trace_writer){take_record, done, detail, self->shown};
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
        if (self->sinks[s]) {
            self->first_sink = self->end_sink ? self->first_sink : s;
            self->end_sink = s + 1;
        }
    }
    return &self->base;
}
