// units/mover.c: see mover.h.
#include "units/mover.h"

// Offsets from 0xFFB11000, and commands.
enum {
    XMOV_DIRECTION = 0x0c,
    COMMAND = 0x10,
    STATUS = 0x14,
    CLK_GATE_EN = 0x24,
    CLK_GATE_HYST = 0x28,
    L1_BASE = 0x2c,
};
enum { CMD_MOVE = 0x40, CMD_WAIT = 0x46, CMD_WRITE = 0x66, CMD_NOP = 0x89 };

// ---- the job

static bool begin(struct ts_mover_unit *self, uint32_t dst, uint32_t src, uint32_t bytes,
                  unsigned mode, ts_cycle now)
{
    uint32_t l1 = self->tensix->l1_bytes;
    bool to_l1 = mode == TS_MOVER_CLEAR_L1 || mode == TS_MOVER_L1_TO_L1;
    bool copies = mode == TS_MOVER_L1_TO_L1 || mode == TS_MOVER_L1_TO_CFG;
    if (to_l1 ? dst > l1 || l1 - dst < bytes : (dst & 0xffff) + bytes > 0x10000)
        return false;
    if (copies && (src > l1 || l1 - src < bytes))
        return false;
    self->running = true;
    self->mode = (uint8_t)mode;
    self->dst = dst;
    self->src = src;
    self->left = bytes;
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->unit.busy_until[t] = TS_NEVER;
    ts_wake(&self->unit.component, now + self->tensix->timing.mover_start);
    return true;
}

#define IRAM 0x40000u // as the mover has it

static void write_config(struct ts_mover_unit *self, uint32_t offset, const uint32_t *value,
                         ts_cycle now)
{
    struct ts_tensix *tensix = self->tensix;
    if (offset - IRAM < tensix->cfg.machine->iram_bytes) {
        memcpy(tensix->l1 + TS_L1_IRAM + (offset - IRAM), value, 16);
        ts_tensix_l1_written(tensix, TS_L1_IRAM + (offset - IRAM), 16, now);
    }
    if (offset > 0xffff)
        return; // elsewhere nothing is there: the operation still happens
    for (unsigned i = 0; i < 4; i++) {
        uint32_t word = offset / 4 + i;
        const unsigned words = tensix->cfg.machine->cfg_words;
        if (word >= 3 * words)
            return;
        unsigned addr = word % words, window = word / words;
        ts_tensix_program(tensix, TS_BY_NOBODY, window == 1, addr, value[i], now);
        if (window == 2)
            ts_tensix_program(tensix, TS_BY_NOBODY, 1, addr, value[i], now);
    }
}

// A 16-byte request to L1: when the last one so far completes.
static ts_cycle request(const struct ts_mover_unit *self, uint32_t addr, bool write,
                        ts_cycle served, ts_cycle now)
{
    const struct ts_tensix_hooks *hooks = &self->tensix->hooks;
    ts_cycle at = hooks->l1_request ? hooks->l1_request(hooks->tile, addr, 16, write, now) : now;
    return at > served ? at : served;
}

// The next burst: moves its bytes and returns how long it takes.
static uint32_t burst(struct ts_mover_unit *self, ts_cycle now)
{
    const struct ts_tensix_timing *t = &self->tensix->timing;
    bool copies = self->mode == TS_MOVER_L1_TO_L1 || self->mode == TS_MOVER_L1_TO_CFG;
    bool to_l1 = self->mode == TS_MOVER_CLEAR_L1 || self->mode == TS_MOVER_L1_TO_L1;
    uint32_t units = self->left / 16, first = self->dst;
    if (units > t->mover_copy_beats)
        units = t->mover_copy_beats;
    ts_cycle served = now;
    for (uint32_t i = 0; i < units; i++) {
        if (copies)
            served = request(self, self->src, false, served, now);
        if (to_l1)
            served = request(self, self->dst, true, served, now);
        uint32_t data[4] = {0};
        if (copies)
            memcpy(data, self->tensix->l1 + self->src, 16);
        if (to_l1)
            memcpy(self->tensix->l1 + self->dst, data, 16);
        else
            write_config(self, self->dst, data, now);
        self->src += 16;
        self->dst += 16;
    }
    if (to_l1) {
        ts_tensix_l1_written(self->tensix, first, units * 16, now);
        ts_tensix_access(self->tensix, 0, TS_UNIT_MOVER, TS_OBJECT_L1, TS_HOW_WRITE, first,
                         units * 16);
    }
    if (copies)
        ts_tensix_access(self->tensix, 0, TS_UNIT_MOVER, TS_OBJECT_L1, TS_HOW_READ,
                         self->src - units * 16, units * 16);
    self->left -= units * 16;
    self->bytes += units * 16;
    uint32_t cycles = units * t->mover_fill_cycles;
    if (copies)
        cycles = (units * t->mover_copy_cycles + t->mover_copy_beats - 1) / t->mover_copy_beats;
    return served - now > cycles ? (uint32_t)(served - now) : cycles;
}

