// What the files of a core share: fetch, load/store unit, CSRs, the interpreter.
#pragma once

#include "cores/riscv/core.h"

static inline ts_cycle later(ts_cycle a, ts_cycle b)
{
    return a > b ? a : b;
}

// The load/store unit's answer to an instruction that would enter it.
enum ts_rv_lsu {
    TS_RV_LSU_DONE,  // the instruction entered
    TS_RV_LSU_LATER, // core->resume says when to retry; TS_NEVER: blocked on core->wait
    TS_RV_LSU_FAULT, // the run stops
};

struct ts_rv_access {
    ts_cycle entered; // the load/store unit; EX1 is free again
    ts_cycle result;  // can be used from; TS_RV_BLOCKED if it waits
    uint32_t value;
};

// lsu.c and stores.c: the load/store unit.
enum ts_rv_lsu ts_rv_load(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                          ts_cycle issue, struct ts_rv_access *access);
enum ts_rv_lsu ts_rv_store(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                           uint32_t word, ts_cycle issue, struct ts_rv_access *access);
TS_SLOW_PATH bool ts_rv_push_waits(struct ts_rv_core *core);
// access->value: the number of instructions that were pushed as one.
TS_SLOW_PATH enum ts_rv_lsu ts_rv_push(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                       ts_cycle issue, struct ts_rv_access *access);
// A store to local RAM enters at `entered`, and what the queue holds then depends on others.
enum ts_rv_lsu ts_rv_local_behind(struct ts_rv_core *core, ts_cycle entered);
enum ts_rv_lsu ts_rv_amo(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                         uint32_t operand, ts_cycle issue, struct ts_rv_access *access);
enum ts_rv_lsu ts_rv_fence(struct ts_rv_core *core, ts_cycle issue, struct ts_rv_access *access);
// Sends the write requests that are due by `until`. False: stopped, by the end of what this step
// may do (core->resume), by a region that waits, or by a fault.
bool ts_rv_drain(struct ts_rv_core *core, ts_cycle until);
// When the first store sends its write request: it stays for so many cycles after it has entered, and until `from`.
static inline ts_cycle ts_rv_store_leaves(const struct ts_rv_core *core, ts_cycle entered,
                                          uint32_t stays, ts_cycle from)
{
    return later(later(entered + stays, from), core->store_next);
}

// Recomputes core->store_due: the queue or its settings have changed.
static inline void ts_rv_store_due(struct ts_rv_core *core)
{
    if (core->store_count == 0 || core->store_blocked) {
        core->store_due = TS_NEVER;
        return;
    }
    const struct ts_rv_store *store = &core->stores[core->store_head];
    const bool alone = store->flush || store->mask == 0xffff; // no partner may come
    core->store_due = ts_rv_store_leaves(
        core, store->entered, alone ? core->params.store_drain : core->linger, store->from);
}

// The store's wait for a partner, if it has one, ends at `at`: the next one has entered.
static inline void ts_rv_store_close(struct ts_rv_store *store, ts_cycle at)
{
    if (store->flush)
        return;
    store->flush = true;
    store->from = later(store->from, at);
}

static inline struct ts_rv_store *ts_rv_last_store(struct ts_rv_core *core)
{
    struct ts_rv_store *store =
        &core->stores[(core->store_head + core->store_count - 1) % TS_RV_STORES];
    __asm__("" : "+r"(store)); // else the compiler computes it for every field
    return store;
}

// Is the queue's last entry, which waits for a partner, certainly still there at `entered`? The first
// one leaves when it is due at the earliest, or at any time if its region holds it; each of the others a
// cycle after the one before it.
static inline bool ts_rv_store_stays(const struct ts_rv_core *core, const struct ts_rv_store *tail,
                                     ts_cycle entered)
{
    return (core->store_due >= entered && !core->store_blocked) ||
           (tail->mask != 0xffff && tail->entered + core->merge > entered);
}

// The core does not run ahead for a while.
TS_SLOW_PATH void ts_rv_leash(struct ts_rv_core *core);
// Retries the waiting load.
bool ts_rv_retry_load(struct ts_rv_core *core, ts_cycle now);
// The core faults: a load that waits for a store to be written has its value.
void ts_rv_load_cut(struct ts_rv_core *core);
// May an effect that others can see happen at `at` in this step?
static inline bool ts_rv_reach_alone(struct ts_rv_core *core, ts_cycle at)
{
    if (!core->run_ahead || core->pending || core->watch.parked)
        return false; // while its load waits; and a parked core executes one poll at a time
    ts_cycle alone = ts_lookahead(&core->component, core->now) - 1;
    if (core->store_blocked && core->store_wait.until != 0 && alone >= core->store_wait.until)
        alone = core->store_wait.until - 1; // the store is retried first
    if (alone > core->limit)
        core->limit = alone;
    return at <= core->limit;
}

