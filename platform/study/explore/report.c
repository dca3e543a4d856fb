// What explore.h found: the wait-for explanation, text.
#include "platform/study/explore/words.h"

const char *const ts_explore_lost_words[] = {
#define TS_EXPLORE_LOST(name, word, text) word,
#include "config/explore_lost.def"
    NULL};
const char *const ts_explore_lost_texts[] = {
#define TS_EXPLORE_LOST(name, word, text) text,
#include "config/explore_lost.def"
    NULL};

// --- threads that could end a wait ---

// Could this operation end a wait for that reason on that object?
static bool ends_wait(const struct ts_explore_program *p, const struct ts_explore_state *s,
                      const struct ts_explore_op *op, const struct ts_explore_wait *wait)
{
    const unsigned object = (unsigned)wait->object;
    const struct ts_explore_op *poll = wait->op;
    const bool up = (op->touch.up | (op->n > 0 ? op->touch.set : 0)) >> object & 1,
               down = (op->touch.down | op->touch.set) >> object & 1,
               touches = op->objects >> object & 1;
    const int value = s->a[object];
    switch (wait->reason) {
    case TS_STALL_SEMAPHORE_ZERO:
    case TS_STALL_MAILBOX_EMPTY:
    case TS_STALL_FIFO_EMPTY:
        return up;
    case TS_STALL_SEMAPHORE_MAX:
    case TS_STALL_SRC_NOT_FREE:
        return down;
    case TS_STALL_RV_POLL: // brings the value nearer to what it waits for
        return (up &&
                (poll->on == TS_COMPARE_GT || poll->on == TS_COMPARE_GE ||
                 poll->on == TS_COMPARE_NE || (poll->on == TS_COMPARE_EQ && value < poll->n))) ||
               (down &&
                (poll->on == TS_COMPARE_LT || poll->on == TS_COMPARE_LE ||
                 poll->on == TS_COMPARE_NE || (poll->on == TS_COMPARE_EQ && value > poll->n)));
    case TS_STALL_MAILBOX_FULL:
        return op->code == TS_EXPLORE_RECEIVE && wait->op->objects >> op->object & 1;
    case TS_STALL_FIFO_FULL:
        return touches && (op->code == TS_EXPLORE_POP || op->code == TS_EXPLORE_RETURN);
    case TS_STALL_RING_FULL:
        return touches &&
               op->code == (p->object[object].tfree ? TS_EXPLORE_TFREE : TS_EXPLORE_TPOP);
    case TS_STALL_RING_EMPTY:
        return touches && op->code == TS_EXPLORE_TPUSH;
    case TS_STALL_SRC_NOT_VALID:
        return touches && (op->code == TS_EXPLORE_UNPACK || op->code == TS_EXPLORE_GIVE);
    default:
        return false;
    }
}

// The operation of a thread, from `from` to before `to`, that could end the wait: the first, or
// the last.
static const struct ts_explore_op *ender(const struct ts_explore_program *p,
                                         const struct ts_explore_state *s, unsigned thread,
                                         unsigned from, unsigned to, bool last,
                                         const struct ts_explore_wait *wait)
{
    const struct ts_explore_op *found = NULL;
    for (unsigned i = from; i < to && (last || found == NULL); i++)
        if (ends_wait(p, s, &p->thread[thread].op[i], wait))
            found = &p->thread[thread].op[i];
    return found;
}

