// A core's store queue: stores and pushes until their write requests are sent.
//
// A store to L1 waits in the queue for a partner (cfg0.StMergeTimer) until the next store comes,
// its 16 bytes are complete, a load overlaps it, or a fence or atomic needs the queue empty.
//
// Source: MemoryOrdering.md, BabyRISCV/README.md (Load/Store Unit), CSRs.md (cfg0).
#include "cores/riscv/quick.h"
#include "platform/kernel/domain.h"

// --perturb: not yet? A store that is held takes no partner any more.
static bool perturbed(struct ts_rv_core *core, struct ts_rv_store *store, ts_cycle at)
{
    if (ts_perturb_holds(&core->perturb, at)) {
        store->flush = true;
        store->from = core->perturb.until;
        ts_rv_store_due(core);
        return true;
    }
    ts_perturb_passed(&core->perturb);
    return false;
}

// Sends the first store's write request at `at`, where others may follow it. False: it must wait, or is refused.
static TS_SLOW_PATH bool send_any(struct ts_rv_core *core, struct ts_rv_store *store, ts_cycle at)
{
    if (store->region == TS_RV_REGION_L1) {
        if (__builtin_expect(core->perturb.max != 0, 0) && perturbed(core, store, at))
            return true;
        write_l1(core, store, at, false);
    } else {
        ts_rv_reply_clear(&core->store_wait);
        switch (core->bus->ops->store(core->bus->context, core->id, store->address, store->size,
                                      store->data.word, store->words, at, &core->store_wait)) {
        case TS_RV_DONE:
            break;
        case TS_RV_WAIT:
            core->store_blocked = true;
            core->blocked_from = at;
            core->store_due = TS_NEVER;
            // The store is retried first.
            if (core->store_wait.until != 0 && core->limit >= core->store_wait.until)
                core->limit = later(core->store_wait.until - 1, core->now);
            return false;
        case TS_RV_REFUSE:
            ts_rv_lsu_fault(core, at, store->pc[0], &core->store_wait);
            return false;
        }
        was_sent(core, at + core->store_wait.delay, 1);
        core->sent = true;
        core->bus_sent = at;
        core->bus_address = store->address;
    }
    popped(core);
    seen_by_others(core, at);
    return true;
}

void ts_rv_leash(struct ts_rv_core *core)
{
    core->leashed = true;
    core->run_ahead = false;
    core->unready = true; // no edge is followed any more
    core->guard = 0;
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
        struct ts_rv_store *store = first_store(core);
        if (store->region == core->quiet && send_quietly(core, store, at))
            popped(core);
        else if (!send_any(core, store, at))
            return core->store_blocked;
        if (core->held)
            return false;
    }
}

bool ts_rv_drain(struct ts_rv_core *core, ts_cycle until)
{
    return core->store_due > until || drain(core, until);
}

// Something is to enter at `at`: the queue takes no partner any more. Only its last store may wait for one.
static void close_queue(struct ts_rv_core *core, ts_cycle at)
{
    ts_rv_store_close(ts_rv_last_store(core), at);
    ts_rv_store_due(core);
}

enum ts_rv_lsu ts_rv_empty_queue(struct ts_rv_core *core, ts_cycle *entered, ts_cycle from)
{
    // Even if the store it waits for leaves before the retry.
    core->behind = true;
    if (core->store_count != 0 && !core->draining) {
        if (!ts_rv_drain(core, from - 1))
            return core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
        // The region may let the first store go before: then those behind it leave when they are
        // due.
        if (core->store_blocked && !ts_rv_reach(core, from - 1))
            return later_at(core, TS_NEVER);
        core->draining = true;
        if (core->store_count != 0)
            close_queue(core, from);
    }
    while (core->store_count != 0) {
        ts_cycle at = core->store_due;
        if (at == TS_NEVER)
            return later_at(core, TS_NEVER); // the region of the first store waits
        if (!ts_rv_drain(core, at))
            return core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
        if (core->held)
            return later_at(core, TS_NEVER);
    }
    core->behind = false;
    *entered = later(*entered, core->store_next);
    return TS_RV_LSU_DONE;
}

