// Creates and frees the kernel, and runs it window by window until something stops it. Memory is in
// arena.c, everything before the first run in elaborate.c, one window in window.c.
#include "platform/kernel/between.h"
#include "platform/kernel/internal.h"

#define MAX_THREADS  256
#define WINDOW_ALONE 4096

static const char *const stop_names[] = {
    [TS_STOP_DONE] = "done",   [TS_STOP_LIMIT] = "limit", [TS_STOP_DEADLOCK] = "deadlock",
    [TS_STOP_FAULT] = "fault", [TS_STOP_BREAK] = "break", [TS_STOP_SIGNAL] = "signal",
};

const char *ts_stop_name(enum ts_stop stop)
{
    return stop_names[stop];
}

// --- between windows ---

static struct ts_bystander *bystander(const struct ts_kernel *self)
{
    return self->config.hosting ? self->config.hosting->bystander : NULL;
}

// Nothing is due: is something held back by somebody who then lets it go on?
static bool goes_on(struct ts_kernel *self)
{
    const struct ts_bystander *who = bystander(self);
    return who && who->holds && who->holds(who->context, self, false);
}

bool ts_kernel_held(struct ts_kernel *self)
{
    const struct ts_bystander *who = bystander(self);
    return who && who->holds && who->holds(who->context, self, true);
}

ts_cycle ts_kernel_join(struct ts_kernel *self, ts_cycle now)
{
    struct ts_bystander *who = bystander(self);
    who->taken = true;
    self->between_each = who->each;
    return self->between_at = who->call(who->context, self, now);
}

void ts_kernel_hung(struct ts_kernel *self, ts_cycle now)
{
    const struct ts_bystander *who = bystander(self);
    if (who && who->hung)
        who->hung(who->context, self, now);
}

void ts_kernel_over(struct ts_kernel *self, ts_cycle now)
{
    const struct ts_bystander *who = bystander(self);
    if (who && who->over)
        who->over(who->context, self, now);
}

bool ts_kernel_stopped(struct ts_kernel *self)
{
    return atomic_load(&self->stop_signal) != 0;
}

void ts_kernel_threads_leave(struct ts_kernel *self)
{
    ts_workers_dismiss(self);
    if (self->trace)
        ts_trace_leave(self->trace);
}

bool ts_kernel_threads_return(struct ts_kernel *self)
{
    return ts_workers_hire(self) && (self->trace == NULL || ts_trace_return(self->trace));
}

void ts_kernel_one_thread(struct ts_kernel *self)
{
    self->config.threads = 1;
}

void ts_kernel_trace_wait(const struct ts_kernel *self)
{
    if (self->trace)
        ts_trace_wait(self->trace);
}

// --- life and traces ---

struct ts_kernel *ts_kernel_new(const struct ts_kernel_config *config)
{
    struct ts_kernel *self = aligned_alloc(TS_ALIGNMENT, sizeof *self);
    if (self == NULL)
        return NULL;
    memset(self, 0, sizeof *self);
    self->spare.kernel = self;
    self->spare.object = (struct ts_object){.domain = &self->spare, .path = ""};
    self->config = *config;
    self->objects_end = &self->objects;
    self->cluster = config->hosting ? config->hosting->cluster : NULL;
    const struct ts_bystander *who = bystander(self);
    self->between_at = who && who->call && !who->taken ? 0 : TS_NEVER;
    self->between_each = who && who->each;
    if (config->threads < 1 || config->threads > MAX_THREADS)
        ts_kernel_refuse(self, "%u threads: must be 1 to %d", config->threads, MAX_THREADS);
    return self;
}

void ts_kernel_free(struct ts_kernel *self)
{
    if (self == NULL)
        return;
    ts_workers_stop(self);
    for (uint32_t i = 0; i < TS_PLACES; i++)
        if (self->arenas[i].shared)
            self->unshare(self->arenas[i].shared);
    ts_arena_free(self);
    free(self);
}

void *ts_kernel_share(struct ts_kernel *self, void *(*make)(void), void (*unshare)(void *shared))
{
    struct ts_arena *arena = &self->arenas[self->place];
    if (arena->shared == NULL)
        arena->shared = make();
    self->unshare = unshare;
    return arena->shared;
}

void ts_kernel_trace(struct ts_kernel *self, struct ts_trace *trace)
{
    self->trace = trace;
    for (struct ts_object *object = self->objects; object; object = object->next)
        object->trace = trace ? ts_trace_ring(trace, object->domain->index) : NULL;
}

