#include "platform/chip/npe.h"

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

// Translated coordinates lie beyond the grid.
static enum ts_noc_node node_at(const struct ts_soc *soc, int64_t x, int64_t y)
{
    return x >= 0 && y >= 0 && x < soc->width && y < soc->height ? soc->node[y][x]
                                                                 : TS_NOC_NODE_EMPTY;
}

struct search {
    const struct ts_soc *soc, *wormhole; // NULL: only the chip's places are asked for
    bool fits;                           // Wormhole, so far
    bool found;                          // a place that the chip does not have
    char *text;                          // which
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
    enum ts_noc_node here = node_at(self->soc, x, y), there = TS_NOC_NODE_COUNT;
    bool known = here == TS_NOC_NODE_TENSIX || here == TS_NOC_NODE_HARVESTED ||
                 (here == TS_NOC_NODE_DRAM && !issues);
    if (self->wormhole)
        there = node_at(self->wormhole, x, y);
    self->fits &= there != TS_NOC_NODE_EMPTY && !(issues && there == TS_NOC_NODE_DRAM);
    if (self->found || known)
        return;
    self->found = true;
    if (self->wormhole)
        snprintf(self->text, self->size, "%lld-%lld is %s there, and %s on this chip", (long long)x,
                 (long long)y, ts_noc_node_name(there), ts_noc_node_name(here));
}

static void look(struct search *self, json_t *root)
{
    size_t i, j;
    json_t *item, *transfer;
    if (json_is_array(root)) {
        json_array_foreach(root, i, item)
        {
            if (json_object_get(item, "type") == NULL)
                continue; // a zone
            look_at(self, item, "sx", "sy", true);
            look_at(self, item, "dx", "dy", false);
        }
    }
    json_array_foreach(json_object_get(root, "phases"), i, item)
    {
        json_array_foreach(json_object_get(item, "transfers"), j, transfer)
        {
            look_at(self, transfer, "src_x", "src_y", false);
            look_at(self, transfer, "dst_x", "dst_y", false);
        }
    }
}

bool ts_npe_is_wormhole(json_t *root, const struct ts_soc *soc, char *text, size_t size)
{
    struct ts_soc wormhole;
    struct ts_error error = {TS_OK, ""};
    struct search asked = {soc, NULL, true, false, text, size},
                  search = {soc, &wormhole, true, false, text, size};
    look(&asked, root);
    if (!asked.found || ts_soc_find(&wormhole, "wormhole", &error) != TS_OK)
        return false;
    look(&search, root);
    return search.fits && search.found;
}
