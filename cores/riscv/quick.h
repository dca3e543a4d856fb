// The common loads and stores of L1, in few instructions and without a call: run.c has them inline.
// All others are in lsu.c and stores.c.
#ifndef TENSIM_RISCV_QUICK_H
#define TENSIM_RISCV_QUICK_H

#include "cores/riscv/lsu.h"

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

// ---- loads

// A load that others hear of.
TS_SLOW_PATH void ts_rv_guarded(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                uint32_t address, ts_cycle start);

// Every so many accesses the hardware flushes the cache, so that a poll sees what others wrote.
static inline void l0_age(struct ts_rv_core *core)
{
    if (__builtin_expect(--core->l0_left == 0, 0)) {
        bool never = core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_PERIODIC_FLUSH;
        core->l0_left = never ? UINT32_MAX : core->params.l0_flush_period;
        if (!never)
            l0_flush(core);
    }
}

static inline int l0_find(const struct ts_rv_core *core, uint32_t address)
{
    const uint32_t wanted = address / 16 + 1;
    tags tag;
    memcpy(&tag, core->l0_tag, sizeof tag);
    tag = (tags)(tag == (tags){wanted, wanted, wanted, wanted});
    uint64_t half[2]; // of two lines each
    memcpy(half, &tag, sizeof half);
    if ((half[0] | half[1]) == 0)
        return -1;
    return half[0] != 0 ? (uint32_t)half[0] == 0 : 2 + ((uint32_t)half[1] == 0);
}

static inline bool granule_queued(struct ts_rv_core *core, uint32_t address)
{
    for (uint32_t i = 0; i < core->store_count; i++)
        if (store_at(core, i)->address == (address & ~15u)) // other regions are above L1
            return true;
    return false;
}

// Does a store wait for a granule that is in L0? When the store entered, L0 forgot the granule.
static inline bool l0_waits(struct ts_rv_core *core, uint32_t address)
{
    return __builtin_expect(core->l0_behind, 0) && granule_queued(core, address);
}

// A load that L0 serves ahead of the clock is kept until its cycle tells whether its value is old. False: it
// waits for its cycle.
static inline bool l0_keep(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                           uint32_t raw, ts_cycle entered)
{
    if (core->hits.to - core->hits.from == TS_RV_HITS || entered >= core->guard)
        return false;
    struct ts_rv_hit *hit = &core->hit[core->hits.to++ % TS_RV_HITS];
    hit->at = entered;
    hit->pc = insn->pc;
    hit->address = address;
    hit->raw = raw;
    hit->flushes = core->l0_flushes;
    hit->old = false;
    core->l1->hits[address / TS_L1_GRANULE % TS_L1_HITS] |= core->bit;
    core->l1->hit = true;
    return true;
}

// The load is served.
static inline void l0_serve(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                            uint32_t address, uint32_t raw, ts_cycle entered,
                            struct ts_rv_access *access)
{
    if (__builtin_expect(core->check != NULL, 0))
        ts_rv_guarded(core, insn, address, entered);
    l0_age(core);
    core->l0_hits++;
    access->entered = entered;
    access->value = ts_rv_extend(insn->op, raw);
    access->result = entered + core->params.load_local - 1;
}

// A load from L1 whose request starts at `start` and finds `raw`. A store to the granule waits?
TS_RV_INLINE void take_l1(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                          ts_cycle start, uint32_t raw, bool waits, struct ts_rv_access *access)
{
    core->l1->reads++;
    if (core->guard_bytes != 0 && address - core->guard_from < core->guard_bytes)
        ts_rv_guarded(core, insn, address, start);
    if (core->l0) {
        uint32_t way = core->l0_next++ % TS_RV_L0;
        core->l0_tag[way] = address / 16 + 1;
        core->l0_behind |= waits;
        memcpy(core->l0_data[way], core->l1->bytes + (address & ~15u), 16);
        l0_age(core);
    }
    access->value = ts_rv_extend(insn->op, raw);
    access->result = start + core->params.load_l1 - 1;
}

