// Parking: a core that polls a word of L1 which does not change stops being stepped.
//
// A loop whose only access to the outside is one load from L1, that always returns the same value
// and repeats in the same state (registers and everything in flight), repeats indefinitely: poll k
// is at entered + k * period. The core sleeps on its `poll` object. It wakes as soon as another
// component writes the granule or makes a request on the same port or bank, because from then on
// its polls may see a new value or conflict. All earlier polls are then booked in instructions,
// stalls and counters, and the next one is executed in its own cycle. A poll and a disturbance in
// the same cycle keep the order of the components.
//
// Inaccuracies: loops with more than one load, or that poll registers, are not parked. In a hang a
// core that is still parked shows its time as rv_poll.
#include "cores/riscv/record.h"
#include "platform/base/hash.h"
#include "platform/kernel/domain.h"

#include <string.h>

#define ROUNDS  8    // regular rounds before the state is compared
#define TRIES   4    // comparisons before giving up for a while
#define BACKOFF 1000 // polls

// Can the polls of this core conflict with those of another parked core, on a port or a bank?
static bool meets_another(const struct ts_rv_core *core, ts_cycle entered)
{
    const struct ts_l1 *l1 = core->l1;
    uint32_t granule = core->watch.address / TS_L1_GRANULE;
    for (uint32_t i = 0; i < l1->watch_count; i++) {
        const struct ts_l1_watch *watch = &l1->watches[i];
        if (watch->disturbed == NULL ||
            (watch->port != core->port && (watch->granule ^ granule) % TS_L1_BANKS != 0))
            continue;
        const struct ts_rv_core *other = watch->context;
        ts_cycle apart = entered > other->watch.entered ? entered - other->watch.entered
                                                        : other->watch.entered - entered;
        if (other->watch.late || other->watch.period != core->watch.period ||
            apart % core->watch.period == 0)
            return true;
    }
    return false;
}

bool ts_rv_poll_stop(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                     ts_cycle entered)
{
    if (!core->park || !core->run_ahead || core->log != NULL || core->watch.late)
        return false;
    if (core->watch.pass) {
        core->watch.pass = false;
        return false;
    }
    if (core->watch.backoff != 0)
        core->watch.backoff--;
    if (core->watch.rounds < ROUNDS || core->watch.address != address || core->watch.backoff != 0 ||
        core->store_count != 0 || core->l1->watch_count == TS_L1_WATCHES || core->interrupt ||
        core->shared != core->watch.shared || core->stores_done != core->watch.stores ||
        entered - core->watch.at != core->watch.period ||
        ts_l1_start(core->l1, core->port, address, entered, 1) != entered ||
        ts_l1_takes_later(core->l1, core->port, address, entered) ||
        ts_rv_extend(insn->op, ts_rv_peek(core->l1->bytes, address)) != core->watch.value ||
        meets_another(core, entered)) {
        core->watch.has_digest = false; // states are compared from one round to the next only
        return false;
    }
    core->watch.candidate = true;
    core->watch.entered = entered;
    return true;
}

void ts_rv_poll_note(struct ts_rv_core *core, const struct ts_rv_insn *insn, uint32_t address,
                     uint32_t value, ts_cycle entered, bool waited)
{
    if (core->watch.late) {
        core->watch.late = false;
        ts_l1_watch_remove(core->l1, core);
    }
    if (core->watch.pc == insn->pc && core->watch.address == address &&
        core->watch.value == value && core->shared == core->watch.shared + 1 &&
        core->stores_done == core->watch.stores && !waited) {
        ts_cycle period = entered - core->watch.at;
        core->watch.rounds = period == core->watch.period ? core->watch.rounds + 1 : 0;
        core->watch.period = period;
    } else {
        core->watch.pc = insn->pc;
        core->watch.address = address;
        core->watch.value = value;
        core->watch.rounds = core->watch.tries = core->watch.backoff = 0;
        core->watch.has_digest = false;
    }
    core->watch.at = entered;
    core->watch.shared = core->shared;
    core->watch.stores = core->stores_done;
}

void ts_rv_load_seen(struct ts_rv_core *core, uint32_t pc, uint32_t address, uint32_t value,
                     ts_cycle entered)
{
    const struct ts_rv_looked load = {pc, address, value};
    bool stored = core->stores_done != core->look.stores;
    for (uint32_t i = 1; !stored && i < core->look.count; i++) {
        const struct ts_rv_looked *at = &core->look.at[i];
        if (at->pc == pc && at->address == address && at->value == value) {
            core->look.repeats++;
            return;
        }
    }
    if (core->look.repeats != 0 || stored || core->look.count == TS_RV_LOOKS) {
        if (core->look.repeats != 0)
            ts_ledger_put(core->component.ledger, TS_STALL_RV_POLL, &core->poll, core->look.from,
                          entered, core->look.at[0].address);
        core->look.count = core->look.repeats = 0;
        core->look.stores = core->stores_done;
    }
    if (core->look.count == 0)
        core->look.from = entered;
    core->look.at[core->look.count++] = load;
}

