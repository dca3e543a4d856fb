// When the common loads and stores of L1 happen, in few instructions and without a call: run.c has them inline.
// All others are in lsu.c and stores.c. What an access does is in access.h.
#ifndef TENSIM_RISCV_QUICK_H
#define TENSIM_RISCV_QUICK_H

#include "cores/riscv/access.h"

// How an access goes on.
enum ts_rv_way {
    TS_RV_WAY_DONE,
    TS_RV_WAY_ANY,   // something is unusual
    TS_RV_WAY_LATER, // it is the next thing in the unit, and this step has not reached its cycle yet
    TS_RV_WAY_FURTHER, // of a store: others are before it in the queue, or one cannot leave quietly
    TS_RV_WAY_WATCHED, // a load that may be a poll, or that is watched
};

// The rest of an access that is not done. access->entered is as ts_rv_quick_... has left it.
TS_SLOW_PATH enum ts_rv_lsu ts_rv_load_on(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                          uint32_t address, ts_cycle issue, enum ts_rv_way way,
                                          struct ts_rv_access *access);
TS_SLOW_PATH enum ts_rv_lsu ts_rv_store_on(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                           uint32_t address, uint32_t word, ts_cycle issue,
                                           enum ts_rv_way way, struct ts_rv_access *access);

// A load from L1 that is independent of everything in the unit.
TS_RV_INLINE enum ts_rv_way ts_rv_quick_load(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                             uint32_t address, ts_cycle issue,
                                             struct ts_rv_access *access)
{
    ts_cycle entered = access->entered = issue + 1;
    if (address >= TS_L1_SIZE || (core->unusual | core->lsu_from) != 0)
        return TS_RV_WAY_ANY;
    struct ts_rv_store *store = first_store(core);
    const bool queued = core->store_count == 1 && store->address == (address & ~15u);
    const bool behind = queued && overlaps(store, address, insn->size);
    const int way = core->l0 && !behind ? l0_find(core, address) : -1;
    if (core->store_count > 1 && (way < 0 || l0_waits(core, address)))
        return TS_RV_WAY_ANY;
    if (!queued && way >= 0)
        goto L0;
    entered = later(entered, core->flight[core->flights % TS_RV_FLIGHT]);
    access->entered = entered;
    if (entered > core->limit)
        return TS_RV_WAY_LATER;
    if (core->store_due <= entered)
        return TS_RV_WAY_ANY;
    if (behind)
        return TS_RV_WAY_ANY; // the store leaves first, and is written
    if (queued && way >= 0)
        goto L0;
    if (!load_quiet(core, insn, address, entered))
        return TS_RV_WAY_WATCHED;
    load_l1(core, insn, address, entered, queued, true, access);
    if (insn->pc == core->watch.pc)
        ts_rv_poll_none(core);
    return TS_RV_WAY_DONE;

    bool reached;
L0: // nobody else acts up to core->limit, unless a store of this core that leaves before is noticed
    reached = entered <= core->limit &&
              (core->store_due > entered ||
               (core->store_count == 1 && leave_quietly(core, store, core->store_due)));
    return l0_load(core, insn, address, way, entered, reached, access) ? TS_RV_WAY_DONE
                                                                       : TS_RV_WAY_ANY;
}

// A store to L1 that finds the queue empty, or one store in it that it joins or sends.
TS_RV_INLINE enum ts_rv_way ts_rv_quick_store(struct ts_rv_core *core,
                                              const struct ts_rv_insn *insn, uint32_t address,
                                              uint32_t word, ts_cycle issue,
                                              struct ts_rv_access *access)
{
    const ts_cycle entered = issue + 1;
    if (address >= TS_L1_SIZE || (core->unusual | core->lsu_from) != 0)
        return TS_RV_WAY_ANY;
    struct ts_rv_store *store = first_store(core);
    if (core->store_count > 1)
        return TS_RV_WAY_FURTHER;
    if (core->store_count == 1 && core->store_due > entered) {
        if (core->merge == 0 || !joins(store, address))
            return TS_RV_WAY_FURTHER;
        store_l1(core, store, false, insn, address, word, entered, access);
        core->store_due = ts_rv_store_leaves(
            core, entered, store->mask == 0xffff ? core->params.store_drain : core->linger,
            store->from);
    } else {
        if (core->store_count == 1) {
            if (entered > core->limit)
                return TS_RV_WAY_LATER;
            if (!send_quietly(core, store, core->store_due))
                return TS_RV_WAY_FURTHER;
        }
        core->store_count = 1;
        store_l1(core, store, true, insn, address, word, entered, access);
        core->store_due = ts_rv_store_leaves(core, entered, core->linger, 0);
    }
    return TS_RV_WAY_DONE;
}

#endif
