// The multiplier array for operands of near exponents, by far the most common case: exponents in
// 8-bit lanes. See mul.h.
//
// Group exponents are those of phase 0, and 128 less than they are, so that they fit; a group of zero
// products has that of a zero Dst. Other phases subtract what they count less. So the float trick
// always stays in range (51 to 189). Dst is anything. 5-bit exponents are all near; theirs are those of a
// 32-bit Dst. SrcA's exponents, and all that is made of them, are in the order of ts_turns.
//
// With AVX2 a vector has two parts: columns 0 to 7 and 8 to 15 of a row, and what has the bytes of a row
// elsewhere has those of two (ts_src_pair).

#define TS_TWO_PARTS

#include "units/matrix/dispatch.h"
#include "units/matrix/macs.h"
#include "units/matrix/mul.h"

// The rows that a vector of bytes has, and two of 16-bit lanes (`lo` and `hi`).
#define ROWS TS_LANES_PARTS
enum {
    DST_HI = 8 * ROWS,           // from lo to hi in Dst, and the same in group sums
    SUM_HI = ROWS == 2 ? 32 : 8, // (those are by row, group, column)
    GROUP_1 = 16 * ROWS,         // from the first group's exponents to the second's
};

// What becomes of the largest sum of two near exponents.
TS_INLINE void keep(int8_t *e, ts_v16b most, bool e5)
{
    if (e5)
        most = ts_max16(most, ts_k16(TS_NEAR_NONE5));
    ts_st16(e, ts_add_sat16(
                   most, ts_k16(2 * (e5 ? TS_NEAR_LOW5 : TS_NEAR_LOW) + (e5 ? 97 : -127) - 128)));
}

// Group exponents of eight rows of SrcB.
#if TS_LANES_NEON

// Four rows of SrcA side by side: four columns in each vector.
TS_INLINE void quads(ts_v16b x[4], const int8_t *a)
{
    ts_v16b r0 = ts_ld16(a), r1 = ts_ld16(a + 16), r2 = ts_ld16(a + 32), r3 = ts_ld16(a + 48);
    ts_v8h l = ts_zipb_lo(r0, r1), h = ts_zipb_hi(r0, r1);
    ts_v8h m = ts_zipb_lo(r2, r3), n = ts_zipb_hi(r2, r3);
    x[0] = (ts_v16b)ts_zip_lo(l, m), x[1] = (ts_v16b)ts_zip_hi(l, m);
    x[2] = (ts_v16b)ts_zip_lo(h, n), x[3] = (ts_v16b)ts_zip_hi(h, n);
}

// SrcA stays in registers; four data of SrcB are one element, and pairwise maxima come last.
TS_INLINE void exponents(struct ts_src_pair *pair, const int8_t *a0, const int8_t *a1,
                         const int8_t *b, bool e5)
{
    ts_v16b x[4][4];
    quads(x[0], a0), quads(x[1], a0 + 64), quads(x[2], a1), quads(x[3], a1 + 64);
#define MOST(k, v)                                          \
    ts_max16(ts_add_sat16(x[k][v], (ts_v16b)ts_dup4(y, k)), \
             ts_add_sat16(x[k + 1][v], (ts_v16b)ts_dup4(y, k + 1)))
#define GROUP(k) \
    ts_pairs_max16(ts_pairs_max16(MOST(k, 0), MOST(k, 1)), ts_pairs_max16(MOST(k, 2), MOST(k, 3)))
#pragma GCC unroll 1
    for (unsigned i = 0; i < 8; i++) {
        ts_v4i y = ts_ld4i(b + 16 * i);
        keep(pair->e[i][0], GROUP(0), e5);
        keep(pair->e[i][1], GROUP(2), e5);
    }
}

#else

// Four vectors (of a row or two) and one group at a time.
TS_INLINE void exponents4(int8_t *e, const int8_t *a, const int8_t *b, bool upper, bool e5)
{
#define FIRST(i) ts_v16b b##i = ts_eights(b + 16 * ROWS * i, upper), m##i = ts_k16(-128);
#define STEP(i)  m##i = ts_max16(m##i, ts_add_sat16(x, ts_dup_eights(b##i, K)));
#define GROUP(k)                            \
    {                                       \
        enum { K = k };                     \
        ts_v16b x = ts_for_all(a + 16 * K); \
        ROWS4(STEP)                         \
    }
#define LAST(i) keep(e + 32 * ROWS * i, m##i, e5);
    ROWS4(FIRST)
    GROUP(0) GROUP(1) GROUP(2) GROUP(3) GROUP(4) GROUP(5) GROUP(6) GROUP(7) ROWS4(LAST)
}

