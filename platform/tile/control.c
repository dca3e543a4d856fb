// Tile control, debug and status registers (control.h).
#include "platform/tile/hooks.h"

enum {
#define TS_CONTROL_REGISTER(name, offset) name = offset,
#include "config/control_registers.def"
};

static const uint32_t reset_bits[TS_RV_CORES] = {1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 18};
static const uint32_t fixed_pc[TS_RV_CORES] = {0, 0x6000, 0xa000, 0xe000, 0x12000};
// RISCV_DEBUG_REG_DISABLE_RESET: the bit that keeps a core's local RAM over a reset.
static const uint32_t keep_local[TS_RV_CORES] = {1u << 6, 1u << 0, 1u << 2, 1u << 4, 1u << 8};

uint32_t ts_control_reset_bit(const struct ts_tile *tile, unsigned core)
{
    if (tile->channel < 0)
        return reset_bits[core];
    // An Ethernet tile has one or two cores: the model's BRISC and NCRISC.
    const uint32_t *start = tile->config.machine->eth_start;
    return core == TS_RV_BRISC ? 1u << 11 : core == TS_RV_NCRISC && start[1] ? 1u << 12 : 0;
}

static uint32_t all_bits(const struct ts_tile *tile)
{
    return tile->channel < 0
               ? TS_SOFT_RESET_ALL
               : ts_control_reset_bit(tile, TS_RV_BRISC) | ts_control_reset_bit(tile, TS_RV_NCRISC);
}

bool ts_control_all_held(const struct ts_tile *tile)
{
    const uint32_t all = all_bits(tile);
    return (tile->control.soft_reset & all) == all;
}

// The machine's rule start_in_config.
static uint32_t configured_pc(const struct ts_tile *tile, unsigned core)
{
    const uint32_t *cfg = tile->tensix.cfg.bank[0];
    if (core == TS_RV_NCRISC)
        return TS_CFG(cfg, NCRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en)
                   ? TS_CFG(cfg, NCRISC_RESET_PC_PC)
                   : fixed_pc[core];
    const unsigned i = core - TS_RV_TRISC0;
    return core != TS_RV_BRISC && TS_CFG(cfg, TRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en) >> i & 1
               ? cfg[TS_CFG_ADDR_TRISC_RESET_PC_SEC0_PC + i]
               : fixed_pc[core];
}

void ts_control_set_entry(struct ts_tile *tile, unsigned core, uint32_t pc)
{
    struct ts_control *self = &tile->control;
    uint32_t *cfg = tile->tensix.cfg.bank[0];
    const unsigned i = core - TS_RV_TRISC0;
    self->reset_pc[core] = pc;
    if (core == TS_RV_BRISC)
        return;
    if (!ts_machine_has(tile->config.machine, TS_RULE_start_in_config)) {
        if (core == TS_RV_NCRISC)
            self->ncrisc_override |= 1;
        else
            self->trisc_override |= 1u << i;
    } else if (core == TS_RV_NCRISC) {
        cfg[TS_CFG_ADDR_NCRISC_RESET_PC_PC] = pc;
        cfg[TS_CFG_ADDR_NCRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en] |= 1;
    } else {
        cfg[TS_CFG_ADDR_TRISC_RESET_PC_SEC0_PC + i] = pc;
        cfg[TS_CFG_ADDR_TRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en] |= 1u << i;
    }
}

static uint32_t start_pc(const struct ts_tile *tile, unsigned core)
{
    const struct ts_control *self = &tile->control;
    if (tile->channel >= 0)
        return self->reset_pc[core];
    if (ts_machine_has(tile->config.machine, TS_RULE_start_in_config))
        return configured_pc(tile, core);
    bool set = core == TS_RV_NCRISC  ? self->ncrisc_override & 1
               : core == TS_RV_BRISC ? false
                                     : self->trisc_override >> (core - TS_RV_TRISC0) & 1;
    return set ? self->reset_pc[core] : fixed_pc[core];
}

