// The coordinator of a barrier counts itself: it waits for four, and three come and wait for it.
#include "case.h"

void kernel_main()
{
    CASE
    for (uint32_t round = 1; round <= 2; round++) {
        if (core == 0) {
            WAIT(done, repaired ? 3 : 4);
            SET(done, 0);
            SET(ready, round);
            noc_semaphore_set_multicast(ready, ALL(1, 3, ready), 3);
            noc_async_write_barrier();
        } else {
            noc_semaphore_inc(AT(0, done), 1);
            WAIT(ready, round);
            noc_async_atomic_barrier();
        }
    }
}