// ---- the command processor

static bool command(struct ts_mover_unit *self, ts_cycle now)
{
    struct ts_tdma_command *c = &self->queue[self->first];
    bool compact = c->command >> 31;
    switch (c->command & 0xff) {
    case CMD_MOVE: {
        uint32_t src = c->param[0], dst = c->param[1], count = c->param[2] & 0xffff;
        unsigned mode = c->param[3] & 3;
        if (compact) {
            src = c->base + (c->command >> 8 & 0xff);
            dst = c->command >> 16 & 0xff;
            count = c->command >> 24 & 0x3f;
            mode = c->command >> 30 & 1 ? TS_MOVER_L1_TO_L1 : TS_MOVER_L1_TO_CFG;
        }
        return begin(self, dst << 4, src << 4, count << 4, mode, now);
    }
    case CMD_WAIT:
    case CMD_NOP:
        return true;
    case CMD_WRITE: {
        unsigned bytes = c->command & 0x100 ? 8 : 4;
        uint32_t l1 = self->tensix->l1_bytes, dst = c->param[0];
        if (compact || (c->command & 0x600) != 0x600 || dst > l1 || l1 - dst < bytes)
            return false;
        memcpy(self->tensix->l1 + dst, &c->param[2], bytes);
        ts_tensix_l1_written(self->tensix, dst, bytes, now);
        ts_tensix_access(self->tensix, 0, TS_UNIT_MOVER, TS_OBJECT_L1, TS_HOW_WRITE, dst, bytes);
        return true;
    }
    default:
        return false;
    }
}

// ---- TDMA-RISC: registers for cores

bool ts_mover_write_accept(const struct ts_mover_unit *self, uint32_t offset, struct ts_hold *hold)
{
    if (offset == COMMAND && self->queued == TS_TDMA_QUEUE)
        return ts_held(hold, TS_STALL_FIFO_FULL, &self->unit.component.object, TS_NEVER);
    return true;
}

bool ts_mover_write(struct ts_mover_unit *self, unsigned client, uint32_t offset, uint32_t value,
                    ts_cycle now)
{
    if (offset <= XMOV_DIRECTION) {
        self->param[offset / 4] = value;
        return true;
    }
    if (offset == L1_BASE) {
        self->base[client < TS_MOVER_CLIENTS ? client : 1] = value;
        return true;
    }
    // Clock gating, with a scaler of PACR_SETREG (handled by the packer) and the address of
    // UNPACR_NOP: stored, without effect here.
    if (offset == CLK_GATE_EN || offset == CLK_GATE_HYST) {
        self->gate[offset == CLK_GATE_HYST] = value &
                                              (offset == CLK_GATE_EN ? 0xffffff7f : 0x01ff007f);
        return true;
    }
    if (offset != COMMAND)
        return offset == STATUS;
    struct ts_tdma_command *c = &self->queue[(self->first + self->queued) % TS_TDMA_QUEUE];
    self->queued++;
    *c = (struct ts_tdma_command){.command = value,
                                  .base = self->base[client < TS_MOVER_CLIENTS ? client : 1]};
    if (!(value >> 31))
        memcpy(c->param, self->param, sizeof c->param);
    ts_wake(&self->unit.component, now + 1);
    return true;
}