// Sends what is due by `until`, before something that enters then and else is tried at `again`.
static enum ts_rv_lsu drain_before(struct ts_rv_core *core, ts_cycle until, ts_cycle again)
{
    if (!ts_rv_reach(core, until))
        return later_at(core, again);
    if (!ts_rv_drain(core, until))
        return core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
    if (core->held)
        return later_at(core, TS_NEVER);
    // One that was blocked on the way may leave before.
    if (core->store_blocked && !ts_rv_reach(core, until))
        return later_at(core, again);
    return TS_RV_LSU_DONE;
}

// Does the queue, as far as it matters to a store that enters at `entered`, not depend on when
// others let its entries leave? Only the last entry matters, as a partner or because its wait for one
// ends, and places: there are enough of them.
static inline bool certain(struct ts_rv_core *core, ts_cycle entered)
{
    struct ts_rv_store *tail = ts_rv_last_store(core);
    if (core->store_due > entered && !core->store_blocked)
        return true;                                  // nothing leaves before
    if (core->store_count > 1 || core->store_blocked) // the first one may leave at any time
        return core->store_count < TS_RV_STORES &&
               (tail->flush || ts_rv_store_stays(core, tail, entered));
    if (!tail->flush) {
        // The last store leaves when it is due.
        if (core->perturb.max != 0)
            return false;
        tail->flush = true;
        tail->from = core->store_due;
    }
    return true;
}

enum ts_rv_lsu ts_rv_local_behind(struct ts_rv_core *core, ts_cycle entered)
{
    enum ts_rv_lsu answer = drain_before(core, entered, entered);
    if (answer == TS_RV_LSU_DONE && core->store_count != 0 && core->store_due > entered)
        close_queue(core, entered);
    return answer;
}

// The queue's last entry, if a store to L1 may join it.
static struct ts_rv_store *partner(struct ts_rv_core *core, uint32_t address)
{
    if (core->store_count == 0 || core->merge == 0)
        return NULL;
    struct ts_rv_store *tail = ts_rv_last_store(core);
    return joins(tail, address) ? tail : NULL;
}

// The first entry is a push, and the FIFO is full after the last one, of this step: it is woken in time
// if a word leaves.
static bool push_blocks(struct ts_rv_core *core)
{
    const struct ts_rv_store *store = &core->stores[core->store_head];
    if (!core->store_wait.settled || core->bus_sent < core->now ||
        core->store_due != core->bus_sent + 1 || store->address != core->bus_address ||
        store->region != TS_RV_REGION_PUSH)
        return false;
    core->store_blocked = true;
    core->blocked_from = core->store_due;
    core->store_due = TS_NEVER;
    return true;
}

// Behind a full queue whose first entry waits for its region, nothing happens until it leaves.
static enum ts_rv_lsu waits_behind(struct ts_rv_core *core)
{
    core->store_full = true;
    return later_at(core, TS_NEVER);
}

bool ts_rv_push_waits(struct ts_rv_core *core)
{
    return (core->store_blocked || push_blocks(core)) && waits_behind(core) == TS_RV_LSU_LATER;
}

// When a store that enters at `entered`, and that the queue is not certain for, is retried: as soon as
// something has left it.
static inline ts_cycle retry_at(const struct ts_rv_core *core, ts_cycle entered)
{
    return core->store_due > core->now && core->store_due < entered ? core->store_due : entered;
}

// A place behind all others, for a store that enters at *entered: the last one's wait for a partner
// ends.
static inline struct ts_rv_store *store_behind(struct ts_rv_core *core, ts_cycle *entered)
{
    if (core->store_count != 0) {
        struct ts_rv_store *tail = ts_rv_last_store(core);
        ts_rv_store_close(tail, *entered);
    }
    // A full queue frees its place when the region takes the request.
    if (core->store_count == TS_RV_STORES - 1)
        *entered = later(*entered, core->store_next - 1);
    return store_at(core, core->store_count++);
}

