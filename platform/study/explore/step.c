// One step of a program of explore.h: who can move, what a move does, what it touches.
#include "platform/study/explore/words.h"

const char *ts_explore_process_name(const struct ts_explore_program *self, unsigned process)
{
    static const char *const units[TS_EXPLORE_UNITS] = {"UNPACK0", "UNPACK1"};
    return process < self->threads ? self->thread[process].name : units[process - self->threads];
}

void ts_explore_begin(const struct ts_explore_program *self, struct ts_explore_state *state)
{
    memset(state, 0, sizeof *state);
    for (unsigned i = 0; i < self->objects; i++) {
        state->a[i] = self->object[i].a;
        state->b[i] = self->object[i].b;
    }
}

// --- SrcA and SrcB: two banks, two pointers ---

static unsigned unpack_bank(int32_t src)
{
    return (unsigned)src >> 2 & 1;
}

static unsigned matrix_bank(int32_t src)
{
    return (unsigned)src >> 3 & 1;
}

static bool bank_valid(int32_t src, unsigned bank)
{
    return (unsigned)src >> bank & 1;
}

// --- latched waits ---

static bool semaphores_met(const struct ts_explore_state *s, const struct ts_explore_op *op,
                           struct ts_explore_wait *why)
{
    for (ts_explore_mask rest = op->objects; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctzll(rest);
        bool zero = op->on & TS_ON_ZERO && s->a[i] == 0;
        if (zero || (op->on & TS_ON_MAX && s->a[i] >= s->b[i])) {
            why->reason = zero ? TS_STALL_SEMAPHORE_ZERO : TS_STALL_SEMAPHORE_MAX;
            why->object = (int)i;
            return false;
        }
    }
    return true;
}

static bool conditions_met(const struct ts_explore_program *p, const struct ts_explore_state *s,
                           unsigned thread, const struct ts_explore_op *op,
                           struct ts_explore_wait *why)
{
    for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++) {
        int32_t src = s->a[p->src[i]];
        if (op->on & TS_COND_UNPACK << i && s->a[p->unit[i]] == (int32_t)thread + 1) {
            *why = (struct ts_explore_wait){.reason = TS_STALL_STALLWAIT, .object = p->unit[i]};
            return false;
        }
        if (op->on & TS_COND_VALID << i && !bank_valid(src, matrix_bank(src))) {
            *why = (struct ts_explore_wait){.reason = TS_STALL_SRC_NOT_VALID, .object = p->src[i]};
            return false;
        }
        if (op->on & TS_COND_CLEAR << i && bank_valid(src, unpack_bank(src))) {
            *why = (struct ts_explore_wait){.reason = TS_STALL_SRC_NOT_FREE, .object = p->src[i]};
            return false;
        }
    }
    return true;
}

static bool latch_met(const struct ts_explore_program *p, const struct ts_explore_state *s,
                      unsigned thread, struct ts_explore_wait *why)
{
    const struct ts_explore_op *op = &p->thread[thread].op[s->latch[thread] - 1];
    return op->code == TS_EXPLORE_SEMWAIT ? semaphores_met(s, op, why)
                                          : conditions_met(p, s, thread, op, why);
}

// --- who can move ---

static bool compare(int32_t value, uint8_t how, int32_t with)
{
    switch (how) {
#define TS_EXPLORE_COMPARE(name, operator, ...) \
    case TS_COMPARE_##name:                     \
        return value operator with;
#include "config/explore.def"
    default:
        return false;
    }
}

static int words_in(const struct ts_explore_state *s, ts_explore_mask boxes)
{
    int sum = 0;
    for (; boxes; boxes &= boxes - 1)
        sum += s->a[__builtin_ctzll(boxes)];
    return sum;
}