void ts_control_init(struct ts_tile *tile)
{
    struct ts_control *self = &tile->control;
    memset(self, 0, sizeof *self);
    self->soft_reset = all_bits(tile);
    self->timestamper.control = 3;
    self->timestamper.buffer[0].valid = self->timestamper.buffer[1].valid = true;
}

// A core of an Ethernet tile without a program belongs to the card's own firmware, which is not executed.
static bool starts(const struct ts_tile *tile, unsigned core)
{
    uint32_t word = 0;
    if (tile->channel >= 0 && start_pc(tile, core) == 0)
        memcpy(&word, tile->l1.bytes, sizeof word);
    else
        word = 1;
    return word != 0;
}

static void soft_reset(struct ts_tile *tile, uint32_t value, ts_cycle now)
{
    struct ts_control *self = &tile->control;
    uint32_t before = self->soft_reset;
    if (tile->channel >= 0) // it has no other cores
        value &= all_bits(tile);
    self->soft_reset = value;
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        uint32_t bit = ts_control_reset_bit(tile, core);
        if (!(before & bit) && value & bit) {
            ts_rv_core_hold(&tile->cores[core], now);
            ts_queues_held(&tile->queues, core, now);
        }
    }
    if (before != value && tile->channel < 0)
        ts_tile_soft_reset(tile, before, value, now);
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        uint32_t bit = ts_control_reset_bit(tile, core);
        if (before & bit && !(value & bit) && starts(tile, core)) {
            ts_queues_released(&tile->queues, core, now);
            ts_rv_core_release(&tile->cores[core], start_pc(tile, core),
                               !(self->disable_reset & keep_local[core]), now);
        }
    }
}

// --- debug timestamper
// --------------------------------------------------------------------------------------------

static void stamp_flush(struct ts_tile *tile, ts_cycle now)
{
    struct ts_timestamper *self = &tile->control.timestamper;
    while (self->position < 4)
        self->data[self->position++] = 0;
    self->position = self->event_bits = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (!self->buffer[i].valid ||
            self->buffer[i].start + self->buffer[i].position > self->buffer[i].end)
            continue;
        uint32_t address = (self->buffer[i].start + self->buffer[i].position) * 16;
        if (ts_l1_contains(address, 16))
            ts_l1_write(&tile->l1, address, self->data, 16, now);
        self->buffer[i].position++;
        if (self->buffer[i].start + self->buffer[i].position > self->buffer[i].end)
            self->buffer[i].full = true;
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        self->buffer[i].overflow |= self->buffer[i].valid;
}

static void stamp_append(struct ts_tile *tile, uint32_t word, ts_cycle now)
{
    struct ts_timestamper *self = &tile->control.timestamper;
    self->data[self->position++] = word;
    if (self->position == 4)
        stamp_flush(tile, now);
}

static enum ts_rv_answer stamp(struct ts_tile *tile, uint32_t value, ts_cycle now,
                               struct ts_rv_reply *reply)
{
    static const uint8_t bits_of[8] = {128, 64, 32, 64, 96, 0, 0, 96};
    struct ts_timestamper *self = &tile->control.timestamper;
    uint32_t kind = value & 7, bits = bits_of[kind];
    if (bits == 0 || (self->event_bits != 0 && self->event_bits != bits))
        return ts_tile_refuse(reply, TS_CONTRACT,
                              "debug timestamper: event 0x%08x is undefined here", value);
    self->event_bits = bits;
    if (kind == 3 || kind == 7) {
        stamp_flush(tile, now);
        return TS_RV_DONE;
    }
    if (kind == 2) {
        stamp_append(tile, (value & 0xffff) | (uint32_t)(now & 0x001fffe0) << 11, now);
        return TS_RV_DONE;
    }
    stamp_append(tile, value, now);
    stamp_append(tile, (uint32_t)now, now);
    if (bits >= 96)
        stamp_append(tile, (uint32_t)(now >> 32), now);
    if (bits == 128)
        stamp_append(tile, 0, now);
    return TS_RV_DONE;
}

