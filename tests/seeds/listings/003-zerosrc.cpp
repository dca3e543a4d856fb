// Document 003, "ZEROSRC", common patterns.
#include "compute_kernel_api/common.h"

void kernel_main()
{
#ifdef TRISC_MATH
// Clear both banks of SrcA and SrcB (used between kernels):
TTI_ZEROSRC(0, 0, 1, p_zerosrc::CLR_AB);   // bank_mask=1 clears both banks

// Clear just the Unpacker's write bank of SrcA (used in unpack kernel):
TTI_ZEROSRC(0, 0, 0, p_zerosrc::CLR_A);
#endif
}
