// Guest kernels end to end: correct values in every format, cycles near silicon's, throttle
// patterns, isolated threads.
#include "platform/run/work.h"
#include "tests/job/kernel.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT UINT64_C(100000000)

// Runs "matmul m=64 n=64" to its end.
__attribute__((format(printf, 1, 2))) static struct ts_job_result run(const char *format, ...)
{
    struct ts_job_result result;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ck_assert_msg(kernel_try(NULL, text, LIMIT, &result), "%s: %s", text, result.text);
    ck_assert_msg(result.code == TS_OK, "%s: %s", text, result.text);
    return result;
}

// --- values
// -------------------------------------------------------------------------------------------------------

// Errors of N(0,1) data with K = 512. Where truncation of the operands dominates,
// tests/units/fidelity.def gives the same; below 1e-3 it does not: it adds exactly, the matrix unit
// aligns the products of a group to their largest.
static const struct {
    const char *format;
    uint32_t phases;
    bool dst32;
    const char *out;
    double low, high;
} fidelities[] = {
    {"bf16", 1, true, "fp32", 2.2e-2, 2.9e-2}, {"bf16", 2, true, "fp32", 3.4e-3, 4.4e-3},
    {"bf16", 3, true, "fp32", 2e-4, 4.5e-4},   {"bf16", 4, true, "fp32", 2e-4, 4e-4},
    {"bf16", 2, false, "bf16", 8e-3, 1.8e-2},  {"bf16", 4, false, "bf16", 8e-3, 1.8e-2},
    {"bfp8", 1, true, "fp32", 1.5e-2, 2.3e-2}, {"bfp8", 2, true, "fp32", 1e-4, 4e-4},
    {"bfp4", 1, true, "fp32", 0, 1e-6},        {"fp16", 4, true, "fp32", 3e-4, 8e-4},
    {"tf32", 4, true, "fp32", 3e-4, 8e-4},     {"tf32", 2, true, "fp32", 5e-3, 8e-3},
};

START_TEST(fidelity)
{
    struct ts_job_result result = run(
        "matmul m=64 n=64 k=512 format=%s fidelity=%s dst=%d out-format=%s", fidelities[_i].format,
        kernel_fidelities[fidelities[_i].phases], fidelities[_i].dst32 ? 32 : 16,
        fidelities[_i].out);
    ck_assert_msg(result.agreement.rel_l2 >= fidelities[_i].low &&
                      result.agreement.rel_l2 <= fidelities[_i].high,
                  "%s, %u phases: rel_l2 %g", fidelities[_i].format, fidelities[_i].phases,
                  result.agreement.rel_l2);
}
END_TEST

// A 16-bit Dst takes away what HiFi4 gains over HiFi2; a 32-bit one keeps it.
START_TEST(high_fidelity_needs_a_wide_dst)
{
    static const char narrow[] = "matmul m=64 n=64 k=1024 fidelity=";
    static const char wide[] = "matmul m=64 n=64 k=1024 dst=32 out-format=fp32 fidelity=";
    double narrow2 = run("%shifi2", narrow).agreement.rel_l2,
           narrow4 = run("%shifi4", narrow).agreement.rel_l2;
    ck_assert(narrow4 > 0.9 * narrow2);
    double wide4 = run("%shifi4", wide).agreement.rel_l2,
           wide2 = run("%shifi2", wide).agreement.rel_l2;
    ck_assert(wide4 < 0.15 * wide2);
}
END_TEST

// End to end, the format's own rounding counts: bfp4 is exact to its unit and far from the data.
START_TEST(end_to_end)
{
    static const char bf16[] = "matmul m=64 n=64 k=256 fidelity=hifi4",
                      bfp4[] = "matmul m=64 n=64 k=256 format=bfp4";
    const struct ts_numbers numbers[] = {kernel_numbers(bf16), kernel_numbers(bfp4)};
    struct ts_job_result fine = run("%s", bf16);
    ck_assert_msg(fine.end_to_end.rel_l2 > fine.agreement.rel_l2 &&
                      fine.end_to_end.rel_l2 < 1.5 * fine.agreement.rel_l2,
                  "bf16: %g, end to end %g", fine.agreement.rel_l2, fine.end_to_end.rel_l2);
    ck_assert_ptr_nonnull(ts_expected_note(&numbers[0]));
    struct ts_job_result coarse = run("%s", bfp4);
    ck_assert(coarse.agreement.rel_l2 < fine.agreement.rel_l2);
    ck_assert_msg(coarse.end_to_end.rel_l2 > 5 * fine.end_to_end.rel_l2, "bfp4: %g, bf16: %g",
                  coarse.end_to_end.rel_l2, fine.end_to_end.rel_l2);
    ck_assert_ptr_null(ts_expected_note(&numbers[1]));
}
END_TEST

