// From a small program (load/script.h) to the operations of explore.h. What is not modelled is refused,
// with file, line and column.
//
// A core and its Tensix thread are separate processes: a core runs ahead of what it has pushed. Words
// in a core's list go to its thread, and the core issues them. A thread with a list of its own (T0 to T2) is issued by `issue`, or is all there.
// Skipped, because nobody waits for it here: delays, fences, data in L1, configuration, writes to the
// network. A core that polls L1 is refused.
#include "platform/study/explore/words.h"
#include "platform/tile/windows.h"

enum { RISCV, TENSIX };
static const bool of_tensix[] = {
#define TS_EXPLORE_OP(name, core, ...) core,
#include "config/explore.def"
};

#define FIFO      29 // words that a core is ahead, at most: fifo_accept + 1
#define AFTER_MOP (TS_FRONT_REPLAY + TS_FRONT_GATE) // words behind the MOP expander

static bool good(const struct ts_explore_loader *self)
{
    return self->error->code == TS_OK;
}

// --- a core and what it pushes ---

static void new_thread(struct ts_explore_loader *self, unsigned list)
{
    struct ts_explore_program *p = self->program;
    self->thread[list] = (int)p->threads;
    snprintf(p->thread[p->threads++].name, TS_EXPLORE_NAME, "%s", ts_script_lists[list]);
}

// The words that a core has put into its thread since it issued last; then those for which the FIFO
// has no room hold it.
static void flush(struct ts_explore_loader *self, unsigned list, const struct ts_script_step *step)
{
    for (unsigned t = 0; t < TS_THREADS; t++) {
        int thread = self->thread[TS_SCRIPT_T0 + t];
        if (self->own[t] || self->pusher[t] != (int)list || thread < 0 ||
            self->program->thread[thread].count == self->issued[t])
            continue;
        struct ts_explore_op *op = ts_explore_new_op(self, self->thread[list], step,
                                                     TS_EXPLORE_ISSUE);
        op->n = (int32_t)(self->program->thread[thread].count - self->issued[t]);
        ts_explore_on_object(op, ts_explore_queue(self, t));
        self->issued[t] = self->program->thread[thread].count;
        if (self->issued[t] - self->drained[t] > FIFO) {
            op = ts_explore_new_op(self, self->thread[list], step, TS_EXPLORE_DRAIN);
            op->n = FIFO;
            ts_explore_on_object(op, ts_explore_queue(self, t));
        }
    }
}

static void push(struct ts_explore_loader *self, unsigned list, unsigned t,
                 const struct ts_script_step *step, uint32_t word)
{
    if (self->own[t] || (self->pusher[t] >= 0 && self->pusher[t] != (int)list)) {
        ts_script_refuse(step->node, "tensim run --explore",
                         "takes the words of a thread from one list: this thread has another");
        return;
    }
    if (self->pusher[t] < 0)
        new_thread(self, TS_SCRIPT_T0 + t);
    self->pusher[t] = (int)list;
    ts_explore_add_word(self, t, step, word);
}

// So many words of a thread's own list, from the issued ones on or back from them, in operations.
static unsigned operations(const struct ts_explore_loader *self, unsigned t, unsigned words,
                           bool back)
{
    const struct ts_explore_thread *thread = &self->program->thread[self->thread[TS_SCRIPT_T0 + t]];
    unsigned at = self->issued[t], from = at;
    for (; back && words && at; words -= at >= thread->count || !thread->op[at].joined)
        at--;
    for (; !back && at < thread->count; at++) {
        if (!thread->op[at].joined && words-- == 0)
            return at - from;
    }
    return back ? from - at : at - from + words; // words that a recording left out
}

static void add_queue(struct ts_explore_loader *self, unsigned list,
                      const struct ts_script_step *step)
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
    struct ts_explore_op *op = ts_explore_new_op(self, self->thread[list], step,
                                                 issue ? TS_EXPLORE_ISSUE : TS_EXPLORE_DRAIN);
    op->n = words < 0 ? -1 : (int32_t)operations(self, t, (unsigned)words, !issue);
    ts_explore_on_object(op, ts_explore_queue(self, t));
    if (issue)
        self->issued[t] += (unsigned)op->n;
    else if (words < 0)
        self->drained[t] = self->issued[t];
}

