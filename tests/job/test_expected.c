// The expected error of a kernel: no run exceeds it, it is not far above, and a run that exceeds it
// is reported; the start of a run in the cores' accounts.
#include "platform/run/work.h"
#include "tests/job/kernel.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *kernel, *options; // name=value, separated by blanks
} runs[] = {
    {"matmul", "fidelity=lofi"},
    {"matmul", "fidelity=hifi2 k=512"},
    {"matmul", "fidelity=hifi4 k=1024"},
    {"matmul", "fidelity=hifi4 k=1024 format=bfp4"},
    {"matmul", "fidelity=hifi4 k=512 dst=32 out-format=fp32"},
    {"matmul", "fidelity=hifi2 k=512 dst=32"},
    {"matmul", "fidelity=hifi3 format=fp32 dst=32 out-format=fp32"},
    {"matmul", "fidelity=lofi format=tf32 k=512"},
    {"matmul", "fidelity=hifi4 format=fp16 k=512"},
    {"matmul", "fidelity=lofi format=bfp8 k=512"},
    {"matmul", "fidelity=hifi4 out-format=bfp8"},
    {"matmul", "fidelity=hifi4 dst=32 out-format=fp8"},
    {"matmul", "fidelity=hifi4 k=512 blocks=4 mean=10"},
    {"matmul", "format=int8"},
    {"eltwise", "op=add"},
    {"eltwise", "op=mul fidelity=lofi"},
    {"eltwise", "op=mul fidelity=hifi4 dst=32"},
    {"sfpu", "op=copy"},
    {"sfpu", "op=gelu"},
    {"sfpu", "op=exp format=fp32 dst=32"},
    {"reduce", "op=sum fidelity=hifi4"},
    {"reduce", "op=max"},
    {"transpose", "format=bfp8"},
    {"norm", "op=softmax fidelity=hifi4"},
    {"norm", "op=rmsnorm fidelity=lofi"},
    {"tilize", "out-format=bfp8"},
    {"untilize", "format=fp32"},
};

static const char *text_of(const char *kernel, const char *options)
{
    static char text[200];
    snprintf(text, sizeof text, "%s m=64 n=64 %s", kernel, options);
    return text;
}

static struct ts_numbers numbers_of(const char *kernel, const char *options)
{
    return kernel_numbers(text_of(kernel, options));
}

START_TEST(runs_are_as_expected)
{
    const struct ts_numbers spec = numbers_of(runs[_i].kernel, runs[_i].options);
    struct ts_job_result result;
    ck_assert_msg(
        kernel_try(NULL, text_of(runs[_i].kernel, runs[_i].options), 100000000, &result) &&
            result.code == TS_OK,
        "%s", result.text);
    double error = result.agreement.rel_l2, most = ts_expected_error(&spec);
    char text[128];
    ts_expected_text(&spec, error, text, sizeof text);
    ck_assert_msg(error <= most && strstr(text, "larger") == NULL, "%s %s: %g above %g: %s",
                  runs[_i].kernel, runs[_i].options, error, most, text);
    if (strcmp(runs[_i].kernel, "matmul") == 0)
        ck_assert_msg(most <= 8 * error, "%s: %g far above %g", runs[_i].options, most, error);
}
END_TEST

START_TEST(judgements)
{
    struct ts_numbers spec = numbers_of("matmul", "fidelity=hifi4 k=512");
    char text[128];
    ts_expected_text(&spec, 0.015, text, sizeof text);
    ck_assert_str_eq(text, "expected for HiFi4 with 16-bit Dst");
    ts_expected_text(&spec, 0.15, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "larger than expected for HiFi4 with 16-bit Dst: at most"));
    ts_expected_text(&spec, 0, text, sizeof text);
    ck_assert_str_eq(text, "exact");
    ts_expected_text(&spec, NAN, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "no measure"));
    // The same error is too much for a wide Dst.
    spec = numbers_of("matmul", "fidelity=hifi4 k=512 dst=32");
    ts_expected_text(&spec, 0.015, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "larger than expected for HiFi4 with 32-bit Dst"));
    spec = numbers_of("sfpu", "op=gelu");
    ts_expected_text(&spec, 1e-3, text, sizeof text);
    ck_assert_str_eq(text, "expected for bf16 with 16-bit Dst");
}
END_TEST