static uint32_t stamp_status(const struct ts_timestamper *self)
{
    uint32_t at = self->position;
    return (uint32_t)self->buffer[0].full | (uint32_t)self->buffer[1].full << 1 |
           (uint32_t)self->buffer[0].overflow << 4 | (uint32_t)self->buffer[1].overflow << 5 |
           (self->event_bits == 64 ? at / 2 : 0) << 8 | (self->event_bits == 32 ? at : 0) << 9 |
           (self->event_bits == 96 ? (4 - at) & 3 : 0) << 11 |
           (self->buffer[0].position & 0x3ffff) << 14;
}

static void stamp_acknowledge(struct ts_timestamper *self, uint32_t value)
{
    for (unsigned i = 0; i < 2; i++) {
        if (value >> i & 1) {
            self->buffer[i].full = false;
            self->buffer[i].position = 0;
        }
        if (value >> (4 + i) & 1)
            self->buffer[i].overflow = false;
    }
}

static uint32_t *stamp_bound(struct ts_timestamper *self, uint32_t offset)
{
    unsigned i = (offset - TIMESTAMP_BUF0_START) / 4;
    return i % 2 == 0 ? &self->buffer[i / 2].start : &self->buffer[i / 2].end;
}

static void stamp_control(struct ts_timestamper *self, uint32_t value)
{
    self->control = value;
    self->buffer[0].valid = value & 1;
    self->buffer[1].valid = value >> 1 & 1;
    self->reset = value >> 31;
    if (self->reset) {
        for (unsigned i = 0; i < 2; i++)
            self->buffer[i].full = self->buffer[i].overflow = false;
        self->position = self->event_bits = 0;
    }
}

// --- registers
// ----------------------------------------------------------------------------------------------------

// What is at an offset that is not modelled; NULL: plain storage.
static const char *absent(uint32_t offset)
{
    if (offset >= DBG_L1_MEM_REG0 && offset <= DBG_L1_MEM_REG2)
        return "writes of the debug bus to L1";
    if (offset >= ECC_CTRL && offset <= WDT_STATUS)
        return "ECC and the watchdog";
    return NULL;
}

enum ts_rv_answer ts_control_load(struct ts_tile *tile, uint32_t offset, ts_cycle now,
                                  struct ts_rv_reply *reply)
{
    struct ts_control *self = &tile->control;
    offset &= ~3u;
    switch (offset) {
    case SOFT_RESET_0:
        reply->value = self->soft_reset;
        return TS_RV_DONE;
    case WALL_CLOCK_L:
        self->wall_high = (uint32_t)(now >> 32);
        reply->value = (uint32_t)now;
        return TS_RV_DONE;
    case WALL_CLOCK_L4:
        reply->value = (uint32_t)(now >> 32);
        return TS_RV_DONE;
    case WALL_CLOCK_H:
        reply->value = self->wall_high;
        return TS_RV_DONE;
    case TIMESTAMP:
        reply->value = 0;
        return TS_RV_DONE;
    case TIMESTAMP_CNTL:
        reply->value = self->timestamper.control;
        return TS_RV_DONE;
    case TIMESTAMP_STATUS:
        reply->value = stamp_status(&self->timestamper);
        return TS_RV_DONE;
    case PC_BUF_OVERRIDE:
        reply->value = tile->queues.override;
        return TS_RV_DONE;
    case DISABLE_RESET:
        reply->value = self->disable_reset;
        return TS_RV_DONE;
    case TRISC_OVERRIDE:
        reply->value = self->trisc_override;
        return TS_RV_DONE;
    case NCRISC_OVERRIDE:
        reply->value = self->ncrisc_override;
        return TS_RV_DONE;
    case NCRISC_RESET_PC:
        reply->value = self->reset_pc[TS_RV_NCRISC];
        return TS_RV_DONE;
    }
    if (offset >= RISC_DBG_CNTL_0 && offset <= RISC_DBG_STATUS_1) {
        reply->value = ts_debug_port_load(tile, (offset - RISC_DBG_CNTL_0) / 4);
        return TS_RV_DONE;
    }
    if (ts_debug_bus_has(offset))
        return ts_debug_bus_load(tile, offset, now, reply);
    if (offset >= INSTRN_BUF_CTRL0 && offset <= INSTRN_BUF_STATUS) {
        reply->value = ts_debug_push_load(tile, (offset - INSTRN_BUF_CTRL0) / 4, now);
        return TS_RV_DONE;
    }
    if (ts_perf_has(offset))
        return ts_perf_load(tile, offset, now, reply);
    if (offset >= TIMESTAMP_BUF0_START && offset <= TIMESTAMP_BUF1_END) {
        reply->value = *stamp_bound(&self->timestamper, offset);
        return TS_RV_DONE;
    }
    if (offset >= TRISC0_RESET_PC && offset <= TRISC2_RESET_PC) {
        reply->value = self->reset_pc[TS_RV_TRISC0 + (offset - TRISC0_RESET_PC) / 4];
        return TS_RV_DONE;
    }
    const char *what = absent(offset);
    if (what != NULL || offset >= sizeof self->storage)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "load from 0xffb12%03x: %s", offset,
                              what ? what : "no such register");
    reply->value = self->storage[offset / 4];
    return TS_RV_DONE;
}

