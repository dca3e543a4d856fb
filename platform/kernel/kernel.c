#include "platform/kernel/kernel.h"

#include "platform/kernel/internal.h"
#include "platform/kernel/list_wheel.h"
#include "platform/kernel/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFAULT_WINDOW 256
#define MAX_THREADS    256
#define MAX_OBJECTS    0xfffffe // ids are 24 bits in trace records
#define CHUNK_BYTES    (256u * 1024)
#define ALIGNMENT      128u           // domains and shares must not share a cache line
#define HUGE_BYTES     (2048u * 1024) // a large model's chunks: one page each, where the host has such
#define LARGE_CHUNKS   4              // from so many on a model is large
#define WAY_BYTES      (128u * 1024) // of a host's cache: what is that far apart wants the same lines

struct ts_chunk {
    struct ts_chunk *next;
    size_t used, room;
    max_align_t bytes[];
};

static const char *const stop_names[] = {
    [TS_STOP_DONE] = "done",   [TS_STOP_LIMIT] = "limit", [TS_STOP_DEADLOCK] = "deadlock",
    [TS_STOP_FAULT] = "fault", [TS_STOP_BREAK] = "break", [TS_STOP_SIGNAL] = "signal",
};

const char *ts_stop_name(enum ts_stop stop)
{
    return stop_names[stop];
}

// --- construction ---

struct ts_kernel *ts_kernel_new(const struct ts_kernel_config *config)
{
    struct ts_kernel *self = aligned_alloc(ALIGNMENT, sizeof *self);
    if (self == NULL)
        return NULL;
    memset(self, 0, sizeof *self);
    self->spare.kernel = self;
    self->spare.object = (struct ts_object){.domain = &self->spare, .path = ""};
    self->config = *config;
    self->objects_end = &self->objects;
    if (config->threads < 1 || config->threads > MAX_THREADS)
        ts_kernel_refuse(self, "%u threads: must be 1 to %d", config->threads, MAX_THREADS);
    return self;
}

