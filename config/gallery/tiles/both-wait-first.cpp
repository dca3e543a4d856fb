// Two cores exchange data, and both receive before they send.
#include "case.h"

void kernel_main()
{
    CASE
    if (!repaired || core == 1)
        WAIT(ready, 1);
    noc_semaphore_inc(AT(1 - core, ready), 1);
    if (repaired && core == 0)
        WAIT(ready, 1);
    noc_async_atomic_barrier();
}
