// The flag is reset before the multicast has read it.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        SET(ready, 1);
        noc_semaphore_set_multicast(ready, ALL(1, 2, ready), 2);
        if (repaired)
            noc_async_writes_flushed();
        SET(ready, 0);
        noc_async_write_barrier();
    } else {
        WAIT(ready, 1);
    }
}
