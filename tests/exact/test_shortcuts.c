// Walks shortcuts.def: with the corner inside a shortcut gives the same as step by step, with the corner
// outside the run is the same or refused.
#include "tests/exact/fuzz.h"
#include "tests/suite.h"

#include <string.h>

enum answer { OFF, REFUSED, HOLDS };

static const struct {
    const char *parameter;
    long inside, outside;
    enum answer answer;
} rows[] = {
#define SHORTCUT(parameter, inside, outside, answer, reason) {parameter, inside, outside, answer},
#include "tests/exact/shortcuts.def"
};

static struct fuzz_result run(const char *parameter, long value, const char *kernel, ts_cycle cut)
{
    static struct fuzz_case it;
    struct fuzz_result result;
    it = (struct fuzz_case){.threads = 1, .timing_only = true, .cut = cut};
    snprintf(it.kernel, sizeof it.kernel, "%s", kernel);
    snprintf(it.settings[it.setting_count++], sizeof it.settings[0], "m=64");
    snprintf(it.settings[it.setting_count++], sizeof it.settings[0], "n=64");
    if (strcmp(kernel, "matmul") == 0)
        snprintf(it.settings[it.setting_count++], sizeof it.settings[0], "grid=2x2");
    snprintf(it.params[it.param_count++], sizeof it.params[0], "%s=%ld", parameter, value);
    fuzz_compare(&it, NULL, &result);
    return result;
}

START_TEST(row_holds)
{
    static const char *const one_tile[] = {"eltwise", "norm", NULL}, *const tiles[] = {"matmul",
                                                                                       NULL};
    const char *const *kernels = strncmp(rows[_i].parameter, "noc.", 4) == 0 ? tiles : one_tile;
    for (unsigned k = 0; kernels[k]; k++) {
        struct fuzz_result in = run(rows[_i].parameter, rows[_i].inside, kernels[k], 0);
        ck_assert_msg(in.verdict == FUZZ_SAME, "%s=%ld: %s", rows[_i].parameter, rows[_i].inside,
                      in.text);
        struct fuzz_result out = run(rows[_i].parameter, rows[_i].outside, kernels[k], 0);
        ck_assert_msg(out.verdict == (rows[_i].answer == REFUSED ? FUZZ_REFUSED : FUZZ_SAME),
                      "%s=%ld: %s", rows[_i].parameter, rows[_i].outside, out.text);
        if (rows[_i].answer != REFUSED) {
            out = run(rows[_i].parameter, rows[_i].outside, kernels[k], 9000);
            ck_assert_msg(out.verdict == FUZZ_SAME, "%s=%ld to cycle 9000: %s", rows[_i].parameter,
                          rows[_i].outside, out.text);
        }
    }
}
END_TEST

// A value that is cut to fewer bits is wrong both ways: a longer latency must not make a run shorter.
START_TEST(latency_is_not_cut)
{
    struct fuzz_result in = run("tensix.matrix_latency", 255, "norm", 0),
                       out = run("tensix.matrix_latency", 400, "norm", 0);
    ck_assert_uint_gt(in.cycles, 0);
    ck_assert_uint_gt(out.cycles, in.cycles);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, latency_is_not_cut);
    tcase_add_loop_test(tests, row_holds, 0, sizeof rows / sizeof *rows);
}

SUITE("shortcuts", add_tests)
