// Guest programs of the benchmarks: words of Tensix, and what a core does with them.
#ifndef TENSIM_BENCH_GUEST_H
#define TENSIM_BENCH_GUEST_H

#include "cores/riscv/assemble.h"
#include "units/isa/opcodes.h"

enum { ZERO, T0 = 5, T1 = 6, S0 = 8, A0 = 10, A1 = 11 };
enum { BF16 = 5, IN_A = 0x21000, IN_B = 0x20000, OUT = 0x22000, DONE = 0x14000 };
#define DONE_WORD 0x600dd04eu
#define CODE(t)   (0x4000u + 0x4000u * (t))

#define OP(name)                  ((uint32_t)TS_OP_##name << 24)
#define SETC16(r, v)              (OP(SETC16) | (uint32_t)(r) << 16 | (v))
#define STALLWAIT(block, on)      (OP(STALLWAIT) | (uint32_t)(block) << 15 | (on))
#define SEMWAIT(block, sel, on)   (OP(SEMWAIT) | (uint32_t)(block) << 15 | (sel) << 2 | (on))
#define SETADC(op, sets, a, rest) (OP(op) | (uint32_t)(sets) << 21 | (uint32_t)(a) << 10 | (rest))
#define UNPACR(which)             (OP(UNPACR) | (uint32_t)(which) << 23 | 1 << 7 | 1 << 6 | 1)
#define MVMUL(mode)               (OP(MVMUL) | (uint32_t)(mode) << 14)
#define PACR(mode, last)          (OP(PACR) | (uint32_t)(mode) << 15 | (last))
#define REPLAY(length, load)      (OP(REPLAY) | (uint32_t)(length) << 4 | (load))
#define AB(a, acr, aclr, b, bcr, bclr) \
    ((a) | (acr) << 6 | (aclr) << 7 | (b) << 8 | (bcr) << 14 | (bclr) << 15)
#define DST(d, cr, clr, fidelity) ((d) | (cr) << 10 | (clr) << 11 | (fidelity) << 13)

static inline void store(struct ts_rvasm *p, uint32_t address, uint32_t value)
{
    ts_rvasm_li(p, T0, address);
    ts_rvasm_li(p, T1, value);
    ts_rvasm(p, TS_RV_SW, 0, T0, T1, 0);
}
static inline void load(struct ts_rvasm *p, uint32_t address)
{
    ts_rvasm_li(p, T0, address);
    ts_rvasm(p, TS_RV_LW, T1, T0, 0, 0);
    ts_rvasm(p, TS_RV_AND, 0, T1, T1, 0);
}
static inline void cfg(struct ts_rvasm *p, unsigned index, uint32_t value)
{
    store(p, 0xffef0000u + 4 * index, value);
}
static inline void push(struct ts_rvasm *p, uint32_t word)
{
    ts_rvasm_word(p, ts_word_to_inline(word));
}

static inline void begin_loop(struct ts_rvasm *p, uint32_t count, uint32_t *top)
{
    load(p, 0xffef0004u); // the configuration has arrived
    ts_rvasm_li(p, S0, count);
    *top = ts_rvasm_here(p);
}
static inline void end_loop(struct ts_rvasm *p, uint32_t top, unsigned thread)
{
    ts_rvasm(p, TS_RV_ADDI, S0, S0, 0, -1);
    ts_rvasm_back(p, TS_RV_BNE, S0, ZERO, top);
    store(p, 0xffe80004u, 0);
    load(p, 0xffe80004u); // everything of this thread is done
    store(p, DONE + 4 * thread, DONE_WORD);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

#endif
