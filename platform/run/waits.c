#include "platform/run/waits.h"

#include "platform/kernel/kernel.h"
#include "platform/run/plan/launch.h"
#include "platform/tile/names.h"

#include <stdlib.h>
#include <string.h>

// One core, and what it waited for.
struct core {
    const struct ts_work *work;
    const struct ts_tile *tile;
    const struct ts_loss *loss;
    unsigned number;
    uint64_t cycles, polled;
};

typedef void each_core(void *context, const struct core *core);

static void visit_tile(const struct ts_work *work, const struct ts_tile *tile,
                       const struct ts_loss *loss, each_core *visit, void *context)
{
    const ts_cycle now = ts_kernel_reached(ts_domain_kernel(tile->domain));
    for (unsigned i = 0; loss && i < TS_RV_CORES; i++) {
        const struct ts_rv_core *core = &tile->cores[i];
        if (ts_rv_core_view(core).instructions == 0)
            continue;
        visit(context,
              &(struct core){work, tile, loss, i, now, ts_rv_core_polled(core, now).cycles});
    }
}

static void visit_all(struct ts_work *const *works, uint32_t count, each_core *visit, void *context)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < works[i]->made; k++)
            visit_tile(works[i], works[i]->jobs[k].tile, works[i]->jobs[k].loss, visit, context);
        for (uint32_t c = 0; c < TS_CHIP_ETH; c++)
            if (works[i]->program->eth[c])
                visit_tile(works[i], works[i]->program->eth[c], works[i]->program->eth_loss[c],
                           visit, context);
    }
}

static const struct ts_tile *eth_at(const struct ts_work *work, uint32_t x, uint32_t y)
{
    for (uint32_t c = 0; c < TS_CHIP_ETH; c++) {
        const struct ts_tile *tile = work->program->eth[c];
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

static void add_core(void *context, const struct core *core)
{
    struct ts_loss_wait rows[TS_LOSS_WAITS + 1];
    const unsigned count = rows_of(core, rows);
    json_t *waits = json_array();
    char place[24], text[96], link[24];
    for (unsigned i = 0; i < count; i++) {
        for_whom(core, rows[i].from, text, sizeof text, link);
        json_array_append_new(waits, json_pack("{s:s, s:s, s:I}", "for", text, "link", link,
                                               "cycles", (json_int_t)rows[i].cycles));
    }
    json_array_append_new(context,
                          json_pack("{s:s, s:s, s:I, s:I, s:o}", "tile",
                                    ts_tile_place_name(core->tile, place, sizeof place), "core",
                                    ts_tile_core_name(core->tile, core->number), "cycles",
                                    (json_int_t)core->cycles, "works",
                                    (json_int_t)(core->cycles - core->polled), "waits", waits));
}

json_t *ts_waits_json(struct ts_work *const *works, uint32_t count)
{
    json_t *list = json_array();
    visit_all(works, count, add_core, list);
    return list;
}

// --- the table ---

struct line {
    bool router; // they wait whenever nothing comes
    double share;
    uint32_t order;
    char text[200];
};

struct lines {
    struct line *list;
    uint32_t count, room;
};

static void add_lines(void *context, const struct core *core)
{
    struct lines *self = context;
    struct ts_loss_wait rows[TS_LOSS_WAITS + 1];
    const unsigned count = rows_of(core, rows);
    for (unsigned i = 0; i < count; i++) {
        char text[96], link[24], place[16];
        for_whom(core, rows[i].from, text, sizeof text, link);
        if (link[0] == '\0' || self->count == self->room)
            continue;
        if (core->tile->channel >= 0)
            snprintf(place, sizeof place, "eth %d", core->tile->channel);
        else
            snprintf(place, sizeof place, "tile %u-%u", core->tile->x, core->tile->y);
        struct line *line = &self->list[self->count];
        line->router = core->tile->channel >= 0;
        line->order = self->count++;
        line->share = (double)rows[i].cycles / (double)(core->cycles ? core->cycles : 1);
        snprintf(line->text, sizeof line->text, "chip %u %s: %s waits for %s", core->tile->chip,
                 place, ts_tile_core_name(core->tile, core->number), text);
    }
}

// Workers first.
static int by_share(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->router != y->router)
        return y->router ? -1 : 1;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static void count_cores(void *context, const struct core *core)
{
    (void)core;
    ++*(uint32_t *)context;
}

void ts_waits_print(struct ts_work *const *works, uint32_t count, unsigned most, FILE *file)
{
    struct lines lines = {0};
    visit_all(works, count, count_cores, &lines.room);
    lines.room *= TS_LOSS_WAITS + 1;
    lines.list = calloc(lines.room + 1, sizeof *lines.list);
    if (lines.list)
        visit_all(works, count, add_lines, &lines);
    if (lines.count) {
        qsort(lines.list, lines.count, sizeof *lines.list, by_share);
        fprintf(file, "  waits over links, workers first (of all cycles, with boot and launch):\n");
    }
    for (uint32_t i = 0; i < lines.count && i < most; i++)
        fprintf(file, "  %5.1f %%  %s\n", 100 * lines.list[i].share, lines.list[i].text);
    if (lines.count > most)
        fprintf(file, "  ... %u in all, in --json\n", lines.count);
    free(lines.list);
}
