// Truth table: the push path and its queues.
//
// riscvbench phase T runs n blocks of inline words, alone or among addi, on one to three TRISCs
// (the slope over n less that of an empty loop, fusion off as tt-metal sets it). Phase Q times one
// burst of n words, from a loop of 16, with the queues as the burst before left them, drained
// before, or drained within the timed part: 16, 32, .. 1024 words in this order, with a barrier
// between.
#include "platform/study/silicon/probe.h"

#include <stdio.h>

#define NOP       ((uint32_t)TS_OP_NOP << 24)
#define SFPNOP    ((uint32_t)TS_OP_SFPNOP << 24)
#define ADDDMAREG ((uint32_t)TS_OP_ADDDMAREG << 24 | 1u << 23)
#define ADDI      0x00168693u // addi a3, a3, 1: no word of the coprocessor has these two low bits
#define BARRIER   0x21000u

static void put(struct ts_rvasm *p, uint32_t word)
{
    ts_rvasm_word(p, word == ADDI ? word : ts_word_to_inline(word));
}

// ---- phase T

enum form { GROUP, AS_LEFT, DRAINED, WITHIN };

struct row {
    struct ts_silicon_row base; // cycles per word, or per group where there are addi; of a burst
    enum form form;
    uint32_t word;
    unsigned words;
    // A group.
    unsigned threads; // one: T1; two: T0 and T1
    unsigned timed;
    unsigned spread, plain; // one word after each 4 addi, not all next to each other; addi
};

static double blocks(struct probe *probe, const struct row *g, bool empty, unsigned n)
{
    struct ts_rvasm *p = probe->p;
    unsigned first = g->threads == 1 ? 1 : 0;
    unsigned times = g->plain ? 4 : 1;
    for (unsigned t = first; t < first + g->threads; t++) {
        begin(&p[t]);
        li(&p[t], T2, n);
        lw(&p[t], A2, S0, 0x1f0);
        unsigned top = p[t].count;
        for (unsigned i = 0; !empty && i < times; i++) {
            for (unsigned k = 0; !g->spread && k < g->words; k++)
                put(&p[t], g->word);
            for (unsigned k = 0; k < g->plain; k++) {
                if (g->spread && k % 4 == 0)
                    put(&p[t], g->word);
                put(&p[t], ADDI);
            }
        }
        addi(&p[t], T2, T2, -1);
        bnez(&p[t], T2, top);
        finish(&p[t], t);
    }
    double cycles[3];
    probe_run_each(probe, first, g->threads, cycles);
    return cycles[g->timed];
}

static double per_group(struct probe *probe, const struct row *g)
{
    double empty = (blocks(probe, g, true, 60) - blocks(probe, g, true, 20)) / 40;
    double full = (blocks(probe, g, false, 60) - blocks(probe, g, false, 20)) / 40;
    return (full - empty) / (g->plain ? 4 : g->words);
}

// ---- phase Q

// The barrier of the source, statement by statement, for a lone T1: counts, publishes the count in
// L1 and reads it back for every active thread. Its variables are in the core's own memory, at t0.
enum { SEQ = 0, BASE = 4, THREAD = 8, ACTIVE = 12 };

static void barrier(struct ts_rvasm *p)
{
    lw(p, A4, T0, SEQ);
    addi(p, A4, A4, 1);
    sw(p, A4, T0, SEQ);
    lw(p, RA, T0, BASE);
    lw(p, T1, T0, THREAD);
    ts_rvasm(p, TS_RV_SLLI, T1, T1, 0, 2);
    ts_rvasm(p, TS_RV_ADD, T1, T1, RA, 0);
    sw(p, A4, T1, 0);
    addi(p, GP, ZERO, 0);
    unsigned thread = p->count;
    lw(p, T1, T0, ACTIVE);
    ts_rvasm(p, TS_RV_SRL, T1, T1, GP, 0);
    ts_rvasm(p, TS_RV_ANDI, T1, T1, 0, 1);
    ts_rvasm(p, TS_RV_BEQ, 0, T1, ZERO, 6 * 4); // to the next thread
    ts_rvasm(p, TS_RV_SLLI, T1, GP, 0, 2);
    ts_rvasm(p, TS_RV_ADD, T1, T1, RA, 0);
    unsigned spin = p->count;
    lw(p, A4, T1, 0);
    lw(p, T2, T0, SEQ);
    bne(p, A4, T2, spin);
    addi(p, GP, GP, 1);
    addi(p, A4, ZERO, 3);
    bne(p, GP, A4, thread);
}

