#include "platform/kernel/internal.h"

#define MAX_DEPTH (1u << 24)

void ts_fifo_init(struct ts_fifo *self, struct ts_domain *domain, uint32_t depth, size_t size,
                  ts_cycle latency, const char *name, ...)
{
    struct ts_kernel *kernel = domain->kernel;
    va_list args;
    va_start(args, name);
    ts_object_register(&self->object, domain, TS_OBJECT_FIFO, name, args);
    va_end(args);
    self->depth = depth;
    self->size = (uint32_t)size;
    self->latency = self->room_latency = latency;
    self->pop_cycle = TS_NEVER;
    if (depth == 0 || depth > MAX_DEPTH || size == 0)
        ts_kernel_refuse(kernel, "%s: a FIFO needs a depth and a word size", self->object.path);
    if (latency == 0)
        ts_kernel_refuse(kernel, "%s: the latency of a FIFO is at least 1 cycle",
                         self->object.path);
    if (kernel->fifo_count == kernel->fifo_room) {
        uint32_t room = kernel->fifo_room ? 2 * kernel->fifo_room : 64;
        struct ts_fifo **fifos = ts_kernel_alloc(kernel, room * sizeof *fifos);
        if (fifos == NULL)
            return;
        if (kernel->fifo_count)
            memcpy(fifos, kernel->fifos, kernel->fifo_count * sizeof *fifos);
        kernel->fifos = fifos;
        kernel->fifo_room = room;
    }
    kernel->fifos[kernel->fifo_count++] = self;
}

void ts_fifo_bell(struct ts_fifo *self, bool *bell)
{
    self->bell = bell;
}

void ts_fifo_parcel(struct ts_fifo *self, const struct ts_parcel *parcel)
{
    self->parcel = parcel;
}

void ts_fifo_room_latency(struct ts_fifo *self, ts_cycle latency)
{
    self->room_latency = latency;
    if (latency == 0)
        ts_kernel_refuse(self->object.domain->kernel, "%s: room travels for at least 1 cycle",
                         self->object.path);
}

void ts_fifo_elaborate(struct ts_fifo *self)
{
    struct ts_kernel *kernel = self->object.domain->kernel;
    const char *path = self->object.path;
    for (struct ts_port *port = self->object.ports; port; port = port->next_of_channel) {
        struct ts_component *owner = port->owner;
        if (port->direction == TS_IN) {
            if (self->reader)
                ts_kernel_refuse(kernel, "%s: has two readers, %s and %s", path,
                                 ts_path(self->reader), ts_path(owner));
            self->reader = owner;
            continue;
        }
        if (self->writer)
            ts_kernel_refuse(kernel, "%s: has two writers, %s and %s", path, ts_path(self->writer),
                             ts_path(owner));
        if (owner->domain != self->object.domain)
            ts_kernel_refuse(kernel, "%s: its writer %s is in another domain", path,
                             ts_path(owner));
        if (self->writer == NULL)
            self->writer = owner;
    }
    if (self->reader == NULL || self->writer == NULL) {
        ts_kernel_refuse(kernel, "%s: has no %s", path, self->reader ? "writer" : "reader");
        return;
    }
    self->crossing = self->reader->domain != self->object.domain;
    self->cut = self->crossing && self->reader->domain->place != self->object.domain->place;
    ts_kernel_place(kernel, self->object.domain->place);
    uint32_t slots = 1;
    while (slots < self->depth && slots < MAX_DEPTH)
        slots *= 2;
    self->mask = slots - 1;
    self->stride = (uint32_t)(sizeof(ts_cycle) + (self->size + 7u) / 8 * 8);
    self->slots = ts_kernel_alloc(kernel, (size_t)slots * self->stride);
    if (self->crossing)
        self->credit_at = ts_kernel_alloc(kernel, slots * sizeof *self->credit_at);
    ts_kernel_place(kernel, 0);
}

void ts_fifo_connect(struct ts_fifo *self)
{
    self->reader_index = self->reader->domain->index;
    self->reader_reach = ts_cycle_short(self->reader->reach);
    self->writer_index = self->object.domain->index;
    self->writer_reach = ts_cycle_short(self->writer->reach);
}

bool ts_fifo_refuse(const struct ts_port *port, ts_cycle now, const char *verb)
{
    ts_port_misuse(port, now, verb);
    return false;
}

