// What the re-created probes share: a few lines of assembler, markers, and a tile to run them on.
#ifndef TENSIM_TESTS_SILICON_PROBE_H
#define TENSIM_TESTS_SILICON_PROBE_H

#include "platform/kernel/kernel.h"
#include "platform/tile/coprocessor.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a few lines of assembler

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5 };

struct program {
    uint32_t words[4096];
    unsigned count;
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
static inline void run_each(const struct program *p, unsigned first, unsigned threads,
                            uint32_t cycles[3])
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    static struct ts_tile tile;
    struct ts_error error = {0};
    ck_assert(ts_tile_init(&tile, ts_domain_new(kernel, "tile"), NULL));
    ck_assert(ts_coprocessor_furnish(&tile, NULL, &error));
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    for (unsigned t = first; t < first + threads; t++) {
        ts_l1_write(&tile.l1, CODE(t), p[t].words, p[t].count * 4, 0);
        ck_assert(ts_tile_start(&tile, TS_RV_TRISC0 + t, CODE(t), 0, &error));
    }
    struct ts_run result = ts_kernel_run(kernel, 1000000);
    ck_assert_msg(result.stop == TS_STOP_DONE || result.stop == TS_STOP_LIMIT, "%s",
                  result.error.text);
    for (unsigned t = first; t < first + threads; t++) {
        uint32_t out[2];
        memcpy(out, tile.l1.bytes + OUT + 8 * t, 8);
        ck_assert_uint_eq(out[1], DONE);
        cycles[t] = out[0];
    }
    ts_tile_free(&tile);
    ts_kernel_free(kernel);
}

// The cycles that the slowest one measured.
static inline double run(const struct program *p, unsigned first, unsigned threads)
{
    uint32_t cycles[3] = {0}, slowest = 0;
    run_each(p, first, threads, cycles);
    for (unsigned t = 0; t < 3; t++)
        slowest = cycles[t] > slowest ? cycles[t] : slowest;
    return slowest;
}

#endif
