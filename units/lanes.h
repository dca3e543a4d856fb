// 128-bit vectors for the matrix unit: gcc vector extensions, NEON or AVX2 where an instruction does
// the work; and wider ones for multiply-adds, by SVE or AVX-512.
//
// With AVX2 a file may define TS_TWO_PARTS (near.c does): a vector then has two parts of 128 bits, and
// each operation does in each part what is said of one.
//
// All variants give the same bits: tests/units/test_matrix_portable.c, tests/cross. One file above 500 lines: the
// forms of an operation stand next to each other.
#pragma once

#include "platform/base/std.h"

#define TS_LANES_NEON   0
#define TS_LANES_SVE    0 // NEON too
#define TS_LANES_AVX2   0
#define TS_LANES_AVX512 0 // AVX2 too
#ifdef TENSIM_PORTABLE_LANES
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#undef TS_LANES_NEON
#define TS_LANES_NEON 1
#ifdef __ARM_FEATURE_SVE
#include <arm_sve.h>
#undef TS_LANES_SVE
#define TS_LANES_SVE 1
#endif
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#undef TS_LANES_AVX2
#define TS_LANES_AVX2 1
#ifdef __AVX512VL__
#undef TS_LANES_AVX512
#define TS_LANES_AVX512 1
#endif
#endif

#if TS_LANES_AVX2 && defined(TS_TWO_PARTS)
#define TS_LANES_PARTS 2
#else
#define TS_LANES_PARTS 1
#endif
#if TS_LANES_PARTS == 2
typedef __m256i ts_mm;
#define TS_MM(name) _mm256_##name
#elif TS_LANES_AVX2
typedef __m128i ts_mm;
#define TS_MM(name) _mm_##name
#endif

#define TS_INLINE static inline __attribute__((always_inline))
#define TS_VECTOR vector_size(16 * TS_LANES_PARTS)

typedef float ts_v4f __attribute__((TS_VECTOR));
typedef int32_t ts_v4i __attribute__((TS_VECTOR));
typedef uint32_t ts_v4u __attribute__((TS_VECTOR));
typedef int16_t ts_v8h __attribute__((TS_VECTOR));
typedef uint16_t ts_v8u __attribute__((TS_VECTOR));
typedef int8_t ts_v16b __attribute__((TS_VECTOR));
typedef uint8_t ts_v16u __attribute__((TS_VECTOR));

// Memory is accessed through these, so that no alignment or aliasing rule is broken.
typedef int16_t ts_v8h_mem __attribute__((TS_VECTOR, aligned(2), may_alias));
typedef float ts_v4f_mem __attribute__((TS_VECTOR, aligned(4), may_alias));
typedef int32_t ts_v4i_mem __attribute__((TS_VECTOR, aligned(4), may_alias));
typedef uint32_t ts_v4u_mem __attribute__((TS_VECTOR, aligned(4), may_alias));
typedef int8_t ts_v16b_mem __attribute__((TS_VECTOR, aligned(1), may_alias));

TS_INLINE ts_v8h ts_ld8(const void *p)
{
    return *(const ts_v8h_mem *)p;
}
TS_INLINE void ts_st8(void *p, ts_v8h v)
{
    *(ts_v8h_mem *)p = v;
}
TS_INLINE ts_v4f ts_ld4f(const void *p)
{
    return *(const ts_v4f_mem *)p;
}
// The next sixteen floats.
struct ts_v16f {
    ts_v4f v[4];
};
TS_INLINE struct ts_v16f ts_next16f(const float **at)
{
    const float *p = *at;
    *at += 16;
#if TS_LANES_NEON
    float32x4x4_t x = vld1q_f32_x4(p);
    __asm__("" : "+r"(*at)); // so that the load counts up, and no addition does
    return (struct ts_v16f){
        {(ts_v4f)x.val[0], (ts_v4f)x.val[1], (ts_v4f)x.val[2], (ts_v4f)x.val[3]}};
#else
    return (struct ts_v16f){{ts_ld4f(p), ts_ld4f(p + 4), ts_ld4f(p + 8), ts_ld4f(p + 12)}};
#endif
}
TS_INLINE ts_v4i ts_ld4i(const void *p)
{
    return *(const ts_v4i_mem *)p;
}
TS_INLINE ts_v4u ts_ld4u(const void *p)
{
    return *(const ts_v4u_mem *)p;
}
TS_INLINE void ts_st4i(void *p, ts_v4i v)
{
    *(ts_v4i_mem *)p = v;
}
TS_INLINE void ts_st4u(void *p, ts_v4u v)
{
    *(ts_v4u_mem *)p = v;
}

