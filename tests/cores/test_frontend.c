// The front end with the control units: order, timing, back-pressure, the mux, reports.
#include "tests/cores/coprocessor_rig.h"
#include "tests/suite.h"

// Cycles per instruction of a long stream of one word on 1, 2 or 3 threads.
static double rate(uint32_t word, unsigned threads)
{
    enum { N = 600 };
    static uint32_t words[N];
    for (unsigned i = 0; i < N; i++)
        words[i] = word;
    struct rig *rig = rig_new();
    for (unsigned t = 0; t < threads; t++)
        rig_program(rig, t, words, N);
    struct ts_run run = rig_run(rig, 100000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ts_cycle done = 0;
    for (unsigned t = 0; t < threads; t++)
        done = rig->pusher[t].done > done ? rig->pusher[t].done : done;
    rig_free(rig);
    return (double)done / N;
}

// mesham/tt-sim, tensixbench phase A (rows S0002 to S0120): cycles per instruction by threads.
static const struct {
    const char *name;
    uint32_t word;
    double measured[3]; // 0: not measured
} rates[] = {
    {"NOP", NOP, {0.998, 0.998, 0}},
    {"DMANOP", DMANOP, {0.998, 1.969, 2.971}},
    {"SETDMAREG", SETDMAREG(8, 1), {0.998, 1.969, 2.972}},
    {"ADDDMAREG", ADDI(1, 1, 1), {2.972, 5.985, 8.996}},
    {"MULDMAREG", OP(TS_OP_MULDMAREG) | 1u << 23, {2.973, 5.972, 8.969}},
    {"CMPDMAREG", OP(TS_OP_CMPDMAREG) | 1u << 23, {2.973, 5.971, 0}},
    {"SHIFTDMAREG", OP(TS_OP_SHIFTDMAREG) | 1u << 23, {2.973, 0, 8.968}},
    {"RDCFG", RDCFG(4, 12), {0.998, 1.960, 2.944}},
    {"RMWCIB0", RMWCIB(0, 1, 1, 12), {0.998, 0, 0}},
};

START_TEST(issue_rates_as_on_silicon)
{
    for (unsigned threads = 1; threads <= 3; threads++) {
        double measured = rates[_i].measured[threads - 1];
        if (measured == 0)
            continue;
        double simulated = rate(rates[_i].word, threads), error = simulated / measured - 1;
        if (error < 0)
            error = -error;
        ck_assert_msg(error < 0.03, "%s, %u threads: measured %.3f, simulated %.3f", rates[_i].name,
                      threads, measured, simulated);
    }
}
END_TEST

// mesham/tt-sim, session of 2026-08-12: STALLWAIT that is met at once and the instruction it
// blocks: 2.97 cycles the pair.
START_TEST(stallwait_pair)
{
    enum { N = 300 };
    static uint32_t words[2 * N];
    for (unsigned i = 0; i < N; i++) {
        words[2 * i] = STALLWAIT(0x1ff, 0x2);
        words[2 * i + 1] = SETDMAREG(0, 1);
    }
    struct rig *rig = rig_new();
    rig_program(rig, 1, words, 2 * N);
    ck_assert_int_eq(rig_run(rig, 100000).stop, TS_STOP_DONE);
    double pair = (double)rig->pusher[1].done / N;
    ck_assert_msg(pair > 2.95 && pair < 3.05, "%.3f", pair);
    rig_free(rig);
}
END_TEST

// A core runs ahead of a blocked thread by 29 words (PushTensixInstruction.md), and by more with
// MOPs.
START_TEST(push_back_pressure)
{
    static uint32_t words[80];
    for (unsigned i = 0; i < 80; i++)
        words[i] = NOP;
    words[0] = SEMWAIT(0x1ff, 1, 1); // never met
    struct rig *rig = rig_new();
    rig_program(rig, 2, words, 80);
    struct ts_run run = rig_run(rig, 100000);
    ck_assert_int_eq(run.stop, TS_STOP_DEADLOCK);
    ck_assert_uint_eq(rig->pusher[2].next, 1 + 29);
    struct ts_wait wait = ts_waiting(&rig->front[2].component);
    ck_assert_int_eq(wait.reason, TS_STALL_SEMAPHORE_ZERO);
    ck_assert_ptr_eq(wait.object, &rig->sync.semaphore[0].object);
    wait = ts_waiting(&rig->pusher[2].component);
    ck_assert_int_eq(wait.reason, TS_STALL_FIFO_FULL);
    ck_assert_ptr_eq(wait.holder, &rig->front[2].component);
    rig_free(rig);
}
END_TEST

// A MOP of thread 0: loops of one word.
static void configure(struct rig *rig, unsigned outer, unsigned inner, uint32_t word)
{
    const uint32_t cfg[TS_MOP_CFG_WORDS] = {outer, inner, NOP, NOP, NOP, word, NOP, word, word};
    for (unsigned i = 0; i < TS_MOP_CFG_WORDS; i++)
        ts_mop_configure(&rig->front[0].mop, i, cfg[i]);
}

// Order-sensitive arithmetic through MOP and REPLAY, and the cycles it takes.
START_TEST(mop_and_replay_in_time)
{
    static const uint32_t words[] = {
        REPLAY(0, 2, 0, 1), SETDMAREG(2, 7),
        SETDMAREG(4, 9), // recorded, not executed
        SETDMAREG(0, 1),    MOP1,
        SETDMAREG(6, 3),
    };
    struct rig *rig = rig_new();
    configure(rig, 10, 5, REPLAY(0, 2, 0, 0));
    rig_program(rig, 0, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 100000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][0], 1);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][1], 7);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][2], 9);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][3], 3);
    ck_assert_uint_eq(rig->front[0].dispatched, 102);
    // 102 words at one a cycle behind the first one's way through the stages: no gap anywhere.
    ck_assert_uint_le(rig->pusher[0].done - rig->pusher[0].first_push, 3 + 3 + 102 + 2);
    rig_free(rig);
}
END_TEST

