// Sleep and wake: a component falls asleep for a reason and on an object, others wake, recall or halt it; each episode goes to
// the account, the ledger and the trace. See component.h.

#include "platform/kernel/internal.h"

static TS_SLOW_PATH void put_episode(struct ts_component *self, enum ts_record_kind kind,
                                     enum ts_stall reason, const struct ts_object *on,
                                     uint32_t polled, ts_cycle from, ts_cycle to)
{
    const struct ts_trace_ring *ring = self->object.trace;
    if (to > from && kind == TS_RECORD_BUSY && ring->meter)
        ring->meter->worked(&self->object, 0, from, to - from, ring->meter);
    if (to > from && !ring->shut &&
        (kind != TS_RECORD_BUSY || ts_trace_wants_busy(ring, self->object.id)))
        ts_trace_put(self->object.trace,
                     (struct ts_record){.cycle = from,
                                        .value = to - from,
                                        .more = polled,
                                        .emitter = self->object.id & 0xffffff,
                                        .kind = kind,
                                        .other = on ? (on->id + 1) & 0xffffff : 0,
                                        .reason = (uint8_t)reason});
}

static inline void trace_episode(struct ts_component *self, enum ts_record_kind kind,
                                 enum ts_stall reason, const struct ts_object *on, ts_cycle from,
                                 ts_cycle to)
{
    if (__builtin_expect(self->object.trace != NULL, 0))
        put_episode(self, kind, reason, on, 0, from, to);
}

// The address that a sleeping component polls, for a trace; 0: none.
static inline uint32_t polled_by(const struct ts_component *self)
{
    return self->object.trace && self->reason == TS_STALL_RV_POLL && self->ops->polled
               ? self->ops->polled(self)
               : 0;
}

static inline void trace_sleep(struct ts_component *self, enum ts_stall reason,
                               const struct ts_object *on, uint32_t polled, ts_cycle since,
                               ts_cycle from, ts_cycle now)
{
    if (__builtin_expect(self->object.trace == NULL, 1))
        return;
    put_episode(self, TS_RECORD_BUSY, TS_STALL_IDLE, NULL, 0, since, from);
    if (reason != TS_STALL_IDLE && !self->object.trace->shut)
        put_episode(self, TS_RECORD_STALL, reason, on, polled, from, now);
}

// Does an episode of the ledger come before another episode, which ends at `to`? A step that goes ahead puts its stalls,
// and polls that end after the step, before the sleep that the step ended.
static inline bool comes_before(const struct ts_episode *self, ts_cycle to)
{
    return self->from < to && (self->to <= to || self->reason != TS_STALL_RV_POLL);
}

// The newest episode goes to its place. Returns that.
static TS_SLOW_PATH struct ts_episode *put_in_order(struct ts_ledger *ledger, struct ts_episode *at)
{
    const uint32_t oldest = ledger->count > TS_LEDGER ? ledger->count - TS_LEDGER : 0;
    for (uint32_t i = ledger->count - 1; i > oldest; i--) {
        struct ts_episode *before = &ledger->ring[(i - 1) % TS_LEDGER];
        if (comes_before(before, at->to))
            break;
        struct ts_episode later = *before;
        *before = *at;
        *at = later;
        at = before;
    }
    return at;
}

// Puts an episode that has ended into the ledger, which the component must have.
static TS_SLOW_PATH void note(const struct ts_component *self, const struct ts_episode *episode)
{
    // How often a parked core is looked at is not its past: its poll is an episode of its own.
    if (episode->to <= episode->from || episode->reason == TS_STALL_RV_POLL)
        return;
    struct ts_ledger *ledger = self->ledger;
    const struct ts_episode *last = &ledger->ring[(ledger->count - 1) % TS_LEDGER];
    struct ts_episode *at = &ledger->ring[ledger->count++ % TS_LEDGER];
    *at = *episode;
    if (__builtin_expect(!comes_before(last, at->to), 0))
        at = put_in_order(ledger, at);
    if (ledger->ended)
        ledger->ended(ledger->context, at);
}

