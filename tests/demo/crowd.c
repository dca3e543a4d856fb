// A crowd in one domain, as many as it holds: workers share a few desks and sleep for long.
//
//   worker[0..n-1] --get/post--> desks (semaphore)
//
// A worker naps 1 to 10000 cycles, takes a desk, works 1 to 100 cycles, gives it back. Naps reach
// far beyond the slots of the wheel.
#include "tests/demo/demo.h"
#include "tests/demo/semaphore.h"

#define DESKS  7
#define ROUNDS 100 // words per round of a worker

struct worker {
    struct ts_component base;
    struct ts_port get, post;
    uint32_t random;
    enum { NAPS, WANTS, WORKS } state;
    uint64_t rounds, done, sum;
};

struct ts_demo {
    uint32_t count;
    struct worker *worker;
    struct ts_semaphore desks;
};

static ts_step worker_step(struct ts_component *base, ts_cycle now)
{
    struct worker *self = (struct worker *)base;
    switch (self->state) {
    case NAPS:
        if (self->done == self->rounds)
            return ts_finish(base, now);
        self->state = WANTS;
        return 1 + ts_bench_random(&self->random) % 10000;
    case WANTS:
        if (!ts_semaphore_get(&self->get, now))
            return ts_semaphore_await_token(&self->get, now);
        self->state = WORKS;
        return 1 + ts_bench_random(&self->random) % 100;
    case WORKS:
        ts_semaphore_post(&self->post, now);
        self->done++;
        self->sum = ts_bench_mix(self->sum, now);
        self->state = NAPS;
        return 1;
    }
    return ts_fault(base, now, TS_BUG, "state %d", (int)self->state);
}

static const struct ts_counter counters[] = {
    {"done", "rounds", "times it has worked", offsetof(struct worker, done)},
    {0},
};
static const struct ts_component_ops worker_ops = {
    .kind = "worker", .step = worker_step, .counters = counters};

static struct ts_demo *build(struct ts_kernel *kernel, const struct ts_demo_params *params)
{
    struct ts_demo *self = ts_kernel_alloc(kernel, sizeof *self);
    struct ts_domain *domain = ts_domain_new(kernel, "office");
    self->count = (uint32_t)params->workers;
    self->worker = ts_kernel_alloc(kernel, self->count * sizeof *self->worker);
    ts_semaphore_init(&self->desks, domain, DESKS, DESKS, "desks");
    for (uint32_t i = 0; i < self->count; i++) {
        struct worker *worker = &self->worker[i];
        ts_component_init(&worker->base, &worker_ops, domain, "worker[%u]", i);
        ts_port_init(&worker->get, &worker->base, TS_OBJECT_SEMAPHORE, TS_IN, "get");
        ts_port_init(&worker->post, &worker->base, TS_OBJECT_SEMAPHORE, TS_OUT, "post");
        ts_bind(&worker->get, &self->desks.object);
        ts_bind(&worker->post, &self->desks.object);
        worker->random = ((uint32_t)params->seed + i) * 2654435761u;
        worker->rounds = (uint64_t)params->words / ROUNDS + 1;
    }
    return self;
}

static uint64_t checksum(const struct ts_demo *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->count; i++)
        sum = ts_bench_mix(sum, self->worker[i].sum);
    return sum;
}

const struct ts_demo_model ts_demo_crowd = {
    .name = "crowd",
    .text = "as many components as a domain holds, one contended semaphore",
    .build = build,
    .checksum = checksum,
};
