// The coordinator waits for a core that has no kernel.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        WAIT(ready, repaired ? 1 : 2);
    } else {
        noc_semaphore_inc(AT(0, ready), 1);
        noc_async_atomic_barrier();
    }
}
