// The multiply-adds of one group of eight SrcA rows against four rows of SrcB: sixteen accumulators
// p, q, s, t of rows 0 to 3 that stay in registers. Shared by fast.c and near.c, which seed them
// and define fa, fb and s_out.
#ifndef TENSIM_UNITS_MATRIX_MACS_H
#define TENSIM_UNITS_MATRIX_MACS_H

#include "units/lanes.h"

#define ROWS4(M) M(0) M(1) M(2) M(3)

#if TS_LANES_AVX2

// Eight columns to a vector, SrcB's datum from memory.
#define JOIN(i) ts_v8f u##i = ts_join(p##i, q##i), v##i = ts_join(s##i, t##i);
#define MAC(i)  u##i = ts_mac8(u##i, f0, fb + 16 * i + K), v##i = ts_mac8(v##i, f1, fb + 16 * i + K);
#define MACS(k)                                                          \
    {                                                                    \
        enum { K = k };                                                  \
        ts_v8f f0 = ts_ld8f(fa + 16 * K), f1 = ts_ld8f(fa + 16 * K + 8); \
        ROWS4(MAC)                                                       \
    }
#define SAVE(i)                                  \
    ts_st8(s_out + 16 * i, ts_low_halves(u##i)); \
    ts_st8(s_out + 16 * i + 8, ts_low_halves(v##i));

#define ALL_MACS \
    ROWS4(JOIN) MACS(0) MACS(1) MACS(2) MACS(3) MACS(4) MACS(5) MACS(6) MACS(7) ROWS4(SAVE)

#else

#define FIRST4(i) ts_v4f b##i = ts_ld4f(fb + 16 * i);
#define MAC(i)                                                                    \
    p##i = ts_mac4(p##i, f0, b##i, K & 3), q##i = ts_mac4(q##i, f1, b##i, K & 3), \
    s##i = ts_mac4(s##i, f2, b##i, K & 3), t##i = ts_mac4(t##i, f3, b##i, K & 3);
#define MACS(k)                                                               \
    {                                                                         \
        enum { K = k };                                                       \
        ts_v4f f0 = ts_ld4f(fa + 16 * K), f1 = ts_ld4f(fa + 16 * K + 4);      \
        ts_v4f f2 = ts_ld4f(fa + 16 * K + 8), f3 = ts_ld4f(fa + 16 * K + 12); \
        ROWS4(MAC)                                                            \
    }
#define NEXT4(i) b##i = ts_ld4f(fb + 16 * i + 4);
#define SAVE(i)                                                       \
    ts_st8(s_out + 16 * i, ts_halves_lo((ts_v4i)p##i, (ts_v4i)q##i)); \
    ts_st8(s_out + 16 * i + 8, ts_halves_lo((ts_v4i)s##i, (ts_v4i)t##i));

#define ALL_MACS  \
    ROWS4(FIRST4) \
    MACS(0) MACS(1) MACS(2) MACS(3) ROWS4(NEXT4) MACS(4) MACS(5) MACS(6) MACS(7) ROWS4(SAVE)

#endif

#endif