// The episode of sleep ends. Returns its first lost cycle.
static inline ts_cycle awake(struct ts_component *self, ts_cycle now)
{
    ts_cycle from = ts_lost_from(self->since, self->booked, now);
    self->recent += now - from;
    self->roused = TS_NEVER;
    if (ts_is_blocked(self))
        ((struct ts_object *)self->on)->waiters--;
    self->asleep = TS_AWAKE;
    self->start = now;
    self->run = self->step;
    return from;
}

// The step that is on its way has ended this sleep.
static inline void put_ending(struct ts_ledger *ledger, const struct ts_component *self,
                              ts_cycle since, ts_cycle from, ts_cycle to)
{
    struct ts_episode *sleep = &ledger->ending;
    sleep->from = from;
    sleep->to = to;
    sleep->on = self->on;
    sleep->detail = 0;
    sleep->reason = self->reason;
    sleep->sent = 0;
    ledger->since = since;
    if (ledger->woken)
        ledger->woken(ledger->context, to);
}

// The step is over: the sleep that it has ended is put, unless it goes on (see fall_asleep).
static inline void note_ending(struct ts_component *self)
{
    struct ts_ledger *ledger = self->ledger;
    if (self->asleep == TS_AWAKE || self->since != ledger->since)
        note(self, &ledger->ending);
    ledger->ending.to = 0;
}

static inline ts_step resume_plainly(struct ts_component *self, ts_cycle now)
{
    awake(self, self->roused < now ? self->roused : now);
    return self->step(self, now);
}

// The same for a component whose past is kept.
static TS_SLOW_PATH ts_step resume_kept(struct ts_component *self, ts_cycle now)
{
    const ts_cycle end = self->roused < now ? self->roused : now;
    const ts_cycle since = self->since, from = awake(self, end);
    put_ending(self->ledger, self, since, from, end);
    ts_step n = self->step(self, now);
    if (self->ledger->ending.to)
        note_ending(self);
    return n;
}

// The same for a component that is traced.
static TS_SLOW_PATH ts_step resume_traced(struct ts_component *self, ts_cycle now)
{
    enum ts_stall reason = self->reason;
    const struct ts_object *on = self->on;
    const uint32_t polled = polled_by(self);
    ts_cycle end = self->roused < now ? self->roused : now;
    ts_cycle since = self->since, from = ts_lost_from(since, self->booked, end);
    ts_step n = self->ledger ? resume_kept(self, now) : resume_plainly(self, now);
    if (self->asleep == TS_AWAKE || self->since != since) // see fall_asleep
        trace_sleep(self, reason, on, polled, since, from, end);
    return n;
}

// Replaces the step of a sleeping component: closes the episode, and steps.
static ts_step resume(struct ts_component *self, ts_cycle now)
{
    if (__builtin_expect(self->object.trace != NULL, 0))
        return resume_traced(self, now);
    return self->ledger ? resume_kept(self, now) : resume_plainly(self, now);
}

// Replaces the step of a component that has a watcher.
static ts_step watched(struct ts_component *self, ts_cycle now)
{
    struct ts_watcher *watcher = self->watcher;
    watcher->before(watcher, now);
    ts_step n = self->ops->step(self, now);
    watcher->after(watcher, now);
    return n;
}

void ts_component_watch(struct ts_component *self, struct ts_watcher *watcher)
{
    self->watcher = watcher;
    self->step = watched;
    if (self->run == self->ops->step)
        self->run = watched;
}

// Replaces the step of a component that was halted in a cycle in which it still had to step.
static ts_step skip(struct ts_component *self, ts_cycle now)
{
    (void)now;
    self->run = resume;
    return 0;
}

