// Document 000, "SETRWC: resetting source register counters".
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
#ifdef TRISC_MATH
TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
#endif
}
