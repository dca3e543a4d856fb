// Which machine's vector code runs. On x86-64 the arithmetic of this folder is compiled twice, as it
// stands and for AVX2 with FMA (avx2_near.c, avx2_far.c), and dispatch.c chooses by what the
// processor has. Both give the same bits. Elsewhere this file does nothing.
#ifndef TENSIM_UNITS_MATRIX_DISPATCH_H
#define TENSIM_UNITS_MATRIX_DISPATCH_H

#if defined(__x86_64__) && !defined(TENSIM_PORTABLE_LANES)
#define TS_DISPATCHES 1
#ifdef TS_FOR_AVX2
#define TS_VARIANT(name) name##_avx2
#else
#define TS_VARIANT(name) name##_base
#endif
#define ts_mul_near16      TS_VARIANT(ts_mul_near16)
#define ts_mul_near32      TS_VARIANT(ts_mul_near32)
#define ts_mul_fp16        TS_VARIANT(ts_mul_fp16)
#define ts_mul_pair        TS_VARIANT(ts_mul_pair)
#define ts_mul_fast        TS_VARIANT(ts_mul_fast)
#define ts_mul_wide        TS_VARIANT(ts_mul_wide)
#define ts_split_block     TS_VARIANT(ts_split_block)
#define ts_split_exponents TS_VARIANT(ts_split_exponents)
#define ts_elementwise     TS_VARIANT(ts_elementwise)
#endif

#endif