static inline bool ts_rv_reach(struct ts_rv_core *core, ts_cycle at)
{
    return at <= core->limit || ts_rv_reach_alone(core, at);
}

// csr.c: reads or writes a CSR at cycle `at`; false: no such CSR.
bool ts_rv_csr_read(struct ts_rv_core *core, uint32_t number, ts_cycle at, uint64_t instret,
                    uint32_t *value);
bool ts_rv_csr_write(struct ts_rv_core *core, uint32_t number, ts_cycle at, uint64_t instret,
                     uint32_t value);

// Copies the CSRs' settings into the pipeline's flags.
void ts_rv_csr_apply(struct ts_rv_core *core);

// fetch.c: cycles lost when the line is entered at `at`; an empty cache; and decoding a line.
ts_cycle ts_rv_fetch(struct ts_rv_core *core, uint32_t line, ts_cycle at);
void ts_rv_icache_clear(struct ts_rv_core *core);
// The load at `pc` that others can see has entered at `entered`. If the invalidation was before, it happens.
TS_SLOW_PATH void ts_rv_icache_invalidated(struct ts_rv_core *core, uint32_t pc, ts_cycle entered);
TS_SLOW_PATH const struct ts_rv_line *ts_rv_line_fill(struct ts_rv_core *core, uint32_t line);

// Is an instruction at `pc` in memory that the core fetches from?
static inline bool ts_rv_fetches(const struct ts_rv_core *core, uint32_t pc)
{
    return (pc < core->l1_size || pc - TS_RV_IRAM < core->iram_size) && pc % 4 == 0;
}

// The place of a line among a tile's.
static inline const struct ts_rv_line **ts_rv_line_at(const struct ts_rv_core *core, uint32_t line)
{
    return &core->lines[line & TS_RV_PLACE / 16];
}

static inline const struct ts_rv_insn *ts_rv_insn_at(struct ts_rv_core *core, uint32_t pc)
{
    const struct ts_rv_line *line = *ts_rv_line_at(core, pc / 16);
    if (__builtin_expect(line == NULL, 0))
        line = ts_rv_line_fill(core, pc / 16);
    return &line->insn[pc / 4 % 4];
}

// run.c: runs from core->pc until it must yield; core->resume says until when. False: fault.
bool ts_rv_execute(struct ts_rv_core *core, ts_cycle now);

// core.c: books stalls that have ended by `now`.
void ts_rv_book_ended(struct ts_rv_core *core, ts_cycle now);
// The rounds of a parked core up to `now` are booked by their real kind: undoes what the kernel books.
void ts_rv_unpoll(struct ts_rv_core *core, ts_cycle now);
// A stall begins at `at` that lasts beyond the end of the run, `horizon`: what was lost before
// it is booked on its own.
TS_SLOW_PATH void ts_rv_part(struct ts_rv_core *core, ts_cycle at, ts_cycle horizon);

// A core whose account is asked for at any cycle: a stall of `lost` cycles ends before `end`. at_once: all of it is booked then.
TS_SLOW_PATH void ts_rv_note(struct ts_rv_core *core, enum ts_stall reason, ts_cycle end,
                             uint64_t lost, bool at_once);

// debug.c: the core halts, because of a watchpoint or, with 0, of a command.
TS_SLOW_PATH void ts_rv_debug_halt(struct ts_rv_core *core, uint32_t hit);
// The core is held: nothing of a pause is left.
void ts_rv_debug_reset(struct ts_rv_core *core);
// Does a debugged core halt before this instruction, which could enter EX1 now? `done`: instructions
// executed so far. `known`: its address is.
TS_SLOW_PATH bool ts_rv_debug_stops(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                    uint64_t done, bool known);

// commit.c: the commit log.
void ts_rv_log_hold(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                    uint32_t value);
void ts_rv_log_flush(struct ts_rv_core *core);
// The load that waited has its value.
void ts_rv_log_resolve(struct ts_rv_core *core, uint32_t value);

// l0.c: loads that L0 has served ahead of the clock and whose cycles have come by `until` are over.
TS_SLOW_PATH void ts_rv_hits_end(struct ts_rv_core *core, ts_cycle until);
// A load took an old value from L0.
TS_SLOW_PATH void ts_rv_hit_old(struct ts_rv_core *core, uint32_t pc, uint32_t address,
                                uint32_t flushes, ts_cycle at);
// The first cycle of the core in which it sees what the component `actor` (as in ts_l1) does at `at`.
ts_cycle ts_rv_sees_from(const struct ts_rv_core *core, ts_cycle at, uint32_t actor);

