// The matrix unit's path for near exponents against the plain integer one: the library's, and its
// portable form, which this file compiles again. Operands and Dst are in and around the range that
// the path takes; results outside that range must be correct too.
#define TENSIM_PORTABLE_LANES
#define ts_mul_near16      portable_mul_near16
#define ts_mul_near32      portable_mul_near32
#define ts_mul_fp16        portable_mul_fp16
#define ts_mul_pair        portable_mul_pair
#define ts_split_block     portable_split_block
#define ts_split_exponents portable_split_exponents
#include "tests/suite.h"
#include "units/matrix/near.c"
#include "units/matrix/split.c"
#undef ts_mul_near16
#undef ts_mul_near32
#undef ts_mul_fp16
#undef ts_mul_pair
#undef ts_split_block
#undef ts_split_exponents

#include <check.h>
#include <stdlib.h>

static uint64_t state = 1;

static uint32_t draw(uint32_t bound)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

struct rig {
    struct ts_srcs srcs;
    struct ts_dst dst;
};
static struct rig fast, exact, portable;

// What operands and Dst are made of.
static const struct kind {
    const char *name;
    int low, span;     // exponents of operands
    unsigned zeros;    // of 16 operands; some are denormal or minus zero
    int dst, dst_span; // exponents of Dst, from the least product's on; span 0: Dst is zero
    bool takes;        // the path does
} kinds[] = {
    {"usual", 110, 20, 1, 40, 30, true},
    {"one binade", 127, 1, 0, 64, 1, true},
    {"all of the window", 95, 64, 1, 0, 127, true},
    {"lower edge", 95, 1, 1, 0, 20, true},
    {"upper edge", 158, 1, 1, 100, 27, true},
    {"Dst far above", 100, 8, 1, 80, 40, true},
    {"Dst around the sums", 120, 3, 1, 40, 30, true},
    {"half zeros", 110, 20, 8, 40, 30, true},
    {"nearly all zeros", 110, 20, 15, 0, 127, true},
    {"all zeros", 110, 1, 16, 0, 127, true},
    {"Dst zero", 110, 20, 2, 0, 0, true},
    {"Dst zero, all zeros", 110, 20, 16, 0, 0, true},
    {"Dst below", 110, 20, 12, -40, 60, true},
    {"Dst above", 110, 20, 12, 90, 60, true},
    {"Dst anything", 110, 20, 8, -80, 300, true},
    {"one under the window", 94, 40, 1, 40, 30, false},
    {"one over the window", 140, 20, 1, 40, 30, false},
    {"anything", 1, 254, 1, -40, 200, false},
};

static uint32_t operand(const struct kind *kind)
{
    uint32_t sign = draw(2) << 31, mantissa = draw(1024) << 13;
    if (draw(16) < kind->zeros)
        return draw(4) ? 0 : sign | (draw(2) ? mantissa : 0);
    return sign | ((uint32_t)kind->low + draw((uint32_t)kind->span)) << 23 | mantissa;
}

static void fill(const struct kind *kind, int least)
{
    memset(&fast, 0, sizeof fast);
    for (unsigned r = 0; r < TS_SRC_ROWS; r++)
        for (unsigned c = 0; c < TS_SRC_COLS; c++) {
            fast.srcs.a.bank[0].w[r][c] = operand(kind);
            fast.srcs.b.bank[0].w[r][c] = operand(kind);
        }
    for (unsigned r = 0; r < 16; r++)
        for (unsigned c = 0; c < TS_DST_COLS; c++) {
            int e = kind->dst_span ? least + kind->dst + (int)draw((uint32_t)kind->dst_span) : 0;
            e = draw(16) ? e < 0 ? 0 : e > 255 ? 255 : e : 0;
            fast.dst.bits[r][c] = (uint16_t)(draw(256) << 8 | (uint32_t)e);
        }
    memset(fast.dst.valid, 1, sizeof fast.dst.valid);
}

// SrcB rows 8 to 15 times SrcA rows 16 to 31, into Dst rows 8 to 15.
static void run_exact(const struct ts_matrix_mode *mode, unsigned rows)
{
    const struct ts_src_bank *a = &exact.srcs.a.bank[0], *b = &exact.srcs.b.bank[0];
    for (unsigned r = 8; r < 8 + rows; r++)
        ts_mul_exact_row(exact.dst.bits[r], exact.dst.bits[r], a->w + 16, a->w + 24, b->w[r], mode,
                         &exact.dst.random);
}

