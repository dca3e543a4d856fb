// Two one-way tori over one grid: NIUs, routers and links of both NoCs.
//
//   NoC 0: right and down            NoC 1: left and up, the same sites
//   [ ]-->[ ]-->[ ]--> (wraps)       <--[ ]<--[ ]<--[ ]
//    v     v     v                       ^     ^     ^
//
// A site is a position of the grid. The builder chooses its domain: a tile's own, or one that
// several sites share (the three tiles of a DRAM channel). Links between domains cross, so a window
// of the kernel is a hop while routers are active, and longer by a command and the path through the
// router while only cores and units are.
#pragma once

#include "noc/niu.h"
#include "noc/router.h"

#include <jansson.h>

struct ts_noc_site {
    // Given by the builder.
    struct ts_domain *domain;
    const struct ts_noc_memory *memory;
    void *context;
    unsigned port;        // of the memory, for NoC 0; NoC 1 has the next
    uint32_t endpoint_id; // without the NoC's bits
    const char *name;     // "" or ".endpoint1": after "niu0" and "router0"
    unsigned drivers;     // scripts that run here
    // Built, by NoC.
    struct ts_noc_niu niu[TS_NOC_COUNT];
    struct ts_noc_router router[TS_NOC_COUNT];
    struct ts_noc_line line[TS_NOC_COUNT];
    struct ts_noc_link x[TS_NOC_COUNT], y[TS_NOC_COUNT], up[TS_NOC_COUNT], down[TS_NOC_COUNT];
};

struct ts_noc_torus {
    struct ts_noc_fabric fabric;
    struct ts_noc_arbiter arbiter[TS_NOC_COUNT];
    struct ts_noc_site *sites; // width * height, by NoC 0 coordinates
    const char *prefix;        // of its domains' names
};

// Call after `fabric` is filled: allocates the sites. The builder then fills their given fields and
// builds everything.
void ts_noc_torus_init(struct ts_noc_torus *self, struct ts_kernel *kernel);
void ts_noc_torus_build(struct ts_noc_torus *self);
void ts_noc_torus_free(struct ts_noc_torus *self);

static inline struct ts_noc_site *ts_noc_torus_site(const struct ts_noc_torus *self, uint32_t x,
                                                    uint32_t y)
{
    return &self->sites[y * self->fabric.width + x];
}

// Checks conservation, nothing added and nothing lost: no link above one flit a cycle, everything
// sent over a link arrived or is in flight. With `ended`, nothing is in flight any more, and of every
// kind of packet what was sent, times receivers, is what arrived: packets and bytes.
enum ts_code ts_noc_torus_check(const struct ts_noc_torus *self, ts_cycle span, bool ended,
                                struct ts_error *error);
// The busiest link to a router or an NIU, by its busy share. "": none.
double ts_noc_torus_busiest(const struct ts_noc_torus *self, unsigned noc,
                            double (*busy)(const void *context, const struct ts_object *link),
                            const void *context, const char **path);
// Sums for reports: packets, bytes, the busiest link.
json_t *ts_noc_torus_json(const struct ts_noc_torus *self, ts_cycle span);