// tensix_sync also waits for what the thread has at its gate and in the unpackers.
static enum ts_stall drain_waits(const struct ts_explore_program *p,
                                 const struct ts_explore_state *s, const struct ts_explore_op *op,
                                 int *object)
{
    unsigned thread = (unsigned)p->object[op->object].size;
    bool sync = op->n < 0;
    if (s->a[op->object] > (sync ? 0 : op->n))
        return sync ? TS_STALL_TENSIX_SYNC : TS_STALL_FIFO_FULL;
    for (unsigned i = 0; i < TS_EXPLORE_UNITS && sync; i++)
        if (s->a[p->unit[i]] == (int32_t)thread + 1) {
            *object = p->unit[i];
            return TS_STALL_TENSIX_SYNC;
        }
    struct ts_explore_wait gate = {.object = op->object};
    if (sync && s->latch[thread] && !latch_met(p, s, thread, &gate)) {
        *object = gate.object;
        return TS_STALL_TENSIX_SYNC;
    }
    return TS_STALL_IDLE;
}

// The unpacker of an UNPACR.
static unsigned unit_of(const struct ts_explore_program *p, const struct ts_explore_op *op)
{
    return p->unit[op->object == p->src[1]];
}

static enum ts_stall unpack_waits(const struct ts_explore_program *p,
                                  const struct ts_explore_state *s, const struct ts_explore_op *op,
                                  int *object)
{
    *object = (int)unit_of(p, op);
    return s->a[*object] ? TS_STALL_UNIT_BUSY : TS_STALL_IDLE;
}

static enum ts_stall matrix_waits(const struct ts_explore_program *p,
                                  const struct ts_explore_state *s, const struct ts_explore_op *op,
                                  int *object)
{
    for (unsigned i = 0; i < TS_EXPLORE_UNITS; i++) {
        int32_t src = s->a[p->src[i]];
        *object = p->src[i];
        if (op->objects >> *object & 1 && !bank_valid(src, matrix_bank(src)))
            return TS_STALL_SRC_NOT_VALID;
    }
    return TS_STALL_IDLE;
}

// Does the operation itself let the thread pass? TS_STALL_IDLE: yes.
static enum ts_stall op_waits(const struct ts_explore_program *p, const struct ts_explore_state *s,
                              unsigned thread, const struct ts_explore_op *op, int *object)
{
    const unsigned o = op->object;
    const int32_t a = s->a[o], n = op->n, self = (int32_t)thread + 1;
    const int size = p->object[o].size;
    *object = op->object;
    switch (op->code) {
#define PASS                         TS_STALL_IDLE
#define WAITS(when, reason, or_else) (when) ? TS_STALL_##reason : or_else
#define TS_EXPLORE_OP(name, core, touches, waits, does) \
    case TS_EXPLORE_##name:                             \
        return waits;
#include "config/explore.def"
    default:
        return TS_STALL_IDLE;
    }
}

static bool unit_enabled(const struct ts_explore_program *p, const struct ts_explore_state *s,
                         unsigned unit, struct ts_explore_wait *why)
{
    int32_t src = s->a[p->src[unit]];
    if (s->a[p->unit[unit]] == 0) {
        *why = (struct ts_explore_wait){.reason = TS_STALL_IDLE, .object = -1};
        return false;
    }
    *why = (struct ts_explore_wait){.reason = TS_STALL_SRC_NOT_FREE, .object = p->src[unit]};
    return !bank_valid(src, unpack_bank(src));
}

