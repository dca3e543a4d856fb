// Builds a chip: sites, DRAM channels, tiles, network; the host's access and the audit (chip.h).
#include "platform/chip/chip.h"

#include "platform/base/json.h"
#include "platform/tile/free.h"

// NOC_ENDPOINT_ID: tile type in bits 8 to 23.
static const uint32_t endpoint_types[TS_NOC_NODE_COUNT] = {
    [TS_NOC_NODE_TENSIX] = 0x0100,   [TS_NOC_NODE_HARVESTED] = 0x0100,
    [TS_NOC_NODE_ETHERNET] = 0x0200, [TS_NOC_NODE_PCIE] = 0x0300,
    [TS_NOC_NODE_ARC] = 0x0500,      [TS_NOC_NODE_DRAM] = 0x0800,
    [TS_NOC_NODE_L2CPU] = 0x0901,    [TS_NOC_NODE_SECURITY] = 0x0a00,
};

void ts_chip_params_add(struct ts_params *params)
{
    ts_tile_params_add(params);
    ts_noc_params_add(params);
}

// --- memory of sites without a tile ---

static const char *no_read(void *context, uint64_t address, void *bytes, uint32_t length,
                           ts_cycle now)
{
    (void)context, (void)address, (void)now;
    memset(bytes, 0, length);
    return "there is no memory at this site";
}

static const char *no_write(void *context, uint64_t address, const void *bytes, uint32_t length,
                            ts_cycle now)
{
    (void)context, (void)address, (void)bytes, (void)length, (void)now;
    return "there is no memory at this site";
}

static const char *bare_read(void *context, uint64_t address, void *bytes, uint32_t length,
                             ts_cycle now)
{
    (void)now;
    if (address >= TS_L1_SIZE || length > TS_L1_SIZE - address)
        return "a bare tile has no registers";
    memcpy(bytes, (unsigned char *)context + address, length);
    return NULL;
}

static const char *bare_write(void *context, uint64_t address, const void *bytes, uint32_t length,
                              ts_cycle now)
{
    (void)now;
    if (address >= TS_L1_SIZE || length > TS_L1_SIZE - address)
        return "a bare tile has no registers";
    memcpy((unsigned char *)context + address, bytes, length);
    return NULL;
}

static const struct ts_noc_memory no_memory = {.read = no_read, .write = no_write};
static const struct ts_noc_memory bare_memory = {.read = bare_read, .write = bare_write};

// --- construction ---

static enum ts_code audit(const void *context, const struct ts_run *run, struct ts_error *error);

static void make_domains(struct ts_chip *self)
{
    struct ts_domain *channel[TS_SOC_CHANNELS] = {0};
    uint32_t tiles = 0;
    for (uint8_t y = 0; y < self->soc.height; y++)
        for (uint8_t x = 0; x < self->soc.width; x++) {
            struct ts_noc_site *site = ts_noc_torus_site(&self->torus, x, y);
            enum ts_noc_node node = self->soc.node[y][x];
            uint32_t index = self->soc.index[y][x];
            site->name = "";
            site->memory = &no_memory;
            site->endpoint_id = endpoint_types[node] << 8 | index;
            const bool in_group = ts_machine_has(self->soc.machine, TS_RULE_endpoint_in_group);
            if (node == TS_NOC_NODE_DRAM) {
                if (channel[index] == NULL) {
                    channel[index] = ts_domain_new(self->kernel, "%sdram[%u]", self->torus.prefix,
                                                   index);
                    ts_dram_register(&self->dram[index], channel[index]);
                }
                uint32_t endpoint = 0;
                while (self->soc.dram[index][endpoint].x != x ||
                       self->soc.dram[index][endpoint].y != y)
                    endpoint++;
                site->domain = channel[index];
                site->name = ts_kernel_format(self->kernel, "[%u-%u]", x, y);
                site->memory = &ts_dram_memory;
                site->context = &self->dram[index];
                site->port = endpoint * TS_NOC_COUNT;
                if (in_group)
                    site->endpoint_id = endpoint_types[node] << 8 | index << 8 | endpoint;
                continue;
            }
            if (node == TS_NOC_NODE_TENSIX)
                self->tiles[tiles++] = (struct ts_noc_xy){x, y};
            if (site->domain == NULL)
                site->domain = ts_domain_new(self->kernel, "%s%s[%u-%u]", self->torus.prefix,
                                             node == TS_NOC_NODE_TENSIX ? "tile" : "site", x, y);
        }
}

