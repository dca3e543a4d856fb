// An Ethernet tile: its queues as its cores see them (noc/eth.h, tile.h).
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

// --- control of the cores: where they start; interrupts of Blackhole's, which stay off ---
// Source: tt-metal tt_metal/hw/inc/internal/tt-1xx/blackhole (reset addresses), tt-umd; ttsim 1.10.0; WormholeB0/EthernetTile/SoftReset.md.

#define IRAM_LOAD \
    0xffb94098u // of Wormhole: where in L1 the contents of the core's instruction RAM are, in units of 16 bytes
#define INTERRUPT_FIRST 0xffb14020u
#define INTERRUPT_LAST  0xffb14030u

static enum ts_rv_answer no_control(struct ts_rv_reply *reply, const char *verb, uint32_t address)
{
    return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                          "not implemented: %s 0x%08x, control of Ethernet cores", verb, address);
}

static uint32_t *start_of(struct ts_tile *tile, uint32_t address)
{
    const uint32_t *start = tile->config.machine->eth_start;
    return address == start[0]   ? &tile->control.reset_pc[TS_RV_BRISC]
           : address == start[1] ? &tile->control.reset_pc[TS_RV_NCRISC]
                                 : NULL;
}

static bool is_interrupt(uint32_t address)
{
    return address >= INTERRUPT_FIRST && address <= INTERRUPT_LAST;
}

static enum ts_rv_answer load_control(void *context, unsigned core, uint32_t address, unsigned size,
                                      ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_tile *tile = context;
    const uint32_t *start = start_of(tile, address & ~3u);
    (void)core, (void)size;
    if (start == NULL && !is_interrupt(address & ~3u) && (address & ~3u) != IRAM_LOAD)
        return no_control(reply, "load from", address);
    reply->value = start ? *start : now < tile->eth->filled;
    ts_window_narrow(reply, address);
    return TS_RV_DONE;
}

// 16 KiB, by the two connections to L1 that TX has. Software waits before it goes there: the bytes are there at once.
static enum ts_rv_answer fill(struct ts_tile *tile, uint32_t from, ts_cycle now,
                              struct ts_rv_reply *reply)
{
    const uint32_t bytes = tile->config.machine->iram_bytes;
    if (tile->eth->off != 3 || from > (tile->l1_size - bytes) / 16)
        return ts_tile_refuse(reply, TS_CONTRACT,
                              "store to 0x%08x: the instruction RAM takes %u bytes of L1, while RX "
                              "and TX are off (0xffba0000, 0xffba0004)",
                              IRAM_LOAD, bytes);
    ts_l1_write(&tile->l1, TS_L1_IRAM, tile->l1.bytes + 16 * from, bytes, now);
    tile->eth->filled = now + bytes / 32;
    return TS_RV_DONE;
}

static enum ts_rv_answer store_control(void *context, unsigned core, uint32_t address,
                                       unsigned size, const uint32_t *words, unsigned count,
                                       ts_cycle now, struct ts_rv_reply *reply)
{
    uint32_t *start = start_of(context, address);
    (void)core;
    if (size != 4 || count != 1)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "registers take words");
    if (start)
        *start = words[0];
    else if (address == IRAM_LOAD)
        return fill(context, words[0], now, reply);
    else if (!is_interrupt(address))
        return no_control(reply, "store to", address);
    else if (words[0] != 0)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED,
                              "not implemented: interrupt mode 0x%x of Ethernet cores (0x%08x)",
                              words[0], address);
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
    ts_eth_init(self->eth, self->domain, self->config.machine, params, clock_mhz, &memory, self,
                self->chip, (uint32_t)self->channel);
    self->eth->check = self->check;
    ts_tile_plug(self, TS_DEVICE_ETH, &(struct ts_window){load, store, self->eth});
    ts_tile_plug(self, TS_DEVICE_ETH_CONTROL,
                 &(struct ts_window){load_control, store_control, self});
}

uint32_t ts_tile_beyond(const struct ts_tile *self)
{
    const uint8_t *from = self->l1.bytes + self->l1_size;
    if (*from == 0 && memcmp(from, from + 1, TS_L1_SIZE - self->l1_size - 1) == 0)
        return 0; // the common case, at each step of a card: zero, and each byte is as the one before
    for (uint32_t at = self->l1_size; at < TS_L1_SIZE; at += 4)
        if (*(const uint32_t *)(const void *)(self->l1.bytes + at) != 0)
            return at;
    return 0;
}
