// The sender increments its own word instead of its partner's.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(repaired ? 1 : 0, ready), 1);
        noc_async_atomic_barrier();
    } else {
        WAIT(ready, 1);
    }
}
