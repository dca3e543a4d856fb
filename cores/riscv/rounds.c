// The rounds of a parked core: see rounds.h.
#include "cores/riscv/rounds.h"

#include "platform/base/hash.h"
#include "platform/kernel/kernel.h"

// What is in flight: as a record describes it, so that a core which works out a segment and a core which follows the edge of the segment
// agree; by times where no record could hold it.
static uint64_t flight_digest(const struct ts_rv_core *core)
{
    struct ts_rv_state described;
    uint64_t words[sizeof described / 8], hash = core->pc;
    if (core->record != NULL || ts_rv_describe(core, TS_RV_CUT_LOAD, &described)) {
        memcpy(words, core->record ? &core->record->state : &described, sizeof words);
        return ts_hash_words(hash, words, sizeof words / sizeof *words);
    }
#define TIME(at) hash = ts_hash_word(hash, (at) > core->t ? (at)-core->t : 0)
    for (unsigned i = 0; i < TS_RV_SINK; i++) {
        const struct ts_rv_scoreboard *reg = &core->reg[i];
        const ts_cycle written = reg->retire + core->params.forward_lag;
        if (later(later(reg->near, reg->far), written) <= core->t)
            continue; // as most
        hash = ts_hash_word(hash, i << 1 | (reg->far > core->t && reg->last + 1 == core->seq));
        TIME(reg->near);
        TIME(reg->far);
        TIME(written);
    }
    for (unsigned i = 0; i < TS_RV_RETIRE; i++)
        TIME(core->ring_retire[(core->seq + i) % TS_RV_RETIRE] + core->params.retire_credit);
    TIME(core->retire);
    TIME(core->longest);
    return hash;
}

uint64_t ts_rv_state_digest(const struct ts_rv_core *core)
{
    uint64_t hash = flight_digest(core), pairs[(TS_RV_SINK + 1) / 2] = {0};
    memcpy(pairs, core->r, TS_RV_SINK * sizeof *core->r);
    hash = ts_hash_words(hash, pairs, sizeof pairs / sizeof *pairs);
    for (unsigned i = 0; i < TS_RV_FLIGHT; i++)
        TIME(core->flight[(core->flights + i) % TS_RV_FLIGHT]);
    TIME(core->local_at);
    TIME(core->local_ready);
    TIME(core->store_next);
    TIME(core->store_left);
    TIME(core->load_at);
#undef TIME
    hash = ts_hash_word(hash, core->l0_left);
    hash = ts_hash_word(hash, core->hop);
    for (unsigned i = 0; i < TS_RV_L0; i++)
        hash = ts_hash_word(hash, core->l0_tag[i]);
    uint64_t slots[(TS_RV_CSR_SLOTS + 1) / 2] = {0};
    memcpy(slots, core->csr, sizeof core->csr);
    hash = ts_hash_words(hash, slots, sizeof slots / sizeof *slots);
    hash = ts_hash_word(hash, core->mispredicts);
    hash = ts_hash_word(hash, core->fetch_misses);
    return ts_hash_word(hash, core->l0_next % TS_RV_L0);
}

void ts_rv_shift(struct ts_rv_core *core, const struct ts_rv_round *round, uint64_t rounds)
{
    const ts_cycle by = rounds * round->cycles;
    core->t += by;
    if (core->record == NULL) {
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
    }
    for (unsigned i = 0; i < TS_RV_FLIGHT; i++)
        core->flight[i] += by;
    core->local_at += by;
    core->store_next += by;
    core->store_left += by;
    core->instret += rounds * round->instret;
    core->loads += rounds * round->loads;
    core->l0_hits += rounds * round->hits;
    core->shared += rounds;
    core->watch.shared = core->shared;
    if (core->watch.object == NULL)
        core->l1->reads += rounds;
    for (unsigned i = 0; i < TS_STALL_COUNT; i++)
        core->component.lost[i] += rounds * round->lost[i];
}

ts_cycle ts_rv_park_reached(const struct ts_rv_core *core)
{
    ts_cycle reached = core->watch.entered;
    for (unsigned i = 0; i < TS_RV_DELAYS; i++)
        reached -= core->watch.round[i].owed * core->watch.round[i].adds.cycles;
    return reached;
}

bool ts_rv_catch_up(struct ts_rv_core *core)
{
    bool owed = false;
    for (unsigned i = 0; i < TS_RV_DELAYS; i++) {
        if (core->watch.round[i].owed == 0)
            continue;
        ts_rv_shift(core, &core->watch.round[i].adds, core->watch.round[i].owed);
        core->watch.round[i].owed = 0;
        owed = true;
    }
    if (owed)
        core->watch.at = core->watch.entered - core->watch.round[core->watch.delay].adds.cycles;
    return owed;
}

// Cycles lost to `count` reasons from `from` on, booked and not booked yet.
static inline void put_lost(const struct ts_rv_core *core, uint64_t *lost, unsigned from,
                            unsigned count)
{
    const struct ts_component *component = &core->component;
    for (unsigned i = 0; i < count; i++)
        lost[i] = component->lost[from + i] + core->ahead.lost[from + i] +
                  core->before.lost[from + i];
    if (component->reason - from < count)
        lost[component->reason - from] += component->recent;
    for (unsigned i = 0; i < 3; i++)
        if (ts_rv_reasons[i] - from < count)
            lost[ts_rv_reasons[i] - from] += core->sums >> (16 + 16 * i) & 0xffff;
}

