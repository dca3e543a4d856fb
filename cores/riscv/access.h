// What a load and a store of L1 are. Each is here once: the quick ones of run.c (quick.h) and all others (lsu.c,
// stores.c) find out when an access happens, and call these for what happens then.
//
//   load ----> l0_load: L0 has the line
//         \--> load_l1: the request, L0's line, the value; who hears of it
//   store ---> store_l1: an entry of the store queue ---> write_l1: the request, the bytes; who hears of it
//
// `quiet` is constant. True: nobody follows the access, so nothing is left of it but the request and the bytes.
#pragma once

#include "cores/riscv/lsu.h"
#include "platform/check/check.h"

// ---- L0

typedef uint32_t tags __attribute__((vector_size(4 * TS_RV_L0)));

static inline void l0_flush(struct ts_rv_core *core)
{
    memset(core->l0_tag, 0, sizeof core->l0_tag);
    core->l0_next = 0;
    core->l0_behind = false;
    core->l0_flushes++;
}

static inline void l0_forget(struct ts_rv_core *core, uint32_t granule)
{
    const uint32_t old = granule + 1;
    tags tag;
    memcpy(&tag, core->l0_tag, sizeof tag);
    tag &= (tags)(tag != (tags){old, old, old, old});
    memcpy(core->l0_tag, &tag, sizeof tag);
}

// Every so many accesses the hardware flushes the cache, so that a poll sees what others wrote.
TS_RV_INLINE void l0_age(struct ts_rv_core *core)
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
    if (entered >= core->guard)
        return false;
    if (__builtin_expect(core->hits.to - core->hits.from == TS_RV_HITS, 0)) {
        ts_rv_hits_end(core, core->now);
        if (core->hits.to - core->hits.from == TS_RV_HITS)
            return false;
    }
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

// ---- loads

// A load that others hear of.
TS_SLOW_PATH void ts_rv_guarded(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                uint32_t address, ts_cycle start);

// The same of a register's load, under a check.
TS_SLOW_PATH void ts_rv_register_loaded(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                        uint32_t address, uint32_t value, ts_cycle entered);

// A load that enters at `entered` and hits a line of L0. Its value is old if L1 holds another one in that cycle.
// `reached`: the cycle has come. Else the load is kept until then; false: it is old already, or cannot be kept.
TS_RV_INLINE bool l0_load(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                          int way, ts_cycle entered, bool reached, struct ts_rv_access *access)
{
    const uint32_t raw = ts_rv_peek(core->l0_data[way], address & 15);
    const bool differs = raw != ts_rv_peek(core->l1->bytes, address);
    if (reached && __builtin_expect(differs, 0) && entered >= core->hits.clean) {
        ts_rv_hits_end(core, entered); // those before it come first
        ts_rv_hit_old(core, insn->pc, address, core->l0_flushes, entered);
    }
    if (!reached && (differs || !l0_keep(core, insn, address, raw, entered)) &&
        entered >= core->hits.clean)
        return false;
    if (__builtin_expect(core->check != NULL, 0))
        ts_rv_guarded(core, insn, address, entered);
    l0_age(core);
    core->l0_hits++;
    access->entered = entered;
    access->value = ts_rv_extend(insn->op, raw);
    access->result = entered + core->params.load_local - 1;
    return true;
}

// The ledger notes a load that others can see: a poll that goes on needs no more than this.
TS_RV_INLINE void noted(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                        const struct ts_rv_access *access)
{
    const struct ts_rv_looked *first = &core->look.at[0];
    if (core->component.ledger == NULL)
        return;
    if (first->pc == insn->pc && first->address == address && first->value == access->value &&
        core->look.stores == core->stores_done)
        core->look.repeats++;
    else
        ts_rv_load_seen(core, insn->pc, address, access->value, access->entered);
}

// A load that others can see has entered the unit, which is free for the next access.
TS_RV_INLINE void load_entered(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                               ts_cycle entered)
{
    core->lsu_from = 0;
    if (__builtin_expect(core->watch.clears, 0))
        ts_rv_icache_invalidated(core, insn->pc, entered);
}

// The same, and it has its value or waits for it.
TS_RV_INLINE void loaded(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                         bool quiet, const struct ts_rv_access *access)
{
    core->shared++;
    responded(core, access->result);
    if (quiet)
        return;
    seen_by_others(core, access->entered);
    load_entered(core, insn, access->entered);
    noted(core, insn, address, access);
}

// Does nobody follow a load of L1 that enters at `entered`, and is it no poll?
static inline bool load_quiet(const struct ts_rv_core *core, const struct ts_rv_insn *insn,
                              uint32_t address, ts_cycle entered)
{
    return core->l1->watch_count == 0 && !core->watch.captured && !core->watch.clears &&
           core->component.ledger == NULL && core->shared < core->watch.shared + 8 &&
           (insn->pc != core->watch.pc || core->stores_done != core->watch.stores) &&
           ts_l1_door_clear(&core->door, address, entered);
}

// A load of a word that the network may have changed.
TS_SLOW_PATH void ts_rv_looked(struct ts_rv_core *core, uint32_t address, const uint8_t *word);

