// Every core waits for its left neighbour before it tells the right one.
#include "case.h"

void kernel_main()
{
    CASE
    if (!(repaired && core == 0))
        WAIT(ready, 1);
    noc_semaphore_inc(AT((core + 1) % 4, ready), 1);
    if (repaired && core == 0)
        WAIT(ready, 1);
    noc_async_atomic_barrier();
}
