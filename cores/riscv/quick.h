// When the common loads and stores of L1 happen, in few instructions and without a call: run.c has them inline.
// All others are in lsu.c and stores.c. What an access does is in access.h.
#pragma once

#include "cores/riscv/access.h"

// How an access goes on.
enum ts_rv_way {
    TS_RV_WAY_DONE,
    TS_RV_WAY_ANY,   // something is unusual
    TS_RV_WAY_LATER, // it is the next thing in the unit, and this step has not reached its cycle yet
    TS_RV_WAY_FURTHER, // a store must leave first, or cannot leave quietly; the queue is not certain
    TS_RV_WAY_WATCHED, // a load that may be a poll, or that is watched
};

// The rest of an access that is not done. access->entered is as ts_rv_quick_... has left it.
TS_SLOW_PATH enum ts_rv_lsu ts_rv_load_on(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                          uint32_t address, ts_cycle issue, enum ts_rv_way way,
                                          struct ts_rv_access *access);
TS_SLOW_PATH enum ts_rv_lsu ts_rv_store_on(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                           uint32_t address, uint32_t word, ts_cycle issue,
                                           enum ts_rv_way way, struct ts_rv_access *access);

// A load from L1 that is independent of everything in the unit, or that overlaps the only store in the
// queue.
TS_RV_INLINE enum ts_rv_way ts_rv_quick_load(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                             uint32_t address, ts_cycle issue,
                                             struct ts_rv_access *access)
{
    ts_cycle entered = access->entered = issue + 1;
    if (address >= core->l1_size || (core->unusual | core->lsu_from) != 0 || issue < core->load_at)
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
    ts_cycle asks = entered;
    if (behind) { // the store leaves first, and is written
        const ts_cycle at = ts_rv_store_leaves(core, store->entered, core->params.store_drain,
                                               conflict_ends(core, store, entered));
        if (core->store_due < at) // it leaves before, and the load waits for no more than that
            return TS_RV_WAY_ANY;
        entered = later(at, *core->door.free) + 1;
        access->entered = asks = entered + store_width(core, store);
        if (asks > core->limit || store->flush || !leave_quietly(core, store, at))
            return TS_RV_WAY_FURTHER; // else L0 has forgotten the line
        core->load_at = asks;
    } else if (queued && way >= 0) {
        goto L0;
    }
    if (!load_quiet(core, insn, address, asks))
        return TS_RV_WAY_WATCHED;
    load_l1(core, insn, address, asks, queued && !behind, true, access);
    access->entered = entered;
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
    if (address >= core->l1_size || (core->unusual | core->lsu_from) != 0 || issue < core->load_at)
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
