// The multiply-add of the vector unit's MAD sub-unit, one lane and 32 lanes.
//
// The product is cut to 24 + 3 bits (its last bit sticky) before the addition. The operand with the
// smaller exponent is shifted right, again with a sticky last bit, which is lost when everything is
// shifted out. One rounding, to nearest even. Denormals are zero, before and after. This is not a
// fused multiply-add: two sticky bits can add and carry.
//
// With one factor of one, or an addend of zero, no two sticky bits add: then it is an IEEE addition
// or multiplication except for denormals, NaN and the sign of a product that underflows, and the
// host's is used (add and mul forms).
//
// The 32-lane multiply-add does the common case in integer vector code and leaves lanes near
// overflow, underflow, infinity and NaN to the one-lane form. Its only use of the host's floating
// point is to normalise and round: the conversion of an integer below 2^29 to float rounds to
// nearest even, which is the rounding wanted. tests/units/test_vector_fma.c compares all forms.
// On x86-64 the 32-lane forms are compiled twice, as they stand and for AVX2, whose lanes can be
// shifted each by its own count.
//
// Source: tt-isa-documentation Miscellaneous/FMA (the behaviour called bh), SFPMAD.md.
#include "units/vector/body.h"

#define TOP_BIT 26 // the leading one of a normal addend: 23 mantissa bits and three more

// Right shift with a sticky last bit, which is lost when everything is shifted out.
static uint32_t shift_sticky(uint32_t x, int32_t by)
{
    uint32_t s = by > 31 ? 31u : (uint32_t)by;
    uint32_t y = x >> s;
    return y | (y && (y << s) != x);
}

// Any operand infinite or NaN, or the product alone out of range.
static uint32_t fma_special(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t ax = x & ~TS_SIGN, ay = y & ~TS_SIGN, az = z & ~TS_SIGN;
    uint32_t psign = (x ^ y) & TS_SIGN;
    bool xinf = ax == TS_FP32_INF, yinf = ay == TS_FP32_INF, zinf = az == TS_FP32_INF;
    bool xzero = ax < 0x00800000u, yzero = ay < 0x00800000u;

    if (ax > TS_FP32_INF || ay > TS_FP32_INF || az > TS_FP32_INF || (xinf && yzero) ||
        (yinf && xzero) || (zinf && (xinf || yinf) && psign != (z & TS_SIGN)))
        return 0x7FC00000u;
    return zinf ? z : psign | TS_FP32_INF;
}

uint32_t ts_vector_fma(uint32_t x, uint32_t y, uint32_t z)
{
    int32_t xe = (int32_t)(x >> 23 & 255), ye = (int32_t)(y >> 23 & 255),
            ze = (int32_t)(z >> 23 & 255);
    int32_t pe = xe + ye - 127;
    if (xe == 255 || ye == 255 || ze == 255 || pe >= 255)
        return fma_special(x, y, z);

    uint32_t psign = (x ^ y) & TS_SIGN, zsign = z & TS_SIGN;
    if (xe == 0 || ye == 0 || pe < 0) // a product that is zero or underflows by itself
        return ze ? z : psign & zsign;

    uint64_t full = (uint64_t)((x & 0x7FFFFFu) | 0x800000u) * ((y & 0x7FFFFFu) | 0x800000u);
    uint32_t p = (uint32_t)(full >> 20) | ((full & 0xFFFFFu) != 0);
    uint32_t a = ze ? (z & 0x7FFFFFu) << 3 | 1u << TOP_BIT : 0;
    int32_t e = pe > ze ? pe : ze;
    p = shift_sticky(p, e - pe);
    a = shift_sticky(a, e - ze);

    uint32_t sign = p >= a ? psign : zsign;
    uint32_t r = psign == zsign ? p + a : p >= a ? p - a : a - p;
    if (!r)
        return psign & zsign;

    int32_t up = __builtin_clz(r);
    e += 31 - TOP_BIT - up;
    if (e >= 255)
        return sign | TS_FP32_INF;
    r <<= up;   // the leading one is now bit 31
    if (e <= 0) // a denormal has one bit less: all ones round up to the smallest normal
        return sign | (r >= 0xFFFFFF00u ? 0x00800000u : 0);
    uint32_t kept = r >> 8;
    kept += ((r & 0xFFu) + (kept & 1)) > 0x80u;
    return sign | (((uint32_t)(e - 1) << 23) + kept);
}