void ts_component_trace_open(struct ts_component *self, ts_cycle cycle)
{
    if (self->asleep == TS_AWAKE)
        trace_episode(self, TS_RECORD_BUSY, TS_STALL_IDLE, NULL, self->start, cycle);
    else {
        ts_cycle end = self->roused < cycle ? self->roused : cycle;
        trace_sleep(self, self->reason, self->on, polled_by(self), self->since,
                    ts_lost_from(self->since, self->booked, end), end);
        trace_episode(self, TS_RECORD_BUSY, TS_STALL_IDLE, NULL, end, cycle);
    }
}

// Most components sleep for the same reason again and again: the account, which lies further away, is
// written when the reason changes.
static inline void set_reason(struct ts_component *self, enum ts_stall reason)
{
    if (self->reason == reason)
        return;
    self->lost[self->reason] += self->recent;
    self->recent = 0;
    self->reason = reason;
}

// A component that goes back to sleep in the cycle that woke it, for the same reason, counts as asleep
// throughout.
static inline void fall_asleep(struct ts_component *self, ts_cycle now, enum ts_asleep how,
                               enum ts_stall reason, const struct ts_object *on)
{
    if (self->start == now && self->on == on && self->reason == reason &&
        self->booked <= self->since)
        self->recent -= now - self->since;
    else
        self->since = now;
    self->asleep = how;
    set_reason(self, reason);
    self->on = on;
    self->run = resume;
}

void ts_stall_passed(struct ts_component *self, ts_cycle now, enum ts_stall reason,
                     const struct ts_object *on)
{
    const ts_cycle from = ts_lost_from(now, self->booked, now + 1);
    set_reason(self, reason);
    self->recent += now + 1 - from;
    self->since = now;
    self->start = now + 1;
    self->on = on;
    if (!self->ledger)
        return;
    if (self->ledger->ending.to)
        note_ending(self);
    note(self, &(struct ts_episode){from, now + 1, on, 0, reason, 0});
}

void ts_stalls_passed(struct ts_component *self, const ts_cycle *at, unsigned count, ts_cycle now,
                      enum ts_stall reason, const struct ts_object *on)
{
    struct ts_ledger *ledger = self->ledger;
    for (unsigned i = 0; i < count; i++) {
        const ts_cycle from = ts_lost_from(at[i], self->booked, at[i] + 1);
        self->recent += at[i] + 1 - from;
        if (ledger && from == at[i])
            ts_ledger_put(ledger, reason, on, from, from + 1, 0);
    }
    self->since = at[count - 1];
    self->start = self->since + 1;
    if (ledger && ledger->stalled)
        ledger->stalled(ledger->context, at, count, now, on);
}

// A stall always needs a reason and an object: without them the hang report cannot explain the
// wait.
static TS_SLOW_PATH ts_step refuse_stall(struct ts_component *self, ts_cycle now,
                                         enum ts_stall reason)
{
    return ts_fault(self, now, TS_BUG, "stalls (%s) without naming %s", ts_stall_name(reason),
                    reason == TS_STALL_IDLE ? "a reason" : "an object");
}

static inline bool unexplained(enum ts_stall reason, const struct ts_object *on)
{
    return __builtin_expect(reason == TS_STALL_IDLE || on == NULL, 0);
}

// Puts a component without trace and events to sleep; see ts_block. Returns 0.
static inline ts_step sleep_quickly(struct ts_component *self, ts_cycle now, enum ts_asleep how,
                                    enum ts_stall reason, const struct ts_object *on)
{
    fall_asleep(self, now, how, reason, on);
    self->when = self->woken = TS_NEVER;
    if (how == TS_BLOCKED || how == TS_ALERT) {
        struct ts_object *object = (struct ts_object *)on;
        object->waiters++;
        object->waiter = self;
    }
    return 0;
}