void ts_kernel_free(struct ts_kernel *self)
{
    if (self == NULL)
        return;
    ts_workers_stop(self);
    for (struct ts_chunk *chunk = self->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(self);
}

// Threads go from tile to tile in every window: with small pages that is more pages than a host
// keeps translations for.
static struct ts_chunk *add_chunk(struct ts_kernel *self, size_t bytes)
{
    struct ts_chunk *chunk;
    size_t size = sizeof *chunk + (bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES), colour = 0;
    if (self->chunk_count < LARGE_CHUNKS) {
        chunk = calloc(1, size);
        if (chunk == NULL)
            return NULL;
    } else {
        // Goes on where the last chunk ended, modulo a way: equal parts of a model, its tiles, are
        // not to lie at equal places of their pages.
        colour = self->chunks->used % WAY_BYTES;
        size = (size + colour + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
        chunk = aligned_alloc(HUGE_BYTES, size);
        if (chunk == NULL)
            return NULL;
        madvise(chunk, size, MADV_HUGEPAGE); // a wish
        memset(chunk, 0, size);
    }
    chunk->used = colour;
    chunk->room = size - sizeof *chunk - ALIGNMENT;
    chunk->next = self->chunks;
    self->chunks = chunk;
    self->chunk_count++;
    return chunk;
}

void *ts_kernel_alloc(struct ts_kernel *self, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct ts_chunk *chunk = self->chunks;
    if (chunk == NULL || chunk->used + bytes > chunk->room)
        chunk = add_chunk(self, bytes + ALIGNMENT);
    if (chunk == NULL) {
        ts_fail(&self->error, TS_NO_MEMORY, "out of memory for the model");
        return NULL;
    }
    uintptr_t base = ((uintptr_t)chunk->bytes + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    void *memory = (char *)base + chunk->used;
    chunk->used += bytes;
    return memory;
}

void ts_kernel_spread(struct ts_kernel *self)
{
    // An odd number of steps from the last one: so the parts go through all places of a way.
    if (self->chunks && (self->chunks->used - self->spread) / ALIGNMENT % 2 == 0)
        ts_kernel_alloc(self, 1);
    self->spread = self->chunks ? self->chunks->used : 0;
}

// "parent.name", or "name" without a parent.
static char *format_in(struct ts_kernel *self, const char *parent, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t before = parent ? strlen(parent) + 1 : 0;
    char *text = ts_kernel_alloc(self, before + (size_t)length + 1);
    if (text == NULL)
        return self->no_name;
    if (parent)
        sprintf(text, "%s.", parent);
    vsnprintf(text + before, (size_t)length + 1, format, args);
    return text;
}

char *ts_kernel_format(struct ts_kernel *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = format_in(self, NULL, format, args);
    va_end(args);
    return text;
}

void ts_kernel_refuse(struct ts_kernel *self, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ts_failv(&self->error, TS_SETUP, format, args);
    va_end(args);
}

static void enlist(struct ts_kernel *kernel, struct ts_object *object)
{
    object->id = kernel->object_count++;
    *kernel->objects_end = object;
    kernel->objects_end = &object->next;
    if (kernel->elaborated)
        ts_kernel_refuse(kernel, "%s: made after elaboration", object->path);
}

void ts_object_register(struct ts_object *self, struct ts_domain *domain, enum ts_object_kind kind,
                        const char *name, va_list args)
{
    struct ts_kernel *kernel = domain->kernel;
    *self = (struct ts_object){.domain = domain, .kind = kind};
    self->path = format_in(kernel, domain->object.path, name, args);
    enlist(kernel, self);
}

struct ts_domain *ts_domain_new(struct ts_kernel *kernel, const char *name, ...)
{
    if (kernel->domain_count == kernel->domain_room) {
        uint32_t room = kernel->domain_room ? 2 * kernel->domain_room : 16;
        struct ts_domain **domains = ts_kernel_alloc(kernel, room * sizeof *domains);
        if (domains == NULL)
            return &kernel->spare;
        if (kernel->domain_count)
            memcpy(domains, kernel->domains, kernel->domain_count * sizeof *domains);
        kernel->domains = domains;
        kernel->domain_room = room;
    }
    struct ts_domain *self = ts_kernel_alloc(kernel, sizeof *self);
    if (self == NULL)
        return &kernel->spare;
    va_list args;
    va_start(args, name);
    self->object = (struct ts_object){.domain = self, .kind = TS_OBJECT_RESOURCE};
    self->object.path = format_in(kernel, NULL, name, args);
    va_end(args);
    enlist(kernel, &self->object);
    self->kernel = kernel;
    self->index = kernel->domain_count;
    self->far_first = self->sent_first = self->sent_noticed = TS_NEVER;
    self->running = UINT32_MAX;
    kernel->domains[kernel->domain_count++] = self;
    return self;
}

struct ts_kernel *ts_domain_kernel(const struct ts_domain *self)
{
    return self->kernel;
}

// --- elaboration ---

static void check_ports(struct ts_kernel *self, const struct ts_component *c)
{
    for (const struct ts_port *port = c->ports; port; port = port->next_of_owner) {
        if (port->channel == NULL) {
            if (!port->optional)
                ts_kernel_refuse(self, "%s: port '%s' is not bound", ts_path(c), port->name);
            continue;
        }
        if (port->kind != TS_OBJECT_FIFO && port->channel->domain != c->domain)
            ts_kernel_refuse(
                self, "%s: port '%s' is bound to %s, which is in another domain: only FIFOs cross",
                ts_path(c), port->name, port->channel->path);
    }
}

static void collect_components(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        domain->all = ts_kernel_alloc(self, (domain->count + 1) * sizeof *domain->all);
        if (domain->count > TS_MASK_COMPONENTS)
            domain->list = ts_list_wheel_new(self, domain->count);
        if (self->error.code == TS_NO_MEMORY)
            return;
    }
    for (struct ts_object *object = self->objects; object; object = object->next) {
        struct ts_component *c = ts_object_component(object);
        if (c == NULL)
            continue;
        check_ports(self, c);
        c->domain->all[c->index] = c;
        if (c->domain->list == NULL)
            c->domain->components[c->index] = c;
    }
}

static int by_path(const void *a, const void *b)
{
    return strcmp((*(struct ts_object *const *)a)->path, (*(struct ts_object *const *)b)->path);
}

// A path names one thing: messages, stats and traces rely on it.
static void check_paths(struct ts_kernel *self)
{
    struct ts_object **all = ts_kernel_alloc(self, self->object_count * sizeof *all);
    if (all == NULL)
        return;
    uint32_t count = 0;
    for (struct ts_object *object = self->objects; object; object = object->next)
        all[count++] = object;
    qsort(all, count, sizeof *all, by_path);
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(all[i - 1]->path, all[i]->path) == 0)
            ts_kernel_refuse(self, "%s: the name of a %s and of a %s", all[i]->path,
                             ts_object_kind_name(all[i - 1]->kind),
                             ts_object_kind_name(all[i]->kind));
}

// Every domain gets the list of its crossing FIFOs.
static void collect_crossings(struct ts_kernel *self)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < self->fifo_count; i++) {
            struct ts_fifo *fifo = self->fifos[i];
            if (!fifo->crossing)
                continue;
            struct ts_domain *ends[2] = {fifo->object.domain, fifo->reader->domain};
            for (int end = 0; end < 2; end++) {
                if (pass == 1)
                    ends[end]->crossing[ends[end]->crossing_count] = fifo;
                ends[end]->crossing_count++;
            }
        }
        for (uint32_t i = 0; pass == 0 && i < self->domain_count; i++) {
            struct ts_domain *domain = self->domains[i];
            domain->crossing = ts_kernel_alloc(self, (domain->crossing_count + 1) *
                                                         sizeof *domain->crossing);
            if (domain->crossing == NULL)
                return;
            domain->crossing_count = 0;
        }
    }
}

