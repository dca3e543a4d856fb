// units/sync.c: see sync.h.
#include "units/sync.h"

#include "units/lint.h"

// STREAM_CURR_PHASE_REG_INDEX and STREAM_NUM_MSGS_RECEIVED_REG_INDEX of the NoC overlay.
// Source: tt-metal hw/inc/internal/tt-1xx/blackhole/noc_overlay_parameters.h.
enum { STREAM_CURR_PHASE = 29, STREAM_NUM_MSGS_RECEIVED = 259 };

// ---- semaphores

static void change(struct ts_sync_unit *self, struct ts_sync_semaphore *s, unsigned value,
                   unsigned max, ts_cycle now)
{
    if (s->changed != now) {
        s->changed = now;
        s->old_value = s->value;
        s->old_max = s->max;
    }
    s->value = (uint8_t)value;
    s->max = (uint8_t)max;
    ts_trace_count(&s->object, now, value);
    if (s == &self->semaphore[1]) // MATH_PACK: halves of Dst that the packer has
        ts_trace_level(&self->unit.component.object, now, "dst halves with the packer", value);
    ts_wake_all(&s->object, now + 1);
    // A gate with a latched SEMWAIT and no next instruction must check every value: it clears the
    // wait when it is met, even if the semaphore changes back before the next instruction arrives.
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (self->latch[t].op == TS_OP_SEMWAIT && self->tensix->front[t])
            ts_wake(self->tensix->front[t], now + 1);
}

static void deed(struct ts_sync_deed *deed, unsigned by, ts_cycle now)
{
    deed->count++;
    deed->at = now;
    deed->by = (uint8_t)by;
}

// "T1" or "core 2", for reports.
static const char *who(unsigned by)
{
    static const char *const names[] = {"T0",      "T1",      "T2",     "?",      "?",
                                        "?",       "?",       "?",      "core B", "core T0",
                                        "core T1", "core T2", "core NC"};
    return by < sizeof names / sizeof *names ? names[by] : "?";
}

static bool post(struct ts_sync_unit *self, unsigned i, unsigned by, ts_cycle now)
{
    struct ts_sync_semaphore *s = &self->semaphore[i];
    if (s->value == 15) {
        self->saturated++;
        return ts_tensix_report(self->tensix, &self->unit.component, by, now,
                                TS_REPORT_SEMPOST_SATURATED, "semaphore %u, by %s", i, who(by));
    }
    s->posts++;
    deed(&s->posted, by, now);
    ts_lint_posted(self->tensix, i, by, now);
    unsigned before = s->value;
    change(self, s, before + 1u, s->max, now);
    if (s->max == 0 || before < s->max)
        return true;
    deed(&s->above, by, now);
    return ts_tensix_report(self->tensix, &self->unit.component, by, now,
                            TS_REPORT_SEMPOST_ABOVE_MAX, "semaphore %u by %s: %u > %u", i, who(by),
                            before + 1u, s->max);
}

static bool get(struct ts_sync_unit *self, unsigned i, unsigned by, ts_cycle now)
{
    struct ts_sync_semaphore *s = &self->semaphore[i];
    if (s->value == 0) {
        self->dropped++;
        deed(&s->dropped, by, now);
        return ts_tensix_report(self->tensix, &self->unit.component, by, now,
                                TS_REPORT_SEMGET_DROPPED, "semaphore %u, by %s", i, who(by));
    }
    s->gets++;
    deed(&s->got, by, now);
    ts_lint_got(self->tensix, i, false, now);
    change(self, s, s->value - 1u, s->max, now);
    return true;
}

bool ts_sync_riscv_accept(const struct ts_sync_unit *self, ts_cycle now, struct ts_hold *hold)
{
    return self->port != now ||
           ts_held(hold, TS_STALL_UNIT_SHARED, &self->unit.component.object, now + 1);
}

bool ts_sync_riscv_write(struct ts_sync_unit *self, unsigned index, uint32_t value, ts_cycle now)
{
    self->port = now;
    self->riscv_writes++;
    unsigned by = TS_SYNC_CORE + self->caller;
    return value & 1 ? get(self, index, by, now) : post(self, index, by, now);
}

