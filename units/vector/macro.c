// The vector unit's clock: SFPLOADMACRO's calendar, and what happens within one cycle.
//
//   cycle t      SFPLOADMACRO loads, and books instructions with a delay d for up to four sub-units
//   t + 1 + d    such an instruction executes, if its delay counts cycles; if any booked one counts
//                issued instructions, all of them move only in cycles in which a thread issues one
//
// All instructions of one cycle read the registers and flags as they are at the start of the cycle:
// the bodies run in an order in which none reads what another has already written (store, MAD,
// round, simple, load), with a copy for the one case that no order solves. The two-cycle results of
// the cycle before are written after that, unless a younger instruction wrote the same register.
//
// Source: tt-isa-documentation BlackholeA0 SFPLOADMACRO.md, VectorUnit.md; measured: row B0526.
//   Where the page is not specific, 25 kernels of the vendor's library (tt-llk, April 2026) decide:
//   each computes the same with and without SFPLOADMACRO only if (a) a sequence byte that schedules
//   nothing does not change the calendar, (b) all of a cycle reads before any of it writes, (c) a
//   two-cycle result can be read from the second cycle after, and its old value until then, (d)
//   SFPSWAP exchanges VC with VB, which may be the template's VD.
// Inaccuracies: the booking of lanes that disagree is refused; for SFPAND and SFPOR without USE_VB
//   the template's VB field counts as absent (assumed); a discarded SFPSTORE's address modifier has
//   been applied by then (assumed); SFPSWAP with an idle MAD sub-unit passes (the page requires
//   SFPNOP there, the vendor's kernels omit it).
#include "units/vector/body.h"
#include "units/vector/use.h"

enum {
    SELECT_NONE = 0,
    SELECT_UNDEFINED = 1,
    SELECT_NOP = 2,
    SELECT_STORE = 3,
    SELECT_TEMPLATE = 4,
    SEQ_VD_BONUS = 0x40,
    SEQ_VB = 0x80,
    MISC_STORE_MOD = 15,
    MISC_USES_LOAD_MOD = 4,
    MISC_DELAY_KIND = 8,
};

static bool can_execute(unsigned sub, uint8_t op)
{
    return op == TS_OP_SFPNOP ? sub != TS_SUB_STORE : ts_vector_sub(op) == sub;
}

// The instruction that a sequence byte of the macro makes for a sub-unit; false: undefined.
static bool compose(const struct ts_vector *v, const struct ts_vector_insn *macro, unsigned sub,
                    uint32_t bits, struct ts_vector_insn *out)
{
    unsigned select = bits & 7;
    uint32_t word = (uint32_t)TS_OP_SFPNOP << 24;
    if (select == SELECT_UNDEFINED)
        return false;
    if (select == SELECT_STORE)
        word = (uint32_t)TS_OP_SFPSTORE << 24;
    else if (select >= SELECT_TEMPLATE)
        word = v->template[select - SELECT_TEMPLATE][0];

    struct ts_vector_insn i;
    if (!ts_vector_decode(word, &i) || !can_execute(sub, i.op))
        ts_vector_decode((uint32_t)TS_OP_SFPNOP << 24, &i);
    if (!can_execute(sub, i.op))
        return false;

    i.scheduled = true;
    if (sub != TS_SUB_STORE) {
        // A VB or VC that the template's layout lacks is its VD: the decoder has set this.
        if (bits & SEQ_VB)
            i.vb = macro->vd;
        else
            i.vc = macro->vd;
        i.vb_given = bits & SEQ_VB;
        i.vd = bits & SEQ_VD_BONUS ? TS_LREG_BONUS : macro->vd;
    } else {
        if (bits & SEQ_VD_BONUS)
            i.vd = TS_LREG_BONUS;
        else if (!(bits & SEQ_VB))
            i.vd = macro->vd;
        bool own = v->misc[0] >> MISC_USES_LOAD_MOD >> macro->round & 1;
        i.mod = (uint8_t)(own ? macro->mod : v->misc[0] & MISC_STORE_MOD);
        i.fmt = ts_vector_format(macro, i.mod);
        i.dst_addr = macro->dst_addr; // the load's, even if the counters have changed since
    }
    *out = i;
    return true;
}

