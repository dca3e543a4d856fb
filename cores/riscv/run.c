// A core's interpreter on the automaton of record.h: bodies without bookkeeping from cut to cut.
//
// At a cut, the load/store unit or the predictor gives the outcome, and its edge the time of the next
// cut. Where there is no edge, exec.c works out the segment from the record's state. exec.c also
// does what records do not describe: chicken bits, the commit log, loads that wait, the clearing of
// local RAM, the last cycles of a run.
#include "cores/riscv/issue.h"
#include "cores/riscv/operands.h"
#include "cores/riscv/quick.h"

#define WARM   5  // times that a line is entered before records describe it
#define BUILDS 16 // segments a step works out before it stays with exec.c

// Is the line in one of the two ways of the instruction cache, and is `line` its decoded form?
static TS_SLOW_PATH bool cached(struct ts_rv_core *core, const struct ts_rv_line *line)
{
    uint32_t *tag = core->line_tag[line->number % core->sets];
    if (*ts_rv_line_at(core, line->number) != line)
        return false;
    if (tag[0] != line->number + 1 && line->number < TS_RV_IRAM / 16) {
        if (tag[1] != line->number + 1)
            return false;
        tag[1] = tag[0];
        tag[0] = line->number + 1;
    }
    core->ready[line->number % TS_RV_SETS] = line;
    return true;
}

// Is the code at pc seldom executed? Then a record costs more than it saves.
static inline bool cold(struct ts_rv_core *core)
{
    uint8_t *entered = &core->entered[core->pc / 16 % TS_RV_SETS];
    return *entered < WARM && (*entered)++ < WARM;
}

// The compiler knows nothing of the value: what sets it stays a branch.
#define FORGET(value) __asm__ volatile("" : "+r"(value))
#define NEXT_BODY()      \
    do {                 \
        i++;             \
        goto *to[i->op]; \
    } while (0)
// May the edge be followed? Where it may not, or is not there, BUILD, ONCE or GUARDED is next, with
// `of` for what they need to know of the cut.
#define CHECK(of)                                                                                  \
    do {                                                                                           \
        if (__builtin_expect(edge == NULL, 0))                                                     \
            goto BUILD_##of;                                                                       \
        if (edge->lines != 0 &&                                                                    \
            __builtin_expect(                                                                      \
                core->ready[edge->first] != edge->line[0] && !cached(core, edge->line[0]), 0))     \
            goto ONCE_##of;                                                                        \
        for (uint32_t k_ = 1; k_ < edge->lines; k_++)                                              \
            if (__builtin_expect(core->ready[(edge->first + k_) % TS_RV_SETS] != edge->line[k_] && \
                                     !cached(core, edge->line[k_]),                                \
                                 0))                                                               \
                goto ONCE_##of;                                                                    \
        if (__builtin_expect(entered + edge->after >= core->guard, 0))                             \
            goto GUARDED_##of;                                                                     \
    } while (0)
#define FOLLOW()                   \
    do {                           \
        sums += edge->sums;        \
        t = entered + edge->after; \
        record = edge->to;         \
        i = edge->code;            \
        goto *to[i->op];           \
    } while (0)
// Follows the edge for the outcome `key`.
#define TAKE(of)                               \
    do {                                       \
        edge = ts_rv_edge_expect(record, key); \
        CHECK(of);                             \
        FOLLOW();                              \
    } while (0)
// The same for a branch, whose keys are buckets.
#define TAKE_WAY(which)                                                 \
    do {                                                                \
        key = (which);                                                  \
        edge = atomic_load_explicit(&record->edge[key], TS_RV_CONSUME); \
        CHECK(WAY);                                                     \
        FOLLOW();                                                       \
    } while (0)
// The same after an access: the key is when it entered and when its result comes. The cycle it
// entered in is computed again, so that the host need not wait for it.
#define TAKE_ACCESS(of)                            \
    do {                                           \
        entered = of.entered;                      \
        key = of.result - entered;                 \
        if (__builtin_expect(entered != t + 1, 0)) \
            goto WAITED_##of;                      \
        entered = t;                               \
        FORGET(entered);                           \
        entered++;                                 \
        TAKE(of);                                  \
    } while (0)
// The same where it waited for the load/store unit.
#define TAKE_LATE(of)                                                 \
    do {                                                              \
        unit = entered - t - 1;                                       \
        key |= (unit > record->span ? record->span + 1 : unit) << 32; \
        edge = ts_rv_edge_expect(record, key);                        \
        CHECK(of);                                                    \
        LOST(RV_LOAD_STORE, unit);                                    \
        FOLLOW();                                                     \
    } while (0)