// Everything that decides how the core continues, with times relative to now; all times in the past
// are equal. What is in flight is the record, if the core is in one: bit 0 says so.
static uint64_t digest(const struct ts_rv_core *core)
{
    uint64_t hash = ts_hash_word(core->pc, (uintptr_t)core->record);
#define TIME(at) hash = ts_hash_word(hash, (at) > core->t ? (at)-core->t : 0)
    for (unsigned i = 0; i < TS_RV_SINK; i++)
        hash = ts_hash_word(hash, core->r[i]);
    for (unsigned i = 0; i < TS_RV_SINK && core->record == NULL; i++) {
        TIME(core->reg[i].near);
        TIME(core->reg[i].far);
        TIME(core->reg[i].retire);
        hash = ts_hash_word(hash, core->reg[i].far > core->t && core->reg[i].last + 1 == core->seq);
    }
    for (unsigned i = 0; i < TS_RV_RETIRE && core->record == NULL; i++)
        TIME(core->ring_retire[(core->seq + i) % TS_RV_RETIRE]);
    for (unsigned i = 0; i < TS_RV_FLIGHT; i++)
        TIME(core->flight[(core->flights + i) % TS_RV_FLIGHT]);
    if (core->record == NULL) {
        TIME(core->retire);
        TIME(core->longest);
    }
    TIME(core->lsu_from);
    TIME(core->local_at);
    TIME(core->local_ready);
    TIME(core->store_next);
    TIME(core->store_started);
    TIME(core->store_left);
#undef TIME
    hash = ts_hash_word(hash, core->l0_left);
    for (unsigned i = 0; i < TS_RV_L0; i++)
        hash = ts_hash_word(hash, core->l0_tag[i]);
    for (unsigned i = 0; i < TS_RV_CSR_SLOTS; i++)
        hash = ts_hash_word(hash, core->csr[i]);
    hash = ts_hash_word(hash, core->mispredicts);
    hash = ts_hash_word(hash, core->fetch_misses);
    hash = ts_hash_word(hash, core->l0_next % TS_RV_L0);
    return (hash & ~UINT64_C(1)) | (core->record != NULL);
}

// Moves the entire pipeline by a number of rounds.
static void shift(struct ts_rv_core *core, uint64_t rounds)
{
    const ts_cycle by = rounds * core->watch.period;
    core->t += by;
    core->retire += by;
    core->longest += by;
    for (unsigned i = 0; i < TS_RV_REG_COUNT; i++) {
        core->reg[i].near += by;
        core->reg[i].far += by;
        core->reg[i].retire += by;
    }
    for (unsigned i = 0; i < TS_RV_RETIRE; i++) {
        core->ring_result[i] += by;
        core->ring_retire[i] += by;
    }
    for (unsigned i = 0; i < TS_RV_FLIGHT; i++)
        core->flight[i] += by;
    if (core->lsu_from != 0)
        core->lsu_from += by;
    core->local_at += by;
    core->store_next += by;
    core->store_started += by;
    core->store_left += by;
    core->stream_at += by;
    core->watch.at += by;
    core->watch.entered += by;
    core->instret += rounds * core->watch.per_instret;
    core->loads += rounds * core->watch.per_loads;
    core->l0_hits += rounds * core->watch.per_hits;
    core->shared += rounds;
    core->watch.shared = core->shared;
    core->l1->reads += rounds;
    for (unsigned i = 0; i < TS_STALL_COUNT; i++)
        core->component.lost[i] += rounds * core->watch.per_lost[i];
}

// Wakes the core for an access at `at` by the component `actor`.
static void come_back(struct ts_rv_core *core, ts_cycle at, uint32_t actor)
{
    struct ts_l1 *l1 = core->l1;
    const ts_cycle period = core->watch.period, first = core->watch.entered;
    const struct ts_domain *domain = core->component.domain;
    // Another core's late poll conflicts as of the cycle before.
    const bool in_step = domain->now == domain->last && at + 1 >= domain->now;
    uint64_t done = at > first ? (at - first + period - 1) / period : 0;
    ts_cycle next = first + done * period;
    if (next == at && in_step && core->component.index < actor) {
        // Its poll of this cycle came first.
        if (l1->port_free[core->port] < at + 1)
            ts_l1_take(l1, core->port, core->watch.address, at, 1);
        done++;
        next += period;
    }
    shift(core, done);
    core->watch.back = done != 0;
    core->watch.parked = false;
    core->watch.returned = true;
    core->watch.rounds = 0;
    core->watch.has_digest = false;
    l1->parked--;
    core->resume = next;
    if (next <= domain->now && in_step) {
        // Others were first in this cycle: the poll is done in the next step, as of this cycle.
        core->watch.late = true;
        core->watch.captured = false;
        ts_wake(&core->component, domain->now + 1);
        return;
    }
    ts_l1_watch_remove(l1, core);
    ts_wake(&core->component, next);
}

