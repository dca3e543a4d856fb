// Who waited for whom in a system: every cycle of a core that runs a kernel is its work, or belongs to what its poll waited for
// (run/chips.c).
//
// A poll belongs to who ended it: the link that brought the word, the tile of the chip that wrote it, the core's own queue or
// requests. If an Ethernet tile of the chip wrote it, the link behind that tile has it.
#include "platform/account/account.h"

#include "platform/base/json.h"
#include "platform/tile/names.h"

// One core, and what it waited for.
struct core {
    const struct ts_work *work;
    const struct ts_tile *tile;
    const struct ts_loss *loss;
    unsigned number;
    uint64_t cycles, polled;
};

static const struct ts_tile *eth_at(const struct ts_work *work, uint32_t x, uint32_t y)
{
    for (uint32_t c = 0; c < TS_CHIP_ETH; c++) {
        const struct ts_tile *tile = work->eth[c];
        if (tile && tile->x == x && tile->y == y)
            return tile;
    }
    return NULL;
}

// "a packet from chip 2 eth 7"; the link: "2/eth7", or "".
static void for_whom(const struct core *core, uint32_t from, char *text, size_t size, char link[24])
{
    const struct ts_eth *eth = core->tile->eth;
    const struct ts_tile *tile = NULL;
    link[0] = '\0';
    if (from == TS_WAITS_ITSELF) {
        snprintf(text, size, "its own tile");
        return;
    }
    if (from == TS_WAITS_LINK || from == TS_WAITS_QUEUE) {
        const struct ts_eth *other = eth ? eth->other : NULL;
        if (other == NULL)
            return;
        snprintf(link, 24, "%u/eth%u", other->chip, other->channel);
        snprintf(text, size,
                 from == TS_WAITS_LINK ? "a packet from chip %u eth %u"
                                       : "room in its queue to chip %u eth %u",
                 other->chip, other->channel);
        return;
    }
    tile = eth_at(core->work, from & 0xff, from >> 8 & 0xff);
    if (tile && tile->eth && tile->eth->other) {
        const struct ts_eth *other = tile->eth->other;
        snprintf(link, 24, "%u/eth%u", other->chip, other->channel);
        snprintf(text, size, "a packet from chip %u eth %u, by eth %d", other->chip, other->channel,
                 tile->channel);
    } else {
        snprintf(text, size, "%u-%u of its chip", from & 0xff, from >> 8 & 0xff);
    }
}

// A core's waits, in the order in which they came; the last one is what no other has: polls that have not ended.
static unsigned rows_of(const struct core *core, struct ts_loss_wait rows[TS_LOSS_WAITS + 1])
{
    uint64_t left = core->polled;
    unsigned count = 0;
    for (unsigned i = 0; i < TS_LOSS_WAITS && core->loss->waits[core->number][i].cycles; i++) {
        rows[count] = core->loss->waits[core->number][i];
        left -= rows[count++].cycles;
    }
    if (left)
        rows[count++] = (struct ts_loss_wait){TS_WAITS_ITSELF, left};
    return count;
}

// "chip 0 tile 1-2: brisc waits for ...": of its cycles.
static json_t *line_of(const struct core *core, const char *what, uint64_t cycles)
{
    const struct ts_tile *tile = core->tile;
    const bool router = tile->channel >= 0;
    char place[16];
    snprintf(place, sizeof place, router ? "eth %u" : "tile %u-%u",
             router ? (unsigned)tile->channel : tile->x, tile->y);
    return json_pack("{s:f, s:b, s:o}", "share",
                     (double)cycles / (double)(core->cycles ? core->cycles : 1), "router",
                     (int)router, "text",
                     json_sprintf("chip %u %s: %s waits for %s", tile->chip, place,
                                  ts_tile_core_name(tile, core->number), what));
}

static void add_core(const struct core *core, json_t *list, json_t *lines)
{
    struct ts_loss_wait rows[TS_LOSS_WAITS + 1];
    const unsigned count = rows_of(core, rows);
    json_t *waits = json_array();
    char place[24], text[96], link[24];
    for (unsigned i = 0; i < count; i++) {
        for_whom(core, rows[i].from, text, sizeof text, link);
        ts_json_add(waits, "{s:s, s:s, s:I}", "for", text, "link", link, "cycles",
                    (json_int_t)rows[i].cycles);
        if (link[0])
            json_array_append_new(lines, line_of(core, text, rows[i].cycles));
    }
    ts_json_add(list, "{s:s, s:s, s:I, s:I, s:o}", "tile",
                ts_tile_place_name(core->tile, place, sizeof place), "core",
                ts_tile_core_name(core->tile, core->number), "cycles", (json_int_t)core->cycles,
                "works", (json_int_t)(core->cycles - core->polled), "waits", waits);
}

static void add_tile(const struct ts_work *work, const struct ts_tile *tile,
                     const struct ts_loss *loss, json_t *list, json_t *lines)
{
    const ts_cycle now = ts_kernel_reached(ts_domain_kernel(tile->domain));
    for (unsigned i = 0; loss && i < TS_RV_CORES; i++) {
        const struct ts_rv_core *core = &tile->cores[i];
        if (ts_rv_core_view(core).instructions)
            add_core(&(struct core){work, tile, loss, i, now, ts_rv_core_polled(core, now).cycles},
                     list, lines);
    }
}

void ts_waits_json(struct ts_work *const *works, uint32_t count, json_t *document)
{
    json_t *list = json_array(), *lines = json_array();
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < works[i]->made; k++)
            add_tile(works[i], works[i]->jobs[k].tile, works[i]->jobs[k].loss, list, lines);
        for (uint32_t c = 0; c < TS_CHIP_ETH; c++)
            if (works[i]->eth[c])
                add_tile(works[i], works[i]->eth[c], works[i]->eth_loss[c], list, lines);
    }
    json_object_set_new(document, "waits", list);
    // Workers first: routers wait whenever nothing comes.
    json_object_set_new(document, "link_waits", ts_json_sorted(lines, "router -share text"));
}
