// The tile workload of the kernel benchmark: 5 cores, 3 front ends, 9 back ends.
//
//   core[0-2] --fifo, 8 words--> front[0-2] --semaphore--> back[0-8]
//   core[3-4]  (no output)
//
// A core steps every 1, 2, 3, 5 or 9 cycles (70, 15, 8, 5, 2 %); cores 0-2 push a word with
// probability 1/8 and block when the FIFO is full. A front end takes a word and dispatches 1 to 8
// jobs, one per cycle, each to a random back end. A back end serves a job in 1 to 16 cycles.
// Nothing leaves a tile.
#include "tests/demo/bench_tile.h"

#include "platform/kernel/fifo.h"
#include "platform/kernel/kernel.h"
#include "tests/demo/semaphore.h"

struct core {
    struct ts_component base;
    struct ts_port out;
    const uint8_t *delays; // by 7 bits of a random number
    uint32_t random;
    uint32_t eager; // of 8: how often it pushes; 8 when it holds a word that found the FIFO full
    uint64_t steps;
    uint64_t words;
};

struct front {
    struct ts_component base;
    struct ts_port in;
    struct ts_port out[TS_TILE_BACKS];
    uint32_t random;
    uint32_t left; // jobs of the word in hand
    uint64_t jobs;
};

struct back {
    struct ts_component base;
    struct ts_port in;
    uint32_t random;
    uint64_t jobs;
};

struct tile {
    struct core core[TS_TILE_CORES];
    struct front front[TS_TILE_FRONTS];
    struct back back[TS_TILE_BACKS];
    struct ts_fifo fifo[TS_TILE_FRONTS];
    struct ts_semaphore work[TS_TILE_BACKS];
};

struct ts_bench_tiles {
    uint8_t delays[TS_TILE_DELAYS];
    uint32_t tiles;
    struct tile **tile;
};

// Apart from the step, so that the common step needs no stack.
static __attribute__((noinline)) ts_step core_push(struct core *self, ts_cycle now, uint32_t word)
{
    bool pushed = TS_FIFO_PUSH(&self->out, now, word);
    self->eager = pushed ? 1 : 8;
    if (!pushed)
        return ts_fifo_await_room(&self->out, now);
    self->words++;
    self->steps++;
    return self->delays[word >> 3 & 127];
}

static ts_step core_step(struct ts_component *base, ts_cycle now)
{
    struct core *self = (struct core *)base;
    uint32_t word = ts_bench_random(&self->random);
    if ((word & 7) < self->eager)
        return core_push(self, now, word);
    self->steps++;
    return self->delays[word >> 3 & 127];
}

static ts_step front_step(struct ts_component *base, ts_cycle now)
{
    struct front *self = (struct front *)base;
    if (self->left == 0) {
        uint32_t word;
        if (!TS_FIFO_POP(&self->in, now, word))
            return ts_idle(base, now);
        self->left = 1 + (ts_bench_random(&self->random) & 7);
        return 1;
    }
    self->left--;
    self->jobs++;
    ts_semaphore_post(&self->out[ts_bench_random(&self->random) % TS_TILE_BACKS], now);
    return 1;
}

static ts_step back_step(struct ts_component *base, ts_cycle now)
{
    struct back *self = (struct back *)base;
    if (!ts_semaphore_get(&self->in, now))
        return ts_semaphore_await_token(&self->in, now);
    self->jobs++;
    return 1 + (ts_bench_random(&self->random) & 15);
}

static const struct ts_counter core_counters[] = {
    {"steps", "steps", "steps the core has made", offsetof(struct core, steps)},
    {"words", "words", "words pushed to the front end", offsetof(struct core, words)},
    {0},
};
static const struct ts_counter front_counters[] = {
    {"jobs", "jobs", "jobs dispatched to the back ends", offsetof(struct front, jobs)},
    {0},
};
static const struct ts_counter back_counters[] = {
    {"jobs", "jobs", "jobs taken", offsetof(struct back, jobs)},
    {0},
};
static const struct ts_component_ops core_ops = {
    .kind = "core", .step = core_step, .counters = core_counters};
