// Document 001, 2.3 "SETRWC Instruction" and 2.4 "INCRWC Instruction": the constants of their fields.
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
#ifdef TRISC_MATH
    TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_A, 0, 0, 4, p_setrwc::SET_A);
    TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_B, 0, 4, 0, p_setrwc::SET_B);
    TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
    TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::C_TO_CR_MODE, 8, 0, 0, p_setrwc::SET_D);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    TTI_INCRWC(p_setrwc::CR_D, 8, 0, 0);
#endif
}
