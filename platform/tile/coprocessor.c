// See coprocessor.h: the windows between the cores and the coprocessor, and its hooks into the
// tile.
#include "platform/tile/coprocessor.h"

#include "platform/kernel/kernel.h"

#include <stdio.h>
#include <string.h>

// ---- answers

// Turns a hold into the bus's answer: a wait for an object, or cycles lost where their number is
// known.
static enum ts_rv_answer answer(struct ts_hold hold, ts_cycle now, struct ts_rv_reply *reply)
{
    if (ts_hold_go(hold))
        return TS_RV_DONE;
    if (hold.until != TS_NEVER) {
        reply->delay += (uint32_t)(hold.until - now);
        return TS_RV_DONE;
    }
    reply->reason = hold.reason;
    reply->object = hold.object;
    return TS_RV_WAIT;
}

static bool is_trisc(unsigned core)
{
    return core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2;
}

// Auto TTSync holds a TRISC's access while words on their way use the same registers.
static bool tracked(struct ts_coprocessor *self, unsigned core, unsigned resources, bool store,
                    ts_cycle now, struct ts_rv_reply *reply)
{
    if (!is_trisc(core))
        return false;
    struct ts_hold hold = ts_frontend_track(&self->front[core - TS_RV_TRISC0], resources, store,
                                            now);
    return answer(hold, now, reply) == TS_RV_WAIT;
}

// Part of a word, for loads of less than four bytes.
static void narrow(struct ts_rv_reply *reply, uint32_t address)
{
    reply->value >>= address % 4 * 8;
}

// ---- pushes

static enum ts_rv_answer push_store(void *context, unsigned core, uint32_t address, unsigned size,
                                    const uint32_t *words, unsigned count, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    unsigned window = (address - TS_RV_PUSH_BASE) >> 16;
    if (is_trisc(core) && window == 0)
        return answer(ts_frontend_push(&self->front[core - TS_RV_TRISC0], words, count, now), now,
                      reply);
    if (core != TS_RV_BRISC)
        return ts_tile_refuse(reply, TS_CONTRACT, "push to 0x%08x hangs this core", address);
    return answer(ts_frontend_push_brisc(&self->front[window], words[0], now), now, reply);
}

static enum ts_rv_answer push_load(void *context, unsigned core, uint32_t address, unsigned size,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    (void)context, (void)core, (void)size, (void)now;
    return ts_tile_refuse(reply, TS_CONTRACT, "load from the instruction FIFO at 0x%08x", address);
}

// ---- MOP configuration

static enum ts_rv_answer mop_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count, (void)now;
    unsigned index = (address & 0xfff) / 4;
    if (!is_trisc(core) || index >= TS_MOP_CFG_WORDS)
        return ts_tile_refuse(reply, TS_CONTRACT, "no MOP configuration register at 0x%08x",
                              address);
    ts_frontend_mop_config(&self->front[core - TS_RV_TRISC0], index, words[0]);
    return TS_RV_DONE;
}

static enum ts_rv_answer mop_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    (void)context, (void)core, (void)size, (void)now;
    return ts_tile_refuse(reply, TS_CONTRACT, "MOP configuration at 0x%08x is write-only", address);
}

// ---- GPRs: a TRISC sees its own 64, BRISC all 192

static uint32_t *gpr_of(struct ts_coprocessor *self, unsigned core, uint32_t address)
{
    unsigned index = (address & 0xfff) / 4;
    if (is_trisc(core))
        return index < TS_GPRS ? &self->tensix.gpr[core - TS_RV_TRISC0][index] : NULL;
    return index < TS_THREADS * TS_GPRS ? &self->tensix.gpr[0][0] + index : NULL;
}

static enum ts_rv_answer gpr_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    const uint32_t *gpr = gpr_of(self, core, address);
    if (!gpr)
        return ts_tile_refuse(reply, TS_CONTRACT, "no GPR at 0x%08x", address);
    if (tracked(self, core, TS_TRACK_GPR, false, now, reply))
        return TS_RV_WAIT;
    reply->value = *gpr;
    narrow(reply, address);
    return TS_RV_DONE;
}

static enum ts_rv_answer gpr_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    uint32_t *gpr = gpr_of(self, core, address);
    if (!gpr)
        return ts_tile_refuse(reply, TS_CONTRACT, "no GPR at 0x%08x", address);
    if (tracked(self, core, TS_TRACK_GPR, true, now, reply))
        return TS_RV_WAIT;
    *gpr = words[0];
    return TS_RV_DONE;
}

// ---- backend configuration

static unsigned cfg_resources(uint32_t word)
{
    unsigned both = TS_TRACK_CFG0 | TS_TRACK_CFG1;
    if (word >= 2 * TS_CFG_WORDS || word % TS_CFG_WORDS >= TS_CFG_GLOBAL_BASE)
        return both;
    return word < TS_CFG_WORDS ? TS_TRACK_CFG0 : TS_TRACK_CFG1;
}

