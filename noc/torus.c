#include "noc/torus.h"

#include "platform/kernel/kernel.h"

void ts_noc_torus_init(struct ts_noc_torus *self, struct ts_kernel *kernel)
{
    size_t sites = (size_t)self->fabric.width * self->fabric.height;
    self->sites = ts_kernel_alloc(kernel, sites * sizeof *self->sites);
}

static const char *name_of(const struct ts_noc_site *site, const char *what, unsigned noc)
{
    return ts_kernel_format(ts_domain_kernel(site->domain), "%s%u%s", what, noc, site->name);
}

static void build_site(struct ts_noc_torus *self, struct ts_noc_site *site, struct ts_noc_xy tile,
                       unsigned noc)
{
    const struct ts_noc_params *params = &self->fabric.params;
    struct ts_noc_shape shape = ts_noc_fabric_shape(&self->fabric, noc);
    bool receives = self->fabric.node[tile.y][tile.x] == TS_NOC_NODE_TENSIX;
    ts_noc_niu_init(&site->niu[noc], site->domain,
                    &(struct ts_noc_niu_description){
                        .fabric = &self->fabric,
                        .noc = noc,
                        .tile = tile,
                        .memory = site->memory,
                        .context = site->context,
                        .port = site->port + noc,
                        .endpoint_id = site->endpoint_id,
                        .name = site->name,
                    });
    ts_noc_router_init(&site->router[noc], site->domain, params, &shape,
                       ts_noc_mirror(&self->fabric, noc, tile), receives, noc, site->name);
    ts_noc_link_init(&site->x[noc], site->domain, params, TS_NOC_HOP, name_of(site, "link_x", noc));
    ts_noc_link_init(&site->y[noc], site->domain, params, TS_NOC_HOP, name_of(site, "link_y", noc));
    ts_noc_link_init(&site->up[noc], site->domain, params, TS_NOC_UP,
                     name_of(site, "link_up", noc));
    ts_noc_link_init(&site->down[noc], site->domain, params, TS_NOC_DOWN,
                     name_of(site, "link_down", noc));
}

// The neighbour downstream, in NoC 0 coordinates.
static struct ts_noc_site *next_site(struct ts_noc_torus *self, struct ts_noc_xy tile, unsigned noc,
                                     bool along_y)
{
    uint32_t width = self->fabric.width, height = self->fabric.height;
    uint32_t x = tile.x, y = tile.y;
    if (along_y)
        y = noc == 0 ? (y + 1) % height : (y + height - 1) % height;
    else
        x = noc == 0 ? (x + 1) % width : (x + width - 1) % width;
    return ts_noc_torus_site(self, x, y);
}

static ts_cycle least(ts_cycle a, ts_cycle b)
{
    return a < b ? a : b;
}

// How soon another domain notices what a site does, and the site what others do: its links say it.
// A train takes the latency of a link, room its credit. Links wake routers; what an NIU does passes
// its router first. Commands also wake NIUs: the rest of the tile is one step further from the edge.
static void reach_site(struct ts_noc_torus *self, struct ts_noc_site *site, struct ts_noc_xy tile,
                       unsigned noc)
{
    struct ts_noc_niu *niu = &site->niu[noc];
    const struct ts_noc_link *hop = &site->x[noc], *up = &site->up[noc], *down = &site->down[noc];
    ts_cycle reach = least(up->latency, down->credit) + least(hop->latency, hop->credit);
    if (self->fabric.node[tile.y][tile.x] == TS_NOC_NODE_TENSIX) {
        // A path request takes two hops there and back. Most of that is on the way there, where it
        // does not shorten the kernel's windows while no NIU requests a path.
        ts_cycle both = 2 * hop->latency;
        reach = least(reach, both - 1);
        niu->line = &site->line[noc];
        ts_noc_arbiter_connect(&self->arbiter[noc], niu->line, &niu->base, niu->here, reach,
                               both - reach, name_of(site, "path", noc));
    }
    ts_component_reach(&niu->base, reach);
    ts_domain_reach(site->domain, (ts_cycle)self->fabric.params.command + reach);
    ts_domain_inlet(site->domain, least(down->latency, up->credit));
}

