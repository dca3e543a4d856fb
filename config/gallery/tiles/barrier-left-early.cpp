// One core has no work and returns before the barrier.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 3 && !repaired)
        return;
    if (core == 0) {
        WAIT(done, 3);
        SET(ready, 1);
        noc_semaphore_set_multicast(ready, ALL(1, 3, ready), 3);
        noc_async_write_barrier();
    } else {
        noc_semaphore_inc(AT(0, done), 1);
        WAIT(ready, 1);
        noc_async_atomic_barrier();
    }
}
