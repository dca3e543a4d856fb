// The macros of ts_rv_execute (exec.c): when an instruction enters EX1, when its result is ready,
// which cycles it lost, and where the interpreter goes next. They are macros because they work on
// the function's own variables, which the compiler keeps in registers, and because some of them
// leave by goto.
#pragma once

#include "cores/riscv/record.h"

#define MARGIN TS_RV_MARGIN

// The clean way (exec.c): an instruction retires two cycles after it issues, at most. So an instruction that writes a
// register again is seen to follow an older writer with a forward_lag of a cycle, and the place in the
// retire queue that the eighth instruction after it takes is free with a retire_credit of six.
#define TS_RV_CLEAN_LAG    1
#define TS_RV_CLEAN_CREDIT (TS_RV_RETIRE - 2)

#define SLICE 4096 // cycles of private code before the core yields

// The cycle in which a core yields that has met nothing others can see. The round of a parked core ends with its next poll
// only: the clock may be past it already.
static inline ts_cycle slice_end(const struct ts_rv_core *core, ts_cycle now)
{
    if (__builtin_expect(core->watch.parked, 0))
        return TS_NEVER;
    return now + (core->noting ? TS_RV_NOTED_SLICE : SLICE);
}

// The cycle from which the instruction with this sequence number may use a register. Results of the
// instruction just before are always forwarded; from the queue only if one writer is in it.
static inline ts_cycle available(const struct ts_rv_scoreboard *reg, uint32_t seq)
{
    return reg->last + 1 == seq ? reg->near : reg->far;
}

// The cycle from which it has a place in the retire queue: that of the eighth one before it.
static inline ts_cycle place_free(const struct ts_rv_core *core, uint32_t seq)
{
    return core->ring_retire[seq % TS_RV_RETIRE] + core->params.retire_credit;
}

// The cycle in which this instruction may enter EX1 at the earliest.
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
// The load/store unit may have sent a store that overwrote this very line.
#define RELINE()                                                                \
    do {                                                                        \
        const struct ts_rv_line *line_ = *ts_rv_line_at(core, i->pc / 16);      \
        if (__builtin_expect(line_ != (const void *)(i - (i->pc >> 2 & 3)), 0)) \
            i = ts_rv_insn_at(core, i->pc);                                     \
    } while (0)
#define LOST(reason, cycles) LOST_AND(reason, cycles, (void)0)
#define LOST_AND(reason, cycles, more)                               \
    do {                                                             \
        uint64_t lost_ = (cycles);                                   \
        if (__builtin_expect(core->slept != 0, 0))                   \
            lost_ = ts_rv_not_slept(core, TS_STALL_##reason, lost_); \
        core->ahead.lost[TS_STALL_##reason] += lost_;                \
        core->ahead.any |= UINT64_C(1) << TS_STALL_##reason;         \
        more;                                                        \
    } while (0)
#define NOTE(reason, end, at_once)         \
    if (__builtin_expect(core->noting, 0)) \
    ts_rv_note(core, TS_STALL_##reason, (end), lost_, at_once)
// The same for a stall that ends with the cycle before `end`, when its instruction goes on.
#define LOST_BY(end, reason, cycles) LOST_AND(reason, cycles, NOTE(reason, end, true))
// An instruction that may enter EX1 after the core was woken at the earliest: the kernel has booked nothing of
// what it loses.
#define AWAKE()                                                        \
    do {                                                               \
        if (__builtin_expect(core->slept != 0, 0) && t >= core->woken) \
            core->slept = 0;                                           \
    } while (0)
// The same for a stall from `from` on that may last beyond the end of the run.
#define LOST_FROM(from, reason, cycles)                                   \
    do {                                                                  \
        if (__builtin_expect((from) + (cycles) > horizon, 0))             \
            ts_rv_part(core, (from), horizon);                            \
        LOST_AND(reason, cycles, NOTE(reason, (from) + (cycles), false)); \
    } while (0)
// The same for an access of local RAM that enters late: until local_ready the RAM clears itself;
// the rest is booked on the load/store unit.
#define LOST_LOCAL(entered)                                                    \
    do {                                                                       \
        uint64_t late = entered - issue - 1;                                   \
        uint64_t clearing = later(issue + 1, core->local_ready) - (issue + 1); \
        if (clearing != 0)                                                     \
            LOST_FROM(issue + 1, RV_LOCAL_CLEAR, clearing);                    \
        if (late > clearing)                                                   \
            LOST_FROM(issue + 1 + clearing, RV_LOAD_STORE, late - clearing);   \
    } while (0)
// From the end of a long stall on, the end of the run may be near.
#define CHECK_LATE(at)                                                    \
    do {                                                                  \
        if (__builtin_expect((at) >= cap, 0) && (at) + MARGIN >= horizon) \
            checked = true, quick = slow = check;                         \
    } while (0)
// Computes when the instruction enters EX1: issue, and t with it.
#define ISSUE(more)                                                               \
    do {                                                                          \
        SETTLE();                                                                 \
        AWAKE();                                                                  \
        const ts_cycle place_ = place_free(core, seq);                            \
        next = later(available(&reg[i->rs1], seq), available(&reg[i->rs2], seq)); \
        more;                                                                     \
        issue = later(later(t, place_), next);                                    \
        if (__builtin_expect(issue > t, 0)) {                                     \
            if (issue > stop) {                                                   \
                if (issue >= TS_RV_BLOCKED)                                       \
                    goto BLOCKED;                                                 \
                core->resume = issue;                                             \
                goto OUT;                                                         \
            }                                                                     \
            if (place_ > t) {                                                     \
                LOST_BY(issue, RV_RETIRE, place_ - t);                            \
                t = place_;                                                       \
            }                                                                     \
            LOST_BY(issue, RV_OPERAND, issue - t);                                \
            t = issue;                                                            \
            CHECK_LATE(t);                                                        \
        }                                                                         \
    } while (0)
// The instruction has entered EX1 at `issue`; what comes now is for the automaton to say, unless it
// has been said.
#define CUT(what)                         \
    do {                                  \
        if (cut != NULL && !passing) {    \
            cut->kind = TS_RV_CUT_##what; \
            goto STOPPED;                 \
        }                                 \
        passing = false;                  \
    } while (0)
// The instruction has a result at `at_`, in no register, and retires in order.
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
        core->written |= UINT64_C(1) << (to) % 64;          \
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
#define CHOOSE_LATE(at) \
    do {                \
        CHECK_LATE(at); \
        CHOOSE(at);     \
    } while (0)
// A fault, a debug pause or a jump to itself ends the core in its own cycle, not when the core,
// ahead of the clock, first reaches it: until then others may act, or stop it. The instruction is
// then retried.
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

// The clean way ends before this instruction. Nothing can stall it: it enters EX1 at t.
#define LEAVE_CLEAN()     \
    do {                  \
        SETTLE();         \
        retire = t + lag; \
        issue = t;        \
        table = slow;     \
    } while (0)
