// Routers in a one-way torus, a domain each: every tile sends words to random tiles, first along x,
// then along y.
//
//              north
//                |
//   west --> [ router ] --> east      source --> [ router ] --> sink
//                |
//              south
//
// A router moves at most one word to each output and cycle; inputs take turns. A word that enters a
// ring (from the source, or by turning) needs two free places, so no ring can fill up.
#include "platform/kernel/fifo.h"
#include "tests/demo/demo.h"

enum { WEST, NORTH, SOURCE, INPUTS };
enum { EAST, SOUTH, SINK, OUTPUTS };

struct word {
    uint16_t x, y;
    uint32_t load;
};

struct router {
    struct ts_component base;
    struct ts_port in[INPUTS], out[OUTPUTS];
    uint16_t x, y;
    uint32_t turn; // the input that goes first
    uint64_t moved;
};

struct source {
    struct ts_component base;
    struct ts_port out;
    uint32_t random;
    uint16_t columns, rows;
    uint64_t to_send;
    bool holds;
    struct word word;
};

struct sink {
    struct ts_component base;
    struct ts_port in;
    uint64_t received, sum;
};

struct tile {
    struct router router;
    struct source source;
    struct sink sink;
    struct ts_fifo east, south, up, down;
};

struct ts_demo {
    uint32_t columns, rows;
    struct tile **tile;
};

static bool move(struct router *self, ts_cycle now, uint32_t input, uint32_t *taken)
{
    const struct word *head = ts_fifo_head(&self->in[input], now);
    if (head == NULL)
        return false;
    uint32_t output = head->x != self->x ? EAST : head->y != self->y ? SOUTH : SINK;
    if (*taken >> output & 1)
        return false;
    bool straight = (input == WEST && output == EAST) || (input == NORTH && output == SOUTH);
    const struct ts_fifo *fifo = self->out[output].out;
    if (!ts_fifo_writable(&self->out[output], now))
        return false;
    if (!straight && output != SINK && ts_fifo_level(fifo) + 2 > fifo->depth)
        return false;
    struct word word = *head;
    TS_FIFO_PUSH(&self->out[output], now, word);
    ts_fifo_drop(&self->in[input], now);
    *taken |= 1u << output;
    self->moved++;
    return true;
}

static ts_step router_step(struct ts_component *base, ts_cycle now)
{
    struct router *self = (struct router *)base;
    uint32_t taken = 0, waiting = 0;
    for (uint32_t i = 0; i < INPUTS; i++) {
        uint32_t input = (self->turn + i) % INPUTS;
        move(self, now, input, &taken);
        waiting |= ts_fifo_head(&self->in[input], now) != NULL;
    }
    self->turn = (self->turn + 1) % INPUTS;
    return taken || waiting ? 1 : ts_idle(base, now);
}

static ts_step source_step(struct ts_component *base, ts_cycle now)
{
    struct source *self = (struct source *)base;
    if (!self->holds) {
        if (self->to_send == 0)
            return ts_finish(base, now);
        self->word.x = (uint16_t)(ts_bench_random(&self->random) % self->columns);
        self->word.y = (uint16_t)(ts_bench_random(&self->random) % self->rows);
        self->word.load = self->random;
        self->holds = true;
    }
    if (!TS_FIFO_PUSH(&self->out, now, self->word))
        return ts_fifo_await_room(&self->out, now);
    self->holds = false;
    self->to_send--;
    return 1 + (ts_bench_random(&self->random) & 31);
}

static ts_step sink_step(struct ts_component *base, ts_cycle now)
{
    struct sink *self = (struct sink *)base;
    struct word word;
    if (!TS_FIFO_POP(&self->in, now, word))
        return ts_idle(base, now);
    self->received++;
    self->sum = ts_bench_mix(self->sum, word.load + now);
    return 1;
}

static const struct ts_counter router_counters[] = {
    {"moved", "words", "words moved to an output", offsetof(struct router, moved)},
    {0},
};
static const struct ts_counter sink_counters[] = {
    {"received", "words", "words that arrived here", offsetof(struct sink, received)},
    {0},
};
static const struct ts_component_ops router_ops = {
    .kind = "router", .step = router_step, .counters = router_counters};
static const struct ts_component_ops source_ops = {.kind = "source", .step = source_step};
static const struct ts_component_ops sink_ops = {
    .kind = "sink", .step = sink_step, .counters = sink_counters};