// All lanes the same.
TS_INLINE ts_v8h ts_k8(int x)
{
    return (ts_v8h){} + (int16_t)x;
}
TS_INLINE ts_v4i ts_k4(int32_t x)
{
    return (ts_v4i){} + x;
}

// Wrapping sums and left shifts: lanes that turn out to be outside the fast path's range may
// overflow in between.
TS_INLINE ts_v8h ts_add8(ts_v8h a, ts_v8h b)
{
    return (ts_v8h)((ts_v8u)a + (ts_v8u)b);
}
TS_INLINE ts_v4i ts_add4(ts_v4i a, ts_v4i b)
{
    return (ts_v4i)((ts_v4u)a + (ts_v4u)b);
}
TS_INLINE ts_v8h ts_shl8(ts_v8h x, int n)
{
    return (ts_v8h)((ts_v8u)x << n);
}
TS_INLINE ts_v4i ts_shl4(ts_v4i x, int n)
{
    return (ts_v4i)((ts_v4u)x << n);
}

// mask ? a : b, bit by bit.
TS_INLINE ts_v8h ts_sel8(ts_v8h mask, ts_v8h a, ts_v8h b)
{
    return ((a ^ b) & mask) ^ b;
}
TS_INLINE ts_v4i ts_sel4(ts_v4i mask, ts_v4i a, ts_v4i b)
{
    return ((a ^ b) & mask) ^ b;
}

TS_INLINE ts_v16b ts_k16(int x)
{
    return (ts_v16b){} + (int8_t)x;
}
TS_INLINE ts_v16b ts_sel16(ts_v16b mask, ts_v16b a, ts_v16b b)
{
    return ((a ^ b) & mask) ^ b;
}

// clang-format off
// Of two vectors, lane by lane: what NEON has, what AVX2 has, and what it means.
#if TS_LANES_NEON
#define TS_OP(name, type, neon, neon_type, avx2, plain) \
    TS_INLINE type name(type a, type b) { return (type)neon((neon_type)a, (neon_type)b); }
#elif TS_LANES_AVX2
#define TS_OP(name, type, neon, neon_type, avx2, plain) \
    TS_INLINE type name(type a, type b) { return (type)TS_MM(avx2)((ts_mm)a, (ts_mm)b); }
#else
#define TS_OP(name, type, neon, neon_type, avx2, plain) \
    TS_INLINE type name(type a, type b) { return (type)(plain); }
