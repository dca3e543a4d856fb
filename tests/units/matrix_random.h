// Random MVMULs of every mode against the plain integer path: operands and Dst of many kinds, register files that keep
// their state from one to the next, so that whatever they have cached is met again.
#ifndef TENSIM_TESTS_UNITS_MATRIX_RANDOM_H
#define TENSIM_TESTS_UNITS_MATRIX_RANDOM_H

#include <stdio.h>
#include <string.h>

#include "tests/random.h"
#include "units/matrix/mul.h"

typedef struct ts_refusal matrix_fn(struct ts_dst *, struct ts_srcs *,
                                    const struct ts_matrix_mode *, unsigned, unsigned, unsigned,
                                    unsigned);

typedef bool matrix_run_fn(struct ts_dst *, struct ts_srcs *, const struct ts_matrix_mode *,
                           const struct ts_mvmul_run *);

struct matrix_random {
    uint64_t state;
    matrix_fn *mvmul; // ts_mvmul and ts_mvmuls in one of their forms
    matrix_run_fn *mvmuls;
    struct ts_matrix_mode mode;
    struct ts_srcs srcs;
    struct ts_dst ours, theirs;
    unsigned runs; // that ts_mvmuls took
};

static uint32_t matrix_draw(struct matrix_random *x, uint32_t bound)
{
    return (uint32_t)(random64(&x->state) >> 33) % bound;
}

// Exponents of a block of operands: low + 0..span-1; some of 16 are zeros, denormals or minus zeros.
struct matrix_kind {
    uint8_t low, span, zeros, mantissa; // bits of the mantissa; 0: all
    bool block; // one exponent for the row, as BFP has it before it is normalised
};
static const struct matrix_kind matrix_kinds[] = {
    {118, 12, 1, 0, false}, {127, 1, 0, 0, false},  {95, 64, 1, 0, false},  {90, 12, 1, 0, false},
    {150, 14, 1, 0, false}, {110, 20, 8, 0, false}, {110, 8, 15, 0, false}, {110, 1, 16, 0, false},
    {1, 254, 1, 0, false},  {0, 255, 1, 0, false},  {1, 40, 1, 0, false},   {215, 41, 1, 0, false},
    {120, 6, 1, 7, true},   {120, 6, 2, 3, true},   {120, 6, 4, 1, true},   {60, 130, 3, 0, false},
};
#define MATRIX_KINDS (sizeof matrix_kinds / sizeof *matrix_kinds)

static uint32_t matrix_operand(struct matrix_random *x, const struct matrix_kind *kind,
                               uint32_t shared)
{
    uint32_t sign = matrix_draw(x, 2) << 31, mantissa = matrix_draw(x, 1024) << 13;
    if (matrix_draw(x, 16) < kind->zeros)
        return matrix_draw(x, 4) ? 0 : sign | (matrix_draw(x, 2) ? mantissa : 0);
    if (kind->block) { // a magnitude of so many bits, normalised
        uint32_t e = shared, m = matrix_draw(x, 1u << kind->mantissa);
        if (!m)
            return sign;
        for (; !(m >> (kind->mantissa - 1) & 1); m <<= 1)
            e--;
        return sign | e << 23 | ((m << (24 - kind->mantissa)) & 0x7FE000u);
    }
    switch (matrix_draw(x, 8)) { // extremes
    case 0:
        mantissa = 0;
        break;
    case 1:
        mantissa = 1023 << 13;
        break;
    default:
        break;
    }
    uint32_t e = kind->low + matrix_draw(x, kind->span);
    if (x->mode.style_a == TS_STYLE_FP16 && !x->mode.int8)
        e = e < 100 ? e & 31 : 1 + e % 30; // five bits; the rest is masked
    return sign | e << 23 | mantissa;
}

static void matrix_fill(struct matrix_random *x, struct ts_src_bank *bank, unsigned row,
                        unsigned rows, const struct matrix_kind *kind)
{
    for (unsigned r = row; r < row + rows; r++) {
        uint32_t shared = kind->low + matrix_draw(x, kind->span);
        for (unsigned c = 0; c < TS_SRC_COLS; c++)
            bank->w[r][c] = matrix_operand(x, kind, shared);
    }
    ts_src_touch(bank, row, rows);
}

// Dst: anything, zeros, or exponents around those of the products.
static void matrix_fill_dst(struct matrix_random *x)
{
    unsigned how = matrix_draw(x, 6), low = matrix_draw(x, 256), span = 1 + matrix_draw(x, 40);
    for (unsigned r = 0; r < TS_DST_ROWS; r++) {
        for (unsigned c = 0; c < TS_DST_COLS; c++) {
            uint32_t cell = (uint32_t)(random64(&x->state) >> 40);
            if (how == 1)
                cell = 0;
            else if (how >= 2 && !(r & 8 && x->mode.dst32))
                cell = (cell & 0xFF00) | (((how == 2 ? low : 105) + (cell & 0xFF) % span) & 0xFF);
            x->ours.bits[r][c] = (uint16_t)cell;
        }
        x->ours.valid[r] = matrix_draw(x, 8) != 0;
    }
    x->theirs = x->ours;
}

