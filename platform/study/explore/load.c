// From a small program (load/script.h) to the operations of explore.h. What is not modelled is refused,
// with file, line and column.
//
// A core and its Tensix thread are separate processes: a core runs ahead of what it has pushed. Words
// in a core's list go to its thread, and the core issues them; a core that does nothing but issue is
// left out. A thread with a list of its own (T0 to T2) is issued by `issue`, or is all there.
// Skipped, because nobody waits for it here: delays, fences, data in L1, configuration, writes to the
// network. (Whoever polls L1 is refused.)
#include "platform/load/script.h"
#include "platform/study/explore/explore.h"
#include "platform/study/explore/words.h"
#include "platform/tile/windows.h"

#include <stdlib.h>
#include <string.h>

const char *const ts_explore_op_names[] = {
#define TS_EXPLORE_OP(name, core) #name,
#include "config/explore.def"
#undef TS_EXPLORE_OP
    NULL};

enum { RISCV, TENSIX };
static const bool of_tensix[] = {
#define TS_EXPLORE_OP(name, core) core,
#include "config/explore.def"
#undef TS_EXPLORE_OP
};

#define RECORD    "; record a run instead: tensim hang --record FILE"
#define FIFO      29 // words that a core is ahead, at most: fifo_accept + 1
#define AFTER_MOP (TS_FRONT_REPLAY + TS_FRONT_GATE) // words behind the MOP expander

struct loader {
    struct ts_explore_program *program;
    const struct ts_script *script;
    const struct ts_script_tile *tile;
    const struct ts_error *error;
    int semaphore[TS_SEMAPHORES], mutex[8]; // objects; -1: not yet
    uint8_t buffer[TS_SCRIPT_BUFFERS], ring[TS_SCRIPT_RINGS];
    int thread[TS_SCRIPT_LISTS];  // of each list; -1: none
    int pusher[TS_THREADS];       // list of the core whose words a thread does; -1: nobody's yet
    unsigned issued[TS_THREADS];  // operations of the thread that its core has pushed
    unsigned drained[TS_THREADS]; // of them, up to the last tensix_sync
    bool own[TS_THREADS];         // the thread has a list of its own
};

static bool good(const struct loader *self)
{
    return self->error->code == TS_OK;
}

// --- objects ---

static int add_object(struct loader *self, enum ts_explore_kind kind, const char *name)
{
    struct ts_explore_program *p = self->program;
    if (p->objects == TS_EXPLORE_OBJECTS) {
        ts_yaml_error(self->tile->node, "more than %d objects", TS_EXPLORE_OBJECTS);
        return 0;
    }
    struct ts_explore_object *o = &p->object[p->objects];
    *o = (struct ts_explore_object){.kind = kind};
    snprintf(o->name, sizeof o->name, "%s", name);
    return (int)p->objects++;
}