// ---- the gate

static bool semaphores_met(const struct ts_sync_unit *self, const struct ts_latch *latch,
                           ts_cycle now, struct ts_hold *hold)
{
    for (unsigned mask = latch->semaphores; mask; mask &= mask - 1) {
        const struct ts_sync_semaphore *s = &self->semaphore[__builtin_ctz(mask)];
        bool old = s->changed == now;
        unsigned value = old ? s->old_value : s->value, max = old ? s->old_max : s->max;
        // A semaphore that changed in this cycle, before the sleep: the wake-up is missed, check
        // again.
        ts_cycle until = old ? now + 1 : TS_NEVER;
        if (latch->conditions & 1 && value == 0)
            return ts_held(hold, TS_STALL_SEMAPHORE_ZERO, &s->object, until);
        if (latch->conditions & 2 && value >= max)
            return ts_held(hold, TS_STALL_SEMAPHORE_MAX, &s->object, until);
    }
    return true;
}

static bool overlay_met(const struct ts_sync_unit *self, const struct ts_latch *latch, ts_cycle now,
                        struct ts_hold *hold)
{
    const struct ts_tensix_hooks *hooks = &self->tensix->hooks;
    unsigned reg = latch->conditions & 1 ? STREAM_CURR_PHASE : STREAM_NUM_MSGS_RECEIVED;
    // Streams change on their own: poll in every cycle.
    return hooks->overlay_read(hooks->tile, latch->stream, reg) >= latch->target ||
           ts_held(hold, TS_STALL_STREAM, &self->unit.component.object, now + 1);
}

bool ts_sync_gate(struct ts_sync_unit *self, unsigned thread, unsigned block, ts_cycle now,
                  struct ts_hold *hold)
{
    struct ts_latch *latch = &self->latch[thread];
    if (!latch->op)
        return true;
    bool caught = latch->block & block & TS_B_ALL;
    if (latch->met) { // an earlier check found it met: later changes do not count
        if (now > latch->since + 1)
            latch->op = 0;
        else if (caught)
            return ts_held(hold, TS_STALL_GATE_LAG, &self->unit.component.object, now + 1);
        return true;
    }
    ts_cycle met = 0;
    if (latch->op == TS_OP_SEMWAIT ? !semaphores_met(self, latch, now, hold)
        : latch->op == TS_OP_STALLWAIT
            ? !ts_tensix_conditions(self->tensix, thread, latch->conditions, now, &met, hold)
            : !overlay_met(self, latch, now, hold)) {
        latch->unmet = true;
        return !caught;
    }
    // The gate checks from the cycle after the latch was set, finds the condition met in cycle
    // `seen`, and lets instructions pass from the next cycle on.
    ts_cycle seen = latch->since + 1;
    if (met > seen)
        seen = met;
    else if (latch->unmet && met == 0)
        seen = now; // met by an event, which woke us
    if (now > seen) {
        latch->op = 0;
        return true;
    }
    latch->unmet = false;
    latch->met = seen == now;
    latch->since = seen - 1;
    return !caught || ts_held(hold, TS_STALL_GATE_LAG, &self->unit.component.object, seen + 1);
}

static void latch(struct ts_sync_unit *self, struct ts_word in, ts_cycle now, struct ts_latch latch)
{
    if (!latch.block)
        latch.block = 1u << 6;
    latch.since = now;
    self->latch[in.thread] = latch;
}

// ---- instructions

// ATRELM has the same field.
static unsigned mutex_of(struct ts_word in)
{
    return ts_decode_ATGETM(in.word).mutex_index;
}

static bool ts_sync_ATGETM(struct ts_sync_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_sync_mutex *m = &self->mutex[mutex_of(in)];
    m->holder = (int8_t)in.thread;
    m->touched = now;
    m->next = -1;
    return true;
}