static const struct ts_component_ops front_ops = {
    .kind = "front", .step = front_step, .counters = front_counters};
static const struct ts_component_ops back_ops = {
    .kind = "back", .step = back_step, .counters = back_counters};

static void build_tile(struct tile *self, struct ts_domain *domain, uint32_t seed,
                       uint32_t fifo_depth, const uint8_t *delays)
{
    for (uint32_t i = 0; i < TS_TILE_CORES; i++) {
        struct core *core = &self->core[i];
        ts_component_init(&core->base, &core_ops, domain, "core[%u]", i);
        core->random = seed++ * TS_TILE_SEED_STEP;
        core->delays = delays;
        core->eager = i < TS_TILE_FRONTS;
        if (core->eager)
            ts_port_init(&core->out, &core->base, TS_OBJECT_FIFO, TS_OUT, "out");
    }
    for (uint32_t i = 0; i < TS_TILE_FRONTS; i++) {
        struct front *front = &self->front[i];
        ts_component_init(&front->base, &front_ops, domain, "front[%u]", i);
        front->random = seed++ * TS_TILE_SEED_STEP;
        ts_port_init(&front->in, &front->base, TS_OBJECT_FIFO, TS_IN, "in");
        ts_fifo_init(&self->fifo[i], domain, fifo_depth, sizeof(uint32_t), 1, "fifo[%u]", i);
        ts_bind(&self->core[i].out, &self->fifo[i].object);
        ts_bind(&front->in, &self->fifo[i].object);
    }
    for (uint32_t i = 0; i < TS_TILE_BACKS; i++) {
        struct back *back = &self->back[i];
        ts_component_init(&back->base, &back_ops, domain, "back[%u]", i);
        back->random = seed++ * TS_TILE_SEED_STEP;
        ts_port_init(&back->in, &back->base, TS_OBJECT_SEMAPHORE, TS_IN, "in");
        ts_semaphore_init(&self->work[i], domain, 0, UINT32_MAX, "work[%u]", i);
        ts_bind(&back->in, &self->work[i].object);
        for (uint32_t j = 0; j < TS_TILE_FRONTS; j++) {
            struct ts_port *out = &self->front[j].out[i];
            ts_port_init(out, &self->front[j].base, TS_OBJECT_SEMAPHORE, TS_OUT, "out");
            ts_bind(out, &self->work[i].object);
        }
    }
}

struct ts_bench_tiles *ts_bench_tiles_new(struct ts_kernel *kernel, uint32_t tiles, uint32_t seed,
                                          uint32_t fifo_depth)
{
    struct ts_bench_tiles *self = ts_kernel_alloc(kernel, sizeof *self);
    ts_tile_delays(self->delays);
    self->tiles = tiles;
    self->tile = ts_kernel_alloc(kernel, self->tiles * sizeof *self->tile);
    for (uint32_t i = 0; i < self->tiles; i++) {
        self->tile[i] = ts_kernel_alloc(kernel, sizeof *self->tile[i]);
        build_tile(self->tile[i], ts_domain_new(kernel, "tile[%u]", i), seed + i * TS_TILE_SEEDS,
                   fifo_depth, self->delays);
    }
    return self;
}

uint64_t ts_bench_tiles_checksum(const struct ts_bench_tiles *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->tiles; i++) {
        const struct tile *tile = self->tile[i];
        for (uint32_t j = 0; j < TS_TILE_CORES; j++)
            sum = ts_bench_mix(ts_bench_mix(sum, tile->core[j].random), tile->core[j].words);
        for (uint32_t j = 0; j < TS_TILE_FRONTS; j++)
            sum = ts_bench_mix(ts_bench_mix(sum, tile->front[j].random), tile->front[j].jobs);
        for (uint32_t j = 0; j < TS_TILE_BACKS; j++)
            sum = ts_bench_mix(ts_bench_mix(sum, tile->back[j].random), tile->back[j].jobs);
    }
    return sum;
}
