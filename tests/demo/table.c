// Guests at a round table: each needs the forks on both sides. With demo.polite=0 they deadlock.
//
//   guest[i] takes fork[i], then fork[i+1], eats, and gives both back; politely, the last one takes
//   them in the other order.
#include "tests/demo/demo.h"
#include "tests/demo/semaphore.h"

struct guest {
    struct ts_component base;
    struct ts_port fork[2], back[2]; // in the order they are taken
    uint32_t random;
    enum { HAS_NONE, HAS_ONE, EATS, THINKS } state;
    uint64_t meals, eaten, sum;
};

struct ts_demo {
    uint32_t count;
    struct guest *guest;
    struct ts_semaphore *fork;
};

static ts_step guest_step(struct ts_component *base, ts_cycle now)
{
    struct guest *self = (struct guest *)base;
    switch (self->state) {
    case THINKS:
        if (self->eaten == self->meals)
            return ts_finish(base, now);
        self->state = HAS_NONE;
        return 1 + (ts_bench_random(&self->random) & 7);
    case HAS_NONE:
    case HAS_ONE: {
        const struct ts_port *fork = &self->fork[self->state == HAS_ONE];
        if (!ts_semaphore_get(fork, now))
            return ts_semaphore_await_token(fork, now);
        self->state++;
        return 4; // to take a fork
    }
    case EATS:
        ts_semaphore_post(&self->back[0], now);
        ts_semaphore_post(&self->back[1], now);
        self->eaten++;
        self->sum = ts_bench_mix(self->sum, now);
        self->state = THINKS;
        return 1;
    }
    return ts_fault(base, now, TS_BUG, "state %d", (int)self->state);
}

static const struct ts_counter counters[] = {
    {"eaten", "meals", "meals eaten", offsetof(struct guest, eaten)},
    {0},
};
static const struct ts_component_ops guest_ops = {
    .kind = "guest", .step = guest_step, .counters = counters};

static struct ts_demo *build(struct ts_kernel *kernel, const struct ts_demo_params *params)
{
    struct ts_demo *self = ts_kernel_alloc(kernel, sizeof *self);
    struct ts_domain *domain = ts_domain_new(kernel, "table");
    uint32_t count = self->count = params->workers < 2 ? 2 : (uint32_t)params->workers;
    self->guest = ts_kernel_alloc(kernel, count * sizeof *self->guest);
    self->fork = ts_kernel_alloc(kernel, count * sizeof *self->fork);
    for (uint32_t i = 0; i < count; i++)
        ts_semaphore_init(&self->fork[i], domain, 1, 1, "fork[%u]", i);
    for (uint32_t i = 0; i < count; i++) {
        struct guest *guest = &self->guest[i];
        ts_component_init(&guest->base, &guest_ops, domain, "guest[%u]", i);
        bool other = params->polite && i == count - 1;
        for (int j = 0; j < 2; j++) {
            struct ts_object *fork = &self->fork[(i + (j != other)) % count].object;
            ts_port_init(&guest->fork[j], &guest->base, TS_OBJECT_SEMAPHORE, TS_IN,
                         j ? "second" : "first");
            ts_port_init(&guest->back[j], &guest->base, TS_OBJECT_SEMAPHORE, TS_OUT,
                         j ? "give second" : "give first");
            ts_bind(&guest->fork[j], fork);
            ts_bind(&guest->back[j], fork);
        }
        guest->random = ((uint32_t)params->seed + i) * 2654435761u;
        guest->meals = (uint64_t)params->words;
    }
    return self;
}

static uint64_t checksum(const struct ts_demo *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->count; i++)
        sum = ts_bench_mix(sum, self->guest[i].sum);
    return sum;
}

const struct ts_demo_model ts_demo_table = {
    .name = "table",
    .text = "guests at a round table: semaphores; with demo.polite=0 a deadlock",
    .build = build,
    .checksum = checksum,
};