static int find(const struct loader *self, enum ts_explore_kind kind, const char *name)
{
    for (unsigned i = 0; i < self->program->objects; i++)
        if (self->program->object[i].kind == kind &&
            strcmp(self->program->object[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int semaphore(struct loader *self, unsigned index)
{
    const struct ts_script_object *from = &self->script->semaphores[index];
    if (self->semaphore[index] < 0) {
        int made = self->semaphore[index] = add_object(self, TS_EXPLORE_SEMAPHORE, from->name);
        self->program->object[made].a = (int32_t)from->value;
        self->program->object[made].b = (uint8_t)from->max;
    }
    return self->semaphore[index];
}

static int mutex(struct loader *self, unsigned index)
{
    char name[16];
    snprintf(name, sizeof name, "mutex_%u", index & 7);
    if (self->mutex[index & 7] < 0)
        self->mutex[index & 7] = add_object(self, TS_EXPLORE_MUTEX, name);
    return self->mutex[index & 7];
}

static int mailbox(struct loader *self, unsigned writer, unsigned reader)
{
    char name[TS_EXPLORE_NAME];
    snprintf(name, sizeof name, "%s->%s", ts_script_lists[writer], ts_script_lists[reader]);
    int found = find(self, TS_EXPLORE_MAILBOX, name);
    if (found < 0)
        found = add_object(self, TS_EXPLORE_MAILBOX, name);
    self->program->object[found].size = (int16_t)writer;
    return found;
}

static int queue(struct loader *self, unsigned thread)
{
    char name[TS_EXPLORE_NAME];
    snprintf(name, sizeof name, "queue of T%u", thread);
    int found = find(self, TS_EXPLORE_QUEUE, name);
    return found >= 0 ? found : add_object(self, TS_EXPLORE_QUEUE, name);
}

static void add_objects(struct loader *self)
{
    struct ts_explore_program *p = self->program;
    const struct ts_script *script = self->script;
    for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++) {
        p->src[i] = (uint8_t)add_object(self, TS_EXPLORE_SRC, i ? "srcb" : "srca");
        p->unit[i] = (uint8_t)add_object(self, TS_EXPLORE_UNIT, i ? "UNPACK1" : "UNPACK0");
    }
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        self->semaphore[i] = self->mutex[i] = -1;
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        if (script->semaphores[i].declared)
            semaphore(self, i);
    for (unsigned i = 0; i < script->mutex_count; i++)
        self->mutex[script->mutexes[i].index] = add_object(self, TS_EXPLORE_MUTEX,
                                                           script->mutexes[i].name);
    for (unsigned i = 0; i < script->buffer_count; i++) {
        const struct ts_script_object *from = &script->buffers[i];
        int made = add_object(self, TS_EXPLORE_CB, from->name);
        char name[TS_EXPLORE_NAME];
        self->buffer[i] = (uint8_t)made;
        p->object[made].size = (int16_t)from->pages;
        p->object[made].a = (int32_t)from->filled;
        snprintf(name, sizeof name, "room of %.23s", from->name);
        p->object[add_object(self, TS_EXPLORE_ROOM, name)].a = (int32_t)(from->pages -
                                                                         from->filled);
    }
    for (unsigned i = 0; i < script->ring_count; i++) {
        int made = add_object(self, TS_EXPLORE_RING, script->rings[i].name);
        self->ring[i] = (uint8_t)made;
        p->object[made].size = (int16_t)script->rings[i].slots;
        p->object[made].tfree = script->rings[i].tfree;
    }
}

// --- operations ---

static const char *text_of(struct loader *self, const struct ts_script_step *step)
{
    char **kept = &self->program->texts[step->number];
    if (*kept == NULL) {
        char text[200];
        ts_script_text(step, text, sizeof text);
        *kept = strdup(text);
        if (*kept == NULL)
            abort();
    }
    return *kept;
}

static struct ts_explore_op *add(struct loader *self, int thread, const struct ts_script_step *step,
                                 enum ts_explore_code code)
{
    struct ts_explore_thread *t = &self->program->thread[thread];
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->op = realloc(t->op, t->room * sizeof *t->op);
        if (t->op == NULL)
            abort();
    }
    if (t->count == TS_EXPLORE_OPS)
        ts_yaml_error(step->node, "more than %d operations in %s", TS_EXPLORE_OPS, t->name);
    struct ts_explore_op *op = &t->op[t->count < TS_EXPLORE_OPS ? t->count++ : t->count - 1];
    *op = (struct ts_explore_op){.code = (uint8_t)code,
                                 .line = ts_yaml_line(step->node),
                                 .column = (int)step->node.node->start_mark.column + 1,
                                 .text = text_of(self, step)};
    return op;
}

static void on_object(struct ts_explore_op *op, int object)
{
    op->object = (uint8_t)object;
    op->objects |= ts_explore_bit(object);
}

static void on_semaphores(struct loader *self, struct ts_explore_op *op, unsigned select)
{
    if ((select & 0xff) == 0)
        op->code = TS_EXPLORE_WORK;
    for (unsigned i = TS_SEMAPHORES; i-- > 0;) // the first one last
        if (select >> i & 1)
            on_object(op, semaphore(self, i));
}

static void on_banks(struct loader *self, struct ts_explore_op *op, unsigned banks)
{
    for (unsigned i = TS_EXPLORE_UNITS; i-- > 0;)
        if (banks >> i & 1)
            on_object(op, self->program->src[i]);
}

// Conditions that can stay unmet; those of units that always finish are no bits.
static uint8_t conditions(unsigned wait)
{
    return (uint8_t)((wait >> 1 & 3) * TS_COND_UNPACK | (wait >> 5 & 3) * TS_COND_CLEAR |
                     (wait >> 7 & 3) * TS_COND_VALID);
}

static void sync_word(struct loader *self, struct ts_explore_op *op, uint32_t word)
{
    switch (TS_OP_OF(word)) {
    case TS_OP_SEMINIT: {
        struct ts_args_SEMINIT a = ts_decode_SEMINIT(word);
        op->code = TS_EXPLORE_SEMINIT;
        op->n = (int32_t)a.init_value;
        op->max = (uint8_t)a.max_value;
        on_semaphores(self, op, a.sem_sel);
        break;
    }
    case TS_OP_SEMPOST:
        op->code = TS_EXPLORE_SEMPOST;
        on_semaphores(self, op, ts_decode_SEMPOST(word).sem_sel);
        break;
    case TS_OP_SEMGET:
        op->code = TS_EXPLORE_SEMGET;
        on_semaphores(self, op, ts_decode_SEMGET(word).sem_sel);
        break;
    case TS_OP_SEMWAIT: {
        struct ts_args_SEMWAIT a = ts_decode_SEMWAIT(word);
        op->code = TS_EXPLORE_SEMWAIT;
        op->on = a.wait_sem_cond & 3;
        op->block = (uint16_t)(a.stall_res ? a.stall_res : TS_B_MATRIX);
        on_semaphores(self, op, op->on ? a.sem_sel : 0);
        break;
    }
    case TS_OP_STALLWAIT: {
        struct ts_args_STALLWAIT a = ts_decode_STALLWAIT(word);
        op->code = TS_EXPLORE_STALLWAIT;
        op->on = conditions(a.wait_res ? a.wait_res : 0xf);
        op->block = (uint16_t)(a.stall_res ? a.stall_res : TS_B_MATRIX);
        break;
    }
    case TS_OP_ATGETM:
    case TS_OP_ATRELM:
        op->code = TS_OP_OF(word) == TS_OP_ATGETM ? TS_EXPLORE_ATGETM : TS_EXPLORE_ATRELM;
        on_object(op, mutex(self, word & 7));
        break;
    default:
        break;
    }
}

// A word of a Tensix thread: one operation, or two (it needs banks and gives banks back).
static void add_word(struct loader *self, unsigned t, const struct ts_script_step *step,
                     uint32_t word)
{
    struct ts_script_effect effect = ts_script_effect(word);
    if (effect.kind == TS_EFFECT_FRONT) {
        ts_script_refuse(step->node, "explore", "does not expand MOP and REPLAY" RECORD);
        return;
    }
    int thread = self->thread[TS_SCRIPT_T0 + t];
    struct ts_explore_op *op = add(self, thread, step, TS_EXPLORE_WORK);
    op->held = effect.held;
    switch (effect.kind) {
    case TS_EFFECT_SYNC:
        sync_word(self, op, word);
        break;
    case TS_EFFECT_UNPACK:
        op->code = TS_EXPLORE_UNPACK;
        on_banks(self, op, effect.needs);
        break;
    case TS_EFFECT_GIVE:
        op->code = TS_EXPLORE_GIVE;
        on_banks(self, op, effect.clears);
        break;
    case TS_EFFECT_MATRIX:
        op->code = effect.needs ? TS_EXPLORE_MATRIX : TS_EXPLORE_CLEAR;
        on_banks(self, op, effect.needs ? effect.needs : effect.clears);
        if (effect.needs && effect.clears) {
            op = add(self, thread, step, TS_EXPLORE_CLEAR);
            op->held = effect.held;
            op->joined = true;
            on_banks(self, op, effect.clears);
        }
        break;
    default:
        break;
    }
}

// --- a core and what it pushes ---

// The words that a core has put into its thread since it issued last; then those for which the FIFO
// has no room hold it.
static void flush(struct loader *self, unsigned list, const struct ts_script_step *step)
{
    for (unsigned t = 0; t < TS_THREADS; t++) {
        int thread = self->thread[TS_SCRIPT_T0 + t];
        if (self->own[t] || self->pusher[t] != (int)list || thread < 0 ||
            self->program->thread[thread].count == self->issued[t])
            continue;
        struct ts_explore_op *op = add(self, self->thread[list], step, TS_EXPLORE_ISSUE);
        op->n = (int32_t)(self->program->thread[thread].count - self->issued[t]);
        on_object(op, queue(self, t));
        self->issued[t] = self->program->thread[thread].count;
        if (self->issued[t] - self->drained[t] > FIFO) {
            op = add(self, self->thread[list], step, TS_EXPLORE_DRAIN);
            op->n = FIFO;
            on_object(op, queue(self, t));
        }
    }
}

static void push(struct loader *self, unsigned list, unsigned t, const struct ts_script_step *step,
                 uint32_t word)
{
    if (self->own[t] || (self->pusher[t] >= 0 && self->pusher[t] != (int)list)) {
        ts_script_refuse(step->node, "explore",
                         "takes the words of a thread from one list: this thread has another");
        return;
    }
    self->pusher[t] = (int)list;
    add_word(self, t, step, word);
}

// So many words of a thread's own list, from the issued ones on or back from them, in operations.
static unsigned operations(const struct loader *self, unsigned t, unsigned words, bool back)
{
    const struct ts_explore_thread *thread = &self->program->thread[self->thread[TS_SCRIPT_T0 + t]];
    unsigned at = self->issued[t], from = at;
    for (; back && words && at; words -= !thread->op[at].joined)
        at--;
    for (; !back && at < thread->count; at++) {
        if (!thread->op[at].joined && words-- == 0)
            return at - from;
    }
    return back ? from - at : at - from + words; // words that a recording left out
}

static void add_queue(struct loader *self, unsigned list, const struct ts_script_step *step)
{
    unsigned t = list - TS_RV_TRISC0;
    bool issue = step->verb == TS_DO_CORE_issue;
    if (!ts_is_trisc(list) || (issue && !self->own[t])) {
        ts_yaml_error(step->node, "%s needs a list of words of the core's thread",
                      ts_script_verbs[step->verb].name);
        return;
    }
    if (self->thread[TS_SCRIPT_T0 + t] < 0 || (!self->own[t] && self->pusher[t] != (int)list))
        return; // nothing was pushed
    int64_t words = issue || step->verb == TS_DO_CORE_drain
                        ? ts_script_arg(step, issue ? "words" : "left")
                    : ts_script_arg(step, "what") ? AFTER_MOP
                                                  : -1; // tensix_sync waits for the units, too
    struct ts_explore_op *op = add(self, self->thread[list], step,
                                   issue ? TS_EXPLORE_ISSUE : TS_EXPLORE_DRAIN);
    op->n = words < 0 ? -1 : (int32_t)operations(self, t, (unsigned)words, !issue);
    on_object(op, queue(self, t));
    if (issue)
        self->issued[t] += (unsigned)op->n;
    else if (words < 0)
        self->drained[t] = self->issued[t];
}

static void add_poll(struct loader *self, unsigned list, const struct ts_script_step *step)
{
    static const char *const keys[] = {"is", "is_not", "below", "at_most", "above", "at_least"};
    if (!ts_script_given(step, "semaphore")) {
        ts_script_refuse(step->node, "explore", "does not model words of L1" RECORD);
        return;
    }
    struct ts_explore_op *op = add(self, self->thread[list], step, TS_EXPLORE_POLL);
    on_object(op, semaphore(self, (unsigned)ts_script_arg(step, "semaphore")));
    while (!ts_script_given(step, keys[op->on]))
        op->on++;
    op->n = (int32_t)ts_script_arg(step, keys[op->on]);
}

static void add_core(struct loader *self, unsigned list, const struct ts_script_step *step)
{
    static const struct {
        enum ts_explore_code code;
        const char *key; // of its object
    } rows[TS_DO_COUNT] = {
        [TS_DO_CORE_post] = {TS_EXPLORE_POST, "semaphore"},
        [TS_DO_CORE_get] = {TS_EXPLORE_GET, "semaphore"},
        [TS_DO_CORE_mail] = {TS_EXPLORE_SEND, "to"},
        [TS_DO_CORE_read] = {TS_EXPLORE_RECEIVE, "from"},
        [TS_DO_CORE_cb_reserve_back] = {TS_EXPLORE_RESERVE, "buffer"},
        [TS_DO_CORE_cb_push_back] = {TS_EXPLORE_PUSH, "buffer"},
        [TS_DO_CORE_cb_wait_front] = {TS_EXPLORE_WAIT, "buffer"},
        [TS_DO_CORE_cb_pop_front] = {TS_EXPLORE_POP, "buffer"},
        [TS_DO_CORE_cb_claim] = {TS_EXPLORE_CLAIM, "buffer"},
        [TS_DO_CORE_cb_take] = {TS_EXPLORE_TAKE, "buffer"},
        [TS_DO_THREAD_cb_publish] = {TS_EXPLORE_PUBLISH, "buffer"},
        [TS_DO_THREAD_cb_return] = {TS_EXPLORE_RETURN, "buffer"},
        [TS_DO_CORE_tpush] = {TS_EXPLORE_TPUSH, "ring"},
        [TS_DO_CORE_tpop] = {TS_EXPLORE_TPOP, "ring"},
        [TS_DO_CORE_tfree] = {TS_EXPLORE_TFREE, "ring"},
    };
    const char *key = rows[step->verb].key;
    if (key == NULL)
        return;
    unsigned value = (unsigned)ts_script_arg(step, key);
    int object = 0;
    if (step->verb == TS_DO_CORE_mail || step->verb == TS_DO_CORE_read)
        object = step->verb == TS_DO_CORE_mail ? mailbox(self, list, value)
                                               : mailbox(self, value, list);
    else
        object = key[0] == 's'   ? semaphore(self, value)
                 : key[0] == 'b' ? self->buffer[value]
                                 : self->ring[value];
    struct ts_explore_op *op = add(self, self->thread[list], step, rows[step->verb].code);
    on_object(op, object);
    op->n = key[0] == 'b' ? (int32_t)ts_script_arg(step, "pages") : 0;
    if (of_tensix[op->code])
        op->held = TS_B_SCALAR;
}

static void add_list(struct loader *self, unsigned list, const struct ts_script_list *steps)
{
    bool thread = list >= TS_SCRIPT_T0 && list < TS_SCRIPT_CUBE;
    for (size_t i = 0; i < steps->count && good(self); i++) {
        const struct ts_script_step *step = &steps->steps[i];
        switch (step->verb) {
        case TS_DO_BOTH_repeat:
            for (int64_t n = ts_script_arg(step, "times"); n > 0 && good(self); n--)
                add_list(self, list, &step->body);
            break;
        case TS_DO_BOTH_tt:
            if (thread)
                add_word(self, list - TS_SCRIPT_T0, step, (uint32_t)ts_script_arg(step, "word"));
            else if (ts_is_trisc(list))
                push(self, list, list - TS_RV_TRISC0, step, (uint32_t)ts_script_arg(step, "word"));
            else
                ts_yaml_error(step->node, "%s has no Tensix thread: use push",
                              ts_script_lists[list]);
            break;
        case TS_DO_CORE_push:
            push(self, list, (unsigned)ts_script_arg(step, "thread"), step,
                 (uint32_t)ts_script_arg(step, "tt"));
            break;
        case TS_DO_CORE_issue:
        case TS_DO_CORE_drain:
        case TS_DO_CORE_sync:
            flush(self, list, step);
            add_queue(self, list, step);
            break;
        case TS_DO_CORE_code:
        case TS_DO_CORE_noc_wait:
            ts_script_refuse(step->node, "explore", "does not model this step" RECORD);
            break;
        default:
            if (!thread)
                flush(self, list, step);
            if (step->verb == TS_DO_CORE_until)
                add_poll(self, list, step);
            else
                add_core(self, list, step);
            break;
        }
    }
    if (steps->count && !thread && good(self))
        flush(self, list, &steps->steps[steps->count - 1]);
}

// --- the program ---

static void new_thread(struct loader *self, unsigned list)
{
    struct ts_explore_program *p = self->program;
    self->thread[list] = (int)p->threads;
    snprintf(p->thread[p->threads++].name, TS_EXPLORE_NAME, "%s", ts_script_lists[list]);
}

// Words in the list of a core or, with push, of another one.
static bool pushes_to(const struct ts_script_list *list, unsigned core, unsigned t)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct ts_script_step *step = &list->steps[i];
        if ((step->verb == TS_DO_BOTH_tt && core == TS_RV_TRISC0 + t) ||
            (step->verb == TS_DO_CORE_push && ts_script_arg(step, "thread") == t) ||
            pushes_to(&step->body, core, t))
            return true;
    }
    return false;
}