static enum ts_rv_answer cfg_load(void *context, unsigned core, uint32_t address, unsigned size,
                                  ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    uint32_t word = (address & 0xffff) / 4;
    if (tracked(self, core, cfg_resources(word), false, now, reply))
        return TS_RV_WAIT;
    struct ts_hold hold = ts_config_external_accept(&self->config, now);
    if (!ts_config_external_read(&self->config, word, &reply->value, now))
        return ts_tile_refuse(reply, TS_CONTRACT, "no configuration register at 0x%08x", address);
    narrow(reply, address);
    return answer(hold, now, reply);
}

static enum ts_rv_answer cfg_store(void *context, unsigned core, uint32_t address, unsigned size,
                                   const uint32_t *words, unsigned count, ts_cycle now,
                                   struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    uint32_t word = (address & 0xffff) / 4;
    if (tracked(self, core, cfg_resources(word), true, now, reply))
        return TS_RV_WAIT;
    struct ts_hold hold = ts_config_external_accept(&self->config, now);
    if (!ts_config_external_write(&self->config, word, words[0], now))
        return ts_tile_refuse(reply, TS_CONTRACT, "configuration at 0x%08x cannot be written",
                              address);
    return answer(hold, now, reply);
}

// ---- semaphores and Manual TTSync

enum { DRAINED = 0x4, MOP_DRAINED = 0x8, SEMAPHORES = 0x20 };

static enum ts_rv_answer sync_load(void *context, unsigned core, uint32_t address, unsigned size,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    uint32_t offset = address & 0xffff;
    if (!is_trisc(core))
        return ts_tile_refuse(reply, TS_CONTRACT, "load from 0x%08x by a core that is no TRISC",
                              address);
    struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
    if (offset >= SEMAPHORES && offset < SEMAPHORES + 4 * TS_SEMAPHORES) {
        struct ts_sync_semaphore *s = &self->sync.semaphore[(offset - SEMAPHORES) / 4];
        reply->value = ts_sync_value(s, now);
        // Every change wakes the waiters: a core that polls may sleep.
        reply->settled = s->changed != now;
        reply->object = &s->object;
        return TS_RV_DONE;
    }
    if (offset == DRAINED)
        return answer(ts_frontend_drained(front, now), now, reply);
    if (offset == MOP_DRAINED)
        return answer(ts_frontend_mop_drained(front, now), now, reply);
    return ts_tile_refuse(reply, TS_CONTRACT, "nothing at 0x%08x", address);
}

static enum ts_rv_answer sync_store(void *context, unsigned core, uint32_t address, unsigned size,
                                    const uint32_t *words, unsigned count, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    uint32_t offset = address & 0xffff;
    if (!is_trisc(core) || offset < SEMAPHORES || offset >= SEMAPHORES + 4 * TS_SEMAPHORES)
        return ts_tile_refuse(reply, TS_CONTRACT, "nothing at 0x%08x", address);
    struct ts_hold hold = ts_sync_riscv_accept(&self->sync, now);
    ts_sync_riscv_write(&self->sync, (offset - SEMAPHORES) / 4, words[0], now);
    return answer(hold, now, reply);
}

// ---- TDMA-RISC

static enum ts_rv_answer tdma_load(void *context, unsigned core, uint32_t address, unsigned size,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size;
    if (tracked(self, core, TS_TRACK_TDMA, false, now, reply))
        return TS_RV_WAIT;
    if (!ts_mover_read(&self->mover, core, address & 0xffc, &reply->value, now))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "load from 0x%08x: TDMA-RISC register",
                              address);
    narrow(reply, address);
    return TS_RV_DONE;
}

static enum ts_rv_answer tdma_store(void *context, unsigned core, uint32_t address, unsigned size,
                                    const uint32_t *words, unsigned count, ts_cycle now,
                                    struct ts_rv_reply *reply)
{
    struct ts_coprocessor *self = context;
    (void)size, (void)count;
    if (tracked(self, core, TS_TRACK_TDMA, true, now, reply))
        return TS_RV_WAIT;
    if (answer(ts_mover_write_hold(&self->mover, address & 0xfff, now), now, reply) == TS_RV_WAIT)
        return TS_RV_WAIT;
    if (!ts_mover_write(&self->mover, core, address & 0xfff, words[0], now))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "store to 0x%08x: TDMA-RISC register",
                              address);
    return TS_RV_DONE;
}

// ---- hooks of the units into the tile

static ts_cycle l1_request(void *context, uint32_t addr, unsigned bytes, bool write, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    // A narrow write keeps its bank: five cycles (L1-009).
    uint32_t busy = write && bytes < TS_L1_GRANULE ? 5 : 1;
    return ts_l1_reserve(&self->tile->l1, TS_L1_PORT_B_T0_NC, addr, now, busy) + busy;
}

static void l1_written(void *context, uint32_t addr, unsigned bytes, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    ts_l1_notify(&self->tile->l1, addr, bytes, now);
}

static bool mmio_read(void *context, uint32_t addr, uint32_t *value, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    struct ts_rv_reply reply = {0};
    if (ts_tile_load(self->tile, TS_OUTSIDE, addr, 4, now, &reply) != TS_RV_DONE)
        return false;
    *value = reply.value;
    return true;
}