static bool run_portable(const struct ts_matrix_mode *mode, unsigned rows)
{
    struct ts_src_bank *a = &portable.srcs.a.bank[0], *b = &portable.srcs.b.bank[0];
    unsigned sa = mode->phase & 1, sb = mode->phase >> 1;
    portable_split_block(a, true, 2, sa, mode->style_a);
    portable_split_block(a, true, 3, sa, mode->style_a);
    portable_split_block(b, false, 1, sb, mode->style_b);
    struct ts_src_pair *pair = &portable.srcs.pair[1][1];
    portable_mul_pair(pair, a, b, 2, 1);
    struct ts_near_operands op = {.pair = pair,
                                  .fa = {a->slice.f[sa][16], a->slice.f[sa][24]},
                                  .fb = b->slice.f[sb][8],
                                  .less = ts_matrix_phase_shift(mode->phase)};
    struct ts_mul_rows to = {{portable.dst.bits[8], portable.dst.bits[12]},
                             {portable.dst.bits[8], portable.dst.bits[12]}};
    if ((a->split_near & 12) != 12 || !(b->split_near & 2))
        return false;
    portable_mul_near16(&to, &op, rows);
    return true;
}

// Answers whether the near path took it.
static bool compare(const struct ts_matrix_mode *mode, unsigned rows, const char *name)
{
    exact = portable = fast;
    run_exact(mode, rows);
    ck_assert(!ts_mvmul(&fast.dst, &fast.srcs, mode, 16, 8, 8, rows).what);
    ck_assert_msg(!memcmp(fast.dst.bits, exact.dst.bits, sizeof fast.dst.bits),
                  "%s, phase %u: differs from the plain path", name, mode->phase);
    const struct ts_dst before = portable.dst;
    bool took = run_portable(mode, rows);
    ck_assert_msg(
        !memcmp(portable.dst.bits, took ? exact.dst.bits : before.bits, sizeof exact.dst.bits),
        "%s, phase %u: portable differs", name, mode->phase);
    return took;
}

START_TEST(test_kinds)
{
    const struct kind *kind = &kinds[_i];
    for (unsigned i = 0; i < 400; i++) {
        struct ts_matrix_mode mode = {.style_a = draw(2) ? TS_STYLE_TF32 : TS_STYLE_BF16,
                                      .style_b = draw(2) ? TS_STYLE_TF32 : TS_STYLE_BF16,
                                      .phase = (uint8_t)(i & 3)};
        fill(kind, 2 * TS_NEAR_LOW + ts_matrix_adjust(&mode));
        bool took = compare(&mode, i % 8 ? 8 : 4, kind->name);
        ck_assert_msg(took == kind->takes, "%s, phase %u: %s", kind->name, mode.phase,
                      took ? "taken" : "not taken");
    }
}
END_TEST

// Sums for which rounding twice differs from rounding once, and their neighbours.
static bool planted(int sum)
{
    static const int sums[] = {8191, -8193, 16382, 16383, -16385, -16386};
    for (unsigned i = 0; i < sizeof sums / sizeof *sums; i++)
        if (abs(sum - sums[i]) <= 1)
            return true;
    return false;
}

// Looks for a column of SrcA whose group sum, with row 8 of SrcB, is one of those.
static bool plant(unsigned group, unsigned column, uint32_t exponent)
{
    struct ts_src_bank *a = &fast.srcs.a.bank[0];
    const uint32_t *b = fast.srcs.b.bank[0].w[8] + 8 * group;
    for (unsigned tries = 0; tries < 20000; tries++) {
        int sum = 0;
        for (unsigned k = 0; k < 8; k++) {
            uint32_t w = draw(3) ? draw(2) << 31 | exponent << 23 | draw(128) << 16 : 0;
            int am = (int)(w >> 19 & 15) + 16, bm = (int)(b[k] >> 17 & 63) + 64;
            sum += !w ? 0 : (w ^ b[k]) >> 31 ? -am * bm : am * bm;
            a->w[16 + 8 * group + k][column] = w;
        }
        if (planted(sum))
            return true;
    }
    return false;
}

START_TEST(test_double_rounding)
{
    struct ts_matrix_mode mode = {.style_a = TS_STYLE_BF16, .style_b = TS_STYLE_BF16};
    static const struct kind kind = {"planted", 120, 1, 0, 40, 1, true};
    unsigned found = 0;
    for (unsigned i = 0; i < 24; i++) {
        uint32_t distance = 12 + i % 5, group = i / 5 & 1, other = group ^ 1;
        fill(&kind, 63);
        for (unsigned c = 0; c < TS_DST_COLS; c++) {
            found += plant(group, c, 120);
            for (unsigned k = 0; k < 8; k++) // the other group sets the exponent, or Dst does
                fast.srcs.a.bank[0].w[16 + 8 * other + k][c] = i & 1 || k ? 0
                                                                          : (120 + distance) << 23 |
                                                                                draw(128) << 16;
            uint32_t e = i & 1 ? 120 + 120 - 127 + distance : 0;
            fast.dst.bits[8][c] = (uint16_t)(draw(256) << 8 | e);
        }
        ck_assert(compare(&mode, 8, kind.name));
    }
    ck_assert_uint_gt(found, 24 * 16 / 2);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_kinds, 0, (int)(sizeof kinds / sizeof *kinds));
    tcase_add_test(tests, test_double_rounding);
}

SUITE("matrix near", add_tests, .one_process = true)
