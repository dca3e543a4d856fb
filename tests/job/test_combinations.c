// Every kernel with every format of operands and result and both widths of Dst: it runs, with an
// error that these formats explain, or it is refused with a reason before anything runs.
#include "platform/run/work.h"
#include "platform/tensim.h"
#include "tests/job/kernel.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define LIMIT UINT64_C(1000000)

static const struct {
    const char *kernel, *options; // name=value, separated by blanks
    unsigned run;                 // combinations that run; the others are refused
} rows[] = {
    {"matmul", "k=32", 267},
    {"matmul", "k=64 blocks=2", 264},
    {"matmul", "k=64 transpose=in1 blocks=2", 264},
    {"matmul", "k=64 transpose=in1 sub-block=1x1 throttle=5 fidelity=hifi4", 267},
    {"matmul", "k=64 tile=16x32", 267},
    {"matmul", "k=64 tile=32x16 fidelity=hifi4", 267},
    {"matmul", "k=64 tile=16x16 sub-block=2x1", 267},
    {"matmul_seed", "k=32", 264},
    {"matmul_tiles", "k=64 fidelity=hifi4", 264},
    {"eltwise", "op=add", 267},
    {"eltwise", "op=sub broadcast=row", 267},
    {"eltwise", "op=mul fidelity=hifi4", 267},
    {"eltwise", "op=add tile=16x32 broadcast=col", 267},
    {"eltwise", "op=mul fidelity=hifi4 tile=32x16 broadcast=scalar", 267},
    {"eltwise", "op=sub tile=16x16 broadcast=row", 267},
    {"sfpu", "op=copy", 146},
    {"sfpu", "op=copy unpack-to-dst=1", 14},
    {"sfpu", "op=exp unpack-to-dst=1", 12},
    {"sfpu", "op=relu", 144},
    {"sfpu", "op=relu tile=16x32", 144},
    {"sfpu", "op=copy tile=32x16", 146},
    {"sfpu", "op=exp tile=16x16", 144},
    {"sfpu", "op=exp", 144},
    {"reduce", "op=sum fidelity=hifi4", 267},
    {"reduce", "op=max", 207},
    {"reduce", "op=sum fidelity=hifi4 tile=32x16", 267},
    {"reduce", "op=max tile=16x32", 207},
    {"reduce", "op=sum fidelity=hifi4 tile=16x16", 267},
    {"transpose", "tile=16x32", 149},
    {"transpose", "tile=32x16", 149},
    {"transpose", "tile=16x16", 149},
    {"transpose", "", 149},
    {"tilize", "", 26},
    {"untilize", "", 32},
    {"norm", "op=softmax fidelity=hifi4", 2},
    {"norm", "op=rmsnorm", 2},
};

static const char *const formats[] = {"fp32",  "tf32",  "fp16",  "bf16", "bfp8", "bfp4",  "bfp2",
                                      "bfp8a", "bfp4a", "bfp2a", "fp8",  "int8", "int16", "int32"};
#define FORMATS (sizeof formats / sizeof *formats)

// A sample has every row with all operands and both widths of Dst, and one of STEP results for each:
// another one in each row.
#define STEP 15u
static bool is_taken(unsigned row, unsigned in, unsigned dst, unsigned out)
{
    return suite_every_case() || (out + FORMATS * in + dst / 16 + row) % STEP == 0;
}

static bool is_wide(const char *kernel)
{
    return ts_word_index("norm tilize untilize", kernel) < 0;
}

