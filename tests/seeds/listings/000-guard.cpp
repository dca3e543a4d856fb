// Document 000, "The three TRISC processors": code of one of them.
#include "compute_kernel_api/common.h"

void kernel_main()
{
#ifdef TRISC_MATH
  // only TRISC1 compiles this
#endif
}