// A tile lives where its coordinates say, and its site in the tile's domain.
static enum ts_code place(struct ts_chip *self, struct ts_tile *tile, struct ts_error *error)
{
    const struct ts_soc *soc = &self->soc;
    if (tile->x >= soc->width || tile->y >= soc->height)
        return ts_fail(error, TS_SETUP, "tile %u-%u lies outside the grid", tile->x, tile->y);
    enum ts_noc_node node = soc->node[tile->y][tile->x];
    bool ethernet = tile->channel >= 0;
    if (node != (ethernet ? TS_NOC_NODE_ETHERNET : TS_NOC_NODE_TENSIX))
        return ts_fail(error, TS_SETUP, "%u-%u of the chip is %s, not %s tile", tile->x, tile->y,
                       ts_noc_node_name(node), ethernet ? "an Ethernet" : "a Tensix");
    if (tile->config.machine != soc->machine)
        return ts_fail(error, TS_SETUP, "%s is a chip of %s, the numbers are those of %s",
                       soc->name, soc->machine->title, tile->config.machine->title);
    ts_noc_torus_site(&self->torus, tile->x, tile->y)->domain = tile->domain;
    return TS_OK;
}

static void join(struct ts_chip *self, struct ts_tile *tile)
{
    struct ts_noc_site *site = ts_noc_torus_site(&self->torus, tile->x, tile->y);
    site->memory = &ts_tile_memory;
    site->context = tile;
    tile->noc_flit = ts_noc_flit(&self->torus.fabric.params);
    ts_tile_join(tile, site->niu);
    if (tile->channel >= 0) {
        ts_tile_join_eth(tile, &self->torus.fabric.eth, self->clock_mhz);
        self->torus.fabric.ethernet[tile->y][tile->x] = true;
        self->eth[tile->channel] = tile;
        return;
    }
    for (uint32_t i = 0; i < self->soc.tiles; i++)
        if (self->tiles[i].x == tile->x && self->tiles[i].y == tile->y)
            self->tile[i] = tile;
}

// Sites of Tensix tiles that are not there have their L1.
static enum ts_code fill_bare(struct ts_chip *self, struct ts_error *error)
{
    for (uint32_t i = 0; i < self->soc.tiles; i++) {
        if (self->tile[i] != NULL)
            continue;
        self->bare[i] = calloc(1, TS_L1_SIZE);
        if (self->bare[i] == NULL)
            return ts_fail(error, TS_NO_MEMORY, "no memory for the L1 of %u tiles",
                           self->soc.tiles);
        struct ts_noc_site *site = ts_chip_site(self, self->tiles[i]);
        site->memory = &bare_memory;
        site->context = self->bare[i];
    }
    return TS_OK;
}

static enum ts_code build_dram(struct ts_chip *self, uint32_t clock_mhz, struct ts_error *error)
{
    for (uint32_t i = 0; i < self->soc.channels; i++)
        if (!ts_dram_init(&self->dram[i], &self->torus.fabric.dram, self->soc.parts, clock_mhz))
            return ts_fail(error, TS_NO_MEMORY, "no memory for DRAM channel %u", i);
    return TS_OK;
}

// The channels report as the tiles do.
static enum ts_code lint_dram(struct ts_dram *dram, const struct ts_tile *tile,
                              struct ts_error *error)
{
    const struct ts_tensix *tensix = &tile->tensix;
    // SYS-1419 is of Blackhole's tiles, which have one channel; workers of Wormhole use an endpoint on both NoCs.
    dram->lints = dram->parts == 1 && tensix->lints &&
                  tensix->shown >> TS_REPORT_DRAM_BOTH_NOCS & 1;
    dram->strict = tensix->strict;
    if (tile->check == NULL)
        return TS_OK;
    dram->check = ts_check_new(&tile->config.check, dram->object.domain->index, 0,
                               dram->page_count << TS_DRAM_PAGE_SHIFT);
    return dram->check ? TS_OK : ts_fail(error, TS_NO_MEMORY, "no memory for the checks of DRAM");
}