void ts_kernel_meter(struct ts_kernel *self, struct ts_trace_ring *shut, struct ts_meter *meter,
                     bool (*wanted)(struct ts_meter *meter, const struct ts_object *object))
{
    for (struct ts_object *object = self->objects; object; object = object->next) {
        if (meter && object->trace == NULL && wanted(meter, object))
            object->trace = shut;
        struct ts_component *c = ts_object_component(object);
        if (meter == NULL && object->trace == shut) {
            if (c)
                ts_component_trace_open(c, ts_kernel_reached(self));
            object->trace = NULL;
        }
    }
    shut->meter = meter;
    for (uint32_t i = 0; self->trace && i < self->domain_count; i++)
        ts_trace_ring(self->trace, i)->meter = meter;
}

size_t ts_kernel_trace_records(const struct ts_kernel *self)
{
    // In one cycle a component may end an episode, start another and name its work; a channel may
    // change twice and start to work.
    size_t most = 0;
    size_t *objects = calloc(self->domain_count, sizeof *objects);
    if (objects == NULL)
        return 0;
    for (const struct ts_object *object = self->objects; object; object = object->next)
        objects[object->domain->index] += object->kind == TS_OBJECT_COMPONENT ? 4 : 3;
    for (uint32_t i = 0; i < self->domain_count; i++)
        most = objects[i] > most ? objects[i] : most;
    free(objects);
    return most * self->window;
}

void ts_kernel_trace_end(struct ts_kernel *self)
{
    if (self->trace == NULL)
        return;
    for (struct ts_object *object = self->objects; object; object = object->next) {
        struct ts_component *c = ts_object_component(object);
        if (c)
            ts_component_trace_open(c, ts_kernel_reached(self));
    }
    ts_trace_sync(self->trace, true);
    ts_kernel_trace(self, NULL);
}

// --- running ---

void ts_kernel_stop(struct ts_kernel *self, int signal)
{
    atomic_store(&self->stop_signal, signal);
}

ts_cycle ts_kernel_reached(const struct ts_kernel *self)
{
    return atomic_load_explicit(&self->reached, memory_order_relaxed);
}

static ts_cycle earliest(const struct ts_kernel *self)
{
    ts_cycle next = TS_NEVER;
    if (self->places)
        return self->span.start; // all processes agreed
    for (uint32_t i = 0; i < self->share_count; i++)
        next = self->shares[i].next < next ? self->shares[i].next : next;
    return next;
}

// The longest window that may start now: no domain may notice in it what others do in it.
static ts_cycle window_end(const struct ts_kernel *self, ts_cycle limit)
{
    if (self->places)
        return ts_groups_end(self, limit);
    // One domain notices nobody. Its windows end so that a signal can stop it, and with a trace so that
    // a ring holds all records.
    bool alone = self->domain_count == 1 && self->trace == NULL && self->config.window == 0;
    ts_cycle end = ts_cycle_add(self->span.start, alone ? WINDOW_ALONE : self->window);
    end = end < limit ? end : limit;
    if (self->trace == NULL ||
        self->between_each) // whose windows are short, and where they end shows in it
        end = end < self->between_at ? end : self->between_at;
    for (uint32_t i = 0; i < self->share_count; i++)
        end = self->shares[i].noticed < end ? self->shares[i].noticed : end;
    return end;
}

// The first stop; in the same cycle domains come in order, and in one domain a fault comes first.
// Returns the error of a fault, NULL for a break.
static const struct ts_error *first_stop(const struct ts_kernel *self)
{
    ts_cycle at = atomic_load(&self->stop_at);
    for (uint32_t i = 0; i < self->domain_count; i++) {
        const struct ts_domain *domain = self->domains[i];
        if (domain->faulted && domain->fault_cycle == at)
            return &domain->error;
        if (domain->broke && domain->break_cycle == at)
            return NULL;
    }
    return NULL;
}

static bool anybody_waits(struct ts_kernel *self)
{
    bool waits = false;
    for (uint32_t i = 0; i < self->domain_count; i++)
        for (uint32_t j = 0; !ts_domain_absent(self->domains[i]) && j < self->domains[i]->count;
             j++)
            waits |= ts_is_blocked(self->domains[i]->components[j]);
    return !ts_kernel_all(self, !waits);
}

// A step that returned 0 without a reason: the component would stay busy forever.
static bool anybody_lost(struct ts_kernel *self)
{
    bool lost = false;
    for (uint32_t i = 0; i < self->domain_count && !lost; i++)
        for (uint32_t j = 0; j < self->domains[i]->count && !lost; j++) {
            struct ts_component *c = self->domains[i]->components[j];
            if (ts_domain_absent(c->domain) || (c->asleep != TS_AWAKE && c->asleep != TS_STALLED))
                continue;
            ts_fault(c, c->domain->last, TS_BUG, "a step returned 0 without saying why it sleeps");
            lost = true;
        }
    return !ts_kernel_all(self, !lost);
}