// Nothing but issuing: a core that is left out, and its thread has all its words.
static bool only_issues(const struct ts_explore_thread *thread)
{
    for (unsigned i = 0; i < thread->count; i++)
        if (thread->op[i].code != TS_EXPLORE_ISSUE &&
            (thread->op[i].code != TS_EXPLORE_DRAIN || thread->op[i].n != FIFO))
            return false;
    return thread->count > 0;
}

static void leave_out(struct ts_explore_program *p, unsigned thread)
{
    for (unsigned i = 0; i < p->thread[thread].count; i++)
        p->object[p->thread[thread].op[i].object].size = -1; // a queue of nobody
    p->thread[thread].count = 0;
}

static void add_threads(struct loader *self)
{
    const struct ts_script_list *lists = self->tile->lists;
    for (unsigned i = 0; i < TS_SCRIPT_LISTS; i++) {
        bool wanted = lists[i].node.node != NULL;
        self->thread[i] = -1;
        if (i >= TS_SCRIPT_T0 && i < TS_SCRIPT_CUBE) {
            self->own[i - TS_SCRIPT_T0] = wanted;
            self->pusher[i - TS_SCRIPT_T0] = -1;
            for (unsigned core = 0; core < TS_RV_CORES; core++)
                wanted |= pushes_to(&lists[core], core, i - TS_SCRIPT_T0);
        }
        if (wanted)
            new_thread(self, i);
    }
    for (unsigned i = TS_SCRIPT_T0; i < TS_SCRIPT_CUBE; i++) // their lists are issued by number
        add_list(self, i, &lists[i]);
    for (unsigned i = 0; i < TS_SCRIPT_LISTS; i++)
        if (i < TS_SCRIPT_T0 || i >= TS_SCRIPT_CUBE)
            add_list(self, i, &lists[i]);
}

