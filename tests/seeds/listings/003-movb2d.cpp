// Document 003, "MOVB2D": the constants of its modes.
#include "compute_kernel_api/common.h"

static_assert(p_movb2d::MOV_1_ROW          == 0   // copy 1 row
           && p_movb2d::MOV_1_ROW_D0_BRCST == 1   // copy row, broadcast col 0 to all columns
           && p_movb2d::MOV_8_ROW_BRCST    == 2   // broadcast 1 SrcB row to 8 Dst rows
           && p_movb2d::MOV_8_ROW_BRCST_D0_BRCST == 3  // broadcast 1 row + col 0
           && p_movb2d::MOV_4_ROWS         == 4   // copy 4 aligned rows
           && p_movb2d::MOV_4_ROWS_D0_BRCST == 5); // copy 4 rows, col 0 broadcast

void kernel_main()
{
#ifdef TRISC_MATH
    TTI_MOVB2D(0, p_movb2d::SRC_ZERO_OFFSET, ADDR_MOD_0, p_movb2d::MOV_4_ROWS, 0);
#endif
}