static void add_poll(struct ts_explore_loader *self, unsigned list,
                     const struct ts_script_step *step)
{
    static const char *const keys[] = {"is", "is_not", "below", "at_most", "above", "at_least"};
    if (!ts_script_given(step, "semaphore")) {
        ts_script_refuse(step->node, "tensim run --explore",
                         "does not model words of L1" TS_EXPLORE_RECORD);
        return;
    }
    struct ts_explore_op *op = ts_explore_new_op(self, self->thread[list], step, TS_EXPLORE_POLL);
    ts_explore_on_object(op,
                         ts_explore_semaphore(self, (unsigned)ts_script_arg(step, "semaphore")));
    while (!ts_script_given(step, keys[op->on]))
        op->on++;
    op->n = (int32_t)ts_script_arg(step, keys[op->on]);
}

static void add_core(struct ts_explore_loader *self, unsigned list,
                     const struct ts_script_step *step)
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
        object = step->verb == TS_DO_CORE_mail ? ts_explore_mailbox(self, list, value)
                                               : ts_explore_mailbox(self, value, list);
    else
        object = key[0] == 's'   ? ts_explore_semaphore(self, value)
                 : key[0] == 'b' ? self->buffer[value]
                                 : self->ring[value];
    struct ts_explore_op *op = ts_explore_new_op(self, self->thread[list], step,
                                                 rows[step->verb].code);
    ts_explore_on_object(op, object);
    op->n = key[0] == 'b' ? (int32_t)ts_script_arg(step, "pages") : 0;
    if (of_tensix[op->code])
        op->held = TS_B_SCALAR;
}

static void add_list(struct ts_explore_loader *self, unsigned list,
                     const struct ts_script_list *steps)
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
                ts_explore_add_word(self, list - TS_SCRIPT_T0, step,
                                    (uint32_t)ts_script_arg(step, "word"));
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
            ts_script_refuse(step->node, "tensim run --explore",
                             "does not model this step" TS_EXPLORE_RECORD);
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

static void add_threads(struct ts_explore_loader *self)
{
    const struct ts_script_list *lists = self->tile->lists;
    for (unsigned i = 0; i < TS_SCRIPT_LISTS; i++) {
        self->thread[i] = -1;
        if (lists[i].node.node)
            new_thread(self, i);
    }
    for (unsigned t = 0; t < TS_THREADS; t++) { // their own lists are issued by number
        self->own[t] = self->thread[TS_SCRIPT_T0 + t] >= 0;
        self->pusher[t] = -1;
        add_list(self, TS_SCRIPT_T0 + t, &lists[TS_SCRIPT_T0 + t]);
    }
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
                         "own (tensim run)",
                         who, way ? "pop" : "push", p->object[i].name);
        }
}

static void finish(struct ts_explore_loader *self)
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
    for (unsigned t = 0; t < p->threads; t++) {
        struct ts_explore_thread *thread = &p->thread[t];
        thread->rest = ts_need(calloc(thread->count + 1, sizeof *thread->rest), "the exploration");
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
        struct ts_explore_loader loader = {
            .program = self, .script = script, .tile = &script->tiles[0], .error = error};
        ts_script_without(script, "tensim run --explore", "chip dram script elf tiles");
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
            ts_out_of_memory("the exploration");
        snprintf(self->tile, sizeof self->tile, "%s", ts_yaml_text(script->tile, ""));
        ts_explore_add_objects(&loader);
        add_threads(&loader);
        read_places(self, script->places);
        if (error->code == TS_OK)
            finish(&loader);
    }
    ts_script_free(script);
    return error->code == TS_OK;
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

bool ts_explore_load(struct ts_explore_program *self, const char *path, const char *text,
                     struct ts_error *error)
{
    struct ts_script script;
    return make(self, &script, ts_script_read(&script, path, text, ts_machines, error), error);
}