static const struct {
    const char *kernel, *op, *broadcast, *format;
    uint32_t phases;
    bool dst32;
    double rel_l2;
} values[] = {
    {"eltwise", "add", "none", "bf16", 1, false, 2e-3},
    {"eltwise", "sub", "col", "bf16", 1, false, 2e-3},
    {"eltwise", "add", "row", "bf16", 1, false, 2e-3},
    {"eltwise", "mul", "scalar", "bf16", 4, false, 3.5e-3},
    {"eltwise", "mul", "none", "bf16", 4, true, 2e-3},
    {"eltwise", "add", "none", "fp16", 1, false, 4e-4},
    {"eltwise", "mul", "none", "bfp8", 2, false, 4e-3},
    {"sfpu", "copy", "none", "bf16", 1, false, 0},
    {"sfpu", "relu", "none", "bf16", 1, false, 0},
    {"sfpu", "exp", "none", "bf16", 1, false, 5e-3},
    {"sfpu", "reciprocal", "none", "bf16", 1, false, 5e-3},
    {"sfpu", "sigmoid", "none", "bf16", 1, false, 5e-3},
    {"sfpu", "gelu", "none", "bf16", 1, false, 5e-3},
    {"sfpu", "exp", "none", "fp32", 1, true, 3e-3},
    {"reduce", "max", "none", "bf16", 1, false, 0},
    {"reduce", "sum", "none", "bf16", 4, true, 3e-3},
    {"transpose", NULL, "none", "bf16", 1, false, 0},
    {"transpose", NULL, "none", "fp32", 1, true, 2e-3},
    {"norm", "softmax", "none", "bf16", 4, false, 6e-3},
    {"norm", "rmsnorm", "none", "bf16", 4, false, 5e-3},
    {"tilize", NULL, "none", "bf16", 1, false, 0},
    {"untilize", NULL, "none", "bf16", 1, false, 0},
    {"untilize", NULL, "none", "fp16", 1, false, 0},
    {"matmul_seed", NULL, "none", "bf16", 4, false, 8e-3},
    {"matmul_tiles", NULL, "none", "bf16", 4, false, 8e-3},
};

START_TEST(kernel_values)
{
    char more[160] = "";
    const char *kernel = values[_i].kernel, *format = values[_i].format;
    const bool product = strncmp(kernel, "matmul", 6) == 0,
               eltwise = strcmp(kernel, "eltwise") == 0;
    size_t used = 0;
    if (values[_i].op)
        used += (size_t)snprintf(more + used, sizeof more - used, " op=%s", values[_i].op);
    if (eltwise)
        used += (size_t)snprintf(more + used, sizeof more - used, " broadcast=%s",
                                 values[_i].broadcast);
    if (values[_i].phases > 1)
        used += (size_t)snprintf(more + used, sizeof more - used, " fidelity=%s",
                                 kernel_fidelities[values[_i].phases]);
    if (values[_i].dst32)
        used += (size_t)snprintf(more + used, sizeof more - used, " dst=32");
    // Columns are not a multiple of what half of Dst holds.
    struct ts_job_result result = run("%s m=64 n=160%s format=%s out-format=%s repeat=2%s", kernel,
                                      product ? " k=64" : "", format,
                                      strcmp(format, "fp16") == 0 ? "fp16" : "bf16", more);
    ck_assert_msg(result.agreement.rel_l2 <= values[_i].rel_l2, "%s %s: rel_l2 %g",
                  values[_i].kernel, values[_i].op ? values[_i].op : "", result.agreement.rel_l2);
}
END_TEST

