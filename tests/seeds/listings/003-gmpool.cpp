// Document 003, "Usage Pattern for Max Pooling". STALLWAIT takes what to hold first, then what to wait for.
#include "compute_kernel_api/common.h"

static_assert(p_gpool::DIM_1X16 == 0 && p_gpool::DIM_16X16 == 1);

void kernel_main()
{
#ifdef TRISC_MATH
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD | p_stall::SRCB_VLD); // wait for unpack to finish
TTI_GMPOOL(CLR_AB, 0, p_gpool::DIM_16X16, 0, 0);  // accumulate max
#endif
}
