// A core's control and status registers.
//
// Source: BabyRISCV/CSRs.md.
// Inaccuracies: the event counters (mhpmcounter) count nothing; the stream status registers of the
// TRISCs are plain storage.
#include "cores/riscv/lsu.h"
#include "cores/riscv/record.h"

#define MSTATUS   0x80006600u
#define MISA      0x40201123u
#define FCSR_BITS 0xffu // rounding mode (unused) and five flags; the rest reads 0

// Slot of a CSR that is plain storage; -1 if it is not.
static int slot_of(uint32_t number)
{
    static const struct {
        uint16_t number;
        uint8_t slot;
    } map[] = {
#define TS_CSR(number, id, name) {number, TS_RV_CSR_##id},
#include "config/csrs.def"
    };
    for (unsigned i = 0; i < sizeof map / sizeof map[0]; i++)
        if (map[i].number == number)
            return map[i].slot;
    return -1;
}

bool ts_rv_csr_read(struct ts_rv_core *core, uint32_t number, ts_cycle at, uint64_t instret,
                    uint32_t *value)
{
    uint64_t cycles = at + core->cycle_base, retired = instret + core->instret_base;
    switch (number) {
    case 0x008: // vstart
    case 0xf14: // mhartid
        *value = 0;
        return true;
    case 0x300:
        *value = MSTATUS;
        return true;
    case 0x301:
        *value = MISA;
        return true;
    case 0xb00:
    case 0xc00:
        *value = (uint32_t)cycles;
        return true;
    case 0xb80:
    case 0xc80:
        *value = (uint32_t)(cycles >> 32);
        return true;
    case 0xb02:
    case 0xc02:
        *value = (uint32_t)retired;
        return true;
    case 0xb82:
    case 0xc82:
        *value = (uint32_t)(retired >> 32);
        return true;
    case 0xbc0:
    case 0xbc1:
        acted(core, at); // who looks ends streams of words: front ends may step in the next cycle
        *value = core->bus->ops->status
                     ? core->bus->ops->status(core->bus->context, core->id, number & 1, at, at)
                     : 0;
        return true;
    }
    int slot = slot_of(number);
    if (slot < 0)
        return false;
    *value = core->csr[slot];
    return true;
}

static uint64_t with_low(uint64_t old, uint32_t low)
{
    return (old & ~UINT64_C(0xffffffff)) | low;
}

static uint64_t with_high(uint64_t old, uint32_t high)
{
    return (old & UINT64_C(0xffffffff)) | (uint64_t)high << 32;
}

bool ts_rv_csr_write(struct ts_rv_core *core, uint32_t number, ts_cycle at, uint64_t instret,
                     uint32_t value)
{
    uint64_t cycles = at + core->cycle_base, retired = instret + core->instret_base;
    switch (number) {
    case 0xb00:
    case 0xc00:
        core->cycle_base = with_low(cycles, value) - at;
        return true;
    case 0xb80:
    case 0xc80:
        core->cycle_base = with_high(cycles, value) - at;
        return true;
    case 0xb02:
    case 0xc02:
        core->instret_base = with_low(retired, value) - instret;
        return true;
    case 0xb82:
    case 0xc82:
        core->instret_base = with_high(retired, value) - instret;
        return true;
    }
    int slot = slot_of(number);
    if (slot < 0)
        return false; // read-only
    if (slot == TS_RV_CSR_FCSR)
        value &= FCSR_BITS;
    core->csr[slot] = value;
    const ts_cycle due = core->store_due;
    ts_rv_csr_apply(core);
    if (core->store_due < at && due >= at) {
        // A shorter wait for partners has begun: the only store in the queue leaves no sooner.
        ts_rv_last_store(core)->from = at;
        ts_rv_store_due(core);
    }
    return true;
}

void ts_rv_csr_apply(struct ts_rv_core *core)
{
    uint32_t cfg0 = core->csr[TS_RV_CSR_CFG0];
    bool ordered = (core->csr[TS_RV_CSR_PMACFG0] | core->csr[TS_RV_CSR_PMACFG1]) & 1;
    core->odd = core->debugged || cfg0 & (TS_RV_CFG0_SYNC_ALL_OPS | TS_RV_CFG0_DIS_REG_FORWARDING);
    core->l0 = !(cfg0 & TS_RV_CFG0_DIS_LOW_CASH);
    core->strict = ordered || cfg0 & TS_RV_CFG0_DIS_LD_BUF_BYP;
    core->merge = core->debug.slow || cfg0 & TS_RV_CFG0_DIS_ST_MERGE
                      ? 0
                      : cfg0 >> TS_RV_CFG0_ST_MERGE_SHIFT & 31;
    core->linger = core->merge > core->params.store_drain ? core->merge : core->params.store_drain;
    if (cfg0 & TS_RV_CFG0_DIS_PERIODIC_FLUSH)
        core->l0_left = UINT32_MAX;
    else if (core->l0_left > core->params.l0_flush_period)
        core->l0_left = core->params.l0_flush_period;
    ts_rv_store_due(core);
    ts_rv_record_setting(core);
}

void ts_rv_core_configure(struct ts_rv_core *core, uint32_t cfg0_bits)
{
    core->csr[TS_RV_CSR_CFG0] |= cfg0_bits;
    ts_rv_csr_apply(core);
}

void ts_rv_core_retime(struct ts_rv_core *core, const struct ts_rv_params *params)
{
    const ts_cycle longer = (ts_cycle)core->params.retire_credit - params->retire_credit;
    for (unsigned i = 0; i < TS_RV_RETIRE; i++) {
        core->ring_retire[i] += longer;
        core->untidy = later(core->untidy, core->ring_retire[i] + params->retire_credit);
    }
    for (unsigned i = 0; i < TS_RV_REG_COUNT; i++)
        if (core->reg[i].far < TS_RV_BLOCKED)
            core->untidy = later(core->untidy, core->reg[i].far);
    for (unsigned i = 0; i < TS_RV_STORES; i++) {
        struct ts_rv_store *store = &core->stores[i];
        store->from = later(store->from, store->entered + core->params.store_drain);
    }
    core->params = *params;
    ts_rv_csr_apply(core);
}
