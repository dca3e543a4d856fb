#include "noc/niu.h"

#include "platform/kernel/kernel.h"

static uint32_t link_index(const struct ts_noc_shape *shape, struct ts_noc_xy at,
                           enum ts_noc_port port)
{
    return ((uint32_t)at.y * shape->width + at.x) * 2 + port;
}

// The links of a broadcast's tree.
static void walk(const struct ts_noc_shape *shape, const struct ts_noc_packet *packet,
                 struct ts_noc_xy here, uint64_t *links)
{
    uint32_t outputs = ts_noc_route(shape, here, packet);
    for (enum ts_noc_port port = TS_NOC_X; port <= TS_NOC_Y; port++) {
        if ((outputs >> port & 1) == 0)
            continue;
        uint32_t index = link_index(shape, here, port);
        links[index / 64] |= 1ull << index % 64;
        struct ts_noc_xy next = here;
        if (port == TS_NOC_X)
            next.x = (uint8_t)((here.x + 1) % shape->width);
        else
            next.y = (uint8_t)((here.y + 1) % shape->height);
        walk(shape, packet, next, links);
    }
}

static bool free_of(const uint64_t *held, const uint64_t *links)
{
    for (uint32_t i = 0; i < TS_NOC_LINK_WORDS; i++)
        if (held[i] & links[i])
            return false;
    return true;
}

static void mark(uint64_t *held, const uint64_t *links, bool take)
{
    for (uint32_t i = 0; i < TS_NOC_LINK_WORDS; i++)
        held[i] = take ? held[i] | links[i] : held[i] & ~links[i];
}

static void add(struct ts_noc_arbiter *self, uint32_t line, const struct ts_noc_ask *ask,
                ts_cycle now)
{
    if (self->tree_count == 2 * self->line_count) {
        ts_fault(&self->base, now, TS_BUG, "more reservations than channels");
        return;
    }
    struct ts_noc_tree *tree = &self->trees[self->tree_count++];
    memset(tree, 0, sizeof *tree);
    tree->line = line;
    tree->ask = *ask;
    struct ts_noc_packet packet = {.broadcast = true,
                                   .from = self->lines[line]->from,
                                   .start = ask->start,
                                   .to = ask->to,
                                   .y_major = ask->y_major};
    walk(&self->shape, &packet, packet.from, tree->links);
}

static void finish(struct ts_noc_arbiter *self, uint32_t line, uint8_t vc)
{
    for (uint32_t i = 0; i < self->tree_count; i++) {
        struct ts_noc_tree *tree = &self->trees[i];
        if (!tree->active || tree->line != line || tree->ask.vc != vc)
            continue;
        mark(self->held[vc & TS_NOC_VC_BUDDY], tree->links, false);
        memmove(tree, tree + 1, (self->tree_count - i - 1) * sizeof *tree);
        self->tree_count--;
        return;
    }
}

static void grant_all(struct ts_noc_arbiter *self, ts_cycle now)
{
    for (uint32_t i = 0; i < self->tree_count; i++) {
        struct ts_noc_tree *tree = &self->trees[i];
        uint64_t *held = self->held[tree->ask.vc & TS_NOC_VC_BUDDY];
        if (tree->active)
            continue;
        if (!free_of(held, tree->links)) {
            self->refused += !tree->waited;
            tree->waited = true;
            continue;
        }
        mark(held, tree->links, true);
        tree->active = true;
        self->granted++;
        struct ts_noc_grant grant = {tree->ask.vc, tree->waited};
        if (!TS_FIFO_PUSH(&self->lines[tree->line]->grant_out, now, grant))
            ts_fault(&self->base, now, TS_BUG, "no room for a grant");
    }
}

static ts_step step(struct ts_component *base, ts_cycle now)
{
    struct ts_noc_arbiter *self = (struct ts_noc_arbiter *)base;
    struct ts_noc_ask ask;
    for (uint32_t i = 0; i < self->line_count; i++)
        while (TS_FIFO_POP(&self->lines[i]->ask_in, now, ask)) {
            if (ask.done)
                finish(self, i, ask.vc);
            else
                add(self, i, &ask, now);
        }
    grant_all(self, now);
    return ts_idle(base, now);
}

static const struct ts_counter counters[] = {
    {"granted", "paths", "reservations granted", offsetof(struct ts_noc_arbiter, granted)},
    {"refused", "paths", "reservations that found a link taken",
     offsetof(struct ts_noc_arbiter, refused)},
    {0},
};
static const struct ts_component_ops ops = {.kind = "reserve", .step = step, .counters = counters};

void ts_noc_arbiter_init(struct ts_noc_arbiter *self, struct ts_domain *domain,
                         const struct ts_noc_shape *shape, uint32_t lines)
{
    struct ts_kernel *kernel = ts_domain_kernel(domain);
    self->shape = *shape;
    self->line_room = lines;
    self->lines = ts_kernel_alloc(kernel, lines * sizeof *self->lines);
    self->trees = ts_kernel_alloc(kernel, 2 * lines * sizeof *self->trees);
    ts_component_init(&self->base, &ops, domain, "reserve");
}

void ts_noc_arbiter_connect(struct ts_noc_arbiter *self, struct ts_noc_line *line,
                            struct ts_component *niu, struct ts_noc_xy from, ts_cycle there,
                            ts_cycle back, const char *name)
{
    struct ts_domain *domain = self->base.domain;
    uint32_t depth = (uint32_t)(there + back + 8);
    line->from = from;
    if (self->lines)
        self->lines[self->line_count++] = line;
    ts_fifo_init(&line->asks, niu->domain, depth, sizeof(struct ts_noc_ask), there, "reserve_%s",
                 name);
    ts_fifo_init(&line->grants, domain, depth, sizeof(struct ts_noc_grant), back, "grant[%u-%u]",
                 from.x, from.y);
    ts_fifo_room_latency(&line->grants, there); // a channel has one grant: there is always room
    ts_port_init(&line->ask_out, niu, TS_OBJECT_FIFO, TS_OUT, "reserve");
    ts_port_init(&line->ask_in, &self->base, TS_OBJECT_FIFO, TS_IN, "asks");
    ts_port_init(&line->grant_out, &self->base, TS_OBJECT_FIFO, TS_OUT, "grants");
    ts_port_init(&line->grant_in, niu, TS_OBJECT_FIFO, TS_IN, "grant");
    ts_bind(&line->ask_out, &line->asks.object);
    ts_bind(&line->ask_in, &line->asks.object);
    ts_bind(&line->grant_out, &line->grants.object);
    ts_bind(&line->grant_in, &line->grants.object);
}
