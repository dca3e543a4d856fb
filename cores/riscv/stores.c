// A core's store queue: stores and pushes until their write requests are sent.
//
// A store to L1 waits in the queue for a partner (cfg0.StMergeTimer) until the next store comes,
// its 16 bytes are complete, a load overlaps it, or a fence or atomic needs the queue empty.
//
// Source: MemoryOrdering.md, BabyRISCV/README.md (Load/Store Unit), CSRs.md (cfg0).
#include "cores/riscv/lsu.h"

bool ts_rv_perturbed(struct ts_rv_core *core, struct ts_rv_store *store, ts_cycle at)
{
    if (ts_perturb_holds(&core->perturb, at)) {
        store->from = core->perturb.until;
        ts_rv_store_due(core);
        return true;
    }
    ts_perturb_passed(&core->perturb);
    return false;
}

static bool drain(struct ts_rv_core *core, ts_cycle until)
{
    for (;;) {
        ts_cycle at = core->store_due;
        if (at > until)
            return true;
        if (!ts_rv_reach(core, at)) {
            core->resume = at;
            return false;
        }
        if (!send(core, at))
            return core->store_blocked;
        if (core->held)
            return false;
    }
}

bool ts_rv_drain(struct ts_rv_core *core, ts_cycle until)
{
    return core->store_due > until || drain(core, until);
}

// Drains the entire queue as soon as possible, for something that is to enter at `at`.
static void flush(struct ts_rv_core *core, ts_cycle at)
{
    for (uint32_t i = 0; i < core->store_count; i++) {
        struct ts_rv_store *store = store_at(core, i);
        if (!store->flush) {
            store->flush = true;
            store->from = later(store->from, at);
        }
    }
    ts_rv_store_due(core);
}

enum ts_rv_lsu ts_rv_empty_queue(struct ts_rv_core *core, ts_cycle *entered, ts_cycle from)
{
    // Even if the store it waits for leaves before the retry.
    core->behind = true;
    if (core->store_count != 0 && !core->draining) {
        if (!ts_rv_drain(core, from - 1))
            return core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
        core->draining = true;
        flush(core, from);
    }
    while (core->store_count != 0) {
        ts_cycle at = core->store_due;
        if (at == TS_NEVER)
            return later_at(core, TS_NEVER); // its region waits
        if (!ts_rv_drain(core, at))
            return core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
        if (core->held)
            return later_at(core, TS_NEVER);
    }
    core->behind = false;
    *entered = later(*entered, core->store_started + 1);
    return TS_RV_LSU_DONE;
}

// Sends what is due by `until`, before something that enters then.
static enum ts_rv_lsu drain_before(struct ts_rv_core *core, ts_cycle until)
{
    if (!ts_rv_reach(core, until))
        return later_at(core, until);
    if (!ts_rv_drain(core, until))
        return core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
    return core->held ? later_at(core, TS_NEVER) : TS_RV_LSU_DONE;
}

enum ts_rv_lsu ts_rv_local_behind(struct ts_rv_core *core, ts_cycle entered)
{
    enum ts_rv_lsu answer = drain_before(core, entered);
    if (answer == TS_RV_LSU_DONE && core->store_count != 0 && core->store_due > entered)
        ts_rv_store_flush(core, store_at(core, core->store_count - 1), entered);
    return answer;
}

// The queue's last entry, if a store to L1 may join it.
static struct ts_rv_store *partner(struct ts_rv_core *core, uint32_t address)
{
    if (core->store_count == 0 || core->merge == 0)
        return NULL;
    struct ts_rv_store *tail = store_at(core, core->store_count - 1);
    if (tail->region != TS_RV_REGION_L1 || tail->flush || tail->address != (address & ~15u))
        return NULL;
    return address + 4 >= tail->last && address <= tail->last + 4 ? tail : NULL;
}