// The parts of an expected error, by arithmetic: products (config/fidelity_error.def), sums, the result's format, and half of
// it all as a margin.
static void expect_error(const char *kernel, const char *options, double parts)
{
    const struct ts_numbers spec = numbers_of(kernel, options);
    const double most = ts_expected_error(&spec);
    ck_assert_msg(fabs(most - 1.5 * parts) < 1e-6 * parts, "%s %s: %g instead of %g", kernel,
                  options, most, 1.5 * parts);
}

START_TEST(errors_by_arithmetic)
{
    const double bf16 = 0.43 / 256, fp32 = 0.43 / (1 << 24), fp16 = 0.43 / 2048;
    const double bfp8 = 1.0 / 32 / sqrt(12);
    expect_error("matmul", "fidelity=lofi k=512", 2.53e-2 + 4e-3 + 3e-5 * 512 + bf16);
    expect_error("matmul", "fidelity=hifi4 k=1024", 4e-3 + 3e-5 * 1024 + bf16);
    expect_error("matmul", "fidelity=hifi2 dst=32 k=64", 3.86e-3 + 4e-4 + bf16);
    expect_error("matmul", "fidelity=hifi4 dst=32 out-format=fp32", 4e-4 + fp32);
    expect_error("matmul", "fidelity=hifi4 dst=32 out-format=bfp8", 4e-4 + bfp8);
    expect_error("eltwise", "op=add", 4e-3 + 3e-5 + bf16);
    expect_error("eltwise", "op=mul fidelity=hifi2", 3.86e-3 + 4e-3 + 2 * 3e-5 + bf16);
    expect_error("sfpu", "op=exp", 5e-3 + bf16);
    expect_error("sfpu", "op=copy", bf16);
    struct ts_numbers spec = numbers_of("matmul", "format=fp16 fidelity=hifi4 k=32");
    const double sum = 5.1e-4 + (4e-3 + 3e-5 * 32) / 8; // three more bits than BF16
    spec.out_format = TS_DF_FP16;
    ck_assert(fabs(ts_expected_error(&spec) - 1.5 * (sum + fp16)) < 1e-4 * sum);
    spec.out_format = TS_DF_BF16; // cut, not rounded
    ck_assert(fabs(ts_expected_error(&spec) - 1.5 * (sum + 2 * bf16)) < 1e-4 * sum);
    // Rows that are compared end to end: whole tiles of at most 2^23 products.
    spec = numbers_of("matmul", "k=64");
    spec.rows = 4096, spec.inner = 512 * 256;
    ck_assert_uint_eq(ts_end_to_end_rows(&spec), 64);
    spec.inner = 500 * 256;
    ck_assert_uint_eq(ts_end_to_end_rows(&spec), 64);
    spec.inner = 4096 * 4096;
    ck_assert_uint_eq(ts_end_to_end_rows(&spec), 32);
    spec.rows = 32, spec.inner = 64 * 64;
    ck_assert_uint_eq(ts_end_to_end_rows(&spec), 32);
}
END_TEST

// A core's first access of local RAM waits for its clearing: booked as that, not as a conflict in the
// load/store unit, and the same whether cores run ahead or not.
START_TEST(clearing_of_local_ram)
{
    uint64_t seen[2][TS_RV_CORES];
    for (int ahead = 0; ahead < 2; ahead++) {
        struct ts_tile_config config = ts_tile_config_default();
        struct kernel_run self;
        config.run_ahead = config.park = ahead;
        ck_assert_msg(kernel_build(&self, &config, text_of("matmul", "k=64")) &&
                          kernel_start(&self),
                      "%s", self.error.text);
        struct ts_run run = ts_work_run(self.work, 1000000);
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            struct ts_account account = ts_component_account(&self.job->tile->cores[core].component,
                                                             run.cycle);
            seen[ahead][core] = account.lost[TS_STALL_RV_LOCAL_CLEAR];
            ck_assert_uint_gt(seen[ahead][core], 1500);
            ck_assert_uint_lt(account.lost[TS_STALL_RV_LOAD_STORE], 500);
        }
        kernel_free(&self);
    }
    ck_assert_mem_eq(seen[0], seen[1], sizeof seen[0]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, runs_are_as_expected, 0, sizeof runs / sizeof *runs);
    tcase_add_test(tests, judgements);
    tcase_add_test(tests, errors_by_arithmetic);
    tcase_add_test(tests, clearing_of_local_ram);
}

SUITE("expected", add_tests)