// Pages that several cores count: on a tile each has its own count, here they have one.
static void note_shared(struct ts_explore_program *p)
{
    for (unsigned i = 0; i < p->objects; i++)
        for (unsigned way = 0; way < 2 && p->object[i].kind == TS_EXPLORE_CB; way++) {
            unsigned who = 0;
            for (unsigned t = 0; t < p->threads; t++) {
                bool counts = false;
                for (unsigned k = 0; k < p->thread[t].count && !counts; k++)
                    counts = p->thread[t].op[k].object == i &&
                             p->thread[t].op[k].code == (way ? TS_EXPLORE_POP : TS_EXPLORE_PUSH);
                who += counts;
            }
            if (who > 1)
                snprintf(p->note, sizeof p->note,
                         "%u cores %s buffer %s: here they have one count, on a tile each has its "
                         "own (tensim hang)",
                         who, way ? "pop" : "push", p->object[i].name);
        }
}

static void finish(struct loader *self)
{
    struct ts_explore_program *p = self->program;
    note_shared(p);
    for (unsigned i = 0; i < p->objects; i++) {
        struct ts_explore_object *o = &p->object[i];
        if (o->kind == TS_EXPLORE_QUEUE) // "queue of T0"
            o->size = (int16_t)self->thread[TS_SCRIPT_T0 + (o->name[strlen(o->name) - 1] - '0')];
        if (o->kind == TS_EXPLORE_MAILBOX)
            o->size = (int16_t)self->thread[o->size];
    }
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        if (self->thread[i] >= 0 && only_issues(&p->thread[self->thread[i]]) &&
            !(ts_is_trisc(i) && self->own[i - TS_RV_TRISC0]))
            leave_out(p, (unsigned)self->thread[i]);
    for (unsigned t = 0; t < p->threads; t++) {
        struct ts_explore_thread *thread = &p->thread[t];
        thread->rest = calloc(thread->count + 1, sizeof *thread->rest);
        if (thread->rest == NULL)
            abort();
        thread->queue = -1;
        for (unsigned i = 0; i < p->objects; i++)
            if (p->object[i].kind == TS_EXPLORE_QUEUE && p->object[i].size == (int16_t)t)
                thread->queue = (int)i;
    }
    ts_explore_touches(p);
    ts_explore_find_safe(p);
}

