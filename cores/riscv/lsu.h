// What the parts of the load/store unit share: the store queue (stores.c), loads (lsu.c), atomics and
// fences (atomic.c). Inline, because a load that overlaps the only store in the queue sends it
// itself.
#ifndef TENSIM_RISCV_LSU_H
#define TENSIM_RISCV_LSU_H

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

static inline void l0_flush(struct ts_rv_core *core)
{
    memset(core->l0_tag, 0, sizeof core->l0_tag);
    core->l0_next = 0;
    core->l0_behind = false;
    core->l0_flushes++;
}

static inline void responded(struct ts_rv_core *core, ts_cycle at)
{
    core->flight[core->flights++ % TS_RV_FLIGHT] = at;
}

typedef uint32_t tags __attribute__((vector_size(4 * TS_RV_L0)));

static inline void l0_forget(struct ts_rv_core *core, uint32_t granule)
{
    const uint32_t old = granule + 1;
    tags tag;
    memcpy(&tag, core->l0_tag, sizeof tag);
    tag &= (tags)(tag != (tags){old, old, old, old});
    memcpy(core->l0_tag, &tag, sizeof tag);
}

static inline uint32_t width_of(const struct ts_rv_core *core, const struct ts_rv_store *store)
{
    return store->mask == 0xffff ? 1 : core->params.l1_narrow;
}

// A write request was taken by its region at `start`, for `width` cycles.
static inline void was_sent(struct ts_rv_core *core, ts_cycle start, uint32_t width)
{
    core->store_left = start + width;
    core->store_next = start + 1;
    core->sent = true;
    core->shared++;
}

// Writes the bytes of a store into L1; its request starts at `start`.
static inline void write_bytes(struct ts_rv_core *core, const struct ts_rv_store *store,
                               ts_cycle start, uint32_t width)
{
    uint64_t bytes[2];
    struct ts_l1 *const l1 = core->l1;
    uint8_t *to = l1->bytes + store->address;
    l0_forget(core, store->address / 16); // a load may have fetched the line while the store waited
    memcpy(bytes, to, 16);
    for (unsigned i = 0; i < 2; i++)
        bytes[i] = (bytes[i] & ~store->keep[i]) | (store->data.half[i] & store->keep[i]);
    memcpy(to, bytes, 16);
    l1->writes++;
    was_sent(core, start, width);
}

static inline struct ts_rv_store *first_store(struct ts_rv_core *core)
{
    struct ts_rv_store *store = &core->stores[core->store_head];
    __asm__("" : "+r"(store)); // as in ts_rv_last_store
    return store;
}

// Sends a write request to L1 at `at`, which has been reached, if nobody follows it: nobody acts earlier
// because of it, so what this step has reached stays. The queue is left as it is.
static bool send_quietly(struct ts_rv_core *core, const struct ts_rv_store *store, ts_cycle at)
{
    struct ts_l1 *const l1 = core->l1;
    const uint32_t address = store->address, width = width_of(core, store);
    if (store->region != core->quiet || !ts_l1_unnoticed(l1, address) ||
        !ts_l1_door_clear(&core->door, address, at) ||
        (l1->hits[address / TS_L1_GRANULE % TS_L1_HITS] & ~core->bit) != 0)
        return false;
    const uint32_t *pc = store->pc, by = TS_RV_BY + core->id;
    uint32_t word = address;
    for (unsigned mask = store->mask; mask != 0; mask >>= 4, word += 4, pc++)
        if (mask & 15)
            ts_l1_note_quietly(l1, word, by, *pc, at);
    write_bytes(core, store, ts_l1_door_pass(l1, &core->door, address, at, width), width);
    return true;
}

// The same for the only one in the queue.
static inline bool leave_quietly(struct ts_rv_core *core, const struct ts_rv_store *store,
                                 ts_cycle at)
{
    if (!send_quietly(core, store, at))
        return false;
    core->store_count = 0;
    core->store_due = TS_NEVER;
    return true;
}

// stores.c: the same for all others, with the queue.
TS_SLOW_PATH bool ts_rv_send_any(struct ts_rv_core *core, struct ts_rv_store *store, ts_cycle at);

// The first store has left the queue.
static inline void popped(struct ts_rv_core *core)
{
    core->store_head = (core->store_head + 1) % TS_RV_STORES;
    core->store_count--;
    ts_rv_store_due(core);
}

// Sends the first store's write request at `at`. False: it must wait, or is refused.
static inline bool send(struct ts_rv_core *core, ts_cycle at)
{
    struct ts_rv_store *store = first_store(core);
    if (!send_quietly(core, store, at))
        return ts_rv_send_any(core, store, at);
    popped(core);
    return true;
}

#endif