static void build_network(struct ts_chip *self)
{
    ts_noc_torus_build(&self->torus);
    ts_kernel_audit(self->kernel, audit, self);
    for (uint8_t y = 0; y < self->soc.height; y++)
        for (uint8_t x = 0; x < self->soc.width; x++)
            for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
                struct ts_noc_niu *niu = &ts_noc_torus_site(&self->torus, x, y)->niu[noc];
                ts_soc_translate(&self->soc, noc, (struct ts_noc_xy){x, y}, niu->config);
                if (ts_dram_of(niu))
                    niu->check = ts_dram_of(niu)->check;
            }
}

// --- resources for free (platform/tile/free.h) ---

static void free_noc(struct ts_noc_params *p, bool all)
{
    const int64_t retry = p->reserve_retry, atomic = p->atomic;
#define TS_PARAM(key, unit, low, high, text) \
    if (strcmp(unit, "cycles") == 0)         \
        p->key = low;
#include "config/noc.def"
    p->credit = 2;
    p->reserve_retry = retry; // an interval, not a latency
    if (all) {
        p->header = 0;
        p->link_width = 8; // the widest
    } else {
        p->atomic = atomic; // its rate
    }
}

static void free_dram(struct ts_dram_params *p, bool all)
{
    p->read_latency = p->write_latency = 0;
    if (!all)
        return;
    p->bandwidth = 1350000;
    p->request_gap = p->turnaround = p->write_queue = p->refresh_interval = 0;
    p->request_rate = 100000;
}

static void free_eth(struct ts_eth_params *p, bool all)
{
    p->latency = 32;
    p->command = p->command_register = p->read_latency = 1;
    p->write = 8;
    if (!all)
        return;
    p->rate = 10000000;
    p->read_width = 8;
}

enum ts_code ts_chip_init(struct ts_chip *self, struct ts_kernel *kernel, const struct ts_soc *soc,
                          const struct ts_params *params, struct ts_tile *const *tiles,
                          size_t count, struct ts_error *error)
{
    return ts_chip_init_in(self, kernel, soc, params, tiles, count, "", error);
}

enum ts_code ts_chip_init_in(struct ts_chip *self, struct ts_kernel *kernel,
                             const struct ts_soc *soc, const struct ts_params *params,
                             struct ts_tile *const *tiles, size_t count, const char *prefix,
                             struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    self->kernel = kernel;
    self->soc = *soc;
    self->torus.prefix = prefix;
    self->clock_mhz = ts_clock_mhz(params);
    self->tile = calloc(soc->tiles, sizeof *self->tile);
    self->bare = calloc(soc->tiles, sizeof *self->bare);
    if (self->tile == NULL || self->bare == NULL)
        return ts_fail(error, TS_NO_MEMORY, "no memory for the chip");
    struct ts_noc_fabric *fabric = &self->torus.fabric;
    fabric->machine = soc->machine;
    fabric->dram_parts = soc->parts;
    fabric->width = soc->width;
    fabric->height = soc->height;
    memcpy(fabric->node, soc->node, sizeof fabric->node);
    TS_PARAMS_FILL(params, "noc", &fabric->params);
    TS_PARAMS_FILL(params, "dram", &fabric->dram);
    TS_PARAMS_FILL(params, "eth", &fabric->eth);
    const struct ts_free free = ts_free_get(params);
    if (free.noc || free.noc_latency)
        free_noc(&fabric->params, free.noc);
    if (free.dram || free.dram_latency)
        free_dram(&fabric->dram, free.dram);
    if (free.eth || free.eth_latency)
        free_eth(&fabric->eth, free.eth);
    fabric->hidden = free.latency_hidden;
    ts_noc_torus_init(&self->torus, kernel);
    if (self->torus.sites == NULL)
        return ts_fail(error, TS_NO_MEMORY, "no memory for the networks");
    if (build_dram(self, self->clock_mhz, error) != TS_OK)
        return error->code;
    for (size_t i = 0; i < count; i++)
        if (place(self, tiles[i], error) != TS_OK)
            return error->code;
    make_domains(self);
    for (size_t i = 0; i < count; i++)
        join(self, tiles[i]);
    for (uint32_t i = 0; i < soc->channels && count; i++)
        if (lint_dram(&self->dram[i], tiles[0], error) != TS_OK)
            return error->code;
    if (fill_bare(self, error) != TS_OK)
        return error->code;
    build_network(self);
    return TS_OK;
}