enum ts_rv_answer ts_control_store(struct ts_tile *tile, uint32_t offset, uint32_t value,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_control *self = &tile->control;
    offset &= ~3u;
    switch (offset) {
    case SOFT_RESET_0:
        soft_reset(tile, value, now);
        return TS_RV_DONE;
    case WALL_CLOCK_L:
        self->wall_high = (uint32_t)(now >> 32);
        return TS_RV_DONE;
    case WALL_CLOCK_L4:
    case WALL_CLOCK_H:
        return TS_RV_DONE;
    case TIMESTAMP:
        return stamp(tile, value, now, reply);
    case TIMESTAMP_CNTL:
        stamp_control(&self->timestamper, value);
        return TS_RV_DONE;
    case TIMESTAMP_STATUS:
        stamp_acknowledge(&self->timestamper, value);
        return TS_RV_DONE;
    case PC_BUF_OVERRIDE:
        tile->queues.override = value;
        for (unsigned i = 0; i < TS_PCBUFS; i++) {
            ts_wake_all(&tile->queues.pcbuf[i].words, now + 1);
            ts_wake_all(&tile->queues.pcbuf_drained[i], now + 1);
        }
        return TS_RV_DONE;
    case DISABLE_RESET:
        self->disable_reset = value;
        return TS_RV_DONE;
    case TRISC_OVERRIDE:
        self->trisc_override = value;
        return TS_RV_DONE;
    case NCRISC_OVERRIDE:
        self->ncrisc_override = value;
        return TS_RV_DONE;
    case NCRISC_RESET_PC:
        self->reset_pc[TS_RV_NCRISC] = value;
        return TS_RV_DONE;
    }
    if (offset >= RISC_DBG_CNTL_0 && offset <= RISC_DBG_STATUS_1)
        return ts_debug_port_store(tile, (offset - RISC_DBG_CNTL_0) / 4, value, now, reply);
    if (ts_debug_bus_has(offset))
        return ts_debug_bus_store(tile, offset, value, now, reply);
    if (offset >= INSTRN_BUF_CTRL0 && offset <= INSTRN_BUF_STATUS)
        return ts_debug_push_store(tile, (offset - INSTRN_BUF_CTRL0) / 4, value, now, reply);
    if (ts_perf_has(offset))
        return ts_perf_store(tile, offset, value, now, reply);
    if (offset >= TIMESTAMP_BUF0_START && offset <= TIMESTAMP_BUF1_END) {
        *stamp_bound(&self->timestamper, offset) = value;
        return TS_RV_DONE;
    }
    if (offset >= TRISC0_RESET_PC && offset <= TRISC2_RESET_PC) {
        self->reset_pc[TS_RV_TRISC0 + (offset - TRISC0_RESET_PC) / 4] = value;
        return TS_RV_DONE;
    }
    if (offset == DBG_FEATURE_DISABLE)
        ts_tile_features(tile, value, now);
    const char *what = absent(offset);
    if (what != NULL || offset >= sizeof self->storage)
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "store to 0xffb12%03x: %s", offset,
                              what ? what : "no such register");
    self->storage[offset / 4] = value;
    return TS_RV_DONE;
}
