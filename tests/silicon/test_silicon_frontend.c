// Measurements on Blackhole cards re-created on the modelled tile: the push path and its queues.
//
// riscvbench phase T runs n blocks of inline words, alone or among addi, on one to three TRISCs
// (the slope over n less that of an empty loop, fusion off as tt-metal sets it). Phase Q times one
// burst of n words, from a loop of 16, with the queues as the burst before left them, drained
// before, or drained within the timed part: 16, 32, .. 1024 words in this order, with a barrier
// between.
#include "tests/silicon/probe.h"

#define NOP       ((uint32_t)TS_OP_NOP << 24)
#define SFPNOP    ((uint32_t)TS_OP_SFPNOP << 24)
#define ADDDMAREG ((uint32_t)TS_OP_ADDDMAREG << 24 | 1u << 23)
#define ADDI      0x00168693u // addi a3, a3, 1: no word of the coprocessor has these two low bits
#define BARRIER   0x21000u

static void put(struct program *p, uint32_t word)
{
    emit(p, word == ADDI ? word : ts_word_to_inline(word));
}

static void wait_for_drain(struct program *p)
{
    sw(p, ZERO, A1, 4);
    lw(p, T1, A1, 4);
    emit(p, 0x7013 | T1 << 15 | T1 << 7); // andi t1, t1, 0
}

// ---- phase T

struct group {
    const char *id;
    unsigned threads; // one: T1; two: T0 and T1
    unsigned timed;
    unsigned words, spread, plain; // words (next to each other, or one after each 4 addi), addi
    uint32_t word;
    double measured; // cycles per word, or per group where there are addi
    const char *reason;
};

static double blocks(const struct group *g, bool empty, unsigned n)
{
    static struct program p[3];
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
    uint32_t cycles[3];
    run_each(p, first, g->threads, cycles);
    return cycles[g->timed];
}

static double per_group(const struct group *g)
{
    double empty = (blocks(g, true, 60) - blocks(g, true, 20)) / 40;
    double full = (blocks(g, false, 60) - blocks(g, false, 20)) / 40;
    return (full - empty) / (g->plain ? 4 : g->words);
}

static const struct group groups[] = {
    {"S0243", 1, 1, 64, 0, 0, ADDDMAREG, 2.972, NULL},
    {"S0244", 1, 1, 2, 0, 16, NOP, 17.911, NULL},
    {"S0245", 1, 1, 4, 0, 16, NOP, 20.369, NULL},
    {"S0246", 1, 1, 64, 0, 0, NOP, 0.998, NULL},
    {"S0247", 1, 1, 0, 0, 16, 0, 15.930, NULL},
    {"S0250", 1, 1, 4, 1, 16, NOP, 19.876, NULL},
    {"S0251", 2, 0, 64, 0, 0, ADDDMAREG, 5.985, NULL},
    {"S0252", 2, 1, 64, 0, 0, ADDDMAREG, 5.985, NULL},
    {"S0253", 2, 0, 64, 0, 0, NOP, 1.059, NULL},
    {"S0254", 2, 1, 64, 0, 0, NOP, 0.998, NULL},
    {"S0255", 2, 0, 64, 0, 0, SFPNOP, 1.965, NULL},
    {"S0256", 2, 1, 64, 0, 0, SFPNOP, 1.968, NULL},
    {"S0257", 3, 0, 64, 0, 0, ADDDMAREG, 8.995, NULL},
    {"S0258", 3, 1, 64, 0, 0, ADDDMAREG, 8.998, NULL},
    {"S0259", 3, 2, 64, 0, 0, ADDDMAREG, 9.002, NULL},
    {"S0260", 3, 0, 64, 0, 0, NOP, 0.998, NULL},
    {"S0261", 3, 1, 64, 0, 0, NOP, 0.998, NULL},
    {"S0262", 3, 2, 64, 0, 0, NOP, 0.996, NULL},
    {"S0264", 3, 1, 64, 0, 0, SFPNOP, 2.974, NULL},
    {"S0265", 3, 2, 64, 0, 0, SFPNOP, 2.971, NULL},
};