// SFPLOADMACRO's second part: books up to four instructions into the calendar.
static enum ts_vector_fault schedule(struct ts_vector *v, const struct ts_vector_insn *macro)
{
    if (v->columns_differ)
        return TS_VECTOR_LANES;
    uint32_t sequence = v->sequence[macro->round][0];
    for (unsigned sub = 0; sub < TS_SUBS_SCHEDULED; sub++) {
        uint32_t bits = sequence >> 8 * sub & 0xFF;
        unsigned delay = bits >> 3 & 7;
        uint8_t bit = (uint8_t)(1u << delay);
        if ((bits & 7) == SELECT_NONE)
            continue;
        if (!compose(v, macro, sub, bits, &v->slot[sub][(v->head + delay) % TS_DELAYS]))
            return TS_VECTOR_SEQUENCE;
        v->due[sub] |= bit;
        if (v->misc[0] >> MISC_DELAY_KIND >> sub & 1)
            v->counts_issues[sub] |= bit;
        else
            v->counts_issues[sub] &= (uint8_t)~bit;
    }
    return TS_VECTOR_OK;
}

static uint32_t booked(const uint8_t mask[TS_SUBS_SCHEDULED])
{
    uint32_t all;
    memcpy(&all, mask, sizeof all);
    return all;
}
_Static_assert(TS_SUBS_SCHEDULED == sizeof(uint32_t), "booked takes one byte of each sub-unit");

bool ts_vector_idle(const struct ts_vector *v)
{
    return !booked(v->due) && !v->settling && !v->config_lag && !v->swap_resting;
}

bool ts_vector_runs(const struct ts_vector *v)
{
    // Anything due in the very next cycle, or all of it counting cycles.
    return booked(v->due) && (!booked(v->counts_issues) || (booked(v->due) & 0x01010101u));
}

bool ts_vector_calm(const struct ts_vector *v)
{
    return !booked(v->due) && !v->swap_resting && !v->dest_index;
}

static void add_fault(struct ts_vector_done *done, enum ts_vector_fault fault)
{
    if (!done->fault)
        done->fault = fault;
}

// The registers that an exchange in its second cycle writes.
static uint32_t swap_writes(const struct ts_vector *v, const struct ts_vector_second *s)
{
    uint32_t both = 1u << s->swap_c | 1u << s->swap_b;
    return !s->swap ? 0 : both | (s->swap & v->dest_index ? (both & 0xFu) << 4 : 0);
}

// A younger instruction's one-cycle result overrides an older one's second cycle. An exchange has read its
// registers by then: the vendor's column maximum (tt-llk ckernel_sfpu_reduce.h) loads one of them again.
static void yield_second(struct ts_vector *v, struct ts_vector_second *s, uint32_t writes,
                         uint32_t lanes)
{
    if (swap_writes(v, s) & writes) {
        ts_vector_swap_write(v, s);
        s->swap = 0;
    }
    if (s->mad.lanes && !s->mad.indirect && (writes >> s->mad.vd & 1))
        s->mad.lanes &= ~lanes;
    if (s->round.lanes && (writes >> s->round.vd & 1))
        s->round.lanes &= ~lanes;
}

static uint32_t late_writes(const struct ts_vector_late *late)
{
    return late->lanes ? late->indirect ? 0xFFu : 1u << late->vd : 0;
}

// One cycle under way.
struct clock {
    struct ts_vector *v;
    struct ts_dst *dst;
    struct ts_vector_done *done;
    struct ts_vector_second *second; // writes pending from the cycle before
    uint32_t enabled;                // lanes enabled when the cycle began
    uint32_t pending;                // registers that second writes
    uint32_t unready;                // the entries that issued instructions began
    bool config_lag;
};

