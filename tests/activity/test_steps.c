// Steps of activity: square waves (on n cycles, off m, on k tiles, each s later than the one before) have the figures that the
// definitions of steps.h give, by formulas and by sums term by term.
#include "platform/activity/steps.h"
#include "platform/kernel/domain.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <math.h>
#include <string.h>

#define START 1000
#define MOST  16384 // cycles

static const struct wave {
    unsigned on, off, tiles, stagger, periods, mhz;
} waves[] = {
    {1, 1, 1, 0, 50, 1000},     {1, 2, 8, 0, 40, 1000},    {16, 16, 4, 0, 20, 1350},
    {16, 4, 10, 0, 20, 1350},   {3, 1, 16, 0, 64, 100},    {2, 1, 16, 0, 64, 100},
    {128, 11, 2, 0, 12, 100},   {100, 300, 5, 0, 5, 100},  {100, 300, 5, 7, 5, 100},
    {100, 300, 5, 100, 5, 100}, {64, 64, 2, 64, 10, 100},  {64, 64, 2, 32, 10, 100},
    {16, 32, 3, 16, 30, 1350},  {500, 500, 20, 1, 3, 100}, {500, 500, 20, 25, 3, 100},
    {1, 63, 64, 1, 8, 100},     {40, 1000, 7, 3, 4, 800},  {33, 31, 9, 5, 11, 1200},
    {5000, 0, 3, 0, 1, 1350},   {1, 255, 4, 0, 6, 1350},   {1, 256, 4, 0, 6, 1350},
};

static ts_step rests(struct probe *self, ts_cycle now)
{
    return ts_idle(&self->base, now);
}

static ts_step ends(struct probe *self, ts_cycle now)
{
    return now < MOST ? MOST - now : ts_finish(&self->base, now);
}

static int a[MOST];

// Sum of A over [from, to), which may lie outside.
static int64_t sum(int64_t from, int64_t to)
{
    int64_t sum = 0;
    for (int64_t t = from < 0 ? 0 : from; t < to && t < MOST; t++)
        sum += a[t];
    return sum;
}

static void compare_by_terms(const struct ts_activity_steps *steps, int tiles)
{
    for (unsigned i = 0; i < TS_STEPS_LENGTHS; i++) {
        const int64_t w = (int64_t)steps->rise[i].cycles, n = tiles;
        int64_t rise = 0, fall = 0, transitions = 0;
        bool open = false;
        if (w > 2000)
            continue;
        for (int64_t t = (int64_t)steps->from - w; t <= (int64_t)steps->to + w; t++) {
            const int64_t before = sum(t - w, t), behind = sum(t, t + w);
            const bool steep = 10 * before < n * w && 10 * behind > 6 * n * w;
            rise = behind - before > rise ? behind - before : rise;
            fall = before - behind > fall ? before - behind : fall;
            transitions += steep && !open;
            open = steep;
        }
        ck_assert_int_eq(steps->rise[i].sum, rise);
        ck_assert_int_eq(steps->fall[i].sum, fall);
        ck_assert_int_eq((int64_t)steps->transitions[i], transitions);
    }
}

START_TEST(square_wave)
{
    const struct wave *wave = &waves[_i];
    const unsigned period = wave->on + wave->off;
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct probe *units[64];
    for (unsigned i = 0; i < wave->tiles; i++) {
        struct ts_domain *domain = ts_domain_new(kernel, "tile[%u-2]", i);
        units[i] = probe_new(domain, rests, "matrix");
        if (i == 0)
            probe_new(domain, ends, "clock");
    }
    kit_elaborate(kernel);
    struct ts_activity *activity = ts_activity_new(kernel);
    ck_assert_ptr_nonnull(activity);
    memset(a, 0, sizeof a);
    for (unsigned i = 0; i < wave->tiles; i++)
        for (unsigned p = 0; p < wave->periods; p++) {
            const ts_cycle from = START + i * wave->stagger + p * period;
            ts_trace_busy_part(&units[i]->base.object, 1, from, wave->on);
            for (unsigned t = 0; t < wave->on; t++)
                a[from + t]++;
        }
    ts_kernel_run(kernel, TS_NEVER);
    ck_assert(ts_activity_stop(activity));
    struct ts_activity_steps steps;
    ck_assert(ts_activity_steps_make(&steps, activity, wave->mhz));
    const unsigned n = wave->tiles, last = (n - 1) * wave->stagger;
    const uint64_t mvmuls = (uint64_t)n * wave->on * wave->periods;
    ck_assert_uint_eq(steps.used, n);
    ck_assert_uint_eq(steps.chip, n);
    ck_assert_uint_eq(steps.mvmuls, mvmuls);
    ck_assert_uint_eq(ts_activity_sum(activity, TS_ACTIVITY_ALL, TS_ACTIVITY_MATRIX, 0, MOST),
                      mvmuls);
    ck_assert_uint_eq(steps.from, START);
    ck_assert_uint_eq(steps.to, START + last + wave->periods * period - wave->off);
    ck_assert_uint_eq(steps.run, wave->on);
    ck_assert_uint_eq(steps.gap, wave->periods > 1 ? wave->off : 0);
    ck_assert_uint_eq(steps.blocks, wave->off >= TS_STEPS_BLOCK ? wave->periods : 1);
    ck_assert_uint_eq(steps.spread, last);
    ck_assert_double_eq_tol(steps.deviation, wave->stagger * sqrt((n * (double)n - 1) / 12), 1e-9);
    if (wave->stagger == 0) { // in lock-step
        ck_assert_int_eq(steps.rise[0].sum, steps.rise[0].cycles == 1 ? n : steps.rise[0].sum);
        ck_assert_uint_eq(steps.rise[0].at, START);
        ck_assert_uint_eq(steps.rise[0].tiles, n);
        ck_assert_uint_eq(steps.idle, wave->periods > 1 ? wave->off : 0);
        ck_assert_uint_eq(steps.most, n);
        ck_assert_uint_eq(steps.transitions[0], wave->periods);
    }
    compare_by_terms(&steps, (int)n);
    uint64_t bins[MOST / 8], total = 0;
    for (ts_cycle bin = 8; bin <= 512; bin *= 8) {
        ts_activity_series(activity, TS_ACTIVITY_ALL, TS_ACTIVITY_MATRIX, 0, MOST, bin, bins);
        for (total = 0; total < MOST / bin; total++)
            ck_assert_int_eq((int64_t)bins[total],
                             sum((int64_t)(total * bin), (int64_t)((total + 1) * bin)));
    }
    ts_activity_free(activity);
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, square_wave, 0, sizeof waves / sizeof *waves);
}

SUITE("steps", add_tests)