// ---- phase Q

enum form { AS_LEFT, DRAINED, WITHIN };

// The barrier of the source, statement by statement, for a lone T1: counts, publishes the count in
// L1 and reads it back for every active thread. Its variables are in the core's own memory, at t0.
enum { SEQ = 0, BASE = 4, THREAD = 8, ACTIVE = 12 };

static void barrier(struct program *p)
{
    lw(p, A4, T0, SEQ);
    addi(p, A4, A4, 1);
    sw(p, A4, T0, SEQ);
    lw(p, RA, T0, BASE);
    lw(p, T1, T0, THREAD);
    emit(p, 2u << 20 | T1 << 15 | 1 << 12 | T1 << 7 | 0x13); // slli t1, t1, 2
    emit(p, RA << 20 | T1 << 15 | T1 << 7 | 0x33);           // add t1, t1, ra
    sw(p, A4, T1, 0);
    addi(p, GP, ZERO, 0);
    unsigned thread = p->count;
    lw(p, T1, T0, ACTIVE);
    emit(p, GP << 20 | T1 << 15 | 5 << 12 | T1 << 7 | 0x33); // srl t1, t1, gp
    emit(p, 1u << 20 | T1 << 15 | 7 << 12 | T1 << 7 | 0x13); // andi t1, t1, 1
    emit(p, 0x63 | T1 << 15 | 6 * 4 / 2 << 8);               // beqz t1, the next thread
    emit(p, 2u << 20 | GP << 15 | 1 << 12 | T1 << 7 | 0x13); // slli t1, gp, 2
    emit(p, RA << 20 | T1 << 15 | T1 << 7 | 0x33);           // add t1, t1, ra
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
static double burst(uint32_t word, enum form form, unsigned words)
{
    static struct program p[3];
    struct program *q = &p[1];
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
    // The source works out the iterations and checks for none after it has read the clock.
    emit(q, SP << 20 | A5 << 15 | 1 << 12 | T2 << 7 | 0x33);             // sll t2, a5, sp
    emit(q, 4u << 20 | T2 << 15 | 5 << 12 | T2 << 7 | 0x13);             // srli t2, t2, 4
    emit(q, 0x63 | T2 << 15 | 20 * 4 / 2 % 16 << 8 | 20 * 4 / 32 << 25); // beqz t2, past the loop
    addi(q, T1, ZERO, 0);
    unsigned top = q->count;
    for (unsigned i = 0; i < 16; i++)
        put(q, word);
    addi(q, T1, T1, 1);
    bne(q, T1, T2, top);
    if (form == WITHIN)
        wait_for_drain(q);
    lw(q, A4, S0, 0x1f0);
    emit(q, 0x40000033 | A2 << 20 | A4 << 15 | A4 << 7); // sub a4, a4, a2
    sw(q, A4, TP, 16);
    emit(q, SP << 20 | A5 << 15 | 1 << 12 | T1 << 7 | 0x33); // sll t1, a5, sp
    addi(q, SP, SP, 1);
    bne(q, T1, S1, next);
    // Not finish(): it would read the clock again.
    li(q, T0, OUT + 8);
    sw(q, A4, T0, 0);
    li(q, T1, DONE);
    sw(q, T1, T0, 4);
    emit(q, 0x6f); // j .
    return run(p, 1, 1);
}

#define FIRST "the first burst only: cold text, and the model foresees its loop exit (inferred)"

static const struct {
    const char *id;
    uint32_t word;
    enum form form;
    unsigned words;
    double measured;
    const char *reason;
} bursts[] = {
    {"S0266", ADDDMAREG, AS_LEFT, 16, 31, FIRST},
    {"S0267", ADDDMAREG, AS_LEFT, 32, 48, NULL},
    {"S0268", ADDDMAREG, AS_LEFT, 64, 107, NULL},
    {"S0269", ADDDMAREG, AS_LEFT, 128, 320, NULL},
    {"S0270", ADDDMAREG, AS_LEFT, 256, 704, NULL},
    {"S0272", ADDDMAREG, AS_LEFT, 1024, 3008, NULL},
    {"S0273", ADDDMAREG, WITHIN, 16, 63, NULL},
    {"S0274", ADDDMAREG, WITHIN, 32, 111, NULL},
    {"S0275", ADDDMAREG, WITHIN, 64, 207, NULL},
    {"S0276", ADDDMAREG, WITHIN, 128, 399, NULL},
    {"S0277", ADDDMAREG, WITHIN, 256, 783, NULL},
    {"S0278", ADDDMAREG, WITHIN, 512, 1551, NULL},
    {"S0279", ADDDMAREG, WITHIN, 1024, 3087, NULL},
    {"S0280", ADDI, AS_LEFT, 16, 32, FIRST},
    {"S0281", ADDI, AS_LEFT, 32, 48, NULL},
    {"S0283", ADDI, AS_LEFT, 128, 156, NULL},
    {"S0284", ADDI, AS_LEFT, 256, 300, NULL},
    {"S0285", ADDI, AS_LEFT, 512, 588, NULL},
    {"S0286", ADDI, AS_LEFT, 1024, 1164, NULL},
    {"S0372", ADDDMAREG, DRAINED, 16, 28, NULL},
    {"S0373", ADDDMAREG, DRAINED, 32, 48, NULL},
    {"S0375", ADDDMAREG, DRAINED, 128, 299, NULL},
    {"S0376", ADDDMAREG, DRAINED, 256, 683, NULL},
    {"S0377", ADDDMAREG, DRAINED, 512, 1451, NULL},
    {"S0378", ADDDMAREG, DRAINED, 1024, 2987, NULL},
    {"S0379", ADDDMAREG, WITHIN, 16, 63, NULL},
    {"S0380", ADDDMAREG, WITHIN, 32, 111, NULL},
    {"S0381", ADDDMAREG, WITHIN, 64, 207, NULL},
    {"S0382", ADDDMAREG, WITHIN, 128, 399, NULL},
    {"S0383", ADDDMAREG, WITHIN, 256, 783, NULL},
    {"S0384", ADDDMAREG, WITHIN, 512, 1551, NULL},
    {"S0385", ADDDMAREG, WITHIN, 1024, 3087, NULL},
};

// ---- the comparison

#define GROUPS (sizeof groups / sizeof *groups)
#define BURSTS (sizeof bursts / sizeof *bursts)

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double compare(const char *id, double measured, double simulated, const char *reason)
{
    double error = fabs(simulated / measured - 1);
    if (getenv("VERBOSE"))
        printf("%s measured %.3f simulated %.3f error %.1f %%%s%s\n", id, measured, simulated,
               100 * error, error > 0.1 ? ": " : "", error > 0.1 && reason ? reason : "");
    ck_assert_msg(error <= 0.10 || reason, "%s: measured %.3f, simulated %.3f", id, measured,
                  simulated);
    return error;
}

START_TEST(cards_and_model_agree)
{
    double error[GROUPS + BURSTS];
    for (size_t i = 0; i < GROUPS; i++)
        error[i] = compare(groups[i].id, groups[i].measured, per_group(&groups[i]),
                           groups[i].reason);
    for (size_t i = 0; i < BURSTS; i++)
        error[GROUPS + i] = compare(bursts[i].id, bursts[i].measured,
                                    burst(bursts[i].word, bursts[i].form, bursts[i].words),
                                    bursts[i].reason);
    qsort(error, GROUPS + BURSTS, sizeof *error, by_size);
    double median = error[(GROUPS + BURSTS) / 2];
    ck_assert_msg(median <= 0.03, "median error %.3f", median);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("silicon: front end");
    TCase *tc = tcase_create("cards");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, cards_and_model_agree);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
