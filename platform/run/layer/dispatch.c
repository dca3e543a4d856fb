#include "platform/run/layer/layer.h"

ts_cycle ts_dispatch_cycles(const struct ts_dispatch *self, int64_t ns)
{
    return (ts_cycle)((ns * self->mhz + 500) / 1000);
}

ts_cycle ts_dispatch_cost(const struct ts_dispatch *self, const struct ts_dispatch_load *load,
                          uint64_t missing)
{
    const struct ts_dispatch_params *p = &self->params;
    int64_t ns = p->base + (self->traced ? 0 : p->host);
    if (load->configured && load->cores > 1)
        ns += p->config_many;
    else if (load->configured || load->unique)
        ns += p->config_one;
    if (load->unique)
        ns += (load->unique - 1) * p->unique + (int64_t)load->words * p->word / 1000;
    if (load->groups > 1)
        ns += (load->groups - 1) * (load->unique ? p->group_args : p->group);
    return ts_dispatch_cycles(self, ns + (int64_t)missing * p->binary / 1024);
}

static ts_cycle later(ts_cycle a, ts_cycle b)
{
    return a > b ? a : b;
}

// The end of a program by its number; programs that left the slots have ended before anything that matters.
static ts_cycle end_of(const struct ts_dispatch *self, uint64_t program)
{
    return program + TS_DISPATCH_SLOTS >= self->programs ? self->end[program % TS_DISPATCH_SLOTS]
                                                         : 0;
}

// Takes the kernel that was used longest ago out of the ring. Returns when that can be done.
static ts_cycle evict(struct ts_dispatch *self)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < self->in_ring; i++)
        if (self->ring[i].used < self->ring[oldest].used)
            oldest = i;
    const ts_cycle free = end_of(self, self->ring[oldest].used);
    self->held -= self->ring[oldest].bytes;
    self->ring[oldest] = self->ring[--self->in_ring];
    return free;
}

// A kernel of the next program, in a ring with room for `room` bytes. True: it is there already.
static bool keep(struct ts_dispatch *self, uint64_t id, uint32_t bytes, uint32_t room,
                 ts_cycle *ready)
{
    for (uint32_t i = 0; i < self->in_ring; i++)
        if (self->ring[i].id == id) {
            self->ring[i].used = self->programs;
            return self->traced; // without a trace nobody knows that it is there
        }
    while (self->in_ring && (self->held + bytes > room || self->in_ring == TS_DISPATCH_KERNELS))
        *ready = later(*ready, evict(self));
    self->ring[self->in_ring].id = id;
    self->ring[self->in_ring].used = self->programs;
    self->ring[self->in_ring++].bytes = bytes;
    self->held += bytes;
    return false;
}

ts_cycle ts_dispatch_go(struct ts_dispatch *self, const struct ts_dispatch_load *load, ts_cycle end)
{
    const uint64_t slots = (uint64_t)self->params.ahead + 1;
    const uint64_t configs = slots * load->config, ring = (uint64_t)self->params.ring;
    ts_cycle ready = self->sent;
    uint64_t missing = 0;
    if (!self->on)
        return end;
    if (self->programs >= slots) // its slot is that of a program which has to end first
        ready = later(ready, end_of(self, self->programs - slots));
    for (uint32_t i = 0; i < load->kernels; i++)
        if (!keep(self, load->id[i], load->size[i], (uint32_t)(ring > configs ? ring - configs : 0),
                  &ready))
            missing += load->size[i];
    if (self->programs == 0) { // where the clock begins
        self->sent = 0;
        return 0;
    }
    self->sent = ready + ts_dispatch_cost(self, load, missing);
    return later(self->sent, end + ts_dispatch_cycles(self, self->params.go));
}

void ts_dispatch_ended(struct ts_dispatch *self, ts_cycle end)
{
    self->end[self->programs++ % TS_DISPATCH_SLOTS] = end;
}