enum ts_code ts_chip_init_complete(struct ts_chip *self, struct ts_kernel *kernel,
                                   const struct ts_soc *soc, const struct ts_params *params,
                                   const struct ts_tile_config *config, struct ts_error *error)
{
    struct ts_tile *tiles[TS_NOC_HEIGHT_MAX * TS_NOC_WIDTH_MAX] = {0};
    uint32_t count = 0;
    memset(self, 0, sizeof *self);
    for (uint32_t y = 0; y < soc->height; y++)
        for (uint32_t x = 0; x < soc->width; x++)
            if (soc->node[y][x] == TS_NOC_NODE_TENSIX && error->code == TS_OK)
                tiles[count++] = ts_tile_new_at(kernel, x, y, config, error);
    if (error->code == TS_OK)
        ts_chip_init(self, kernel, soc, params, tiles, count, error);
    if (error->code == TS_OK)
        self->owns_tiles = true;
    else
        while (count > 0)
            ts_tile_free(tiles[--count]);
    return error->code;
}

void ts_chip_free(struct ts_chip *self)
{
    ts_noc_torus_free(&self->torus);
    for (uint32_t i = 0; i < self->soc.channels; i++)
        ts_dram_free(&self->dram[i]);
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++)
        if (self->eth[i] && self->eth[i]->eth)
            ts_eth_free(self->eth[i]->eth);
    for (uint32_t i = 0; i < self->soc.tiles; i++) {
        if (self->owns_tiles && self->tile)
            ts_tile_free(self->tile[i]);
        if (self->bare)
            free(self->bare[i]);
    }
    free(self->bare);
    free(self->tile);
    memset(self, 0, sizeof *self);
}

// --- host access ---

static enum ts_code find(struct ts_chip *self, struct ts_noc_xy tile, struct ts_noc_site **site,
                         struct ts_error *error)
{
    if (tile.x >= self->soc.width || tile.y >= self->soc.height)
        return ts_fail(error, TS_SETUP, "host access to %u-%u, outside the grid", tile.x, tile.y);
    *site = ts_chip_site(self, tile);
    return TS_OK;
}

static enum ts_code verdict(const char *why, struct ts_noc_xy tile, uint64_t address,
                            struct ts_error *error)
{
    if (why == NULL)
        return TS_OK;
    return ts_fail(error, TS_SETUP, "host access to 0x%llx of %u-%u: %s",
                   (unsigned long long)address, tile.x, tile.y, why);
}

#define HOST_ACCESS(does, pointer)                                                             \
    enum ts_code ts_chip_##does(struct ts_chip *self, struct ts_noc_xy tile, uint64_t address, \
                                pointer bytes, uint32_t length, struct ts_error *error)        \
    {                                                                                          \
        struct ts_noc_site *site = NULL;                                                       \
        if (find(self, tile, &site, error) != TS_OK)                                           \
            return error->code;                                                                \
        ts_cycle now = ts_kernel_reached(self->kernel);                                        \
        return verdict(site->memory->does(site->context, address, bytes, length, now), tile,   \
                       address, error);                                                        \
    }
HOST_ACCESS(read, void *)
HOST_ACCESS(write, const void *)

// --- results ---

