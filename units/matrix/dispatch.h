// Which machine's vector code runs. The arithmetic of this folder is compiled as it stands (NEON, SSE2),
// and on x86-64 again for AVX2 with FMA (avx2_near.c, avx2_far.c); near.c also for AVX-512 (avx512.c) and,
// on arm64, for SVE of 256 bits or more (sve.c). dispatch.c chooses by what the processor has. All give
// the same bits.
#pragma once

#include "platform/base/std.h"

// The names of the forms, best last, and the one in use; tests may set it to one that ts_lanes_has.
enum ts_lanes {
    TS_LANES_BASE,
#ifdef __x86_64__
    TS_LANES_OF_AVX2,
    TS_LANES_OF_AVX512,
#elif defined(__aarch64__)
    TS_LANES_OF_SVE,
#endif
    TS_LANES_FORMS
};
bool ts_lanes_has(enum ts_lanes form);
void ts_lanes_use(enum ts_lanes form);

#ifndef TENSIM_PORTABLE_LANES
#if defined(TS_FOR_AVX512)
#define TS_VARIANT(name) name##_avx512
#elif defined(TS_FOR_AVX2)
#define TS_VARIANT(name) name##_avx2
#elif defined(TS_FOR_SVE)
#define TS_VARIANT(name) name##_sve
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
