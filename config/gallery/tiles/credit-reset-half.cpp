// The first of two credits comes before the reset, the second after it.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(1, ready), 1);
        WAIT(done, 1);
        noc_semaphore_inc(AT(1, ready), 1);
        noc_async_atomic_barrier();
    } else {
        LATER
        if (!repaired)
            SET(ready, 0);
        noc_semaphore_inc(AT(0, done), 1);
        WAIT(ready, 2);
        noc_async_atomic_barrier();
    }
}