TS_INLINE void exponents(struct ts_src_pair *pair, const int8_t *a0, const int8_t *a1,
                         const int8_t *b, bool e5)
{
    for (unsigned i = 0; i < 8; i += 4 * ROWS) {
        exponents4(pair->e[i][0], a0, b + 16 * i, false, e5);
        exponents4(pair->e[i][0] + GROUP_1, a1, b + 16 * i, true, e5);
    }
}

#endif

#if TS_LANES_PARTS == 2

// The accumulators' seeds of row i and group g, 1.5 * 2^(x - 114).
TS_INLINE void seeds(float *seed, const struct ts_src_pair *pair, unsigned i, unsigned g)
{
    const int8_t *e = pair->e[(i & ~1u) + g][0] + 8 * (i & 1);
    for (unsigned c = 0; c < 16; c += TS_WIDE)
        ts_stw(seed + c, ts_seedsw(e + 2 * c));
}

#else

TS_INLINE void seeds(float *seed, const struct ts_src_pair *pair, unsigned i, unsigned g)
{
    ts_v16b e = ts_ld16(pair->e[i][g]);
    ts_v16b high = (ts_v16b)((ts_v16u)e + (128 + 13)), half = ts_k16(-128);
    ts_v8h m = ts_pair_lo(half, high), n = ts_pair_hi(half, high);
    ts_st4i(seed, ts_shl15_lo(m)), ts_st4i(seed + 4, ts_shl15_hi(m));
    ts_st4i(seed + 8, ts_shl15_lo(n)), ts_st4i(seed + 12, ts_shl15_hi(n));
}

#endif

// All of four rows: both groups. Each phase makes its seeds anew: next to multiply-adds that takes no
// time; to keep them does.
TS_INLINE void sums4(int16_t n[4][2][16], const struct ts_near_operands *op, unsigned q)
{
#pragma GCC unroll 2
    for (unsigned g = 0; g < 2; g++) {
        float seed[4][16] __attribute__((aligned(64)));
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            seeds(seed[i], op->pair, 4 * q + i, g);
        ts_group_macs(n[0][g], seed[0], op->fa[g], op->fb + 64 * q + 32 * g);
    }
}

// Eight columns: three aligned terms to a float's high half, rounded. |sum| < 2^24 converts exactly,
// and adding half of the dropped part rounds half away. The float is 2^TS_SCALE_BITS too small.
TS_INLINE ts_v8h add_up(ts_v8h z0, ts_v8h z1, ts_v8h d)
{
    ts_v4i f0 = (ts_v4i)ts_scaled4(ts_add3_lo(z0, z1, d));
    ts_v4i f1 = (ts_v4i)ts_scaled4(ts_add3_hi(z0, z1, d));
    return ts_add_halves_hi(f0, f1, ts_k4(0x8000));
}

// The exponents of a row's Dst, as group exponents are.
TS_INLINE ts_v16b dst_exponents(ts_v8h lo, ts_v8h hi)
{
    return ts_turns_lo(lo, hi) ^ ts_k16(-128);
}
#define ZERO_EXP  (-128)
#define LEAST_EXP (51 - 128) // of a product, in any phase

// One row's largest exponent, and by how much its terms are shifted to get there (0 or less).
struct align {
    ts_v16b top, s0, s1, sd;
};

TS_INLINE struct align align(ts_v16b ed, const int8_t *e, ts_v16b less)
{
    ts_v16b e0 = ts_sub_sat16(ts_ld16(e), less), e1 = ts_sub_sat16(ts_ld16(e + GROUP_1), less);
    ts_v16b top = ts_max16(ts_max16(e0, e1), ed);
    return (struct align){top, ts_sub_sat16(e0, top), ts_sub_sat16(e1, top), ts_sub_sat16(ed, top)};
}

struct row {
    ts_v8h lo, hi; // columns 0 to 7 and 8 to 15, or two rows
};

// For sums that are shifted by more than 13: the first of their two roundings then counts, and amounts
// to a bias of the second.
TS_INLINE struct row biased(struct row n, ts_v16b shift)
{
    ts_v16b bias = ts_usub_sat16((ts_v16b)(0 - (ts_v16u)shift), ts_k16(13));
    return (struct row){ts_add8(n.lo, ts_pair_lo(bias, ts_k16(0))),
                        ts_add8(n.hi, ts_pair_hi(bias, ts_k16(0)))};
}