// Bit per process that could end the wait.
static unsigned enders(const struct ts_explore_program *p, const struct ts_explore_state *s,
                       const struct ts_explore_wait *wait)
{
    unsigned set = 0;
    if (wait->object < 0)
        return 0;
    if (wait->reason == TS_STALL_MUTEX_HELD)
        return 1u << (s->a[wait->object] - 1);
    for (unsigned u = 0; u < TS_EXPLORE_UNITS; u++) {
        bool valid = wait->reason == TS_STALL_SRC_NOT_VALID && wait->object == p->src[u];
        if (wait->object == p->unit[u] || (valid && s->a[p->unit[u]]))
            set |= 1u << (p->threads + u);
    }
    // A core that waits for its Tensix thread.
    bool drains = p->object[wait->object].kind == TS_EXPLORE_QUEUE && wait->op &&
                  wait->op->code == TS_EXPLORE_DRAIN;
    if (drains || wait->reason == TS_STALL_TENSIX_SYNC)
        return set | 1u << p->object[wait->op->object].size;
    for (unsigned t = 0; t < p->threads; t++)
        if (ender(p, s, t, s->pc[t], p->thread[t].count, false, wait))
            set |= 1u << t;
    return set;
}

// Depth first over the edges; fills path with the edges of a cycle, returns its length or 0.
static size_t find_cycle(const struct ts_explore_hang *hang, unsigned from, unsigned goal,
                         unsigned *seen, size_t *path, size_t depth)
{
    for (size_t i = 0; i < hang->count; i++) {
        const struct ts_explore_edge *edge = &hang->edge[i];
        if (edge->from != from || edge->to < 0)
            continue;
        path[depth] = i;
        if ((unsigned)edge->to == goal)
            return depth + 1;
        if (*seen >> edge->to & 1)
            continue;
        *seen |= 1u << edge->to;
        size_t length = find_cycle(hang, (unsigned)edge->to, goal, seen, path, depth + 1);
        if (length)
            return length;
    }
    return 0;
}

// A path from the first waiter to a thread that does not wait, or to none.
static size_t find_chain(const struct ts_explore_hang *hang, size_t *path)
{
    size_t length = 0, at = 0;
    while (at < hang->count && length < hang->count) {
        path[length++] = at;
        int to = hang->edge[at].to;
        for (at = 0; at < hang->count && (int)hang->edge[at].from != to; at++)
            continue;
    }
    return length;
}

void ts_explore_hang(const struct ts_explore_program *self, const struct ts_explore_state *state,
                     struct ts_explore_hang *hang)
{
    *hang = (struct ts_explore_hang){0};
    for (unsigned i = 0; i < ts_explore_processes(self); i++) {
        struct ts_explore_edge edge = {.from = i, .to = -1};
        if (ts_explore_ended(self, state, i) || ts_explore_enabled(self, state, i, &edge.wait))
            continue;
        unsigned set = enders(self, state, &edge.wait);
        if (set == 0)
            hang->edge[hang->count++] = edge;
        for (; set; set &= set - 1) {
            edge.to = __builtin_ctz(set);
            hang->edge[hang->count++] = edge;
        }
    }
    size_t path[sizeof hang->edge / sizeof *hang->edge + 1], length = 0;
    // The shortest cycle through any waiter; a thread that only waits for itself comes last.
    for (unsigned i = 0; i < ts_explore_processes(self); i++) {
        size_t way[sizeof path / sizeof *path];
        unsigned seen = 0;
        size_t found = find_cycle(hang, i, i, &seen, way, 0);
        if (found && (length == 0 || (found > 1 && (length == 1 || found < length)))) {
            length = found;
            memcpy(path, way, found * sizeof *way);
        }
    }
    hang->is_cycle = length > 0;
    if (length == 0)
        length = find_chain(hang, path);
    struct ts_explore_hang sorted = {.is_cycle = hang->is_cycle, .explanation = length};
    bool taken[sizeof hang->edge / sizeof *hang->edge] = {false};
    for (size_t i = 0; i < length; i++) {
        sorted.edge[sorted.count++] = hang->edge[path[i]];
        taken[path[i]] = true;
    }
    for (size_t i = 0; i < hang->count; i++)
        if (!taken[i])
            sorted.edge[sorted.count++] = hang->edge[i];
    *hang = sorted;
}

// --- text ---

