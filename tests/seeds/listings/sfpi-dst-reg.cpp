// Document 000, "DST physical layout": SFPI, which only the vendor's compiler has. Refused with one message.
#include "compute_kernel_api/common.h"
#include "sfpi.h"

void kernel_main()
{
#ifdef TRISC_MATH
    sfpi::vFloat first = sfpi::dst_reg[0];
#endif
}