// A stop ends the run `stop_lag` later, in all domains at once. That is no earlier than the end of
// the window in which it came, so the result does not depend on the window.
static ts_cycle stop_end(const struct ts_kernel *self, ts_cycle limit)
{
    ts_cycle end = ts_cycle_add(atomic_load(&self->stop_at), self->stop_lag);
    return end < limit ? end : limit;
}

static enum ts_stop run_windows(struct ts_kernel *self, ts_cycle limit)
{
    for (;;) {
        bool stops = atomic_load(&self->stop_at) != TS_NEVER;
        ts_cycle next = earliest(self), until = stop_end(self, limit);
        if (next == TS_NEVER && !stops && goes_on(self))
            continue;
        if (next == TS_NEVER && !stops && anybody_lost(self))
            return TS_STOP_FAULT;
        if (next == TS_NEVER && !stops)
            return anybody_waits(self) ? TS_STOP_DEADLOCK : TS_STOP_DONE;
        if (next >= until)
            return stops ? TS_STOP_FAULT : TS_STOP_LIMIT;
        if (atomic_load_explicit(&self->stop_signal, memory_order_relaxed))
            return TS_STOP_SIGNAL;
        if (__builtin_expect(next >= self->between_at, 0))
            ts_kernel_join(self, next);
        self->span.start = next;
        self->span.until = until;
        self->span.end = window_end(self, until);
        ts_window_run(self);
        self->span.parity ^= 1;
        self->windows++;
        atomic_store_explicit(&self->reached, self->span.end, memory_order_relaxed);
        if (self->places)
            ts_groups_meet(self);
        if (self->trace && ts_kernel_is_first(self))
            ts_trace_sync(self->trace, false);
    }
}

// Nothing is due: the first cycle in which nothing has happened. Components that went ahead have gone to
// sleep in a later cycle than the cycle of their last step, unless they were halted.
static ts_cycle end_of(struct ts_domain *domain)
{
    for (uint32_t i = 0; i < domain->count; i++) {
        const struct ts_component *c = domain->components[i];
        if (c->asleep == TS_AWAKE || c->start == TS_NEVER)
            continue;
        if (c->since > domain->last)
            domain->last = c->since;
        if (c->booked > domain->last + 1)
            domain->last = c->booked - 1;
    }
    if (domain->happens > domain->last)
        domain->last = domain->happens;
    return domain->last + 1;
}

// The end of a run in a domain: behind a fault nothing happens in it.
static ts_cycle end_in(const struct ts_domain *domain, ts_cycle end)
{
    return domain->faulted && domain->fault_cycle + 1 < end ? domain->fault_cycle + 1 : end;
}

// Does the work that components deferred until the end of the run, before anything reads the results. Where
// nothing is due any more, the window in which that was found does not matter.
static void settle_domains(struct ts_kernel *self, const struct ts_run *run)
{
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        ts_cycle now = end_in(domain, run->cycle);
        if (ts_domain_absent(domain) || domain->activations == domain->at_rest)
            continue;
        if (run->stop != TS_STOP_DEADLOCK && domain->now > now)
            now = domain->now;
        for (uint32_t j = 0; j < domain->count; j++) {
            struct ts_component *c = domain->components[j];
            if (c->ops->settle)
                c->ops->settle(c, now);
        }
    }
}

void ts_kernel_audit(struct ts_kernel *self, ts_audit *audit, const void *context)
{
    self->audit = audit;
    self->audited = context;
}

void ts_kernel_pause(struct ts_kernel *self, void (*pause)(void *context), void *context)
{
    self->pause = pause;
    self->paused = context;
}

void ts_kernel_close(struct ts_kernel *self, const struct ts_run *run)
{
    if (!self->elaborated)
        return;
    bool due = run->stop != TS_STOP_DONE && run->stop != TS_STOP_DEADLOCK; // before the end
    for (uint32_t i = 0; due && i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        ts_cycle end = end_in(domain, run->cycle);
        if (ts_domain_absent(domain) || domain->activations == domain->at_rest)
            continue;
        bool waits = false;
        for (uint32_t j = 0; j < domain->count; j++) {
            struct ts_component *c = domain->components[j];
            if (c->ops->close)
                c->ops->close(c, end);
            waits = waits || (c->asleep != TS_IDLE && c->asleep != TS_FINISHED);
        }
        domain->at_rest = waits ? UINT64_MAX : domain->activations;
    }
    self->whole = self->whole && !due;
    ts_kernel_gather(self);
}

struct ts_run ts_kernel_run(struct ts_kernel *self, ts_cycle limit)
{
    struct ts_run run = ts_kernel_advance(self, limit);
    ts_kernel_close(self, &run);
    return run;
}

