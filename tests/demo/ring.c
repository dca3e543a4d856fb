// Stations in a ring, a domain each: words travel a random number of hops in FIFOs that cross
// between domains.
//
//   station[0] --link--> station[1] --link--> ... --link--> station[n-1] --link--> station[0]
//
// A station forwards what is not for it before it sends a word of its own, and sends one only while
// two places are free: the ring can never fill up, so it cannot deadlock.
#include "platform/kernel/fifo.h"
#include "tests/demo/demo.h"

struct word {
    uint32_t hops; // still to go
    uint32_t load;
};

struct station {
    struct ts_component base;
    struct ts_port in, out;
    struct ts_fifo link;
    uint32_t random;
    uint32_t stations;
    uint64_t to_send;
    uint64_t sent, forwarded, received, sum;
};

struct ts_demo {
    uint32_t count;
    struct station **station;
};

static ts_step station_step(struct ts_component *base, ts_cycle now)
{
    struct station *self = (struct station *)base;
    const struct word *head = ts_fifo_head(&self->in, now);
    if (head && head->hops == 0) {
        self->received++;
        self->sum = ts_bench_mix(self->sum, head->load + now);
        ts_fifo_drop(&self->in, now);
        return 1;
    }
    if (head) {
        struct word word = *head;
        word.hops--;
        if (!TS_FIFO_PUSH(&self->out, now, word))
            return ts_fifo_await_room(&self->out, now);
        ts_fifo_drop(&self->in, now);
        self->forwarded++;
        return 1;
    }
    if (self->to_send == 0)
        return ts_idle(base, now);
    if (!ts_fifo_writable(&self->out, now) || ts_fifo_level(&self->link) + 2 > self->link.depth)
        return ts_fifo_next_word(self->in.in) == TS_NEVER ? ts_fifo_await_room(&self->out, now)
                                                          : ts_idle(base, now);
    struct word word = {.hops = ts_bench_random(&self->random) % self->stations};
    word.load = self->random;
    TS_FIFO_PUSH(&self->out, now, word);
    self->to_send--;
    self->sent++;
    return 1 + (ts_bench_random(&self->random) & 15);
}

static const struct ts_counter counters[] = {
    {"sent", "words", "words of its own", offsetof(struct station, sent)},
    {"forwarded", "words", "words of others", offsetof(struct station, forwarded)},
    {"received", "words", "words for it", offsetof(struct station, received)},
    {0},
};
static const struct ts_component_ops station_ops = {
    .kind = "station", .step = station_step, .counters = counters};

static struct ts_demo *build(struct ts_kernel *kernel, const struct ts_demo_params *params)
{
    struct ts_demo *self = ts_kernel_alloc(kernel, sizeof *self);
    self->count = params->tiles < 2 ? 2 : (uint32_t)params->tiles;
    self->station = ts_kernel_alloc(kernel, self->count * sizeof *self->station);
    for (uint32_t i = 0; i < self->count; i++) {
        struct station *station = self->station[i] = ts_kernel_alloc(kernel, sizeof *station);
        struct ts_domain *domain = ts_domain_new(kernel, "stop[%u]", i);
        ts_component_init(&station->base, &station_ops, domain, "station");
        ts_port_init(&station->in, &station->base, TS_OBJECT_FIFO, TS_IN, "in");
        ts_port_init(&station->out, &station->base, TS_OBJECT_FIFO, TS_OUT, "out");
        ts_fifo_init(&station->link, domain, (uint32_t)params->link_depth + 1, sizeof(struct word),
                     (ts_cycle)params->hop, "link");
        ts_bind(&station->out, &station->link.object);
        station->random = ((uint32_t)params->seed + i) * 2654435761u;
        station->stations = self->count;
        station->to_send = (uint64_t)params->words;
    }
    for (uint32_t i = 0; i < self->count; i++)
        ts_bind(&self->station[(i + 1) % self->count]->in, &self->station[i]->link.object);
    return self;
}

static uint64_t checksum(const struct ts_demo *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->count; i++)
        sum = ts_bench_mix(ts_bench_mix(sum, self->station[i]->sum), self->station[i]->received);
    return sum;
}

const struct ts_demo_model ts_demo_ring = {
    .name = "ring",
    .text = "stations in a ring, a domain each: FIFOs that cross, back-pressure, idle ends",
    .build = build,
    .checksum = checksum,
};