// exp(x) is infinite above 88.7 and zero below -87.3: only with the row's maximum taken away is
// softmax right there. One tile in a row, and several; rows of negative values only, too. The sum
// of a row is rounded to BF16 after every tile: the more tiles, the less exact.
static const struct {
    double mean, spread;
    uint32_t n;
    double rel_l2;
} large[] = {{150, 20, 32, 5e-3},  {150, 20, 160, 5e-3}, {200, 3, 320, 8e-3}, {-150, 20, 32, 5e-3},
             {-150, 20, 96, 5e-3}, {-300, 1, 160, 6e-3}, {0, 100, 160, 5e-3}};

START_TEST(softmax_of_large_values)
{
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_job_result result;
    char text[200];
    config.strict = true;
    snprintf(text, sizeof text, "norm m=64 n=%u fidelity=hifi4 mean=%g spread=%g repeat=2",
             large[_i].n, large[_i].mean, large[_i].spread);
    ck_assert_msg(kernel_try(&config, text, LIMIT, &result) && result.code == TS_OK, "%s: %s", text,
                  result.text);
    ck_assert_msg(result.agreement.rel_l2 <= large[_i].rel_l2, "%g +- %g, %u columns: rel_l2 %g",
                  large[_i].mean, large[_i].spread, large[_i].n, result.agreement.rel_l2);
}
END_TEST

// Sub-blocks, blocks of the inner dimension and throttle change the order of work, never the sums
// of a 32-bit Dst.
static const struct {
    uint32_t h, w, blocks, throttle;
} shapes[] = {{1, 4, 1, 0}, {4, 1, 1, 0}, {2, 2, 1, 0}, {1, 1, 1, 0}, {1, 4, 1, 1}, {1, 4, 1, 2},
              {1, 4, 1, 3}, {1, 4, 1, 4}, {1, 4, 1, 5}, {2, 1, 1, 5}, {1, 2, 4, 0}};

START_TEST(shapes_agree)
{
    const char *phases = kernel_fidelities[1 + _i % 4];
    struct ts_job_result plain = run("matmul dst=32 out-format=fp32 fidelity=%s", phases);
    struct ts_job_result other = run(
        "matmul dst=32 out-format=fp32 fidelity=%s sub-block=%ux%u blocks=%u throttle=%u", phases,
        shapes[_i].h, shapes[_i].w, shapes[_i].blocks, shapes[_i].throttle);
    ck_assert(fabs(plain.agreement.rel_l2 - other.agreement.rel_l2) <=
              (shapes[_i].blocks > 1 ? 1e-6 : 0));
}
END_TEST

// FP8 has fewer bits than one phase takes; sums of int8 are exact in an int32.
START_TEST(small_formats)
{
    const double fp8 =
        run("matmul m=64 n=64 k=256 format=fp8 dst=32 out-format=fp32").agreement.rel_l2;
    ck_assert_msg(fp8 < 5e-4, "fp8: %g", fp8);
    struct ts_job_result result = run("matmul m=64 n=64 k=256 format=int8");
    ck_assert_msg(result.agreement.differ == 0, "int8: %u values differ, rel_l2 %g",
                  (unsigned)result.agreement.differ, result.agreement.rel_l2);
    ck_assert(
        !kernel_try(NULL, "matmul m=64 n=64 k=256 format=int8 out-format=fp32", LIMIT, &result) &&
        result.code == TS_NOT_IMPLEMENTED);
}
END_TEST

// --- run types, broadcasts

// Every kernel with one thread at work and the others feigned, as people measure them on silicon.
static const struct {
    const char *kernel, *op;
} isolated[] = {{"matmul", NULL},   {"eltwise", "add"},  {"eltwise", "mul"},  {"sfpu", "gelu"},
                {"reduce", "sum"},  {"reduce", "max"},   {"transpose", NULL}, {"tilize", NULL},
                {"untilize", NULL}, {"norm", "softmax"}, {"norm", "rmsnorm"}};

static const char *const type_names[TS_RUN_TYPES] = {"l1_to_l1", "unpack_isolate", "math_isolate",
                                                     "pack_isolate", "l1_congestion"};

