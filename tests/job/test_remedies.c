// Counter-measures as parameters of programs: what they change, exactly, and what is refused.
#include "platform/lib/inside.h"
#include "platform/run/plan/launch.h"
#include "tests/suite.h"

#include <string.h>

struct outcome {
    uint64_t cycles, mvmuls, nops;
    ts_cycle first[4]; // begin of the first kernel of each core
    uint32_t x[4], y[4];
};

// A matmul on a few cores, with one setting more.
static struct outcome run(const char *cores, bool exact, const char *setting)
{
    const char *settings[7] = {cores,     "m=128",         "n=128", "k=256",
                               "from=l1", "fidelity=lofi", setting};
    struct tensim_config config;
    struct tensim_error error;
    tensim_config_init(&config);
    config.timing_only = config.no_expect = true;
    config.step_by_step = exact;
    struct tensim *sim = tensim_new_program("matmul-reuse", settings, 7, &config, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, TENSIM_FOREVER, &error) == TENSIM_OK, "%s", error.text);
    const struct ts_work *work = sim->work;
    struct outcome to = {
        work->verdict.cycles, work->verdict.mvmuls, work->verdict.nops, {0}, {0}, {0}};
    for (uint32_t i = 0; i < work->program->count && i < 4; i++) {
        const struct ts_launch_core *core = &work->program->cores[i];
        to.first[i] = TS_NEVER;
        for (size_t e = 0; e < core->event_count; e++)
            if (core->events[e].cycle < to.first[i])
                to.first[i] = core->events[e].cycle;
        to.x[i] = core->core->at.x, to.y[i] = core->core->at.y;
    }
    tensim_free(sim);
    return to;
}

#define ONE "cores=0,0"
// A sample takes every sixth row of a table: each has kernels of its own to compile.
#define STEP (suite_every_case() ? 1 : 6)