void ts_rv_core_lost(const struct ts_rv_core *core, uint64_t lost[TS_STALL_COUNT])
{
    put_lost(core, lost, 0, TS_STALL_COUNT);
}

void ts_rv_own_lost(const struct ts_rv_core *core, uint64_t lost[TS_RV_OWN_STALLS])
{
    if (core->look.behind)
        memcpy(lost, core->look.entered, sizeof core->look.entered);
    else
        put_lost(core, lost, TS_STALL_RV_FETCH, TS_RV_OWN_STALLS);
}

void ts_rv_poll_begins(struct ts_rv_core *core, ts_cycle entered)
{
    core->look.from = entered;
    ts_rv_own_lost(core, core->look.lost);
}

struct ts_rv_polled ts_rv_core_polled(const struct ts_rv_core *core, ts_cycle now)
{
    struct ts_rv_polled polled = core->polled;
    if (core->look.repeats == 0 || now <= core->look.from)
        return polled;
    polled.cycles += now - core->look.from;
    uint64_t lost[TS_RV_OWN_STALLS];
    ts_rv_own_lost(core, lost);
    for (unsigned i = 0; i < TS_RV_OWN_STALLS; i++)
        polled.lost[i] += lost[i] - core->look.lost[i];
    return polled;
}

void ts_rv_note(struct ts_rv_core *core, enum ts_stall reason, ts_cycle end, uint64_t lost,
                bool at_once)
{
    core->noted[core->noted_count++ % TS_RV_NOTED] = (struct ts_rv_noted){end, (uint32_t)lost,
                                                                          (uint8_t)reason, at_once};
}

// What of the noted stalls comes at `now` or after it.
static void put_beyond(const struct ts_rv_core *core, ts_cycle now, uint64_t lost[TS_STALL_COUNT])
{
    memset(lost, 0, TS_STALL_COUNT * sizeof *lost);
    const uint32_t count = core->noted_count < TS_RV_NOTED ? core->noted_count : TS_RV_NOTED;
    for (uint32_t i = 0; i < count; i++) {
        const struct ts_rv_noted *stall = &core->noted[i];
        const uint64_t after = stall->end > now ? stall->end - now : 0;
        if (stall->at_once)
            lost[stall->reason] += stall->end >= now ? stall->lost : 0;
        else
            lost[stall->reason] += after < stall->lost ? after : stall->lost;
    }
}

// Polls are a wait: with all their cycles, whatever the core did in them.
static void move_polls(struct ts_account *account, const struct ts_rv_polled *polled)
{
    uint64_t busy = polled->cycles;
    for (unsigned i = 0; i < TS_RV_OWN_STALLS; i++) {
        uint64_t *lost = &account->lost[TS_STALL_RV_FETCH + i],
                 part = polled->lost[i] < *lost ? polled->lost[i] : *lost;
        part = part < busy ? part : busy;
        *lost -= part;
        busy -= part;
        account->lost[TS_STALL_RV_POLL] += part;
    }
    busy = busy < account->busy ? busy : account->busy;
    account->busy -= busy;
    account->lost[TS_STALL_RV_POLL] += busy;
}

struct ts_account ts_rv_core_account(const struct ts_rv_core *core, ts_cycle now)
{
    struct ts_account account = ts_component_account(&core->component, now);
    struct ts_rv_polled polled = ts_rv_core_polled(core, now);
    const bool polls = core->look.repeats != 0 && now > core->look.from && !core->look.behind;
    uint64_t beyond[TS_STALL_COUNT];
    if (core->noting) {
        put_beyond(core, now, beyond);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++) {
            const uint64_t more = core->ahead.lost[i] + core->before.lost[i] - beyond[i];
            account.lost[i] += more;
            account.busy -= more;
        }
        for (unsigned i = 0; polls && i < TS_RV_OWN_STALLS; i++)
            polled.lost[i] -= beyond[TS_STALL_RV_FETCH + i];
    }
    move_polls(&account, &polled);
    return account;
}

bool ts_rv_core_polls(const struct ts_rv_core *core, ts_cycle now, struct ts_rv_polled *polled)
{
    if (core->look.repeats == 0 || now <= core->look.from)
        return false;
    polled->cycles = core->polled.cycles + now - core->look.from;
    for (unsigned i = 0; i < TS_RV_OWN_STALLS; i++)
        polled->lost[i] = core->look.lost[i] - core->polled.lost[i];
    return true;
}

void ts_rv_put_totals(const struct ts_rv_core *core, struct ts_rv_round *totals)
{
    totals->cycles = core->watch.entered;
    totals->instret = core->instret;
    totals->loads = core->loads;
    totals->hits = core->l0_hits;
    put_lost(core, totals->lost, 0, TS_STALL_COUNT);
}

void ts_rv_put_round(const struct ts_rv_core *core, const struct ts_rv_round *before,
                     struct ts_rv_round *adds)
{
    adds->cycles = core->watch.entered - before->cycles;
    adds->instret = core->instret - before->instret;
    adds->loads = core->loads - before->loads;
    adds->hits = core->l0_hits - before->hits;
    put_lost(core, adds->lost, 0, TS_STALL_COUNT);
    for (unsigned i = 0; i < TS_STALL_COUNT; i++)
        adds->lost[i] -= before->lost[i];
    adds->lost[TS_STALL_IDLE] = adds->lost[TS_STALL_RV_POLL] = 0;
}
