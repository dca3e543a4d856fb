// Counters of a program of explore.h from which nothing can be lost, in whatever order its threads
// move.
//
// Counting down is safe if a single thread does it, and this thread has tested before that there is
// enough (SEMWAIT on=zero before SEMGET, cb_wait_front before cb_pop_front, MVMUL before it gives a
// bank back), or if the thread's core has counted up before it pushed the instruction. Counting up
// is safe if a single thread does it and has tested that there is room, or if all counts together
// have room. Between the test and the count others can only make more of it. SEMINIT is allowed
// before the first count, to the value the semaphore has then. What is not proved here is explored
// in every order: it costs states, not correctness.
#include "platform/study/explore/words.h"

enum { NOBODY = -1, SEVERAL = -2 };

enum way { UP, DOWN, SET };

static bool has(const struct ts_explore_touch *t, enum way way, unsigned object)
{
    ts_explore_mask mask = way == UP ? t->up : way == DOWN ? t->down : t->set;
    return mask >> object & 1;
}

// The thread that counts or sets the object so.
static int single(const struct ts_explore_program *p, enum way way, unsigned object)
{
    int who = NOBODY;
    for (unsigned t = 0; t < p->threads; t++)
        if (has(&p->thread[t].rest[0], way, object))
            who = who == NOBODY ? (int)t : SEVERAL;
    return who;
}

// What an operation counts of a counter: pages, or one.
static int64_t amount(const struct ts_explore_op *op)
{
    return op->code == TS_EXPLORE_CLAIM || op->code == TS_EXPLORE_PUBLISH ||
                   op->code == TS_EXPLORE_TAKE || op->code == TS_EXPLORE_RETURN ||
                   op->code == TS_EXPLORE_PUSH || op->code == TS_EXPLORE_POP
               ? op->n
               : 1;
}

// The largest value that loses nothing.
static int64_t limit_of(const struct ts_explore_program *p, unsigned object)
{
    int64_t limit = p->object[object].kind == TS_EXPLORE_SRC ? 2 : p->object[object].b;
    for (unsigned t = 0; t < p->threads; t++)
        for (unsigned i = 0; has(&p->thread[t].rest[0], SET, object) && i < p->thread[t].count; i++)
            if (has(&p->thread[t].op[i].touch, SET, object) && p->thread[t].op[i].max < limit)
                limit = p->thread[t].op[i].max;
    return limit;
}

// Does SEMINIT come only before all counts, and leave the value as it is?
static bool set_first(const struct ts_explore_program *p, unsigned object)
{
    int setter = single(p, SET, object), up = single(p, UP, object);
    if (setter == NOBODY)
        return true;
    if (setter == SEVERAL || (up != NOBODY && up != setter) || p->object[object].a != 0)
        return false;
    bool counted = false;
    for (unsigned i = 0; i < p->thread[setter].count; i++) {
        const struct ts_explore_op *op = &p->thread[setter].op[i];
        if (has(&op->touch, SET, object) && (counted || op->n != 0))
            return false;
        counted |= has(&op->touch, UP, object);
    }
    return true;
}

// --- tests before counts

// What a wait at the gate proves about the object once it has let something pass: so much to take
// (down), or so much room (up).
static int64_t latch_proves(const struct ts_explore_program *p, const struct ts_explore_op *op,
                            unsigned object, enum way way)
{
    bool named = op->objects >> object & 1;
    if (op->code == TS_EXPLORE_SEMWAIT)
        return named && op->on & (way == DOWN ? TS_ON_ZERO : TS_ON_MAX);
    for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++)
        if (p->src[i] == object)
            return (op->on & (way == DOWN ? TS_COND_VALID : TS_COND_CLEAR) << i) != 0;
    return 0;
}

static int64_t poll_proves(const struct ts_explore_op *op, enum way way, int64_t limit)
{
    static const struct {
        bool least, most;
        int more; // than n
    } rows[] = {
#define TS_EXPLORE_COMPARE(name, operator, ...) {__VA_ARGS__},
#include "config/explore.def"
    };
    if (op->on == TS_COMPARE_NE)
        return way == DOWN && op->n == 0;
    if (way == DOWN)
        return rows[op->on].least ? op->n + rows[op->on].more : 0;
    return rows[op->on].most ? limit - op->n - rows[op->on].more : 0;
}

