// A core's load/store unit: atomics and fences. They wait until the unit is empty.
//
// Source: MemoryOrdering.md, BabyRISCV/README.md (Load/Store Unit).
#include "cores/riscv/access.h"

static enum ts_rv_lsu settle_queues(struct ts_rv_core *core, ts_cycle issue, ts_cycle *entered)
{
    *entered = later(issue + 1, core->lsu_from);
    if (core->pending)
        return later_at(core, TS_NEVER);
    for (unsigned i = 0; i < TS_RV_FLIGHT; i++)
        *entered = later(*entered, core->flight[i]);
    return ts_rv_empty_queue(core, entered, issue + 1);
}

enum ts_rv_lsu ts_rv_fence(struct ts_rv_core *core, ts_cycle issue, struct ts_rv_access *access)
{
    ts_cycle entered;
    enum ts_rv_lsu answer = settle_queues(core, issue, &entered);
    if (answer != TS_RV_LSU_DONE)
        return answer;
    // On B and NC a store to L1 leaves the queue when it is written (B0340, and the senders B0919 to
    // B0925); seven fences behind notes of T1 cost nothing of the kind (B0702, B0703).
    if (core->id == TS_RV_BRISC || core->id == TS_RV_NCRISC)
        entered = later(entered, core->store_left);
    l0_flush(core);
    core->lsu_from = 0;
    core->draining = false;
    access->entered = entered;
    access->result = entered;
    return TS_RV_LSU_DONE;
}

static uint32_t atomic(unsigned op, uint32_t old, uint32_t operand)
{
    switch (op) {
    case TS_RV_AMOADD:
        return old + operand;
    case TS_RV_AMOSWAP:
        return operand;
    case TS_RV_AMOXOR:
        return old ^ operand;
    case TS_RV_AMOOR:
        return old | operand;
    case TS_RV_AMOAND:
        return old & operand;
    case TS_RV_AMOMIN:
        return (int32_t)old < (int32_t)operand ? old : operand;
    case TS_RV_AMOMAX:
        return (int32_t)old > (int32_t)operand ? old : operand;
    case TS_RV_AMOMINU:
        return old < operand ? old : operand;
    default:
        return old > operand ? old : operand;
    }
}

enum ts_rv_lsu ts_rv_amo(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                         uint32_t operand, ts_cycle issue, struct ts_rv_access *access)
{
    if (address >= core->l1_size)
        return ts_rv_lsu_refuse(core, issue, insn->pc,
                                "atomic on an address that is not L1:", address);
    ts_cycle entered;
    enum ts_rv_lsu answer = settle_queues(core, issue, &entered);
    if (answer != TS_RV_LSU_DONE)
        return answer;
    if (!ts_rv_reach(core, entered)) {
        core->lsu_from = entered;
        return later_at(core, entered);
    }
    core->l1->actor = core->component.index;
    ts_cycle start = ts_l1_reserve(core->l1, core->port, address, entered, core->params.l1_atomic);
    uint32_t old;
    memcpy(&old, core->l1->bytes + address, sizeof old);
    if (__builtin_expect(core->l1->news >> address / 4 % 64 & 1, 0))
        ts_rv_looked(core, address, core->l1->bytes + (address & ~3u));
    uint32_t new_value = atomic(insn->op, old, operand);
    ts_l1_write(core->l1, address, &new_value, sizeof new_value, entered);
    ts_l1_note_word(core->l1, address, TS_RV_BY + core->id, insn->pc, entered);
    if (__builtin_expect(core->check != NULL, 0))
        ts_check_atomic(core->check, core->id, insn->pc, address, entered);
    core->l1->actor = UINT32_MAX;
    l0_flush(core);
    acted(core, entered);
    access->entered = entered;
    access->value = old;
    access->result = start + core->params.amo_l1 - 1;
    responded(core, access->result);
    core->lsu_from = 0;
    core->draining = false;
    return TS_RV_LSU_DONE;
}