// "norm op=softmax m=128 n=96", with k=64 for a product.
static void isolated_text(int i, uint32_t m, char *text, size_t size)
{
    const char *kernel = isolated[i].kernel, *op = isolated[i].op;
    snprintf(text, size, "%s m=%u n=96%s%s%s", kernel, m,
             strcmp(kernel, "matmul") == 0 ? " k=64" : "", op ? " op=" : "", op ? op : "");
}

START_TEST(run_types_of_all)
{
    char text[100];
    isolated_text(_i, 128, text, sizeof text);
    double cycles[TS_RUN_TYPES];
    for (unsigned type = 0; type < TS_RUN_TYPES; type++) {
        struct ts_job_result result = run("%s run-type=%s", text, type_names[type]);
        ck_assert(result.loop > 0 && result.work > 0);
        ck_assert(result.checked == (type == TS_RUN_L1_TO_L1));
        cycles[type] = (double)result.loop;
    }
    // The math thread alone is at least as fast as with the others.
    ck_assert(cycles[TS_RUN_MATH_ISOLATE] <= cycles[TS_RUN_L1_TO_L1]);
}
END_TEST

#define RUNS 6

// The best of so many runs in which instructions and accesses are held for a cycle at most, at random.
static ts_cycle best_loop(const char *text, enum ts_run_type type, ts_cycle *pack)
{
    ts_cycle best = 0;
    char whole[140];
    snprintf(whole, sizeof whole, "%s run-type=%s", text, type_names[type]);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct ts_tile_config config = ts_tile_config_default();
        struct ts_job_result result;
        config.perturb_max = 1;
        config.perturb_seed = seed;
        ck_assert_msg(kernel_try(&config, whole, LIMIT, &result) && result.code == TS_OK, "%s: %s",
                      whole, result.text);
        const struct ts_job_zone *zone = &result.zones[2][TS_JOB_LOOP];
        best = best == 0 || result.loop < best ? result.loop : best;
        *pack = zone->end - zone->start;
    }
    return best;
}

// Unpack alone is no slower than with pack active next to it. A single run does not show that: one
// cycle more or less decides whether the core polls for a free context again, and that poll costs
// 12 to 25 cycles of mispredicted branches and jumps (matmul of 4 x 3 tiles alone: 852 to 857 cycles, or
// 863 to 867, depending on the seed); and the threads' text is another one, so that the start takes 3 or 4
// cycles more alone, however long the run is (means of 16 and 40 seeds: sfpu 988.5 and 984, with four times
// the tiles 2610.9 and 2608.1; untilize 2919.1 and 2915.4). Both are below 0.5 % of 16 x 3 tiles.
START_TEST(congestion_does_not_help)
{
    char text[100];
    isolated_text(_i, 512, text, sizeof text);
    ts_cycle idle, packing, alone;
    ts_cycle unpack = best_loop(text, TS_RUN_UNPACK_ISOLATE, &idle);
    ts_cycle congestion = best_loop(text, TS_RUN_L1_CONGESTION, &packing);
    best_loop(text, TS_RUN_PACK_ISOLATE, &alone);
    ck_assert_msg((double)congestion >= 0.995 * (double)unpack,
                  "%s: %llu cycles under congestion, %llu without", text,
                  (unsigned long long)congestion, (unsigned long long)unpack);
    // The pack thread is at work in one of them, as it is alone.
    ck_assert_msg(packing > idle && (double)packing > 0.98 * (double)alone,
                  "%s: pack %llu cycles, idle %llu, alone %llu", text, (unsigned long long)packing,
                  (unsigned long long)idle, (unsigned long long)alone);
}
END_TEST

// A second operand of one row, one column or one tile, on several tiles.
START_TEST(broadcasts)
{
    static const char *const names[] = {"none", "row", "col", "scalar"};
    static const char *const ops[] = {"add", "sub", "mul"};
    struct ts_job_result result;
    const bool mul = _i / 4 == 2;
    ck_assert(run("eltwise broadcast=%s op=%s m=96 n=160%s", names[_i % 4], ops[_i / 4],
                  mul ? " fidelity=hifi4" : "")
                  .agreement.rel_l2 < 4e-3);
    ck_assert(!kernel_try(NULL, "eltwise broadcast=diagonal", LIMIT, &result) &&
              result.code == TS_USAGE);
}
END_TEST

