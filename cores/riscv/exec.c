// A core's interpreter: executes decoded lines and works out when each instruction passes through
// the pipeline.
//
// Two ways through the same bodies (bodies.def):
// - clean: nothing is in flight, so every ALU instruction, branch and jump takes one cycle and no
//   bookkeeping is needed: the cycle of an instruction follows from its distance to the start of
//   the block.
// - full: operands, retire queue and load/store unit are checked for every instruction. After the
//   first instruction that leaves nothing in flight, the clean way resumes. Clean is exact while the retire
//   queue lags by at most one cycle, because then neither its depth nor the forwarding rule can
//   stall anything; with a longer forward_lag or retire_credit they can, and there is no clean way. Clean instructions take no number (seq): the first clean instruction, if retried in full,
//   still follows the last full one; for the instructions after it both forwarding times (near, far) have
//   passed.
// With `cut`, it works out one segment for an automaton's edge (record.h), in full: from the outcome
// of a cut that is known already, if any, to the next cut.
// With `checked`, every instruction first checks whether its cycle has come (no running ahead,
// commit log, end of run).
//
// Dispatch is by computed goto over tables that config/riscv.def fills: a row without a body does
// not compile.
#include "cores/riscv/issue.h"
#include "cores/riscv/operands.h"

// The chicken bits that change when an instruction may enter EX1.
static ts_cycle odd_issue(const struct ts_rv_core *core, const struct ts_rv_insn *insn,
                          ts_cycle issue, ts_cycle retire)
{
    uint32_t cfg0 = core->csr[TS_RV_CSR_CFG0];
    if (cfg0 & TS_RV_CFG0_SYNC_ALL_OPS)
        issue = later(issue, retire + core->params.serialise);
    // Without forwarding, operands come from the register file.
    if (cfg0 & TS_RV_CFG0_DIS_REG_FORWARDING)
        issue = later(issue, later(core->reg[insn->rs1].retire, core->reg[insn->rs2].retire) + 1);
    return issue;
}

// The instruction that the core waited with was overwritten meanwhile. The new one has waited for nothing:
// it may enter EX1 now, and no earlier.
static TS_SLOW_PATH void overwritten(struct ts_rv_core *core, ts_cycle now)
{
    ts_rv_unpark(core, now);
    core->watch.captured = false;
    core->draining = core->behind = false;
    core->lsu_from = 0;
}

// A segment enters a line; false: one too many.
static bool entered_line(struct ts_rv_core *core, struct ts_rv_cut *cut, uint32_t line)
{
    if (cut->lines == TS_RV_CUT_LINES)
        return false;
    if (cut->lines == 0)
        cut->first = line;
    ts_rv_insn_at(core, line * 16);
    cut->line[cut->lines++] = *ts_rv_line_at(core, line);
    return true;
}