bool ts_explore_enabled(const struct ts_explore_program *self, const struct ts_explore_state *state,
                        unsigned process, struct ts_explore_wait *why)
{
    *why = (struct ts_explore_wait){.reason = TS_STALL_IDLE, .object = -1};
    if (process >= self->threads)
        return unit_enabled(self, state, process - self->threads, why);
    const struct ts_explore_thread *thread = &self->thread[process];
    unsigned pc = state->pc[process], latch = state->latch[process];
    bool end = pc == thread->count;
    // A wait at the gate holds what its block mask names; at the end of the thread it still is
    // there.
    if (latch && (end || thread->op[pc].held & thread->op[latch - 1].block)) {
        latch_met(self, state, process, why); // not met, or it would be forgotten
        why->op = why->gate = &thread->op[latch - 1];
        if (!end)
            why->op = &thread->op[pc];
        return false;
    }
    if (end)
        return false;
    why->op = &thread->op[pc];
    if (thread->queue >= 0 && state->a[thread->queue] == 0) {
        why->reason = TS_STALL_FIFO_EMPTY;
        why->object = thread->queue;
        return false;
    }
    why->reason = op_waits(self, state, process, why->op, &why->object);
    return why->reason == TS_STALL_IDLE;
}

bool ts_explore_ended(const struct ts_explore_program *self, const struct ts_explore_state *state,
                      unsigned process)
{
    if (process >= self->threads)
        return state->a[self->unit[process - self->threads]] == 0;
    return state->pc[process] == self->thread[process].count && state->latch[process] == 0;
}

// --- what a move does ---

static unsigned post(struct ts_explore_state *s, unsigned i)
{
    if (s->a[i] == 15)
        return 1u << TS_LOST_POST_SATURATED;
    s->a[i]++;
    return s->b[i] && s->a[i] > s->b[i] ? 1u << TS_LOST_POST_ABOVE_MAX : 0; // 0: none is set
}

static unsigned get(struct ts_explore_state *s, unsigned i)
{
    if (s->a[i] == 0)
        return 1u << TS_LOST_GET_DROPPED;
    s->a[i]--;
    return 0;
}

static unsigned clear(struct ts_explore_state *s, unsigned i)
{
    unsigned bank = matrix_bank(s->a[i]);
    bool valid = bank_valid(s->a[i], bank);
    s->a[i] = (int32_t)((s->a[i] & ~(1 << bank)) ^ 8);
    return valid ? 0 : 1u << TS_LOST_CLEAR_INVALID;
}

static unsigned give(struct ts_explore_state *s, unsigned i)
{
    unsigned bank = unpack_bank(s->a[i]);
    bool valid = bank_valid(s->a[i], bank);
    s->a[i] = (int32_t)((s->a[i] | 1 << bank) ^ 4);
    return valid ? 1u << TS_LOST_GIVE_VALID : 0;
}

static unsigned apply(const struct ts_explore_program *p, struct ts_explore_state *s,
                      unsigned thread, const struct ts_explore_op *op)
{
    const unsigned o = op->object;
    const int32_t n = op->n, self = (int32_t)thread + 1;
    unsigned lost = 0;
    switch (op->code) {
#define LOSE(when, what) lost |= (when) ? 1u << TS_LOST_##what : 0
#define EACH(does)                                                     \
    for (ts_explore_mask rest = op->objects; rest; rest &= rest - 1) { \
        const unsigned i = (unsigned)__builtin_ctzll(rest);            \
        does;                                                          \
    }
#define TS_EXPLORE_OP(name, core, touches, waits, does) \
    case TS_EXPLORE_##name:                             \
        does;                                           \
        break;
#include "config/explore.def"
    }
    return lost;
}

unsigned ts_explore_step(const struct ts_explore_program *self, struct ts_explore_state *state,
                         unsigned process)
{
    unsigned lost = 0;
    if (process < self->threads) {
        lost = apply(self, state, process, &self->thread[process].op[state->pc[process]]);
        state->pc[process]++;
        if (self->thread[process].queue >= 0)
            state->a[self->thread[process].queue]--;
    } else {
        unsigned unit = process - self->threads;
        give(state, self->src[unit]);
        state->a[self->unit[unit]] = 0;
    }
    // The gates look at every value.
    struct ts_explore_wait why;
    for (unsigned t = 0; t < self->threads; t++)
        if (state->latch[t] && latch_met(self, state, t, &why))
            state->latch[t] = 0;
    return lost;
}