static void object_text(const struct ts_explore_program *p, const struct ts_explore_state *s,
                        int index, char *text, size_t size)
{
    if (index < 0) {
        snprintf(text, size, "nothing");
        return;
    }
    const struct ts_explore_object *o = &p->object[index];
    const unsigned a = (unsigned)s->a[index], b = s->b[index];
    switch (o->kind) {
#define SAY(...) snprintf(text, size, __VA_ARGS__)
#define TS_EXPLORE_KIND(name, says, under, over) \
    case TS_EXPLORE_##name:                      \
        (void)(says);                            \
        break;
#include "config/explore.def"
    }
}

void ts_explore_print_state(const struct ts_explore_program *self,
                            const struct ts_explore_state *state, FILE *file)
{
    const char *comma = "";
    ts_explore_mask used = 0;
    for (unsigned t = 0; t < self->threads; t++) {
        const struct ts_explore_touch *all = &self->thread[t].rest[0];
        used |= ts_explore_changes(all) | all->least | all->most | all->reads;
    }
    for (unsigned u = 0; u < TS_EXPLORE_UNITS; u++)
        if (used >> self->unit[u] & 1)
            used |= (ts_explore_mask)1 << self->src[u];
    for (unsigned i = 0; i < self->objects; i++) {
        char text[128];
        if (!(used >> i & 1) || self->object[i].kind == TS_EXPLORE_ROOM)
            continue;
        object_text(self, state, (int)i, text, sizeof text);
        fprintf(file, "%s%s", comma, text);
        comma = "; ";
    }
    for (unsigned t = 0; t < self->threads; t++)
        if (state->latch[t]) {
            fprintf(file, "%s%s's gate has %s", comma, self->thread[t].name,
                    self->thread[t].op[state->latch[t] - 1].text);
            comma = "; ";
        }
    fputc('\n', file);
}

static void print_enders(const struct ts_explore_program *self,
                         const struct ts_explore_state *state, const struct ts_explore_wait *wait,
                         FILE *file)
{
    unsigned set = enders(self, state, wait);
    if (set == 0) {
        fputs("; nobody is left who could end it", file);
        for (unsigned t = 0; t < self->threads; t++) {
            const struct ts_explore_op *op = wait->object < 0 ? NULL
                                                              : ender(self, state, t, 0,
                                                                      state->pc[t], true, wait);
            if (op)
                fprintf(file, "; %s has done its last %s (line %d)", self->thread[t].name,
                        ts_explore_op_names[op->code], op->line);
        }
    }
    for (; set; set &= set - 1) {
        unsigned by = (unsigned)__builtin_ctz(set);
        const char *name = ts_explore_process_name(self, by);
        bool ended = ts_explore_ended(self, state, by);
        fprintf(file, "; %s %s",
                wait->reason == TS_STALL_MUTEX_HELD ? "held by" : "could be ended by", name);
        if (wait->reason == TS_STALL_MUTEX_HELD) {
            fputs(ended ? ", which has ended" : ", which waits too", file);
        } else if (by < self->threads) {
            const struct ts_explore_op *op = ender(self, state, by, state->pc[by],
                                                   self->thread[by].count, false, wait);
            if (op)
                fprintf(file, " (line %d: %s), which waits before it", op->line, op->text);
        } else {
            fputs(", which waits itself", file);
        }
    }
    fputc('\n', file);
}

static void print_wait(const struct ts_explore_program *self, const struct ts_explore_state *state,
                       unsigned process, const struct ts_explore_wait *wait, FILE *file)
{
    char object[128];
    object_text(self, state, wait->object, object, sizeof object);
    fprintf(file, "  %s", ts_explore_process_name(self, process));
    if (wait->gate && wait->gate == wait->op)
        fprintf(file, " ends with %s (line %d)", wait->op->text, wait->op->line);
    else if (wait->gate)
        fprintf(file, " holds %s (line %d) behind %s (line %d)", wait->op->text, wait->op->line,
                wait->gate->text, wait->gate->line);
    else if (wait->op)
        fprintf(file, " is at %s (line %d)", wait->op->text, wait->op->line);
    else
        fprintf(file, " has an UNPACR of %s inside",
                self->thread[state->a[self->unit[process - self->threads]] - 1].name);
    fprintf(file, ": %s, %s", ts_stall_name(wait->reason), object);
    print_enders(self, state, wait, file);
}