// The components at the ends of crossing FIFOs reach as far as these, at the most.
static void limit_reaches(struct ts_domain *domain)
{
    for (uint32_t i = 0; i < domain->crossing_count; i++) {
        struct ts_fifo *fifo = domain->crossing[i];
        for (struct ts_port *port = fifo->object.ports; port; port = port->next_of_channel) {
            struct ts_component *c = port->owner;
            ts_cycle latency = port->direction == TS_IN ? fifo->room_latency : fifo->latency;
            if (c->reach == 0 || c->reach > latency)
                c->reach = latency;
        }
    }
}

// Groups the components of a domain by their reach; those of the last group may have longer ones.
static void group_reaches(struct ts_domain *domain)
{
    for (uint32_t group = 0; group < TS_REACHES; group++) {
        struct ts_reach *reach = &domain->reaches[group];
        *reach = (struct ts_reach){.cycles = TS_NEVER};
        for (uint32_t i = 0; i < domain->count; i++) {
            ts_cycle cycles = domain->all[i]->reach;
            if ((group == 0 || cycles > reach[-1].cycles) && cycles < reach->cycles)
                reach->cycles = cycles;
        }
        for (uint32_t i = 0; i < domain->count && domain->list == NULL; i++)
            if (domain->all[i]->reach == reach->cycles)
                reach->components |= 1ull << i;
    }
}

// How far every component reaches, and so how long a window can be at the most.
static void collect_reaches(struct ts_kernel *self)
{
    ts_cycle longest = 1;
    for (uint32_t i = 0; i < self->domain_count; i++)
        limit_reaches(self->domains[i]);
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        ts_cycle nearest = TS_NEVER;
        for (uint32_t j = 0; j < domain->count; j++)
            if (domain->all[j]->reach && domain->all[j]->reach < nearest)
                nearest = domain->all[j]->reach;
        for (uint32_t j = 0; j < domain->count; j++) {
            struct ts_component *c = domain->all[j];
            if (c->reach == 0)
                c->reach = domain->crossing_count == 0 ? TS_NEVER
                           : domain->reach             ? domain->reach
                                                       : ts_cycle_add(nearest, 1);
            longest = c->reach > longest ? c->reach : longest;
        }
        group_reaches(domain);
    }
    // A shorter window may be asked for, but what is seen of a run must not depend on it.
    ts_cycle most = self->config.window > DEFAULT_WINDOW ? self->config.window : DEFAULT_WINDOW;
    longest = longest < most ? longest : most;
    self->window = self->config.window && self->config.window < longest ? self->config.window
                                                                        : longest;
    ts_cycle inlet = 0;
    for (uint32_t i = 0; i < self->domain_count; i++)
        inlet = self->domains[i]->inlet > inlet ? self->domains[i]->inlet : inlet;
    self->stop_lag = self->domain_count > 1 ? longest + inlet : 1;
}

