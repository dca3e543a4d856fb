// Core 0 waits for core 2, which waits for core 1, whose buffer waits for core 0.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        if (!repaired)
            WAIT(done, 1);
        noc_semaphore_inc(AT(1, ready), 1);
        if (repaired)
            WAIT(done, 1);
    } else if (core == 1) {
        WAIT(ready, 1);
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
    } else {
        WAIT(ready, 1);
        noc_semaphore_inc(AT(0, done), 1);
    }
    noc_async_atomic_barrier();
}