// A load's request of L1 at `entered`, which has been reached. `waits`: a store to the granule is queued.
TS_RV_INLINE void request_l1(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                             uint32_t address, ts_cycle entered, bool waits, bool quiet,
                             struct ts_rv_access *access)
{
    struct ts_l1 *const l1 = core->l1;
    const uint8_t *line = l1->bytes + (address & ~15u);
    ts_cycle start;
    if (quiet) {
        start = ts_l1_door_pass(l1, &core->door, address, entered, 1);
        ts_l1_meet(l1, address / TS_L1_GRANULE, start, start);
    } else if (__builtin_expect(core->watch.captured, 0)) { // it gets what L1 had then
        core->watch.captured = false;
        start = core->watch.late_start;
        line = core->watch.line;
    } else {
        memcpy(core->watch.line, line, 16);
        l1->actor = core->component.index;
        start = ts_l1_reserve(l1, core->port, address, entered, 1);
        l1->actor = UINT32_MAX;
    }
    l1->reads++;
    if (__builtin_expect(l1->news >> address / 4 % 64 & 1, 0))
        ts_rv_looked(core, address, line + (address & 12));
    if (core->heard && (core->check != NULL || address - core->guard_from < core->guard_bytes))
        ts_rv_guarded(core, insn, address, start);
    if (core->l0) {
        uint32_t way = core->l0_next++ % TS_RV_L0;
        core->l0_tag[way] = address / 16 + 1;
        core->l0_behind |= waits;
        memcpy(core->l0_data[way], line, 16);
        l0_age(core);
    }
    access->entered = entered;
    access->value = ts_rv_extend(insn->op, ts_rv_peek(line, address & 15));
    access->result = start + core->params.load_l1 - 1;
}

// A load of L1 that enters at `entered` and sends its request.
TS_RV_INLINE void load_l1(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                          ts_cycle entered, bool waits, bool quiet, struct ts_rv_access *access)
{
    request_l1(core, insn, address, entered, waits, quiet, access);
    loaded(core, insn, address, quiet, access);
}

// ---- stores enter the queue

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

// A store to L1 enters the queue at `entered`, in an entry that it joins or that is `fresh`. If it may stop the
// run, the core stays in its cycle until it has left.
TS_RV_INLINE void store_l1(struct ts_rv_core *core, struct ts_rv_store *store, bool fresh,
                           const struct ts_rv_insn *insn, uint32_t address, uint32_t word,
                           ts_cycle entered, struct ts_rv_access *access)
{
    if (fresh)
        begin(store, address);
    put(store, insn, address, word, entered);
    l0_forget(core, address / 16);
    if (__builtin_expect(core->l1->stop_bytes != 0, 0) &&
        address - core->l1->stop < core->l1->stop_bytes && core->run_ahead) {
        core->stopping = true;
        ts_rv_leash(core);
    }
    access->entered = entered;
    access->result = entered + 1;
}

// ---- stores leave the queue

// May the store's write request be sent at `at` so that nobody follows it?
static inline bool store_quiet(const struct ts_rv_core *core, const struct ts_rv_store *store,
                               ts_cycle at)
{
    const uint32_t address = store->address;
    return store->region == core->quiet && ts_l1_unnoticed(core->l1, address) &&
           ts_l1_door_clear(&core->door, address, at) &&
           (core->l1->hits[address / TS_L1_GRANULE % TS_L1_HITS] & ~core->bit) == 0;
}

// Remembers who writes the words of a store.
TS_RV_INLINE void note_writers(struct ts_rv_core *core, const struct ts_rv_store *store,
                               ts_cycle at, bool quiet)
{
    const uint32_t *pc = store->pc, by = TS_RV_BY + core->id;
    struct ts_l1_last *const last = core->l1->last;
    uint32_t word = store->address;
    for (unsigned mask = store->mask; mask != 0; mask >>= 4, word += 4, pc++) {
        if ((mask & 15) && quiet)
            ts_l1_note_quietly(last, word, by, *pc, at);
        else if (mask & 15)
            ts_l1_note_word(core->l1, word, by, *pc, at);
    }
}

// Writes the bytes of a store; its request starts at `start`.
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

// The cycles of a write: a write of less than 16 bytes takes several.
static inline uint32_t store_width(const struct ts_rv_core *core, const struct ts_rv_store *store)
{
    return store->mask == 0xffff ? 1 : core->params.l1_narrow;
}

// Sends a store's write request to L1 at `at`, which has been reached. The queue is left as it is. Returns true.
TS_RV_INLINE bool write_l1(struct ts_rv_core *core, const struct ts_rv_store *store, ts_cycle at,
                           bool quiet)
{
    struct ts_l1 *const l1 = core->l1;
    const uint32_t address = store->address;
    const uint32_t width = store_width(core, store);
    if (quiet) {
        note_writers(core, store, at, true);
        const ts_cycle start = ts_l1_door_pass(l1, &core->door, address, at, width);
        write_bytes(core, store, start, width);
        return ts_l1_meet(l1, address / TS_L1_GRANULE, start, start + width - 1);
    }
    l1->actor = core->component.index;
    write_bytes(core, store, ts_l1_reserve(l1, core->port, address, at, width), width);
    ts_l1_notify(l1, address, 16, at);
    note_writers(core, store, at, false); // who hears of it finds the bytes written
    l1->actor = UINT32_MAX;
    if (__builtin_expect(core->check != NULL, 0))
        ts_check_store(core->check, core->id, store->pc, address, store->mask, store->entered, at);
    return true;
}

// Sends it if nobody follows it: nobody acts earlier because of it, so what this step has reached stays.
static TS_SLOW_PATH bool send_quietly(struct ts_rv_core *core, const struct ts_rv_store *store,
                                      ts_cycle at)
{
    return store_quiet(core, store, at) && write_l1(core, store, at, true);
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
