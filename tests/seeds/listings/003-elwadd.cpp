// Document 003, "ELWADD", typical use.
#include "compute_kernel_api/common.h"

void kernel_main()
{
#ifdef TRISC_MATH
// Standard eltwise add of two tiles into Dst:
TTI_ELWADD(p_setrwc::CLR_AB, 0, p_elwise::SRCB_NO_BCAST, ADDR_MOD_0, 0)
// The MOP outer loop repeats this for each 8-row block of the tile (4 times for 32-row tile)
// At the end: SETRWC(CLR_AB, ...) resets RWCs
    ;
#endif
}