// One burst after the other, as the card's kernel runs them: all from the same text. The time of
// the last one is the row's.
static double burst(struct probe *probe, uint32_t word, enum form form, unsigned words)
{
    struct ts_rvasm *q = &probe->p[1];
    begin(q);
    li(q, TP, BARRIER);
    li(q, T0, 0xffb00000);
    sw(q, ZERO, T0, SEQ);
    sw(q, TP, T0, BASE);
    addi(q, T1, ZERO, 1);
    sw(q, T1, T0, THREAD);
    addi(q, T1, ZERO, 2);
    sw(q, T1, T0, ACTIVE);
    li(q, A5, 16);
    addi(q, SP, ZERO, 0); // the next burst has 16 << sp words
    li(q, S1, words);     // of the last
    unsigned next = q->count;
    barrier(q);
    if (form == DRAINED)
        wait_for_drain(q);
    lw(q, A2, S0, 0x1f0);
    // The source computes the iterations and checks for none after it has read the clock.
    ts_rvasm(q, TS_RV_SLL, T2, A5, SP, 0);
    ts_rvasm(q, TS_RV_SRLI, T2, T2, 0, 4);
    ts_rvasm(q, TS_RV_BEQ, 0, T2, ZERO, 20 * 4); // past the loop
    addi(q, T1, ZERO, 0);
    unsigned top = q->count;
    for (unsigned i = 0; i < 16; i++)
        put(q, word);
    addi(q, T1, T1, 1);
    bne(q, T1, T2, top);
    if (form == WITHIN)
        wait_for_drain(q);
    lw(q, A4, S0, 0x1f0);
    ts_rvasm(q, TS_RV_SUB, A4, A4, A2, 0);
    sw(q, A4, TP, 16);
    ts_rvasm(q, TS_RV_SLL, T1, A5, SP, 0);
    addi(q, SP, SP, 1);
    bne(q, T1, S1, next);
    // Not finish(): it would read the clock again.
    li(q, T0, OUT + 8);
    sw(q, A4, T0, 0);
    li(q, T1, DONE);
    sw(q, T1, T0, 4);
    ts_rvasm(q, TS_RV_JAL, 0, 0, 0, 0);
    return probe_run(probe, 1, 1);
}

// ---- the rows

#define FIRST "the first burst only: cold text, and the model foresees its loop exit (inferred)"

#define G(name, count, which, n, apart, others, what, value)                                   \
    {                                                                                          \
        .base = {.id = name, .measured = value}, .threads = count, .timed = which, .words = n, \
        .spread = apart, .plain = others, .word = what                                         \
    }
#define Q(name, what, how, n, value, why)                                                 \
    {                                                                                     \
        .base = {.id = name, .measured = value, .cause = why}, .word = what, .form = how, \
        .words = n                                                                        \
    }