#define SUM16  (ts_v16b)((ts_v16u)a + (ts_v16u)b)
#define LESS16 (ts_v16b)((ts_v16u)a - (ts_v16u)b)
#endif
TS_OP(ts_max8, ts_v8h, vmaxq_s16, int16x8_t, max_epi16, ts_sel8(a > b, a, b))
TS_OP(ts_max4, ts_v4i, vmaxq_s32, int32x4_t, max_epi32, ts_sel4(a > b, a, b))
TS_OP(ts_max16, ts_v16b, vmaxq_s8, int8x16_t, max_epi8, ts_sel16(a > b, a, b))
TS_OP(ts_min16, ts_v16b, vminq_s8, int8x16_t, min_epi8, ts_sel16(a < b, a, b))
TS_OP(ts_umax16, ts_v16u, vmaxq_u8, uint8x16_t, max_epu8, ts_sel16((ts_v16b)(a > b), (ts_v16b)a, (ts_v16b)b))
// Saturating: a + b and a - b, signed; a - b, unsigned.
TS_OP(ts_add_sat16, ts_v16b, vqaddq_s8, int8x16_t, adds_epi8, ts_sel16((~(a ^ b) & (a ^ SUM16)) < 0, (a >> 7) ^ 127, SUM16))
TS_OP(ts_sub_sat16, ts_v16b, vqsubq_s8, int8x16_t, subs_epi8, ts_sel16(((a ^ b) & (a ^ LESS16)) < 0, (a >> 7) ^ 127, LESS16))
TS_OP(ts_usub_sat16, ts_v16b, vqsubq_u8, uint8x16_t, subs_epu8, LESS16 & (ts_v16b)((ts_v16u)a > (ts_v16u)b))
#undef TS_OP

// Interleaved, lane i is b[i] over a[i]: 16-bit lanes, the lower and the upper half of them; bytes.
#if TS_LANES_AVX2
#define TS_ZIP(name, to, from, avx2, ...) \
    TS_INLINE to name(from a, from b) { return (to)TS_MM(avx2)((ts_mm)a, (ts_mm)b); }
#else
#define TS_ZIP(name, to, from, avx2, ...) \
    TS_INLINE to name(from a, from b) { return (to)__builtin_shufflevector(a, b, __VA_ARGS__); }