// Hazards of one instruction about to start.
static unsigned hazards_of(const struct ts_vector *v, const struct ts_vector_insn *i,
                           const struct ts_vector_use *use, const struct clock *c)
{
    unsigned hazards = use->reads & c->unready && !i->scheduled ? TS_VHAZARD_STALE : 0;
    bool computes = use->sub != TS_SUB_LOAD && use->sub != TS_SUB_STORE;
    if (v->dest_index && computes && i->op != TS_OP_SFPCONFIG && i->op != TS_OP_SFPSWAP &&
        i->op != TS_OP_SFPTRANSP && (use->writes & 0xF0u))
        hazards |= TS_VHAZARD_INDEX_BANK;
    if (i->vd >= 12 && !i->scheduled && i->op != TS_OP_SFPCONFIG) {
        hazards |= c->config_lag ? TS_VHAZARD_BACKDOOR : 0;
        if (v->no_backdoor != TS_ALL_LANES && c->enabled != TS_ALL_LANES)
            hazards |= TS_VHAZARD_TEMPLATE;
    }
    return hazards;
}

// Counts down: entries move one place nearer, unless some of them wait for an issue and there is
// none.
static void count_down(struct ts_vector *v, bool issued)
{
    if (booked(v->counts_issues) && !issued)
        return;
    for (unsigned sub = 0; sub < TS_SUBS_SCHEDULED; sub++) {
        v->due[sub] >>= 1;
        v->counts_issues[sub] >>= 1;
    }
    v->head = (uint8_t)((v->head + 1) % TS_DELAYS);
}

static void start(struct clock *c, const struct ts_vector_insn *i)
{
    if (c->pending || c->v->dest_index || (i->vd >= 12 && !i->scheduled)) {
        struct ts_vector_use use = ts_vector_use(c->v, i);
        c->done->hazards |= (uint16_t)hazards_of(c->v, i, &use, c);
        if (use.latency == 1 && (use.writes & c->pending))
            yield_second(c->v, c->second, use.writes, c->enabled);
    }
    add_fault(c->done, ts_vector_start(c->v, c->dst, i, c->enabled));
    c->done->executed++;
    c->done->dst_read |= i->op == TS_OP_SFPLOAD || i->op == TS_OP_SFPLOADMACRO;
    c->done->dst_written |= i->op == TS_OP_SFPSTORE;
    if (i->op == TS_OP_SFPSTORE && i->scheduled)
        c->done->macro_store = ts_vector_place(i);
}

// Round and simple in one cycle: the simple one must not see what the round one wrote.
static void start_both(struct clock *c, const struct ts_vector_insn *simple,
                       const struct ts_vector_insn *round)
{
    struct ts_vector_use written = ts_vector_use(c->v, round), other = ts_vector_use(c->v, simple);
    bool one_bonus = (round->vd == TS_LREG_BONUS) != (simple->vd == TS_LREG_BONUS);
    if (!one_bonus && round->op != TS_OP_SFPNOP && simple->op != TS_OP_SFPNOP)
        c->done->hazards |= TS_VHAZARD_SUBUNITS;
    if (!(written.writes & other.reads) || written.latency > 1) {
        start(c, round);
        start(c, simple);
        return;
    }
    uint32_t before[TS_LREGS][TS_LANES], after[TS_LREGS][TS_LANES];
    memcpy(before, c->v->lreg, sizeof before);
    start(c, round);
    memcpy(after, c->v->lreg, sizeof after);
    memcpy(c->v->lreg, before, sizeof before);
    start(c, simple);
    for (unsigned r = 0; r < TS_LREGS; r++) {
        if (written.writes >> r & 1 & ~(other.writes >> r))
            memcpy(c->v->lreg[r], after[r], sizeof after[r]);
    }
}

static void scheduled_swap(struct clock *c, const struct ts_vector_insn *const now[])
{
    struct ts_vector *v = c->v;
    if (v->swap_resting) {
        for (unsigned sub = TS_SUB_SIMPLE; sub <= TS_SUB_ROUND; sub++) {
            if (sub != TS_SUB_MAD && now[sub] && now[sub]->op != TS_OP_SFPNOP)
                c->done->hazards |= TS_VHAZARD_SWAP;
        }
    }
    const struct ts_vector_insn *simple = now[TS_SUB_SIMPLE];
    v->swap_resting = simple && simple->scheduled && simple->op == TS_OP_SFPSWAP;
    if (v->swap_resting && now[TS_SUB_MAD] && now[TS_SUB_MAD]->op != TS_OP_SFPNOP)
        c->done->hazards |= TS_VHAZARD_SWAP;
}

