// Loads that a core's L0 data cache serves: which of them take an old value (the lint l0-stale).
//
// A hit is private: it is served at once, however far ahead of the clock. Only whether its value is old
// depends on its cycle, because others may write the word before. So a hit ahead of the clock is kept
// until then. A write to such a granule (ts_l1.hits) compares the kept hits of later cycles; a hit with an old value makes the core step in the cycle of the hit.
//
// Source: BabyRISCV/README.md (L0 data cache), MemoryOrdering.md.
#include "cores/riscv/internal.h"
#include "platform/check/check.h"
#include "platform/kernel/domain.h"

ts_cycle ts_rv_sees_from(const struct ts_rv_core *core, ts_cycle at, uint32_t actor)
{
    const struct ts_domain *domain = core->component.domain;
    // An access of a step, not from outside between runs? Another core's late poll is as of the cycle
    // before.
    const bool in_step = domain->now == domain->last && at + 1 >= domain->now;
    return in_step ? at + (core->component.index < actor) : later(at, domain->now);
}

void ts_rv_hit_old(struct ts_rv_core *core, uint32_t pc, uint32_t address, uint32_t flushes,
                   ts_cycle at)
{
    if (core->check && !ts_rv_polls(core, pc))
        ts_check_stale(core->check, core->id, pc, address & ~3u, at);
    // Once can be the first poll of a loop that invalidates; twice is a poll that does not.
    if (core->stale_pc == pc && core->stale_flushes == flushes && core->bus->ops->stale)
        core->bus->ops->stale(core->bus->context, core->id, pc, address, at);
    core->stale_pc = pc;
    core->stale_flushes = flushes;
}

void ts_rv_hits_end(struct ts_rv_core *core, ts_cycle until)
{
    for (uint32_t n = TS_RV_HITS; n != 0 && core->hits.old > until;
         n /= 2) // none is old: how many?
        if (core->hits.to - core->hits.from >= n &&
            core->hit[(core->hits.from + n - 1) % TS_RV_HITS].at <= until)
            core->hits.from += n;
    for (; core->hits.from != core->hits.to; core->hits.from++) {
        const struct ts_rv_hit *hit = &core->hit[core->hits.from % TS_RV_HITS];
        if (hit->at > until)
            break;
        if (hit->old)
            ts_rv_hit_old(core, hit->pc, hit->address, hit->flushes, hit->at);
    }
    if (core->hits.old > until)
        return;
    core->hits.old = TS_NEVER;
    for (uint32_t i = core->hits.to; i-- != core->hits.from;)
        if (core->hit[i % TS_RV_HITS].old)
            core->hits.old = core->hit[i % TS_RV_HITS].at;
}

// Granules from `first` to `last` were written, and the core sees it from `from` on. False: no hit that is kept
// has the same entry of `ts_l1.hits` as the first.
static bool look(struct ts_rv_core *core, uint32_t first, uint32_t last, ts_cycle from)
{
    bool holds = false;
    for (; core->hits.from != core->hits.to; core->hits.from++) {
        const struct ts_rv_hit *hit = &core->hit[core->hits.from % TS_RV_HITS];
        if (hit->at >= from || hit->old)
            break;
    }
    const ts_cycle before = core->hits.old;
    for (uint32_t i = core->hits.from; i != core->hits.to; i++) {
        struct ts_rv_hit *hit = &core->hit[i % TS_RV_HITS];
        const uint32_t granule = hit->address / TS_L1_GRANULE;
        holds |= (granule - first) % TS_L1_HITS == 0;
        if (hit->at < from || granule < first || granule > last)
            continue;
        hit->old = hit->raw != ts_rv_peek(core->l1->bytes, hit->address);
        if (hit->old && hit->at < core->hits.old)
            core->hits.old = hit->at;
    }
    if (core->hits.old < before && core->component.asleep == TS_AWAKE)
        ts_recall(&core->component, core->due, core->hits.old);
    else if (core->hits.old < before)
        ts_summon(&core->component, core->hits.old);
    return holds;
}

void ts_rv_hits_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct ts_rv_core *cores = context;
    struct ts_l1 *l1 = cores->l1;
    const uint32_t first = address / TS_L1_GRANULE, last = (address + length - 1) / TS_L1_GRANULE;
    uint8_t *marks = &l1->hits[first % TS_L1_HITS];
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        struct ts_rv_core *core = &cores[i];
        if ((first == last && !(*marks & core->bit)) || core->component.index == l1->actor)
            continue;
        if (!look(core, first, last, ts_rv_sees_from(core, at, l1->actor)))
            *marks &= (uint8_t)~core->bit;
    }
}
