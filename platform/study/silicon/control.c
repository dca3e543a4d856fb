// Truth table: scalar, sync and configuration units, and the words that only they take.
//
// The probes are the published ones: a TRISC runs n blocks of 64 inline words (fusion off, as
// tt-metal sets it) and reads the wall clock before and after; the slope over n, less the slope of
// an empty loop, is the cycles per instruction. Rows B0322.. push with sw in a loop and may wait
// for the coprocessor to drain in every iteration.
#include "platform/study/silicon/probe.h"

#include <math.h>
#include <stdio.h>

#define OP(op)             ((uint32_t)(op) << 24)
#define IMM(op)            (OP(op) | 1u << 23) // operand B is a constant
#define NOP                OP(TS_OP_NOP)
#define STALLWAIT          OP(TS_OP_STALLWAIT)
#define SEMINIT(max, init) (OP(TS_OP_SEMINIT) | (max) << 20 | (init) << 16 | 1 << 2)
#define SEMPOST            (OP(TS_OP_SEMPOST) | 1 << 2)
#define SEMGET             (OP(TS_OP_SEMGET) | 1 << 2)
#define SEMWAIT            (OP(TS_OP_SEMWAIT) | TS_B_SYNC << 15 | 1 << 2 | 2) // while at the maximum
#define SETDMAREG          (OP(TS_OP_SETDMAREG) | 8)
#define RDCFG              (OP(TS_OP_RDCFG) | 4u << 16 | 12)
#define WAIT_MOVER         (STALLWAIT | TS_B_SYNC << 15 | 1 << 9)

struct row {
    struct ts_silicon_row base;
    // Blocks of one word on so many threads; 0: a loop of pushes.
    unsigned threads;
    uint32_t a, b; // pushed in turn
    unsigned thread, iterations;
    unsigned pushes;
    uint32_t drain;   // pushed once after them, if not zero
    bool sync;        // then waits on the PC buffer
    unsigned plain;   // instructions of the loop besides its two: the card's empty loop tells
    unsigned ops;     // not zero: cycles above those of the empty loop, per op
    bool beyond_sync; // the empty loop drains and waits, too
};

// ---- tensixbench phase A

static double blocks(struct probe *probe, uint32_t word, unsigned n, unsigned threads)
{
    struct ts_rvasm *p = probe->p;
    // The single thread is T1; two are T0 and T1.
    unsigned first = threads == 1 ? 1 : 0;
    for (unsigned t = first; t < first + threads; t++) {
        begin(&p[t]);
        li(&p[t], T2, n);
        lw(&p[t], A2, S0, 0x1f0);
        unsigned top = p[t].count;
        for (unsigned i = 0; word && i < 64; i++)
            ts_rvasm_word(&p[t], ts_word_to_inline(word));
        addi(&p[t], T2, T2, -1);
        bnez(&p[t], T2, top);
        finish(&p[t], t);
    }
    return probe_run(probe, first, threads);
}

static double per_instruction(struct probe *probe, uint32_t word, unsigned threads)
{
    double empty = (blocks(probe, 0, 60, threads) - blocks(probe, 0, 20, threads)) / 40;
    double full = (blocks(probe, word, 60, threads) - blocks(probe, word, 20, threads)) / 40;
    return (full - empty) / 64;
}

// ---- loops of pushes: tensix_instr_bench, microbench_sem_cb, microbench_xmov

static double cycles(struct probe *probe, const struct row *l)
{
    struct ts_rvasm *q = &probe->p[l->thread];
    begin(q);
    // A semaphore to work on, at 1 of 2, before the clock is read.
    li(q, A4, SEMINIT(2, 1));
    sw(q, A4, A0, 0);
    wait_for_drain(q);
    li(q, A4, l->a);
    li(q, A5, l->b);
    li(q, GP, l->drain);
    li(q, T2, l->iterations);
    lw(q, A2, S0, 0x1f0);
    unsigned top = q->count;
    for (unsigned i = 0; i < l->pushes; i++)
        sw(q, i & 1 ? A5 : A4, A0, 0);
    if (l->drain)
        sw(q, GP, A0, 0);
    if (l->sync)
        wait_for_drain(q);
    for (unsigned i = 0; i < l->plain; i++)
        addi(q, ZERO, ZERO, 0);
    addi(q, T2, T2, -1);
    bnez(q, T2, top);
    finish(q, l->thread);
    return probe_run(probe, l->thread, 1) / l->iterations;
}

static double per_iteration(struct probe *probe, const struct row *l)
{
    if (!l->ops)
        return cycles(probe, l);
    struct row empty = *l;
    empty.pushes = 0;
    if (!l->beyond_sync) {
        empty.drain = 0;
        empty.sync = false;
    }
    return (cycles(probe, l) - cycles(probe, &empty)) / l->ops;
}

// ---- the rows

// microbench_xmov runs four iterations after a fresh launch. Its rows are 14 to 24 cycles a launch
// above the model whatever they push, so per iteration they are 3.5 to 6 above; the difference of
// two rows has 1 to 4 of them.
#define COLD "14 to 24 cycles once a launch, the same for all words: cold fetch (inferred)"

