// A core's interpreter: executes decoded lines and works out when each instruction passes through
// the pipeline.
//
// Two ways through the same bodies:
// - clean: nothing is in flight, so every ALU instruction, branch and jump takes one cycle and no
// bookkeeping is
//   needed: the cycle of an instruction follows from its distance to the start of the block.
// - full: operands, retire queue and load/store unit are looked at for every instruction. After the
// first one that
//   leaves nothing in flight the clean way is taken again. Clean is exact while the retire queue
//   lags by at most one cycle, because then neither its depth nor the forwarding rule can hold
//   anything up.
// With `checked`, every instruction asks first whether its cycle has come (no running ahead, commit
// log, end of run).
//
// Dispatch is by computed goto over tables that config/riscv.def fills: a row without a body does
// not compile.
#include "cores/riscv/fp.h"
#include "cores/riscv/internal.h"

#include <string.h>

#define SLICE  4096 // cycles of private code before the clock is given back
#define MARGIN 16   // cycles before the end of the run from which every instruction is checked

#define NAN_BOX(x) ts_rv_half_box(ts_rv_f32_to_half((x), half))
#define H(reg)     ts_rv_half_to_f32(ts_rv_half_unbox((reg), half), half)
// The same with denormals, for what is no arithmetic.
#define EXACT_BOX(x) ts_rv_half_box(ts_rv_f32_to_half((x), exact))
#define HX(reg)      ts_rv_half_to_f32(ts_rv_half_unbox((reg), exact), exact)

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

static uint32_t divide(unsigned op, uint32_t a, uint32_t b)
{
    bool overflow = a == 0x80000000u && b == 0xffffffffu;
    switch (op) {
    case TS_RV_DIV:
        return b == 0 ? 0xffffffffu : overflow ? a : (uint32_t)((int32_t)a / (int32_t)b);
    case TS_RV_DIVU:
        return b == 0 ? 0xffffffffu : a / b;
    case TS_RV_REM:
        return b == 0 ? a : overflow ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
    default:
        return b == 0 ? a : a % b;
    }
}

// Cycles a division keeps EX1.
static uint32_t divide_cycles(const struct ts_rv_params *p, unsigned op, uint32_t a, uint32_t b)
{
    bool is_signed = op == TS_RV_DIV || op == TS_RV_REM;
    if (b <= 1 || (is_signed && a == 0x80000000u && b == 0xffffffffu))
        return p->div_special;
    if (is_signed && a >> 31)
        a = 0u - a;
    uint32_t bits = a == 0 ? 0 : 32 - (uint32_t)__builtin_clz(a);
    uint32_t cycles = bits + p->div_offset +
                      (bits > p->div_knee ? (bits - p->div_knee) / p->div_knee_step : 0);
    return cycles < p->div_min ? p->div_min : cycles > p->div_max ? p->div_max : cycles;
}

static uint32_t orc_b(uint32_t a)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i += 8)
        if (a >> i & 0xff)
            result |= 0xffu << i;
    return result;
}

static uint32_t grev(uint32_t a, uint32_t by)
{
    if (by & 1)
        a = (a & 0x55555555u) << 1 | (a & 0xaaaaaaaau) >> 1;
    if (by & 2)
        a = (a & 0x33333333u) << 2 | (a & 0xccccccccu) >> 2;
    if (by & 4)
        a = (a & 0x0f0f0f0fu) << 4 | (a & 0xf0f0f0f0u) >> 4;
    if (by & 8)
        a = (a & 0x00ff00ffu) << 8 | (a & 0xff00ff00u) >> 8;
    if (by & 16)
        a = a << 16 | a >> 16;
    return a;
}

static inline uint32_t rotate_left(uint32_t a, uint32_t by)
{
    return a << (by & 31) | a >> (-by & 31);
}

static inline uint32_t mulh(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}

