// The multiplier array in vector lanes: group sums by float multiply-adds. See mul.h for why
// that is exact.

#include "units/matrix/dispatch.h"
#include "units/matrix/macs.h"
#include "units/matrix/mul.h"

// Common exponents 1 to EXP_LO - 1 and above EXP_HI are outside the range of the float trick: the
// wide path handles them.
#define EXP_LO 42
#define EXP_HI 241 // of phase 0, whose seeds all phases have

// ---- pass 1: group exponents and signed group sums, four rows at a time ------------------------

// High half of the float 1.5 * 2^(E-114).
TS_INLINE ts_v8h seed8(ts_v8h e, int rebias)
{
    return ts_add8(ts_shl8(ts_max8(e + (int16_t)rebias, ts_k8(1)), 7), ts_k8(13 * 128 + 64));
}

// Four rows of SrcB against one group of eight SrcA rows.
TS_INLINE void group_sums(int16_t *e_out, int16_t *s_out, const int16_t *ea, const float *fa,
                          const int16_t *eb, const float *fb, int adj, int rebias)
{
    ts_v8h x = ts_ld8(ea), y = ts_ld8(ea + 8), z = {};
#define FIRST(i) \
    ts_v8h e##i = ts_ld8(eb + 16 * i), m##i = x + ts_dup8(e##i, 0), n##i = y + ts_dup8(e##i, 0);
    ROWS4(FIRST)
#define STEP(i) \
    m##i = ts_max8(m##i, x + ts_dup8(e##i, K)), n##i = ts_max8(n##i, y + ts_dup8(e##i, K));
#define EXPS(k)                                               \
    {                                                         \
        enum { K = k };                                       \
        x = ts_ld8(ea + 16 * K), y = ts_ld8(ea + 16 * K + 8); \
        ROWS4(STEP)                                           \
    }
    EXPS(1)
    EXPS(2)
    EXPS(3)
    EXPS(4)
    EXPS(5)
    EXPS(6)
    EXPS(7)
#define KEEP(i)                                                                     \
    m##i += (int16_t)adj, n##i += (int16_t)adj;                                     \
    ts_st8(e_out + 32 * i, m##i), ts_st8(e_out + 32 * i + 8, n##i);                 \
    m##i = seed8(m##i, rebias), n##i = seed8(n##i, rebias);                         \
    ts_st4i(seed[i], ts_zip_lo(z, m##i)), ts_st4i(seed[i] + 4, ts_zip_hi(z, m##i)); \
    ts_st4i(seed[i] + 8, ts_zip_lo(z, n##i)), ts_st4i(seed[i] + 12, ts_zip_hi(z, n##i));
    float seed[4][16];
    ROWS4(KEEP)
    ts_group_macs(s_out, seed[0], fa, fb);
}

// ---- pass 2: align the two sums and Dst, add, round, encode; eight columns at a time -----------

// Lanes whose common exponent the float trick does not cover (<= 0 is fine: the result is zero).
TS_INLINE ts_v8h outside(ts_v8h ex, int shift)
{
    return (ts_v8h)((ts_v8u)(ex - 1) < EXP_LO - 1) | (ex > (int16_t)(EXP_HI - shift));
}

// Aligns a sum for a 16-bit Dst: rounded at bit 0 of 24, then at bit 13; s = -(distance) >= -16.
// The first rounding only matters from a distance of 14 on, where it amounts to a bias of the
// second.
TS_INLINE ts_v8h align16(ts_v8h n, ts_v8h s)
{
    return ts_rsh8(ts_add8(n, ts_max8(-13 - s, ts_k8(0))), s);
}

// sign | exponent 8 | mantissa 7 to the cell's sign | mantissa | exponent.
TS_INLINE ts_v8h cell_bf16(ts_v8h y)
{
    return ts_sel8(ts_k8(INT16_MIN), y, ts_sel8(ts_k8(0xFF), y >> 7, ts_shl8(y, 8)));
}

TS_INLINE ts_v8h finish_bf16(ts_v8h x, ts_v8h e0, ts_v8h e1, ts_v8h n0, ts_v8h n1, ts_v8h *bad,
                             int shift)
{
    ts_v8h ed = x & 255, sign = x >> 15;
    ts_v8h md = (((x & 0x7F00) >> 5) | 0x400) & (ed != 0);
    ts_v8h ex = ts_max8(ts_max8(e0, e1), ed);
    *bad |= outside(ex, shift);
    ex = ts_max8(ex, ts_k8(EXP_LO));
    ts_v8h z0 = align16(n0, ts_max8(e0 - ex, ts_k8(-16)));
    ts_v8h z1 = align16(n1, ts_max8(e1 - ex, ts_k8(-16)));
    ts_v8h d = ts_rsh8(md, ts_max8(ed - ex, ts_k8(-13)));
    d = (d ^ sign) - sign;
    ts_v4i t0 = ts_wide_lo(z0) + ts_wide_lo(z1) + ts_wide_lo(d);
    ts_v4i t1 = ts_wide_hi(z0) + ts_wide_hi(z1) + ts_wide_hi(d);
    // |t| < 2^24 converts exactly, and adding half of the dropped part rounds half away
    ts_v4i f0 = (ts_v4i) __builtin_convertvector(t0, ts_v4f) + 0x8000;
    ts_v4i f1 = (ts_v4i) __builtin_convertvector(t1, ts_v4f) + 0x8000;
    ts_v8h h = ts_halves_hi(f0, f1);
    return cell_bf16(ts_add8(h, ts_shl8(ex - 137, 7)) & (h != 0));
}

TS_INLINE ts_v4i finish32(ts_v4i n0, ts_v4i s0, ts_v4i n1, ts_v4i s1, ts_v4i md, ts_v4i sd,
                          ts_v4i sign, ts_v4i ex)
{
    ts_v4i d = ts_rsh4(md, sd);
    ts_v4i t = ts_rsh4(n0, s0) + ts_rsh4(n1, s1) + ((d ^ sign) - sign);
    ts_v4i neg = t >> 31, mag = (t ^ neg) - neg;
    ts_v4i z = ts_clz4(mag) - 8;
    // a carry out of the mantissa steps the exponent
    ts_v4i y = ts_add4(ts_rsh4(mag, z), ts_shl4(ex - z - 1, 23));
    return (y & (t != 0)) | (t & INT32_MIN);
}

TS_INLINE void finish_fp32(ts_v8h *hi, ts_v8h *lo, ts_v8h e0, ts_v8h e1, ts_v8h n0, ts_v8h n1,
                           ts_v8h *bad, int emin, int shift)
{
    ts_v8h x = *hi, ed = x & 255, sign = x >> 15, some = ed != 0;
    if (emin > 0) { // 5-bit operands: an all-zero group keeps this exponent
        e0 = ts_max8(e0, ts_k8(emin));
        e1 = ts_max8(e1, ts_k8(emin));
    }
    ts_v8h mh = (((x >> 8) & 0x7F) | 0x80) & some, ml = *lo & some;
    ts_v8h ex = ts_max8(ts_max8(e0, e1), ed);
    *bad |= outside(ex, shift);
    ex = ts_max8(ex, ts_k8(EXP_LO));
    ts_v8h s0 = ts_max8(e0 - ex + 13, ts_k8(-31)), s1 = ts_max8(e1 - ex + 13, ts_k8(-31));
    ts_v8h sd = ts_max8(ed - ex, ts_k8(-31));
    ts_v4i a = finish32(ts_wide_lo(n0), ts_wide_lo(s0), ts_wide_lo(n1), ts_wide_lo(s1),
                        ts_zip_lo(ml, mh), ts_wide_lo(sd), ts_zip_lo(sign, sign), ts_wide_lo(ex));
    ts_v4i b = finish32(ts_wide_hi(n0), ts_wide_hi(s0), ts_wide_hi(n1), ts_wide_hi(s1),
                        ts_zip_hi(ml, mh), ts_wide_hi(sd), ts_zip_hi(sign, sign), ts_wide_hi(ex));
    *lo = ts_halves_lo(a, b);
    *hi = cell_bf16(ts_halves_hi(a, b));
}

// ---- the driver ------------------------------------------------------------------------------

TS_INLINE bool mul_rows(const struct ts_mul_rows *dst, const struct ts_mul_operands *op, int adj,
                        int shift, bool e5, bool dst32, unsigned rows)
{
    int16_t e[8][2][16] __attribute__((aligned(16))), n[8][2][16] __attribute__((aligned(16)));
    int16_t y[8][16] __attribute__((aligned(16))), l[8][16] __attribute__((aligned(16)));
    for (unsigned r = 0; r < rows; r += 4)
        for (unsigned g = 0; g < 2; g++)
            group_sums(e[r][g], n[r][g], op->ea[g], op->fa[g], op->eb + 16 * r + 8 * g,
                       op->fb + 16 * r + 32 * g, adj, shift);
    ts_v8h bad = {};
    for (unsigned r = 0; r < rows; r++) { // two independent halves a row, for the scheduler
        const uint16_t *hi = dst->hi[r / 4] + 16 * (r % 4);
        ts_v8h h0 = ts_ld8(hi), h1 = ts_ld8(hi + 8);
        ts_v8h ea0 = ts_ld8(e[r][0]), ea1 = ts_ld8(e[r][0] + 8);
        ts_v8h eb0 = ts_ld8(e[r][1]), eb1 = ts_ld8(e[r][1] + 8);
        ts_v8h na0 = ts_ld8(n[r][0]), na1 = ts_ld8(n[r][0] + 8);
        ts_v8h nb0 = ts_ld8(n[r][1]), nb1 = ts_ld8(n[r][1] + 8);
        if (dst32) {
            const uint16_t *lo = dst->lo[r / 4] + 16 * (r % 4);
            ts_v8h l0 = ts_ld8(lo), l1 = ts_ld8(lo + 8);
            finish_fp32(&h0, &l0, ea0, eb0, na0, nb0, &bad, e5 ? adj : 0, shift);
            finish_fp32(&h1, &l1, ea1, eb1, na1, nb1, &bad, e5 ? adj : 0, shift);
            ts_st8(l[r], l0);
            ts_st8(l[r] + 8, l1);
        } else {
            h0 = finish_bf16(h0, ea0, eb0, na0, nb0, &bad, shift);
            h1 = finish_bf16(h1, ea1, eb1, na1, nb1, &bad, shift);
        }
        ts_st8(y[r], h0);
        ts_st8(y[r] + 8, h1);
    }
    if (__builtin_expect(ts_any8(bad), 0))
        return false;
    for (unsigned r = 0; r < rows; r += 4) {
        memcpy(dst->hi[r / 4], y[r], sizeof y / 2);
        if (dst32)
            memcpy(dst->lo[r / 4], l[r], sizeof l / 2);
    }
    return true;
}

TS_INLINE bool mul_kind(const struct ts_mul_rows *dst, const struct ts_mul_operands *op, int adj,
                        int shift, bool e5, bool dst32, unsigned rows)
{
    return rows == 8 ? mul_rows(dst, op, adj, shift, e5, dst32, 8)
                     : mul_rows(dst, op, adj, shift, e5, dst32, 4);
}

void ts_mul_fast(const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
                 const struct ts_matrix_mode *mode, unsigned rows)
{
    int adj = ts_matrix_adjust(mode), shift = ts_matrix_phase_shift(mode->phase);
    bool done = false;
    if (!op->big) {
        if (!mode->dst32)
            done = mul_kind(dst, op, adj, shift, false, false, rows);
        else if (ts_matrix_is_e5(mode))
            done = mul_kind(dst, op, adj, shift, true, true, rows);
        else
            done = mul_kind(dst, op, adj, shift, false, true, rows);
    }
    if (!done)
        ts_mul_wide(dst, op, mode, rows);
}
