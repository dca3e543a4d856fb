#include "platform/chip/npe.h"

#include <stdio.h>
#include <string.h>

#define WORMHOLE_WIDTH  10
#define WORMHOLE_HEIGHT 12

// --- types of events ---

static const struct ts_npe_type types[] = {
#define TS_NPE(name, does, kind) {#name, TS_NPE_##does, TS_NOC_##kind},
#include "config/npe.def"
};
static const struct ts_npe_type left_out = {"", TS_NPE_LEFT_OUT, TS_NOC_READ};

const struct ts_npe_type *ts_npe_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return &left_out;
}

// --- which chip? ---

static enum ts_noc_node wormhole_node(int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= WORMHOLE_WIDTH || y >= WORMHOLE_HEIGHT)
        return TS_NOC_NODE_EMPTY;
    if (x == 5)
        return TS_NOC_NODE_DRAM;
    if (x == 0)
        return y <= 1 || (y >= 5 && y <= 7) || y == 11 ? TS_NOC_NODE_DRAM : TS_NOC_NODE_EMPTY;
    return y == 0 || y == 6 ? TS_NOC_NODE_ETHERNET : TS_NOC_NODE_TENSIX;
}

// The chip's; translated coordinates lie beyond Wormhole's grid.
static enum ts_noc_node own_node(const struct ts_soc *soc, int64_t x, int64_t y)
{
    return x < soc->width && y < soc->height ? soc->node[y][x] : TS_NOC_NODE_EMPTY;
}

struct search {
    const struct ts_soc *soc;
    bool fits;  // Wormhole, so far
    bool found; // a place that the chip does not have
    char *text; // which
    size_t size;
};

// A place of the workload; `issues`: it must be able to send requests.
static void look_at(struct search *self, json_t *object, const char *x_key, const char *y_key,
                    bool issues)
{
    json_t *x_value = json_object_get(object, x_key), *y_value = json_object_get(object, y_key);
    if (!json_is_integer(x_value) || !json_is_integer(y_value))
        return;
    int64_t x = json_integer_value(x_value), y = json_integer_value(y_value);
    if (x == -1 && y == -1)
        return; // how old traces say that there is none
    enum ts_noc_node there = wormhole_node(x, y);
    if (there == TS_NOC_NODE_EMPTY || (issues && there == TS_NOC_NODE_DRAM)) {
        self->fits = false;
        return;
    }
    enum ts_noc_node here = own_node(self->soc, x, y);
    bool known = here == TS_NOC_NODE_TENSIX || here == TS_NOC_NODE_HARVESTED ||
                 (here == TS_NOC_NODE_DRAM && !issues);
    if (self->found || known)
        return;
    self->found = true;
    snprintf(self->text, self->size, "%lld-%lld is %s there, and %s on this chip", (long long)x,
             (long long)y, ts_noc_node_name(there), ts_noc_node_name(here));
}

bool ts_npe_is_wormhole(json_t *root, const struct ts_soc *soc, char *text, size_t size)
{
    struct search search = {soc, true, false, text, size};
    size_t i, j;
    json_t *item, *transfer;
    if (json_is_array(root)) {
        json_array_foreach(root, i, item)
        {
            if (json_object_get(item, "type") == NULL)
                continue; // a zone
            look_at(&search, item, "sx", "sy", true);
            look_at(&search, item, "dx", "dy", false);
        }
    }
    json_array_foreach(json_object_get(root, "phases"), i, item)
    {
        json_array_foreach(json_object_get(item, "transfers"), j, transfer)
        {
            look_at(&search, transfer, "src_x", "src_y", false);
            look_at(&search, transfer, "dst_x", "dst_y", false);
        }
    }
    return search.fits && search.found;
}