#endif
TS_ZIP(ts_zip_lo, ts_v4i, ts_v8h, unpacklo_epi16, 0, 8, 1, 9, 2, 10, 3, 11)
TS_ZIP(ts_zip_hi, ts_v4i, ts_v8h, unpackhi_epi16, 4, 12, 5, 13, 6, 14, 7, 15)
TS_ZIP(ts_zipb_lo, ts_v8h, ts_v16b, unpacklo_epi8, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
TS_ZIP(ts_zipb_hi, ts_v8h, ts_v16b, unpackhi_epi8, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#undef TS_ZIP
// clang-format on

#if TS_LANES_AVX2
// A multiplication by 2^(15 - n) shifts by n and rounds as it should; for n = 0 the factor is negative,
// and the sign of the product is mended. `by` has n + 112 in the upper byte of each lane, and the same
// with its bit 3 inverted in the lower one; n = 16 and more shift all away.
TS_INLINE ts_v8h ts_rshb8_avx2(ts_v8h x, ts_mm by)
{
    __m128i powers = _mm_setr_epi8(-128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0);
#if TS_LANES_PARTS == 2
    ts_mm factor = TS_MM(shuffle_epi8)(_mm256_broadcastsi128_si256(powers), by);
#else
    ts_mm factor = TS_MM(shuffle_epi8)(powers, by);
#endif
    return (ts_v8h)TS_MM(sign_epi16)(TS_MM(mulhrs_epi16)((ts_mm)x, factor), factor);
}
#endif

// x * 2^s for -16 <= s <= 0, rounded half toward plus infinity.
TS_INLINE ts_v8h ts_rsh8(ts_v8h x, ts_v8h s)
{
#if TS_LANES_NEON
    return (ts_v8h)vrshlq_s16((int16x8_t)x, (int16x8_t)s);
#elif TS_LANES_AVX2
    return ts_rshb8_avx2(x, (ts_mm)(((ts_v8u)(112 - s) * 0x0101) ^ 8));
#else
    ts_v8h d = -s, some = d > 0; // shift by d - 1, add one, shift by one: no overflow
    return ((x >> (d + some)) + (-some)) >> -some;
#endif
}

// x * 2^s for -31 <= s <= 31, rounded half toward plus infinity when s is negative.
TS_INLINE ts_v4i ts_rsh4(ts_v4i x, ts_v4i s)
{
#if TS_LANES_NEON
    return (ts_v4i)vrshlq_s32((int32x4_t)x, (int32x4_t)s);
#else
    ts_v4i neg = s < 0, d = -s & neg, one = -neg;
    ts_v4i right = ((x >> (d - one)) + one) >> one;
    ts_v4i left = (ts_v4i)((ts_v4u)x << (ts_v4u)(s & ~neg));
    return ts_sel4(neg, right, left);
#endif
}

// ts_rsh4 by the low byte of each lane of s, -128 to 31.
TS_INLINE ts_v4i ts_rshb4(ts_v4i x, ts_v4i s)
{
#if TS_LANES_NEON
    return (ts_v4i)vrshlq_s32((int32x4_t)x, (int32x4_t)s);
#else
    return ts_rsh4(x, ts_max4(ts_shl4(s, 24) >> 24, ts_k4(-31)));
#endif
}

TS_INLINE ts_v4i ts_abs4(ts_v4i x)
{
#if TS_LANES_NEON
    return (ts_v4i)vabsq_s32((int32x4_t)x);
#elif TS_LANES_AVX2
    return (ts_v4i)TS_MM(abs_epi32)((ts_mm)x);
#else
    ts_v4i neg = x >> 31;
    return (x ^ neg) - neg;
#endif
}

// x / 2^TS_SCALE_BITS as a float: NEON divides for nothing.
#if TS_LANES_NEON
#define TS_SCALE_BITS 9
#else
#define TS_SCALE_BITS 0
#endif
TS_INLINE ts_v4f ts_scaled4(ts_v4i x)
{
#if TS_LANES_NEON
    return (ts_v4f)vcvtq_n_f32_s32((int32x4_t)x, TS_SCALE_BITS);
#else
    return __builtin_convertvector(x, ts_v4f);
#endif
}

// Leading zeros of non-negative lanes; 32 for zero.
TS_INLINE ts_v4i ts_clz4(ts_v4i x)
{
#if TS_LANES_NEON
    return (ts_v4i)vclzq_s32((int32x4_t)x);
#else
    // dropping the bits under a leading one keeps the conversion from rounding up to the next power
    ts_v4f f = __builtin_convertvector(x & ~(x >> 1), ts_v4f);
    return ts_sel4(x == 0, ts_k4(32), 158 - ((ts_v4i)f >> 23));
#endif
}

// Sign-extended lower and upper four lanes.
TS_INLINE ts_v4i ts_wide_lo(ts_v8h x)
{
#if TS_LANES_NEON
    return (ts_v4i)vmovl_s16(vget_low_s16((int16x8_t)x));
#elif TS_LANES_AVX2 && TS_LANES_PARTS == 1
    return (ts_v4i)_mm_cvtepi16_epi32((__m128i)x);
#else
    return ts_zip_lo(x, x) >> 16;
#endif
}
TS_INLINE ts_v4i ts_wide_hi(ts_v8h x)
{
#if TS_LANES_NEON
    return (ts_v4i)vmovl_s16(vget_high_s16((int16x8_t)x));
#else
    return ts_zip_hi(x, x) >> 16;
#endif
}

// Unsigned even lanes times 2^15, the lower and the upper four.
#if TS_LANES_NEON
#define ts_shl15_lo(x) ((ts_v4i)vshll_n_u16(vget_low_u16((uint16x8_t)(x)), 15))
#define ts_shl15_hi(x) ((ts_v4i)vshll_high_n_u16((uint16x8_t)(x), 15))
#else
#define ts_shl15_lo(x) ts_zip_lo((ts_v8h){}, (ts_v8h)((ts_v8u)(x) >> 1))
#define ts_shl15_hi(x) ts_zip_hi((ts_v8h){}, (ts_v8h)((ts_v8u)(x) >> 1))
#endif

// Low and high halves of eight 32-bit lanes.
TS_INLINE ts_v8h ts_halves_lo(ts_v4i a, ts_v4i b)
{
#if TS_LANES_AVX2
    return (ts_v8h)TS_MM(packus_epi32)((ts_mm)(a & 0xFFFF), (ts_mm)(b & 0xFFFF));
#else
    return __builtin_shufflevector((ts_v8h)a, (ts_v8h)b, 0, 2, 4, 6, 8, 10, 12, 14);
#endif
}
TS_INLINE ts_v8h ts_halves_hi(ts_v4i a, ts_v4i b)
{
#if TS_LANES_AVX2
    return (ts_v8h)TS_MM(packs_epi32)((ts_mm)(a >> 16), (ts_mm)(b >> 16));
#else
    return __builtin_shufflevector((ts_v8h)a, (ts_v8h)b, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

// acc + a * b[k]; fused or not, the callers' result is the same (see units/matrix/mul.h).
#if TS_LANES_NEON
#define ts_mac4(acc, a, b, k) \
    ((ts_v4f)vfmaq_laneq_f32((float32x4_t)(acc), (float32x4_t)(a), (float32x4_t)(b), k))
#else
#define ts_mac4(acc, a, b, k) ((acc) + (a) * (b)[k])
#endif

// The widest float vectors, of which a row of sixteen columns takes 16 / TS_WIDE.
#if TS_LANES_SVE
#define TS_WIDE 8 // of what is there: 256 bits or more
typedef svfloat32_t ts_vw;
TS_INLINE ts_vw ts_ldw(const float *p)
{
    return svld1_f32(svptrue_pat_b32(SV_VL8), p);
}
#define ts_macw(acc, a, b, k) svmla_lane_f32(acc, a, svld1rq_f32(svptrue_b32(), b), k)
TS_INLINE void ts_st_low_halves(int16_t *p, ts_vw u, ts_vw v)
{
    svst1h_s32(svptrue_pat_b32(SV_VL8), p, svreinterpret_s32_f32(u));
    svst1h_s32(svptrue_pat_b32(SV_VL8), p + 8, svreinterpret_s32_f32(v));
}
#elif TS_LANES_AVX512
#define TS_WIDE      16
typedef float ts_vw __attribute__((vector_size(64)));
#define ts_ldw(p)    ((ts_vw)_mm512_loadu_ps(p))
#define ts_stw(p, v) _mm512_storeu_ps(p, (__m512)(v))
#define ts_macw(acc, a, b, k) \
    ((ts_vw)_mm512_fmadd_ps((__m512)(a), _mm512_set1_ps((b)[k]), (__m512)(acc)))
TS_INLINE void ts_st_low_halves(int16_t *p, ts_vw v)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)v));
}
// 1.5 * 2^(x - 114) for a row's exponents: see near.c.
TS_INLINE ts_vw ts_seedsw(const int8_t *e)
{
    __m128i x = _mm_unpacklo_epi64(_mm_loadu_si64(e), _mm_loadu_si64(e + 16));
    __m512i high = _mm512_slli_epi32(_mm512_cvtepi8_epi32(x), 23);
    return (ts_vw)_mm512_add_epi32(high, _mm512_set1_epi32((128 + 13) << 23 | 1 << 22));
}
#elif TS_LANES_AVX2
#define TS_WIDE      8
typedef float ts_vw __attribute__((vector_size(32)));
#define ts_ldw(p)    ((ts_vw)_mm256_loadu_ps(p))
#define ts_stw(p, v) _mm256_storeu_ps(p, (__m256)(v))
#define ts_macw(acc, a, b, k) \
    ((ts_vw)_mm256_fmadd_ps((__m256)(a), _mm256_broadcast_ss((b) + (k)), (__m256)(acc)))