void ts_fifo_refuse_size(const struct ts_port *port, const struct ts_fifo *self, ts_cycle now,
                         size_t size)
{
    ts_fault(port->owner, now, TS_BUG, "port '%s': a word of %zu bytes, but those of %s have %u",
             port->name, size, self->object.path, self->size);
}

bool ts_fifo_room_crossing(struct ts_fifo *self, ts_cycle now)
{
    uint32_t before = self->freed;
    while (self->freed != self->credits && self->credit_at[self->freed & self->mask] <= now)
        self->freed++;
    if (self->freed != before)
        ts_trace_count(&self->object, now, self->pushed - self->freed);
    return self->pushed - self->freed < self->depth;
}

static void note_sent(struct ts_domain *domain, ts_cycle at, uint32_t reach)
{
    ts_cycle noticed = ts_cycle_add(at, reach);
    if (at < domain->sent_first)
        domain->sent_first = at;
    if (noticed < domain->sent_noticed)
        domain->sent_noticed = noticed;
}

void ts_fifo_pushed_crossing(struct ts_fifo *self, ts_cycle now)
{
    struct ts_domain *domain = self->object.domain;
    if (self->cut)
        return; // the kernel looks at the end of its window
    ts_crosses(self->writer, now, now + self->latency);
    note_sent(domain, now + self->latency, self->reader_reach);
    if (!self->dirty_writer) {
        self->dirty_writer = true;
        self->next_dirty_writer = domain->dirty_writer;
        domain->dirty_writer = self;
    }
}

void ts_fifo_popped_crossing(struct ts_fifo *self, ts_cycle now)
{
    struct ts_domain *domain = self->reader->domain;
    ts_cycle at = now + self->room_latency;
    self->credit_at[(self->popped - 1) & self->mask] = at;
    if (self->cut)
        return;
    ts_crosses(self->reader, now, at);
    note_sent(domain, at, self->writer_reach);
    if (!self->dirty_reader) {
        self->dirty_reader = true;
        self->next_dirty_reader = domain->dirty_reader;
        domain->dirty_reader = self;
    }
}

ts_cycle ts_fifo_next_word(const struct ts_fifo *self)
{
    if (ts_fifo_empty(self))
        return TS_NEVER;
    ts_cycle ready;
    memcpy(&ready, ts_fifo_slot(self, self->popped), sizeof ready);
    return ready;
}

// A word or room that came while its reader or writer did not look may be old.
static ts_cycle not_before(ts_cycle at, const struct ts_domain *domain)
{
    return at > domain->now ? at : domain->now;
}

void ts_fifo_absorb_words(struct ts_fifo *self, uint32_t parity)
{
    if ((int32_t)(self->published[parity] - self->arrived) <= 0)
        return;
    struct ts_component *reader = self->reader;
    reader->inbound += self->published[parity] - self->arrived;
    self->arrived = self->published[parity];
    if (self->bell)
        *self->bell = true;
    if (reader->asleep != TS_AWAKE &&
        (reader->on == &self->object || reader->asleep == TS_IDLE || reader->asleep == TS_ALERT))
        ts_wake(reader, not_before(ts_fifo_next_word(self), reader->domain));
}

void ts_fifo_absorb_room(struct ts_fifo *self, uint32_t parity)
{
    if ((int32_t)(self->returned[parity] - self->credits) <= 0)
        return;
    self->credits = self->returned[parity];
    ts_cycle at = not_before(self->credit_at[self->freed & self->mask], self->object.domain);
    for (const struct ts_port *port = self->object.ports; port; port = port->next_of_channel)
        if (port->direction == TS_OUT && port->owner->on == &self->object)
            ts_wake(port->owner, at);
}

ts_step ts_fifo_await_room(const struct ts_port *port, ts_cycle now)
{
    struct ts_fifo *self = port->out;
    if (self == NULL)
        return ts_fifo_refuse(port, now, "wait for room in");
    ts_block(port->owner, now, TS_STALL_FIFO_FULL, &self->object);
    if (self->crossing) {
        ts_fifo_room_crossing(self, now);
        if (self->freed != self->credits)
            ts_wake(port->owner, self->credit_at[self->freed & self->mask]);
    } else if (self->pop_cycle == now) {
        ts_wake(port->owner, now + 1);
    }
    return 0;
}
