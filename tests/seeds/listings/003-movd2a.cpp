// Document 003, "MOVD2A" and "MOVD2B", scheduling.
#include "compute_kernel_api/common.h"

static_assert(p_movd2a::MOV_1_ROW == 0 && p_movd2a::MOV_4_ROWS == 2);

void kernel_main()
{
#ifdef TRISC_MATH
    constexpr uint32_t src_row = 0, dst_row = 0;
TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_CLR);  // wait until SrcA bank is ready
TTI_MOVD2A(0, src_row, ADDR_MOD_0, p_movd2a::MOV_1_ROW, dst_row);
    TTI_MOVD2B(0, src_row, ADDR_MOD_0, p_movd2b::MOV_4_ROWS, dst_row);
#endif
}