// One combination: 1 ran, 0 was refused. `out`: NULL for the kernel's own choice.
static unsigned combine(unsigned row, const char *in, const char *dst, const char *out)
{
    struct ts_job_result result;
    char text[300];
    const bool wide = is_wide(rows[row].kernel);
    snprintf(text, sizeof text, "%s m=32 n=32 format=%s %s%s %s%s %s", rows[row].kernel, in,
             wide ? "dst=" : "", wide ? dst : "", out ? "out-format=" : "", out ? out : "",
             rows[row].options);
    if (!kernel_try(NULL, text, LIMIT, &result)) {
        ck_assert_msg(result.code == TS_USAGE || result.code == TS_NOT_IMPLEMENTED,
                      "%s: code %d, %s", text, (int)result.code, result.text);
        ck_assert_msg(strlen(result.text) > 10, "%s: refused without a reason", text);
        return 0;
    }
    ck_assert_msg(result.code == TS_OK && result.checked, "%s: %s", text, result.text);
    double most = ts_expected_error(&kernel_last);
    ck_assert_msg(result.agreement.rel_l2 <= most && result.agreement.pcc >= 1 - most * most,
                  "%s: error %g, PCC %g, expected %g", text, result.agreement.rel_l2,
                  result.agreement.pcc, most);
    return 1;
}

START_TEST(runs_or_is_refused)
{
    unsigned run = 0;
    bool wide = is_wide(rows[_i].kernel);
    for (unsigned in = 0; in < FORMATS; in++)
        for (unsigned dst = 16; dst <= (wide ? 32 : 16); dst += 16)
            for (unsigned out = 0; out <= FORMATS; out++)
                if (is_taken((unsigned)_i, in, dst, out))
                    run += combine((unsigned)_i, formats[in], dst == 16 ? "16" : "32",
                                   out < FORMATS ? formats[out] : NULL);
    ck_assert_msg(run == rows[_i].run || (!suite_every_case() && run < rows[_i].run),
                  "%s %s: %u combinations run, not %u", rows[_i].kernel, rows[_i].options, run,
                  rows[_i].run);
}
END_TEST

// A matmul over two tiles, its inner dimension in two blocks.
static bool over_two_tiles(const char *in, const char *dst, const char *out)
{
    char format[32], width[32], result[32];
    const char *settings[] = {"m=32",     "n=64", "k=64", "grid=2x1",
                              "blocks=2", format, width,  result};
    struct tensim_error error;
    snprintf(format, sizeof format, "format=%s", in);
    snprintf(width, sizeof width, "dst=%s", dst);
    snprintf(result, sizeof result, "out-format=%s", out ? out : in);
    struct tensim *sim = tensim_new_kernel("matmul", settings, out ? 8 : 7, NULL, &error);
    bool ran = sim != NULL;
    if (!ran)
        ck_assert_msg((error.code == TENSIM_USAGE || error.code == TENSIM_NOT_IMPLEMENTED) &&
                          strlen(error.text) > 10,
                      "%s %s %s: code %d, %s", format, width, result, (int)error.code, error.text);
    if (ran) {
        ck_assert_msg(tensim_run(sim, LIMIT, &error) == TENSIM_OK, "%s %s %s: %s", format, width,
                      result, error.text);
        struct tensim_document *document = tensim_document(sim, "result", &error);
        ck_assert_msg(document != NULL, "%s", error.text);
        const double is = tensim_number(document, "rel_l2"),
                     most = tensim_number(document, "expected_rel_l2");
        ck_assert_msg(tensim_text(document, "result_hash")[0] && is <= most,
                      "%s %s %s: error %g, expected %g", format, width, result, is, most);
        tensim_document_free(document);
    }
    tensim_free(sim);
    return ran;
}

START_TEST(over_a_grid)
{
    unsigned run = 0;
    unsigned expected = 0;
    bool integer = strncmp(formats[_i], "int", 3) == 0;
    for (unsigned out = 0; out <= FORMATS; out++) {
        const char *format = out < FORMATS ? formats[out] : NULL;
        for (unsigned dst = 16; dst <= 32; dst += 16) {
            if (!is_taken(0, (unsigned)_i, dst, out))
                continue;
            run += over_two_tiles(formats[_i], dst == 16 ? "16" : "32", format);
            expected += !integer && !(format && strncmp(format, "int", 3) == 0);
        }
    }
    ck_assert_uint_eq(run, expected); // floats to floats, and the default
}
END_TEST

static void add_tests(TCase *tests)
{
    suite_sample(1, STEP, "results for each format of operands and width of Dst");
    tcase_add_loop_test(tests, runs_or_is_refused, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_loop_test(tests, over_a_grid, 0, (int)FORMATS);
}
SUITE("combinations", add_tests)