static int64_t proves(const struct ts_explore_op *op, unsigned object, enum way way, int64_t limit)
{
    bool named = op->objects >> object & 1;
    switch (op->code) {
    case TS_EXPLORE_POLL:
        return named ? poll_proves(op, way, limit) : 0;
    case TS_EXPLORE_MATRIX:
        return named && way == DOWN;
    case TS_EXPLORE_WAIT:
        return named && way == DOWN ? op->n : 0;
    case TS_EXPLORE_RESERVE:
        return way == DOWN && op->object + 1u == object ? op->n : 0;
    default:
        return 0;
    }
}

// Has the thread always tested before it counts the object so?
static bool tested(const struct ts_explore_program *p, unsigned thread, unsigned object,
                   enum way way)
{
    const struct ts_explore_object *o = &p->object[object];
    int64_t limit = limit_of(p, object);
    int64_t credit = way == DOWN ? o->a : limit - o->a;
    const struct ts_explore_op *latch = NULL;
    for (unsigned i = 0; i < p->thread[thread].count; i++) {
        const struct ts_explore_op *op = &p->thread[thread].op[i];
        int64_t found = proves(op, object, way, limit);
        if (latch && op->held & latch->block) {
            int64_t past = latch_proves(p, latch, object, way);
            found = past > found ? past : found;
            latch = NULL;
        }
        if (op->code == TS_EXPLORE_SEMWAIT || op->code == TS_EXPLORE_STALLWAIT)
            latch = op;
        if (has(&op->touch, SET, object))
            credit = way == DOWN ? op->n : op->max - op->n;
        credit = found > credit ? found : credit;
        if (has(&op->touch, way, object)) {
            credit -= amount(op);
            if (credit < 0)
                return false;
        } else if (has(&op->touch, way == DOWN ? UP : DOWN, object)) {
            credit += amount(op);
        }
    }
    return true;
}

// Has the core counted up before it pushed what counts down?
static bool issued_after(const struct ts_explore_program *p, unsigned thread, unsigned object)
{
    int queue = p->thread[thread].queue, up = single(p, UP, object);
    if (queue < 0 || up < 0)
        return false;
    int64_t count = p->object[object].a;
    int64_t pushed = p->object[queue].a;
    unsigned done = 0;
    const struct ts_explore_thread *core = &p->thread[up], *tensix = &p->thread[thread];
    for (unsigned i = 0; i <= core->count; i++) {
        for (; done < tensix->count && done < pushed; done++)
            if (has(&tensix->op[done].touch, DOWN, object))
                count -= amount(&tensix->op[done]);
        if (count < 0)
            return false;
        if (i == core->count)
            break;
        if (has(&core->op[i].touch, UP, object))
            count += amount(&core->op[i]);
        if (has(&core->op[i].touch, UP, (unsigned)queue))
            pushed += core->op[i].n;
    }
    return single(p, UP, (unsigned)queue) == up;
}

static bool under(const struct ts_explore_program *p, unsigned object)
{
    int who = single(p, DOWN, object);
    return who == NOBODY || (who >= 0 && (tested(p, (unsigned)who, object, DOWN) ||
                                          issued_after(p, (unsigned)who, object)));
}

static bool over(const struct ts_explore_program *p, unsigned object)
{
    int who = single(p, UP, object);
    bool unpacked = false; // an unpacker tests itself
    for (unsigned u = 0; u < TS_EXPLORE_UNITS; u++)
        for (unsigned t = 0; t < p->threads && p->src[u] == object; t++)
            unpacked |= has(&p->thread[t].rest[0], UP, p->unit[u]);
    if (who == NOBODY)
        return true;
    if (who >= 0 && !unpacked && tested(p, (unsigned)who, object, UP))
        return true;
    int64_t sum = p->object[object].a;
    for (unsigned t = 0; t < p->threads; t++)
        for (unsigned i = 0; i < p->thread[t].count; i++)
            sum += has(&p->thread[t].op[i].touch, UP, object);
    return !unpacked && single(p, SET, object) == NOBODY && sum <= limit_of(p, object);
}

void ts_explore_find_safe(struct ts_explore_program *self)
{
    self->never_under = self->never_over = 0;
    for (unsigned i = 0; i < self->objects; i++)
        switch (self->object[i].kind) {
#define TS_EXPLORE_KIND(name, says, below, above)                  \
    case TS_EXPLORE_##name:                                        \
        self->never_under |= (below) ? ts_explore_bit((int)i) : 0; \
        self->never_over |= (above) ? ts_explore_bit((int)i) : 0;  \
        break;
#include "config/explore.def"
        }
}