static void build_tile(struct tile *self, struct ts_domain *domain,
                       const struct ts_demo_params *params, uint32_t depth)
{
    static const char *const in_names[INPUTS] = {"west", "north", "source"};
    static const char *const out_names[OUTPUTS] = {"east", "south", "sink"};
    ts_component_init(&self->router.base, &router_ops, domain, "router");
    ts_component_init(&self->source.base, &source_ops, domain, "source");
    ts_component_init(&self->sink.base, &sink_ops, domain, "sink");
    for (int i = 0; i < INPUTS; i++)
        ts_port_init(&self->router.in[i], &self->router.base, TS_OBJECT_FIFO, TS_IN, in_names[i]);
    for (int i = 0; i < OUTPUTS; i++)
        ts_port_init(&self->router.out[i], &self->router.base, TS_OBJECT_FIFO, TS_OUT,
                     out_names[i]);
    ts_port_init(&self->source.out, &self->source.base, TS_OBJECT_FIFO, TS_OUT, "out");
    ts_port_init(&self->sink.in, &self->sink.base, TS_OBJECT_FIFO, TS_IN, "in");
    ts_cycle hop = (ts_cycle)params->hop;
    ts_fifo_init(&self->east, domain, depth, sizeof(struct word), hop, "east");
    ts_fifo_init(&self->south, domain, depth, sizeof(struct word), hop, "south");
    ts_fifo_init(&self->up, domain, 2, sizeof(struct word), 1, "up");
    ts_fifo_init(&self->down, domain, 2, sizeof(struct word), 1, "down");
    ts_bind(&self->router.out[EAST], &self->east.object);
    ts_bind(&self->router.out[SOUTH], &self->south.object);
    ts_bind(&self->router.out[SINK], &self->down.object);
    ts_bind(&self->router.in[SOURCE], &self->up.object);
    ts_bind(&self->source.out, &self->up.object);
    ts_bind(&self->sink.in, &self->down.object);
}

static struct ts_demo *build(struct ts_kernel *kernel, const struct ts_demo_params *params)
{
    struct ts_demo *self = ts_kernel_alloc(kernel, sizeof *self);
    uint32_t tiles = (uint32_t)params->tiles;
    self->rows = 1;
    while ((self->rows + 1) * (self->rows + 1) <= tiles)
        self->rows++;
    self->columns = tiles / self->rows;
    self->tile = ts_kernel_alloc(kernel, self->columns * self->rows * sizeof *self->tile);
    for (uint32_t i = 0; i < self->columns * self->rows; i++) {
        struct tile *tile = self->tile[i] = ts_kernel_alloc(kernel, sizeof *tile);
        tile->router.x = (uint16_t)(i % self->columns);
        tile->router.y = (uint16_t)(i / self->columns);
        struct ts_domain *domain = ts_domain_new(kernel, "tile[%u-%u]", tile->router.x,
                                                 tile->router.y);
        build_tile(tile, domain, params, (uint32_t)params->link_depth + 1);
        tile->source.random = ((uint32_t)params->seed + i) * 2654435761u;
        tile->source.columns = (uint16_t)self->columns;
        tile->source.rows = (uint16_t)self->rows;
        tile->source.to_send = (uint64_t)params->words;
    }
    for (uint32_t y = 0; y < self->rows; y++)
        for (uint32_t x = 0; x < self->columns; x++) {
            struct tile *tile = self->tile[y * self->columns + x];
            struct tile *right = self->tile[y * self->columns + (x + 1) % self->columns];
            struct tile *below = self->tile[(y + 1) % self->rows * self->columns + x];
            ts_bind(&right->router.in[WEST], &tile->east.object);
            ts_bind(&below->router.in[NORTH], &tile->south.object);
        }
    return self;
}

static uint64_t checksum(const struct ts_demo *self)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < self->columns * self->rows; i++)
        sum = ts_bench_mix(ts_bench_mix(sum, self->tile[i]->sink.sum),
                           self->tile[i]->sink.received);
    return sum;
}

const struct ts_demo_model ts_demo_torus = {
    .name = "torus",
    .text = "routers in a one-way torus, a domain each: arbitration, turns, congestion",
    .build = build,
    .checksum = checksum,
};