static inline void put(struct ts_rv_store *store, uint32_t pc, uint32_t address, uint32_t size,
                       uint32_t word, ts_cycle entered)
{
    uint64_t ones = size == 4 ? UINT32_MAX : (UINT64_C(1) << size * 8) - 1;
    unsigned half = address >> 3 & 1, shift = (address & 7) * 8;
    store->data.half[half] = (store->data.half[half] & ~(ones << shift)) | (word & ones) << shift;
    store->keep[half] |= ones << shift;
    store->mask |= (uint16_t)(((1u << size) - 1) << (address & 15));
    store->last = address;
    store->pc[address / 4 % 4] = pc;
    store->size = (uint8_t)size;
    store->entered = entered;
}

// The first entry is a push, and the FIFO was full after the last one: it would only have to wait.
static bool push_blocks(struct ts_rv_core *core)
{
    const struct ts_rv_store *store = &core->stores[core->store_head];
    if (!core->store_wait.settled || core->store_due != core->bus_sent + 1 ||
        store->address != core->bus_address || store->region != TS_RV_REGION_PUSH)
        return false;
    core->store_blocked = true;
    core->blocked_from = core->store_due;
    core->store_due = TS_NEVER;
    return true;
}

// Behind a full queue whose first entry waits for its region, nothing happens until it leaves.
bool ts_rv_push_waits(struct ts_rv_core *core)
{
    if (!core->store_blocked && !push_blocks(core))
        return false;
    core->store_full = core->in_unit = true;
    core->resume = TS_NEVER;
    return true;
}

// A store into a region that there is.
static inline __attribute__((always_inline)) enum ts_rv_lsu store_to(
    struct ts_rv_core *core, const struct ts_rv_insn *insn, enum ts_rv_region region,
    uint32_t address, uint32_t size, const uint32_t *words, unsigned count, ts_cycle issue,
    struct ts_rv_access *access)
{
    if (core->store_count == TS_RV_STORES && region != TS_RV_REGION_L1 && ts_rv_push_waits(core))
        return TS_RV_LSU_LATER;
    ts_cycle entered = later(issue + 1, core->lsu_from);
    if (__builtin_expect((core->csr[TS_RV_CSR_PMACFG0] | core->csr[TS_RV_CSR_PMACFG1]) & 1, 0)) {
        enum ts_rv_lsu answer = ts_rv_empty_queue(core, &entered, entered);
        if (answer != TS_RV_LSU_DONE)
            return answer;
    }
    // The queue's current content depends on others, unless its only entry waits for a partner.
    if (core->store_count != 0 && (core->store_count > 1 || core->store_due <= entered)) {
        enum ts_rv_lsu answer = drain_before(core, entered);
        if (answer != TS_RV_LSU_DONE)
            return answer;
    }
    if (region == TS_RV_REGION_L1) {
        struct ts_rv_store *tail = partner(core, address);
        l0_forget(core, address / 16);
        if (tail != NULL) {
            put(tail, insn->pc, address, size, words[0], entered);
            ts_rv_store_due(core);
            goto entered;
        }
    }
    if (core->store_count == TS_RV_STORES) {
        ts_cycle at = core->store_due;
        if (at != TS_NEVER)
            core->lsu_from = later(core->lsu_from, at + 1);
        core->store_full = region != TS_RV_REGION_L1;
        return later_at(core, at);
    }
    if (core->store_count != 0) {
        struct ts_rv_store *tail = store_at(core, core->store_count - 1);
        if (!tail->flush) {
            tail->flush = true;
            tail->from = later(tail->from, entered);
        }
    }
    // A full queue frees its place when the region takes the request.
    entered = later(entered, core->store_count == TS_RV_STORES - 1 ? core->store_started : 0);
    struct ts_rv_store *store = store_at(core, core->store_count++);
    store->region = (uint8_t)region;
    store->size = (uint8_t)size;
    store->words = (uint8_t)count;
    store->flush = false;
    store->mask = 0;
    store->from = 0;
    store->keep[0] = store->keep[1] = 0;
    if (region == TS_RV_REGION_L1) {
        store->address = address & ~15u;
        put(store, insn->pc, address, size, words[0], entered);
    } else {
        store->pc[0] = insn->pc;
        store->address = address;
        store->flush = true;
        store->entered = entered;
        store->data.word[0] = words[0] & (size == 4 ? UINT32_MAX : (1u << size * 8) - 1);
        if (count > 1) // of four at most: less than a call to memcpy
            store->data.word[1] = words[1];
        if (count > 2)
            store->data.word[2] = words[2];
        if (count > 3)
            store->data.word[3] = words[3];
    }
    if (core->store_count <= 2)
        ts_rv_store_due(
            core); // it is the first one, or the first one's wait for a partner has ended
entered:
    core->lsu_from = 0;
    core->draining = false;
    access->entered = entered;
    access->result = entered + 1;
    return TS_RV_LSU_DONE;
}