// Levels by parameter: NOPs for each MVMUL.
START_TEST(levels)
{
    static const struct {
        const char *setting;
        unsigned nops; // for 16 MVMULs
    } rows[] = {{"throttle=0", 0},  {"throttle=1", 6},  {"throttle=2", 8}, {"throttle=3", 16},
                {"throttle=4", 24}, {"throttle=5", 32}, {"flip=1", 32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += STEP) {
        const struct outcome got = run(ONE, false, rows[i].setting);
        ck_assert_uint_eq(got.mvmuls, 4 * 4 * 8 * 16);
        ck_assert_uint_eq(got.nops, got.mvmuls / 16 * rows[i].nops);
    }
}
END_TEST

static uint64_t nops_at(unsigned cycle, bool exact)
{
    char flip[40];
    snprintf(flip, sizeof flip, "flip=%u", cycle);
    return run(ONE, exact, flip).nops;
}

// The word is seen at the next block: there is one cycle from which on it comes a block too late, and that block has all its
// products without NOPs. Step by step has the same cycle.
START_TEST(word_at_the_next_block)
{
    const uint64_t all = run(ONE, false, "seed=1").cycles;
    unsigned low = (unsigned)all / 3, high = (unsigned)all / 3 * 2; // between two blocks somewhere
    const uint64_t early = nops_at(low, false);
    ck_assert_uint_gt(early, nops_at(high, false));
    while (high - low > 1) {
        const unsigned middle = low + (high - low) / 2;
        *(nops_at(middle, false) == early ? &low : &high) = middle;
    }
    const uint64_t late = nops_at(high, false);
    const uint64_t block = 16 * 2 * 8; // NOPs at level 5 of a step of a sub-block of 2 x 4 tiles
    ck_assert_msg(early - late == block, "%llu NOPs between cycles %u and %u",
                  (unsigned long long)(early - late), low, high);
    ck_assert_uint_eq(nops_at(low, true), early);
    ck_assert_uint_eq(nops_at(high, true), late);
    // And back: the word counts up.
    char there_and_back[60];
    snprintf(there_and_back, sizeof there_and_back, "flip=1:5+%u:0", low);
    const uint64_t back = run(ONE, false, there_and_back).nops;
    ck_assert(back > 0 && back < 2048 * 2);
}
END_TEST

// Kernels of a core start at their cycle: as late as asked for, to the cycle (all poll the clock in the same rhythm).
START_TEST(wave)
{
    static const struct {
        const char *setting;
        unsigned x, y; // cycles for each column and row
    } rows[] = {{"wave=1200", 1200, 1200},
                {"wave=600:rows", 0, 600},
                {"wave=600:columns", 600, 0},
                {"wave=0", 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += STEP) {
        const struct outcome got = run("cores=2x2", false, rows[i].setting);
        ts_cycle origin = 0;
        for (unsigned k = 0; k < 4; k++)
            if (got.x[k] + got.y[k] == 0)
                origin = got.first[k];
        for (unsigned k = 0; k < 4; k++) {
            const ts_cycle want = origin + got.x[k] * rows[i].x + got.y[k] * rows[i].y;
            const ts_cycle off = got.first[k] > want ? got.first[k] - want : want - got.first[k];
            ck_assert_msg(off <= 16, "%s: core %u,%u starts %lld cycles off", rows[i].setting,
                          got.x[k], got.y[k], (long long)(got.first[k] - want));
        }
    }
}
END_TEST

// Odd rows wait; 1,000 cycles more make the run 1,000 cycles longer, once or for each wait.
START_TEST(stagger)
{
    static const struct {
        const char *less, *more;
        const char *cores;
        unsigned times;
    } rows[] = {{"stagger=first:5000", "stagger=first:6000", "cores=1x2", 1},
                {"stagger=first:5000:rows", "stagger=first:6000:rows", "cores=1x2", 1},
                {"stagger=first:5000:columns", "stagger=first:6000:columns", "cores=1x2", 0},
                {"stagger=first:5000:columns", "stagger=first:6000:columns", "cores=2x1", 1},
                {"stagger=every:5000", "stagger=every:6000", "cores=1x2", 2},
                {"stagger=20th:5000", "stagger=20th:6000", "cores=1x2", 1},
                {"stagger=first:5000", "stagger=first:6000", ONE, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += STEP) {
        const uint64_t less = run(rows[i].cores, false, rows[i].less).cycles,
                       more = run(rows[i].cores, false, rows[i].more).cycles;
        ck_assert_msg(more >= less + 1000 * rows[i].times - 16 * rows[i].times &&
                          more <= less + 1000 * rows[i].times + 16 * rows[i].times,
                      "%s: %llu, then %llu cycles", rows[i].more, (unsigned long long)less,
                      (unsigned long long)more);
    }
}
END_TEST

START_TEST(nops)
{
    static const struct {
        const char *setting;
        uint64_t nops;
    } rows[] = {{"nops_after=128:75", 2048 / 128 * 75},
                {"nops_after=16:1", 128},
                {"nops_after=128:0", 0},
                {"nops_after=1024:1100", 2200},
                {"nops_before=10", 16 * 10},
                {"nops_before=0", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i += STEP) {
        const struct outcome got = run(ONE, false, rows[i].setting);
        ck_assert_msg(got.nops == rows[i].nops, "%s: %llu NOPs", rows[i].setting,
                      (unsigned long long)got.nops);
    }
}
END_TEST

// Refused, each with what is wrong.
START_TEST(refused)
{
    static const struct {
        const char *program, *setting, *text;
    } rows[] = {
        {"matmul-2d", "throttle=6", "6 is not a whole number from 0 to 5"},
        {"matmul", "throttle=6", "not LEVEL from 0 to 5"},
        {"matmul", "throttle=x", "not LEVEL from 0 to 5"},
        {"matmul-2d", "flip=0", "is not CYCLE[:LEVEL]"},
        {"matmul-2d", "flip=9+5", "in the order of their cycles"},
        {"matmul-2d", "flip=5:2", "LEVEL is 5 or that of the kernels, 0"},
        {"matmul-2d", "stagger=every", "not first|every|20th:CYCLES"},
        {"matmul-2d", "stagger=4:100", "not first|every|20th:CYCLES"},
        {"matmul-2d", "stagger=first:0", "not first|every|20th:CYCLES"},
        {"matmul-2d", "stagger=first:10:tiles", "not first|every|20th:CYCLES"},
        {"matmul-2d", "stagger=first:10:chips", "it runs on one chip"},
        {"chips-matmul", "stagger=every:10:chips", "chips wait at their start"},
        {"matmul-2d", "wave=-1", "not CYCLES"},
        {"matmul-2d", "wave=5:up", "not CYCLES"},
        {"matmul-2d", "nops_after=100:5", "a multiple of 16"},
        {"matmul-2d", "nops_after=128", "not MVMULS:NOPS"},
        {"matmul-2d", "nops_before=1e3", "not NOPS"},
        {"matmul-2d", "nops_before=1000000", "not NOPS"},
        {"eltwise", "throttle=1", "none of its kernels calls the kernel API's matmul"},
        {"eltwise", "nops_before=1", "none of its kernels calls the kernel API's matmul"},
        {"sfpu", "stagger=first:10", "waits for buffer 1"},
        {"matmul", "flip=10", "calls matmul_block"},
        {"reader-writer", "throttle=1", "no compute kernel"},
        {"llk/matmul", "stagger=first:10", "has no parameter 'stagger'"},
        {"matmul-2d", "staggers=1", "no such parameter"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *settings[] = {rows[i].setting};
        struct tensim_error error = {0};
        struct tensim *sim = tensim_new_program(rows[i].program, settings, 1, NULL, &error);
        ck_assert_msg(sim == NULL && strstr(error.text, rows[i].text), "%s -p %s: %s",
                      rows[i].program, rows[i].setting, sim ? "taken" : error.text);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, levels);
    tcase_add_test(tests, word_at_the_next_block);
    tcase_add_test(tests, wave);
    tcase_add_test(tests, stagger);
    tcase_add_test(tests, nops);
    tcase_add_test(tests, refused);
}

SUITE("remedies", add_tests)
