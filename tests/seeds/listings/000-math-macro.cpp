// Document 000, "The three TRISC processors": MATH(()) as common_globals.h defines it.
#include "compute_kernel_api/common.h"

#ifdef TRISC_MATH
  #define MATH(x) x
#else
  #define MATH(x)
#endif

void kernel_main()
{
    MATH(TTI_SETRWC(0, 0, 0, 0, 0, 0xf));
}
