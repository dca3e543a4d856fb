// What probes on a tile share: short names for the assembler, markers, and a tile to run them on.
//
// A struct probe is the frame of one row: the programs of the three TRISCs, the context, and the
// error that ends it. A run that fails leaves its error and returns NAN, so that the figures of a
// row can be written as one expression.
#ifndef TENSIM_TESTS_TILE_PROBE_H
#define TENSIM_TESTS_TILE_PROBE_H

#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/study/silicon/silicon.h"
#include "platform/tile/tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the assembler, in short

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5 };

struct probe {
    const struct ts_silicon_context *context;
    struct ts_error *error;
    struct ts_rvasm p[3]; // of TRISC 0 to 2
    bool fresh;           // no firmware has pushed words before
};

static inline void addi(struct ts_rvasm *p, unsigned rd, unsigned rs, int imm)
{
    ts_rvasm(p, TS_RV_ADDI, rd, rs, 0, imm);
}
// Always two instructions: where a value is in a row of the table, its size must not matter.
static inline void li(struct ts_rvasm *p, unsigned rd, uint32_t value)
{
    ts_rvasm(p, TS_RV_LUI, rd, 0, 0, (int32_t)((value + 0x800) & 0xfffff000));
    addi(p, rd, rd, (int32_t)(value << 20) >> 20);
}
static inline void lw(struct ts_rvasm *p, unsigned rd, unsigned rs, int imm)
{
    ts_rvasm(p, TS_RV_LW, rd, rs, 0, imm);
}
static inline void sw(struct ts_rvasm *p, unsigned rs2, unsigned rs1, int imm)
{
    ts_rvasm(p, TS_RV_SW, 0, rs1, rs2, imm);
}
static inline void bne(struct ts_rvasm *p, unsigned rs1, unsigned rs2, unsigned to)
{
    ts_rvasm_back(p, TS_RV_BNE, rs1, rs2, to);
}
static inline void bnez(struct ts_rvasm *p, unsigned rs, unsigned to)
{
    bne(p, rs, ZERO, to);
}
// A word of the coprocessor in the text, as TTI_ macros put it.
static inline void inline_word(struct ts_rvasm *p, uint32_t word)
{
    ts_rvasm_word(p, ts_word_to_inline(word));
}

#define OUT      0x20000
#define DONE     0x600dd04eu
#define ROOM     0x4000u // of a program
#define CODE(t)  (0x4000u + ROOM * (t))
#define CSR_CFG0 0x7c0u

// Turns fusion off and has the clock's page in s0, the push address in a0 and the PC buffer in a1.
static inline void begin(struct ts_rvasm *p)
{
    p->count = 0;
    p->overflow = false;
    li(p, T0, 1u << 18);
    ts_rvasm(p, TS_RV_CSRRS, 0, T0, 0, CSR_CFG0);
    li(p, S0, 0xffb12000);
    li(p, A0, 0xffe40000);
    li(p, A1, 0xffe80000);
}

// Waits until the thread's instructions have left its queues.
static inline void wait_for_drain(struct ts_rvasm *p)
{
    sw(p, ZERO, A1, 4);
    lw(p, T1, A1, 4);
    ts_rvasm(p, TS_RV_ANDI, T1, T1, 0, 0);
}

// Leaves a3, the cycles, for the host and stays.
static inline void record_and_stay(struct ts_rvasm *p, unsigned thread)
{
    li(p, T0, OUT + 8 * thread);
    sw(p, A3, T0, 0);
    li(p, T1, DONE);
    sw(p, T1, T0, 4);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

static inline void finish(struct ts_rvasm *p, unsigned thread)
{
    lw(p, A3, S0, 0x1f0);
    ts_rvasm(p, TS_RV_SUB, A3, A3, A2, 0);
    record_and_stay(p, thread);
}

// Runs the programs of `threads` TRISCs from `first` on; has the cycles that each one measured.
static inline void probe_run_each(struct probe *probe, unsigned first, unsigned threads,
                                  double cycles[3])
{
    struct ts_error *error = probe->error;
    for (unsigned t = 0; t < 3; t++)
        cycles[t] = NAN;
    if (error->code != TS_OK)
        return;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &probe->context->tile, error);
    if (tile)
        ts_kernel_elaborate(kernel, error);
    for (unsigned t = first; t < first + threads && error->code == TS_OK; t++) {
        if (probe->p[t].overflow || probe->p[t].count * 4 > ROOM)
            ts_fail(error, TS_BUG, "the program of T%u is longer than %u bytes", t, ROOM);
        ts_l1_write(&tile->l1, CODE(t), probe->p[t].words, probe->p[t].count * 4, 0);
        ts_tile_start(tile, TS_RV_TRISC0 + t, CODE(t), 0, error);
        tile->front[t].pushes = probe->fresh ? 0 : 1;
    }
    if (error->code == TS_OK) {
        struct ts_run result = ts_kernel_run(kernel, 1000000);
        if (result.stop != TS_STOP_DONE && result.stop != TS_STOP_LIMIT)
            ts_fail(error, TS_BUG, "%s", result.error.text);
    }
    for (unsigned t = first; t < first + threads && error->code == TS_OK; t++) {
        uint32_t out[2];
        memcpy(out, tile->l1.bytes + OUT + 8 * t, 8);
        if (out[1] == DONE)
            cycles[t] = out[0];
        else
            ts_fail(error, TS_LIMIT, "T%u does not come to its end", t);
    }
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

// The cycles that the slowest one measured.
static inline double probe_run(struct probe *probe, unsigned first, unsigned threads)
{
    double cycles[3], slowest = 0;
    probe_run_each(probe, first, threads, cycles);
    for (unsigned t = first; t < first + threads; t++)
        slowest = cycles[t] > slowest ? cycles[t] : slowest;
    return probe->error->code == TS_OK ? slowest : NAN;
}

#endif