struct ts_run ts_kernel_advance(struct ts_kernel *self, ts_cycle limit)
{
    struct ts_run run = {0};
    if (!self->elaborated)
        ts_kernel_refuse(self, "the model is not elaborated");
    if (self->error.code != TS_OK) {
        run.stop = TS_STOP_FAULT;
        run.error = self->error;
        return run;
    }
    ts_cycle before = ts_kernel_reached(self);
    atomic_store(&self->limit, limit);
    // Between runs components may be halted, woken or given events: examine every domain again.
    atomic_store(&self->stop_at, TS_NEVER);
    self->whole = false;
    for (uint32_t i = 0; i < self->share_count; i++) {
        struct ts_share *share = &self->shares[i];
        share->next = share->sent;
        share->noticed = share->sent_noticed;
        share->lone = 0;
        for (uint32_t k = share->first; k < share->first + share->count; k++) {
            const uint32_t j = self->order[k];
            struct ts_domain *domain = self->domains[j];
            domain->broke = false;
            // A fault that followed a break of the last run is still pending.
            if (domain->faulted && !ts_domain_absent(domain) &&
                domain->fault_cycle < atomic_load(&self->stop_at))
                atomic_store(&self->stop_at, domain->fault_cycle);
            ts_window_look(self, domain);
            share->next = self->next[j] < share->next ? self->next[j] : share->next;
            share->noticed = self->noticed[j] < share->noticed ? self->noticed[j] : share->noticed;
        }
    }
    if (self->places)
        ts_groups_meet(self);
    run.stop = run_windows(self, limit);
    run.cycle = run.stop == TS_STOP_LIMIT   ? limit
                : run.stop == TS_STOP_FAULT ? stop_end(self, limit)
                                            : self->span.end;
    if (run.stop == TS_STOP_SIGNAL)
        run.signal = atomic_load(&self->stop_signal);
    if (run.cycle < before) // the limit was no later, or the signal came first
        run.cycle = before;
    if (run.stop == TS_STOP_DONE || run.stop == TS_STOP_DEADLOCK) {
        run.cycle = 0;
        for (uint32_t i = 0; i < self->domain_count; i++) {
            ts_cycle end = ts_domain_absent(self->domains[i]) ? 0 : end_of(self->domains[i]);
            run.cycle = end > run.cycle ? end : run.cycle;
        }
        run.cycle = ts_kernel_of_all(self, run.cycle, TS_ALL_MOST);
        if (run.cycle > limit) { // known before, but it has not happened yet
            run.stop = TS_STOP_LIMIT;
            run.cycle = limit;
        }
    }
    settle_domains(self, &run);
    for (uint32_t i = 0; i < self->domain_count; i++)
        if (!ts_domain_absent(self->domains[i]))
            run.activations += self->domains[i]->activations;
    run.activations = ts_kernel_of_all(self, run.activations, TS_ALL_SUM);
    if (run.stop != TS_STOP_LIMIT)
        ts_kernel_gather(self);
    if (run.stop == TS_STOP_FAULT) {
        const struct ts_error *error = first_stop(self);
        if (error)
            run.error = *error;
        else
            run.stop = TS_STOP_BREAK;
    }
    run.windows = self->windows;
    atomic_store(&self->reached, run.cycle);
    if (self->trace && ts_kernel_is_first(self))
        ts_trace_sync(self->trace, true);
    struct ts_error found = {TS_OK, ""};
    bool whole = !ts_kernel_is_cluster(self) || self->whole;
    if (self->audit && whole && run.stop != TS_STOP_FAULT &&
        self->audit(self->audited, &run, &found) != TS_OK) {
        run.stop = TS_STOP_FAULT;
        run.error = found;
    }
    if (self->pause)
        self->pause(self->paused);
    return run;
}

bool ts_kernel_quiet(const struct ts_kernel *self,
                     bool (*except)(const struct ts_component *, void *), void *context)
{
    for (uint32_t i = 0; i < self->share_count; i++)
        if (self->shares[i].sent != TS_NEVER)
            return false;
    for (uint32_t i = 0; i < self->domain_count; i++)
        for (uint32_t j = 0; !ts_domain_elsewhere(self->domains[i]) && j < self->domains[i]->count;
             j++) {
            const struct ts_component *c = self->domains[i]->components[j];
            bool scheduled = c->asleep == TS_AWAKE || c->asleep == TS_STALLED ||
                             c->when != TS_NEVER;
            if (scheduled && !except(c, context))
                return false;
        }
    return true;
}

// --- looking ---

struct ts_object *ts_kernel_objects(const struct ts_kernel *self)
{
    return self->objects;
}

size_t ts_kernel_domain_count(const struct ts_kernel *self)
{
    return self->domain_count;
}

struct ts_domain *ts_kernel_domain(const struct ts_kernel *self, size_t index)
{
    return self->domains[index];
}
