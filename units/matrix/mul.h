// The multiplier array of the matrix unit, bit for bit. Shared by units/matrix only.
//
// One product of fidelity phase p (0 to 3), from significands M = 1024 + mantissa:
//     a = p & 1 ? (Ma >> 1) & 31 : Ma >> 6        b = p & 2 ? (Mb & 15) << 3 : Mb >> 4
//     exponent x = ea + eb + adj, not normalised; a zero operand gives magnitude 0 at exponent
//     max(adj, 0)
// Eight products (k = 0..7, then 8..15) are aligned to their largest exponent E, each rounded half
// away from zero, and summed to a signed S. E <= 0 makes the group (0, 0). Accumulate: (S0, E0),
// (S1, E1) and Dst are aligned to the largest exponent X, the sums rounded half toward plus
// infinity, Dst half away from zero; for a 16-bit Dst each is rounded once more at bit 13; then the
// exact sum is rounded half away to 24, 8 or 11 bits. X <= 0, a zero sum and underflow give +0.
// Overflow gives exponent 255 and mantissa 0, or the largest FP16.
//
// The fast path sums a group with eight float multiply-adds. An accumulator that starts at 1.5 *
// 2^(E-114) has its ulp at 2^(E-137), the unit the hardware rounds to, and |S| <= 31496 never
// leaves the binade. Only ties differ (float: to even), and multiplying every SrcA slice by 1 +
// 2^-13 pushes ties away from zero and moves nothing else. The low half of the accumulator then is
// S. It holds with and without fused multiply-add.
//
// Source: tt-isa-documentation MVMUL.md; bits compared with tenstorrent/ttsim 1.10.0.
#pragma once

#include "units/matrix/matrix.h"

#define TS_MATRIX_ZERO_EXP (-8192) // exponent that a zero operand carries in the split form

// Operands between 2^-32 and 2^32 have "near" exponents: in 8 bits, so that the sum of two fits. One
// with a zero operand saturates, and is less than any other.
#define TS_NEAR_LOW  95
#define TS_NEAR_SPAN 64
#define TS_NEAR_ZERO (-128)
// 5-bit exponents, 1 to 31, are all near. A group of zero products has the exponent of two zeros.
#define TS_NEAR_LOW5  1
#define TS_NEAR_NONE5 (-2 * TS_NEAR_LOW5)

static inline bool ts_matrix_is_e5(const struct ts_matrix_mode *mode)
{
    return mode->style_a == TS_STYLE_FP16;
}

// How much a phase's products count less than those of phase 0, as a power of two. The slices are
// scaled by it, so that seeds do not depend on the phase.
static inline int ts_matrix_phase_shift(unsigned phase)
{
    return (int)(0xC750u >> 4 * phase & 15);
}

// Bias of a product's exponent.
static inline int ts_matrix_adjust(const struct ts_matrix_mode *mode)
{
    int bias = !ts_matrix_is_e5(mode) ? -127 : mode->dst32 ? 97 : -15;
    return bias - ts_matrix_phase_shift(mode->phase);
}

// A Dst cell as sign | exponent at 30:23 | mantissa at 22:0, and back. For FP16 the exponent stays
// 5 bits wide.
static inline uint32_t ts_matrix_from_cell(uint16_t hi, uint16_t lo,
                                           const struct ts_matrix_mode *mode)
{
    if (mode->dst32)
        return (uint32_t)ts_bf16_from_cell(hi) << 16 | lo;
    return ts_matrix_is_e5(mode) ? ts_src_from_fp16(ts_fp16_from_cell(hi))
                                 : (uint32_t)ts_bf16_from_cell(hi) << 16;
}
static inline uint16_t ts_matrix_to_cell(uint32_t y, const struct ts_matrix_mode *mode)
{
    return !mode->dst32 && ts_matrix_is_e5(mode) ? ts_fp16_to_cell(ts_fp16_from_src(y))
                                                 : ts_bf16_to_cell((uint16_t)(y >> 16));
}

// The accumulate step for one datum, in plain integers. `random` is the generator's state, used
// when mode->stochastic.
uint32_t ts_matrix_accumulate(const int32_t sum[2], const int32_t exponent[2], uint32_t dst,
                              const struct ts_matrix_mode *mode, uint32_t *random);

// One row of Dst += one row of SrcB @ 16 rows of SrcA (a0: rows 0-7, a1: rows 8-15), in plain
// integers. lo is only used with dst32. The row is taken as defined. This is the portable
// reference.
void ts_mul_exact_row(uint16_t hi[16], uint16_t lo[16], const uint32_t a0[8][16],
                      const uint32_t a1[8][16], const uint32_t b[16],
                      const struct ts_matrix_mode *mode, uint32_t *random);

// Makes the slices of eight rows of a bank (is_a: SrcA's bits, with the tie factor), and their near
// exponents unless these are there.
void ts_split_block(struct ts_src_bank *bank, bool is_a, unsigned block, unsigned slice,
                    enum ts_style style);
// Makes the exponents of eight rows that already have slices.
void ts_split_exponents(struct ts_src_bank *bank, unsigned block);

// The operands of the fast path: eight-row blocks of split data, and the words behind them.
struct ts_mul_operands {
    const int16_t *ea[2]; // [8][16] for k = 0..7 and k = 8..15
    const float *fa[2];
    const uint32_t *wa[2];
    const int16_t *eb; // [rows][16]
    const float *fb;
    const uint32_t *wb;
    bool big; // an exponent of 255 somewhere
};

// Dst rows in groups of four (the unit the swizzle keeps together), all defined.
struct ts_mul_rows {
    uint16_t *hi[2];
    uint16_t *lo[2];
};

// Dst += SrcB @ SrcA for 4 or 8 rows, floating point; not 5-bit exponents into a 16-bit Dst.
void ts_mul_fast(const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
                 const struct ts_matrix_mode *mode, unsigned rows);

// The same for near operands.
struct ts_near_operands {
    const struct ts_src_pair *pair;
    const float *fa[2]; // slices for k = 0..7 and k = 8..15
    const float *fb;
    int less;   // ts_matrix_phase_shift
    bool small; // a phase whose products are so small that Dst is often far above them
};
// Into a Dst with 8-bit exponents.
void ts_mul_near16(const struct ts_mul_rows *dst, const struct ts_near_operands *op, unsigned rows);
void ts_mul_near32(const struct ts_mul_rows *dst, const struct ts_near_operands *op, unsigned rows);
// 5-bit exponents, into a 16-bit Dst.
void ts_mul_fp16(const struct ts_mul_rows *dst, const struct ts_near_operands *op, unsigned rows);
// Makes the group exponents of blocks a0, a0 + 1 of SrcA and b0 of SrcB.
void ts_mul_pair(struct ts_src_pair *pair, const struct ts_src_bank *a, const struct ts_src_bank *b,
                 unsigned a0, unsigned b0);

// The same for any exponents; the fast path uses it for values outside its range.
void ts_mul_wide(const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
                 const struct ts_matrix_mode *mode, unsigned rows);