static enum ts_rv_lsu store_any(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                uint32_t address, uint32_t word, ts_cycle issue,
                                struct ts_rv_access *access);

// A store into a region that there is. `usual`, which is constant: of L1, with nothing unusual in the unit; what else may
// hold it up is left to store_any.
TS_RV_INLINE enum ts_rv_lsu store_to(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                     enum ts_rv_region region, uint32_t address, uint32_t size,
                                     const uint32_t *words, unsigned count, ts_cycle issue,
                                     bool usual, struct ts_rv_access *access)
{
    ts_cycle entered = usual ? issue + 1 : later(issue + 1, core->lsu_from);
    if (!usual &&
        __builtin_expect((core->csr[TS_RV_CSR_PMACFG0] | core->csr[TS_RV_CSR_PMACFG1]) & 1, 0)) {
        enum ts_rv_lsu answer = ts_rv_empty_queue(core, &entered, entered);
        if (answer != TS_RV_LSU_DONE)
            return answer;
    }
    if (core->store_count != 0 && !certain(core, entered)) {
        if (usual)
            return store_any(core, insn, address, words[0], issue, access);
        // With a full queue a push looks at the first store when it is issued.
        const bool full = core->store_count == TS_RV_STORES && region != TS_RV_REGION_L1;
        ts_cycle again = full && issue > core->now ? issue : entered;
        // If the first one leaves after what this step has reached: as in store_further.
        const bool leaves = core->store_due > core->limit && core->store_due <= entered;
        if ((full && leaves) || !ts_rv_reach(core, entered))
            return later_at(core, retry_at(core, again));
        enum ts_rv_lsu answer = drain_before(core, entered, again);
        if (answer != TS_RV_LSU_DONE)
            return answer;
    }
    const uint32_t before = core->store_count;
    struct ts_rv_store *store = region == TS_RV_REGION_L1 ? partner(core, address) : NULL;
    const bool fresh = store == NULL;
    if (fresh && before == TS_RV_STORES) {
        if (usual)
            return store_any(core, insn, address, words[0], issue, access);
        ts_cycle at = core->store_due;
        if (at != TS_NEVER)
            core->lsu_from = later(core->lsu_from, at + 1);
        core->store_full = region != TS_RV_REGION_L1;
        return later_at(core, at);
    }
    if (fresh)
        store = store_behind(core, &entered);
    if (region == TS_RV_REGION_L1) {
        store_l1(core, store, fresh, insn, address, words[0], entered, access);
    } else {
        store->region = (uint8_t)region;
        store->size = (uint8_t)size;
        store->words = (uint8_t)count;
        store->mask = 0;
        store->from = 0;
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
        access->entered = entered;
        access->result = entered + 1;
    }
    // A load that waits for an older store to be written is before it.
    if (!usual && issue < core->load_at)
        store->from = later(store->from, core->load_at + 1);
    if (before <= 1) // it is the first, or in it, or the first one's wait for a partner has ended
        ts_rv_store_due(core);
    if (!usual) {
        core->lsu_from = 0;
        core->draining = false;
    }
    return TS_RV_LSU_DONE;
}

static __attribute__((noinline)) enum ts_rv_lsu store_any(struct ts_rv_core *core,
                                                          const struct ts_rv_insn *insn,
                                                          uint32_t address, uint32_t word,
                                                          ts_cycle issue,
                                                          struct ts_rv_access *access)
{
    enum ts_rv_region region = region_of(core, address);
    if (region == TS_RV_REGION_NONE || region == TS_RV_REGION_LOCAL) {
        if (address - TS_RV_LOCAL_BASE >= core->local_size)
            return ts_rv_lsu_refuse(core, issue, insn->pc, "store to unmapped address", address);
        // A check looks at it.
        enum ts_rv_lsu answer = ts_rv_store_local(core, insn, address, word, issue, access);
        if (answer == TS_RV_LSU_DONE)
            ts_rv_data_stored(core, insn, address, access->entered);
        return answer;
    }
    if (core->store_count == TS_RV_STORES && region != TS_RV_REGION_L1 && ts_rv_push_waits(core))
        return TS_RV_LSU_LATER;
    return store_to(core, insn, region, address, insn->size, &word, 1, issue, false, access);
}

