// tensim run --explore of kernels as recordings have them: reduction against exhaustive search of damaged
// ones, and how long the search of correct ones is.
#include "tests/study/explore/programs.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

// A kernel as a recording has it: reader, unpack, math, pack, writer. Some operations are missing,
// doubled or in the wrong order.
static const struct {
    const char *name, *init, *round;
} kernel_threads[] = {
    {"brisc", "", "cb_reserve_back: in|cb_push_back: in"},
    {"trisc0", "",
     "cb_wait_front: in|until: {semaphore: u, below: 2}|post: u|issue: 4|cb_take: in|issue: 1"},
    {"T0", "",
     "STALLWAIT wait_res=unpack0+unpack1 stall_res=unpack|UNPACR set_dat_valid=1|"
     "UNPACR unpack_block_selection=1 set_dat_valid=1|SEMGET sem_sel=u|cb_return: in"},
    {"T1", "SEMINIT sem_sel=mp max_value=2 init_value=0",
     "SEMWAIT sem_sel=mp wait_sem_cond=max stall_res=sync+math|MVMUL|SETRWC clear_ab_vld=3|"
     "SEMPOST sem_sel=mp"},
    {"trisc2", "", "cb_reserve_back: out|cb_claim: out|issue: 4|drain: 2"},
    {"T2", "",
     "SEMWAIT sem_sel=mp wait_sem_cond=zero stall_res=sync+pack|PACR|SEMGET sem_sel=mp|"
     "cb_publish: out"},
    {"ncrisc", "", "cb_wait_front: out|cb_pop_front: out"},
};

static void kernel_round(struct random *r, unsigned odd, const char *round, FILE *out)
{
    char text[300], *save = NULL, *held = NULL;
    snprintf(text, sizeof text, "%s", round);
    for (char *op = strtok_r(text, "|", &save); op; op = strtok_r(NULL, "|", &save)) {
        unsigned what = odd ? draw(r, odd) : 9;
        if (what == 0) // missing
            continue;
        if (what == 1 && held == NULL) { // later
            held = op;
            continue;
        }
        fprintf(out, "    - %s\n", op);
        if (what == 2)
            fprintf(out, "    - %s\n", op);
        if (held)
            fprintf(out, "    - %s\n", held);
        held = NULL;
    }
    if (held)
        fprintf(out, "    - %s\n", held);
}

static char *random_kernel(uint64_t seed, unsigned rounds, unsigned odd)
{
    struct random r = {seed * 0x9e3779b97f4a7c15u + 1};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    unsigned leave_out = odd ? draw(&r, 10) : 10;
    for (int i = 0; i < 4; i++)
        draw(&r, 2);
    fprintf(out, "semaphores: {u: {value: 0, max: 2}, mp: {value: 0, max: 2}}\n"
                 "buffers: {in: {pages: 1}, out: {pages: 1}}\ncores:\n");
    for (unsigned t = 0; t < sizeof kernel_threads / sizeof *kernel_threads; t++) {
        fprintf(out, "  %s:\n", kernel_threads[t].name);
        bool has = false;
        if (kernel_threads[t].init[0])
            fprintf(out, "    - %s\n", kernel_threads[t].init);
        for (unsigned i = 0; i < rounds && t != leave_out; i++, has = true)
            kernel_round(&r, odd, kernel_threads[t].round, out);
        if (!has)
            fprintf(out, "    - %s\n",
                    kernel_threads[t].name[0] == 'T' ? "INCRWC"
                                                     : "until: {semaphore: u, at_least: 0}");
    }
    fclose(out);
    return text;
}

// Verdict, number of deadlocks and ends, length of the shortest way and lost operations do not
// depend on the reduction.
START_TEST(damaged)
{
    unsigned deadlocks = 0, lost = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        char *text = random_kernel(seed, 2, 12 + 12 * (unsigned)(seed % 8));
        parse(text);
        struct ts_explore_result full = search(true, true), less = search(false, true);
        ck_assert_msg(full.code == less.code && full.deadlocks == less.deadlocks &&
                          full.ends == less.ends && full.steps == less.steps,
                      "seed %d: %d %d\n%s", (int)seed, (int)full.deadlocks, (int)less.deadlocks,
                      text);
        for (unsigned t = 0; t < program.threads; t++)
            for (unsigned i = 0; i < program.thread[t].count; i++)
                for (unsigned k = 0; k < TS_LOST_KINDS; k++) {
                    ck_assert_msg(!full.lost[t][i][k] == !less.lost[t][i][k], "seed %d:\n%s",
                                  (int)seed, text);
                    lost += full.lost[t][i][k] != 0;
                }
        deadlocks += full.code == TS_HANG;
        ts_explore_result_free(&full);
        ts_explore_result_free(&less);
        free(text);
    }
    ck_assert_uint_gt(deadlocks, 20);
    ck_assert_uint_lt(deadlocks, 118);
    ck_assert_uint_gt(lost, 20);
}
END_TEST

// A correct kernel has one way up to the order of independent steps: the search is as long as the
// program, so thousands of rounds are proved in no time.
START_TEST(long_kernel)
{
    char *text = random_kernel(1, 2000, 0);
    parse(text);
    free(text);
    unsigned total = 1;
    for (unsigned t = 0; t < program.threads; t++)
        total += program.thread[t].count;
    struct ts_explore_result result = search(false, true);
    ck_assert_int_eq(result.code, TS_OK);
    ck_assert_uint_eq(result.states, total + 2 * 2000); // each bank is handed over in a step
    for (unsigned t = 0; t < program.threads; t++)
        for (unsigned i = 0; i < program.thread[t].count; i++)
            for (unsigned k = 0; k < TS_LOST_KINDS; k++)
                ck_assert_uint_eq(result.lost[t][i][k], 0);
    ts_explore_result_free(&result);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, damaged);
    tcase_add_test(tests, long_kernel);
}

SUITE("explore_kernels", add_tests)
