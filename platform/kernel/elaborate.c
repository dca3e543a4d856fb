// Turns the parts of a model into one that runs: registers objects and domains, checks the wiring,
// and computes the reach of every component.
#include "platform/kernel/internal.h"

#define DEFAULT_WINDOW 256
#define LONGEST_GROUP  4096     // window of places
#define MAX_OBJECTS    0xfffffe // ids are 24 bits in trace records

// --- construction ---

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
    self->path = ts_kernel_formatv(kernel, domain->object.path, name, args);
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
    self->object.path = ts_kernel_formatv(kernel, NULL, name, args);
    va_end(args);
    enlist(kernel, &self->object);
    self->kernel = kernel;
    self->index = kernel->domain_count;
    self->place = kernel->place;
    self->far_first = self->sent_first = self->sent_noticed = TS_NEVER;
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
    for (uint32_t i = 0; i < self->domain_count; i++)
        if (self->domains[i]->count > TS_DOMAIN_COMPONENTS) {
            ts_kernel_refuse(self, "%s has %u components: a domain holds at most %d",
                             self->domains[i]->object.path, self->domains[i]->count,
                             TS_DOMAIN_COMPONENTS);
            return;
        }
    for (struct ts_object *object = self->objects; object; object = object->next) {
        struct ts_component *c = ts_object_component(object);
        if (c == NULL)
            continue;
        check_ports(self, c);
        c->domain->components[c->index] = c;
        c->domain->hot[c->index].at = c->ops->hot;
        c->domain->hot[c->index].bytes = c->ops->hot_bytes;
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

// The bit of a crossing FIFO in the mail of a domain; beyond 64 of them FIFOs share bits.
static uint8_t mail_bit(uint32_t index)
{
    return (uint8_t)(index % 64);
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
            fifo->writer_mail = mail_bit(ends[0]->crossing_count);
            fifo->reader_mail = mail_bit(ends[1]->crossing_count);
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

// Components at the ends of crossing FIFOs reach at most as far as these FIFOs.
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
            ts_cycle cycles = domain->components[i]->reach;
            if ((group == 0 || cycles > reach[-1].cycles) && cycles < reach->cycles)
                reach->cycles = cycles;
        }
        for (uint32_t i = 0; i < domain->count; i++)
            if (domain->components[i]->reach == reach->cycles)
                reach->components |= 1ull << i;
    }
}

// The reach of every component, and from that the longest possible window.
static void collect_reaches(struct ts_kernel *self)
{
    ts_cycle longest = 1;
    for (uint32_t i = 0; i < self->domain_count; i++)
        limit_reaches(self->domains[i]);
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        ts_cycle nearest = TS_NEVER;
        for (uint32_t j = 0; j < domain->count; j++)
            if (domain->components[j]->reach && domain->components[j]->reach < nearest)
                nearest = domain->components[j]->reach;
        for (uint32_t j = 0; j < domain->count; j++) {
            struct ts_component *c = domain->components[j];
            if (c->reach == 0)
                c->reach = domain->crossing_count == 0 ? TS_NEVER
                           : domain->reach             ? domain->reach
                                                       : ts_cycle_add(nearest, 1);
            longest = c->reach > longest ? c->reach : longest;
        }
        group_reaches(domain);
    }
    for (uint32_t i = 0; i < self->fifo_count; i++)
        ts_fifo_connect(self->fifos[i]);
    // The caller may ask for a shorter window, but the results of a run must not depend on it.
    ts_cycle most = self->config.window > DEFAULT_WINDOW ? self->config.window : DEFAULT_WINDOW;
    longest = longest < most ? longest : most;
    self->window = self->config.window && self->config.window < longest ? self->config.window
                                                                        : longest;
    ts_cycle inlet = 0;
    for (uint32_t i = 0; i < self->domain_count; i++)
        inlet = self->domains[i]->inlet > inlet ? self->domains[i]->inlet : inlet;
    self->stop_lag = self->domain_count > 1 ? longest + inlet : 1;
    if (self->places) { // what is in no FIFO between them is far away, too
        self->lookahead = self->lookahead < LONGEST_GROUP ? self->lookahead : LONGEST_GROUP;
        self->stop_lag += self->lookahead;
    }
}

static void schedule_all(struct ts_kernel *self)
{
    for (uint32_t i = 0; i < self->domain_count; i++) {
        struct ts_domain *domain = self->domains[i];
        for (uint32_t j = 0; j < domain->count; j++)
            ts_domain_schedule(domain, domain->components[j], 0);
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
    ts_groups_find(self);
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