// Another access follows the late poll, in its own cycle or the next: the poll must be done first.
static void capture(struct ts_rv_core *core, ts_cycle at, uint32_t actor)
{
    if (core->watch.captured || (at == core->watch.entered && core->component.index > actor))
        return;
    at = core->watch.entered;
    struct ts_l1 *l1 = core->l1;
    ts_cycle start = ts_l1_start(l1, core->port, core->watch.address, at, 1);
    ts_l1_take(l1, core->port, core->watch.address, start, 1);
    l1->conflicts += start - at;
    memcpy(&core->watch.late_word, l1->bytes + (core->watch.address & ~3u), 4);
    core->watch.late_start = start;
    core->watch.captured = true;
}

static void disturbed(void *context, ts_cycle at)
{
    struct ts_rv_core *core = context;
    if (core->l1->actor == core->component.index)
        return; // its own late poll
    if (core->watch.late)
        capture(core, at, core->l1->actor);
    else if (core->watch.parked)
        come_back(core, at, core->l1->actor);
}

static void written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    (void)address;
    (void)length;
    struct ts_rv_core *core = context;
    if (core->watch.parked)
        come_back(core, at, core->l1->actor);
}

// Booked and not booked yet.
static uint64_t lost_to(const struct ts_rv_core *core, unsigned reason)
{
    return ts_lost(&core->component, reason) + core->ahead.lost[reason] + core->before.lost[reason];
}

bool ts_rv_park(struct ts_rv_core *core, ts_cycle now)
{
    // The round before may have been exec.c's, which left the scoreboard: compare that.
    if (core->watch.has_digest && !(core->watch.digest & 1))
        ts_rv_leave(core);
    uint64_t state = digest(core);
    core->watch.candidate = false;
    if (core->watch.has_digest && core->watch.digest == state) {
        if (core->watch.entered > now) {
            // The core is ahead: until then another access may conflict, or the run may end.
            core->resume = core->watch.entered;
            return true;
        }
        core->watch.per_instret = core->instret - core->watch.instret;
        core->watch.per_loads = core->loads - core->watch.loads;
        core->watch.per_hits = core->l0_hits - core->watch.hits;
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            core->watch.per_lost[i] = lost_to(core, i) - core->watch.lost[i];
        core->watch.per_lost[TS_STALL_IDLE] = core->watch.per_lost[TS_STALL_RV_POLL] = 0;
        core->watch.parked = true;
        core->watch.since = now;
        core->l1->parked++;
        ts_l1_watch_add(core->l1,
                        &(struct ts_l1_watch){.granule = core->watch.address / TS_L1_GRANULE,
                                              .port = core->port,
                                              .written = written,
                                              .disturbed = disturbed,
                                              .context = core});
        return true;
    }
    core->watch.digest = state;
    core->watch.has_digest = true;
    core->watch.instret = core->instret;
    core->watch.loads = core->loads;
    core->watch.hits = core->l0_hits;
    for (unsigned i = 0; i < TS_STALL_COUNT; i++)
        core->watch.lost[i] = lost_to(core, i);
    core->watch.pass = true;
    if (++core->watch.tries == TRIES) {
        core->watch.tries = 0;
        core->watch.has_digest = false;
        core->watch.backoff = BACKOFF;
    }
    return false;
}

// The run ends at `now`, which may be in the middle of a round: the core is left before the last poll
// that comes earlier, with all earlier rounds booked. That poll had no conflict.
bool ts_rv_park_end(struct ts_rv_core *core, ts_cycle now)
{
    if (core->watch.late)
        return core->watch.entered < now;
    if (core->watch.parked) {
        const ts_cycle first = core->watch.entered;
        shift(core, first < now ? (now - 1 - first) / core->watch.period : 0);
        core->watch.parked = false;
        core->watch.returned = true;
        core->watch.rounds = 0;
        core->watch.has_digest = false;
        core->l1->parked--;
        ts_l1_watch_remove(core->l1, core);
    } else if (core->watch.returned && core->watch.back && core->resume >= now) {
        shift(core, UINT64_MAX); // it continues with a poll after the end: one round less
    } else {
        return false;
    }
    core->watch.back = false; // a run that ends in this same cycle again takes nothing back
    core->resume = core->watch.entered;
    if (core->watch.entered < now) {
        core->watch.captured = true;
        core->watch.late_start = core->watch.entered;
        core->watch.late_word = core->watch.value << core->watch.address % 4 * 8;
    }
    return true;
}

void ts_rv_unpark(struct ts_rv_core *core, ts_cycle now)
{
    if (core->watch.parked) {
        come_back(core, now, UINT32_MAX);
        ts_l1_watch_remove(core->l1, core);
        core->watch.late = false;
    } else if (core->watch.late) {
        ts_l1_watch_remove(core->l1, core);
        core->watch.late = false;
    }
}
