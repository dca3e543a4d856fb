// Both increments go to core 2; core 1 gets none.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(2, ready), 1);
        noc_semaphore_inc(AT(repaired ? 1 : 2, ready), 1);
        noc_async_atomic_barrier();
    } else {
        noc_semaphore_wait_min(WORD(ready), 1);
    }
}