// --- cycles
// -------------------------------------------------------------------------------------------------------

// P150, best device utilisation (tt-metal GEMM_FLOPS.md), as cycles a product.
static const struct {
    const char *format;
    uint32_t phases;
    double silicon;
} products[] = {{"bf16", 4, 67.45},
                {"bf16", 2, 35.46},
                {"bfp8", 2, 35.26},
                {"bfp8", 1, 18.28},
                {"bfp4", 1, 17.69}};

START_TEST(cycles_per_product)
{
    double cycles = run("matmul m=256 n=256 k=1024 format=%s fidelity=%s", products[_i].format,
                        kernel_fidelities[products[_i].phases])
                        .cycles_per_unit;
    ck_assert_msg(fabs(cycles / products[_i].silicon - 1) < 0.05,
                  "%s, %u phases: %.2f cycles, silicon %.2f", products[_i].format,
                  products[_i].phases, cycles, products[_i].silicon);
}
END_TEST

// tt-llk llk_math_matmul.h: MVMULs and NOPs of a product; slots include SETRWC and SETC16, and one
// SETRWC in eight products.
static const struct {
    uint32_t level, phases, mvmuls, nops;
    double slots;
} throttles[] = {
    {0, 1, 16, 0, 17},  {1, 1, 16, 6, 23},   {2, 1, 16, 8, 25},   {3, 1, 16, 16, 33},
    {4, 1, 16, 24, 41}, {5, 1, 16, 32, 49},  {0, 4, 64, 0, 66},   {1, 4, 64, 24, 89},
    {2, 4, 64, 32, 97}, {3, 4, 64, 64, 129}, {4, 4, 64, 96, 162}, {5, 4, 64, 128, 194},
    {1, 2, 32, 12, 45}, {4, 2, 32, 48, 82},  {1, 3, 48, 18, 67},  {5, 3, 48, 96, 146},
};

START_TEST(throttle)
{
    char text[100];
    snprintf(text, sizeof text, "matmul m=256 n=256 k=1024 format=bfp8 fidelity=%s",
             kernel_fidelities[throttles[_i].phases]);
    double base = run("%s", text).cycles_per_unit;
    struct ts_job_result result = run("%s throttle=%u", text, throttles[_i].level);
    ck_assert_uint_eq(result.mvmuls, result.work * throttles[_i].mvmuls);
    ck_assert_uint_eq(result.nops, result.work * throttles[_i].nops);
    double level0 = (throttles[_i].phases == 1 ? 17 : 16 * throttles[_i].phases + 2) + 0.125;
    double expected = (throttles[_i].slots + 0.125) / level0, ratio = result.cycles_per_unit / base;
    ck_assert_msg(fabs(ratio / expected - 1) < 0.011, // cold text is in both
                  "level %u, %u phases: ratio %.4f, by counts %.4f", throttles[_i].level,
                  throttles[_i].phases, ratio, expected);
}
END_TEST

// The firmware's word in mid-run: throttled in between, the same bits as without.
START_TEST(dynamic_throttle)
{
    struct ts_job_result plain = run("matmul m=128 n=256 k=512 format=bfp8");
    struct ts_job_result flipped = run("matmul m=128 n=256 k=512 format=bfp8 flip=2000:5,6000");
    ck_assert_uint_eq(plain.mvmuls, flipped.mvmuls);
    ck_assert_uint_eq(plain.nops, 0);
    ck_assert_uint_gt(flipped.nops, 1000);
    ck_assert_uint_gt(flipped.loop, plain.loop + 2000);
    ck_assert_double_eq(plain.agreement.rel_l2, flipped.agreement.rel_l2);
}
END_TEST

// Isolated threads: none is slower than all together, and the math thread alone is bound by its
// instructions.
START_TEST(run_types)
{
    double cycles[TS_RUN_TYPES];
    for (unsigned type = 0; type < TS_RUN_TYPES; type++)
        cycles[type] = run("matmul m=256 n=256 k=512 format=bfp8 fidelity=hifi2 run-type=%s",
                           type_names[type])
                           .cycles_per_unit;
    const double all = cycles[TS_RUN_L1_TO_L1], unpack = cycles[TS_RUN_UNPACK_ISOLATE],
                 math = cycles[TS_RUN_MATH_ISOLATE], congestion = cycles[TS_RUN_L1_CONGESTION],
                 pack = cycles[TS_RUN_PACK_ISOLATE];
    ck_assert(unpack < all && math <= all && congestion >= unpack && congestion < all);
    ck_assert(math > 34 && math < 35);
    ck_assert_msg(pack > 16 && pack < 60, "%.2f cycles a packed tile", pack);
}
END_TEST