bool ts_mover_read(struct ts_mover_unit *self, unsigned client, uint32_t offset, uint32_t *value,
                   ts_cycle now)
{
    (void)now;
    *value = 0;
    if (offset <= COMMAND)
        return true;
    if (offset == L1_BASE) {
        *value = self->base[client < TS_MOVER_CLIENTS ? client : 1];
        return true;
    }
    if (offset == CLK_GATE_EN || offset == CLK_GATE_HYST) {
        *value = self->gate[offset == CLK_GATE_HYST];
        return true;
    }
    if (offset != STATUS)
        return false;
    unsigned parameters = 0;
    for (unsigned i = 0; i < self->queued; i++)
        parameters += !(self->queue[(self->first + i) % TS_TDMA_QUEUE].command >> 31);
    *value = self->running | (uint32_t)(self->queued == TS_TDMA_QUEUE) << 2 |
             (uint32_t)(self->queued == 0) << 3 | (uint32_t)(parameters >= 2) << 4 |
             (uint32_t)(parameters == 0) << 5 | (uint32_t)(TS_TDMA_QUEUE - self->queued) << 8;
    return true;
}

// ---- instructions

static bool ts_mover_XMOV(struct ts_mover_unit *self, struct ts_word in, ts_cycle now)
{
    if (ts_decode_XMOV(in.word).mov_block_selection)
        return ts_unit_refuse(&self->unit, in, now,
                              "not implemented: block selection 1 has no specification");
    const uint32_t *cfg = ts_cfg_of(&self->tensix->cfg, in.thread);
    if (!begin(self, TS_CFG(cfg, THCON_SEC0_REG6_Destination_address) << 4,
               TS_CFG(cfg, THCON_SEC0_REG6_Source_address) << 4,
               (TS_CFG(cfg, THCON_SEC0_REG6_Buffer_size) & 0xffff) << 4,
               TS_CFG(cfg, THCON_SEC0_REG6_Transfer_direction), now))
        return ts_unit_breach(&self->unit, in, now, "addresses outside memory");
    return true;
}

// ---- the unit

void ts_mover_abort(struct ts_mover_unit *self, bool job, bool commands, ts_cycle now)
{
    if (job && self->running) {
        self->left = 0;
        self->running = false;
        for (unsigned t = 0; t < TS_THREADS; t++)
            self->unit.busy_until[t] = now;
    }
    if (commands)
        self->queued = 0;
    ts_unit_changed(&self->unit, now);
}

static bool mover_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                         struct ts_hold *hold)
{
    const struct ts_mover_unit *self = (const struct ts_mover_unit *)unit;
    (void)in, (void)now;
    if (self->running || self->queued)
        return ts_held(hold, TS_STALL_UNIT_BUSY, &unit->component.object, TS_NEVER);
    return true;
}

static bool mover_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    switch (in.op) {
#define TS_OP_MOVER(...) TS_CASE(mover, ((struct ts_mover_unit *)unit, in, now), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_unit_unspecified(unit, in, now);
}

static ts_step mover_step(struct ts_component *component, ts_cycle now)
{
    struct ts_mover_unit *self = (struct ts_mover_unit *)component;
    if (self->running) {
        if (self->left)
            return burst(self, now);
        self->running = false;
        for (unsigned t = 0; t < TS_THREADS; t++)
            self->unit.busy_until[t] = now;
        ts_unit_changed(&self->unit, now);
    }
    if (self->queued) {
        if (!command(self, now))
            return ts_fault(component, now, TS_CONTRACT, "TDMA command 0x%08x is undefined",
                            self->queue[self->first].command);
        self->first = (uint8_t)((self->first + 1) % TS_TDMA_QUEUE);
        self->queued--;
        ts_unit_changed(&self->unit, now);
        return 1;
    }
    return ts_idle(component, now);
}

static const struct ts_unit_ops mover_ops = {
    .id = TS_UNIT_MOVER,
    .accept = mover_accept,
    .start = mover_start,
};

static const struct ts_counter mover_counters[] = {
    TS_UNIT_COUNTER,
    {"bytes", "bytes", "copied or cleared", offsetof(struct ts_mover_unit, bytes)},
    {0},
};

static const struct ts_component_ops mover_component = {
    .kind = "unit",
    .step = mover_step,
    .counters = mover_counters,
};

void ts_mover_unit_init(struct ts_mover_unit *self, struct ts_tensix *tensix,
                        struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &mover_ops, &mover_component, tensix, domain, "mover");
    self->tensix = tensix;
}