TS_INLINE void ts_st_low_halves(int16_t *p, ts_vw u, ts_vw v)
{
    __m256i x = _mm256_blend_epi16((__m256i)u, _mm256_setzero_si256(), 0xAA);
    __m256i y = _mm256_blend_epi16((__m256i)v, _mm256_setzero_si256(), 0xAA);
    _mm256_storeu_si256((__m256i *)p, _mm256_permute4x64_epi64(_mm256_packus_epi32(x, y), 0xD8));
}
TS_INLINE ts_vw ts_seedsw(const int8_t *e)
{
    __m256i high = _mm256_slli_epi32(_mm256_cvtepi8_epi32(_mm_loadu_si64(e)), 23);
    return (ts_vw)_mm256_add_epi32(high, _mm256_set1_epi32((128 + 13) << 23 | 1 << 22));
}
#else
#define TS_WIDE 4
#endif

#define ts_dup4(v, k) __builtin_shufflevector(v, v, k, k, k, k)
#define ts_dup8(v, k) __builtin_shufflevector(v, v, k, k, k, k, k, k, k, k)

TS_INLINE int ts_any8(ts_v8h v)
{
#if TS_LANES_PARTS == 2
    return !_mm256_testz_si256((ts_mm)v, (ts_mm)v);
#else
    typedef uint64_t v2q __attribute__((vector_size(16)));
    v2q q = (v2q)v;
    return (q[0] | q[1]) != 0;
#endif
}