// Shifts both sums and Dst, adds, rounds. Dst's significand has four bits more than it needs: of a
// negative one all are inverted, which subtracts one sixteenth and rounds a half away from zero.
// `far` is for all values: Dst may be zero where the sums are, or infinite.
TS_INLINE struct row finish(struct row x, struct align by, const int16_t *n, bool far)
{
    struct row n0 = {ts_ld8(n), ts_ld8(n + SUM_HI)};
    struct row n1 = {ts_ld8(n + 16), ts_ld8(n + 16 + SUM_HI)};
    ts_v16b s0 = by.s0, s1 = by.s1, sd = ts_sub_sat16(by.sd, ts_k16(4));
    ts_v16b md = ts_bytes_hi(x.lo, x.hi) | ts_k16(-128);
    if (far) {
        n0 = biased(n0, s0), n1 = biased(n1, s1);
        sd = ts_sel16(dst_exponents(x.lo, x.hi) == ZERO_EXP, ts_k16(-128), sd);
        md = ts_sel16(ts_bytes_lo(x.lo, x.hi) == -1, ts_k16(-128), md);
    }
#define ALIGNED(half)                                                  \
    add_up(ts_rshb8_##half(n0.half, s0), ts_rshb8_##half(n1.half, s1), \
           ts_rshb8_##half(ts_shl7_##half(md) ^ (x.half >> 15), sd))
    ts_v8h lo = ALIGNED(lo), hi = ALIGNED(hi);
    // sign | exponent 8 | mantissa 7 to the cell's sign | mantissa | exponent; zero stays zero
    ts_v16b low = ts_turns_lo(lo, hi), high = ts_turns_hi(lo, hi);
    ts_v16b scale = ts_shl1_in(high, low), some = scale != 0;
    ts_v16u sum = (ts_v16u)scale + (ts_v16u)by.top - (137 - 128 - TS_SCALE_BITS);
    ts_v16b exponent = (ts_v16b)sum & some;
    high = ts_sel16(ts_k16(-128), high, low);
    return (struct row){ts_pair_lo(exponent, high), ts_pair_hi(exponent, high)};
}

TS_INLINE struct row load_row(const uint16_t *dst)
{
    return (struct row){ts_ld8(dst), ts_ld8(dst + DST_HI)};
}
TS_INLINE void store_row(uint16_t *dst, struct row x)
{
    ts_st8(dst, x.lo), ts_st8(dst + DST_HI, x.hi);
}

// Not inlined: the sums of the next four rows then are in flight at the same time. With AVX2 the
// constants weigh more, and there is no gain from values close together.
#if ROWS == 2
#define FINISH TS_INLINE
#else
#define FINISH static __attribute__((noinline))
#endif

// Four rows of any values.
FINISH void finish_far(uint16_t *dst, const int8_t *e, const int16_t *n, ts_v16b less)
{
#pragma GCC unroll 1
    for (unsigned i = 0; i < 64; i += 32) {
#pragma GCC unroll 2
        for (unsigned j = i; j < i + 32; j += 16 * ROWS) {
            struct row x = load_row(dst + j);
            struct align by = align(dst_exponents(x.lo, x.hi), e + 2 * j, less);
            store_row(dst + j, finish(x, by, n + 2 * j, true));
        }
    }
}

// Four rows, usually of values close together.
FINISH void finish_rows(uint16_t *dst, const int8_t *e, const int16_t *n, ts_v16b less)
{
    struct row x[4 / ROWS];
    struct align by[4 / ROWS];
    ts_v16b shift = {}, top = ts_k16(127);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4 / ROWS; i++) {
        x[i] = load_row(dst + 16 * ROWS * i);
        by[i] = align(dst_exponents(x[i].lo, x[i].hi), e + 32 * ROWS * i, less);
        shift = ts_min16(shift, ts_min16(by[i].s0, by[i].s1));
        top = ts_min16(top, by[i].top);
    }
    if (__builtin_expect(ts_any8((ts_v8h)(shift < -13) | (ts_v8h)(top < LEAST_EXP)), 0)) {
        finish_far(dst, e, n, less);
        return;
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4 / ROWS; i++)
        store_row(dst + 16 * ROWS * i, finish(x[i], by[i], n + 32 * ROWS * i, false));
}

