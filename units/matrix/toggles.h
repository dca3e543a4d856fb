// Toggles: bits that differ between the operands of an MVMUL and those of the tile's MVMUL before it. A count of data, not of
// energy. SrcA has 16 x 16 words of 19 bits, SrcB 8 x 16; of Dst the 8 x 16 words that the MVMUL adds to, 16 or 32 bits each.
#pragma once

#include "units/files/src.h"

struct ts_mul_rows;

struct ts_toggles {
    uint64_t mvmuls;
    uint64_t a, b, dst; // bits
    // operands of the last MVMUL
    uint32_t last_a[16][TS_SRC_COLS], last_b[8][TS_SRC_COLS];
    uint16_t last_hi[8][TS_SRC_COLS], last_lo[8][TS_SRC_COLS];
};

// Before an MVMUL of blocks a0 and a0 + 1 of SrcA with block b0 of SrcB. `rows` are those of Dst, of 32 bits or 16.
void ts_toggles_count(struct ts_toggles *self, const struct ts_src_bank *a,
                      const struct ts_src_bank *b, unsigned a0, unsigned b0,
                      const struct ts_mul_rows *rows, bool dst32);
