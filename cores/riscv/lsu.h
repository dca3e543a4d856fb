// What the two halves of the load/store unit share: the store queue (stores.c), and loads, atomics
// and fences (lsu.c). Inline, because a load that overlaps the only store in the queue sends it
// itself.
#ifndef TENSIM_RISCV_LSU_H
#define TENSIM_RISCV_LSU_H

#include "cores/riscv/internal.h"

// lsu.c: a fault happens in its own cycle: a core that is ahead retries then.
enum ts_rv_lsu ts_rv_lsu_fault(struct ts_rv_core *core, ts_cycle at, uint32_t pc,
                               const struct ts_rv_reply *reply);
// The same for an address that the unit does not take.
enum ts_rv_lsu ts_rv_lsu_refuse(struct ts_rv_core *core, ts_cycle at, uint32_t pc, const char *what,
                                uint32_t address);
// stores.c: --perturb: not yet?
__attribute__((noinline, cold)) bool ts_rv_perturbed(struct ts_rv_core *core,
                                                     struct ts_rv_store *store, ts_cycle at);
// Waits until the queue is empty, for something that enters at *entered. Entries not due by then
// leave at `from`. DONE: it is empty, and *entered is moved behind its last request.
enum ts_rv_lsu ts_rv_empty_queue(struct ts_rv_core *core, ts_cycle *entered, ts_cycle from);

// An effect that others can see happened at `at`: they may act from the next cycle on.
static inline void acted(struct ts_rv_core *core, ts_cycle at)
{
    core->shared++;
    if (core->run_ahead)
        core->limit = later(at, core->now);
}

static inline enum ts_rv_region region_of(const struct ts_rv_core *core, uint32_t address)
{
    if (address < TS_L1_SIZE)
        return TS_RV_REGION_L1;
    uint32_t page = (address - TS_RV_MMIO_BASE) >> 12;
    if (address < TS_RV_MMIO_BASE || page >= TS_RV_MMIO_PAGES)
        return TS_RV_REGION_NONE;
    return (enum ts_rv_region)core->bus->region[core->id][page];
}

static inline enum ts_rv_lsu later_at(struct ts_rv_core *core, ts_cycle at)
{
    core->resume = at;
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

static inline void l0_forget(struct ts_rv_core *core, uint32_t granule)
{
    for (unsigned i = 0; i < TS_RV_L0; i++)
        if (core->l0_tag[i] == granule + 1)
            core->l0_tag[i] = 0;
}

// Sends the first store's write request at `at`.
static inline __attribute__((always_inline)) bool send(struct ts_rv_core *core, ts_cycle at)
{
    struct ts_rv_store *store = &core->stores[core->store_head];
    if (store->region == TS_RV_REGION_L1) {
        if (__builtin_expect(core->perturb.max != 0, 0) && ts_rv_perturbed(core, store, at))
            return true;
        uint32_t busy = store->mask == 0xffff ? 1 : core->params.l1_narrow;
        core->l1->actor = core->component.index;
        ts_cycle start = ts_l1_reserve(core->l1, core->port, store->address, at, busy);
        uint64_t bytes[2];
        memcpy(bytes, core->l1->bytes + store->address, 16);
        for (unsigned i = 0; i < 2; i++)
            bytes[i] = (bytes[i] & ~store->keep[i]) | (store->data.half[i] & store->keep[i]);
        memcpy(core->l1->bytes + store->address, bytes, 16);
        l0_forget(core,
                  store->address / 16); // a load may have fetched the line while the store waited
        ts_l1_notify(core->l1, store->address, 16, at);
        for (unsigned mask = store->mask; mask != 0;) {
            unsigned word = (unsigned)__builtin_ctz(mask) / 4;
            mask &= ~(15u << 4 * word);
            ts_l1_note_word(core->l1, store->address + 4 * word, TS_RV_BY + core->id,
                            store->pc[word], at);
        }
        core->l1->actor = UINT32_MAX;
        core->l1->writes++;
        core->store_started = start;
        core->store_left = start + busy;
    } else {
        ts_rv_reply_clear(&core->store_wait);
        switch (core->bus->ops->store(core->bus->context, core->id, store->address, store->size,
                                      store->data.word, store->words, at, &core->store_wait)) {
        case TS_RV_DONE:
            break;
        case TS_RV_WAIT:
            core->store_blocked = true;
            core->store_due = TS_NEVER;
            return false;
        case TS_RV_REFUSE:
            ts_rv_lsu_fault(core, at, store->pc[0], &core->store_wait);
            return false;
        }
        core->store_started = at + core->store_wait.delay;
        core->store_left = core->store_started + 1;
        core->bus_sent = at;
        core->bus_address = store->address;
    }
    core->store_next = core->store_started + 1;
    core->store_head = (core->store_head + 1) % TS_RV_STORES;
    core->store_count--;
    ts_rv_store_due(core);
    core->sent = true;
    acted(core, at);
    return true;
}

#endif