__attribute__((noinline)) void ts_mul_pair(struct ts_src_pair *pair, const struct ts_src_bank *a,
                                           const struct ts_src_bank *b, unsigned a0, unsigned b0)
{
    unsigned a1 = (a0 + 1) % (TS_SRC_ROWS / 8);
    const int8_t *ea0 = a->near[8 * a0], *ea1 = a->near[8 * a1], *eb = b->near[8 * b0];
    a->split_style == TS_STYLE_FP16 ? exponents(pair, ea0, ea1, eb, true)
                                    : exponents(pair, ea0, ea1, eb, false);
}

// gcc's scheduling before register allocation would spill the accumulators.
#ifdef __clang__
#define KEEP_ORDER
#else
#define KEEP_ORDER __attribute__((optimize("no-schedule-insns")))
#endif

// Four rows at a time: their sums, then what finishes them.
#define MULTIPLY(name, ...)                                                                \
    KEEP_ORDER void name(const struct ts_mul_rows *dst, const struct ts_near_operands *op, \
                         unsigned rows)                                                    \
    {                                                                                      \
        int16_t n[4][2][16] __attribute__((aligned(16)));                                  \
        _Pragma("GCC unroll 1") for (unsigned q = 0; q < rows / 4; q++)                    \
        {                                                                                  \
            sums4(n, op, q);                                                               \
            __VA_ARGS__;                                                                   \
        }                                                                                  \
    }
MULTIPLY(ts_mul_near16,
         (ROWS == 2 || op->small ? finish_far : finish_rows)(dst->hi[q], op->pair->e[4 * q][0],
                                                             n[0][0], ts_k16(op->less)))

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
                                                       const int16_t *n, int less)
{
#pragma GCC unroll 1
    for (unsigned i = 0; i < 64; i += 16 * ROWS) {
        ts_v16b e0 = ts_ld16(e + 2 * i), e1 = ts_ld16(e + 2 * i + GROUP_1); // of a 32-bit Dst
        int16_t least = (int16_t)(128 - 97 - 15 - less);
        struct row x = load_row(dst + i);
        x.lo = finish_fp16(x.lo, ts_of_lo(e0) + least, ts_of_lo(e1) + least, ts_ld8(n + 2 * i),
                           ts_ld8(n + 2 * i + 16));
        x.hi = finish_fp16(x.hi, ts_of_hi(e0) + least, ts_of_hi(e1) + least,
                           ts_ld8(n + 2 * i + SUM_HI), ts_ld8(n + 2 * i + 16 + SUM_HI));
        store_row(dst + i, x);
    }
}

MULTIPLY(ts_mul_fp16, finish_rows_fp16(dst->hi[q], op->pair->e[4 * q][0], n[0][0], op->less))

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

// As finish does, with all bits of the sums and of Dst.
TS_INLINE void finish32(uint16_t *hi, uint16_t *lo, const int8_t *e, const int16_t *n, ts_v16b less)
{
    struct row h01 = load_row(hi);
    ts_v16b ed = dst_exponents(h01.lo, h01.hi);
    struct align by = align(ed, e, less);
    ts_v16b s0 = by.s0 + 13, s1 = by.s1 + 13;
    ts_v16b sd = ts_sel16(ed == ZERO_EXP, ts_k16(-128), by.sd);
    ts_v16b k = (ts_v16b)((ts_v16u)by.top + (128 + 7));
#define EIGHT(half, at, sums)                                                                    \
    {                                                                                            \
        ts_v8h u0 = ts_by_##half(s0), u1 = ts_by_##half(s1);                                     \
        ts_v8h ud = ts_by_##half(sd), uk = ts_by_##half(k);                                      \
        ts_v8h h = h01.half, sign = h >> 15, some = (h | -256) != -1; /* not infinite */         \
        ts_v8h m = ((ts_v8h)((ts_v8u)h >> 8) & some) | 128, l = ts_ld8(lo + at) & some;          \
        ts_v8h n0 = ts_ld8(n + sums), n1 = ts_ld8(n + 16 + sums);                                \
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
    EIGHT(lo, 0, 0)
    EIGHT(hi, DST_HI, SUM_HI)
#undef EIGHT
}

static __attribute__((noinline)) void finish_rows32(uint16_t *hi, uint16_t *lo, const int8_t *e,
                                                    const int16_t *n, ts_v16b less)
{
#pragma GCC unroll 1
    for (unsigned i = 0; i < 64; i += 16 * ROWS)
        finish32(hi + i, lo + i, e + 2 * i, n + 2 * i, less);
}

MULTIPLY(ts_mul_near32,
         finish_rows32(dst->hi[q], dst->lo[q], op->pair->e[4 * q][0], n[0][0], ts_k16(op->less)))