// park.c: polls of a location that does not change.
// Called before a load that may be such a poll. True: stop before it, the step compares.
TS_SLOW_PATH bool ts_rv_poll_stop(struct ts_rv_core *core, uint32_t address, ts_cycle entered);
// Called after it. `waited`: for others, at the port or the bank. `object`: see core.h.
void ts_rv_poll_note(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                     uint32_t value, ts_cycle entered, bool waited, const struct ts_object *object);
// The same where a store lies between it and the last time: it is no poll.
static inline void ts_rv_poll_none(struct ts_rv_core *core)
{
    core->watch.rounds = core->watch.tries = core->watch.backoff = 0;
    core->watch.has_digest = false;
    core->watch.shared = core->shared;
    core->watch.stores = core->stores_done;
}
// Called after any load that others can see, of a core with a ledger: an episode ends or goes on.
TS_SLOW_PATH void ts_rv_load_seen(struct ts_rv_core *core, uint32_t pc, uint32_t address,
                                  uint32_t value, ts_cycle entered);
// The step's side of a candidate: true if the core is parked now; false if it continues.
bool ts_rv_park(struct ts_rv_core *core);
// The parked core's answer to its step.
ts_step ts_rv_sleep(struct ts_rv_core *core, ts_cycle now);
// The run ends at `now`: true if the core was parked, and must first do its polls and what follows
// them.
bool ts_rv_park_end(struct ts_rv_core *core, ts_cycle now);
// The poll before which the pipeline of a parked core stands.
ts_cycle ts_rv_park_reached(const struct ts_rv_core *core);
// Advances a parked core to `now` and unparks it (reset, interrupt).
void ts_rv_unpark(struct ts_rv_core *core, ts_cycle now);

// Stops the run: what happened, at which pc, with which word.
bool ts_rv_fault(struct ts_rv_core *core, ts_cycle at, uint32_t pc, enum ts_code code,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

// The aligned word that holds the address, shifted so that the addressed byte comes first.
static inline uint32_t ts_rv_peek(const uint8_t *bytes, uint32_t address)
{
    uint32_t word;
    memcpy(&word, bytes + (address & ~3u), sizeof word);
    return word >> address % 4 * 8;
}

static inline uint32_t ts_rv_extend(unsigned op, uint32_t raw)
{
    if (__builtin_expect(op == TS_RV_LW, 1))
        return raw;
    switch (op) {
    case TS_RV_LB:
        return (uint32_t)(int32_t)(int8_t)raw;
    case TS_RV_LH:
        return (uint32_t)(int32_t)(int16_t)raw;
    case TS_RV_LBU:
        return raw & 0xff;
    case TS_RV_LHU:
        return raw & 0xffff;
    case TS_RV_FLH:
        return raw | 0xffff0000u;
    default:
        return raw;
    }
}

// A store to local RAM below the end of the program's data.
void ts_rv_data_stored(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                       ts_cycle entered);

// Loads and stores of local RAM, which is private.
static inline void ts_rv_load_local(const struct ts_rv_core *core, const struct ts_rv_insn *insn,
                                    uint32_t address, ts_cycle issue, struct ts_rv_access *access)
{
    access->entered = later(issue + 1, core->local_ready);
    if (core->local_at >= access->entered && core->local_address == address / 4)
        access->entered = core->local_at + 1;
    access->result = access->entered - 1 + core->params.load_local;
    access->value = ts_rv_extend(insn->op, ts_rv_peek(core->local, address - TS_RV_LOCAL_BASE));
}

static inline enum ts_rv_lsu ts_rv_store_local(struct ts_rv_core *core,
                                               const struct ts_rv_insn *insn, uint32_t address,
                                               uint32_t word, ts_cycle issue,
                                               struct ts_rv_access *access)
{
    ts_cycle entered = later(issue + 1, core->local_ready);
    if (core->store_count == 1) {
        struct ts_rv_store *store = ts_rv_last_store(core);
        if (core->store_due > entered &&
            !store->flush) { // else it leaves before, or waits for none
            ts_rv_store_close(store, entered);
            core->store_due = ts_rv_store_leaves(core, store->entered, core->params.store_drain,
                                                 store->from);
        }
    } else if (core->store_count != 0) {
        struct ts_rv_store *store = ts_rv_last_store(core);
        if (store->flush || ts_rv_store_stays(core, store, entered)) {
            ts_rv_store_close(store, entered);
        } else {
            enum ts_rv_lsu answer = ts_rv_local_behind(core, entered);
            if (answer != TS_RV_LSU_DONE)
                return answer;
        }
    }
    uint8_t *to = core->local + (address - TS_RV_LOCAL_BASE);
    if (insn->size == 4)
        memcpy(to, &word, 4);
    else if (insn->size == 2)
        memcpy(to, &word, 2);
    else
        memcpy(to, &word, 1);
    core->local_at = entered + core->params.store_drain;
    core->local_address = address / 4;
    access->entered = entered;
    access->result = entered + 1;
    return TS_RV_LSU_DONE;
}