bool ts_rv_execute(struct ts_rv_core *core, ts_cycle now)
{
#define CUT_ALU(id, cut)    &&B_##id
#define CUT_MUL(id, cut)    &&B_##id
#define CUT_FPU(id, cut)    &&B_##id
#define CUT_FMISC(id, cut)  &&B_##id
#define CUT_BRANCH(id, cut) cut(B_##id)
#define CUT_JUMP(id, cut)   cut(B_##id)
#define CUT_LOAD(id, cut)   cut(LOAD)
#define CUT_STORE(id, cut)  cut(STORE)
#define CUT_DIV(id, cut)    cut(DIVIDE)
#define CUT_FENCE(id, cut)  cut(FENCE)
#define CUT_AMO(id, cut)    cut(OTHER)
#define CUT_CSR(id, cut)    cut(OTHER)
#define CUT_SYS(id, cut)    cut(OTHER)
#define ON(label)           &&label
    static const void *const table[TS_RV_BODIES] = {
#define BODY(id, value) [TS_RV_A_##id] = &&TAKES_A_##id, [TS_RV_B_##id] = &&TAKES_B_##id,
#define FLOAT(id, value)
#include "cores/riscv/bodies.def"
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = CUT_##class(id, ON),
#include "config/riscv.def"
        [TS_RV_LINE_END] = &&LINE, [TS_RV_TTINSN] = &&PUSH, [TS_RV_ABSENT_OP] = &&OTHER,
        [TS_RV_INVALID] = &&OTHER, [TS_RV_STAY] = &&OTHER,
    };
    // The same where the step ends with the next cut.
#define OFF(label) &&YIELD
    static const void *const last[TS_RV_BODIES] = {
#define BODY(id, value) [TS_RV_A_##id] = &&TAKES_A_##id, [TS_RV_B_##id] = &&TAKES_B_##id,
#define FLOAT(id, value)
#include "cores/riscv/bodies.def"
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = CUT_##class(id, OFF),
#include "config/riscv.def"
        [TS_RV_LINE_END] = &&YIELD, [TS_RV_TTINSN] = &&YIELD, [TS_RV_ABSENT_OP] = &&YIELD,
        [TS_RV_INVALID] = &&YIELD,  [TS_RV_STAY] = &&YIELD,
    };
    const ts_cycle limit = ts_horizon(&core->component);
    const ts_cycle horizon = limit < TS_RV_BLOCKED ? limit : TS_RV_BLOCKED;
    if (__builtin_expect(!ts_rv_described(core, horizon), 0)) {
        ts_rv_leave(core);
        core->guard = 0;
        return ts_rv_interpret(core, now, NULL);
    }
    uint32_t *const r = core->r;
    struct ts_rv_record *record = core->record;
    const struct ts_rv_insn *i;
    const struct ts_rv_edge *edge;
    ts_cycle t = core->t, entered = 0;
    uint64_t sums = 0, key = TS_RV_ONCE, unit;
    const void *const *to = table;
    struct ts_rv_access access, quick; // one for calls, one that stays in registers
    enum ts_rv_way way;
    struct ts_rv_cut cut;
    uint32_t address, target = 0, before = 0; // before: what the last body gave
    unsigned builds = 0;
    bool taken = false, right = true, go_on;
    enum ts_rv_lsu answer;
    const ts_cycle end = horizon - 2 * MARGIN, cap = slice_end(core, now);
    const ts_cycle guard = end < cap ? end : cap;

    FORGET(to); // else it is computed for every instruction
    if (record == NULL || (core->ready[core->pc / 16 % TS_RV_SETS] != record->state.line &&
                           !cached(core, record->state.line)))
        goto ENTER;
    core->guard = core->slept == 0 ? guard : 0;
    i = record->insn;
AT_CUT:
    if (__builtin_expect(record->state.kind == TS_RV_CUT_LINE, 0))
        goto LINE;
    goto *to[i->op];

#define BODY_AT(label, value)    \
    label:                       \
    r[i->rd] = before = (value); \
    NEXT_BODY();
#define BODY(id, value) BODY_AT(B_##id, value)
// Branches, so that the host predicts the edge instead of waiting for the operands.
#define BRANCH(id, condition)           \
    B_##id : if (condition) goto TAKEN; \
    goto NOT_TAKEN;
#include "cores/riscv/bodies.def"
// The same with the first operand from the body before, and with the second.
#undef A
#define A               before
#define BODY(id, value) BODY_AT(TAKES_A_##id, value)
#define FLOAT(id, value)
#include "cores/riscv/bodies.def"
#undef A
#undef B
#define A               RS1
#define B               before
#define BODY(id, value) BODY_AT(TAKES_B_##id, value)
#define FLOAT(id, value)
#include "cores/riscv/bodies.def"
#undef B
#define B RS2

TAKEN:
    entered = t;
    core->hop = i->pc ^ I;
    if (__builtin_expect(!ts_rv_predict_branch(&core->predictor, i->pc, I, true), 0)) {
        core->mispredicts++;
        TAKE_WAY(2);
    }
    TAKE_WAY(3);
NOT_TAKEN:
    entered = t;
    if (__builtin_expect(!ts_rv_predict_branch(&core->predictor, i->pc, I, false), 0)) {
        core->mispredicts++;
        TAKE_WAY(0);
    }
    TAKE_WAY(1);

B_JAL:
    target = I;
    right = ts_rv_jump(core, i, target, false);
    goto JUMPED;
B_JALR:
    target = (A + I) & ~1u;
    right = ts_rv_jump(core, i, target, true);
JUMPED:
    key = (uint64_t)target << 1 | right;
    entered = t;
    TAKE(NONE);

LOAD:
    address = A + I;
    if (__builtin_expect(address & (i->size - 1u), 0))
        goto OTHER;
    if (address - TS_RV_LOCAL_BASE < core->local_size) {
        // As ts_rv_load_local, with nothing in the way: the usual case.
        if (core->local_at <= t || core->local_address != address / 4) {
            core->loads++;
            r[i->rd] = ts_rv_extend(i->op, ts_rv_peek(core->local, address - TS_RV_LOCAL_BASE));
            key = core->params.load_local - 1;
            entered = t + 1;
            TAKE(quick);
        }
        ts_rv_load_local(core, i, address, t, &quick);
    } else {
        way = ts_rv_quick_load(core, i, address, t, &quick);
        if (way != TS_RV_WAY_DONE) {
            access.entered = quick.entered;
            core->sums = sums;
            answer = ts_rv_load_on(core, i, address, t, way, &access);
            core->sums = 0;
            if (answer != TS_RV_LSU_DONE)
                goto LATER;
            if (__builtin_expect(access.result >= TS_RV_BLOCKED, 0)) {
                core->loads++;
                goto ONCE_NONE;
            }
            quick = access;
        }
    }
    core->loads++;
    r[i->rd] = quick.value;
    TAKE_ACCESS(quick);

STORE:
    address = A + I;
    if (__builtin_expect(address & (i->size - 1u), 0))
        goto OTHER;
    if (address - core->stack_from < core->stack_size) {
        answer = ts_rv_store_local(core, i, address, B, t, &quick);
        if (answer != TS_RV_LSU_DONE)
            goto LATER;
    } else {
        way = ts_rv_quick_store(core, i, address, B, t, &quick);
        if (way != TS_RV_WAY_DONE) {
            answer = ts_rv_store_on(core, i, address, B, t, way, &access);
            if (answer != TS_RV_LSU_DONE)
                goto LATER;
            quick = access;
        }
    }
    core->stores_done++;
    TAKE_ACCESS(quick);

PUSH:
    if (core->store_count == TS_RV_STORES && ts_rv_push_waits(core))
        goto OUT;
    answer = ts_rv_push(core, record->insn, t, &access); // its neighbours are there
    if (answer != TS_RV_LSU_DONE)
        goto LATER;
    core->stores_done++;
    TAKE_ACCESS(access);

FENCE:
    answer = ts_rv_fence(core, t, &access);
    if (answer != TS_RV_LSU_DONE)
        goto LATER;
    entered = access.entered;
    key = entered - t - 1 > record->span ? record->span + 1 : entered - t - 1;
    edge = ts_rv_edge_expect(record, key);
    CHECK(NONE);
    LOST(RV_SERIAL, edge->serial);
    FOLLOW();

WAITED_quick:
    TAKE_LATE(LATE);
WAITED_access:
    TAKE_LATE(UNIT);

DIVIDE:
    target = ts_rv_divide_cycles(&core->params, i->op, A, B);
    r[i->rd] = ts_rv_divide(i->op, A, B);
    key = target;
    unit = target - 1;
    entered = t;
    edge = ts_rv_edge_expect(record, key);
    CHECK(UNIT);
    LOST(RV_EXECUTE, unit);
    FOLLOW();

LINE:
    key = 0;
    entered = t;
    TAKE(NONE);

GUARDED_WAY:
    right = key & 1;
    taken = key >> 1;
    goto GUARDED_NONE;
GUARDED_LATE:
    access = (struct ts_rv_access){entered, entered + (uint32_t)key, r[i->rd]};
    goto GUARDED_UNIT;
GUARDED_quick:
    access = (struct ts_rv_access){entered, entered + key, r[i->rd]};
GUARDED_access:
GUARDED_NONE:
    unit = 0;
GUARDED_UNIT
    : // the slice or the run ends, the kernel has booked the core's stall, or code has changed
    if (entered + edge->after >= end || core->unready)
        goto ONCE_UNIT;
    if (t >= core->woken)
        core->slept = 0;
    if (core->slept != 0 && entered < core->woken && edge->sums >> 16 != 0)
        goto ONCE_UNIT; // exec.c knows what is lost after the core was woken
    if (record->state.kind == TS_RV_CUT_DIV)
        LOST(RV_EXECUTE, unit);
    else
        LOST(RV_LOAD_STORE, unit);
    LOST(RV_SERIAL, edge->serial);
    if (entered >= core->woken)
        core->slept = 0;
    if (core->slept == 0)
        core->guard = guard;
    sums += edge->sums;
    t = entered + edge->after;
    record = edge->to;
    to = t >= cap ? last : table;
    i = edge->code;
    goto *to[i->op];

ENTER: // the record that the core is in is not known, or exec.c must look again
    key = TS_RV_ONCE;
    unit = 0;
    cut = (struct ts_rv_cut){0};
    goto WORK_OUT;

OTHER:
    key = TS_RV_ONCE;
    unit = 0;
    cut = (struct ts_rv_cut){.pass = true};
    goto WORK_OUT;

ONCE_WAY:
    right = key & 1;
    taken = key >> 1;
    goto ONCE_NONE;
ONCE_LATE:
    access = (struct ts_rv_access){entered, entered + (uint32_t)key, r[i->rd]};
    goto ONCE_UNIT;
ONCE_quick:
    access = (struct ts_rv_access){entered, entered + key, r[i->rd]};
ONCE_access:
ONCE_NONE:
    unit = 0;
ONCE_UNIT:
    key = TS_RV_ONCE;
    goto BUILD_UNIT;
BUILD_WAY:
    right = key & 1;
    taken = key >> 1;
    goto BUILD_NONE;
BUILD_LATE:
    access = (struct ts_rv_access){entered, entered + (uint32_t)key, r[i->rd]};
    goto BUILD_UNIT;
BUILD_quick:
    access = (struct ts_rv_access){entered, entered + key, r[i->rd]};
BUILD_access:
BUILD_NONE:
    unit = 0;
BUILD_UNIT:
    cut = (struct ts_rv_cut){.insn = record->insn,
                             .access = access,
                             .taken = taken,
                             .right = right || record->state.kind < TS_RV_CUT_BRANCH ||
                                      record->state.kind > TS_RV_CUT_JUMP,
                             .target = target,
                             .kind = (uint8_t)record->state.kind};
    cut.done = cut.kind != TS_RV_CUT_LINE;
WORK_OUT:
    ts_rv_book(core, sums);
    sums = 0;
    core->t = t;
    core->record = record;
    if (record != NULL)
        core->pc = record->state.pc;
    if (builds == 0 && cold(core))
        builds = BUILDS;
    if (builds < BUILDS || cut.done) {
        if (!ts_rv_build(core, now, horizon, &cut, key, entered, unit, &go_on))
            return go_on;
    }
    if (builds++ >= BUILDS) {
        core->guard = core->slept == 0 ? guard : 0;
        ts_rv_leave(core);
        return ts_rv_interpret(core, now, NULL);
    }
    core->unready = false;
    core->guard = core->slept == 0 ? guard : 0;
    record = core->record;
    t = core->t;
    i = record->insn;
    goto AT_CUT;

LATER:
    if (__builtin_expect(answer == TS_RV_LSU_FAULT, 0)) {
        // A store that entered late may have made another one due in this very cycle.
        ts_rv_drain(core, now);
        core->resume = TS_NEVER;
        go_on = false;
        goto STOP;
    }
    // The instruction would be retried after the end of the run: exec.c knows whether it must.
    if (__builtin_expect(core->resume >= horizon && core->resume < TS_RV_BLOCKED, 0)) {
        builds = BUILDS;
        goto ENTER;
    }
    goto OUT;

YIELD: // enough private code for one step
    core->resume = t;
OUT:
    go_on = true;
    core->pc = record->state.pc;
STOP:
    core->t = t;
    ts_rv_book(core, sums);
    core->ahead.until = t;
    if (!core->held)
        core->record = record;
    if (!go_on)
        ts_rv_leave(core);
    return go_on;
}
