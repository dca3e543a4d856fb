// The receiver clears its word after the credits have come.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(1, ready), 1);
        noc_semaphore_inc(AT(1, ready), 1);
        noc_async_atomic_barrier();
    } else {
        if (!repaired) {
            LATER
            SET(ready, 0);
        }
        WAIT(ready, 2);
    }
}