static void schedule_all(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        for (uint32_t j = 0; j < domain->count; j++)
            ts_domain_schedule(domain, domain->all[j], 0);
    }
}

enum ts_code ts_kernel_elaborate(struct ts_kernel *self, struct ts_error *error)
{
    if (self->elaborated)
        return ts_fail(error, TS_SETUP, "the model is elaborated already");
    if (self->error.code == TS_NO_MEMORY) { // parts of the model are missing
        *error = self->error;
        return error->code;
    }
    if (self->domain_count == 0)
        ts_kernel_refuse(self, "the model has no domain");
    if (self->object_count > MAX_OBJECTS)
        ts_kernel_refuse(self, "the model has %u objects: at most %d", self->object_count,
                         MAX_OBJECTS);
    for (uint32_t i = 0; i < self->fifo_count; i++)
        ts_fifo_elaborate(self->fifos[i]);
    collect_components(self);
    check_paths(self);
    if (self->error.code == TS_OK)
        collect_crossings(self);
    if (self->error.code != TS_OK) {
        *error = self->error;
        return error->code;
    }
    collect_reaches(self);
    schedule_all(self);
    atomic_store(&self->stop_at, TS_NEVER);
    self->next = ts_kernel_alloc(self, self->domain_count * sizeof *self->next);
    self->noticed = ts_kernel_alloc(self, self->domain_count * sizeof *self->noticed);
    for (int parity = 0; parity < 2; parity++)
        self->mail[parity] = ts_kernel_alloc(self, self->domain_count * sizeof *self->mail[0]);
    if (self->error.code == TS_OK && !ts_workers_start(self))
        ts_kernel_refuse(self, "cannot start %u threads", self->config.threads);
    if (self->error.code != TS_OK) {
        *error = self->error;
        return error->code;
    }
    self->elaborated = true;
    return TS_OK;
}

void ts_kernel_trace(struct ts_kernel *self, struct ts_trace *trace)
{
    self->trace = trace;
    for (struct ts_object *object = self->objects; object; object = object->next)
        object->trace = trace ? ts_trace_ring(trace, object->domain->index) : NULL;
}

size_t ts_kernel_trace_records(const struct ts_kernel *self)
{
    // In a cycle a component may end an episode, begin another and name its work; a channel may
    // change twice.
    size_t most = 0;
    size_t *objects = calloc(self->domain_count, sizeof *objects);
    if (objects == NULL)
        return 0;
    for (const struct ts_object *object = self->objects; object; object = object->next)
        objects[object->domain->index] += object->kind == TS_OBJECT_COMPONENT ? 4 : 2;
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

ts_cycle ts_kernel_limit(const struct ts_kernel *self)
{
    return atomic_load_explicit(&self->limit, memory_order_relaxed);
}

static ts_cycle earliest(const struct ts_kernel *self)
{
    ts_cycle next = TS_NEVER;
    for (uint32_t i = 0; i < self->config.threads; i++)
        next = self->shares[i].next < next ? self->shares[i].next : next;
    return next;
}

// How long the window may be that starts now: nobody may notice in it what others do in it.
static ts_cycle window_end(const struct ts_kernel *self, ts_cycle limit)
{
    ts_cycle end = ts_cycle_add(self->start, self->window);
    end = end < limit ? end : limit;
    for (uint32_t i = 0; i < self->config.threads; i++)
        end = self->shares[i].noticed < end ? self->shares[i].noticed : end;
    return end;
}

// Which stop was the first; those of the same cycle go by domain, and of one domain a fault is
// first. The error of a fault, NULL for a break.
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

static bool anybody_waits(const struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->domain_count; i++)
        for (uint32_t j = 0; j < self->domains[i]->count; j++)
            if (ts_is_blocked(self->domains[i]->all[j]))
                return true;
    return false;
}

// A step that returned 0 and did not say why: the component would be busy for ever.
static bool anybody_lost(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->domain_count; i++)
        for (uint32_t j = 0; j < self->domains[i]->count; j++) {
            struct ts_component *c = self->domains[i]->all[j];
            if (c->asleep == TS_AWAKE || c->asleep == TS_STALLED) {
                ts_fault(c, c->domain->last, TS_BUG,
                         "a step returned 0 without saying why it sleeps");
                return true;
            }
        }
    return false;
}

