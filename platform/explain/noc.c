// Packets stuck in the networks; see hang.h.
#include "noc/router.h"
#include "platform/base/json.h"
#include "platform/explain/chip.h"

#define STUCK_MAX 512

// A packet at the front of a lane, and the one it waits for.
struct stuck {
    const struct ts_noc_packet *packet, *holder;
    const struct ts_noc_router *router;
    unsigned noc, out, vc;
    bool room; // waits for room, not for the channel
};

struct search {
    struct stuck *stuck;
    size_t count;
};

static const struct ts_noc_router *router_of(const struct ts_component *component)
{
    return strcmp(component->ops->kind, "router") == 0 ? (const struct ts_noc_router *)component
                                                       : NULL;
}

static const struct ts_noc_packet *front_of(const struct ts_noc_router *router, unsigned lane)
{
    const struct ts_noc_lane *l = &router->lanes[lane];
    return l->count ? l->slots[l->first & (router->ring - 1)].packet : NULL;
}

// The packet at the front of the buffer behind a link.
static const struct ts_noc_packet *behind(const struct ts_noc_link *link, unsigned vc)
{
    const struct ts_noc_router *next = link->receiver ? router_of(link->receiver) : NULL;
    for (unsigned in = 0; next && in < TS_NOC_PORTS; in++)
        if (next->in[in] == link)
            return front_of(next, in * TS_NOC_VCS + vc);
    return NULL;
}

static void look_lane(struct search *self, const struct ts_noc_router *router, unsigned index)
{
    const struct ts_noc_lane *lane = &router->lanes[index];
    const struct ts_noc_packet *packet = front_of(router, index);
    for (unsigned out = 0; packet && out < TS_NOC_PORTS; out++) {
        const struct ts_noc_link *link = router->out[out];
        if (!(lane->left >> out & 1) || link == NULL || self->count == STUCK_MAX)
            continue;
        unsigned vc = lane->vc[out];
        bool granted = router->granted[out] >> index & 1;
        const struct ts_noc_packet *holder = granted ? behind(link, vc)
                                             : link->vc[vc].owner < TS_NOC_LANES
                                                 ? front_of(router, link->vc[vc].owner)
                                                 : NULL;
        self->stuck[self->count++] = (struct stuck){
            .packet = packet,
            .holder = holder,
            .router = router,
            .noc = strstr(router->base.object.path, "router1") != NULL,
            .out = out,
            .vc = vc,
            .room = granted,
        };
    }
}

// The packet that a packet waits for, if there is one.
static int wait_of(const struct search *self, const struct ts_noc_packet *packet)
{
    int found = -1;
    for (size_t i = 0; i < self->count; i++) {
        const struct stuck *s = &self->stuck[i];
        if (s->packet != packet)
            continue;
        if (s->holder && s->holder != packet)
            return (int)i;
        found = (int)i;
    }
    return found;
}

static void describe(const struct stuck *s, struct ts_hang_packet *to)
{
    static const char *const outputs[] = {"x", "y", "local"};
    const struct ts_noc_shape *shape = &s->router->shape;
    struct ts_noc_xy from = s->packet->from, at = s->router->here;
    if (s->noc) { // NoC 1 counts from the other corner
        from = (struct ts_noc_xy){(uint8_t)(shape->width - 1 - from.x),
                                  (uint8_t)(shape->height - 1 - from.y)};
        at = (struct ts_noc_xy){(uint8_t)(shape->width - 1 - at.x),
                                (uint8_t)(shape->height - 1 - at.y)};
    }
    snprintf(to->name, sizeof to->name, "NoC %u %s from %u-%u", s->noc,
             s->packet->broadcast ? "multicast" : ts_noc_kind_name(s->packet->kind), from.x,
             from.y);
    snprintf(to->waits, sizeof to->waits, "%schannel %u of output %s at router %u-%u",
             s->room ? "room behind " : "", s->vc, s->out < 3 ? outputs[s->out] : "?", at.x, at.y);
}

struct ts_hang_noc ts_hang_noc_look(const struct ts_kernel *kernel)
{
    struct ts_hang_noc self = {0};
    struct search search = {calloc(STUCK_MAX, sizeof *search.stuck), 0};
    for (size_t i = 0; search.stuck && i < ts_kernel_domain_count(kernel); i++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, i);
        for (uint32_t c = 0; c < domain->count; c++) {
            const struct ts_noc_router *router = router_of(domain->components[c]);
            for (unsigned lane = 0; router && lane < TS_NOC_LANES; lane++)
                if (router->lanes[lane].count)
                    look_lane(&search, router, lane);
        }
    }
    struct ts_hang_wait waits[STUCK_MAX] = {0};
    for (size_t i = 0; i < search.count; i++) {
        const struct stuck *s = &search.stuck[i];
        int to = s->holder && s->holder != s->packet ? wait_of(&search, s->holder) : -1;
        waits[i] = (struct ts_hang_wait){s->packet, to, true};
    }
    int best[TS_HANG_PACKETS];
    self.count = ts_hang_longest(waits, search.count, TS_HANG_PACKETS, best, &self.is_cycle);
    for (unsigned i = 0; i < self.count; i++)
        describe(&search.stuck[best[i]], &self.packets[i]);
    for (size_t i = 0; i < search.count; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= search.stuck[k].packet != search.stuck[i].packet;
        self.stuck += first;
    }
    free(search.stuck);
    return self;
}

json_t *ts_hang_noc_json(const struct ts_hang_noc *self)
{
    if (self->count == 0)
        return NULL;
    json_t *path = json_array();
    for (unsigned i = 0; i < self->count; i++)
        ts_json_add(path, "{s:s, s:s}", "packet", self->packets[i].name, "waits",
                    self->packets[i].waits);
    return json_pack("{s:s, s:i, s:o}", "kind", self->is_cycle ? "cycle" : "chain", "stuck",
                     (int)self->stuck, "path", path);
}