// Up to four neighbours of one line are pushed by one instruction, on the TRISCs, unless cfg0 says
// no. The queue has a place, or its first entry may leave (ts_rv_push_waits).
enum ts_rv_lsu ts_rv_push(struct ts_rv_core *core, const struct ts_rv_insn *insn, ts_cycle issue,
                          struct ts_rv_access *access)
{
    uint32_t words[4];
    unsigned count = 1;
    words[0] = (uint32_t)insn->imm;
    if (__builtin_expect(region_of(core, TS_RV_PUSH_BASE) != TS_RV_REGION_PUSH, 0))
        return ts_rv_lsu_refuse(core, issue, insn->pc,
                                words[0]
                                    ? "store to unmapped address"
                                    : "no program is here, only zeros: store to unmapped address",
                                TS_RV_PUSH_BASE);
    if (!(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_TRISC_CACHE) && core->id >= TS_RV_TRISC0 &&
        core->id <= TS_RV_TRISC2)
        while (count < 4 && insn[count].op == TS_RV_TTINSN) {
            words[count] = (uint32_t)insn[count].imm;
            count++;
        }
    access->value = count;
    return store_to(core, insn, TS_RV_REGION_PUSH, TS_RV_PUSH_BASE, 4, words, count, issue, false,
                    access);
}

// The only one in the queue leaves before the store enters, in a cycle that this step has not reached.
static __attribute__((noinline)) enum ts_rv_lsu store_after(struct ts_rv_core *core,
                                                            const struct ts_rv_insn *insn,
                                                            uint32_t address, uint32_t word,
                                                            ts_cycle issue,
                                                            struct ts_rv_access *access)
{
    if (ts_rv_reach_alone(core, issue + 1))
        return ts_rv_store(core, insn, address, word, issue, access);
    // Only the end of a window is in the way: the next step sends it with less work, if there is one.
    if (ts_domain_next(core->component.domain) > issue + 1 &&
        issue + 1 < ts_horizon(&core->component))
        return later_at(core, retry_at(core, issue + 1));
    return store_any(core, insn, address, word, issue, access);
}

// A store to L1 with others before it in the queue.
static enum ts_rv_lsu store_further(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                    uint32_t address, uint32_t word, ts_cycle issue,
                                    struct ts_rv_access *access)
{
    // Full, and the first one leaves after what this step has reached: to find out whether it may reach
    // further costs more than another step.
    if (core->store_count == TS_RV_STORES && core->store_due > core->limit &&
        core->store_due <= issue + 1)
        return later_at(core, core->store_due);
    return store_to(core, insn, TS_RV_REGION_L1, address, insn->size, &word, 1, issue, true,
                    access);
}

enum ts_rv_lsu ts_rv_store_on(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                              uint32_t address, uint32_t word, ts_cycle issue, enum ts_rv_way way,
                              struct ts_rv_access *access)
{
    switch (way) {
    case TS_RV_WAY_DONE:
        return TS_RV_LSU_DONE;
    case TS_RV_WAY_LATER:
        return store_after(core, insn, address, word, issue, access);
    case TS_RV_WAY_FURTHER:
        return store_further(core, insn, address, word, issue, access);
    default:
        if (core->store_blocked && core->store_count == TS_RV_STORES &&
            region_of(core, address) > TS_RV_REGION_LOCAL)
            return waits_behind(core);
        return store_any(core, insn, address, word, issue, access);
    }
}

enum ts_rv_lsu ts_rv_store(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                           uint32_t word, ts_cycle issue, struct ts_rv_access *access)
{
    enum ts_rv_way way = ts_rv_quick_store(core, insn, address, word, issue, access);
    return ts_rv_store_on(core, insn, address, word, issue, way, access);
}