static const struct row rows[] = {
    G("S0243", 1, 1, 64, 0, 0, ADDDMAREG, 2.972),
    G("S0244", 1, 1, 2, 0, 16, NOP, 17.911),
    G("S0245", 1, 1, 4, 0, 16, NOP, 20.369),
    G("S0246", 1, 1, 64, 0, 0, NOP, 0.998),
    G("S0247", 1, 1, 0, 0, 16, 0, 15.930),
    G("S0250", 1, 1, 4, 1, 16, NOP, 19.876),
    G("S0251", 2, 0, 64, 0, 0, ADDDMAREG, 5.985),
    G("S0252", 2, 1, 64, 0, 0, ADDDMAREG, 5.985),
    G("S0253", 2, 0, 64, 0, 0, NOP, 1.059),
    G("S0254", 2, 1, 64, 0, 0, NOP, 0.998),
    G("S0255", 2, 0, 64, 0, 0, SFPNOP, 1.965),
    G("S0256", 2, 1, 64, 0, 0, SFPNOP, 1.968),
    G("S0257", 3, 0, 64, 0, 0, ADDDMAREG, 8.995),
    G("S0258", 3, 1, 64, 0, 0, ADDDMAREG, 8.998),
    G("S0259", 3, 2, 64, 0, 0, ADDDMAREG, 9.002),
    G("S0260", 3, 0, 64, 0, 0, NOP, 0.998),
    G("S0261", 3, 1, 64, 0, 0, NOP, 0.998),
    G("S0262", 3, 2, 64, 0, 0, NOP, 0.996),
    G("S0264", 3, 1, 64, 0, 0, SFPNOP, 2.974),
    G("S0265", 3, 2, 64, 0, 0, SFPNOP, 2.971),
    Q("S0266", ADDDMAREG, AS_LEFT, 16, 31, FIRST),
    Q("S0267", ADDDMAREG, AS_LEFT, 32, 48, NULL),
    Q("S0268", ADDDMAREG, AS_LEFT, 64, 107, NULL),
    Q("S0269", ADDDMAREG, AS_LEFT, 128, 320, NULL),
    Q("S0270", ADDDMAREG, AS_LEFT, 256, 704, NULL),
    Q("S0272", ADDDMAREG, AS_LEFT, 1024, 3008, NULL),
    Q("S0273", ADDDMAREG, WITHIN, 16, 63, NULL),
    Q("S0274", ADDDMAREG, WITHIN, 32, 111, NULL),
    Q("S0275", ADDDMAREG, WITHIN, 64, 207, NULL),
    Q("S0276", ADDDMAREG, WITHIN, 128, 399, NULL),
    Q("S0277", ADDDMAREG, WITHIN, 256, 783, NULL),
    Q("S0278", ADDDMAREG, WITHIN, 512, 1551, NULL),
    Q("S0279", ADDDMAREG, WITHIN, 1024, 3087, NULL),
    Q("S0280", ADDI, AS_LEFT, 16, 32, FIRST),
    Q("S0281", ADDI, AS_LEFT, 32, 48, NULL),
    Q("S0283", ADDI, AS_LEFT, 128, 156, NULL),
    Q("S0284", ADDI, AS_LEFT, 256, 300, NULL),
    Q("S0285", ADDI, AS_LEFT, 512, 588, NULL),
    Q("S0286", ADDI, AS_LEFT, 1024, 1164, NULL),
    Q("S0372", ADDDMAREG, DRAINED, 16, 28, NULL),
    Q("S0373", ADDDMAREG, DRAINED, 32, 48, NULL),
    Q("S0375", ADDDMAREG, DRAINED, 128, 299, NULL),
    Q("S0376", ADDDMAREG, DRAINED, 256, 683, NULL),
    Q("S0377", ADDDMAREG, DRAINED, 512, 1451, NULL),
    Q("S0378", ADDDMAREG, DRAINED, 1024, 2987, NULL),
    Q("S0379", ADDDMAREG, WITHIN, 16, 63, NULL),
    Q("S0380", ADDDMAREG, WITHIN, 32, 111, NULL),
    Q("S0381", ADDDMAREG, WITHIN, 64, 207, NULL),
    Q("S0382", ADDDMAREG, WITHIN, 128, 399, NULL),
    Q("S0383", ADDDMAREG, WITHIN, 256, 783, NULL),
    Q("S0384", ADDDMAREG, WITHIN, 512, 1551, NULL),
    Q("S0385", ADDDMAREG, WITHIN, 1024, 3087, NULL),
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    struct probe probe = {.context = context, .error = error};
    *simulated = row->form == GROUP ? per_group(&probe, row)
                                    : burst(&probe, row->word, row->form, row->words);
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const forms[] = {"", "after the burst before", "after a drain",
                                        "with its drain"};
    const struct row *row = (const struct row *)base;
    const char *word = row->word == ADDI        ? "addi"
                       : row->word == NOP       ? "NOP"
                       : row->word == SFPNOP    ? "SFPNOP"
                       : row->word == ADDDMAREG ? "ADDDMAREG"
                                                : "no word";
    if (row->form != GROUP)
        snprintf(text->workload, sizeof text->workload, "burst of %u %s, %s", row->words, word,
                 forms[row->form]);
    else if (row->plain)
        snprintf(text->workload, sizeof text->workload, "groups of %u %s and %u addi%s", row->words,
                 word, row->plain, row->spread ? ", mixed" : "");
    else
        snprintf(text->workload, sizeof text->workload, "blocks of %u %s on %u TRISC, T%u timed",
                 row->words, word, row->threads, row->timed);
    text->metric = row->form != GROUP ? "cycles"
                   : row->plain       ? "cycles per group"
                                      : "cycles per instruction";
}

const struct ts_silicon_family ts_silicon_frontend = {
    .name = "frontend",
    .title = "push path and instruction queues",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.03,
    .p90 = 0.10,
    .groups = "riscv tensix",
};