static bool ts_sync_ATRELM(struct ts_sync_unit *self, struct ts_word in, ts_cycle now)
{
    unsigned index = mutex_of(in);
    struct ts_sync_mutex *m = &self->mutex[index];
    m->touched = now;
    if (m->holder != (int8_t)in.thread)
        return ts_tensix_report(self->tensix, &self->unit.component, in.thread, now,
                                TS_REPORT_ATRELM_NOT_HELD, "mutex %u, T%u", index, in.thread);
    m->holder = -1;
    m->free_from = now + 1;
    m->next = (int8_t)((in.thread + 1) % TS_THREADS);
    ts_wake_all(&m->object, now + 1);
    return true;
}

static bool ts_sync_STALLWAIT(struct ts_sync_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_STALLWAIT a = ts_decode_STALLWAIT(in.word);
    ts_lint_stallwait(self->tensix, in.thread, a.wait_res ? a.wait_res : 0xf, now);
    latch(self, in, now,
          (struct ts_latch){.op = TS_OP_STALLWAIT,
                            .block = (uint16_t)a.stall_res,
                            .conditions = (uint16_t)(a.wait_res ? a.wait_res : 0xf)});
    return true;
}

static bool ts_sync_SEMINIT(struct ts_sync_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_SEMINIT a = ts_decode_SEMINIT(in.word);
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        struct ts_sync_semaphore *s = &self->semaphore[i];
        if (!(a.sem_sel & 1u << i))
            continue;
        unsigned before = s->value;
        ts_lint_got(self->tensix, i, true, now);
        change(self, s, a.init_value, a.max_value, now);
        if (before == 0 || before == a.init_value)
            continue;
        deed(&s->wiped, in.thread, now);
        s->wiped_value = (uint8_t)before;
        if (!ts_tensix_report(self->tensix, &self->unit.component, in.thread, now,
                              TS_REPORT_SEMINIT_IN_USE, "semaphore %u = %u, by T%u", i, before,
                              in.thread))
            return false;
    }
    return true;
}

#define EACH_SEMAPHORE(op, change)                                                       \
    static bool ts_sync_##op(struct ts_sync_unit *self, struct ts_word in, ts_cycle now) \
    {                                                                                    \
        for (uint32_t sel = ts_decode_##op(in.word).sem_sel; sel; sel &= sel - 1)        \
            if (!change(self, (unsigned)__builtin_ctz(sel), in.thread, now))             \
                return false;                                                            \
        return true;                                                                     \
    }
EACH_SEMAPHORE(SEMPOST, post)
EACH_SEMAPHORE(SEMGET, get)

static bool ts_sync_SEMWAIT(struct ts_sync_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_SEMWAIT a = ts_decode_SEMWAIT(in.word);
    struct ts_latch l = {.op = TS_OP_SEMWAIT,
                         .block = (uint16_t)a.stall_res,
                         .conditions = (uint16_t)a.wait_sem_cond,
                         .semaphores = (uint8_t)a.sem_sel};
    if (!a.wait_sem_cond)
        l = (struct ts_latch){
            .op = TS_OP_STALLWAIT, .block = (uint16_t)a.stall_res, .conditions = 0xf};
    latch(self, in, now, l);
    return true;
}

static bool ts_sync_STREAMWAIT(struct ts_sync_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_STREAMWAIT a = ts_decode_STREAMWAIT(in.word);
    if (!self->tensix->hooks.overlay_read)
        return ts_unit_refuse(&self->unit, in, now, "not implemented: NoC overlay streams");
    const uint16_t *thd = self->tensix->cfg.thd[in.thread];
    uint32_t high = a.target_sel ? TS_THD(thd, STREAMWAIT_NUM_MSGS_HI_Val)
                                 : TS_THD(thd, STREAMWAIT_PHASE_HI_Val);
    unsigned sync_sec = TS_THD_ADDR_STREAM_ID_SYNC_SEC0_BankSel + a.wait_stream_sel;
    latch(self, in, now,
          (struct ts_latch){.op = TS_OP_STREAMWAIT,
                            .block = (uint16_t)a.stall_res,
                            .conditions = (uint16_t)(1u << a.target_sel),
                            .stream = (uint8_t)(thd[sync_sec] & 0x3f),
                            .target = high << 10 | a.target_value});
    return true;
}

// ---- the unit

// Mutex instructions: one a cycle on each mutex; a mutex that another thread holds keeps ATGETM
// out.
static bool mutex_accept(const struct ts_sync_unit *self, struct ts_word in, ts_cycle now,
                         struct ts_hold *hold)
{
    unsigned index = mutex_of(in);
    if (index == 1 || index >= TS_MUTEXES)
        return ts_held(hold, TS_STALL_MUTEX_INVALID, &self->unit.component.object, TS_NEVER);
    const struct ts_sync_mutex *m = &self->mutex[index];
    if (in.op == TS_OP_ATGETM && m->holder >= 0 && m->holder != (int8_t)in.thread)
        return ts_held(hold, TS_STALL_MUTEX_HELD, &m->object, TS_NEVER);
    if (m->touched == now || (in.op == TS_OP_ATGETM && m->holder < 0 && m->free_from > now))
        return ts_held(hold, TS_STALL_UNIT_SHARED, &m->object, now + 1);
    // Both other threads wait for it: the thread after the one that released it goes first. A
    // waiting thread sleeps on it until its own step of this cycle.
    if (in.op == TS_OP_ATGETM && m->holder < 0 && m->next >= 0 && m->next != (int8_t)in.thread) {
        const struct ts_component *next = self->tensix->front[m->next];
        if (next && next->asleep != TS_AWAKE && next->on == &m->object)
            return ts_held(hold, TS_STALL_MUTEX_HELD, &m->object, now + 1);
    }
    return true;
}

static bool sync_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                        struct ts_hold *hold)
{
    const struct ts_sync_unit *self = (const struct ts_sync_unit *)unit;
    if (__builtin_expect(in.op == TS_OP_ATGETM || in.op == TS_OP_ATRELM, 0))
        return mutex_accept(self, in, now, hold);
    return ts_sync_riscv_accept(self, now, hold);
}