// Of a recording: the numbers of each thread's operations at its place of --perturb.
static void read_places(struct ts_explore_program *p, struct ts_yaml_node map)
{
    for (size_t i = 0; ts_yaml_is_map(map) && i < ts_yaml_count(map); i++) {
        const char *name = ts_yaml_text(ts_yaml_key(map, i), "?");
        const char *text = ts_yaml_text(ts_yaml_value(map, i), "");
        for (unsigned t = 0; t < p->threads; t++)
            for (unsigned k = 0; strcmp(p->thread[t].name, name) == 0 && k < p->thread[t].count;
                 k++) {
                struct ts_explore_op *op = &p->thread[t].op[k];
                char *end;
                if (op->joined) {
                    op->place = op[-1].place;
                    op->cycle = op[-1].cycle;
                    continue;
                }
                op->place = (uint32_t)strtoul(text, &end, 10);
                if (*end == ':')
                    op->cycle = (uint32_t)strtoul(end + 1, &end, 10);
                text = end;
            }
    }
}

static bool make(struct ts_explore_program *self, struct ts_script *script, bool read,
                 struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    if (read) {
        struct loader loader = {
            .program = self, .script = script, .tile = &script->tiles[0], .error = error};
        ts_script_without(script, "explore", "chip dram script elf tiles");
        snprintf(self->name, sizeof self->name, "%s",
                 script->about[0] ? script->about : script->yaml.path);
        struct ts_yaml_node expect = ts_yaml_is_map(script->expect)
                                         ? ts_yaml_find(script->expect, "explore")
                                         : script->expect;
        snprintf(self->expect, sizeof self->expect, "%s", ts_yaml_text(expect, ""));
        if (expect.node && ts_word_index("proved deadlock", self->expect) < 0)
            ts_yaml_error(expect, "expect is {explore: proved} or {explore: deadlock}");
        self->text_count = script->step_count;
        self->texts = calloc(self->text_count + 1, sizeof *self->texts);
        self->command = strdup(ts_yaml_text(script->command, ""));
        if (self->texts == NULL || self->command == NULL)
            abort();
        snprintf(self->tile, sizeof self->tile, "%s", ts_yaml_text(script->tile, ""));
        add_objects(&loader);
        add_threads(&loader);
        read_places(self, script->places);
        if (error->code == TS_OK)
            finish(&loader);
    }
    ts_script_free(script);
    return error->code == TS_OK;
}

void ts_explore_list(FILE *file)
{
    ts_script_print_steps(file);
}

void ts_explore_free(struct ts_explore_program *self)
{
    for (unsigned t = 0; t < TS_EXPLORE_THREADS; t++) {
        free(self->thread[t].op);
        free(self->thread[t].rest);
    }
    for (size_t i = 0; i < self->text_count; i++)
        free(self->texts[i]);
    free(self->texts);
    free(self->command);
    memset(self, 0, sizeof *self);
}

bool ts_explore_load(struct ts_explore_program *self, const char *path, struct ts_error *error)
{
    struct ts_script script;
    return make(self, &script, ts_script_read(&script, path, error), error);
}

bool ts_explore_parse(struct ts_explore_program *self, const char *name, const char *text,
                      struct ts_error *error)
{
    struct ts_script script;
    return make(self, &script, ts_script_parse(&script, name, text, error), error);
}
