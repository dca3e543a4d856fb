// SrcA and SrcB: reset and bulk fill. See src.h.
#include "units/files/src.h"

void ts_srcs_reset(struct ts_srcs *srcs)
{
    memset(srcs, 0, sizeof *srcs);
}

void ts_src_fill(struct ts_src_bank *bank, bool negative_infinity)
{
    uint32_t word = negative_infinity ? 0xFFFFE000u : 0;
    for (unsigned row = 0; row < TS_SRC_ROWS; row++)
        for (unsigned col = 0; col < TS_SRC_COLS; col++)
            bank->w[row][col] = word;
    ts_src_touch(bank, 0, TS_SRC_ROWS);
}