static __attribute__((noinline)) enum ts_rv_lsu store_any(struct ts_rv_core *core,
                                                          const struct ts_rv_insn *insn,
                                                          uint32_t address, uint32_t word,
                                                          ts_cycle issue,
                                                          struct ts_rv_access *access)
{
    enum ts_rv_region region = region_of(core, address);
    if (region == TS_RV_REGION_NONE || region == TS_RV_REGION_LOCAL)
        return ts_rv_lsu_refuse(core, issue, insn->pc, "store to unmapped address", address);
    return store_to(core, insn, region, address, insn->size, &word, 1, issue, access);
}

// Up to four neighbours of one line are pushed by one instruction, on the TRISCs, unless cfg0 says
// no.
enum ts_rv_lsu ts_rv_push(struct ts_rv_core *core, const struct ts_rv_insn *insn, ts_cycle issue,
                          struct ts_rv_access *access)
{
    uint32_t words[4] = {(uint32_t)insn->imm};
    unsigned count = 1;
    if (__builtin_expect(region_of(core, TS_RV_PUSH_BASE) != TS_RV_REGION_PUSH, 0))
        return ts_rv_lsu_refuse(core, issue, insn->pc, "store to unmapped address",
                                TS_RV_PUSH_BASE);
    if (!(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_TRISC_CACHE) && core->id >= TS_RV_TRISC0 &&
        core->id <= TS_RV_TRISC2)
        while (count < 4 && insn[count].op == TS_RV_TTINSN) {
            words[count] = (uint32_t)insn[count].imm;
            count++;
        }
    access->value = count;
    return store_to(core, insn, TS_RV_REGION_PUSH, TS_RV_PUSH_BASE, 4, words, count, issue, access);
}

// The common cases in few instructions: a store to L1 that joins the only one in the queue, finds it
// leaving, or finds none.
enum ts_rv_lsu ts_rv_store(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                           uint32_t word, ts_cycle issue, struct ts_rv_access *access)
{
    ts_cycle entered = issue + 1;
    if (address >= TS_L1_SIZE || (core->unusual != 0 && (core->strict || core->draining)) ||
        core->lsu_from != 0 || core->store_count > 1)
        return store_any(core, insn, address, word, issue, access);
    if (core->store_count != 0 && core->store_due <= entered) {
        if (core->stores[core->store_head].region != TS_RV_REGION_L1 || core->perturb.max != 0 ||
            !ts_rv_reach(core, entered))
            return store_any(core, insn, address, word, issue, access);
        send(core, core->store_due);
    }
    struct ts_rv_store *store = &core->stores[core->store_head];
    if (core->store_count == 0) {
        core->store_count = 1;
        store->address = address & ~15u;
        store->region = TS_RV_REGION_L1;
        store->flush = false;
        store->mask = 0;
        store->from = 0;
        store->keep[0] = store->keep[1] = 0;
    } else if (core->store_blocked || partner(core, address) == NULL) {
        return store_any(core, insn, address, word, issue, access);
    }
    l0_forget(core, address / 16);
    put(store, insn->pc, address, insn->size, word, entered);
    ts_rv_store_due(core);
    access->entered = entered;
    access->result = entered + 1;
    return TS_RV_LSU_DONE;
}
