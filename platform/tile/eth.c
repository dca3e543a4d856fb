// An Ethernet tile: its queues as its two cores see them (noc/eth.h, tile.h).
#include "platform/kernel/kernel.h"
#include "platform/tile/windows.h"

static enum ts_rv_answer load(void *context, unsigned core, uint32_t address, unsigned size,
                              ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_eth *eth = context;
    struct ts_error error = {TS_OK, ""};
    (void)core, (void)size, (void)now;
    if (ts_eth_load(eth, address, &reply->value, &error) != TS_OK)
        return ts_tile_refuse(reply, error.code, "%.290s", error.text);
    ts_window_narrow(reply, address);
    reply->settled = true;
    reply->object = &eth->status;
    return TS_RV_DONE;
}

static enum ts_rv_answer store(void *context, unsigned core, uint32_t address, unsigned size,
                               const uint32_t *words, unsigned count, ts_cycle now,
                               struct ts_rv_reply *reply)
{
    struct ts_eth *eth = context;
    struct ts_error error = {TS_OK, ""};
    const uint32_t pc = eth->check && core < TS_RV_CORES ? ts_store_pc(eth->context, core)
                                                         : TS_SITE_NO_PC;
    (void)size;
    for (unsigned i = 0; i < count; i++)
        if (ts_eth_store(eth, address, words[i], core, pc, now, &error) != TS_OK)
            return ts_tile_refuse(reply, error.code, "%.290s", error.text);
    return TS_RV_DONE;
}

static const char *read_l1(void *context, uint64_t address, void *bytes, uint32_t length,
                           ts_cycle now)
{
    return ts_tile_memory.read(context, address, bytes, length, now);
}

// What a frame brings.
static const char *write_l1(void *context, uint64_t address, const void *bytes, uint32_t length,
                            ts_cycle now)
{
    struct ts_tile *tile = context;
    tile->noc_writer = TS_FROM_LINK;
    if (address >= tile->l1_size || length > tile->l1_size - address)
        return ts_tile_memory.write(context, address, bytes, length, now);
    ts_l1_write(&tile->l1, (uint32_t)address, bytes, length, now);
    ts_l1_note(&tile->l1, (uint32_t)address, length, TS_BY_ETH, TS_NO_PC, now);
    return NULL;
}

static const struct ts_noc_memory memory = {.read = read_l1, .write = write_l1};

void ts_tile_join_eth(struct ts_tile *self, const struct ts_eth_params *params, uint32_t clock_mhz)
{
    self->eth = ts_kernel_alloc(ts_domain_kernel(self->domain), sizeof *self->eth);
    if (self->eth == NULL)
        return; // elaboration reports it
    ts_eth_init(self->eth, self->domain, params, clock_mhz, &memory, self, self->chip,
                (uint32_t)self->channel);
    self->eth->check = self->check;
    ts_tile_plug(self, TS_DEVICE_ETH, &(struct ts_window){load, store, self->eth});
}

uint32_t ts_tile_beyond(const struct ts_tile *self)
{
    for (uint32_t at = self->l1_size; at < TS_L1_SIZE; at += 4)
        if (*(const uint32_t *)(const void *)(self->l1.bytes + at) != 0)
            return at;
    return 0;
}
