// The receiver waits for exactly four increments; five come before it looks.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        for (uint32_t i = 0; i < 5; i++)
            noc_semaphore_inc(AT(1, ready), 1);
        WAIT(done, 1);
        noc_semaphore_inc(AT(1, ready), 1);
        noc_async_atomic_barrier();
    } else {
        LATER
        if (repaired) {
            WAIT_MIN(ready, 4);
        } else {
            WAIT(ready, 4);
        }
        noc_semaphore_inc(AT(0, done), 1);
        WAIT_MIN(ready, 6);
        noc_async_atomic_barrier();
    }
}