// The kernel of the user's document and matmul_tiles push the same instructions.
START_TEST(explicit_and_bundled_streams_agree)
{
    uint64_t passed[2][TS_THREADS][256];
    for (int i = 0; i < 2; i++) {
        struct kernel_run self;
        ck_assert_msg(kernel_build(&self, NULL,
                                   i == 0 ? "matmul_seed m=96 n=96 k=96 fidelity=hifi2"
                                          : "matmul_tiles m=96 n=96 k=96 fidelity=hifi2") &&
                          kernel_start(&self),
                      "%s", self.error.text);
        ts_work_run(self.work, LIMIT);
        ck_assert(self.job->done != 0);
        for (unsigned t = 0; t < TS_THREADS; t++)
            memcpy(passed[i][t], self.job->tile->front[t].passed, sizeof passed[i][t]);
        kernel_free(&self);
    }
    ck_assert_int_eq(memcmp(passed[0], passed[1], sizeof passed[0]), 0);
}
END_TEST

// --- refusals
// -------------------------------------------------------------------------------------------------------

static const struct {
    const char *text, *says;
    enum ts_code code;
} refused[] = {
    {"matmul m=40 n=64 k=64", "multiples of 32, 32 and 32", TS_USAGE},
    {"matmul m=64 n=64 k=64 format=int8 out-format=bf16", "not implemented", TS_NOT_IMPLEMENTED},
    {"matmul m=1024 n=1024 k=1024", "KiB of L1", TS_USAGE},
    {"matmul m=64 n=64 k=64 sub-block=1x3", "must divide the output", TS_USAGE},
    {"matmul m=64 n=64 k=64 mt=3", "llk/matmul has no parameter 'mt'; choose from m n k", TS_USAGE},
    {"eltwise cores=2x1 tile=16x16", "has no parameter tile", TS_USAGE},
    {"copy", "no kernel 'copy'; there are matmul", TS_USAGE},
};

START_TEST(refusals)
{
    struct ts_job_result result;
    ck_assert(!kernel_try(NULL, refused[_i].text, LIMIT, &result));
    ck_assert_msg(result.code == refused[_i].code && strstr(result.text, refused[_i].says),
                  "%s: %d, %s", refused[_i].text, (int)result.code, result.text);
}
END_TEST

START_TEST(a_limit)
{
    struct ts_job_result result;
    ck_assert(kernel_try(NULL, "matmul m=64 n=64 k=64", 3000, &result));
    ck_assert_int_eq(result.code, TS_LIMIT);
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof *table))

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, fidelity, 0, COUNT(fidelities));
    tcase_add_test(tests, high_fidelity_needs_a_wide_dst);
    tcase_add_test(tests, end_to_end);
    tcase_add_loop_test(tests, kernel_values, 0, COUNT(values));
    tcase_add_loop_test(tests, shapes_agree, 0, COUNT(shapes));
    tcase_add_test(tests, small_formats);
    tcase_add_loop_test(tests, softmax_of_large_values, 0, COUNT(large));
    tcase_add_loop_test(tests, run_types_of_all, 0, COUNT(isolated));
    tcase_add_loop_test(tests, congestion_does_not_help, 0, COUNT(isolated));
    tcase_add_loop_test(tests, broadcasts, 0, 12);
    tcase_add_loop_test(tests, cycles_per_product, 0, COUNT(products));
    tcase_add_loop_test(tests, throttle, 0, COUNT(throttles));
    tcase_add_test(tests, dynamic_throttle);
    tcase_add_test(tests, run_types);
    tcase_add_test(tests, explicit_and_bundled_streams_agree);
    tcase_add_loop_test(tests, refusals, 0, COUNT(refused));
    tcase_add_test(tests, a_limit);
}

SUITE("jobs", add_tests)
