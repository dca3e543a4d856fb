// The receiver clears its flag after it has seen it, and forgets to answer.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        for (uint32_t i = 0; i < 2; i++) {
            noc_semaphore_inc(AT(1, ready), 1);
            WAIT_MIN(done, i + 1);
        }
    } else {
        WAIT(ready, 1);
        SET(ready, 0);
        if (repaired)
            noc_semaphore_inc(AT(0, done), 1);
        WAIT(ready, 1);
        noc_semaphore_inc(AT(0, done), 2);
    }
    noc_async_atomic_barrier();
}
