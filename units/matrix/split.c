// Splits operand words into the slices and exponents that a fidelity phase multiplies. See mul.h.

#include "units/lanes.h"
#include "units/matrix/dispatch.h"
#include "units/matrix/mul.h"

#define TIE 1.0001220703125f // 1 + 2^-13

// Slices as bit masks on the float: the value of the bits in `keep`, minus those in `drop`. The
// difference is an exact float subtraction, so a low slice comes out normalised. `scale` makes up
// for the phase (ts_matrix_phase_shift); SrcA's has the tie factor.
struct slice {
    uint32_t keep, drop;
    float scale;
};
static const struct slice slices_a[2] = {{0xFFF80000u, 0, TIE},
                                         {0xFFFFC000u, 0xFFF80000u, 32 * TIE}};
static const struct slice slices_b[2] = {{0xFFFE0000u, 0, 1}, {0xFFFFE000u, 0xFFFE0000u, 128}};

// What 128 words have: whether all exponents are near, and whether some are zero.
struct seen {
    bool near, zeros;
};

// The slices of 128 words. 5-bit exponents are rebiased, so that the floats have their value. With
// `zeros`, data without an exponent count as zero. With `near`, also the exponents minus the least
// near one. Those of SrcA have their columns in turns; slices of SrcB have four data of each of four rows
// side by side.
TS_INLINE struct seen split_float(float *f, int8_t *near, const uint32_t *w, uint32_t mask, bool e5,
                                  bool is_a, struct slice slice, bool zeros)
{
    uint32_t exponent = mask & 0x7F800000u, keep = slice.keep & mask, drop = slice.drop & mask;
    ts_v16u span = {}, none = {};
    for (unsigned i = 0; i < 8 * TS_SRC_COLS; i += 16) {
        ts_v4u x[4];
        for (unsigned j = 0; j < 4; j++) {
            x[j] = ts_ld4u(w + i + 4 * j);
            ts_v4u k = x[j] & keep, d = x[j] & drop;
            if (e5)
                k += 112u << 23, d += 112u << 23;
            ts_v4f y = (ts_v4f)k;
            if (slice.drop)
                y -= (ts_v4f)d;
            if (slice.scale != 1)
                y *= slice.scale;
            if (zeros)
                y = (ts_v4f)((ts_v4u)y & (ts_v4u)((x[j] & exponent) != 0));
            ts_st4u(f + (is_a ? i + 4 * j : i / 64 * 64 + 16 * j + i % 64 / 4), (ts_v4u)y);
        }
        if (!near)
            continue;
        ts_v16b e = ts_middle_bytes(ts_halves_hi((ts_v4i)x[0], (ts_v4i)x[1]),
                                    ts_halves_hi((ts_v4i)x[2], (ts_v4i)x[3]));
        if (e5)
            e &= 31;
        ts_v16b zero = e == 0;
        ts_v16b above = (ts_v16b)((ts_v16u)e - (uint8_t)(e5 ? TS_NEAR_LOW5 : TS_NEAR_LOW));
        span = ts_umax16(span, (ts_v16u)(above & ~zero));
        none |= (ts_v16u)zero;
        above = ts_sel16(zero, ts_k16(TS_NEAR_ZERO), above);
        ts_st16(near + i, is_a ? ts_turns(above) : above);
    }
    return (struct seen){!ts_any8((ts_v8h)(span >= TS_NEAR_SPAN)), ts_any8((ts_v8h)none)};
}

// Eight rows of a bank, one slice. Most have no zeros: the last ones there tell what to expect.
TS_INLINE void split_rows(struct ts_src_bank *bank, unsigned block, unsigned at, bool first,
                          bool e5, bool is_a, struct slice slice)
{
    uint32_t mask = ts_style_mask(bank->split_style), *w = bank->w[8 * block];
    float *f = bank->slice.f[at][8 * block];
    int8_t *near = bank->near[8 * block];
    unsigned bit = 1u << block;
    bool zeros = e5 || bank->split_zeros & bit;
    struct seen seen;
    if (!first) {
        zeros ? split_float(f, NULL, w, mask, e5, is_a, slice, true)
              : split_float(f, NULL, w, mask, e5, is_a, slice, false);
        return;
    }
    seen = zeros ? split_float(f, near, w, mask, e5, is_a, slice, true)
                 : split_float(f, near, w, mask, e5, is_a, slice, false);
    if (seen.zeros && !zeros)
        split_float(f, NULL, w, mask, e5, is_a, slice, true);
    bank->split_near = (uint8_t)((bank->split_near & ~bit) | (seen.near ? bit : 0));
    bank->split_zeros = (uint8_t)((bank->split_zeros & ~bit) | (seen.zeros ? bit : 0));
}

static void split_int(int16_t *out, const uint32_t *w, uint32_t mask, unsigned shift)
{
    for (unsigned i = 0; i < 8 * TS_SRC_COLS; i++) {
        int v = (int)((w[i] >> 13 & mask) >> shift);
        out[i] = (int16_t)(!(w[i] & 0x7F800000u) ? 0 : w[i] >> 31 ? -v : v);
    }
}

void ts_split_block(struct ts_src_bank *bank, bool is_a, unsigned block, unsigned slice,
                    enum ts_style style)
{
    if (bank->split_style != style) { // the other blocks were split for another style
        bank->split_style = (uint8_t)style;
        bank->split_ok[0] = bank->split_ok[1] = bank->split_exp = 0;
    }
    unsigned row = 8 * block, bit = 1u << block;
    bool first = !((bank->split_ok[0] | bank->split_ok[1]) &
                   bit); // both slices share the exponents
    const uint32_t *w = bank->w[row];
    bank->split_ok[slice] |= (uint8_t)bit;
    if (style == TS_STYLE_INT8) {
        static const uint16_t mask[2][2] = {{0x3F0, 0xF}, {0xE0, 0x1F}};
        static const uint8_t shift[2][2] = {{4, 0}, {5, 0}};
        split_int(bank->slice.i[slice][row], w, mask[is_a][slice], shift[is_a][slice]);
        return;
    }
    if (style == TS_STYLE_FP16)
        is_a ? split_rows(bank, block, slice, first, true, true, slices_a[slice])
             : split_rows(bank, block, slice, first, true, false, slices_b[slice]);
    else if (is_a)
        slice ? split_rows(bank, block, 1, first, false, true, slices_a[1])
              : split_rows(bank, block, 0, first, false, true, slices_a[0]);
    else
        slice ? split_rows(bank, block, 1, first, false, false, slices_b[1])
              : split_rows(bank, block, 0, first, false, false, slices_b[0]);
}

void ts_split_exponents(struct ts_src_bank *bank, unsigned block)
{
    const uint32_t *w = bank->w[8 * block];
    int16_t *e = bank->exponent[8 * block];
    unsigned bit = 1u << block;
    int16_t width = bank->split_style == TS_STYLE_FP16 ? 31 : 255;
    ts_v8h top = {};
    for (unsigned i = 0; i < 8 * TS_SRC_COLS; i += 8) {
        ts_v8h exp = (ts_halves_hi(ts_ld4i(w + i), ts_ld4i(w + i + 4)) >> 7) & width;
        top = ts_max8(top, exp);
        ts_st8(e + i, ts_sel8(exp == 0, ts_k8(TS_MATRIX_ZERO_EXP), exp));
    }
    bank->split_exp |= (uint8_t)bit;
    bank->split_big = (uint8_t)((bank->split_big & ~bit) | (ts_any8(top == 255) ? bit : 0));
}
