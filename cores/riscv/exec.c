// A core's interpreter: executes decoded lines and works out when each instruction passes through
// the pipeline.
//
// Two ways through the same bodies (bodies.def):
// - clean: nothing is in flight, so every ALU instruction, branch and jump takes one cycle and no
//   bookkeeping is needed: the cycle of an instruction follows from its distance to the start of
//   the block.
// - full: operands, retire queue and load/store unit are looked at for every instruction. After the
//   first one that leaves nothing in flight the clean way is taken again. Clean is exact while the
//   retire queue lags by at most one cycle, because then neither its depth nor the forwarding rule
//   can hold anything up. Clean instructions take no number (seq): the first one still follows the
//   last full one if it is looked at again, in full, and for those after it near and far are over.
// With `checked`, every instruction asks first whether its cycle has come (no running ahead, commit
// log, end of run).
//
// Dispatch is by computed goto over tables that config/riscv.def fills: a row without a body does
// not compile.
#include "cores/riscv/alu.h"
#include "cores/riscv/fp.h"
#include "cores/riscv/internal.h"

#include <string.h>

#define SLICE  4096 // cycles of private code before the clock is given back
#define MARGIN 16   // cycles before the end of the run from which every instruction is checked

#define FLAGS (&core->csr[TS_RV_CSR_FCSR]) // exceptions accumulate until software clears them
// Halves as cfg0 says they are, worked out where one is used.
#define HALF       half_of(core, false)
#define NAN_BOX(x) ts_rv_half_box(ts_rv_f32_to_half((x), HALF, FLAGS))
#define H(reg)     ts_rv_half_to_f32(ts_rv_half_unbox((reg), HALF), HALF)
// The same with denormals, for what is no arithmetic.
#define EXACT        half_of(core, true)
#define EXACT_BOX(x) ts_rv_half_box(ts_rv_f32_to_half((x), EXACT, FLAGS))
#define HX(reg)      ts_rv_half_to_f32(ts_rv_half_unbox((reg), EXACT), EXACT)

static inline struct ts_rv_half half_of(const struct ts_rv_core *core, bool exact)
{
    uint32_t cfg0 = core->csr[TS_RV_CSR_CFG0];
    return (struct ts_rv_half){cfg0 & TS_RV_CFG0_EN_BFLOAT, cfg0 & TS_RV_CFG0_EN_BFLOAT_RTNE,
                               exact};
}

static inline ts_cycle later(ts_cycle a, ts_cycle b)
{
    return a > b ? a : b;
}

// From when on the instruction with this sequence number may use a register. Results of the
// instruction just before are always forwarded; from the queue only if one writer is in it.
static inline ts_cycle available(const struct ts_rv_scoreboard *reg, uint32_t seq)
{
    return reg->last + 1 == seq ? reg->near : reg->far;
}

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

static inline void poke(uint8_t *to, uint32_t word, unsigned size)
{
    if (size == 4)
        memcpy(to, &word, 4);
    else if (size == 2)
        memcpy(to, &word, 2);
    else
        memcpy(to, &word, 1);
}

