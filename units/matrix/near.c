// The multiplier array for operands of near exponents, by far the most common case: exponents in
// 8-bit lanes. See mul.h.
//
// Everything is relative to `least`, the exponent of a product of two of the least operands, which
// is all that depends on the fidelity phase: group exponents are 0 to 126, and a group of zero
// products counts as the minimum. With 8-bit exponents Dst's are exact from `least` on; a zero Dst
// is more than 16 below it, where its significand is shifted out. Smaller and larger ones are
// refused. So the float trick always stays in range (least >= 51, least + 126 <= 241). 5-bit
// exponents are all near.
#include <string.h>

#include "units/lanes.h"
#include "units/matrix/dispatch.h"
#include "units/matrix/macs.h"
#include "units/matrix/mul.h"

#define FROM(M, k) M(k) M(k + 1) M(k + 2) M(k + 3) M(k + 4) M(k + 5) M(k + 6) M(k + 7)
#define NEAR_TOP   (2 * (TS_NEAR_SPAN - 1))

// Group exponents of four rows of SrcB; `none` is that of a group of zero products.
TS_INLINE void exponents(int8_t *e0, int8_t *e1, const int8_t *a0, const int8_t *a1,
                         const int8_t *b, ts_v16b none)
{
    ts_v16u x; // sums wrap where the operands are not near
#define FIRST(i) ts_v16b b##i = ts_ld16(b + 16 * i), m##i = none, n##i = none;
#define STEP0(i) m##i = ts_max16(m##i, (ts_v16b)(x + (ts_v16u)ts_dup16(b##i, K)));
#define STEP1(i) n##i = ts_max16(n##i, (ts_v16b)(x + (ts_v16u)ts_dup16(b##i, K)));
#define GROUP0(k)                          \
    {                                      \
        enum { K = k };                    \
        x = (ts_v16u)ts_ld16(a0 + 16 * K); \
        ROWS4(STEP0)                       \
    }
#define GROUP1(k)                                \
    {                                            \
        enum { K = k };                          \
        x = (ts_v16u)ts_ld16(a1 + 16 * (K - 8)); \
        ROWS4(STEP1)                             \
    }
#define LAST(i) ts_st16(e0 + 16 * i, m##i), ts_st16(e1 + 16 * i, n##i);
    ROWS4(FIRST) FROM(GROUP0, 0) FROM(GROUP1, 8) ROWS4(LAST)
}

// Sums of one group of four rows: sixteen accumulators that stay in registers. Their seed is 1.5 *
// 2^(e - 114), from its high half at e = 0.
TS_INLINE void sums(int16_t *s_out, const int8_t *e, const float *fa, const float *fb, int seed)
{
    ts_v8h z = {}, k = ts_k8(seed);
#define SEED(i)                                                                      \
    ts_v16b e##i = ts_ld16(e + 16 * i);                                              \
    ts_v8h m##i = ts_add8(ts_shl7_lo(e##i), k), n##i = ts_add8(ts_shl7_hi(e##i), k); \
    ts_v4f p##i = (ts_v4f)ts_zip_lo(z, m##i), q##i = (ts_v4f)ts_zip_hi(z, m##i);     \
    ts_v4f s##i = (ts_v4f)ts_zip_lo(z, n##i), t##i = (ts_v4f)ts_zip_hi(z, n##i);
    ROWS4(SEED) ALL_MACS
}

// All of four rows: both groups.
TS_INLINE void sums4(int16_t n[2][4][16], const struct ts_near_operands *op, unsigned q)
{
    const int8_t *e = op->pair->e[q][0][0];
    sums(n[0][0], e, op->fa[0], op->fb + 64 * q, op->seed);
    sums(n[1][0], e + 64, op->fa[1], op->fb + 64 * q + 8, op->seed);
}