// ---- bytes: sixteen lanes of 8 bits, and two vectors of 16-bit lanes made of them -------------

TS_INLINE ts_v16b ts_ld16(const void *p)
{
    return *(const ts_v16b_mem *)p;
}
TS_INLINE void ts_st16(void *p, ts_v16b v)
{
    *(ts_v16b_mem *)p = v;
}

#if TS_LANES_NEON
// The larger of each two neighbours: eight of a, eight of b.
TS_INLINE ts_v16b ts_pairs_max16(ts_v16b a, ts_v16b b)
{
    return (ts_v16b)vpmaxq_s8((int8x16_t)a, (int8x16_t)b);
}
#endif

// The first or the last eight bytes of a row; with two parts of two rows, in both parts. Byte k of each
// eight, eight times. A row of bytes as all of these meet it.
#if TS_LANES_PARTS == 2
TS_INLINE ts_v16b ts_eights(const void *p, bool last)
{
    ts_mm a = _mm256_broadcastsi128_si256(_mm_loadu_si128(p));
    ts_mm b = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p + 1));
    return (ts_v16b)(last ? _mm256_unpackhi_epi64(a, b) : _mm256_unpacklo_epi64(a, b));
}
#define ts_dup_eights(v, k)                                                                 \
    ((ts_v16b)_mm256_shuffle_epi8(                                                          \
        (ts_mm)(v), _mm256_set_epi64x(0x0101010101010101 * (8 + k), 0x0101010101010101 * k, \
                                      0x0101010101010101 * (8 + k), 0x0101010101010101 * k)))
TS_INLINE ts_v16b ts_for_all(const void *p)
{
    return (ts_v16b)_mm256_permute4x64_epi64(_mm256_castsi128_si256(_mm_loadu_si128(p)), 0x50);
}
#else
TS_INLINE ts_v16b ts_eights(const void *p, bool last)
{
    ts_v16b b = ts_ld16(p);
    return !last ? b
                 : __builtin_shufflevector(b, b, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13,
                                           14, 15);
}
#define ts_dup_eights(v, k) \
    __builtin_shufflevector(v, v, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k)
#define ts_for_all ts_ld16
#endif

// Low and high bytes of sixteen 16-bit lanes.
TS_INLINE ts_v16b ts_bytes_lo(ts_v8h a, ts_v8h b)
{
#if TS_LANES_AVX2
    return (ts_v16b)TS_MM(packus_epi16)((ts_mm)(a & 0xFF), (ts_mm)(b & 0xFF));
#else
    return __builtin_shufflevector((ts_v16b)a, (ts_v16b)b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                   22, 24, 26, 28, 30);
#endif
}
TS_INLINE ts_v16b ts_bytes_hi(ts_v8h a, ts_v8h b)
{
#if TS_LANES_AVX2
    return (ts_v16b)TS_MM(packs_epi16)((ts_mm)(a >> 8), (ts_mm)(b >> 8));
#else
    return __builtin_shufflevector((ts_v16b)a, (ts_v16b)b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
                                   23, 25, 27, 29, 31);
#endif
}