static TS_SLOW_PATH ts_step sleep_watched(struct ts_component *self, ts_cycle now,
                                          enum ts_asleep how, enum ts_stall reason,
                                          const struct ts_object *on)
{
    trace_episode(self, TS_RECORD_BUSY, TS_STALL_IDLE, NULL, self->start, now);
    return sleep_quickly(self, now, how, reason, on);
}

static inline ts_step sleep_on(struct ts_component *self, ts_cycle now, enum ts_asleep how,
                               enum ts_stall reason, const struct ts_object *on)
{
    if (__builtin_expect(self->object.trace != NULL, 0))
        return sleep_watched(self, now, how, reason, on);
    return sleep_quickly(self, now, how, reason, on);
}

ts_step ts_block(struct ts_component *self, ts_cycle now, enum ts_stall reason,
                 const struct ts_object *on)
{
    if (unexplained(reason, on))
        return refuse_stall(self, now, reason);
    return sleep_on(self, now, TS_BLOCKED, reason, on);
}

// A word in flight to one of its inputs wakes it.
static void expect_inputs(struct ts_component *self, ts_cycle now)
{
    if (self->inbound == 0)
        return; // as mostly: the FIFOs are further away
    for (const struct ts_port *port = self->inputs; port; port = port->next_input) {
        if (ts_fifo_empty(port->in))
            continue;
        const ts_cycle next = ts_fifo_next_word(port->in);
        ts_wake(self, next > now ? next : now + 1);
    }
}

ts_step ts_alert(struct ts_component *self, ts_cycle now, enum ts_stall reason,
                 const struct ts_object *on)
{
    if (unexplained(reason, on))
        return refuse_stall(self, now, reason);
    sleep_on(self, now, TS_ALERT, reason, on);
    expect_inputs(self, now);
    return 0;
}

ts_step ts_stall_for(struct ts_component *self, ts_cycle now, uint64_t cycles, enum ts_stall reason,
                     const struct ts_object *on)
{
    if (unexplained(reason, on))
        return refuse_stall(self, now, reason);
    trace_episode(self, TS_RECORD_BUSY, TS_STALL_IDLE, NULL, self->start, now);
    fall_asleep(self, now, TS_STALLED, reason, on);
    return cycles;
}

ts_step ts_idle(struct ts_component *self, ts_cycle now)
{
    sleep_on(self, now, TS_IDLE, TS_STALL_IDLE, NULL);
    expect_inputs(self, now);
    return 0;
}

ts_step ts_finish(struct ts_component *self, ts_cycle now)
{
    return sleep_on(self, now, TS_FINISHED, TS_STALL_IDLE, NULL);
}

// A wake-up that is not the first, or not near, or not in order.
static TS_SLOW_PATH void wake_slowly(struct ts_component *self, ts_cycle at)
{
    // Between windows (now has reached the end) the current cycle is not stepped yet.
    struct ts_domain *domain = self->domain;
    if (at + (domain->now >= domain->end) <= domain->now) {
        ts_fault(self, domain->now, TS_BUG,
                 "woken at cycle %llu, which is not after the current one", (unsigned long long)at);
        return;
    }
    if (self->when != TS_NEVER)
        ts_domain_unschedule(domain, self, self->when);
    self->woken = self->when = at;
    ts_domain_schedule(domain, self, at);
}

void ts_wake(struct ts_component *self, ts_cycle at)
{
    if (self->asleep < TS_BLOCKED || self->asleep > TS_IDLE)
        return;
    if (at >= self->when) {
        self->woken = at < self->woken ? at : self->woken; // an event comes before it
        return;
    }
    struct ts_domain *domain = self->domain;
    if (__builtin_expect(self->when != TS_NEVER || at - domain->now - 1 >= TS_WHEEL_SLOTS - 1, 0)) {
        wake_slowly(self, at);
        return;
    }
    self->woken = self->when = at;
    ts_domain_fill(domain, self, at);
}

void ts_rouse(struct ts_component *self, ts_cycle from, ts_cycle at)
{
    if (from < self->roused)
        self->roused = from;
    ts_wake(self, at);
}

