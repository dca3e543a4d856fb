// Two increments arrive at once; the loop waits for exactly one.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        LATER
        if (repaired)
            noc_semaphore_wait_min(WORD(ready), 1);
        else
            WAIT(ready, 1);
    } else {
        noc_semaphore_inc(AT(0, ready), 1);
        noc_async_atomic_barrier();
    }
}
