// A thread that only stands in for another one's partner: it hands over banks without data, or gives them back.
#pragma once
#include "ckernel.h"

namespace compute {

#ifdef TRISC_UNPACK
// Hands over banks without data, as fast as the math thread gives them back.
inline void give_banks(bool both)
{
    using namespace ckernel;
    if (both) {
        TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::SRCA_CLR | p_stall::SRCB_CLR);
        TTI_SETDVALID(3);
    } else {
        TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::SRCA_CLR);
        TTI_SETDVALID(1);
    }
}
#endif
#ifdef TRISC_MATH
// Gives banks back without computing.
inline void free_banks(bool both)
{
    using namespace ckernel;
    if (both) {
        TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD | p_stall::SRCB_VLD);
        TTI_CLEARDVALID(3, 0);
    } else {
        TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD);
        TTI_CLEARDVALID(1, 0);
    }
}
#endif

} // namespace compute