static void connect_site(struct ts_noc_torus *self, struct ts_noc_site *site, struct ts_noc_xy tile,
                         unsigned noc)
{
    struct ts_noc_router *router = &site->router[noc];
    struct ts_noc_niu *niu = &site->niu[noc];
    struct ts_noc_site *right = next_site(self, tile, noc, false),
                       *below = next_site(self, tile, noc, true);
    ts_noc_link_connect(&site->up[noc], &niu->base, &router->base);
    ts_noc_link_connect(&site->down[noc], &router->base, &niu->base);
    ts_noc_link_connect(&site->x[noc], &router->base, &right->router[noc].base);
    ts_noc_link_connect(&site->y[noc], &router->base, &below->router[noc].base);
    niu->up = router->in[TS_NOC_LOCAL] = &site->up[noc];
    niu->down = router->out[TS_NOC_LOCAL] = &site->down[noc];
    router->out[TS_NOC_X] = right->router[noc].in[TS_NOC_X] = &site->x[noc];
    router->out[TS_NOC_Y] = below->router[noc].in[TS_NOC_Y] = &site->y[noc];
    ts_fifo_bell(&site->up[noc].trains, &router->words[TS_NOC_LOCAL]);
    ts_fifo_bell(&site->x[noc].trains, &right->router[noc].words[TS_NOC_X]);
    ts_fifo_bell(&site->y[noc].trains, &below->router[noc].words[TS_NOC_Y]);
    ts_fifo_bell(&site->x[noc].wakes, &router->wakes[TS_NOC_X]);
    ts_fifo_bell(&site->y[noc].wakes, &router->wakes[TS_NOC_Y]);
    reach_site(self, site, tile, noc);
}

void ts_noc_torus_build(struct ts_noc_torus *self)
{
    struct ts_kernel *kernel = ts_domain_kernel(self->sites[0].domain);
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        struct ts_noc_shape shape = ts_noc_fabric_shape(&self->fabric, noc);
        ts_noc_arbiter_init(&self->arbiter[noc],
                            ts_domain_new(kernel, "%snoc%u", self->prefix, noc), &shape,
                            (uint32_t)self->fabric.width * self->fabric.height);
    }
    for (int pass = 0; pass < 2; pass++)
        for (uint8_t y = 0; y < self->fabric.height; y++)
            for (uint8_t x = 0; x < self->fabric.width; x++)
                for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
                    struct ts_noc_site *site = ts_noc_torus_site(self, x, y);
                    if (pass == 0)
                        build_site(self, site, (struct ts_noc_xy){x, y}, noc);
                    else
                        connect_site(self, site, (struct ts_noc_xy){x, y}, noc);
                }
}

void ts_noc_torus_free(struct ts_noc_torus *self)
{
    for (uint32_t i = 0; self->sites && i < (uint32_t)self->fabric.width * self->fabric.height; i++)
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
            ts_noc_niu_free(&self->sites[i].niu[noc]);
}

// --- conservation ---

static enum ts_code check_link(const struct ts_noc_link *link, ts_cycle span, bool ended,
                               struct ts_error *error)
{
    const char *path = link->trains.object.path;
    if (link->flits > (link->free > span ? link->free : span)) // the last train is still leaving
        return ts_fail(error, TS_BUG, "%s moved %llu flits in %llu cycles", path,
                       (unsigned long long)link->flits, (unsigned long long)span);
    if (link->received > link->flits || (ended && link->received != link->flits))
        return ts_fail(error, TS_BUG, "%s: %llu flits went in, %llu came out", path,
                       (unsigned long long)link->flits, (unsigned long long)link->received);
    return TS_OK;
}

// What was sent has arrived.
static enum ts_code check_kind(const struct ts_noc_torus *self, unsigned noc, enum ts_noc_kind kind,
                               struct ts_error *error)
{
    struct ts_noc_tally due = {0}, in = {0};
    for (uint32_t i = 0; i < (uint32_t)self->fabric.width * self->fabric.height; i++) {
        const struct ts_noc_niu *niu = &self->sites[i].niu[noc];
        due.packets += niu->due[kind].packets;
        due.bytes += niu->due[kind].bytes;
        in.packets += niu->in[kind].packets;
        in.bytes += niu->in[kind].bytes;
    }
    if (in.bytes != due.bytes)
        return ts_fail(error, TS_BUG, "NoC %u, %s: %llu bytes came in, %llu were due", noc,
                       ts_noc_kind_name(kind), (unsigned long long)in.bytes,
                       (unsigned long long)due.bytes);
    if (in.packets != due.packets)
        return ts_fail(error, TS_BUG, "NoC %u, %s: %llu packets came in, %llu were due", noc,
                       ts_noc_kind_name(kind), (unsigned long long)in.packets,
                       (unsigned long long)due.packets);
    return TS_OK;
}