void ts_explore_print_hang(const struct ts_explore_program *self,
                           const struct ts_explore_state *state, FILE *file)
{
    struct ts_explore_hang hang;
    ts_explore_hang(self, state, &hang);
    fprintf(file, hang.is_cycle ? "wait-for cycle:" : "wait-for chain:");
    for (size_t i = 0; i < hang.explanation; i++)
        fprintf(file, " %s ->", ts_explore_process_name(self, hang.edge[i].from));
    int last = hang.explanation ? hang.edge[hang.explanation - 1].to : -1;
    fprintf(file, " %s\n", last < 0 ? "nobody" : ts_explore_process_name(self, (unsigned)last));
    for (unsigned i = 0; i < ts_explore_processes(self); i++) {
        struct ts_explore_wait wait;
        if (!ts_explore_ended(self, state, i) && !ts_explore_enabled(self, state, i, &wait))
            print_wait(self, state, i, &wait, file);
        else if (i < self->threads)
            fprintf(file, "  %s has ended\n", self->thread[i].name);
    }
}

static void print_lost(const struct ts_explore_program *self,
                       const struct ts_explore_result *result, FILE *file)
{
    for (unsigned t = 0; t < self->threads; t++)
        for (unsigned i = 0; i < self->thread[t].count; i++)
            for (unsigned kind = 0; kind < TS_LOST_KINDS; kind++)
                if (result->lost[t][i][kind])
                    fprintf(file, "  can happen: %s line %d, %s: %s (for example at step %u)\n",
                            self->thread[t].name, self->thread[t].op[i].line,
                            self->thread[t].op[i].text, ts_explore_lost_texts[kind],
                            result->lost[t][i][kind]);
}

static void print_schedule(const struct ts_explore_program *self,
                           const struct ts_explore_result *result, FILE *file)
{
    struct ts_explore_state state;
    ts_explore_begin(self, &state);
    for (size_t i = 0; i < result->steps; i++) {
        unsigned by = result->schedule[i];
        const struct ts_explore_op *op = by < self->threads ? &self->thread[by].op[state.pc[by]]
                                                            : NULL;
        unsigned lost = ts_explore_step(self, &state, by);
        fprintf(file, "  %3zu %-13s %s", i + 1, ts_explore_process_name(self, by),
                op ? op->text : "hands over a bank");
        for (; lost; lost &= lost - 1)
            fprintf(file, "   <- %s", ts_explore_lost_texts[__builtin_ctz(lost)]);
        fputc('\n', file);
    }
}

void ts_explore_print(const struct ts_explore_program *self, const struct ts_explore_result *result,
                      FILE *file)
{
    static const char *const what[] = {[TS_OK] = "no interleaving deadlocks",
                                       [TS_HANG] = "deadlock",
                                       [TS_LIMIT] = "limit reached, not proved"};
    fprintf(file, "%s: %s: %llu states, %llu transitions, %.3f s\n", self->name, what[result->code],
            (unsigned long long)result->states, (unsigned long long)result->transitions,
            result->seconds);
    if (result->code == TS_LIMIT)
        fprintf(file, "every interleaving of %zu steps is covered; none deadlocks so far\n",
                result->depth ? result->depth - 1 : 0);
    if (result->code == TS_HANG) {
        fprintf(file, "a shortest interleaving that deadlocks, %zu steps:\n", result->steps);
        print_schedule(self, result, file);
        ts_explore_print_hang(self, &result->last, file);
        fputs("state: ", file);
        ts_explore_print_state(self, &result->last, file);
        if (result->deadlocks > 1)
            fprintf(file, "%llu different deadlocks in all\n",
                    (unsigned long long)result->deadlocks);
    }
    print_lost(self, result, file);
}
