// The sender waits for all receivers; a receiver says that it is ready after the data.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        WAIT(done, 2);
        SET(ready, 1);
        noc_semaphore_set_multicast(ready, ALL(1, 2, ready), 2);
        noc_async_write_barrier();
    } else {
        if (repaired)
            noc_semaphore_inc(AT(0, done), 1);
        WAIT(ready, 1);
        if (!repaired)
            noc_semaphore_inc(AT(0, done), 1);
        noc_async_atomic_barrier();
    }
}
