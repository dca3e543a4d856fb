// What a component is and says of itself: objects and their holders, waits, faults, how far it reaches, its account. When it
// sleeps and wakes: sleep.c.
#include "platform/kernel/internal.h"

static const char *const kind_names[] = {
    [TS_OBJECT_COMPONENT] = "component",
    [TS_OBJECT_FIFO] = "fifo",
    [TS_OBJECT_SEMAPHORE] = "semaphore",
    [TS_OBJECT_RESOURCE] = "resource",
};

const char *ts_object_kind_name(enum ts_object_kind kind)
{
    return kind_names[kind];
}

const char *ts_stall_name(enum ts_stall reason)
{
    static const char *const names[TS_STALL_COUNT] = {
#define TS_STALL(id, name, text, color) name,
#include "config/stall.def"
    };
    return names[reason];
}

const struct ts_component *ts_object_holder(const struct ts_object *object, enum ts_stall reason)
{
    switch (object->kind) {
    case TS_OBJECT_FIFO: {
        const struct ts_fifo *fifo = (const struct ts_fifo *)object;
        return reason == TS_STALL_FIFO_EMPTY ? fifo->writer : fifo->reader;
    }
    case TS_OBJECT_COMPONENT:
        return ts_object_component(object);
    case TS_OBJECT_SEMAPHORE:
    case TS_OBJECT_RESOURCE:
        break;
    }
    return object->holder ? object->holder(object) : NULL;
}

struct ts_wait ts_waiting(const struct ts_component *self)
{
    struct ts_wait wait = {.reason = TS_STALL_IDLE};
    if (!ts_is_blocked(self) && self->asleep != TS_STALLED)
        return wait;
    if (self->ops->waiting)
        return self->ops->waiting(self);
    wait.reason = self->reason;
    wait.object = self->on;
    wait.holder = self->on ? ts_object_holder(self->on, self->reason) : NULL;
    return wait;
}

static void stop_kernel(struct ts_kernel *kernel, ts_cycle at)
{
    ts_cycle first = atomic_load(&kernel->stop_at);
    while (at < first && !atomic_compare_exchange_weak(&kernel->stop_at, &first, at))
        ;
}

ts_step ts_fault(struct ts_component *self, ts_cycle now, enum ts_code code, const char *format,
                 ...)
{
    char text[sizeof self->domain->error.text];
    TS_VSNPRINTF(text, sizeof text, format);
    struct ts_domain *domain = self->domain;
    if (domain->faulted && domain->fault_cycle <= now)
        return 0; // the first one counts
    domain->error = (struct ts_error){TS_OK, ""};
    ts_fail(&domain->error, code, "%s: cycle %llu: %.400s", ts_path(self), (unsigned long long)now,
            text);
    domain->fault_cycle = now;
    domain->faulted = true;
    if (now < domain->end)
        domain->end = now;
    stop_kernel(domain->kernel, now);
    return 0;
}

void ts_break(struct ts_component *self, ts_cycle now)
{
    struct ts_domain *domain = self->domain;
    if (!domain->broke || now < domain->break_cycle)
        domain->break_cycle = now;
    domain->broke = true;
    if (now + domain->kernel->stop_lag < domain->end)
        domain->end = now + domain->kernel->stop_lag;
    stop_kernel(domain->kernel, now);
}

void ts_component_reach(struct ts_component *self, ts_cycle cycles)
{
    self->reach = cycles;
}

void ts_domain_reach(struct ts_domain *self, ts_cycle cycles)
{
    self->reach = cycles;
}

void ts_domain_inlet(struct ts_domain *self, ts_cycle cycles)
{
    self->inlet = (uint32_t)cycles;
}

void ts_domain_expect(struct ts_domain *self, int by)
{
    self->expected += (uint32_t)by;
}

void ts_crosses(struct ts_component *self, ts_cycle now, ts_cycle at)
{
    const struct ts_span *span = self->domain->span;
    if (__builtin_expect(at < span->end, 0))
        ts_fault(self, now, TS_BUG,
                 "is noticed elsewhere at cycle %llu, but others are at %llu: "
                 "it, or who woke it, has a shorter reach than it said",
                 (unsigned long long)at, (unsigned long long)span->end);
}

ts_cycle ts_horizon(const struct ts_component *self)
{
    return atomic_load_explicit(&self->domain->kernel->limit, memory_order_relaxed);
}

ts_cycle ts_lookahead(const struct ts_component *self, ts_cycle now)
{
    const struct ts_domain *domain = self->domain;
    if (domain->stepping >= self->bit << 1) // others come behind it in this cycle
        return now + 1;
    ts_cycle next = ts_domain_next(domain), end = domain->end;
    if (next <= end)
        return next;
    if (domain->inlet != 0 && domain->expected == 0 && !domain->faulted) {
        end += domain->inlet;
        end = end < domain->span->until ? end : domain->span->until;
    }
    return next < end ? next : end;
}

struct ts_component *ts_object_component(const struct ts_object *object)
{
    if (object->kind != TS_OBJECT_COMPONENT)
        return NULL;
    return (struct ts_component *)((char *)object - offsetof(struct ts_component, object));
}

// Cycles of work that is booked ahead and lies beyond the end of the run.
static uint64_t work_beyond(const struct ts_component *self, ts_cycle span)
{
    if (self->work_to <= span)
        return 0;
    return self->work_to - (self->work_from > span ? self->work_from : span) +
           (self->work_before > span ? self->work_before - span : 0);
}

struct ts_account ts_component_account(const struct ts_component *self, ts_cycle span)
{
    // Behind a fault nothing happens in its domain, until the others stop too.
    const struct ts_domain *domain = self->domain;
    const bool faulted = domain->faulted && domain->fault_cycle < span;
    const ts_cycle stop = faulted ? domain->fault_cycle + 1 : span;
    struct ts_account account = {.busy = span};
    ts_cycle end = self->roused < stop ? self->roused : stop;
    for (int reason = 0; reason < TS_STALL_COUNT; reason++) {
        account.lost[reason] = ts_lost(self, (enum ts_stall)reason);
        if (reason == TS_STALL_IDLE)
            account.lost[reason] += work_beyond(self, stop) + (span - stop) - self->worked;
        if (self->asleep != TS_AWAKE && (int)self->reason == reason && end > self->since)
            account.lost[reason] += end - ts_lost_from(self->since, self->booked, end);
        account.busy -= account.lost[reason];
    }
    return account;
}

void ts_component_init(struct ts_component *self, const struct ts_component_ops *ops,
                       struct ts_domain *domain, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    ts_object_register(&self->object, domain, TS_OBJECT_COMPONENT, name, args);
    va_end(args);
    self->ops = ops;
    self->run = self->step = ops->step;
    self->domain = domain;
    self->index = (uint16_t)domain->count++;
    self->bit = 1ull << self->index % 64;
    self->asleep = TS_AWAKE;
    self->when = self->woken = self->roused = TS_NEVER;
}

void ts_resource_init(struct ts_object *self, struct ts_domain *domain,
                      struct ts_component *(*holder)(const struct ts_object *), const char *name,
                      ...)
{
    va_list args;
    va_start(args, name);
    ts_object_register(self, domain, TS_OBJECT_RESOURCE, name, args);
    va_end(args);
    self->holder = holder;
}