// All that a channel read has left through its endpoints, all that came in was written.
static enum ts_code audit_channel(const struct ts_chip *self, uint32_t channel,
                                  struct ts_error *error)
{
    const struct ts_dram *dram = &self->dram[channel];
    uint64_t out = 0, in = 0;
    for (unsigned i = 0; i < TS_DRAM_PORTS; i++) {
        struct ts_noc_xy tile = self->soc.dram[channel][i / TS_NOC_COUNT];
        const struct ts_noc_niu *niu =
            &ts_noc_torus_site(&self->torus, tile.x, tile.y)->niu[i % TS_NOC_COUNT];
        out += niu->due[TS_NOC_READ_RESPONSE].bytes;
        in += niu->in[TS_NOC_WRITE].bytes;
    }
    if (out != dram->bytes_read || in != dram->bytes_written)
        return ts_fail(error, TS_BUG,
                       "DRAM channel %u read %llu bytes and wrote %llu; %llu left its endpoints, "
                       "%llu came in",
                       channel, (unsigned long long)dram->bytes_read,
                       (unsigned long long)dram->bytes_written, (unsigned long long)out,
                       (unsigned long long)in);
    return TS_OK;
}

static enum ts_code audit_eth(const struct ts_tile *tile, bool ended, struct ts_error *error)
{
    const struct ts_domain *domain = tile->domain;
    bool looked = domain->activations == domain->at_rest; // before: nothing ran since
    uint32_t beyond = looked ? 0 : ts_tile_beyond(tile);
    if (beyond)
        return ts_fail(error, TS_CONTRACT,
                       "%s: a core wrote to 0x%x: the L1 of an Ethernet tile ends at 0x%x",
                       tile->domain->object.path, beyond, tile->l1_size);
    return ended ? ts_eth_audit(tile->eth, error) : TS_OK;
}

// The kernel's audit: made after every run of a kernel with a chip.
static enum ts_code audit(const void *context, const struct ts_run *run, struct ts_error *error)
{
    const struct ts_chip *self = context;
    bool ended = run->stop == TS_STOP_DONE;
    if (ts_noc_torus_check(&self->torus, run->cycle, ended, error) != TS_OK)
        return error->code;
    for (uint32_t i = 0; i < self->soc.channels; i++)
        if (ts_dram_audit(&self->dram[i], i, run->cycle, error) != TS_OK ||
            (ended && audit_channel(self, i, error) != TS_OK))
            return error->code;
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++)
        if (self->eth[i] && audit_eth(self->eth[i], ended, error) != TS_OK)
            return error->code;
    return TS_OK;
}

enum ts_code ts_chip_check(const struct ts_chip *self, const struct ts_run *run,
                           struct ts_error *error)
{
    return audit(self, run, error);
}

static json_t *eth_json(const struct ts_chip *self, ts_cycle span)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++) {
        const struct ts_eth *eth = self->eth[i] ? self->eth[i]->eth : NULL;
        if (eth == NULL)
            continue;
        json_t *row = json_pack(
            "{s:i, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "channel", (int)i, "up", (int)eth->up,
            "frames_sent", (json_int_t)eth->sent, "frames_received", (json_int_t)eth->received,
            "frames_lost", (json_int_t)eth->lost, "resent", (json_int_t)eth->resent, "bytes_out",
            (json_int_t)eth->bytes_out, "bytes_in", (json_int_t)eth->bytes_in, "utilisation",
            (double)eth->busy / 65536 / (span ? (double)span : 1));
        if (eth->other)
            json_object_set_new(row, "to",
                                json_sprintf("%u/eth%u", eth->other->chip, eth->other->channel));
        json_array_append_new(rows, row);
    }
    return rows;
}

json_t *ts_chip_json(const struct ts_chip *self, ts_cycle span)
{
    json_t *channels = json_array();
    double cycles = span ? (double)span : 1;
    for (uint32_t i = 0; i < self->soc.channels; i++) {
        const struct ts_dram *dram = &self->dram[i];
        ts_json_add(channels, "{s:i, s:I, s:I, s:f, s:I}", "channel", (int)i, "bytes_read",
                    (json_int_t)dram->bytes_read, "bytes_written", (json_int_t)dram->bytes_written,
                    "utilisation", (double)ts_dram_busy(dram, span) / cycles, "allocated",
                    (json_int_t)dram->allocated);
    }
    json_t *document = json_pack("{s:o, s:o}", "nocs", ts_noc_torus_json(&self->torus, span),
                                 "dram", channels);
    json_t *eth = eth_json(self, span);
    if (json_array_size(eth))
        json_object_set(document, "eth", eth);
    json_decref(eth);
    return document;
}
