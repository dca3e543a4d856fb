// The multiplier array for operands of near exponents and a 16-bit Dst with 8-bit exponents, by far
// the most common case: exponents in 8-bit lanes. See mul.h.
//
// Everything is relative to `least`, the exponent of a product of two operands at TS_NEAR_LOW, which
// is all that depends on the fidelity phase:
// group exponents are 0 to 126, and a group of zero products counts as 0, the minimum. Dst's are
// exact from `least` on; a zero Dst is more than 16 below it, where its significand is shifted out.
// Smaller and larger ones are refused. So the float trick always stays in range (least >= 51, least
// + 126 <= 241).
#include <string.h>

#include "units/lanes.h"
#include "units/matrix/macs.h"
#include "units/matrix/mul.h"

#define FROM(M, k) M(k) M(k + 1) M(k + 2) M(k + 3) M(k + 4) M(k + 5) M(k + 6) M(k + 7)
#define NEAR_TOP   (2 * (TS_NEAR_SPAN - 1))
#define NEAR_LEAST (2 * TS_NEAR_LOW - 127) // of phase 0

// Group exponents of four rows of SrcB.
TS_INLINE void exponents(int8_t *e0, int8_t *e1, const int8_t *a0, const int8_t *a1,
                         const int8_t *b)
{
    ts_v16b x;
#define FIRST(i) ts_v16b b##i = ts_ld16(b + 16 * i), m##i = {}, n##i = {};
#define STEP0(i) m##i = ts_max16(m##i, x + ts_dup16(b##i, K));
#define STEP1(i) n##i = ts_max16(n##i, x + ts_dup16(b##i, K));
#define GROUP0(k)                 \
    {                             \
        enum { K = k };           \
        x = ts_ld16(a0 + 16 * K); \
        ROWS4(STEP0)              \
    }
#define GROUP1(k)                       \
    {                                   \
        enum { K = k };                 \
        x = ts_ld16(a1 + 16 * (K - 8)); \
        ROWS4(STEP1)                    \
    }
#define LAST(i) ts_st16(e0 + 16 * i, m##i), ts_st16(e1 + 16 * i, n##i);
    ROWS4(FIRST) FROM(GROUP0, 0) FROM(GROUP1, 8) ROWS4(LAST)
}

// Sums of one group of four rows: sixteen accumulators that stay in registers.
TS_INLINE void sums(int16_t *s_out, const int8_t *e, const float *fa, const float *fb)
{
    ts_v8h z = {}, one_and_half = ts_k8((NEAR_LEAST + 13) * 128 + 64); // 1.5 * 2^(least-114)
    ts_v4f f0, f1, f2, f3;
#define SEED(i)                                                                  \
    ts_v16b e##i = ts_ld16(e + 16 * i);                                          \
    ts_v8h m##i = ts_shl7_lo(e##i) + one_and_half;                               \
    ts_v8h n##i = ts_shl7_hi(e##i) + one_and_half;                               \
    ts_v4f p##i = (ts_v4f)ts_zip_lo(z, m##i), q##i = (ts_v4f)ts_zip_hi(z, m##i); \
    ts_v4f s##i = (ts_v4f)ts_zip_lo(z, n##i), t##i = (ts_v4f)ts_zip_hi(z, n##i); \
    ts_v4f b##i = ts_ld4f(fb + 16 * i);
    ROWS4(SEED) ALL_MACS
}