static void matrix_new_mode(struct matrix_random *x)
{
    struct ts_matrix_mode *mode = &x->mode;
    memset(mode, 0, sizeof *mode);
    bool fp16 = matrix_draw(x, 4) == 0;
    mode->style_a = fp16 ? TS_STYLE_FP16 : matrix_draw(x, 2) ? TS_STYLE_TF32 : TS_STYLE_BF16;
    mode->style_b = fp16 ? TS_STYLE_FP16 : matrix_draw(x, 2) ? TS_STYLE_TF32 : TS_STYLE_BF16;
    mode->int8 = matrix_draw(x, 8) == 0;
    mode->dst32 = mode->int8 || matrix_draw(x, 2);
    mode->keep_denormals = matrix_draw(x, 32) == 0;
    mode->stochastic = matrix_draw(x, 32) == 0;
    x->ours.remap_addrs = matrix_draw(x, 8) == 0;
    x->ours.swizzle_32b = matrix_draw(x, 8) == 0;
    x->ours.hi16 = matrix_draw(x, 8) == 0;
}

static void matrix_exactly(struct matrix_random *x, unsigned row_a, unsigned row_b, unsigned row_d,
                           unsigned rows)
{
    struct ts_dst *dst = &x->theirs;
    const struct ts_src_bank *a = &x->srcs.a.bank[x->srcs.a.matrix],
                             *b = &x->srcs.b.bank[x->srcs.b.matrix];
    unsigned a0 = row_a & 0x38, a1 = (a0 + 8) & 0x38;
    for (unsigned r = 0; r < rows; r++) {
        unsigned row = (row_d & (0x400 - rows)) + r;
        uint32_t at = x->mode.dst32 ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row);
        uint16_t *hi = dst->bits[at], *lo = dst->bits[x->mode.dst32 ? at + TS_DST_LO_ROW : at];
        if (!dst->valid[at]) {
            memset(hi, 0, sizeof dst->bits[at]);
            memset(lo, 0, sizeof dst->bits[at]);
            dst->valid[at] = 1;
        }
        ts_mul_exact_row(hi, lo, a->w + a0, a->w + a1, b->w[(row_b & 0x38) + r], &x->mode,
                         &dst->random);
    }
}

// One MVMUL, GAPOOL or run of MVMULs; answers whether both paths agree on all of Dst.
static bool matrix_step(struct matrix_random *x)
{
    struct ts_mvmul_run run = {0};
    unsigned rows = matrix_draw(x, 8) ? 8 : 4, count = matrix_draw(x, 4) ? 1 : 20;
    bool even = matrix_draw(x, 4), near = matrix_draw(x, 2); // operands of runs; how far Dst is
    unsigned row[20][3];
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++)
            row[i][k] = matrix_draw(x, near ? 32 : 64) & ~(count > 1 && even ? 15u : 0);
        x->mode.phase = (uint8_t)matrix_draw(x, 4);
        matrix_exactly(x, row[i][0], row[i][1], row[i][2], count > 1 ? 8 : rows);
        ts_mvmul_run_add(&run, &x->ours, x->mode.dst32, row[i][0], row[i][1], row[i][2],
                         x->mode.phase);
    }
    bool done = count > 1 && x->mvmuls(&x->ours, &x->srcs, &x->mode, &run);
    for (unsigned i = 0; !done && i < count; i++) {
        x->mode.phase = run.step[i].phase;
        if (x->mvmul(&x->ours, &x->srcs, &x->mode, row[i][0], row[i][1], row[i][2],
                     count > 1 ? 8 : rows)
                .what)
            return false;
    }
    x->runs += done;
    return !memcmp(x->ours.bits, x->theirs.bits, sizeof x->ours.bits) &&
           !memcmp(x->ours.valid, x->theirs.valid, sizeof x->ours.valid);
}

// Other operands in one block, another bank, or everything new.
static void matrix_change(struct matrix_random *x)
{
    struct ts_src_file *file = matrix_draw(x, 2) ? &x->srcs.a : &x->srcs.b;
    switch (matrix_draw(x, 8)) {
    case 0:
        file->matrix ^= 1;
        break;
    case 1:
    case 2:
        matrix_fill(x, &file->bank[file->matrix], 8 * matrix_draw(x, 8), 8,
                    &matrix_kinds[matrix_draw(x, MATRIX_KINDS)]);
        break;
    default:
        break;
    }
}

// A state and `steps` instructions on it, executed by `mvmul` and `mvmuls`. False: *x says where it differs from the plain path.
static bool matrix_random(struct matrix_random *x, uint64_t seed, unsigned steps, matrix_fn *mvmul,
                          matrix_run_fn *mvmuls)
{
    memset(x, 0, sizeof *x);
    x->mvmul = mvmul;
    x->mvmuls = mvmuls;
    x->state = seed * 0x9e3779b97f4a7c15ull + 1;
    matrix_new_mode(x);
    for (unsigned bank = 0; bank < 2; bank++) {
        unsigned kind = matrix_draw(x, MATRIX_KINDS);
        matrix_fill(x, &x->srcs.a.bank[bank], 0, TS_SRC_ROWS, &matrix_kinds[kind]);
        if (matrix_draw(x, 2)) // else of the same kind
            kind = matrix_draw(x, MATRIX_KINDS);
        matrix_fill(x, &x->srcs.b.bank[bank], 0, TS_SRC_ROWS, &matrix_kinds[kind]);
    }
    matrix_fill_dst(x);
    for (unsigned i = 0; i < steps; i++) {
        matrix_change(x);
        if (!matrix_step(x))
            return false;
    }
    return true;
}

// What *x was doing, for a message.
static const char *matrix_where(const struct matrix_random *x)
{
    static char text[160];
    const struct ts_matrix_mode *m = &x->mode;
    snprintf(text, sizeof text,
             "styles %u and %u, int8 %u, dst32 %u, denormals %u, stochastic %u, phase %u",
             m->style_a, m->style_b, m->int8, m->dst32, m->keep_denormals, m->stochastic, m->phase);
    return text;
}

#endif