// A load from L1 that is independent of everything in the unit, or that overlaps the only store in the
// queue.
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
    if (behind) {
        ts_cycle at = later(entered + core->params.store_conflict,
                            store->entered + core->params.store_settle);
        at = later(later(at, store->entered + core->params.store_drain), core->store_next);
        if (core->store_due < at) // it leaves before, and the load waits for no more than that
            return TS_RV_WAY_ANY;
        access->entered = entered = later(at, *core->door.free) + 1;
        if (entered > core->limit || store->flush || !leave_quietly(core, store, at))
            return TS_RV_WAY_FURTHER; // else L0 has forgotten the line
    } else if (queued && way >= 0) {
        goto L0;
    }
    if (core->l1->watch_count != 0 || core->watch.captured || core->watch.clears ||
        core->component.ledger != NULL || core->shared >= core->watch.shared + 8 ||
        (insn->pc == core->watch.pc && core->stores_done == core->watch.stores) ||
        !ts_l1_door_clear(&core->door, address, entered))
        return TS_RV_WAY_WATCHED;
    take_l1(core, insn, address, ts_l1_door_pass(core->l1, &core->door, address, entered, 1),
            ts_rv_peek(core->l1->bytes, address), queued && !behind, access);
    core->shared++;
    responded(core, access->result);
    if (insn->pc == core->watch.pc)
        ts_rv_poll_none(core);
    return TS_RV_WAY_DONE;

    uint32_t raw;
L0: // nobody else acts up to core->limit, unless a store of this core that leaves before is noticed
    raw = ts_rv_peek(core->l0_data[way], address & 15);
    if (raw != ts_rv_peek(core->l1->bytes, address))
        return TS_RV_WAY_ANY; // an old value
    if ((entered > core->limit ||
         (core->store_due <= entered &&
          (core->store_count != 1 || !leave_quietly(core, store, core->store_due)))) &&
        !l0_keep(core, insn, address, raw, entered))
        return TS_RV_WAY_ANY;
    l0_serve(core, insn, address, raw, entered, access);
    return TS_RV_WAY_DONE;
}

// ---- stores

static inline void put(struct ts_rv_store *store, const struct ts_rv_insn *insn, uint32_t address,
                       uint32_t word, ts_cycle entered)
{
    const uint32_t at = address & 15, size = insn->size, pc = insn->pc, ones = UINT32_MAX;
    uint8_t *data = (uint8_t *)store->data.word + at, *keep = (uint8_t *)store->keep + at;
    if (__builtin_expect(size == 4, 1)) {
        memcpy(data, &word, 4);
        memcpy(keep, &ones, 4);
    } else if (size == 2) {
        memcpy(data, &word, 2);
        memcpy(keep, &ones, 2);
    } else {
        *data = (uint8_t)word;
        *keep = 0xff;
    }
    store->mask |= (uint16_t)(((1u << size) - 1) << at);
    store->last = address;
    store->pc[at / 4] = pc;
    store->size = (uint8_t)size;
    store->entered = entered;
}

// May a store to L1 join this one?
static inline bool joins(const struct ts_rv_store *store, uint32_t address)
{
    return store->region == TS_RV_REGION_L1 && !store->flush &&
           store->address == (address & ~15u) && address + 4 >= store->last &&
           address <= store->last + 4;
}

// An empty entry for a store to L1.
static inline void begin(struct ts_rv_store *store, uint32_t address)
{
    store->address = address & ~15u;
    store->region = TS_RV_REGION_L1;
    store->words = 1;
    store->flush = false;
    store->mask = 0;
    store->from = 0;
    store->keep[0] = store->keep[1] = 0;
}

// A store enters the queue. If it may stop the run, the core stays in its cycle until it has left.
static inline void store_enters(struct ts_rv_core *core, uint32_t address)
{
    l0_forget(core, address / 16);
    if (__builtin_expect(core->l1->stop_bytes != 0, 0) &&
        address - core->l1->stop < core->l1->stop_bytes && core->run_ahead)
        ts_rv_leash(core);
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
        put(store, insn, address, word, entered);
        core->store_due = later(
            later(entered + (store->mask == 0xffff ? core->params.store_drain : core->linger),
                  store->from),
            core->store_next);
    } else {
        if (core->store_count == 1) {
            if (entered > core->limit)
                return TS_RV_WAY_LATER;
            if (!send_quietly(core, store, core->store_due))
                return TS_RV_WAY_FURTHER;
        }
        core->store_count = 1;
        begin(store, address);
        put(store, insn, address, word, entered);
        core->store_due = later(entered + core->linger, core->store_next);
    }
    store_enters(core, address);
    access->entered = entered;
    access->result = entered + 1;
    return TS_RV_WAY_DONE;
}

#endif
