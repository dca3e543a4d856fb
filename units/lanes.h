// 128-bit vectors for the matrix unit: gcc vector extensions, NEON or AVX2 where an instruction does
// the work; and wider ones for multiply-adds, by SVE or AVX-512.
//
// All variants give the same bits: tests/units/test_matrix_portable.c, tests/cross. One file above 500 lines: the
// forms of an operation stand next to each other.
#pragma once

#include <stdint.h>

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

#define TS_INLINE static inline __attribute__((always_inline))

typedef float ts_v4f __attribute__((vector_size(16)));
typedef int32_t ts_v4i __attribute__((vector_size(16)));
typedef uint32_t ts_v4u __attribute__((vector_size(16)));
typedef int16_t ts_v8h __attribute__((vector_size(16)));
typedef uint16_t ts_v8u __attribute__((vector_size(16)));
typedef int8_t ts_v16b __attribute__((vector_size(16)));
typedef uint8_t ts_v16u __attribute__((vector_size(16)));

// Memory is accessed through these, so that no alignment or aliasing rule is broken.
typedef int16_t ts_v8h_mem __attribute__((vector_size(16), aligned(2), may_alias));
typedef float ts_v4f_mem __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t ts_v4i_mem __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t ts_v4u_mem __attribute__((vector_size(16), aligned(4), may_alias));
typedef int8_t ts_v16b_mem __attribute__((vector_size(16), aligned(1), may_alias));

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

TS_INLINE ts_v8h ts_max8(ts_v8h a, ts_v8h b)
{
#if TS_LANES_NEON
    return (ts_v8h)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
#elif TS_LANES_AVX2
    return (ts_v8h)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    return ts_sel8(a > b, a, b);
#endif
}

TS_INLINE ts_v4i ts_max4(ts_v4i a, ts_v4i b)
{
#if TS_LANES_NEON
    return (ts_v4i)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
#elif TS_LANES_AVX2
    return (ts_v4i)_mm_max_epi32((__m128i)a, (__m128i)b);
#else
    return ts_sel4(a > b, a, b);
#endif
}

#if TS_LANES_AVX2
// The low byte of each lane of s, in both bytes, says by how much: a multiplication by 2^(15 - n)
// rounds as it should; for n = 0 the factor is negative, and the sign of the product is mended.
TS_INLINE ts_v8h ts_rshb8_avx2(ts_v8h x, ts_v8h s)
{
    const __m128i powers = _mm_setr_epi8(-128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    __m128i n = _mm_sub_epi8(_mm_setzero_si128(), (__m128i)s);
    n = _mm_xor_si128(_mm_adds_epu8(n, _mm_set1_epi8(112)), _mm_set1_epi16(8)); // 16 and more: none
    __m128i factor = _mm_shuffle_epi8(powers, n);
    return (ts_v8h)_mm_sign_epi16(_mm_mulhrs_epi16((__m128i)x, factor), factor);
}
#endif

// x * 2^s for -16 <= s <= 0, rounded half toward plus infinity.
TS_INLINE ts_v8h ts_rsh8(ts_v8h x, ts_v8h s)
{
#if TS_LANES_NEON
    return (ts_v8h)vrshlq_s16((int16x8_t)x, (int16x8_t)s);
#elif TS_LANES_AVX2
    return ts_rshb8_avx2(x, (s & 0xFF) | ts_shl8(s, 8));
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
    return (ts_v4i)_mm_abs_epi32((__m128i)x);
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

// Interleaved 16-bit pairs: lane i is h[i] over l[i].
TS_INLINE ts_v4i ts_zip_lo(ts_v8h l, ts_v8h h)
{
    return (ts_v4i)__builtin_shufflevector(l, h, 0, 8, 1, 9, 2, 10, 3, 11);
}
TS_INLINE ts_v4i ts_zip_hi(ts_v8h l, ts_v8h h)
{
    return (ts_v4i)__builtin_shufflevector(l, h, 4, 12, 5, 13, 6, 14, 7, 15);
}

// Sign-extended lower and upper four lanes.
TS_INLINE ts_v4i ts_wide_lo(ts_v8h x)
{
#if TS_LANES_NEON
    return (ts_v4i)vmovl_s16(vget_low_s16((int16x8_t)x));
#elif TS_LANES_AVX2
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
    return (ts_v8h)_mm_packus_epi32((__m128i)(a & 0xFFFF), (__m128i)(b & 0xFFFF));
#endif
    return __builtin_shufflevector((ts_v8h)a, (ts_v8h)b, 0, 2, 4, 6, 8, 10, 12, 14);
}
TS_INLINE ts_v8h ts_halves_hi(ts_v4i a, ts_v4i b)
{
#if TS_LANES_AVX2
    return (ts_v8h)_mm_packs_epi32((__m128i)(a >> 16), (__m128i)(b >> 16));
#endif
    return __builtin_shufflevector((ts_v8h)a, (ts_v8h)b, 1, 3, 5, 7, 9, 11, 13, 15);
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
TS_INLINE void ts_st_low_halves(int16_t *p, ts_vw v)
{
    svst1h_s32(svptrue_pat_b32(SV_VL8), p, svreinterpret_s32_f32(v));
}
#elif TS_LANES_AVX512
#define TS_WIDE 16
typedef float ts_vw __attribute__((vector_size(64)));
TS_INLINE ts_vw ts_ldw(const float *p)
{
    return (ts_vw)_mm512_loadu_ps(p);
}
#define ts_macw(acc, a, b, k) \
    ((ts_vw)_mm512_fmadd_ps((__m512)(a), _mm512_set1_ps((b)[k]), (__m512)(acc)))
TS_INLINE void ts_st_low_halves(int16_t *p, ts_vw v)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)v));
}
#elif TS_LANES_AVX2
#define TS_WIDE 8
typedef float ts_vw __attribute__((vector_size(32)));
TS_INLINE ts_vw ts_ldw(const float *p)
{
    return (ts_vw)_mm256_loadu_ps(p);
}
#define ts_macw(acc, a, b, k) \
    ((ts_vw)_mm256_fmadd_ps((__m256)(a), _mm256_broadcast_ss((b) + (k)), (__m256)(acc)))
