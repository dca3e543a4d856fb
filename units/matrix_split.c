// Splitting operand words into what a fidelity phase multiplies: slices and exponents. See
// matrix_mul.h.
#include <string.h>

#include "units/lanes.h"
#include "units/matrix_mul.h"

#define TIE 1.0001220703125f // 1 + 2^-13

// Slices as bit masks on the float: the value of the bits in `keep`, less those in `drop`. The
// difference is an exact float subtraction, so a low slice comes out normalised with its true
// exponent.
struct slice {
    uint32_t keep, drop;
};
static const struct slice slices_a[2] = {{0xFFF80000u, 0}, {0xFFFFC000u, 0xFFF80000u}};
static const struct slice slices_b[2] = {{0xFFFE0000u, 0}, {0xFFFFE000u, 0xFFFE0000u}};

// 128 words; returns whether some exponent is 255.
TS_INLINE bool split_float(float *f, int16_t *e, const uint32_t *w, uint32_t mask, uint32_t rebias,
                           struct slice slice, bool tie)
{
    ts_v8h top = {};
    for (unsigned i = 0; i < 8 * TS_SRC_COLS; i += 8) {
        ts_v4u w0 = ts_ld4u(w + i) & mask, w1 = ts_ld4u(w + i + 4) & mask;
        ts_v8h exp = (ts_halves_hi((ts_v4i)w0, (ts_v4i)w1) >> 7) & 255, zero = exp == 0;
        top = ts_max8(top, exp);
        ts_st8(e + i, ts_sel8(zero, ts_k8(TS_FPU_ZERO_EXP), exp));
        w0 += rebias;
        w1 += rebias;
        ts_v4f f0 = (ts_v4f)(w0 & slice.keep), f1 = (ts_v4f)(w1 & slice.keep);
        if (slice.drop) {
            f0 -= (ts_v4f)(w0 & slice.drop);
            f1 -= (ts_v4f)(w1 & slice.drop);
        }
        if (tie) {
            f0 *= TIE;
            f1 *= TIE;
        }
        ts_st4u(f + i, (ts_v4u)f0 & ~(ts_v4u)ts_zip_lo(zero, zero));
        ts_st4u(f + i + 4, (ts_v4u)f1 & ~(ts_v4u)ts_zip_hi(zero, zero));
    }
    return ts_any8(top == 255);
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
        bank->split_ok[0] = bank->split_ok[1] = 0;
    }
    unsigned row = 8 * block, bit = 1u << block;
    const uint32_t *w = bank->w[row];
    bank->split_ok[slice] |= (uint8_t)bit;
    if (style == TS_STYLE_INT8) {
        static const uint16_t mask[2][2] = {{0x3F0, 0xF}, {0xE0, 0x1F}};
        static const uint8_t shift[2][2] = {{4, 0}, {5, 0}};
        split_int(bank->slice.i[slice][row], w, mask[is_a][slice], shift[is_a][slice]);
        return;
    }
    float *f = bank->slice.f[slice][row];
    int16_t *e = bank->exponent[row];
    uint32_t mask = ts_style_mask(style), rebias = style == TS_STYLE_FP16 ? 112u << 23 : 0;
    bool big;
    if (is_a)
        big = slice ? split_float(f, e, w, mask, rebias, slices_a[1], true)
                    : split_float(f, e, w, mask, rebias, slices_a[0], true);
    else
        big = slice ? split_float(f, e, w, mask, rebias, slices_b[1], false)
                    : split_float(f, e, w, mask, rebias, slices_b[0], false);
    bank->split_big = (uint8_t)((bank->split_big & ~bit) | (big ? bit : 0));
}
