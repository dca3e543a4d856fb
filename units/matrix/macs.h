// The multiply-adds of one group of eight SrcA rows against four rows of SrcB: accumulators that stay
// in registers, with as many columns in each as the machine has lanes. Shared by fast.c and near.c.
#pragma once

#include "units/lanes.h"

#define ROWS4(M) M(0) M(1) M(2) M(3)

#if TS_WIDE > 4

#if TS_WIDE == 8
#define UPPER(...) __VA_ARGS__
#else
#define UPPER(...)
#endif
#define SEED(i) ts_vw u##i = ts_ldw(seed + 16 * i) UPPER(, v##i = ts_ldw(seed + 16 * i + 8));
#define MAC(i)                                                  \
    u##i = ts_macw(u##i, f0, fb + 16 * (K / 4) + 4 * i, K % 4); \
    UPPER(v##i = ts_macw(v##i, f1, fb + 16 * (K / 4) + 4 * i, K % 4);)
#define MACS(k)                                                               \
    {                                                                         \
        enum { K = k };                                                       \
        ts_vw f0 = ts_ldw(fa + 16 * K) UPPER(, f1 = ts_ldw(fa + 16 * K + 8)); \
        ROWS4(MAC)                                                            \
    }
#define SAVE(i) ts_st_low_halves(s_out + 32 * i, u##i UPPER(, v##i));
#define TAKE_B

#else

#define SEED(i)                                                              \
    ts_v4f p##i = ts_ld4f(seed + 16 * i), q##i = ts_ld4f(seed + 16 * i + 4); \
    ts_v4f s##i = ts_ld4f(seed + 16 * i + 8), t##i = ts_ld4f(seed + 16 * i + 12);
#define MAC(i)                                                                                \
    p##i = ts_mac4(p##i, f.v[0], b.v[i], K & 3), q##i = ts_mac4(q##i, f.v[1], b.v[i], K & 3), \
    s##i = ts_mac4(s##i, f.v[2], b.v[i], K & 3), t##i = ts_mac4(t##i, f.v[3], b.v[i], K & 3);
#define MACS(k)                             \
    {                                       \
        enum { K = k };                     \
        struct ts_v16f f = ts_next16f(&fa); \
        ROWS4(MAC)                          \
    }
#define SAVE(i)                                                       \
    ts_st8(s_out + 32 * i, ts_halves_lo((ts_v4i)p##i, (ts_v4i)q##i)); \
    ts_st8(s_out + 32 * i + 8, ts_halves_lo((ts_v4i)s##i, (ts_v4i)t##i));
#define TAKE_B struct ts_v16f b = ts_next16f(&fb);

#endif

#define FOUR(k)                                     \
    {                                               \
        TAKE_B                                      \
        MACS(k) MACS(k + 1) MACS(k + 2) MACS(k + 3) \
    }

// Seeds to sums, which are the low halves of the accumulators, two groups in a row. SrcB's slices
// have four data of each of the four rows side by side.
TS_INLINE void ts_group_macs(int16_t *s_out, const float *seed, const float *fa, const float *fb)
{
    ROWS4(SEED) FOUR(0) FOUR(4) ROWS4(SAVE)
}