// Eight columns: three aligned terms to a float's high half, rounded. |sum| < 2^24 converts exactly,
// and adding half of the dropped part rounds half away.
TS_INLINE ts_v8h add_up(ts_v8h z0, ts_v8h z1, ts_v8h d)
{
    ts_v4i f0 = (ts_v4i) __builtin_convertvector(ts_add3_lo(z0, z1, d), ts_v4f);
    ts_v4i f1 = (ts_v4i) __builtin_convertvector(ts_add3_hi(z0, z1, d), ts_v4f);
    return ts_add_halves_hi(f0, f1, ts_k4(0x8000));
}

// A Dst out of the range, which is refused afterwards, makes distances wrap.
TS_INLINE ts_v16b minus(ts_v16b a, ts_v16b b)
{
    return (ts_v16b)((ts_v16u)a - (ts_v16u)b);
}

// Dst's exponents so far, except zero.
struct met {
    ts_v16u least, most;
};

struct row {
    ts_v8h lo, hi; // columns 0 to 7 and 8 to 15
};

// One row: aligns both sums and Dst to the largest exponent, adds, rounds. The first of a sum's two
// roundings only matters from a distance of 14 on, where it amounts to a bias of the second. Dst's
// significand has four bits more than it needs: of a negative one all are inverted, which subtracts
// one sixteenth and rounds a half away from zero.
TS_INLINE struct row finish(struct row x, const int8_t *e, const int16_t *n, int least,
                            struct met *met)
{
    ts_v16u stored = (ts_v16u)ts_bytes_lo(x.lo, x.hi);
    met->least = ts_umin16(met->least, stored - 1);
    met->most = ts_umax16(met->most, stored);
    ts_v16b e0 = ts_ld16(e), e1 = ts_ld16(e + 64);
    ts_v16b ed = (ts_v16b)(stored - (uint8_t)least), ex = ts_max16(ts_max16(e0, e1), ed);
    ts_v16b s0 = minus(e0, ex), bias0 = ts_usub_sat16(minus(ex, e0), ts_k16(13));
    ts_v16b s1 = minus(e1, ex), bias1 = ts_usub_sat16(minus(ex, e1), ts_k16(13));
    ts_v16b sd = ts_sub_sat16((ts_v16b)((ts_v16u)ed - 4), ex);
    ts_v16b md = ts_bytes_hi(x.lo, x.hi) | ts_k16(-128);
#define ALIGNED(half, at)                                                                \
    add_up(ts_rshb8(ts_addb_##half(ts_ld8(n + at), bias0), ts_zipb_##half(s0, s0)),      \
           ts_rshb8(ts_addb_##half(ts_ld8(n + 64 + at), bias1), ts_zipb_##half(s1, s1)), \
           ts_rshb8(ts_shl7_##half(md) ^ (x.half >> 15), ts_zipb_##half(sd, sd)))
    ts_v8h lo = ALIGNED(lo, 0), hi = ALIGNED(hi, 8);
    // sign | exponent 8 | mantissa 7 to the cell's sign | mantissa | exponent; zero stays zero
    ts_v16b scale = ts_middle_bytes(lo, hi), some = scale != 0;
    ts_v16u sum = (ts_v16u)scale + (ts_v16u)ex + (uint8_t)(least - 137);
    ts_v16b exponent = (ts_v16b)sum & some;
    ts_v16b high = ts_sel16(ts_k16(-128), ts_bytes_hi(lo, hi), ts_bytes_lo(lo, hi));
    return (struct row){ts_zipb_lo(exponent, high), ts_zipb_hi(exponent, high)};
}

// Four rows, two at a time, all loads first: that many can be in flight. `old` gets Dst's old
// content. Not inlined: the sums of the next four then are in flight at the same time.
static __attribute__((noinline)) struct met finish_rows(uint16_t *dst, uint16_t *old,
                                                        const int8_t *e, const int16_t *n,
                                                        int least, struct met met)
{
#pragma GCC unroll 1
    for (unsigned i = 0; i < 64; i += 32) {
        struct row x = {ts_ld8(dst + i), ts_ld8(dst + i + 8)};
        struct row y = {ts_ld8(dst + i + 16), ts_ld8(dst + i + 24)};
        ts_st8(old + i, x.lo), ts_st8(old + i + 8, x.hi);
        ts_st8(old + i + 16, y.lo), ts_st8(old + i + 24, y.hi);
        x = finish(x, e + i, n + i, least, &met);
        y = finish(y, e + i + 16, n + i + 16, least, &met);
        ts_st8(dst + i, x.lo), ts_st8(dst + i + 8, x.hi);
        ts_st8(dst + i + 16, y.lo), ts_st8(dst + i + 24, y.hi);
    }
    return met;
}

__attribute__((noinline)) void ts_mul_pair(struct ts_src_pair *pair, const struct ts_src_bank *a,
                                           const struct ts_src_bank *b, unsigned a0, unsigned b0)
{
    unsigned a1 = (a0 + 1) % (TS_SRC_ROWS / 8);
    pair->stamp[0] = a->split_stamp[a0];
    pair->stamp[1] = a->split_stamp[a1];
    pair->stamp[2] = b->split_stamp[b0];
    ts_v16b none = ts_k16(a->split_style == TS_STYLE_FP16 ? TS_NEAR_NONE5 : 0);
    for (unsigned q = 0; q < 2; q++)
        exponents(pair->e[q][0][0], pair->e[q][1][0], a->near[8 * a0], a->near[8 * a1],
                  b->near[8 * b0 + 4 * q], none);
}

// Was Dst in the range?
TS_INLINE bool inside(struct met met, int least)
{
    ts_v16u outside = (ts_v16u)(met.least < (uint8_t)(least - 1)) |
                      (ts_v16u)(met.most > (uint8_t)(least + NEAR_TOP));
    return !ts_any8((ts_v8h)outside);
}

// gcc's scheduling before register allocation would spill the accumulators.
#define KEEP_ORDER __attribute__((optimize("no-schedule-insns")))

KEEP_ORDER bool ts_mul_near16(const struct ts_mul_rows *dst, const struct ts_near_operands *op,
                              unsigned rows)
{
    int16_t n[2][4][16] __attribute__((aligned(16)));
    uint16_t old[8][16] __attribute__((aligned(16)));
    struct met met = {(ts_v16u)ts_k16(-1), {}};
#pragma GCC unroll 1
    for (unsigned q = 0; q < rows / 4; q++) {
        sums4(n, op, q);
        met = finish_rows(dst->hi[q], old[4 * q], op->pair->e[q][0][0], n[0][0], op->least, met);
    }
    if (__builtin_expect(inside(met, op->least), 1))
        return true;
    for (unsigned q = 0; q < rows / 4; q++)
        memcpy(dst->hi[q], old[4 * q], 4 * sizeof *old);
    return false;
}

// ---- a 16-bit Dst with 5-bit exponents ---------------------------------------------------------

// Eight columns. A group with an exponent of 0 or less is zero; any Dst is in the range.
TS_INLINE ts_v8h finish_fp16(ts_v8h x, ts_v8h e0, ts_v8h e1, ts_v8h n0, ts_v8h n1)
{
    ts_v8h ed = x & 31, sign = x >> 15;
    ts_v8h md = (((x >> 5) & 0x3FF) | 0x400) & (ed != 0);
    ts_v8h ex = ts_max8(ts_max8(e0, e1), ed);
    ts_v8h s0 = ts_max8((e0 - ex) | (e0 <= 0), ts_k8(-16));
    ts_v8h s1 = ts_max8((e1 - ex) | (e1 <= 0), ts_k8(-16));
    // the first of two roundings is a bias of the second: see finish
    n0 = (n0 + ts_max8(-13 - s0, ts_k8(0))) & (e0 > 0);
    n1 = (n1 + ts_max8(-13 - s1, ts_k8(0))) & (e1 > 0);
    ts_v8h z0 = ts_rsh8(n0, s0), z1 = ts_rsh8(n1, s1);
    ts_v8h d = ts_rsh8(md, ts_max8(ed - ex, ts_k8(-13)));
    d = (d ^ sign) - sign;
    ts_v4i f0 = (ts_v4i) __builtin_convertvector(ts_add3_lo(z0, z1, d), ts_v4f) + 0x1000;
    ts_v4i f1 = (ts_v4i) __builtin_convertvector(ts_add3_hi(z0, z1, d), ts_v4f) + 0x1000;
    ts_v8h h = ts_halves_hi(f0, f1), m = ts_halves_lo(f0 >> 13, f1 >> 13) & 0x3FF;
    ts_v8h e = ((h >> 7) & 255) + ex - 137, over = e >= 32;
    ts_v8h y = ts_sel8(over, ts_k8(0x7FFF), ts_shl8(m, 5) | e);
    return (y | (h & ts_k8(INT16_MIN))) & (e > 0);
}

static __attribute__((noinline)) void finish_rows_fp16(uint16_t *dst, const int8_t *e,
                                                       const int16_t *n, int least)
{
#pragma GCC unroll 1
    for (unsigned i = 0; i < 64; i += 16) {
        ts_v16b e0 = ts_ld16(e + i) + (int8_t)least, e1 = ts_ld16(e + i + 64) + (int8_t)least;
        ts_v8h lo = finish_fp16(ts_ld8(dst + i), ts_wideb_lo(e0), ts_wideb_lo(e1), ts_ld8(n + i),
                                ts_ld8(n + i + 64));
        ts_v8h hi = finish_fp16(ts_ld8(dst + i + 8), ts_wideb_hi(e0), ts_wideb_hi(e1),
                                ts_ld8(n + i + 8), ts_ld8(n + i + 72));
        ts_st8(dst + i, lo), ts_st8(dst + i + 8, hi);
    }
}

KEEP_ORDER void ts_mul_fp16(const struct ts_mul_rows *dst, const struct ts_near_operands *op,
                            unsigned rows)
{
    int16_t n[2][4][16] __attribute__((aligned(16)));
#pragma GCC unroll 1
    for (unsigned q = 0; q < rows / 4; q++) {
        sums4(n, op, q);
        finish_rows_fp16(dst->hi[q], op->pair->e[q][0][0], n[0][0], op->least);
    }
}

// ---- a 32-bit Dst ------------------------------------------------------------------------------

// Four columns of a row whose alignment is known: shifts and the sum's exponent in the low bytes.
TS_INLINE ts_v4i finish4(ts_v4i n0, ts_v4i s0, ts_v4i n1, ts_v4i s1, ts_v4i md, ts_v4i sd,
                         ts_v4i sign, ts_v4i ex)
{
    ts_v4i d = ts_rshb4(md, sd);
    ts_v4i t = ts_rshb4(n0, s0) + ts_rshb4(n1, s1) + ((d ^ sign) - sign);
    ts_v4i mag = ts_abs4(t), z = ts_clz4(mag);
    // 24 bits; a carry out of the mantissa steps the exponent
    ts_v4i y = ts_add4(ts_rshb4(mag, z - 8), ts_shl4(ex - z, 23)) & (t != 0);
    return ts_sel4(ts_k4(INT32_MIN), t, y);
}

// One row: as finish does, with all bits of the sums and of Dst.
TS_INLINE void finish32(uint16_t *hi, uint16_t *lo, const int8_t *e, const int16_t *n, int least,
                        struct met *met)
{
    ts_v8h h0 = ts_ld8(hi), h1 = ts_ld8(hi + 8);
    ts_v16u stored = (ts_v16u)ts_bytes_lo(h0, h1);
    met->least = ts_umin16(met->least, stored - 1);
    met->most = ts_umax16(met->most, stored);
    ts_v16b e0 = ts_ld16(e), e1 = ts_ld16(e + 64);
    ts_v16b ed = (ts_v16b)(stored - (uint8_t)least), ex = ts_max16(ts_max16(e0, e1), ed);
    ts_v16b s0 = (ts_v16b)((ts_v16u)minus(e0, ex) + 13), sd = ts_sub_sat16(ed, ex);
    ts_v16b s1 = (ts_v16b)((ts_v16u)minus(e1, ex) + 13);
    ts_v16b md = ts_bytes_hi(h0, h1) | ts_k16(-128), z = {};
    ts_v16b k = (ts_v16b)((ts_v16u)ex + (uint8_t)(least + 7));
#define EIGHT(half, at)                                                                          \
    {                                                                                            \
        ts_v8h u0 = ts_zipb_##half(s0, s0), u1 = ts_zipb_##half(s1, s1);                         \
        ts_v8h ud = ts_zipb_##half(sd, sd), uk = ts_zipb_##half(k, z);                           \
        ts_v8h h = at ? h1 : h0, l = ts_ld8(lo + at), sign = h >> 15;                            \
        ts_v8h m = ts_zipb_##half(md, z), n0 = ts_ld8(n + at), n1 = ts_ld8(n + 64 + at);         \
        ts_v4i a = finish4(ts_wide_lo(n0), ts_zip_lo(u0, u0), ts_wide_lo(n1), ts_zip_lo(u1, u1), \
                           ts_zip_lo(l, m), ts_zip_lo(ud, ud), ts_zip_lo(sign, sign),            \
                           ts_zip_lo(uk, uk));                                                   \
        ts_v4i b = finish4(ts_wide_hi(n0), ts_zip_hi(u0, u0), ts_wide_hi(n1), ts_zip_hi(u1, u1), \
                           ts_zip_hi(l, m), ts_zip_hi(ud, ud), ts_zip_hi(sign, sign),            \
                           ts_zip_hi(uk, uk));                                                   \
        h = ts_halves_hi(a, b);                                                                  \
        ts_st8(lo + at, ts_halves_lo(a, b));                                                     \
        ts_st8(hi + at, ts_sel8(ts_k8(INT16_MIN), h, ts_under8((ts_v8h)((ts_v8u)h >> 7), h)));   \
    }
    EIGHT(lo, 0)
    EIGHT(hi, 8)
#undef EIGHT
}

static __attribute__((noinline)) struct met finish_rows32(uint16_t *hi, uint16_t *lo,
                                                          const int8_t *e, const int16_t *n,
                                                          int least, struct met met)
{
#pragma GCC unroll 1
    for (unsigned i = 0; i < 64; i += 16)
        finish32(hi + i, lo + i, e + i, n + i, least, &met);
    return met;
}

KEEP_ORDER bool ts_mul_near32(const struct ts_mul_rows *dst, const struct ts_near_operands *op,
                              unsigned rows)
{
    int16_t n[2][4][16] __attribute__((aligned(16)));
    uint16_t old[2][8][16] __attribute__((aligned(16)));
    struct met met = {(ts_v16u)ts_k16(-1), {}};
#pragma GCC unroll 1
    for (unsigned q = 0; q < rows / 4; q++) {
        sums4(n, op, q);
        memcpy(old[0][4 * q], dst->hi[q], 4 * sizeof **old);
        memcpy(old[1][4 * q], dst->lo[q], 4 * sizeof **old);
        met = finish_rows32(dst->hi[q], dst->lo[q], op->pair->e[q][0][0], n[0][0], op->least, met);
    }
    if (__builtin_expect(inside(met, op->least), 1))
        return true;
    for (unsigned q = 0; q < rows / 4; q++) {
        memcpy(dst->hi[q], old[0][4 * q], 4 * sizeof **old);
        memcpy(dst->lo[q], old[1][4 * q], 4 * sizeof **old);
    }
    return false;
}
