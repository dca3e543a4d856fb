// Truth table: scalar, sync and configuration units, and the words that only they take.
//
// The probes are the published ones: a TRISC runs n blocks of 64 inline words (fusion off, as
// tt-metal sets it) and reads the wall clock before and after; the slope over n, less the slope of
// an empty loop, is the cycles per instruction. Rows B0322.. push with sw in a loop and may wait
// for the coprocessor to drain in every iteration; their figures include what a cold start costs.
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
#define RESULTS            0x12a000u

struct row {
    struct ts_silicon_row base;
    // Blocks of one word on so many threads; 0: a loop of pushes.
    unsigned threads;
    uint32_t a, b; // pushed in turn
    unsigned thread, iterations;
    unsigned pushes;
    uint32_t drain;   // pushed once after them, if not zero
    bool sync;        // then waits on the PC buffer
    unsigned plain;   // instructions of the loop besides test, count and jump
    unsigned ops;     // not zero: cycles above those of the empty loop, per op
    bool xmov;        // microbench_xmov
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

// The programs as their sources have them: a header of results, an empty loop with its record, then
// the loop of the row, all straight text that runs once. So the first iteration and both readings of
// the clock are cold, and the loop is left by a branch that was not taken before.
enum { A6 = 16, A7, S2, S3, S4, S5, S6, S7, S8 };

static void clock(struct ts_rvasm *q, unsigned low, unsigned high)
{
    ts_rvasm_li(q, A7, 0xffb121f8);
    unsigned retry = q->count;
    lw(q, high, A7, 0);
    lw(q, low, A7, -8);
    lw(q, A6, A7, 0);
    bne(q, high, A6, retry);
}

static void put_words(struct ts_rvasm *q, unsigned base, uint32_t to, const uint32_t *words,
                      unsigned n)
{
    ts_rvasm_li(q, base, to);
    for (unsigned i = 0; i < n; i++) {
        ts_rvasm_li(q, T0, words[i]);
        sw(q, T0, base, (int)(4 * i));
    }
}

static void drain(struct ts_rvasm *q, const struct row *l)
{
    if (l->drain)
        sw(q, S7, S3, 0);
    sw(q, ZERO, S8, 0);
    lw(q, S1, S8, 0);
    ts_rvasm(q, TS_RV_AND, ZERO, ZERO, S1, 0);
}

static void timed_loop(struct ts_rvasm *q, const struct row *l)
{
    ts_rvasm_li(q, S1, 0x584d0000);
    ts_rvasm_li(q, S3, 0xffe40000);
    ts_rvasm_li(q, S8, 0xffe80004);
    ts_rvasm_li(q, S7, WAIT_MOVER);
    if (l->pushes)
        ts_rvasm_li(q, S4, l->a);
    if (l->pushes && l->b != l->a)
        ts_rvasm_li(q, S5, l->b);
    clock(q, A2, A3);
    addi(q, S0, ZERO, (int)l->iterations);
    unsigned top = q->count,
             body = l->pushes + (l->sync ? 3 : 0) + (l->sync && l->drain) + l->plain;
    ts_rvasm(q, TS_RV_BEQ, 0, S0, ZERO, (int)(3 + body) * 4);
    for (unsigned i = 0; i < l->pushes; i++)
        sw(q, i & 1 && l->b != l->a ? S5 : S4, S3, 0);
    if (l->sync)
        drain(q, l);
    for (unsigned i = 0; i < l->plain; i++)
        addi(q, S1, S1, 1);
    addi(q, S0, S0, -1);
    ts_rvasm(q, TS_RV_JAL, ZERO, 0, 0, ((int)top - (int)q->count) * 4);
    clock(q, A4, A5);
    if (l->pushes && !l->sync)
        drain(q, l);
}

static double cycles(struct probe *probe, const struct row *l)
{
    static const uint32_t header[8] = {0x584d4248, 3, 2, 16, 0x584d0001, 4, RESULTS, 192},
                          record[8] = {0x584d4252, 3, 0, 0, 0, 4, 0, 0};
    const struct row empty = {.iterations = l->iterations, .plain = l->plain};
    struct ts_rvasm *q = &probe->p[l->thread];
    begin(q);
    // A semaphore to work on, at 1 of 2. microbench_xmov pushes nothing before its loop. The program is at the start of a line.
    if (!l->xmov) {
        inline_word(q, SEMINIT(2, 1));
        wait_for_drain(q);
    }
    while (q->count % 4)
        addi(q, ZERO, ZERO, 0);
    put_words(q, S2, RESULTS, header, 8);
    timed_loop(q, &empty);
    put_words(q, S2, RESULTS + 64, record, 8);
    for (unsigned i = 0; i < 8; i++)
        sw(q, i < 4 ? A2 + i : i == 4 ? S1 : ZERO, S2, (int)(32 + 4 * i));
    if (l->pushes || l->sync)
        timed_loop(q, l);
    ts_rvasm(q, TS_RV_SUB, A3, A4, A2, 0);
    record_and_stay(q, l->thread);
    return probe_run(probe, l->thread, 1) / l->iterations;
}

static double per_iteration(struct probe *probe, const struct row *l)
{
    if (!l->ops)
        return cycles(probe, l);
    struct row empty = *l;
    empty.pushes = 0;
    empty.sync = l->beyond_sync;
    return (cycles(probe, l) - cycles(probe, &empty)) / l->ops;
}

// ---- the rows

// microbench_xmov runs four iterations after a fresh launch, about 100 cycles after its start, while the
// other cores' firmware starts: two launches of one text (DMANOP and RSTDMA) differ by up to 10 cycles.
#define COLD \
    "four iterations 100 cycles after a launch; two launches of one text differ by 10 cycles"

#define BLOCKS(name, word, n, value)                                       \
    {                                                                      \
        .base = {.id = name, .measured = value}, .a = word, .threads = (n) \
    }
#define LOOP(name, t, n, count, first, second, last, waits, others, per, value, why, both)       \
    {                                                                                            \
        .base = {.id = name, .measured = value, .cause = why}, .thread = t, .iterations = n,     \
        .pushes = count, .a = first, .b = second, .drain = last, .sync = waits, .plain = others, \
        .ops = per, .xmov = (per) != 0, .beyond_sync = both                                      \
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
    LOOP("B0322", 1, 100, 0, 0, 0, 0, false, 0, 0, 3.26, NULL, false),
    LOOP("B0323", 1, 100, 0, 0, 0, 0, true, 0, 0, 9.24, NULL, false),
    LOOP("B0324", 1, 100, 8, NOP, NOP, 0, false, 0, 0, 11.22, NULL, false),
    LOOP("B0325", 1, 100, 8, NOP, NOP, 0, true, 0, 0, 19.25, NULL, false),
    LOOP("B0326", 1, 100, 8, STALLWAIT, STALLWAIT, 0, false, 0, 0, 15.60, NULL, false),
    LOOP("B0327", 1, 100, 8, STALLWAIT, STALLWAIT, 0, true, 0, 0, 26.25, NULL, false),
    LOOP("B0328", 1, 100, 4, SEMINIT(1, 0), SEMINIT(1, 0), 0, false, 0, 0, 7.22, NULL, false),
    LOOP("B0329", 1, 100, 4, SEMINIT(1, 0), SEMINIT(1, 0), 0, true, 0, 0, 15.25, NULL, false),
    LOOP("B0330", 1, 100, 4, SEMINIT(1, 0), STALLWAIT, 0, false, 0, 0, 7.22, NULL, false),
    LOOP("B0331", 1, 100, 4, SEMINIT(1, 0), STALLWAIT, 0, true, 0, 0, 15.25, NULL, false),
    // The empty loop counts in its sink word too (the record shows it), the others do not.
    LOOP("B0344", 2, 1000, 0, 0, 0, 0, false, 1, 0, 4.022, NULL, false),
    LOOP("B0347", 2, 1000, 1, SEMWAIT, 0, 0, true, 0, 0, 12.024, NULL, false),
    LOOP("B0348", 2, 1000, 2, SEMPOST, SEMGET, 0, true, 0, 0, 13.024, NULL, false),
    LOOP("B0349", 2, 1000, 2, SEMGET, SEMPOST, 0, true, 0, 0, 13.024, NULL, false),
    LOOP("B0744", 1, 4, 4, SETDMAREG, SETDMAREG, 0, false, 0, 4, 1.750, COLD, false),
    LOOP("B0747", 1, 4, 4, IMM(TS_OP_SHIFTDMAREG), IMM(TS_OP_SHIFTDMAREG), 0, false, 0, 4, 1.938,
         COLD, false),
    LOOP("B0748", 1, 4, 1, IMM(TS_OP_SHIFTDMAREG), 0, WAIT_MOVER, true, 0, 1, 15.25, COLD, false),
    LOOP("B0749", 1, 4, 4, IMM(TS_OP_SHIFTDMAREG), IMM(TS_OP_SHIFTDMAREG), WAIT_MOVER, true, 0, 4,
         6.125, COLD, false),
    LOOP("B0754", 1, 4, 1, OP(TS_OP_DMANOP), 0, WAIT_MOVER, true, 0, 1, 15.5, COLD, false),
    LOOP("B0755", 1, 4, 4, OP(TS_OP_DMANOP), OP(TS_OP_DMANOP), WAIT_MOVER, true, 0, 4, 4.312, COLD,
         false),
    // The differences that the source gives in addition to these two.
    LOOP("B0749 beyond sync", 1, 4, 4, IMM(TS_OP_SHIFTDMAREG), IMM(TS_OP_SHIFTDMAREG), WAIT_MOVER,
         true, 0, 4, 3.062, NULL, true),
    LOOP("B0755 beyond sync", 1, 4, 4, OP(TS_OP_DMANOP), OP(TS_OP_DMANOP), WAIT_MOVER, true, 0, 4,
         1.25, "4 cycles of one launch of 16 words; S0003 has 0.998 for this word", true),
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    struct probe probe = {.context = context, .error = error, .fresh = row->xmov};
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
