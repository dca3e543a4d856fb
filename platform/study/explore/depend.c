// Which steps of a program of explore.h depend on each other, and the persistent sets that follow.
//
// Most objects are counters: operations count them up or down or test them for at least or at most
// something. A test for at least n stays true while others count up, and counting commutes, as long
// as nothing is lost at the ends of the range (safe.c). So a producer and a consumer depend on each
// other only where one of them waits.
//
// Source: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems (1996),
// chapter 4; Valmari, Stubborn sets for reduced state space generation (1990).
#include "platform/study/explore/words.h"

// --- what an operation touches ---

static void touch(struct ts_explore_program *p, struct ts_explore_op *op)
{
    const ts_explore_mask own = op->objects, room = own << 1, // of a circular buffer
        inside = ts_explore_bit(p->unit[op->object == p->src[1]]);
    // A poll that stays true while others count up (rising) or down (falling); neither: it may end both ways.
    const bool up = op->on == TS_COMPARE_GT || op->on == TS_COMPARE_GE ||
                    (op->on == TS_COMPARE_NE && op->n == 0);
    const bool down = op->on == TS_COMPARE_LT || op->on == TS_COMPARE_LE ||
                      (op->on == TS_COMPARE_EQ && op->n == 0);
    const ts_explore_mask rising = up ? own : 0, falling = down ? own : 0;
    const ts_explore_mask zero = op->on & TS_ON_ZERO ? own : 0, max = op->on & TS_ON_MAX ? own : 0;
    ts_explore_mask filled = 0, free = 0; // that a STALLWAIT waits for
    for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++) {
        free |= op->on & TS_COND_UNPACK << i ? ts_explore_bit(p->unit[i]) : 0;
        filled |= op->on & TS_COND_VALID << i ? ts_explore_bit(p->src[i]) : 0;
        free |= op->on & TS_COND_CLEAR << i ? ts_explore_bit(p->src[i]) : 0;
    }
    if (op->code == TS_EXPLORE_STALLWAIT)
        op->objects = filled | free;
    for (unsigned i = 0; i < p->objects && op->code == TS_EXPLORE_SEND; i++)
        if (p->object[i].kind == TS_EXPLORE_MAILBOX &&
            p->object[i].size ==
                p->object[op->object].size) // any mailbox of the writer keeps it out
            op->objects |= ts_explore_bit((int)i);
    switch (op->code) {
#define TOUCHES(...)          \
    (struct ts_explore_touch) \
    {                         \
        __VA_ARGS__           \
    }
#define TS_EXPLORE_OP(name, core, touches, waits, does) \
    case TS_EXPLORE_##name:                             \
        op->touch = TOUCHES touches;                    \
        break;
#include "config/explore.def"
    }
}

static void join(struct ts_explore_touch *to, const struct ts_explore_touch *t)
{
    to->up |= t->up;
    to->down |= t->down;
    to->least |= t->least;
    to->most |= t->most;
    to->set |= t->set;
    to->reads |= t->reads;
    to->writes |= t->writes;
}

// A latched wait for several conditions ends when all are met at the same time. Only if nobody but
// its thread makes one of them untrue again, and the wait itself holds those instructions, the
// order in which the others make them true does not matter.
static bool steady(const struct ts_explore_program *p, unsigned thread,
                   const struct ts_explore_op *wait)
{
    const struct ts_explore_touch *t = &wait->touch;
    bool so = (t->least & t->most) == 0;
    for (unsigned u = 0; u < TS_EXPLORE_UNITS; u++) // an unpacker fills banks
        so &= !(t->most & ts_explore_bit(p->src[u]));
    for (unsigned i = 0; i < p->threads && so; i++)
        for (unsigned k = 0; k < p->thread[i].count && so; k++) {
            const struct ts_explore_op *op = &p->thread[i].op[k];
            bool undoes = (op->touch.down & t->least) || (op->touch.up & t->most) ||
                          (op->touch.set & wait->objects);
            so = !undoes || (i == thread && (op->held & wait->block));
        }
    return so;
}

// A program has few different waits: what is known of them is kept.
struct known_waits {
    struct {
        ts_explore_mask least, most;
        unsigned thread, block;
        bool steady;
    } wait[64];
    unsigned count;
};

static bool several(const struct ts_explore_op *op)
{
    bool waits = op->code == TS_EXPLORE_SEMWAIT || op->code == TS_EXPLORE_STALLWAIT;
    return waits && ((op->objects & (op->objects - 1)) != 0 || (op->touch.least & op->touch.most));
}