static bool mmio_write(void *context, uint32_t addr, uint32_t value, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    struct ts_rv_reply reply = {0};
    return ts_tile_store(self->tile, TS_OUTSIDE, addr, 4, &value, 1, now, &reply) == TS_RV_DONE;
}

static void cfg_written(void *context, unsigned addr, uint32_t value, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    (void)now;
    // Bits in the order BRISC, TRISC0..2, NCRISC, which is that of the cores.
    if (addr == TS_CFG_ADDR_RISCV_IC_INVALIDATE_InvalidateAll)
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            if (value & 1u << core)
                ts_rv_core_icache_clear(&self->tile->cores[core]);
}

static uint32_t status(void *context, unsigned core, unsigned which, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    uint32_t all = 0, own;
    for (unsigned t = 0; t < TS_THREADS; t++)
        all |= ts_frontend_status(&self->front[t], which == 1, now);
    own = is_trisc(core) ? ts_frontend_status(&self->front[core - TS_RV_TRISC0], which == 1, now)
                         : all;
    return which == 1 ? own | all << 11 : own | all << 13;
}

// Bits of RISCV_DEBUG_REG_SOFT_RESET_0 that concern the coprocessor.
enum { RESET_MOVER = 1 << 6, RESET_TDMA = 1 << 8, RESET_SCALAR = 1 << 9, RESET_TRISC0 = 1 << 12 };
#define RESET_UNITS  0x7b84bfu // unpackers, packers, matrix, vector, Src, Dst: their units' business
#define RESET_TTSYNC (1u << 23)

static void soft_reset(void *context, uint32_t before, uint32_t after, ts_cycle now)
{
    struct ts_coprocessor *self = context;
    uint32_t entered = after & ~before;
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (entered & (uint32_t)RESET_TRISC0 << t)
            ts_frontend_core_reset(&self->front[t], now);
    if (entered & (RESET_MOVER | RESET_TDMA))
        ts_mover_abort(&self->mover, entered & RESET_MOVER, entered & RESET_TDMA, now);
    if (entered & RESET_SCALAR)
        ts_scalar_abort(&self->scalar, now);
    if (entered & (RESET_UNITS | RESET_TTSYNC))
        ts_fault(&self->front[0].component, now, TS_NOT_IMPLEMENTED,
                 "not implemented: soft reset bits 0x%x", entered & (RESET_UNITS | RESET_TTSYNC));
}

// ---- construction

void ts_coprocessor_init(struct ts_coprocessor *self, struct ts_tile *tile)
{
    memset(self, 0, sizeof *self);
    self->tile = tile;
    ts_tensix_init(&self->tensix, tile->l1.bytes, TS_L1_SIZE);
    self->tensix.hooks = (struct ts_tensix_hooks){
        .tile = self,
        .l1_request = l1_request,
        .l1_written = l1_written,
        .mmio_read = mmio_read,
        .mmio_write = mmio_write,
        .cfg_written = cfg_written,
    };
    // Front ends first: what units change at the end of a cycle is seen in the next one.
    for (unsigned t = 0; t < TS_THREADS; t++)
        ts_frontend_init(&self->front[t], t, &self->tensix, &self->sync, tile->domain);
    ts_sync_init(&self->sync, &self->tensix, tile->domain);
    ts_config_init(&self->config, &self->tensix, tile->domain);
    ts_scalar_init(&self->scalar, &self->tensix, tile->domain);
    ts_misc_init(&self->misc, &self->tensix, tile->domain);
    ts_mover_init(&self->mover, &self->tensix, tile->domain);

    static const struct {
        enum ts_device device;
        struct ts_window window;
    } windows[] = {
        {TS_DEVICE_PUSH0, {push_load, push_store, NULL}},
        {TS_DEVICE_PUSH1, {push_load, push_store, NULL}},
        {TS_DEVICE_PUSH2, {push_load, push_store, NULL}},
        {TS_DEVICE_MOP, {mop_load, mop_store, NULL}},
        {TS_DEVICE_GPR, {gpr_load, gpr_store, NULL}},
        {TS_DEVICE_CFG, {cfg_load, cfg_store, NULL}},
        {TS_DEVICE_PCBUF0, {sync_load, sync_store, NULL}},
        {TS_DEVICE_TDMA, {tdma_load, tdma_store, NULL}},
    };
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct ts_window window = windows[i].window;
        window.context = self;
        ts_tile_plug(tile, windows[i].device, &window);
    }
    tile->tensix = self;
    tile->status = status;
    tile->soft_reset = soft_reset;
}

bool ts_coprocessor_furnish(struct ts_tile *tile, void *context, struct ts_error *error)
{
    (void)context;
    struct ts_coprocessor *self = ts_kernel_alloc(ts_domain_kernel(tile->domain),
                                                  sizeof(struct ts_coprocessor));
    if (!self) {
        ts_fail(error, TS_SETUP, "out of memory");
        return false;
    }
    ts_coprocessor_init(self, tile);
    return true;
}