static inline uint32_t mulhsu(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int64_t)(uint64_t)b) >> 32);
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
        [TS_RV_ABSENT_OP] = &&REFUSED,   [TS_RV_INVALID] = &&REFUSED,
    };
    static const void *const clean[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = CLEAN_##class(id),
#include "config/riscv.def"
        [TS_RV_UNDECODED] = &&UNDECODED, [TS_RV_LINE_END] = &&LINE_END, [TS_RV_TTINSN] = &&LEAVE,
        [TS_RV_ABSENT_OP] = &&LEAVE,     [TS_RV_INVALID] = &&LEAVE,
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
    };
    static const void *const check[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) [TS_RV_##id] = &&CHECK,
#include "config/riscv.def"
        [TS_RV_UNDECODED] = &&UNDECODED, [TS_RV_LINE_END] = &&LINE_END, [TS_RV_TTINSN] = &&CHECK,
        [TS_RV_ABSENT_OP] = &&CHECK,     [TS_RV_INVALID] = &&CHECK,
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
    bool taken, right;
    enum ts_rv_lsu answer;
    const struct ts_rv_half half = {
        .bfloat = core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_EN_BFLOAT,
        .rtne = core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_EN_BFLOAT_RTNE,
    };
    const struct ts_rv_half exact = {half.bfloat, half.rtne, true};

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
        core->ahead[TS_STALL_##reason] += lost - booked;           \
        core->ahead_any = true;                                    \
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
#define LOG(address, value)                              \
    do {                                                 \
        if (__builtin_expect(log != NULL, 0))            \
            ts_rv_log_hold(core, i, (address), (value)); \
    } while (0)

    if (start >= TS_L1_SIZE || start % 4 != 0) {
        core->resume = TS_NEVER;
        return ts_rv_fault(core, t, start, TS_CONTRACT, "the pc is %s",
                           start % 4 ? "misaligned" : "outside L1");
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
#define LEAVE_CLEAN()            \
    do {                         \
        SETTLE();                \
        retire = t + lag;        \
        seq += 2 * TS_RV_RETIRE; \
        issue = t;               \
        table = slow;            \
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
        core->resume = TS_NEVER;
        return ts_rv_fault(core, CURRENT(), i->pc, TS_CONTRACT, "the pc runs off the end of L1");
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
            seq += 2 * TS_RV_RETIRE;
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
    ISSUE();
ALU_ISSUED:;
    FINISH(i->rd, issue + 1);
    CHOOSE(issue + 1);
    LOG(0, 0);
    goto *body[i->op];

F_FMISC:
    ISSUE();
FMISC_ISSUED:;
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
    uint32_t cycles = divide_cycles(&core->params, i->op, r[i->rs1], r[i->rs2]);
    FINISH(i->rd, issue + cycles);
    LOST(RV_EXECUTE, cycles - 1);
    t = issue + cycles - 1;
    CHOOSE_LATE(t + 1);
    LOG(0, 0);
    r[i->rd] = divide(i->op, r[i->rs1], r[i->rs2]);
    NEXT();
}

F_BRANCH:
    ISSUE();
BRANCH_ISSUED:;
    FINISH_NONE(issue + 1);
    CHOOSE(issue + 1);
    LOG(0, 0);
    goto *body[i->op];

F_JUMP:
    ISSUE();
JUMP_ISSUED:;
    FINISH(i->rd, issue + 1);
    CHOOSE(issue + 1);
    LOG(0, 0);
    goto *body[i->op];

F_LOAD:
    ISSUE();
LOAD_ISSUED:;
    address = r[i->rs1] + (uint32_t)i->imm;
    if (__builtin_expect(address % i->size != 0, 0)) {
        core->resume = TS_NEVER;
        return ts_rv_fault(core, issue, i->pc, TS_CONTRACT,
                           "misaligned load of %u bytes from 0x%08x", i->size, address);
    }
    if (address - TS_RV_LOCAL_BASE < core->local_size) {
        uint32_t raw = ts_rv_peek(core->local, address - TS_RV_LOCAL_BASE);
        ts_cycle entered = later(issue + 1, core->local_ready);
        if (core->local_at >= entered && core->local_address == address / 4)
            entered = core->local_at + 1;
        if (entered > issue + 1)
            LOST(RV_LOAD_STORE, entered - issue - 1);
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
    if (__builtin_expect(address % i->size != 0, 0)) {
        core->resume = TS_NEVER;
        return ts_rv_fault(core, issue, i->pc, TS_CONTRACT,
                           "misaligned store of %u bytes to 0x%08x", i->size, address);
    }
    if (address - TS_RV_LOCAL_BASE < core->local_size) {
        ts_cycle entered = later(issue + 1, core->local_ready);
        if (core->store_count != 0) {
            answer = ts_rv_store_local(core, entered);
            if (answer != TS_RV_LSU_DONE)
                goto LATER;
        }
        if (entered > issue + 1)
            LOST(RV_LOAD_STORE, entered - issue - 1);
        poke(core->local + (address - TS_RV_LOCAL_BASE), words[0], i->size);
        core->local_at = entered + core->params.store_drain;
        core->local_address = address / 4;
        FINISH_NONE(entered + 1);
        t = entered - 1;
    } else {
        answer = ts_rv_store(core, i, address, words, 1, issue, &access);
        if (answer != TS_RV_LSU_DONE)
            goto LATER;
        if (access.entered > issue + 1)
            LOST(RV_LOAD_STORE, access.entered - issue - 1);
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
    answer = ts_rv_store(core, i, TS_RV_PUSH_BASE, words, count, issue, &access);
    if (answer != TS_RV_LSU_DONE)
        goto LATER;
    if (access.entered > issue + 1)
        LOST(RV_LOAD_STORE, access.entered - issue - 1);
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
    if (__builtin_expect(address % 4 != 0, 0)) {
        core->resume = TS_NEVER;
        return ts_rv_fault(core, issue, i->pc, TS_CONTRACT, "misaligned atomic on 0x%08x", address);
    }
    answer = ts_rv_amo(core, i, address, r[i->rs2], issue, &access);
    if (answer != TS_RV_LSU_DONE)
        goto LATER;
    if (access.entered > issue + 1)
        LOST(RV_SERIAL, access.entered - issue - 1);
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
    if (!ts_rv_csr_read(core, number, issue, core->instret + n, &old)) {
        core->resume = TS_NEVER;
        return ts_rv_fault(core, issue, i->pc, TS_CONTRACT, "no CSR 0x%03x", number);
    }
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
        LOST(RV_SERIAL, next - (t + 1));
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
            LOST(RV_SERIAL, next - (t + 1));
            t = next - 1;
        }
    }
    CHOOSE_LATE(t + 1);
    NEXT();

F_SYS:
    ISSUE();
SYS_ISSUED:;
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
    core->resume = TS_NEVER;
    return ts_rv_fault(core, issue, i->pc, TS_CONTRACT, "%s outside an interrupt handler",
                       ts_rv_mnemonic((enum ts_rv_op)i->op));

REFUSED : {
    SETTLE();
    core->resume = TS_NEVER;
    uint32_t word;
    memcpy(&word, core->l1->bytes + i->pc, sizeof word);
    const char *name = "", *why = ts_rv_absent(word, &name);
    if (why != NULL)
        return ts_rv_fault(core, t, i->pc, TS_NOT_IMPLEMENTED, "%s: %s", name, why);
    return ts_rv_fault(core, t, i->pc, TS_CONTRACT, "invalid instruction");
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

    BODY(LUI, I)
    BODY(AUIPC, I)
    BODY(ADDI, A + I)
    BODY(SLTI, S(A) < S(I))
    BODY(SLTIU, A < I)
    BODY(XORI, A ^ I)
    BODY(ORI, A | I)
    BODY(ANDI, A & I)
    BODY(SLLI, A << I)
    BODY(SRLI, A >> I)
    BODY(SRAI, (uint32_t)(S(A) >> I))
    BODY(ADD, A + B)
    BODY(SUB, A - B)
    BODY(SLL, A << (B & 31))
    BODY(SLT, S(A) < S(B))
    BODY(SLTU, A < B)
    BODY(XOR, A ^ B)
    BODY(SRL, A >> (B & 31))
    BODY(SRA, (uint32_t)(S(A) >> (B & 31)))
    BODY(OR, A | B)
    BODY(AND, A & B)
    BODY(MUL, A * B)
    BODY(MULH, mulh(A, B))
    BODY(MULHSU, mulhsu(A, B))
    BODY(MULHU, (uint32_t)((uint64_t)A * B >> 32))
    BODY(SH1ADD, (A << 1) + B)
    BODY(SH2ADD, (A << 2) + B)
    BODY(SH3ADD, (A << 3) + B)
    BODY(ANDN, A & ~B)
    BODY(ORN, A | ~B)
    BODY(XNOR, ~(A ^ B))
    BODY(CLZ, A == 0 ? 32 : (uint32_t)__builtin_clz(A))
    BODY(CTZ, A == 0 ? 32 : (uint32_t)__builtin_ctz(A))
    BODY(CPOP, (uint32_t)__builtin_popcount(A))
    BODY(SEXT_B, (uint32_t)(int32_t)(int8_t)A)
    BODY(SEXT_H, (uint32_t)(int32_t)(int16_t)A)
    BODY(MAX, S(A) > S(B) ? A : B)
    BODY(MAXU, A > B ? A : B)
    BODY(MIN, S(A) < S(B) ? A : B)
    BODY(MINU, A < B ? A : B)
    BODY(ZEXT_H, A & 0xffff)
    BODY(PACK, (A & 0xffff) | B << 16)
    BODY(ROL, rotate_left(A, B))
    BODY(ROR, rotate_left(A, 0u - B))
    BODY(RORI, rotate_left(A, 0u - I))
    BODY(ORC_B, orc_b(A))
    BODY(REV8, __builtin_bswap32(A))
    BODY(BREV8, grev(A, 7))
    BODY(GREVI, grev(A, I))
    BODY(FMADD_S, ts_rv_fma(A, B, C))
    BODY(FMSUB_S, ts_rv_fma(A, B, C ^ TS_RV_F32_SIGN))
    BODY(FNMSUB_S, ts_rv_fma(A ^ TS_RV_F32_SIGN, B, C))
    BODY(FNMADD_S, ts_rv_fma(A ^ TS_RV_F32_SIGN, B, C ^ TS_RV_F32_SIGN))
    BODY(FADD_S, ts_rv_fadd(A, B))
    BODY(FSUB_S, ts_rv_fsub(A, B))
    BODY(FMUL_S, ts_rv_fmul(A, B))
    BODY(FSGNJ_S, (A & ~TS_RV_F32_SIGN) | (B & TS_RV_F32_SIGN))
    BODY(FSGNJN_S, (A & ~TS_RV_F32_SIGN) | (~B & TS_RV_F32_SIGN))
    BODY(FSGNJX_S, A ^ (B & TS_RV_F32_SIGN))
    BODY(FMIN_S, ts_rv_fmin(A, B))
    BODY(FMAX_S, ts_rv_fmax(A, B))
    BODY(FCVT_W_S, ts_rv_f32_to_i32(A))
    BODY(FCVT_WU_S, ts_rv_f32_to_u32(A))
    BODY(FMV_X_W, A)
    BODY(FEQ_S, ts_rv_feq(A, B))
    BODY(FLT_S, ts_rv_flt(A, B))
    BODY(FLE_S, ts_rv_fle(A, B))
    BODY(FCLASS_S, ts_rv_fclass(A))
    BODY(FCVT_S_W, ts_rv_i32_to_f32(A))
    BODY(FCVT_S_WU, ts_rv_u32_to_f32(A))
    BODY(FMV_W_X, A)
    BODY(FMADD_H, NAN_BOX(ts_rv_fma(H(A), H(B), H(C))))
    BODY(FMSUB_H, NAN_BOX(ts_rv_fma(H(A), H(B), H(C) ^ TS_RV_F32_SIGN)))
    BODY(FNMSUB_H, NAN_BOX(ts_rv_fma(H(A) ^ TS_RV_F32_SIGN, H(B), H(C))))
    BODY(FNMADD_H, NAN_BOX(ts_rv_fma(H(A) ^ TS_RV_F32_SIGN, H(B), H(C) ^ TS_RV_F32_SIGN)))
    BODY(FADD_H, NAN_BOX(ts_rv_fadd(H(A), H(B))))
    BODY(FSUB_H, NAN_BOX(ts_rv_fsub(H(A), H(B))))
    BODY(FMUL_H, NAN_BOX(ts_rv_fmul(H(A), H(B))))
    BODY(FSGNJ_H, ts_rv_half_box((ts_rv_half_unbox(A, half) & 0x7fff) |
                                 (ts_rv_half_unbox(B, half) & 0x8000)))
    BODY(FSGNJN_H, ts_rv_half_box((ts_rv_half_unbox(A, half) & 0x7fff) |
                                  (~ts_rv_half_unbox(B, half) & 0x8000)))
    BODY(FSGNJX_H, ts_rv_half_box(ts_rv_half_unbox(A, half) ^ (ts_rv_half_unbox(B, half) & 0x8000)))
    BODY(FMIN_H, EXACT_BOX(ts_rv_fmin(HX(A), HX(B))))
    BODY(FMAX_H, EXACT_BOX(ts_rv_fmax(HX(A), HX(B))))
    BODY(FCVT_W_H, ts_rv_f32_to_i32(HX(A)))
    BODY(FCVT_WU_H, ts_rv_f32_to_u32(HX(A)))
    BODY(FMV_X_H, (uint32_t)(int32_t)(int16_t)A)
    BODY(FEQ_H, ts_rv_feq(HX(A), HX(B)))
    BODY(FLT_H, ts_rv_flt(HX(A), HX(B)))
    BODY(FLE_H, ts_rv_fle(HX(A), HX(B)))
    BODY(FCLASS_H, ts_rv_half_class(ts_rv_half_unbox(A, half), half))
    BODY(FCVT_H_W, NAN_BOX(ts_rv_i32_to_f32(A)))
    BODY(FCVT_H_WU, NAN_BOX(ts_rv_u32_to_f32(A)))
    BODY(FMV_H_X, ts_rv_half_box(A))
    BODY(FCVT_S_H, HX(A))
    BODY(FCVT_H_S, EXACT_BOX(A))
    BRANCH(BEQ, A == B)
    BRANCH(BNE, A != B)
    BRANCH(BLT, S(A) < S(B))
    BRANCH(BGE, S(A) >= S(B))
    BRANCH(BLTU, A < B)
    BRANCH(BGEU, A >= B)

B_FENCE_I: // treated as a nop
    NEXT();

BRANCHED:
    right = __builtin_expect(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_BP, 0)
                ? !taken
                : ts_rv_predict_branch(&core->predictor, i->pc, I, taken);
    if (!taken) {
        if (__builtin_expect(!right, 0)) {
            t += core->params.mispredict;
            lag = 0;
            core->mispredicts++;
            LOST(RV_FETCH, core->params.mispredict);
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
    if (__builtin_expect(target == i->pc, 0)) {
        // Nothing but a reset or an interrupt ends this.
        core->spinning = true;
        core->resume = TS_NEVER;
        goto OUT;
    }
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
        t += core->params.mispredict;
        lag = 0;
        core->mispredicts++;
        LOST(RV_FETCH, core->params.mispredict);
    }
ENTER : { // goes on at target; t is the cycle its first instruction may enter EX1
    uint32_t line = target / 16;
    start = target;
    if (__builtin_expect(line >= TS_RV_LINES || target % 4 != 0, 0)) {
        core->resume = TS_NEVER;
        return ts_rv_fault(core, t, target, TS_CONTRACT, "jump to %s",
                           target % 4 ? "a misaligned pc" : "outside L1");
    }
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

// Their work is done before the body.
B_LB:
B_LH:
B_LW:
B_LBU:
B_LHU:
B_FLW:
B_FLH:
B_SB:
B_SH:
B_SW:
B_FSW:
B_FSH:
B_FENCE:
B_ECALL:
B_EBREAK:
B_MRET:
B_DIV:
B_DIVU:
B_REM:
B_REMU:
B_CSRRW:
B_CSRRS:
B_CSRRC:
B_CSRRWI:
B_CSRRSI:
B_CSRRCI:
B_AMOADD:
B_AMOSWAP:
B_AMOXOR:
B_AMOOR:
B_AMOAND:
B_AMOMIN:
B_AMOMAX:
B_AMOMINU:
B_AMOMAXU:
    __builtin_unreachable();

BLOCKED: // an operand or a place in the retire queue depends on a load that waits
    core->resume = TS_NEVER;
    goto OUT;

LATER:
    if (answer == TS_RV_LSU_FAULT) {
        core->resume = TS_NEVER;
        return false;
    }

OUT:
    SETTLE();
    if (table == clean) {
        retire = later(retire, t + lag);
        seq += 2 * TS_RV_RETIRE;
    }
    core->seq = seq;
    core->retire = retire;
    core->longest = longest;
    core->pc = i->pc;
    core->t = t;
    core->instret += n;
    core->ahead_until = t;
    if (n != 0)
        core->slept = 0;
    return true;
}