static bool sync_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    struct ts_sync_unit *self = (struct ts_sync_unit *)unit;
    if (in.op != TS_OP_ATGETM && in.op != TS_OP_ATRELM)
        self->port = now;
    unit->busy_until[in.thread] = now + 1;
    ts_unit_worked(unit, now, 1);
    switch (in.op) {
#define TS_OP_SYNC(...) TS_CASE(sync, (self, in, now), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_unit_unspecified(unit, in, now);
}

static const struct ts_unit_ops sync_ops = {
    .id = TS_UNIT_SYNC,
    .accept = sync_accept,
    .start = sync_start,
};

static const struct ts_counter counters[] = {
    TS_UNIT_COUNTER,
    {"riscv_writes", "accesses", "semaphore posts and gets of cores",
     offsetof(struct ts_sync_unit, riscv_writes)},
    {"saturated", "posts", "posts of a semaphore at 15, which are lost",
     offsetof(struct ts_sync_unit, saturated)},
    {"dropped", "gets", "gets of a semaphore at 0, which are lost",
     offsetof(struct ts_sync_unit, dropped)},
    {0},
};

static const struct ts_component_ops sync_component = {
    .kind = "unit",
    .step = ts_unit_sleep,
    .counters = counters,
};

static struct ts_component *mutex_holder(const struct ts_object *object)
{
    const struct ts_sync_mutex *m = (const struct ts_sync_mutex *)object;
    return m->holder < 0 ? NULL : m->sync->tensix->front[m->holder];
}

void ts_sync_unit_init(struct ts_sync_unit *self, struct ts_tensix *tensix,
                       struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &sync_ops, &sync_component, tensix, domain, "sync");
    self->tensix = tensix;
    self->port = TS_NEVER;
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        ts_resource_init(&self->semaphore[i].object, domain, NULL, "semaphore[%u]", i);
        self->semaphore[i].changed = TS_NEVER;
    }
    for (unsigned i = 0; i < TS_MUTEXES; i++) {
        if (i != 1)
            ts_resource_init(&self->mutex[i].object, domain, mutex_holder, "mutex[%u]", i);
        self->mutex[i].holder = self->mutex[i].next = -1;
        self->mutex[i].touched = TS_NEVER;
        self->mutex[i].sync = self;
    }
}
