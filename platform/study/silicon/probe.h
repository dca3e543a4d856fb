// What probes on a tile share: a few lines of assembler, markers, and a tile to run them on.
//
// A struct probe is the frame of one row: the programs of the three TRISCs, the context, and the
// error that ends it. A run that fails leaves its error and returns NAN, so that the figures of a
// row can be written as one expression.
#ifndef TENSIM_STUDY_SILICON_PROBE_H
#define TENSIM_STUDY_SILICON_PROBE_H

#include "platform/study/silicon/silicon.h"
#include "platform/tile/tile.h"

// ---- a few lines of assembler

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5 };

struct program {
    uint32_t words[4096];
    unsigned count;
};

struct probe {
    const struct ts_silicon_context *context;
    struct ts_error *error;
    struct program p[3]; // of TRISC 0 to 2
};

static inline void emit(struct program *p, uint32_t word)
{
    p->words[p->count++] = word;
}
static inline void addi(struct program *p, unsigned rd, unsigned rs, int imm)
{
    emit(p, (uint32_t)imm << 20 | rs << 15 | rd << 7 | 0x13);
}
static inline void li(struct program *p, unsigned rd, uint32_t value)
{
    emit(p, ((value + 0x800) & 0xfffff000) | rd << 7 | 0x37);
    addi(p, rd, rd, (int32_t)(value << 20) >> 20);
}
static inline void lw(struct program *p, unsigned rd, unsigned rs, int imm)
{
    emit(p, (uint32_t)imm << 20 | rs << 15 | 2 << 12 | rd << 7 | 3);
}
static inline void sw(struct program *p, unsigned rs2, unsigned rs1, int imm)
{
    emit(p, (uint32_t)imm >> 5 << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | ((uint32_t)imm & 31) << 7 |
                0x23);
}
static inline void bne(struct program *p, unsigned rs1, unsigned rs2, unsigned to)
{
    uint32_t d = (uint32_t)((int)to - (int)p->count) * 4;
    emit(p, (d >> 12 & 1) << 31 | (d >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | 1 << 12 |
                (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7 | 0x63);
}
static inline void bnez(struct program *p, unsigned rs, unsigned to)
{
    bne(p, rs, ZERO, to);
}
// A word of the coprocessor in the text, as TTI_ macros put it.
static inline void inline_word(struct program *p, uint32_t word)
{
    emit(p, ts_word_to_inline(word));
}

#define OUT      0x20000
#define DONE     0x600dd04eu
#define CODE(t)  (0x4000u + 0x4000u * (t))
#define CSR_CFG0 0x7c0u

// Turns fusion off and has the clock's page in s0, the push address in a0 and the PC buffer in a1.
static inline void begin(struct program *p)
{
    p->count = 0;
    li(p, T0, 1u << 18);
    emit(p, CSR_CFG0 << 20 | T0 << 15 | 2 << 12 | 0x73);
    li(p, S0, 0xffb12000);
    li(p, A0, 0xffe40000);
    li(p, A1, 0xffe80000);
}

// Waits until the thread's instructions have left its queues.
static inline void wait_for_drain(struct program *p)
{
    sw(p, ZERO, A1, 4);
    lw(p, T1, A1, 4);
    emit(p, 0x7013 | T1 << 15 | T1 << 7); // andi t1, t1, 0
}

static inline void finish(struct program *p, unsigned thread)
{
    lw(p, A3, S0, 0x1f0);
    emit(p, 0x40000033 | A2 << 20 | A3 << 15 | A3 << 7); // sub a3, a3, a2
    li(p, T0, OUT + 8 * thread);
    sw(p, A3, T0, 0);
    li(p, T1, DONE);
    sw(p, T1, T0, 4);
    emit(p, 0x6f); // j .
}

// Runs the programs of `threads` TRISCs from `first` on; has the cycles that each one measured.
void probe_run_each(struct probe *probe, unsigned first, unsigned threads, double cycles[3]);
// The cycles that the slowest one measured.
double probe_run(struct probe *probe, unsigned first, unsigned threads);

#endif
