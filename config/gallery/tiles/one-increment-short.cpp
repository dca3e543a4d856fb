// The coordinator counts itself: three expected, two sent.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        WAIT(ready, repaired ? 2 : 3);
    } else {
        noc_semaphore_inc(AT(0, ready), 1);
        noc_async_atomic_barrier();
    }
}