#define BLOCKS(name, word, n, value)                                       \
    {                                                                      \
        .base = {.id = name, .measured = value}, .a = word, .threads = (n) \
    }
#define LOOP(name, t, n, count, first, second, last, waits, others, per, value, why, both)       \
    {                                                                                            \
        .base = {.id = name, .measured = value, .cause = why}, .thread = t, .iterations = n,     \
        .pushes = count, .a = first, .b = second, .drain = last, .sync = waits, .plain = others, \
        .ops = per, .beyond_sync = both                                                          \
    }

static const struct row rows[] = {
    BLOCKS("S0002", IMM(TS_OP_CMPDMAREG), 1, 2.973),
    BLOCKS("S0003", OP(TS_OP_DMANOP), 1, 0.998),
    BLOCKS("S0011", SETDMAREG, 1, 0.998),
    BLOCKS("S0019", IMM(TS_OP_SHIFTDMAREG), 1, 2.973),
    BLOCKS("S0020", IMM(TS_OP_ADDDMAREG), 2, 5.985),
    BLOCKS("S0021", IMM(TS_OP_CMPDMAREG), 2, 5.971),
    BLOCKS("S0022", OP(TS_OP_DMANOP), 2, 1.969),
    BLOCKS("S0026", IMM(TS_OP_MULDMAREG), 2, 5.972),
    BLOCKS("S0028", OP(TS_OP_NOP), 2, 0.998),
    BLOCKS("S0029", RDCFG, 2, 1.960),
    BLOCKS("S0030", SETDMAREG, 2, 1.969),
    BLOCKS("S0039", IMM(TS_OP_ADDDMAREG), 3, 8.996),
    BLOCKS("S0041", OP(TS_OP_DMANOP), 3, 2.971),
    BLOCKS("S0045", IMM(TS_OP_MULDMAREG), 3, 8.969),
    BLOCKS("S0048", RDCFG, 3, 2.949),
    BLOCKS("S0049", SETDMAREG, 3, 2.972),
    BLOCKS("S0057", IMM(TS_OP_SHIFTDMAREG), 3, 8.968),
    BLOCKS("S0065", IMM(TS_OP_CMPDMAREG), 1, 2.973),
    BLOCKS("S0066", OP(TS_OP_DMANOP), 1, 0.998),
    BLOCKS("S0074", SETDMAREG, 1, 0.998),
    BLOCKS("S0082", IMM(TS_OP_SHIFTDMAREG), 1, 2.973),
    BLOCKS("S0083", IMM(TS_OP_ADDDMAREG), 2, 5.985),
    BLOCKS("S0084", IMM(TS_OP_CMPDMAREG), 2, 5.970),
    BLOCKS("S0085", OP(TS_OP_DMANOP), 2, 1.970),
    BLOCKS("S0089", IMM(TS_OP_MULDMAREG), 2, 5.972),
    BLOCKS("S0091", OP(TS_OP_NOP), 2, 0.998),
    BLOCKS("S0092", RDCFG, 2, 1.960),
    BLOCKS("S0093", SETDMAREG, 2, 1.969),
    BLOCKS("S0102", IMM(TS_OP_ADDDMAREG), 3, 8.995),
    BLOCKS("S0104", OP(TS_OP_DMANOP), 3, 2.971),
    BLOCKS("S0108", IMM(TS_OP_MULDMAREG), 3, 8.967),
    BLOCKS("S0111", RDCFG, 3, 2.944),
    BLOCKS("S0112", SETDMAREG, 3, 2.969),
    BLOCKS("S0120", IMM(TS_OP_SHIFTDMAREG), 3, 8.970),
    BLOCKS("S0006", OP(TS_OP_INCRWC), 1, 0.998),
    BLOCKS("S0025", OP(TS_OP_INCRWC), 2, 1.969),
    BLOCKS("S0031", OP(TS_OP_SETRWC), 2, 1.969),
    BLOCKS("S0050", OP(TS_OP_SETRWC), 3, 2.973),
    BLOCKS("S0069", OP(TS_OP_INCRWC), 1, 0.998),
    BLOCKS("S0088", OP(TS_OP_INCRWC), 2, 1.969),
    BLOCKS("S0094", OP(TS_OP_SETRWC), 2, 1.969),
    BLOCKS("S0113", OP(TS_OP_SETRWC), 3, 2.970),
    // The empty loop takes 3.26 cycles an iteration: three instructions, and 26 cycles once.
    LOOP("B0322", 1, 100, 0, 0, 0, 0, false, 1, 0, 3.26, NULL, false),
    LOOP("B0323", 1, 100, 0, 0, 0, 0, true, 1, 0, 9.24,
         "one cycle of the core: store and load of one address", false),
    LOOP("B0324", 1, 100, 8, NOP, NOP, 0, false, 1, 0, 11.22, NULL, false),
    LOOP("B0325", 1, 100, 8, NOP, NOP, 0, true, 1, 0, 19.25, NULL, false),
    LOOP("B0326", 1, 100, 8, STALLWAIT, STALLWAIT, 0, false, 1, 0, 15.60, NULL, false),
    LOOP("B0327", 1, 100, 8, STALLWAIT, STALLWAIT, 0, true, 1, 0, 26.25, NULL, false),
    LOOP("B0328", 1, 100, 4, SEMINIT(1, 0), SEMINIT(1, 0), 0, false, 1, 0, 7.22, NULL, false),
    LOOP("B0329", 1, 100, 4, SEMINIT(1, 0), SEMINIT(1, 0), 0, true, 1, 0, 15.25, NULL, false),
    LOOP("B0330", 1, 100, 4, SEMINIT(1, 0), STALLWAIT, 0, false, 1, 0, 7.22, NULL, false),
    LOOP("B0331", 1, 100, 4, SEMINIT(1, 0), STALLWAIT, 0, true, 1, 0, 15.25, NULL, false),
    // The empty loop counts in its sink word too (the record shows it), the others do not.
    LOOP("B0344", 2, 1000, 0, 0, 0, 0, false, 2, 0, 4.022, NULL, false),
    LOOP("B0347", 2, 1000, 1, SEMWAIT, 0, 0, true, 1, 0, 12.024, NULL, false),
    LOOP("B0348", 2, 1000, 2, SEMPOST, SEMGET, 0, true, 1, 0, 13.024, NULL, false),
    LOOP("B0349", 2, 1000, 2, SEMGET, SEMPOST, 0, true, 1, 0, 13.024, NULL, false),
    LOOP("B0744", 1, 4, 4, SETDMAREG, SETDMAREG, 0, false, 1, 4, 1.750, COLD, false),
    LOOP("B0747", 1, 4, 4, IMM(TS_OP_SHIFTDMAREG), IMM(TS_OP_SHIFTDMAREG), 0, false, 1, 4, 1.938,
         COLD, false),
    LOOP("B0748", 1, 4, 1, IMM(TS_OP_SHIFTDMAREG), 0, WAIT_MOVER, true, 1, 1, 15.25, COLD, false),
    LOOP("B0749", 1, 4, 4, IMM(TS_OP_SHIFTDMAREG), IMM(TS_OP_SHIFTDMAREG), WAIT_MOVER, true, 1, 4,
         6.125, COLD, false),
    LOOP("B0754", 1, 4, 1, OP(TS_OP_DMANOP), 0, WAIT_MOVER, true, 1, 1, 15.5, COLD, false),
    LOOP("B0755", 1, 4, 4, OP(TS_OP_DMANOP), OP(TS_OP_DMANOP), WAIT_MOVER, true, 1, 4, 4.312, COLD,
         false),
    // The differences that the source gives in addition to these two.
    LOOP("B0749 beyond sync", 1, 4, 4, IMM(TS_OP_SHIFTDMAREG), IMM(TS_OP_SHIFTDMAREG), WAIT_MOVER,
         true, 1, 4, 3.062, NULL, true),
    LOOP("B0755 beyond sync", 1, 4, 4, OP(TS_OP_DMANOP), OP(TS_OP_DMANOP), WAIT_MOVER, true, 1, 4,
         1.25, "4 cycles of one launch of 16 words; S0003 has 0.998 for this word", true),
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    struct probe probe = {.context = context, .error = error};
    *simulated = row->threads ? per_instruction(&probe, row->a, row->threads)
                              : per_iteration(&probe, row);
}