enum ts_code ts_noc_torus_check(const struct ts_noc_torus *self, ts_cycle span, bool ended,
                                struct ts_error *error)
{
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        for (uint32_t i = 0; i < (uint32_t)self->fabric.width * self->fabric.height; i++) {
            const struct ts_noc_site *site = &self->sites[i];
            const struct ts_noc_link *links[] = {&site->x[noc], &site->y[noc], &site->up[noc],
                                                 &site->down[noc]};
            if (!ended && site->domain->activations == site->domain->at_rest)
                continue; // nothing has happened here since the last time
            for (int j = 0; j < 4; j++)
                if (check_link(links[j], span, ended, error) != TS_OK)
                    return error->code;
            if (!ended)
                continue;
            if (ts_noc_router_held(&site->router[noc]))
                return ts_fail(error, TS_HANG, "%s: %u trains are left and nothing can move",
                               ts_path(&site->router[noc].base),
                               ts_noc_router_held(&site->router[noc]));
            if (ts_noc_niu_busy(&site->niu[noc]))
                return ts_fail(error, TS_HANG, "%s: has not finished and nothing moves any more",
                               ts_path(&site->niu[noc].base));
        }
        for (enum ts_noc_kind kind = 0; ended && kind < TS_NOC_KINDS; kind++)
            if (check_kind(self, noc, kind, error) != TS_OK)
                return error->code;
    }
    return TS_OK;
}

static double busy_in(const void *span, const struct ts_object *link)
{
    const ts_cycle cycles = *(const ts_cycle *)span;
    return (double)link->busy(link, cycles) / (cycles ? (double)cycles : 1);
}

double ts_noc_torus_busiest(const struct ts_noc_torus *self, unsigned noc,
                            double (*busy)(const void *context, const struct ts_object *link),
                            const void *context, const char **path)
{
    double most = 0;
    *path = "";
    for (uint32_t i = 0; i < (uint32_t)self->fabric.width * self->fabric.height; i++) {
        const struct ts_noc_site *site = &self->sites[i];
        const struct ts_noc_link *links[] = {&site->x[noc], &site->y[noc], &site->up[noc],
                                             &site->down[noc]};
        for (int j = 0; j < 4; j++) {
            double share = busy(context, &links[j]->trains.object);
            *path = share > most ? links[j]->trains.object.path : *path;
            most = share > most ? share : most;
        }
    }
    return most;
}

json_t *ts_noc_torus_json(const struct ts_noc_torus *self, ts_cycle span)
{
    json_t *nocs = json_array();
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        uint64_t sent = 0, received = 0, out = 0, in = 0, flits = 0, waited = 0;
        const char *busiest;
        double most = ts_noc_torus_busiest(self, noc, busy_in, &span, &busiest);
        for (uint32_t i = 0; i < (uint32_t)self->fabric.width * self->fabric.height; i++) {
            const struct ts_noc_site *site = &self->sites[i];
            const struct ts_noc_link *links[] = {&site->x[noc], &site->y[noc]};
            sent += site->niu[noc].sent;
            received += site->niu[noc].received;
            out += site->niu[noc].bytes_out;
            in += site->niu[noc].bytes_in;
            waited += site->router[noc].waited;
            for (int j = 0; j < 2; j++)
                flits += links[j]->flits;
        }
        double cycles = span ? (double)span : 1,
               links = 2.0 * self->fabric.width * self->fabric.height;
        json_array_append_new(nocs,
                              json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:f}", "noc",
                                        (int)noc, "packets_sent", (json_int_t)sent,
                                        "packets_received", (json_int_t)received, "bytes_out",
                                        (json_int_t)out, "bytes_in", (json_int_t)in, "flit_hops",
                                        (json_int_t)flits, "waited_cycles", (json_int_t)waited,
                                        "link_utilisation", (double)flits / (cycles * links),
                                        "busiest_link", busiest, "busiest_utilisation", most));
    }
    return nocs;
}
