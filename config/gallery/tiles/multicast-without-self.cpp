// The sender waits for its own multicast, which does not include it.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        SET(done, 1);
        if (repaired)
            noc_semaphore_set_multicast_loopback_src(done, ALL(0, 2, ready), 3);
        else
            noc_semaphore_set_multicast(done, ALL(0, 2, ready), 2);
        noc_async_write_barrier();
    }
    WAIT(ready, 1);
}