// Each byte of h one to the left, with the highest bit of l's coming in.
TS_INLINE ts_v16b ts_shl1_in(ts_v16b h, ts_v16b l)
{
#if TS_LANES_NEON
    return (ts_v16b)vsraq_n_u8(vshlq_n_u8((uint8x16_t)h, 1), (uint8x16_t)l, 7);
#else
    return (ts_v16b)((ts_v16u)h + (ts_v16u)h - (ts_v16u)(l < 0));
#endif
}

// The bytes of two vectors of 16-bit lanes, so that the lanes are easy to get back: with AVX2 in their
// order, else in turns: byte 2i is of a's lane i, byte 2i + 1 of b's. From natural order; the low bytes
// of the lanes; the high ones; the lanes of a, and of b: h over l; lanes that have a byte's value; lanes
// of which only the low byte matters (to ts_rshb4 and ts_rshb8_*).
#if TS_LANES_AVX2
#define ts_turns(b) (b)
#define ts_turns_lo ts_bytes_lo
#define ts_turns_hi ts_bytes_hi
#define ts_pair_lo  ts_zipb_lo
#define ts_pair_hi  ts_zipb_hi
#define ts_of_lo(b) (ts_zipb_lo(b, b) >> 8)
#define ts_of_hi(b) (ts_zipb_hi(b, b) >> 8)
#define ts_by_lo(b) ts_zipb_lo(b, b)
#define ts_by_hi(b) ts_zipb_hi(b, b)
#else
TS_INLINE ts_v16b ts_turns(ts_v16b b)
{
    return __builtin_shufflevector(b, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}
TS_INLINE ts_v16b ts_turns_lo(ts_v8h a, ts_v8h b)
{
    return __builtin_shufflevector((ts_v16b)a, (ts_v16b)b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10,
                                   26, 12, 28, 14, 30);
}
TS_INLINE ts_v16b ts_turns_hi(ts_v8h a, ts_v8h b)
{
    return __builtin_shufflevector((ts_v16b)a, (ts_v16b)b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11,
                                   27, 13, 29, 15, 31);
}
#define ts_pair_lo(l, h) ((ts_v8h)ts_turns_lo((ts_v8h)(l), (ts_v8h)(h)))
#define ts_pair_hi(l, h) ((ts_v8h)ts_turns_hi((ts_v8h)(l), (ts_v8h)(h)))
#define ts_of_lo(b)      (ts_shl8((ts_v8h)(b), 8) >> 8)
#define ts_of_hi(b)      ((ts_v8h)(b) >> 8)
#define ts_by_lo(b)      ((ts_v8h)(b))
#define ts_by_hi(b)      ((ts_v8h)((ts_v8u)(b) >> 8))
#endif

// Unsigned bytes times 128; the lower and the upper eight.
TS_INLINE ts_v8h ts_shl7_lo(ts_v16b b)
{
#if TS_LANES_NEON
    return (ts_v8h)vshll_n_u8(vget_low_u8((uint8x16_t)b), 7);
#else
    return (ts_v8h)((ts_v8u)ts_zipb_lo(ts_k16(0), b) >> 1);
#endif
}
TS_INLINE ts_v8h ts_shl7_hi(ts_v16b b)
{
#if TS_LANES_NEON
    return (ts_v8h)vshll_high_n_u8((uint8x16_t)b, 7);
#else
    return (ts_v8h)((ts_v8u)ts_zipb_hi(ts_k16(0), b) >> 1);
#endif
}
// Bits 14:7 of sixteen 16-bit lanes.
TS_INLINE ts_v16b ts_middle_bytes(ts_v8h a, ts_v8h b)
{
#if TS_LANES_NEON
    return (ts_v16b)vshrn_high_n_u16(vshrn_n_u16((uint16x8_t)a, 7), (uint16x8_t)b, 7);
#else
    return ts_bytes_lo(a >> 7, b >> 7);
#endif
}

// ts_rsh8 of a's lanes, and of b's, by the bytes s of both, -128 to 0.
#if TS_LANES_AVX2
TS_INLINE ts_v16b ts_over112(ts_v16b s)
{
    return (ts_v16b)TS_MM(adds_epu8)((ts_mm)(0 - (ts_v16u)s), (ts_mm)ts_k16(112));
}
#define ts_rshb8_lo(x, s) \
    ts_rshb8_avx2(x, (ts_mm)ts_zipb_lo(ts_over112(s) ^ ts_k16(8), ts_over112(s)))
#define ts_rshb8_hi(x, s) \
    ts_rshb8_avx2(x, (ts_mm)ts_zipb_hi(ts_over112(s) ^ ts_k16(8), ts_over112(s)))
#else
TS_INLINE ts_v8h ts_rshb8(ts_v8h x, ts_v8h s)
{
#if TS_LANES_NEON
    return (ts_v8h)vrshlq_s16((int16x8_t)x, (int16x8_t)s);
#else
    return ts_rsh8(x, ts_max8(ts_shl8(s, 8) >> 8, ts_k8(-16)));
#endif
}
#define ts_rshb8_lo(x, s) ts_rshb8(x, ts_by_lo(s))
#define ts_rshb8_hi(x, s) ts_rshb8(x, ts_by_hi(s))
#endif

// a + b + c without overflow, the lower and the upper four lanes.
TS_INLINE ts_v4i ts_add3_lo(ts_v8h a, ts_v8h b, ts_v8h c)
{
#if TS_LANES_NEON
    int32x4_t ab = vaddl_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    return (ts_v4i)vaddw_s16(ab, vget_low_s16((int16x8_t)c));
#elif TS_LANES_AVX2
    return (ts_v4i)TS_MM(madd_epi16)((ts_mm)ts_zip_lo(a, b), (ts_mm)ts_k8(1)) + ts_wide_lo(c);
#else
    return ts_wide_lo(a) + ts_wide_lo(b) + ts_wide_lo(c);
#endif
}
TS_INLINE ts_v4i ts_add3_hi(ts_v8h a, ts_v8h b, ts_v8h c)
{
#if TS_LANES_NEON
    return (ts_v4i)vaddw_high_s16(vaddl_high_s16((int16x8_t)a, (int16x8_t)b), (int16x8_t)c);
#elif TS_LANES_AVX2
    return (ts_v4i)TS_MM(madd_epi16)((ts_mm)ts_zip_hi(a, b), (ts_mm)ts_k8(1)) + ts_wide_hi(c);
#else
    return ts_wide_hi(a) + ts_wide_hi(b) + ts_wide_hi(c);
#endif
}

// High halves of a + c and b + c.
TS_INLINE ts_v8h ts_add_halves_hi(ts_v4i a, ts_v4i b, ts_v4i c)
{
#if TS_LANES_NEON
    int16x4_t low = vaddhn_s32((int32x4_t)a, (int32x4_t)c);
    return (ts_v8h)vaddhn_high_s32(low, (int32x4_t)b, (int32x4_t)c);
#else
    return ts_halves_hi(ts_add4(a, c), ts_add4(b, c));
#endif
}

// The low byte of a under the low byte of b.
TS_INLINE ts_v8h ts_under8(ts_v8h a, ts_v8h b)
{
#if TS_LANES_NEON
    return (ts_v8h)vsliq_n_u16((uint16x8_t)a, (uint16x8_t)b, 8);
#else
    return (a & 0xFF) | ts_shl8(b, 8);
#endif
}