// MOPExpander.md: one dead cycle between a MOP and a word that is none; none between MOPs.
START_TEST(mop_transition_penalty)
{
    enum { N = 20 };
    static uint32_t alike[N], mixed[2 * N];
    for (unsigned i = 0; i < N; i++) {
        alike[i] = MOP1;
        mixed[2 * i] = MOP1;
        mixed[2 * i + 1] = NOP;
    }
    ts_cycle took[2];
    for (unsigned i = 0; i < 2; i++) {
        struct rig *rig = rig_new();
        configure(rig, 1, 4, SETDMAREG(0, 1));
        rig_program(rig, 0, i ? mixed : alike, i ? 2 * N : N);
        ck_assert_int_eq(rig_run(rig, 100000).stop, TS_STOP_DONE);
        took[i] = rig->pusher[0].done;
        rig_free(rig);
    }
    ck_assert_uint_eq(took[1] - took[0], 2 * N); // the NOP and the dead cycle
}
END_TEST

START_TEST(brisc_wins_the_mux)
{
    static uint32_t trisc[20], brisc[4];
    for (unsigned i = 0; i < 20; i++)
        trisc[i] = SETDMAREG(2 * i, 0x100 + i);
    for (unsigned i = 0; i < 4; i++)
        brisc[i] = SETDMAREG(100 + 2 * i, 0x200 + i);
    struct rig *rig = rig_new();
    rig_program(rig, 0, trisc, 20);
    rig_program(rig, 3, brisc, 4);
    rig->pusher[3].begin = 5;
    ck_assert_int_eq(rig_run(rig, 100000).stop, TS_STOP_DONE);
    unsigned missing = 0;
    for (unsigned i = 0; i < 20; i++)
        missing += rig->tensix.deferred.gpr[0][i] != 0x100 + i;
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(rig->tensix.deferred.gpr[0][50 + i], 0x200 + i);
    ck_assert_uint_eq(missing, 4);
    ck_assert_uint_eq(rig->front[0].lost, 4);
    ck_assert_uint_eq(rig->reports, 4);
    ck_assert_uint_eq(rig->tensix.reports[TS_REPORT_BRISC_MUX_LOST], 4);
    rig_free(rig);
}
END_TEST