// A function over lanes, from its inlined form.
#define INLINED static inline __attribute__((always_inline)) void
#ifdef __x86_64__
#define LANES(name, parameters, arguments)                             \
    __attribute__((target("avx2"))) static void name##_avx2 parameters \
    {                                                                  \
        name arguments;                                                \
    }                                                                  \
    void ts_vector_##name parameters                                   \
    {                                                                  \
        if (__builtin_cpu_supports("avx2"))                            \
            name##_avx2 arguments;                                     \
        else                                                           \
            name arguments;                                            \
    }
#else
#define LANES(name, parameters, arguments) \
    void ts_vector_##name parameters       \
    {                                      \
        name arguments;                    \
    }
#endif

static inline int32_t max32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}
static inline int32_t min32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

INLINED fma_lanes(const uint32_t *restrict x, const uint32_t *restrict y,
                  const uint32_t *restrict z, uint32_t *restrict d)
{
    TS_LANE_ARRAY(high);                                  // product >> 20
    TS_LANE_ARRAY(sum);                                   // magnitude of the unrounded result
    TS_LANE_ARRAY(sign);                                  // sign, in bit 31
    TS_LANE_ARRAY(bits);                                  // sum as a float
    int32_t scale[TS_LANES] __attribute__((aligned(64))); // exponent to add to that float's
    float rounded[TS_LANES] __attribute__((aligned(64)));

    // Mantissas placed so that the product's bit 20 is bit 32.
    for (TS_EACH_LANE) {
        uint32_t xm = x[l] << 8 | TS_SIGN, ym = (y[l] << 4 & 0x7FFFFF0u) | 0x8000000u;
        high[l] = (uint32_t)((uint64_t)xm * ym >> 32);
    }
    int32_t largest = 0;
    for (TS_EACH_LANE) {
        uint32_t xm = x[l] << 8 | TS_SIGN, ym = (y[l] << 4 & 0x7FFFFF0u) | 0x8000000u;
        uint32_t p = high[l] | (xm * ym != 0);
        int32_t xe = (int32_t)(x[l] >> 23 & 255), ye = (int32_t)(y[l] >> 23 & 255),
                ze = (int32_t)(z[l] >> 23 & 255);
        int32_t pe = xe + ye - 127;
        largest = max32(max32(largest, pe), max32(max32(xe, ye), ze));

        uint32_t a = ze ? (z[l] << 3 & 0x3FFFFF8u) | 1u << TOP_BIT : 0;
        int32_t apart = pe - ze;
        uint32_t stays = apart >= 0 ? p : a, moves = apart >= 0 ? a : p;
        uint32_t by = (uint32_t)min32(apart < 0 ? -apart : apart, 31);
        uint32_t moved = moves >> by;
        moved |= (moved != 0) & ((moved << by) != moves);

        int32_t difference = (int32_t)(stays - moved);
        uint32_t psign = x[l] ^ y[l], opposed = psign ^ z[l];
        sum[l] = (int32_t)opposed < 0 ? (uint32_t)(difference < 0 ? -difference : difference)
                                      : stays + moved;
        // The product's sign, flipped once if the addend stayed and once if the shifted operand is
        // larger.
        sign[l] = psign ^ (opposed & ((uint32_t)difference ^ (uint32_t)apart));
        scale[l] = max32(pe, ze) - (127 + TOP_BIT);
    }
    for (TS_EACH_LANE)
        rounded[l] = (float)(int32_t)sum[l];
    memcpy(bits, rounded, sizeof bits);

    uint32_t rare = (uint32_t)(largest >= 255);
    for (TS_EACH_LANE) {
        uint32_t xe = x[l] >> 23 & 255, ye = y[l] >> 23 & 255, ze = z[l] >> 23 & 255;
        uint32_t zero = z[l] & (x[l] ^ y[l]) & TS_SIGN;
        uint32_t addend = ze ? z[l] : zero;
        uint32_t lost = (xe == 0) | (ye == 0) | (xe + ye < 127);
        uint32_t nothing = sum[l] == 0;
        int32_t e = (int32_t)(bits[l] >> 23) + scale[l];
        uint32_t r = (bits[l] + ((uint32_t)scale[l] << 23)) | (sign[l] & TS_SIGN);
        uint32_t plain = (uint32_t)(e - 2) <= 252u; // exponent 2..254
        rare |= (uint32_t)((plain | lost | nothing) == 0);
        r = nothing ? zero : r;
        d[l] = lost ? addend : r;
    }
    if (__builtin_expect(rare != 0, 0)) {
        for (TS_EACH_LANE)
            d[l] = ts_vector_fma(x[l], y[l], z[l]);
    }
}
LANES(fma_lanes, (const uint32_t *x, const uint32_t *y, const uint32_t *z, uint32_t *d),
      (x, y, z, d))