// More than one waiter, or a waiter that now waits for another object.
static TS_SLOW_PATH void wake_many(struct ts_object *object, ts_cycle at)
{
    for (const struct ts_port *port = object->ports; port; port = port->next_of_channel)
        if (port->owner->on == object)
            ts_wake(port->owner, at);
    if (object->kind != TS_OBJECT_RESOURCE && object->kind != TS_OBJECT_COMPONENT)
        return;
    struct ts_domain *domain = object->domain;
    for (uint32_t i = 0, left = object->waiters; i < domain->count && left; i++) {
        if (domain->components[i]->on == object && ts_is_blocked(domain->components[i])) {
            ts_wake(domain->components[i], at);
            left--;
        }
    }
}

void ts_wake_all(struct ts_object *object, ts_cycle at)
{
    // A stall on the object (ts_stall_for) is not a sleep on it.
    if (object->waiters == 1 && object->waiter->on == object && ts_is_blocked(object->waiter))
        ts_wake(object->waiter, at);
    else if (object->waiters || object->ports)
        wake_many(object, at);
}

void ts_recall(struct ts_component *self, ts_cycle due, ts_cycle at)
{
    struct ts_domain *domain = self->domain;
    if (at >= due || !ts_domain_unschedule(domain, self, due))
        return; // the component steps in the current cycle anyway
    if (at > domain->now || domain->running == NULL) {
        ts_domain_schedule(domain, self, at);
        return;
    }
    domain->joined |= self->bit;
    domain->stepping |= self->bit;
}

void ts_summon(struct ts_component *self, ts_cycle at)
{
    struct ts_domain *domain = self->domain;
    if (at > domain->now || domain->running == NULL) {
        ts_wake(self, at > domain->now ? at : domain->now + 1);
        return;
    }
    if (self->asleep < TS_BLOCKED || self->asleep > TS_IDLE || self->when <= at)
        return;
    if (self->when != TS_NEVER)
        ts_domain_unschedule(domain, self, self->when);
    self->when = self->woken = at;
    domain->joined |= self->bit;
    domain->stepping |= self->bit;
}

void ts_halt(struct ts_component *self, ts_cycle now)
{
    struct ts_domain *domain = self->domain;
    // A component that steps in the current cycle has already left the wheel: it skips that step.
    bool awake = self->asleep == TS_AWAKE || self->asleep == TS_STALLED;
    bool left = awake ? !ts_domain_withdraw(domain, self)
                      : self->when != TS_NEVER && !ts_domain_unschedule(domain, self, self->when);
    if (self->asleep == TS_AWAKE) {
        trace_episode(self, TS_RECORD_BUSY, TS_STALL_IDLE, NULL, self->start, now);
    } else {
        if (self->on && ts_is_blocked(self))
            ((struct ts_object *)self->on)->waiters--;
        ts_cycle end = self->roused < now ? self->roused : now;
        ts_cycle from = ts_lost_from(self->since, self->booked, end);
        self->recent += end - from;
        if (self->ledger)
            note(self, &(struct ts_episode){from, end, self->on, 0, self->reason, 0});
        trace_sleep(self, self->reason, self->on, polled_by(self), self->since, from, end);
        trace_episode(self, TS_RECORD_BUSY, TS_STALL_IDLE, NULL, end, now);
    }
    self->booked = 0;
    self->roused = self->start = TS_NEVER;
    self->asleep = TS_IDLE;
    set_reason(self, TS_STALL_IDLE);
    self->on = NULL;
    self->since = now;
    self->when = self->woken = TS_NEVER;
    self->run = left || self->run == skip ? skip : resume;
    // Between runs this is the last event: the span extends to it.
    if (now > domain->last + 1)
        domain->last = now - 1;
    if (domain->running == NULL && now > ts_kernel_reached(domain->kernel))
        atomic_store(&domain->kernel->reached, now);
}
