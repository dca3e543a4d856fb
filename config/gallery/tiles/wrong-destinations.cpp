// The multicast reaches two cores, and the barrier waits for three acknowledgements.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        SET(ready, 1);
        noc_semaphore_set_multicast(ready, ALL(1, 2, ready), repaired ? 2 : 3);
        noc_async_write_barrier();
    } else {
        WAIT(ready, 1);
    }
}