bool ts_rv_execute(struct ts_rv_core *core, ts_cycle now)
{
// Tables: what an operation does first, in full; its body; and what it does first when clean.
#define CLEAN_ALU(id)    &&B_##id
#define CLEAN_BRANCH(id) &&B_##id
#define CLEAN_JUMP(id)   &&B_##id
#define CLEAN_MUL(id)    &&Q_MUL
#define CLEAN_FPU(id)    &&LEAVE
#define CLEAN_FMISC(id)  &&LEAVE
#define CLEAN_DIV(id)    &&LEAVE
#define CLEAN_LOAD(id)   &&Q_LOAD
#define CLEAN_STORE(id)  &&Q_STORE
#define CLEAN_AMO(id)    &&LEAVE
#define CLEAN_FENCE(id)  &&LEAVE
#define CLEAN_CSR(id)    &&LEAVE
#define CLEAN_SYS(id)    &&LEAVE
    static const void *const full[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = &&F_##class,
#include "config/riscv.def"
        [TS_RV_UNDECODED] = &&UNDECODED, [TS_RV_LINE_END] = &&LINE_END, [TS_RV_TTINSN] = &&F_TTINSN,
        [TS_RV_ABSENT_OP] = &&REFUSED,   [TS_RV_INVALID] = &&REFUSED,   [TS_RV_STAY] = &&F_STAY,
    };
    static const void *const clean[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = CLEAN_##class(id),
#include "config/riscv.def"
        [TS_RV_UNDECODED] = &&UNDECODED, [TS_RV_LINE_END] = &&LINE_END, [TS_RV_TTINSN] = &&LEAVE,
        [TS_RV_ABSENT_OP] = &&LEAVE,     [TS_RV_INVALID] = &&LEAVE,     [TS_RV_STAY] = &&LEAVE,
    };
    static const void *const body[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = &&B_##id,
#include "config/riscv.def"
    };
    static const void *const issued[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = &&class##_ISSUED,
#include "config/riscv.def"
        [TS_RV_TTINSN] = &&TTINSN_ISSUED,
        [TS_RV_ABSENT_OP] = &&REFUSED,
        [TS_RV_INVALID] = &&REFUSED,
        [TS_RV_STAY] = &&STAY_ISSUED,
    };
    static const void *const check[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = &&CHECK,
#include "config/riscv.def"
        [TS_RV_UNDECODED] = &&UNDECODED, [TS_RV_LINE_END] = &&LINE_END, [TS_RV_TTINSN] = &&CHECK,
        [TS_RV_ABSENT_OP] = &&CHECK,     [TS_RV_INVALID] = &&CHECK,     [TS_RV_STAY] = &&CHECK,
    };

    uint32_t *const r = core->r;
    struct ts_rv_line *const lines = core->lines;
    const struct ts_rv_insn *i;
    const void *const *table = full;
    // The instruction at `start` enters EX1 at t at the earliest, those after it in the block one
    // cycle later each.
    ts_cycle t = core->t;
    uint32_t start = core->pc;
    uint64_t n = 0;
    ts_cycle lag = 0;
    // The scoreboard's running values, kept in registers.
    struct ts_rv_scoreboard *const reg = core->reg;
    uint32_t seq = core->seq;
    ts_cycle retire = core->retire, longest = core->longest;
    const uint32_t forward_lag = core->params.forward_lag;
    const uint32_t retire_credit = core->params.retire_credit;
    const bool odd = core->odd;
    FILE *const log = core->log;

    const ts_cycle limit = ts_horizon(&core->component);
    const ts_cycle horizon = limit < TS_RV_BLOCKED ? limit : TS_RV_BLOCKED;
    bool checked = !core->run_ahead || core->log != NULL || core->odd;
    ts_cycle stop = !core->run_ahead ? now
                                     : horizon - 1; // checked: no instruction enters EX1 after it
    ts_cycle cap = now + SLICE;
    if (horizon - MARGIN < cap || horizon < MARGIN)
        cap = horizon < MARGIN ? 0 : horizon - MARGIN;
    if (t >= cap && t + MARGIN >= horizon)
        checked = true;

    const void *const *quick = checked ? check : clean, *const *slow = checked ? check : full;
    struct ts_rv_access access;
    ts_cycle issue = 0, next = 0;
    uint32_t target, address, words[4];
    bool taken, right, faulted = false;
    struct ts_rv_insn nowhere = {.op = TS_RV_INVALID};
    enum ts_rv_lsu answer;

#define CURRENT() (t + ((i->pc - start) >> 2))
// Moves the block's start to this instruction.
#define SETTLE()                                  \
    do {                                          \
        uint32_t distance = (i->pc - start) >> 2; \
        t += distance;                            \
        n += distance;                            \
        start = i->pc;                            \
    } while (0)
#define NEXT()              \
    do {                    \
        i++;                \
        goto *table[i->op]; \
    } while (0)
#define LOST(reason, cycles)                                       \
    do {                                                           \
        uint64_t lost = (cycles);                                  \
        uint64_t booked = core->slept < lost ? core->slept : lost; \
        core->slept -= booked;                                     \
        core->ahead.lost[TS_STALL_##reason] += lost - booked;      \
        core->ahead.any |= UINT64_C(1) << TS_STALL_##reason;       \
    } while (0)
// The same for a stall from `from` on that may last beyond the end of the run.
#define LOST_FROM(from, reason, cycles)                       \
    do {                                                      \
        if (__builtin_expect((from) + (cycles) > horizon, 0)) \
            ts_rv_part(core, (from), horizon);                \
        LOST(reason, cycles);                                 \
    } while (0)
// The same for an access of local RAM that enters late: until local_ready the RAM clears itself, what
// remains is the load/store unit's.
#define LOST_LOCAL(entered)                                                    \
    do {                                                                       \
        uint64_t late = entered - issue - 1;                                   \
        uint64_t clearing = later(issue + 1, core->local_ready) - (issue + 1); \
        if (clearing != 0)                                                     \
            LOST_FROM(issue + 1, RV_LOCAL_CLEAR, clearing);                    \
        if (late > clearing)                                                   \
            LOST_FROM(issue + 1 + clearing, RV_LOAD_STORE, late - clearing);   \
    } while (0)
// Works out when the instruction enters EX1: issue, and t with it.
#define ISSUE(more)                                                                    \
    do {                                                                               \
        SETTLE();                                                                      \
        const ts_cycle place_ = core->ring_retire[seq % TS_RV_RETIRE] + retire_credit; \
        next = later(available(&reg[i->rs1], seq), available(&reg[i->rs2], seq));      \
        more;                                                                          \
        issue = later(later(t, place_), next);                                         \
        if (__builtin_expect(issue > t, 0)) {                                          \
            if (issue > stop) {                                                        \
                if (issue >= TS_RV_BLOCKED)                                            \
                    goto BLOCKED;                                                      \
                core->resume = issue;                                                  \
                goto OUT;                                                              \
            }                                                                          \
            if (place_ > t) {                                                          \
                LOST(RV_RETIRE, place_ - t);                                           \
                t = place_;                                                            \
            }                                                                          \
            LOST(RV_OPERAND, issue - t);                                               \
            t = issue;                                                                 \
        }                                                                              \
    } while (0)
// The instruction has a result at `at_`, in no register, and retires in its turn.
#define FINISH_NONE(result)                             \
    do {                                                \
        ts_cycle at_ = (result);                        \
        retire = later(at_, retire + 1);                \
        core->ring_result[seq % TS_RV_RETIRE] = at_;    \
        core->ring_retire[seq % TS_RV_RETIRE] = retire; \
        seq++;                                          \
    } while (0)
// The same, with a register.
#define FINISH(to, result)                                  \
    do {                                                    \
        ts_cycle at_ = (result);                            \
        struct ts_rv_scoreboard *reg_ = &reg[(to)];         \
        retire = later(at_, retire + 1);                    \
        longest = later(longest, at_);                      \
        reg_->far = later(at_, reg_->retire + forward_lag); \
        reg_->near = at_;                                   \
        reg_->retire = retire;                              \
        reg_->before = reg_->last;                          \
        reg_->last = seq;                                   \
        core->ring_result[seq % TS_RV_RETIRE] = at_;        \
        core->ring_retire[seq % TS_RV_RETIRE] = retire;     \
        seq++;                                              \
    } while (0)
// What the next instruction, which may enter EX1 at `at`, goes through.
#define CHOOSE(at)                                                    \
    do {                                                              \
        table = longest <= (at) && retire <= (at) + 1 ? quick : slow; \
        lag = retire > (at);                                          \
    } while (0)
// The same after an instruction that may have taken long: the end of the run may be near.
#define CHOOSE_LATE(at)                                                   \
    do {                                                                  \
        if (__builtin_expect((at) >= cap, 0) && (at) + MARGIN >= horizon) \
            checked = true, quick = slow = check;                         \
        CHOOSE(at);                                                       \
    } while (0)
// What ends the core (a fault, a debug pause, a jump to itself) happens in its own cycle, not when
// the core, ahead of the clock, first sees it: until then others may act, or stop it. The
// instruction is then looked at again.
#define IN_ITS_CYCLE(at)         \
    do {                         \
        if ((at) > now) {        \
            core->resume = (at); \
            goto OUT;            \
        }                        \
    } while (0)
#define FAULT(at, pc, code, ...)                            \
    do {                                                    \
        IN_ITS_CYCLE(at);                                   \
        ts_rv_fault(core, (at), (pc), (code), __VA_ARGS__); \
        goto FAULTED;                                       \
    } while (0)
#define LOG(address, value)                              \
    do {                                                 \
        if (__builtin_expect(log != NULL, 0))            \
            ts_rv_log_hold(core, i, (address), (value)); \
    } while (0)

    if (start >= TS_L1_SIZE || start % 4 != 0) {
        target = start;
        goto NOWHERE;
    }
    i = &lines[start / 16].insn[start / 4 % 4];
    {
        uint32_t line = start / 16;
        if (core->line_tag[line % TS_RV_SETS][0] != line + 1)
            t += ts_rv_fetch(core, line, t);
    }
    table = slow;
    goto *table[i->op];

CHECK:
    if (log != NULL)
        ts_rv_log_flush(core);
    if (odd) {
        SETTLE();
        t = odd_issue(core, i, t, retire);
    }
    if (CURRENT() > stop) {
        core->resume = CURRENT();
        goto OUT;
    }
    goto *full[i->op];

// The clean way ends before this instruction. Nothing can hold it up: it enters EX1 at t.
#define LEAVE_CLEAN()     \
    do {                  \
        SETTLE();         \
        retire = t + lag; \
        issue = t;        \
        table = slow;     \
    } while (0)

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

UNDECODED : {
    size_t line = (size_t)((const char *)i - (const char *)lines) / sizeof *lines;
    ts_rv_line_fill(core, (uint32_t)line);
    goto *table[i->op];
}

LINE_END : { // the sentinel's pc is the next line's
    uint32_t line = i->pc / 16;
    if (__builtin_expect(line >= TS_RV_LINES, 0)) {
        SETTLE();
        target = i->pc;
        goto NOWHERE;
    }
    if (__builtin_expect(core->line_tag[line % TS_RV_SETS][0] != line + 1, 0)) {
        ts_cycle lost = ts_rv_fetch(core, line, CURRENT());
        t += lost;
        lag = lost ? 0 : lag;
    }
    if (__builtin_expect(CURRENT() >= cap, 0)) {
        i++;
        if (i->op == TS_RV_UNDECODED)
            ts_rv_line_fill(core, line);
        goto CAPPED;
    }
    NEXT();
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

F_ALU:
F_FMISC:
F_JUMP:
    ISSUE();
ALU_ISSUED:;
FMISC_ISSUED:;
JUMP_ISSUED:;
    FINISH(i->rd, issue + 1);
    CHOOSE(issue + 1);
    LOG(0, 0);
    goto *body[i->op];

F_MUL:
    ISSUE();
MUL_ISSUED:;
    FINISH(i->rd, issue + core->params.mul_latency);
    CHOOSE(issue + 1);
    LOG(0, 0);
    goto *body[i->op];

F_FPU:
    ISSUE(next = later(next, available(&reg[i->rs3], seq)));
FPU_ISSUED:;
    FINISH(i->rd, issue + core->params.fpu_latency);
    CHOOSE(issue + 1);
    LOG(0, 0);
    goto *body[i->op];

F_DIV : {
    ISSUE();
DIV_ISSUED:;
    uint32_t cycles = ts_rv_divide_cycles(&core->params, i->op, r[i->rs1], r[i->rs2]);
    FINISH(i->rd, issue + cycles);
    LOST_FROM(issue + 1, RV_EXECUTE, cycles - 1);
    t = issue + cycles - 1;
    CHOOSE_LATE(t + 1);
    LOG(0, 0);
    r[i->rd] = ts_rv_divide(i->op, r[i->rs1], r[i->rs2]);
    NEXT();
}

F_BRANCH:
    ISSUE();
BRANCH_ISSUED:;
    FINISH_NONE(issue + 1);
    CHOOSE(issue + 1);
    LOG(0, 0);
    goto *body[i->op];

F_LOAD:
    ISSUE();
LOAD_ISSUED:;
    address = r[i->rs1] + (uint32_t)i->imm;
    if (__builtin_expect(address % i->size != 0, 0))
        FAULT(issue, i->pc, TS_CONTRACT, "misaligned load of %u bytes from 0x%08x", i->size,
              address);
    if (address - TS_RV_LOCAL_BASE < core->local_size) {
        uint32_t raw = ts_rv_peek(core->local, address - TS_RV_LOCAL_BASE);
        ts_cycle entered = later(issue + 1, core->local_ready);
        if (core->local_at >= entered && core->local_address == address / 4)
            entered = core->local_at + 1;
        if (entered > issue + 1)
            LOST_LOCAL(entered);
        FINISH(i->rd, entered - 1 + core->params.load_local);
        LOG(address, 0);
        r[i->rd] = ts_rv_extend(i->op, raw);
        t = entered - 1;
    } else {
        answer = ts_rv_load(core, i, address, issue, &access);
        if (answer != TS_RV_LSU_DONE)
            goto LATER;
        if (access.entered > issue + 1)
            LOST(RV_LOAD_STORE, access.entered - issue - 1);
        if (access.result >= TS_RV_BLOCKED) {
            core->pending_seq = seq;
            core->pending_rd = i->rd;
            core->log_waits = true;
        }
        FINISH(i->rd, access.result);
        LOG(address, 0);
        r[i->rd] = access.value;
        t = access.entered - 1;
    }
    core->loads++;
    CHOOSE_LATE(t + 1);
    NEXT();

F_STORE:
    ISSUE();
STORE_ISSUED:;
    address = r[i->rs1] + (uint32_t)i->imm;
    words[0] = r[i->rs2];
    if (__builtin_expect(address % i->size != 0, 0))
        FAULT(issue, i->pc, TS_CONTRACT, "misaligned store of %u bytes to 0x%08x", i->size,
              address);
    if (address - TS_RV_LOCAL_BASE < core->local_size) {
        ts_cycle entered = later(issue + 1, core->local_ready);
        if (core->store_count != 0) {
            answer = ts_rv_store_local(core, entered);
            if (answer != TS_RV_LSU_DONE)
                goto LATER;
        }
        if (entered > issue + 1)
            LOST_LOCAL(entered);
        poke(core->local + (address - TS_RV_LOCAL_BASE), words[0], i->size);
        core->local_at = entered + core->params.store_drain;
        core->local_address = address / 4;
        FINISH_NONE(entered + 1);
        t = entered - 1;
    } else {
        answer = ts_rv_store(core, i, address, words[0], issue, &access);
        if (answer != TS_RV_LSU_DONE)
            goto LATER;
        if (access.entered > issue + 1)
            LOST_FROM(issue + 1, RV_LOAD_STORE, access.entered - issue - 1);
        FINISH_NONE(access.result);
        t = access.entered - 1;
    }
    core->stores_done++;
    LOG(address, words[0]);
    CHOOSE_LATE(t + 1);
    NEXT();

F_TTINSN : {
    ISSUE();
TTINSN_ISSUED:;
    if (core->store_count == TS_RV_STORES && ts_rv_push_waits(core)) {
        answer = TS_RV_LSU_LATER;
        goto LATER;
    }
    // Up to four neighbours of one line are pushed by one instruction, on the TRISCs, unless cfg0
    // says no.
    unsigned count = 1;
    words[0] = (uint32_t)i->imm;
    if (!(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_TRISC_CACHE) && core->id >= TS_RV_TRISC0 &&
        core->id <= TS_RV_TRISC2)
        while (count < 4 && i[count].op == TS_RV_TTINSN) {
            words[count] = (uint32_t)i[count].imm;
            count++;
        }
    answer = ts_rv_push(core, i, words, count, issue, &access);
    if (answer != TS_RV_LSU_DONE)
        goto LATER;
    if (access.entered > issue + 1)
        LOST_FROM(issue + 1, RV_LOAD_STORE, access.entered - issue - 1);
    FINISH_NONE(access.result);
    core->stores_done++;
    // The fused ones take no cycle of their own, but they count as instructions.
    t = access.entered - count;
    CHOOSE_LATE(t + count);
    for (unsigned k = 1; k < count; k++) {
        LOG(TS_RV_PUSH_BASE, (uint32_t)i->imm);
        if (log != NULL)
            ts_rv_log_flush(core);
        i++;
    }
    LOG(TS_RV_PUSH_BASE, (uint32_t)i->imm);
    NEXT();
}

F_AMO:
    ISSUE();
AMO_ISSUED:;
    address = r[i->rs1];
    if (__builtin_expect(address % 4 != 0, 0))
        FAULT(issue, i->pc, TS_CONTRACT, "misaligned atomic on 0x%08x", address);
    answer = ts_rv_amo(core, i, address, r[i->rs2], issue, &access);
    if (answer != TS_RV_LSU_DONE)
        goto LATER;
    if (access.entered > issue + 1)
        LOST_FROM(issue + 1, RV_SERIAL, access.entered - issue - 1);
    FINISH(i->rd, access.result);
    LOG(address, 0);
    r[i->rd] = access.value;
    t = access.entered - 1;
    core->loads++;
    CHOOSE_LATE(t + 1);
    NEXT();

F_FENCE:
    ISSUE();
FENCE_ISSUED:;
    answer = ts_rv_fence(core, i->pc, issue, &access);
    if (answer != TS_RV_LSU_DONE)
        goto LATER;
    FINISH_NONE(access.result);
    LOG(0, 0);
    t = access.entered - 1;
    goto SERIAL;

F_CSR : {
    ISSUE();
CSR_ISSUED:;
    uint32_t number = (uint32_t)i->imm, old, operand;
    if (core->pending)
        goto BLOCKED; // what follows would have to wait for the load anyway
    // tt_cfg_qstatus and bstatus show what the coprocessor does: read in their own cycle. cfg0 and
    // the pmacfgs change the store queue: whatever is due must have left it.
    if ((number == 0xbc0 || number == 0xbc1 ||
         (number >= 0x7c0 && number <= 0x7c2 && core->store_count != 0)) &&
        !ts_rv_reach(core, issue)) {
        core->resume = issue;
        goto OUT;
    }
    if (number >= 0x7c0 && number <= 0x7c2 && !ts_rv_drain(core, issue)) {
        answer = core->resume == TS_NEVER ? TS_RV_LSU_FAULT : TS_RV_LSU_LATER;
        goto LATER;
    }
    if (number == 0xbc0 || number == 0xbc1)
        core->shared++;
    if (!ts_rv_csr_read(core, number, issue, core->instret + n, &old))
        FAULT(issue, i->pc, TS_CONTRACT, "no CSR 0x%03x", number);
    bool immediate = i->op >= TS_RV_CSRRWI;
    operand = immediate ? i->rs3 : r[i->rs1];
    bool write = true;
    uint32_t value = operand;
    if (i->op == TS_RV_CSRRS || i->op == TS_RV_CSRRSI) {
        value = old | operand;
        write = immediate ? i->rs3 != 0 : i->rs1 != 0;
    } else if (i->op == TS_RV_CSRRC || i->op == TS_RV_CSRRCI) {
        value = old & ~operand;
        write = immediate ? i->rs3 != 0 : i->rs1 != 0;
    }
    if (write && !core->in_handler)
        ts_rv_csr_write(core, number, issue, core->instret + n, value);
    FINISH(i->rd, issue + 1);
    LOG(0, 0);
    r[i->rd] = old;
    if (write && number == 0x7c0) {
        // A chicken bit may have changed: everything is looked at afresh after this instruction.
        SETTLE();
        n++;
        next = later(t + 1, retire + core->params.serialise);
        LOST_FROM(t + 1, RV_SERIAL, next - (t + 1));
        core->resume = t = next;
        start += 4;
        i++;
        if (i->op == TS_RV_LINE_END)
            i++; // the next step enters the line
        if (i->op == TS_RV_UNDECODED)
            ts_rv_line_fill(
                core, (uint32_t)((size_t)((const char *)i - (const char *)lines) / sizeof *lines));
        goto OUT;
    }
    goto SERIAL;
}

SERIAL: // the next instruction waits until this one has retired
    if (!(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_CSR_SYNC) && retire < TS_RV_BLOCKED) {
        next = retire + core->params.serialise;
        if (next > t + 1) {
            LOST_FROM(t + 1, RV_SERIAL, next - (t + 1));
            t = next - 1;
        }
    }
    CHOOSE_LATE(t + 1);
    NEXT();

F_SYS:
    ISSUE();
SYS_ISSUED:;
    IN_ITS_CYCLE(issue);
    if (i->op == TS_RV_MRET && core->in_handler) {
        FINISH_NONE(issue + 1);
        LOG(0, 0);
        core->in_handler = false;
        core->bus->ops->returned(core->bus->context, core->id, issue);
        target = core->restore_pc;
        n++;
        t = issue + 1 + core->params.mispredict;
        CHOOSE_LATE(t);
        goto ENTER;
    }
    if (i->op == TS_RV_EBREAK) {
        // A debug pause: somebody else must let it go on.
        core->paused = true;
        core->resume = TS_NEVER;
        goto OUT;
    }
    FAULT(issue, i->pc, TS_CONTRACT, "%s outside an interrupt handler",
          ts_rv_mnemonic((enum ts_rv_op)i->op));

F_STAY: // a jump to itself: nothing but a reset or an interrupt ends this
    ISSUE();
STAY_ISSUED:;
    IN_ITS_CYCLE(issue);
    LOG(0, 0);
    core->spinning = true;
    core->resume = TS_NEVER;
    goto OUT;

REFUSED : {
    SETTLE();
    uint32_t word;
    memcpy(&word, core->l1->bytes + i->pc, sizeof word);
    const char *name = "", *why = ts_rv_absent(word, &name);
    if (why != NULL)
        FAULT(t, i->pc, TS_NOT_IMPLEMENTED, "%s: %s", name, why);
    FAULT(t, i->pc, TS_CONTRACT, "invalid instruction");
}

// One body per instruction. They serve both ways: when full, everything else has been done before.
#define A    r[i->rs1]
#define B    r[i->rs2]
#define C    r[i->rs3]
#define S(x) ((int32_t)(x))
#define I    ((uint32_t)i->imm)
#define BODY(id, value)          \
    B_##id : r[i->rd] = (value); \
    NEXT();
#define BRANCH(id, condition)     \
    B_##id : taken = (condition); \
    goto BRANCHED;

#include "cores/riscv/bodies.def"

BRANCHED:
    right = __builtin_expect(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_BP, 0)
                ? !taken
                : ts_rv_predict_branch(&core->predictor, i->pc, I, taken);
    if (!taken) {
        if (__builtin_expect(!right, 0)) {
            LOST_FROM(CURRENT() + 1, RV_FETCH, core->params.mispredict);
            t += core->params.mispredict;
            lag = 0;
            core->mispredicts++;
        }
        NEXT();
    }
    target = I;
    SETTLE();
    n++;
    t++;
    goto STEERED;

B_JAL:
    target = I;
    SETTLE();
    if (i->rd != TS_RV_SINK) {
        r[i->rd] = i->pc + 4;
        if (i->rd == 1 || i->rd == 5)
            ts_rv_predict_call(&core->predictor, i->pc + 4);
    }
    n++;
    t++;
    right = !__builtin_expect(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_BP, 0);
    goto STEERED;

B_JALR : {
    uint32_t link = i->pc + 4;
    target = (A + I) & ~1u;
    SETTLE();
    if (i->rd == TS_RV_SINK && (i->rs1 == 1 || i->rs1 == 5))
        right = ts_rv_predict_return(&core->predictor, target);
    else
        right = ts_rv_predict_jump(&core->predictor, i->pc, target);
    if (i->rd == 1 || i->rd == 5)
        ts_rv_predict_call(&core->predictor, link);
    if (core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_BP)
        right = false;
    r[i->rd] = link;
    n++;
    t++;
    goto STEERED;
}

STEERED:
    if (__builtin_expect(!right, 0)) {
        LOST_FROM(t, RV_FETCH, core->params.mispredict);
        t += core->params.mispredict;
        lag = 0;
        core->mispredicts++;
    }
ENTER : { // goes on at target; t is the cycle its first instruction may enter EX1
    uint32_t line = target / 16;
    start = target;
    if (__builtin_expect(line >= TS_RV_LINES || target % 4 != 0, 0))
        goto NOWHERE;
    i = &lines[line].insn[target / 4 % 4];
    if (__builtin_expect(core->line_tag[line % TS_RV_SETS][0] != line + 1, 0)) {
        ts_cycle lost = ts_rv_fetch(core, line, t);
        t += lost;
        lag = lost ? 0 : lag;
    }
    if (__builtin_expect(i->op == TS_RV_UNDECODED, 0))
        ts_rv_line_fill(core, line);
    if (__builtin_expect(t >= cap, 0))
        goto CAPPED;
    goto *table[i->op];
}

NOWHERE: // there is no instruction at target
    nowhere.pc = start = target;
    i = &nowhere;
    FAULT(t, target, TS_CONTRACT, "the pc is %s", target % 4 ? "misaligned" : "outside L1");

// Their work is done before the body.
#define EARLY(id) B_##id:
#include "cores/riscv/bodies.def"
    __builtin_unreachable();

BLOCKED: // an operand or a place in the retire queue depends on a load that waits
    core->resume = TS_NEVER;
    goto OUT;

LATER:
    if (answer == TS_RV_LSU_FAULT)
        goto FAULTED;
    // It would be asked again after the end of the run. But a core that is ahead finds stores in the
    // queue that are gone in the instruction's own cycle: asked then, it may enter after all.
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
    core->t = t;
    core->instret += n;
    core->ahead.until = t;
    if (n != 0)
        core->slept = 0;
    return !faulted;
}