// Entries of the calendar whose cycle this is.
static void take_due(struct ts_vector *v, struct ts_vector_insn running[],
                     const struct ts_vector_insn *now[])
{
    for (unsigned sub = 0; sub < TS_SUBS_SCHEDULED; sub++) {
        if (v->due[sub] & 1) {
            running[sub] = v->slot[sub][v->head];
            now[sub] = &running[sub];
            v->due[sub] &= 0xFE;
            v->counts_issues[sub] &= 0xFE;
        }
    }
}

// The sub-units of one cycle, in an order in which none reads what another has written.
static void start_all(struct clock *c, const struct ts_vector_insn *const now[])
{
    if (now[TS_SUB_STORE])
        start(c, now[TS_SUB_STORE]);
    if (now[TS_SUB_MAD])
        start(c, now[TS_SUB_MAD]);
    if (now[TS_SUB_ROUND] && now[TS_SUB_SIMPLE])
        start_both(c, now[TS_SUB_SIMPLE], now[TS_SUB_ROUND]);
    else if (now[TS_SUB_ROUND])
        start(c, now[TS_SUB_ROUND]);
    else if (now[TS_SUB_SIMPLE])
        start(c, now[TS_SUB_SIMPLE]);
    if (now[TS_SUB_LOAD])
        start(c, now[TS_SUB_LOAD]);
}

bool ts_vector_settle(struct ts_vector *v)
{
    if (__builtin_expect(booked(v->due) || v->swap_resting, 0))
        return false;
    v->config_lag = false;
    if (v->settling) {
        struct ts_vector_second *second = &v->second[v->phase];
        v->phase ^= 1;
        v->settling = false;
        ts_vector_write_second(v, second);
    }
    return true;
}

void ts_vector_cycle(struct ts_vector *v, struct ts_dst *dst, const struct ts_vector_insn *issue,
                     struct ts_vector_done *done)
{
    *done = (struct ts_vector_done){0};
    // The common case: one instruction alone in the unit, without hazards.
    if (ts_vector_idle(v) && issue && issue->vd < 12 && !v->dest_index) {
        done->fault = ts_vector_start(v, dst, issue, ts_vector_enabled(v));
        done->executed = 1;
        done->dst_read = issue->op == TS_OP_SFPLOAD;
        done->dst_written = issue->op == TS_OP_SFPSTORE;
        if (issue->op == TS_OP_SFPLOADMACRO) {
            done->dst_read = true;
            add_fault(done, schedule(v, issue));
        }
        return;
    }
    struct clock c = {
        .v = v,
        .dst = dst,
        .done = done,
        .second = &v->second[v->phase],
        .enabled = ts_vector_enabled(v),
        .config_lag = v->config_lag,
    };
    bool second = v->settling;
    if (second) {
        c.pending = late_writes(&c.second->mad) | late_writes(&c.second->round) |
                    swap_writes(v, c.second);
        // An issued instruction that reads what an issued one is still writing is an error. An
        // exchange is not counted: only loads may follow one that SFPLOADMACRO scheduled.
        c.unready = c.second->mad.scheduled ? 0 : late_writes(&c.second->mad);
        c.unready |= c.second->round.scheduled ? 0 : late_writes(&c.second->round);
        v->phase ^= 1;
        v->settling = false;
    }
    v->config_lag = false;

    if (__builtin_expect(booked(v->due) || v->swap_resting, 0)) {
        const struct ts_vector_insn *now[TS_SUBS_SCHEDULED + 1] = {0};
        struct ts_vector_insn running[TS_SUBS_SCHEDULED];
        take_due(v, running, now);
        count_down(v, issue != NULL);
        if (issue) {
            unsigned sub = ts_vector_sub(issue->op);
            if (now[sub])
                done->hazards |= TS_VHAZARD_DISCARDED;
            else
                now[sub] = issue;
        }
        scheduled_swap(&c, now);
        start_all(&c, now);
    } else if (issue) {
        start(&c, issue);
    }
    if (second)
        ts_vector_write_second(v, c.second);
    if (issue && issue->op == TS_OP_SFPLOADMACRO)
        add_fault(done, schedule(v, issue));
}