static bool known_steady(struct known_waits *known, const struct ts_explore_program *p,
                         unsigned thread, const struct ts_explore_op *op)
{
    for (unsigned i = 0; i < known->count; i++)
        if (known->wait[i].least == op->touch.least && known->wait[i].most == op->touch.most &&
            known->wait[i].thread == thread && known->wait[i].block == op->block)
            return known->wait[i].steady;
    bool so = known->count < sizeof known->wait / sizeof *known->wait && steady(p, thread, op);
    if (known->count < sizeof known->wait / sizeof *known->wait) {
        known->wait[known->count].least = op->touch.least;
        known->wait[known->count].most = op->touch.most;
        known->wait[known->count].thread = thread;
        known->wait[known->count].block = op->block;
        known->wait[known->count++].steady = so;
    }
    return so;
}

static void finish_thread(struct ts_explore_program *p, struct known_waits *known, unsigned t)
{
    struct ts_explore_thread *thread = &p->thread[t];
    uint32_t wait = 0;
    for (unsigned i = 0; i < thread->count; i++) {
        struct ts_explore_op *op = &thread->op[i];
        if (op->code == TS_EXPLORE_SEMWAIT || op->code == TS_EXPLORE_STALLWAIT)
            wait = i + 1;
        op->wait = wait;
        op->plain = !several(op) || known_steady(known, p, t, op);
    }
}

static void sum_up(struct ts_explore_thread *thread)
{
    for (unsigned i = thread->count; i-- > 0;) {
        struct ts_explore_op *op = &thread->op[i];
        if (!op->plain) {
            op->touch.reads = op->objects;
            op->touch.least = op->touch.most = 0;
        }
        if (thread->queue >= 0) {
            op->touch.least |= ts_explore_bit(thread->queue);
            op->touch.down |= ts_explore_bit(thread->queue);
        }
        thread->rest[i] = thread->rest[i + 1];
        join(&thread->rest[i], &op->touch);
    }
}

void ts_explore_touches(struct ts_explore_program *self)
{
    struct known_waits known = {.count = 0};
    for (unsigned t = 0; t < self->threads; t++)
        for (unsigned i = 0; i < self->thread[t].count; i++)
            touch(self, &self->thread[t].op[i]);
    for (unsigned t = 0; t < self->threads; t++)
        finish_thread(self, &known, t);
    for (unsigned t = 0; t < self->threads; t++)
        sum_up(&self->thread[t]);
}

// --- what a process touches ---

static struct ts_explore_touch unit_touch(const struct ts_explore_program *p, unsigned unit)
{
    return (struct ts_explore_touch){.up = ts_explore_bit(p->src[unit]),
                                     .most = ts_explore_bit(p->src[unit]),
                                     .down = ts_explore_bit(p->unit[unit]),
                                     .least = ts_explore_bit(p->unit[unit])};
}

static void add_latch(const struct ts_explore_program *p, const struct ts_explore_state *s,
                      unsigned process, struct ts_explore_touch *touch)
{
    if (s->latch[process])
        join(touch, &p->thread[process].op[s->latch[process] - 1].touch);
}

static struct ts_explore_touch next_of(const struct ts_explore_program *p,
                                       const struct ts_explore_state *s, unsigned process)
{
    if (process >= p->threads)
        return unit_touch(p, process - p->threads);
    struct ts_explore_touch touch = p->thread[process].op[s->pc[process]].touch;
    add_latch(p, s, process, &touch);
    return touch;
}

// All that it may still do.
static struct ts_explore_touch future_of(const struct ts_explore_program *p,
                                         const struct ts_explore_state *s, unsigned process)
{
    if (process < p->threads) {
        struct ts_explore_touch touch = p->thread[process].rest[s->pc[process]];
        add_latch(p, s, process, &touch);
        return touch;
    }
    unsigned unit = process - p->threads;
    bool alive = s->a[p->unit[unit]] != 0;
    for (unsigned t = 0; t < p->threads && !alive; t++)
        alive = p->thread[t].rest[s->pc[t]].up >> p->unit[unit] & 1;
    return alive ? unit_touch(p, unit) : (struct ts_explore_touch){0};
}

// --- dependence ---

// A SEMINIT to 0 of semaphores that are 0: it changes no value.
static bool keeps_zero(const struct ts_explore_program *p, const struct ts_explore_state *s,
                       unsigned process)
{
    const struct ts_explore_op *op = &p->thread[process].op[s->pc[process]];
    if (op->n != 0)
        return false;
    for (ts_explore_mask rest = op->objects; rest; rest &= rest - 1)
        if (s->a[__builtin_ctzll(rest)] != 0)
            return false;
    return true;
}