// Eight columns: three aligned terms to a cell. A zero sum converts to just the addend.
TS_INLINE ts_v8h encode(ts_v8h z0, ts_v8h z1, ts_v8h d, ts_v8h ex, int least)
{
    // |sum| < 2^24 converts exactly, and adding half of the dropped part rounds half away
    int scale = (least - 137) * 128;
    ts_v4i half = ts_k4(scale * 65536 + 0x8000);
    ts_v4i f0 = (ts_v4i) __builtin_convertvector(ts_add3_lo(z0, z1, d), ts_v4f);
    ts_v4i f1 = (ts_v4i) __builtin_convertvector(ts_add3_hi(z0, z1, d), ts_v4f);
    ts_v8h h = ts_add_halves_hi(f0, f1, half);
    ts_v8h y = ts_add8(h, ex) & (h != (int16_t)scale);
    // sign | exponent 8 | mantissa 7 to the cell's sign | mantissa | exponent
    return ts_sel8(ts_k8(INT16_MIN), y, ts_under8((ts_v8h)((ts_v8u)y >> 7), y));
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
    ts_v16b s0 = e0 - ex, bias0 = ts_usub_sat16(ex - e0, ts_k16(13));
    ts_v16b s1 = e1 - ex, bias1 = ts_usub_sat16(ex - e1, ts_k16(13));
    ts_v16b sd = ts_sub_sat16((ts_v16b)((ts_v16u)ed - 4), ex);
    ts_v16b md = ts_bytes_hi(x.lo, x.hi) | ts_k16(-128);
#define ALIGNED(half, at)                                                                \
    encode(ts_rshb8(ts_addb_##half(ts_ld8(n + at), bias0), ts_zipb_##half(s0, s0)),      \
           ts_rshb8(ts_addb_##half(ts_ld8(n + 64 + at), bias1), ts_zipb_##half(s1, s1)), \
           ts_rshb8(ts_shl7_##half(md) ^ (x.half >> 15), ts_zipb_##half(sd, sd)),        \
           ts_shl7_##half(ex), least)
    return (struct row){ALIGNED(lo, 0), ALIGNED(hi, 8)};
}

// Four rows, two at a time, all loads first: that many can be in flight. `old` gets Dst's old
// content.
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

void ts_mul_pair(struct ts_src_pair *pair, const struct ts_src_bank *a, const struct ts_src_bank *b,
                 unsigned a0, unsigned b0)
{
    unsigned a1 = (a0 + 1) % (TS_SRC_ROWS / 8);
    pair->near_a = a->near[8 * a0];
    pair->near_b = b->near[8 * b0];
    pair->stamp[0] = a->split_stamp[a0];
    pair->stamp[1] = a->split_stamp[a1];
    pair->stamp[2] = b->split_stamp[b0];
    for (unsigned q = 0; q < 2; q++)
        exponents(pair->e[q][0][0], pair->e[q][1][0], a->near[8 * a0], a->near[8 * a1],
                  b->near[8 * b0 + 4 * q]);
}

// gcc's scheduling before register allocation would spill the accumulators.
__attribute__((optimize("no-schedule-insns"))) bool ts_mul_near(const struct ts_mul_rows *dst,
                                                                const struct ts_near_operands *op,
                                                                unsigned phase, unsigned rows)
{
    int16_t n[2][4][16] __attribute__((aligned(16)));
    uint16_t old[8][16] __attribute__((aligned(16)));
    struct met met = {(ts_v16u)ts_k16(-1), {}};
    int least = NEAR_LEAST - ts_matrix_phase_shift(phase);
    for (unsigned q = 0; q < rows / 4; q++) {
        const struct ts_src_pair *pair = op->pair;
#pragma GCC unroll 1
        for (unsigned g = 0; g < 2; g++)
            sums(n[g][0], pair->e[q][g][0], op->fa[g], op->fb + 64 * q + 8 * g);
        met = finish_rows(dst->hi[q], old[4 * q], pair->e[q][0][0], n[0][0], least, met);
    }
    ts_v16u outside = (ts_v16u)(met.least < (uint8_t)(least - 1)) |
                      (ts_v16u)(met.most > (uint8_t)(least + NEAR_TOP));
    if (__builtin_expect(!ts_any8((ts_v8h)outside), 1))
        return true;
    for (unsigned q = 0; q < rows / 4; q++)
        memcpy(dst->hi[q], old[4 * q], 4 * sizeof *old);
    return false;
}