START_TEST(bad_words)
{
    static const struct {
        uint32_t word;
        bool strict;
        int stop, code;
        const char *text;
    } cases[] = {
        {0xff000000, false, TS_STOP_FAULT, TS_CONTRACT, "no such opcode"},
        {0x26000000, false, TS_STOP_FAULT, TS_NOT_IMPLEMENTED, "MATRIX"},
        {OP(TS_OP_RESOURCEDECL), false, TS_STOP_FAULT, TS_NOT_IMPLEMENTED, "RESOURCEDECL"},
        {OP(TS_OP_RSTDMA), false, TS_STOP_FAULT, TS_NOT_IMPLEMENTED, "RSTDMA"},
        {NOP | 1, false, TS_STOP_DONE, TS_OK, "reserved=0x1"},
        {NOP | 1, true, TS_STOP_DONE, TS_OK, "reserved=0x1"},
        {SEMPOST(1), false, TS_STOP_DONE, TS_OK, NULL},
        {SEMGET(1), false, TS_STOP_DONE, TS_OK, "get at 0"},
        {SEMGET(1), true, TS_STOP_FAULT, TS_CONTRACT, "get at 0"},
        {SETC16(47, 1), false, TS_STOP_FAULT, TS_NOT_IMPLEMENTED, "ADDR_MOD_BIAS"},
        {SETC16(68, 1), false, TS_STOP_FAULT, TS_CONTRACT, "no such"},
        {ATRELM(0), false, TS_STOP_DONE, TS_OK, "does not hold"},
        {ATGETM(1), false, TS_STOP_DEADLOCK, TS_OK, NULL},
    };
    struct rig *rig = rig_new();
    rig->tensix.strict = cases[_i].strict;
    rig_program(rig, 0, &cases[_i].word, 1);
    struct ts_run run = rig_run(rig, 1000);
    ck_assert_int_eq(run.stop, cases[_i].stop);
    ck_assert_int_eq(run.error.code, cases[_i].code);
    if (cases[_i].text) {
        const char *said = run.stop == TS_STOP_FAULT ? run.error.text : rig->report;
        ck_assert_msg(strstr(said, cases[_i].text) != NULL, "said: %s", said);
    }
    rig_free(rig);
}
END_TEST

// Auto TTSync: a core's store waits for words on the way that read what it changes.
START_TEST(auto_ttsync)
{
    static const uint32_t words[] = {
        SETC16(56, 0x1f), STALLWAIT(0x1ff, 0x1), DMANOP, DMANOP, DMANOP, DMANOP, DMANOP,
        DMANOP,           WRCFG(4, 0, 12),
    };
    struct rig *rig = rig_new();
    rig_program(rig, 0, words, COUNT(words));
    struct ts_error error = {0};
    ck_assert_int_eq(ts_kernel_elaborate(rig->kernel, &error), TS_OK);
    ts_kernel_run(rig->kernel, 11);
    struct ts_hold hold;
    // WRCFG is pushed and has not passed: it reads GPRs and writes Config[0].
    ck_assert(!ts_frontend_untracked(&rig->front[0], TS_TRACK_GPR, true, &hold) &&
              hold.reason == TS_STALL_TTSYNC);
    ck_assert(ts_frontend_untracked(&rig->front[0], TS_TRACK_GPR, false, &hold));
    ck_assert(!ts_frontend_untracked(&rig->front[0], TS_TRACK_CFG0, false, &hold) &&
              hold.reason == TS_STALL_TTSYNC);
    ck_assert(ts_frontend_untracked(&rig->front[0], TS_TRACK_CFG1, true, &hold));
    ck_assert(ts_frontend_untracked(&rig->front[1], TS_TRACK_GPR, true, &hold));
    ts_kernel_run(rig->kernel, 1000);
    ck_assert(ts_frontend_untracked(&rig->front[0], 0xff, true, &hold));
    rig_free(rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, issue_rates_as_on_silicon, 0, COUNT(rates));
    tcase_add_test(tests, stallwait_pair);
    tcase_add_test(tests, push_back_pressure);
    tcase_add_test(tests, mop_and_replay_in_time);
    tcase_add_test(tests, mop_transition_penalty);
    tcase_add_test(tests, brisc_wins_the_mux);
    tcase_add_loop_test(tests, bad_words, 0, 13);
    tcase_add_test(tests, auto_ttsync);
}

SUITE("front end", add_tests)
