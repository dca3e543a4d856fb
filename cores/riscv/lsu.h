// What the parts of the load/store unit share: the store queue (stores.c), loads (lsu.c), atomics and
// fences (atomic.c). What an access of L1 does is in access.h.
#pragma once

#include "cores/riscv/internal.h"

#define TS_RV_INLINE static inline __attribute__((always_inline))

// lsu.c: a fault happens in its own cycle: a core that is ahead retries then.
enum ts_rv_lsu ts_rv_lsu_fault(struct ts_rv_core *core, ts_cycle at, uint32_t pc,
                               const struct ts_rv_reply *reply);
// The same for an address that the unit does not take.
enum ts_rv_lsu ts_rv_lsu_refuse(struct ts_rv_core *core, ts_cycle at, uint32_t pc, const char *what,
                                uint32_t address);
// Waits until the queue is empty, for something that enters at *entered. Entries not due by then
// leave at `from`. DONE: it is empty, and *entered is moved behind its last request.
enum ts_rv_lsu ts_rv_empty_queue(struct ts_rv_core *core, ts_cycle *entered, ts_cycle from);

// An effect that others can see happened at `at`: they may act from the next cycle on.
static inline void seen_by_others(struct ts_rv_core *core, ts_cycle at)
{
    if (core->run_ahead)
        core->limit = later(at, core->now);
}

static inline void acted(struct ts_rv_core *core, ts_cycle at)
{
    core->shared++;
    seen_by_others(core, at);
}

static inline enum ts_rv_region region_of(const struct ts_rv_core *core, uint32_t address)
{
    if (address < core->l1_size)
        return TS_RV_REGION_L1;
    uint32_t page = (address - TS_RV_MMIO_BASE) >> 12;
    if (address < TS_RV_MMIO_BASE || page >= TS_RV_MMIO_PAGES)
        return TS_RV_REGION_NONE;
    return (enum ts_rv_region)core->bus->region[core->id][page];
}

static inline enum ts_rv_lsu later_at(struct ts_rv_core *core, ts_cycle at)
{
    core->resume = at;
    core->in_unit = true;
    return TS_RV_LSU_LATER;
}

static inline struct ts_rv_store *store_at(struct ts_rv_core *core, uint32_t index)
{
    return &core->stores[(core->store_head + index) % TS_RV_STORES];
}

static inline bool overlaps(const struct ts_rv_store *store, uint32_t address, uint32_t size)
{
    if (store->region == TS_RV_REGION_L1) {
        if (store->address != (address & ~15u))
            return false;
        return store->mask & ((1u << size) - 1) << (address & 15);
    }
    return address < store->address + store->size && store->address < address + size;
}

// A load enters at `entered` and overlaps a store that waits for a partner: the store leaves then, at the earliest.
static inline ts_cycle conflict_ends(const struct ts_rv_core *core, const struct ts_rv_store *store,
                                     ts_cycle entered)
{
    return later(entered + core->params.store_conflict, store->entered + core->params.store_settle);
}

static inline void responded(struct ts_rv_core *core, ts_cycle at)
{
    core->flight[core->flights++ % TS_RV_FLIGHT] = at;
}

// A write request was taken by its region at `start`, for `width` cycles.
static inline void was_sent(struct ts_rv_core *core, ts_cycle start, uint32_t width)
{
    core->store_left = start + width;
    core->store_next = start + 1;
    core->shared++;
}

static inline struct ts_rv_store *first_store(struct ts_rv_core *core)
{
    struct ts_rv_store *store = &core->stores[core->store_head];
    __asm__("" : "+r"(store)); // as in ts_rv_last_store
    return store;
}

// The first store has left the queue.
static inline void popped(struct ts_rv_core *core)
{
    core->store_head = (core->store_head + 1) % TS_RV_STORES;
    core->store_count--;
    ts_rv_store_due(core);
}