static inline uint32_t flush(uint32_t x)
{
    return x & TS_FP32_INF ? x : x & TS_SIGN;
}

// Denormal results are zero, and there is one NaN.
static inline uint32_t finish(uint32_t r)
{
    r = flush(r);
    return (r & ~TS_SIGN) > TS_FP32_INF ? 0x7FC00000u : r;
}

typedef float lane_floats[TS_LANES] __attribute__((aligned(64)));

INLINED add_lanes(const uint32_t *restrict x, const uint32_t *restrict z, uint32_t *restrict d)
{
    TS_LANE_ARRAY(a);
    TS_LANE_ARRAY(b);
    lane_floats fa, fb;
    for (TS_EACH_LANE) {
        a[l] = flush(x[l]);
        b[l] = flush(z[l]);
    }
    memcpy(fa, a, sizeof fa);
    memcpy(fb, b, sizeof fb);
    for (TS_EACH_LANE)
        fa[l] += fb[l];
    memcpy(a, fa, sizeof a);
    for (TS_EACH_LANE)
        d[l] = finish(a[l]);
}
LANES(add_lanes, (const uint32_t *x, const uint32_t *z, uint32_t *d), (x, z, d))

INLINED mul_lanes(const uint32_t *restrict x, const uint32_t *restrict y, uint32_t zero,
                  uint32_t *restrict d)
{
    TS_LANE_ARRAY(a);
    TS_LANE_ARRAY(b);
    lane_floats fa, fb;
    for (TS_EACH_LANE) {
        a[l] = flush(x[l]);
        b[l] = flush(y[l]);
    }
    memcpy(fa, a, sizeof fa);
    memcpy(fb, b, sizeof fb);
    for (TS_EACH_LANE)
        fa[l] *= fb[l];
    memcpy(a, fa, sizeof a);
    for (TS_EACH_LANE) {
        uint32_t xe = x[l] >> 23 & 255, ye = y[l] >> 23 & 255;
        uint32_t r = finish(a[l]);
        // A product that underflows by itself is replaced by the addend. Infinity times zero is
        // not.
        uint32_t lost = ((xe == 0) | (ye == 0) | (xe + ye < 127)) & (xe != 255) & (ye != 255);
        uint32_t sum = (x[l] ^ y[l]) & zero;
        d[l] = lost ? sum : r;
    }
}
LANES(mul_lanes, (const uint32_t *x, const uint32_t *y, uint32_t zero, uint32_t *d),
      (x, y, zero, d))
