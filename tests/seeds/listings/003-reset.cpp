// Document 003, "Register-Write Counters": the reset before a tile.
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
#ifdef TRISC_MATH
TTI_SETRWC(CLR_NONE, 0, 0, 0, 0, SET_ABD_F);   // zeros SrcA, SrcB, Dst, FidelityPhase
#endif
}