// A stop ends the run `stop_lag` later, in all domains at once: that is no earlier than the end of
// the window in which it came, so it does not matter which window that was.
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
        if (next == TS_NEVER && !stops && anybody_lost(self))
            return TS_STOP_FAULT;
        if (next == TS_NEVER && !stops)
            return anybody_waits(self) ? TS_STOP_DEADLOCK : TS_STOP_DONE;
        if (next >= until)
            return stops ? TS_STOP_FAULT : TS_STOP_LIMIT;
        if (atomic_load_explicit(&self->stop_signal, memory_order_relaxed))
            return TS_STOP_SIGNAL;
        self->start = next;
        self->until = until;
        self->end = window_end(self, until);
        ts_window_run(self);
        self->parity ^= 1;
        self->windows++;
        atomic_store_explicit(&self->reached, self->end, memory_order_relaxed);
        if (self->trace)
            ts_trace_sync(self->trace, false);
    }
}

// What components have put off until `end` is done before anybody looks.
static void settle(struct ts_kernel *self, ts_cycle end)
{
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        ts_cycle now = domain->now > end ? domain->now : end;
        for (uint32_t j = 0; j < domain->count; j++) {
            struct ts_component *c = domain->all[j];
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
    if (!self->elaborated || run->stop == TS_STOP_DONE || run->stop == TS_STOP_DEADLOCK)
        return; // nobody has anything to do before the end
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        ts_cycle end = run->cycle;
        if (domain->faulted && domain->fault_cycle + 1 < end)
            end = domain->fault_cycle + 1;
        for (uint32_t j = 0; j < domain->count; j++) {
            struct ts_component *c = domain->all[j];
            if (c->ops->close)
                c->ops->close(c, end);
        }
    }
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
    // Between runs components may have been halted, woken or given events: look at every domain
    // afresh.
    atomic_store(&self->stop_at, TS_NEVER);
    for (uint32_t i = 0; i < self->config.threads; i++) {
        struct ts_share *share = &self->shares[i];
        share->next = share->sent;
        share->noticed = share->sent_noticed;
        for (uint32_t j = share->first; j < share->first + share->count; j++) {
            struct ts_domain *domain = self->domains[j];
            domain->broke = false;
            // A fault behind a break of the last run still stands.
            if (domain->faulted && domain->fault_cycle < atomic_load(&self->stop_at))
                atomic_store(&self->stop_at, domain->fault_cycle);
            ts_window_look(self, domain);
            share->next = self->next[j] < share->next ? self->next[j] : share->next;
            share->noticed = self->noticed[j] < share->noticed ? self->noticed[j] : share->noticed;
        }
    }
    run.stop = run_windows(self, limit);
    run.cycle = run.stop == TS_STOP_LIMIT   ? limit
                : run.stop == TS_STOP_FAULT ? stop_end(self, limit)
                                            : self->end;
    if (run.stop == TS_STOP_FAULT) {
        const struct ts_error *error = first_stop(self);
        if (error)
            run.error = *error;
        else
            run.stop = TS_STOP_BREAK;
    }
    if (run.stop == TS_STOP_SIGNAL)
        run.signal = atomic_load(&self->stop_signal);
    if (run.cycle < before) // the limit was no later, or the signal came first
        run.cycle = before;
    if (run.stop == TS_STOP_DONE || run.stop == TS_STOP_DEADLOCK) {
        run.cycle = 0;
        for (uint32_t i = 0; i < self->domain_count; i++)
            if (self->domains[i]->last + 1 > run.cycle)
                run.cycle = self->domains[i]->last + 1;
    }
    settle(self, run.cycle);
    for (uint32_t i = 0; i < self->domain_count; i++)
        run.activations += self->domains[i]->activations;
    run.windows = self->windows;
    atomic_store(&self->reached, run.cycle);
    if (self->trace)
        ts_trace_sync(self->trace, true);
    struct ts_error found = {TS_OK, ""};
    if (self->audit && run.stop != TS_STOP_FAULT &&
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
    for (uint32_t i = 0; i < self->config.threads; i++)
        if (self->shares[i].sent != TS_NEVER)
            return false;
    for (uint32_t i = 0; i < self->domain_count; i++)
        for (uint32_t j = 0; j < self->domains[i]->count; j++) {
            const struct ts_component *c = self->domains[i]->all[j];
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