TS_INLINE void ts_st_low_halves(int16_t *p, ts_vw v)
{
    __m256i x = _mm256_and_si256((__m256i)v, _mm256_set1_epi32(0xFFFF));
    ts_st8(p, (ts_v8h)_mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}
#else
#define TS_WIDE 4
#endif

#define ts_dup4(v, k) __builtin_shufflevector(v, v, k, k, k, k)
#define ts_dup8(v, k) __builtin_shufflevector(v, v, k, k, k, k, k, k, k, k)

TS_INLINE int ts_any8(ts_v8h v)
{
    typedef uint64_t v2q __attribute__((vector_size(16)));
    v2q q = (v2q)v;
    return (q[0] | q[1]) != 0;
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
TS_INLINE ts_v16b ts_k16(int x)
{
    return (ts_v16b){} + (int8_t)x;
}
TS_INLINE ts_v16b ts_sel16(ts_v16b mask, ts_v16b a, ts_v16b b)
{
    return ((a ^ b) & mask) ^ b;
}

TS_INLINE ts_v16b ts_max16(ts_v16b a, ts_v16b b)
{
#if TS_LANES_NEON
    return (ts_v16b)vmaxq_s8((int8x16_t)a, (int8x16_t)b);
#elif TS_LANES_AVX2
    return (ts_v16b)_mm_max_epi8((__m128i)a, (__m128i)b);
#else
    return ts_sel16(a > b, a, b);
#endif
}
TS_INLINE ts_v16u ts_umax16(ts_v16u a, ts_v16u b)
{
#if TS_LANES_NEON
    return (ts_v16u)vmaxq_u8((uint8x16_t)a, (uint8x16_t)b);
#elif TS_LANES_AVX2
    return (ts_v16u)_mm_max_epu8((__m128i)a, (__m128i)b);
#else
    return (ts_v16u)ts_sel16((ts_v16b)(a > b), (ts_v16b)a, (ts_v16b)b);
#endif
}
TS_INLINE ts_v16b ts_min16(ts_v16b a, ts_v16b b)
{
#if TS_LANES_NEON
    return (ts_v16b)vminq_s8((int8x16_t)a, (int8x16_t)b);
#elif TS_LANES_AVX2
    return (ts_v16b)_mm_min_epi8((__m128i)a, (__m128i)b);
#else
    return ts_sel16(a < b, a, b);
#endif
}

#if TS_LANES_NEON
// The larger of each two neighbours: eight of a, eight of b.
TS_INLINE ts_v16b ts_pairs_max16(ts_v16b a, ts_v16b b)
{
    return (ts_v16b)vpmaxq_s8((int8x16_t)a, (int8x16_t)b);
}
#endif

// Saturating: a + b and a - b, signed; a - b, unsigned.
TS_INLINE ts_v16b ts_add_sat16(ts_v16b a, ts_v16b b)
{
#if TS_LANES_NEON
    return (ts_v16b)vqaddq_s8((int8x16_t)a, (int8x16_t)b);
#elif TS_LANES_AVX2
    return (ts_v16b)_mm_adds_epi8((__m128i)a, (__m128i)b);
#else
    ts_v16b d = (ts_v16b)((ts_v16u)a + (ts_v16u)b);
    return ts_sel16((~(a ^ b) & (a ^ d)) < 0, (a >> 7) ^ 127, d);
#endif
}
TS_INLINE ts_v16b ts_sub_sat16(ts_v16b a, ts_v16b b)
{
#if TS_LANES_NEON
    return (ts_v16b)vqsubq_s8((int8x16_t)a, (int8x16_t)b);
#elif TS_LANES_AVX2
    return (ts_v16b)_mm_subs_epi8((__m128i)a, (__m128i)b);
#else
    ts_v16b d = (ts_v16b)((ts_v16u)a - (ts_v16u)b);
    return ts_sel16(((a ^ b) & (a ^ d)) < 0, (a >> 7) ^ 127, d);
#endif
}
TS_INLINE ts_v16b ts_usub_sat16(ts_v16b a, ts_v16b b)
{
#if TS_LANES_NEON
    return (ts_v16b)vqsubq_u8((uint8x16_t)a, (uint8x16_t)b);
#elif TS_LANES_AVX2
    return (ts_v16b)_mm_subs_epu8((__m128i)a, (__m128i)b);
#else
    return (ts_v16b)((ts_v16u)a - (ts_v16u)b) & (ts_v16b)((ts_v16u)a > (ts_v16u)b);
#endif
}

#define ts_dup16(v, k) __builtin_shufflevector(v, v, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k)

// The upper half, twice.
TS_INLINE ts_v16b ts_upper16(ts_v16b b)
{
    return __builtin_shufflevector(b, b, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14,
                                   15);
}

// Low and high bytes of sixteen 16-bit lanes.
TS_INLINE ts_v16b ts_bytes_lo(ts_v8h a, ts_v8h b)
{
#if TS_LANES_AVX2
    return (ts_v16b)_mm_packus_epi16((__m128i)(a & 0xFF), (__m128i)(b & 0xFF));
#endif
    return __builtin_shufflevector((ts_v16b)a, (ts_v16b)b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                   22, 24, 26, 28, 30);
}
TS_INLINE ts_v16b ts_bytes_hi(ts_v8h a, ts_v8h b)
{
#if TS_LANES_AVX2
    return (ts_v16b)_mm_packs_epi16((__m128i)(a >> 8), (__m128i)(b >> 8));
#endif
    return __builtin_shufflevector((ts_v16b)a, (ts_v16b)b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
                                   23, 25, 27, 29, 31);
}
// Interleaved bytes: lane i is h[i] over l[i], of the lower and the upper eight.
TS_INLINE ts_v8h ts_zipb_lo(ts_v16b l, ts_v16b h)
{
    return (ts_v8h)__builtin_shufflevector(l, h, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                           23);
}
TS_INLINE ts_v8h ts_zipb_hi(ts_v16b l, ts_v16b h)
{
    return (ts_v8h)__builtin_shufflevector(l, h, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                           30, 15, 31);
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

// Columns in turns: byte 2i is column i, byte 2i + 1 column i + 8, so that 16-bit lanes of both halves
// are where their bytes are. From natural order; the low bytes of 16-bit lanes; the high ones; and back.
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
TS_INLINE ts_v8h ts_pair_lo(ts_v16b l, ts_v16b h) // columns 0 to 7: h over l
{
    return (ts_v8h)ts_turns_lo((ts_v8h)l, (ts_v8h)h);
}
TS_INLINE ts_v8h ts_pair_hi(ts_v16b l, ts_v16b h)
{
    return (ts_v8h)ts_turns_hi((ts_v8h)l, (ts_v8h)h);
}
// The low byte of each lane; what is above it does not matter to ts_rshb8 and ts_rshb4.
TS_INLINE ts_v8h ts_by_lo(ts_v16b b)
{
#if TS_LANES_AVX2
    return (ts_v8h)_mm_shuffle_epi8(
        (__m128i)b, _mm_setr_epi8(0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14));
#else
    return (ts_v8h)b;
#endif
}
TS_INLINE ts_v8h ts_by_hi(ts_v16b b)
{
#if TS_LANES_AVX2
    return (ts_v8h)_mm_shuffle_epi8(
        (__m128i)b, _mm_setr_epi8(1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15));
#else
    return (ts_v8h)((ts_v8u)b >> 8);
#endif
}

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

// ts_rsh8 by the low byte of each lane of s, -128 to 0.
TS_INLINE ts_v8h ts_rshb8(ts_v8h x, ts_v8h s)
{
#if TS_LANES_NEON
    return (ts_v8h)vrshlq_s16((int16x8_t)x, (int16x8_t)s);
#elif TS_LANES_AVX2
    return ts_rshb8_avx2(x, s);
#else
    return ts_rsh8(x, ts_max8(ts_shl8(s, 8) >> 8, ts_k8(-16)));
#endif
}

// a + b + c without overflow, the lower and the upper four lanes.
TS_INLINE ts_v4i ts_add3_lo(ts_v8h a, ts_v8h b, ts_v8h c)
{
#if TS_LANES_NEON
    int32x4_t ab = vaddl_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    return (ts_v4i)vaddw_s16(ab, vget_low_s16((int16x8_t)c));
#else
    return ts_wide_lo(a) + ts_wide_lo(b) + ts_wide_lo(c);
#endif
}
TS_INLINE ts_v4i ts_add3_hi(ts_v8h a, ts_v8h b, ts_v8h c)
{
#if TS_LANES_NEON
    return (ts_v4i)vaddw_high_s16(vaddl_high_s16((int16x8_t)a, (int16x8_t)b), (int16x8_t)c);
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