static const char *word_name(uint32_t word)
{
    return ts_op_info[word >> 24].name;
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    const struct row *row = (const struct row *)base;
    size_t size = sizeof text->workload;
    if (row->threads) {
        snprintf(text->workload, size, "blocks of 64 %s on %u TRISC", word_name(row->a),
                 row->threads);
        text->metric = "cycles per instruction";
        return;
    }
    int n = snprintf(text->workload, size, "loop of %u pushes", row->pushes);
    if (row->pushes)
        n += snprintf(text->workload + n, size - (size_t)n, " of %s", word_name(row->a));
    if (row->pushes > 1 && row->b != row->a)
        n += snprintf(text->workload + n, size - (size_t)n, " and %s", word_name(row->b));
    snprintf(text->workload + n, size - (size_t)n, "%s%s by TRISC%u",
             row->drain ? ", wait for the unit" : "", row->sync ? ", drained" : "", row->thread);
    text->metric = row->ops ? "cycles per push, less the empty loop" : "cycles per iteration";
}

static const struct ts_silicon_left left[] = {
    {"B0751", "B0752", "RSTDMA has no public specification; the model refuses it"},
    {"B0519", "B0521",
     "the pack unit's address setup is not published; B0522 has the passes after"},
    {"B0523", NULL, "as B0519; B0524 has the passes after"},
    {"B0525", NULL, "the pack unit's address setup is not published"},
    {"B0530", NULL, "SFPLOADMACRO in REPLAY, text not published"},
    {"B0756", NULL, "one MOVD2A, less than the empty sync of its own run: noise"},
    {0},
};

const struct ts_silicon_family ts_silicon_control = {
    .name = "control",
    .title = "scalar, sync and configuration units",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.03,
    .p90 = 0.17,
    .groups = "riscv tensix",
    .left = left,
};
