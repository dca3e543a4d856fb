// The accumulate step in 32-bit lanes, for any exponents. Shared by wide.c and elw.c.
#pragma once

#include "units/lanes.h"
#include "units/matrix/mul.h"

// ts_matrix_accumulate for four data at once; dst as ts_matrix_from_cell returns it. |s| <= 31496.
TS_INLINE ts_v4i ts_accumulate4(ts_v4i s0, ts_v4i e0, ts_v4i s1, ts_v4i e1, ts_v4i dst, bool e5,
                                bool dst32)
{
    ts_v4i ed = (dst >> 23) & 255, sign = dst >> 31;
    ts_v4i md = ((dst & 0x7FFFFF) | 0x800000) & (ed != 0);
    ts_v4i top = ts_max4(ts_max4(e0, e1), ed);
    ts_v4i least = ts_k4(-31);
    ts_v4i t0 = ts_rsh4(ts_shl4(s0, 13), ts_max4(e0 - top, least));
    ts_v4i t1 = ts_rsh4(ts_shl4(s1, 13), ts_max4(e1 - top, least));
    ts_v4i d = ts_rsh4(md, ts_max4(ed - top, least));
    if (!dst32) {
        ts_v4i drop = ts_k4(-13);
        t0 = ts_shl4(ts_rsh4(t0, drop), 13);
        t1 = ts_shl4(ts_rsh4(t1, drop), 13);
        d = ts_shl4(ts_rsh4(d, drop), 13);
    }
    ts_v4i t = t0 + t1 + ((d ^ sign) - sign);
    ts_v4i neg = t >> 31, mag = (t ^ neg) - neg;
    ts_v4i z = ts_clz4(mag) - 8;
    int low = dst32 ? 0 : e5 ? 13 : 16; // mantissa bits that the format does not have
    ts_v4i m = ts_shl4(ts_rsh4(mag, z - low), low);
    ts_v4i e = top - z + (m >> 24), man = m & 0x7FFFFF; // m is 1.0 exactly after a carry
    ts_v4i y = ts_shl4(e, 23) | man;
    if (e5 && !dst32)
        y = ts_sel4(e >= 32, ts_k4(31 << 23 | 0x3FF << 13), y);
    else
        y = ts_sel4(e >= 255, ts_k4(255 << 23), y);
    return (y | (t & INT32_MIN)) & (e > 0) & (t != 0) & (top > 0);
}

// A row of Dst cells to the form above, and back; four columns.
TS_INLINE ts_v4i ts_cells_in(ts_v4i hi, ts_v4i lo, bool e5, bool dst32)
{
    if (e5 && !dst32)
        return ts_shl4(hi & 0x8000, 16) | (hi & 31) << 23 | ((hi >> 5) & 0x3FF) << 13;
    return ts_shl4(hi & 0x8000, 16) | (hi & 255) << 23 | ((hi >> 8) & 127) << 16 | (lo & 0xFFFF);
}
TS_INLINE ts_v4i ts_cells_out(ts_v4i y, bool e5, bool dst32)
{
    if (e5 && !dst32)
        return ((y >> 16) & 0x8000) | ((y >> 13) & 0x3FF) << 5 | ((y >> 23) & 31);
    return ((y >> 16) & 0x8000) | ((y >> 16) & 127) << 8 | ((y >> 23) & 255);
}

// Accumulates eight columns of one row: sums and exponents in 16-bit lanes, cells in place.
TS_INLINE void ts_accumulate_cells8(uint16_t *hi, uint16_t *lo, ts_v8h s0, ts_v8h e0, ts_v8h s1,
                                    ts_v8h e1, bool with_dst, bool e5, bool dst32)
{
    ts_v4i d0 = {}, d1 = {};
    if (with_dst) {
        ts_v8h h = ts_ld8(hi), l = dst32 ? ts_ld8(lo) : (ts_v8h){};
        d0 = ts_cells_in(ts_wide_lo(h), ts_wide_lo(l), e5, dst32);
        d1 = ts_cells_in(ts_wide_hi(h), ts_wide_hi(l), e5, dst32);
    }
    ts_v4i y0 = ts_accumulate4(ts_wide_lo(s0), ts_wide_lo(e0), ts_wide_lo(s1), ts_wide_lo(e1), d0,
                               e5, dst32);
    ts_v4i y1 = ts_accumulate4(ts_wide_hi(s0), ts_wide_hi(e0), ts_wide_hi(s1), ts_wide_hi(e1), d1,
                               e5, dst32);
    ts_st8(hi, ts_halves_lo(ts_cells_out(y0, e5, dst32), ts_cells_out(y1, e5, dst32)));
    if (dst32)
        ts_st8(lo, ts_halves_lo(y0, y1));
}