bool ts_rv_interpret(struct ts_rv_core *core, ts_cycle now, struct ts_rv_cut *cut)
{
#include "cores/riscv/dispatch.def"

    uint32_t *const r = core->r;
    const struct ts_rv_insn *i;
    const void *const *table = full;
    // The instruction at `start` enters EX1 at t at the earliest, those after it in the block one
    // cycle later each.
    ts_cycle t = core->t;
    uint32_t start = core->pc;
    uint64_t n = 0;
    ts_cycle lag = 0;
    bool passing = cut != NULL && cut->pass;
    // The scoreboard's running values, kept in registers.
    struct ts_rv_scoreboard *const reg = core->reg;
    uint32_t seq = core->seq;
    ts_cycle retire = core->retire, longest = core->longest;
    const uint32_t forward_lag = core->params.forward_lag;
    const bool odd = core->odd;
    const struct ts_rv_log *const log = core->log;

    const ts_cycle limit = ts_horizon(&core->component);
    const ts_cycle horizon = limit < TS_RV_BLOCKED ? limit : TS_RV_BLOCKED;
    bool checked = !core->run_ahead || core->log != NULL || core->odd;
    ts_cycle stop = !core->run_ahead ? now
                                     : horizon - 1; // checked: no instruction enters EX1 after it
    ts_cycle cap = slice_end(core, now);
    if (horizon - MARGIN < cap || horizon < MARGIN)
        cap = horizon < MARGIN ? 0 : horizon - MARGIN;
    if (t >= cap && t + MARGIN >= horizon)
        checked = true;

    const bool tidy = forward_lag <= TS_RV_CLEAN_LAG &&
                      core->params.retire_credit <= TS_RV_CLEAN_CREDIT && core->slept == 0 &&
                      t >= core->untidy;
    const void *const *quick = checked ? check : cut || !tidy ? full : clean;
    const void *const *slow = checked ? check : full;
    struct ts_rv_access access;
    ts_cycle issue = 0, next = 0;
    uint32_t target, address = 0, word = 0;
    bool taken, right, faulted = false;
    struct ts_rv_insn nowhere = {.op = TS_RV_INVALID};
    enum ts_rv_lsu answer;

    if (cut != NULL && cut->done) {
        i = cut->insn;
        access = cut->access;
        issue = t;
        table = slow;
        goto *done[cut->kind];
    }
    if (!ts_rv_fetches(core, start)) {
        target = start;
        goto NOWHERE;
    }
    i = ts_rv_insn_at(core, start);
    if (__builtin_expect(i != core->insn, 0) && t < now) {
        overwritten(core, now);
        t = now;
    }
    {
        uint32_t line = start / 16;
        if (cut != NULL && cut->kind == TS_RV_CUT_LINE)
            entered_line(core, cut, line);
        if (core->line_tag[line % core->sets][0] != line + 1)
            t += ts_rv_fetch(core, line, t);
    }
    CHECK_LATE(t);
    table = slow;
    goto *table[i->op];

CHECK:
    if (log != NULL)
        ts_rv_log_flush(core);
    if (odd) {
        SETTLE();
        next = odd_issue(core, i, t, retire);
        if (next >= TS_RV_BLOCKED) // a load that waits
            goto BLOCKED;
        t = next;
    }
    if (CURRENT() > stop) {
        core->resume = CURRENT();
        goto OUT;
    }
    if (odd &&
        ts_rv_debug_stops(core, i, core->instret + n, available(&reg[i->rs1], seq) < TS_RV_BLOCKED))
        goto OUT;
    goto *full[i->op];
LEAVE:
    LEAVE_CLEAN();
    goto *issued[i->op];

Q_MUL:
    LEAVE_CLEAN();
    goto MUL_ISSUED;

Q_LOAD:
    LEAVE_CLEAN();
    goto LOAD_ISSUED;

Q_STORE:
    LEAVE_CLEAN();
    goto STORE_ISSUED;

LINE_END : { // the sentinel's pc is the next line's
    uint32_t line = i->pc / 16;
    if (__builtin_expect(line >= TS_L1_SIZE / 16, 0) && !ts_rv_fetches(core, i->pc)) {
        SETTLE();
        target = i->pc;
        goto NOWHERE;
    }
    if (__builtin_expect(cut != NULL, 0) && !entered_line(core, cut, line)) {
        i = ts_rv_insn_at(core, i->pc);
        cut->kind = TS_RV_CUT_LINE;
        goto STOPPED;
    }
    if (__builtin_expect(core->line_tag[line % core->sets][0] != line + 1, 0)) {
        ts_cycle lost = ts_rv_fetch(core, line, CURRENT());
        t += lost;
        lag = lost ? 0 : lag;
    }
    i = ts_rv_insn_at(core, i->pc);
    if (__builtin_expect(CURRENT() >= cap, 0))
        goto CAPPED;
    goto *table[i->op];
}

CAPPED: // enough private code for one step, or the end of the run is near
    if (!checked && CURRENT() + MARGIN >= horizon) {
        if (table == clean) {
            SETTLE();
            retire = later(retire, t + lag);
        }
        checked = true;
        table = quick = slow = check;
    }
    if (!checked || CURRENT() > stop) {
        core->resume = CURRENT();
        goto OUT;
    }
    goto *table[i->op];

#include "cores/riscv/classes.def"

// One body per instruction, for both ways: in full, everything else has been done before.
#define BODY(id, value)          \
    B_##id : r[i->rd] = (value); \
    NEXT();
#define BRANCH(id, condition)     \
    B_##id : taken = (condition); \
    goto BRANCHED;

#include "cores/riscv/bodies.def"

BRANCHED:
    right = __builtin_expect(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_BP, 0)
                ? taken == (core->plain && I <= i->pc)
                : ts_rv_predict_branch(&core->predictor, i->pc, I, taken);
    core->mispredicts += !right;
PREDICTED:
    if (!taken) {
        if (__builtin_expect(!right, 0)) {
            LOST_FROM(CURRENT() + 1, RV_FETCH, core->params.mispredict);
            t += core->params.mispredict;
            lag = core->params.mispredict ? 0 : lag;
            i++;
            if (__builtin_expect(CURRENT() >= cap, 0) && CURRENT() + MARGIN >= horizon)
                goto CAPPED;
            goto *table[i->op];
        }
        NEXT();
    }
    target = I;
    core->hop = i->pc ^ target;
    SETTLE();
    n++;
    t++;
    goto STEERED;

B_JAL:
    target = I;
    right = ts_rv_jump(core, i, target, false);
    goto JUMPED;
B_JALR:
    target = (A + I) & ~1u;
    right = ts_rv_jump(core, i, target, true);
JUMPED:
    SETTLE();
    n++;
    t++;
    goto STEERED;

BRANCH_DONE:
    FINISH_NONE(issue + 1);
    CHOOSE(issue + 1);
    taken = cut->taken;
    right = cut->right;
    goto PREDICTED;

JUMP_DONE:
    FINISH(i->rd, issue + 1);
    CHOOSE(issue + 1);
    right = cut->right;
    target = cut->target;
    n++;
    t++;

STEERED:
    if (__builtin_expect(!right, 0)) {
        LOST_FROM(t, RV_FETCH, core->params.mispredict);
        t += core->params.mispredict;
        lag = core->params.mispredict ? 0 : lag;
    }
ENTER : { // continues at target; t is the cycle its first instruction may enter EX1
    uint32_t line = target / 16;
    start = target;
    if (__builtin_expect(line >= TS_L1_SIZE / 16 || target % 4 != 0, 0) &&
        !ts_rv_fetches(core, target))
        goto NOWHERE;
    if (__builtin_expect(cut != NULL, 0))
        entered_line(core, cut, line);
    if (__builtin_expect(core->line_tag[line % core->sets][0] != line + 1, 0)) {
        ts_cycle lost = ts_rv_fetch(core, line, t);
        t += lost;
        lag = lost ? 0 : lag;
    }
    i = ts_rv_insn_at(core, target);
    if (__builtin_expect(t >= cap, 0))
        goto CAPPED;
    goto *table[i->op];
}

NOWHERE: // there is no instruction at target
    nowhere.pc = start = target;
    i = &nowhere;
    FAULT(t, target, TS_CONTRACT, "the pc is %s", target % 4 ? "misaligned" : "outside L1");

// Instructions whose work is done before the body.
#define EARLY(id) B_##id:
#include "cores/riscv/bodies.def"
    __builtin_unreachable();

BLOCKED: // an operand or a place in the retire queue depends on a load that waits
    core->resume = TS_NEVER;
    core->in_unit = false;
    goto OUT;

LATER:
    if (answer == TS_RV_LSU_FAULT)
        goto FAULTED;
    // The instruction would be retried after the end of the run. But a core that is ahead finds
    // stores in the queue that have left by the instruction's own cycle: retried then, it may
    // enter.
    if (core->resume >= horizon && core->resume < TS_RV_BLOCKED) {
        if (issue > now) {
            core->resume = issue;
        } else if (core->store_due <= now) {
            if (ts_rv_drain(core, now))
                goto *issued[i->op];
            if (core->resume == TS_NEVER)
                goto FAULTED;
        }
    }
    goto OUT;

STOPPED: // before the next thing whose outcome is not known
    cut->stopped = true;
    goto OUT;

FAULTED:
    // A store that entered late may have made another one due in this very cycle.
    ts_rv_drain(core, now);
    faulted = true;
    core->resume = TS_NEVER;

OUT:
    SETTLE();
    if (table == clean)
        retire = later(retire, t + lag);
    core->seq = seq;
    core->retire = retire;
    core->longest = longest;
    if (!faulted) // else it is the fault's
        core->pc = i->pc;
    core->insn = i;
    core->t = t;
    core->instret += n;
    core->ahead.until = t;
    return !faulted;
}