// May something of f, done before the enabled step t, give another result than done after it? (A
// circular buffer that can have less than no pages counts as full then: counting up is no help.)
static bool depends(const struct ts_explore_program *p, const struct ts_explore_touch *t,
                    const struct ts_explore_touch *f, bool zero)
{
    ts_explore_mask under = p->never_under, over = p->never_over, both = under & over;
    ts_explore_mask tests = f->least | f->most;
    return (t->reads & ts_explore_changes(f)) || (ts_explore_changes(t) & f->reads) ||
           (t->writes & (tests | ts_explore_changes(f))) || ((t->least | t->most) & f->writes) ||
           (t->least & (f->down | f->set | (f->up & ~under))) || (t->most & (f->up | f->set)) ||
           (t->up & (f->most | (f->least & ~under) | f->set | f->writes | (f->up & ~over) |
                     (f->down & ~both))) ||
           (t->down & (f->least | f->set | f->writes | (f->down & ~under) | (f->up & ~both))) ||
           (t->set & (f->up | f->most | f->set | f->writes |
                      (zero ? f->down & ~under : f->least | f->down)));
}

// What ends a wait of the process that cannot move: objects that must change.
static ts_explore_mask awaits(const struct ts_explore_program *self,
                              const struct ts_explore_state *state, unsigned process,
                              const struct ts_explore_wait *why)
{
    if (process >= self->threads) {
        unsigned unit = process - self->threads;
        return ts_explore_bit(state->a[self->unit[unit]] ? self->src[unit] : self->unit[unit]);
    }
    if (why->object < 0)
        return 0;
    if (why->gate == NULL && why->op->code == TS_EXPLORE_SEND &&
        why->reason == TS_STALL_MAILBOX_FULL)
        return why->op->objects;
    bool room = why->gate == NULL && why->reason == TS_STALL_FIFO_FULL &&
                why->op->code == TS_EXPLORE_RESERVE;
    return ts_explore_bit(why->object + room);
}

// Bit per process that a member draws in: those that may still do something that depends on its
// step or, if it cannot move, that may let it. A latched wait for several conditions draws all that
// change one of them: whether it is met depends on their order.
static unsigned draws(const struct ts_explore_program *p, const struct ts_explore_state *s,
                      unsigned process, const struct ts_explore_touch *future)
{
    unsigned count = ts_explore_processes(p), set = 0;
    struct ts_explore_wait why;
    bool enabled = ts_explore_enabled(p, s, process, &why), thread = process < p->threads;
    if (!enabled) {
        bool ended = thread && s->pc[process] == p->thread[process].count;
        ts_explore_mask awaited = ended ? 0 : awaits(p, s, process, &why);
        if (thread && s->latch[process])
            awaited |= p->thread[process].op[s->latch[process] - 1].touch.reads;
        for (unsigned j = 0; j < count; j++)
            if (j != process && ts_explore_changes(&future[j]) & awaited)
                set |= 1u << j;
        return set;
    }
    struct ts_explore_touch next = next_of(p, s, process);
    bool zero = next.set && keeps_zero(p, s, process);
    for (unsigned j = 0; j < count; j++)
        if (j != process && depends(p, &next, &future[j], zero))
            set |= 1u << j;
    return set;
}

unsigned ts_explore_persistent(const struct ts_explore_program *self,
                               const struct ts_explore_state *state, unsigned enabled)
{
    enum { ALL = TS_EXPLORE_THREADS + TS_EXPLORE_UNITS };
    unsigned count = ts_explore_processes(self), best = enabled, known = 0;
    struct ts_explore_touch future[ALL];
    unsigned drawn[ALL];
    if ((enabled & (enabled - 1)) == 0)
        return enabled;
    for (unsigned i = 0; i < count; i++)
        future[i] = future_of(self, state, i);
    for (unsigned first = 0; first < count && (best & (best - 1)); first++) {
        if (!(enabled >> first & 1))
            continue;
        unsigned set = 0, todo = 1u << first;
        while (todo) {
            unsigned i = (unsigned)__builtin_ctz(todo);
            if (!(known >> i & 1))
                drawn[i] = draws(self, state, i, future);
            known |= 1u << i;
            set |= 1u << i;
            todo = (todo | drawn[i]) & ~set;
        }
        if (__builtin_popcount(set & enabled) < __builtin_popcount(best))
            best = set & enabled;
    }
    return best;
}
