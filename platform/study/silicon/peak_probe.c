// The unpack thread of a large matmul alone (peak.h), as microbench_unpack_backend.py of
// blackhole-py times it: part after part in one program, ten rounds each.
#include "platform/study/silicon/peak.h"
#include "platform/study/silicon/peak_words.h"
#include "platform/study/silicon/squad.h"

#include <stdlib.h>

#define ROUNDS  10
#define PARTS   (PEAK_RELOAD + 1)
#define RESULTS 0x128000u
#define DONE_AT (RESULTS - 4)
#define CLOCK_H 0xffb121f8u

static void clock_to(struct peak_code *k, unsigned low, unsigned high)
{
    peak_li(k, A7, CLOCK_H);
    unsigned again = peak_mark(k);
    peak_load(k, high, A7, 0);
    peak_load(k, low, A7, -8);
    peak_load(k, A6, A7, 0);
    peak_branch(k, TS_RV_BNE, high, A6, again);
}

static void row(struct peak_code *k, unsigned a)
{
    peak_li(k, S9, a);
    peak_unpack_row(k, 2);
}

static void part(struct peak_code *k, unsigned which)
{
    if (which == 0) {
        peak_addi(k, S6, S6, 1);
    } else if (which == PEAK_POLL) {
        peak_wait_for_context(k, S7);
    } else if (which == PEAK_FLIP) {
        peak_other_context(k);
    } else if (which == PEAK_ROW) {
        peak_li(k, S10, 0);
        row(k, 0);
    } else if (which == PEAK_RELOAD) {
        peak_unpack_tiles(k, 4);
    } else {
        const unsigned width = which - PEAK_SUBBLOCK + 1;
        peak_tensix(k, OP(SETADCZW) | 3u << 21 | 15);
        for (unsigned inner = 0; inner < width; inner++) {
            peak_li(k, S9, inner);
            peak_li(k, S10, 2 * inner);
            peak_unpack_row(k, 2);
            row(k, width + inner);
        }
    }
}

static void timed(struct peak_code *k, unsigned which)
{
    unsigned done = peak_label(k);
    peak_li(k, S6, 0x55420000 | which);
    peak_li(k, A4, 128); // 16 bytes of a tile
    peak_li(k, A5, 128);
    peak_unpack_registers(k);
    clock_to(k, S2, S3);
    peak_li(k, S8, ROUNDS);
    unsigned again = peak_mark(k);
    peak_branch(k, TS_RV_BEQ, S8, ZERO, done);
    part(k, which);
    peak_addi(k, S8, S8, -1);
    peak_jump(k, again);
    peak_here(k, done);
    clock_to(k, S4, S5);
    peak_li(k, T3, RESULTS + 64 * (1 + which));
    for (int32_t i = 0; i < 7; i++) {
        peak_li(k, T0, which);
        peak_store(k, T0, T3, 4 * i);
    }
    const uint8_t kept[9] = {S2, S3, S4, S5, S6};
    for (int32_t i = 0; i < 9; i++)
        peak_store(k, kept[i], T3, 28 + 4 * i);
}

static void unpack_program(struct peak_code *k)
{
    const struct peak peak = {.height = 2, .width = 2, .block = 1, .phases = 2};
    peak_set(k, DONE_AT, 0);
    peak_unpack_set_up(k, &peak);
    peak_sync(k, T0);
    peak_li(k, S0, PEAK_BUFFERS >> 4);
    peak_li(k, S1, (PEAK_BUFFERS + 0x40000) >> 4);
    for (unsigned i = 0; i < PARTS; i++)
        timed(k, i);
    peak_set(k, DONE_AT, 1);
}

// T1 releases what is there, again and again.
static void clear_program(struct peak_code *k)
{
    unsigned done = peak_label(k);
    peak_li(k, S0, DONE_AT);
    unsigned again = peak_mark(k);
    peak_load(k, T0, S0, 0);
    peak_branch(k, TS_RV_BNE, T0, ZERO, done);
    peak_tensix(k, SETRWC(3, 3));
    peak_jump(k, again);
    peak_here(k, done);
}

double peak_probe(unsigned which, const struct ts_silicon_context *context, struct ts_error *error)
{
    void (*const bodies[])(struct peak_code *) = {unpack_program, clear_program};
    struct ts_silicon_context quick = *context;
    quick.tile.timing_only = true;
    const struct ts_noc_xy at = {1, 2};
    double cycles[2] = {0};
    struct squad *squad = squad_new("p100", &quick, error);
    for (unsigned i = 0; i < 2; i++) {
        struct peak_code k = {0};
        // As the firmware of June 2026 left its cores (tenstorrent-docs, registers.md): no fusion.
        peak_li(&k, T0, TS_RV_CFG0_DIS_LOW_CASH | TS_RV_CFG0_DIS_TRISC_CACHE);
        peak_do(&k, TS_RV_CSRRS, 0, T0, 0, 0x7c0);
        bodies[i](&k);
        peak_do(&k, TS_RV_JAL, 0, 0, 0, 0);
        if (!peak_assemble(&k, squad_code(squad, at, TS_RV_TRISC0 + i)))
            ts_fail(error, TS_BUG, "a probe of a large matmul does not fit");
        peak_free(&k);
    }
    if (squad_run(squad, 1000000))
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t record = RESULTS + 64 * (1 + (i ? which : 0)) + 28;
            cycles[i] = squad_word(squad, at, record + 8) - squad_word(squad, at, record);
        }
    squad_free(squad);
    return (cycles[1] - cycles[0]) / ROUNDS;
}
