// The vector code without NEON gives the same bits: this file compiles the sources again in their
// portable form.
#define TENSIM_PORTABLE_LANES
#define ts_mul_fast        portable_mul_fast
#define ts_mul_wide        portable_mul_wide
#define ts_split_block     portable_split_block
#define ts_split_exponents portable_split_exponents
#define ts_elementwise     portable_elementwise
#include "tests/suite.h"
#include "units/matrix/elw.c"
#include "units/matrix/fast.c"
#include "units/matrix/split.c"
#include "units/matrix/wide.c"
#undef ts_mul_fast
#undef ts_mul_wide
#undef ts_split_block
#undef ts_split_exponents
#undef ts_elementwise

#include <check.h>
#include <stdlib.h>

#include "tests/units/golden/golden.h"

// The library's versions.
void ts_mul_fast(const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
                 const struct ts_matrix_mode *mode, unsigned rows);
void ts_split_block(struct ts_src_bank *bank, bool is_a, unsigned block, unsigned slice,
                    enum ts_style style);
void ts_split_exponents(struct ts_src_bank *bank, unsigned block);
struct ts_refusal ts_elementwise(struct ts_dst *dst, struct ts_srcs *srcs,
                                 const struct ts_matrix_mode *mode, const struct ts_elw *elw,
                                 unsigned row_a, unsigned row_b, unsigned row_d);

typedef void split_fn(struct ts_src_bank *, bool, unsigned, unsigned, enum ts_style);
typedef void exponents_fn(struct ts_src_bank *, unsigned);
typedef void mul_fn(const struct ts_mul_rows *, const struct ts_mul_operands *,
                    const struct ts_matrix_mode *, unsigned);

struct files {
    struct ts_src_bank a, b;
    struct ts_dst dst;
};

static void load(struct files *f, const struct golden_matrix *g)
{
    memset(f, 0, sizeof *f);
    memcpy(f->a.w, g->a[0], sizeof f->a.w);
    memcpy(f->b.w, g->b[0], sizeof f->b.w);
    memcpy(f->dst.bits, g->dst, sizeof f->dst.bits);
    memset(f->dst.valid, 1, sizeof f->dst.valid);
}

static void multiply(struct files *f, const struct golden_matrix *g,
                     const struct ts_matrix_mode *mode, split_fn *split, exponents_fn *exponents,
                     mul_fn *mul)
{
    unsigned a0 = g->rwc_a / 8, b0 = g->rwc_b / 8, sa = mode->phase & 1, sb = mode->phase >> 1;
    split(&f->a, true, a0, sa, mode->style_a);
    split(&f->a, true, a0 + 1, sa, mode->style_a);
    split(&f->b, false, b0, sb, mode->style_b);
    exponents(&f->a, a0);
    exponents(&f->a, a0 + 1);
    exponents(&f->b, b0);
    struct ts_mul_operands op = {
        .ea = {f->a.exponent[8 * a0], f->a.exponent[8 * a0 + 8]},
        .fa = {f->a.slice.f[sa][8 * a0], f->a.slice.f[sa][8 * a0 + 8]},
        .wa = {f->a.w[8 * a0], f->a.w[8 * a0 + 8]},
        .eb = f->b.exponent[8 * b0],
        .fb = f->b.slice.f[sb][8 * b0],
        .wb = f->b.w[8 * b0],
        .big = f->a.split_big || f->b.split_big,
    };
    struct ts_mul_rows rows;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t at = mode->dst32 ? ts_dst_row32(&f->dst, g->rwc_d + 4 * i) : g->rwc_d + 4 * i;
        rows.hi[i] = f->dst.bits[at];
        rows.lo[i] = f->dst.bits[mode->dst32 ? at + TS_DST_LO_ROW : at];
    }
    mul(&rows, &op, mode, 8);
}

START_TEST(test_multiply)
{
    static struct files ours, theirs;
    static struct golden_matrix g;
    for (unsigned i = 0; i < 200; i++) {
        golden_matrix_case(&g, GOLDEN_MVMUL, (unsigned)_i / 2, (unsigned)_i % 2, i);
        if (g.format_a == TS_FMT_INT8)
            continue;
        if (ts_format_style(g.format_a) == TS_STYLE_FP16 && !((unsigned)_i % 2))
            continue; // never gets here: see test_matrix_random.c
        struct ts_matrix_mode mode = {.style_a = (uint8_t)ts_format_style(g.format_a),
                                      .style_b = (uint8_t)ts_format_style(g.format_b),
                                      .dst32 = (unsigned)_i % 2,
                                      .phase = (uint8_t)g.phase};
        load(&ours, &g);
        load(&theirs, &g);
        multiply(&ours, &g, &mode, ts_split_block, ts_split_exponents, ts_mul_fast);
        multiply(&theirs, &g, &mode, portable_split_block, portable_split_exponents,
                 portable_mul_fast);
        ck_assert_mem_eq(ours.dst.bits, theirs.dst.bits, sizeof ours.dst.bits);
    }
}
END_TEST

START_TEST(test_elementwise)
{
    static struct ts_srcs srcs;
    static struct ts_dst ours, theirs;
    static struct golden_matrix g;
    for (unsigned i = 0; i < 60; i++) {
        golden_matrix_case(&g, GOLDEN_ELWMUL, (unsigned)_i / 2, (unsigned)_i % 2, i);
        memcpy(srcs.a.bank[0].w, g.a[0], sizeof g.a[0]);
        memcpy(srcs.b.bank[0].w, g.b[0], sizeof g.b[0]);
        memcpy(ours.bits, g.dst, sizeof g.dst);
        memcpy(ours.valid, g.valid, sizeof g.valid);
        theirs = ours;
        struct ts_matrix_mode mode = {.style_a = (uint8_t)ts_format_style(g.format_a),
                                      .style_b = (uint8_t)ts_format_style(g.format_b),
                                      .dst32 = (unsigned)_i % 2,
                                      .keep_denormals = i % 5 == 0,
                                      .phase = (uint8_t)g.phase};
        struct ts_elw elw = {(uint8_t)(i % 3), i & 1, i >> 1 & 1, i >> 2 & 1};
        ck_assert(!ts_elementwise(&ours, &srcs, &mode, &elw, g.rwc_a, g.rwc_b, g.rwc_d).what);
        ck_assert(
            !portable_elementwise(&theirs, &srcs, &mode, &elw, g.rwc_a, g.rwc_b, g.rwc_d).what);
        ck_assert_mem_eq(ours.bits, theirs.bits, sizeof ours.bits);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_multiply, 0, 2 * (int)sizeof golden_formats);
    tcase_add_loop_test(tests, test_elementwise, 0, 2 * (int)sizeof golden_formats);
}

SUITE("matrix portable", add_tests, .one_process = true)
