// The sender increments the other semaphore.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(1, repaired ? ready : done), 1);
        noc_async_atomic_barrier();
    } else {
        WAIT(ready, 1);
    }
}
