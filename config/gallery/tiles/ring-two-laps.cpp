// The first core expects a second lap that nobody runs.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(1, ready), 1);
        WAIT(ready, repaired ? 1 : 2);
    } else {
        WAIT(ready, 1);
        noc_semaphore_inc(AT((core + 1) % 3, ready), 1);
    }
    noc_async_atomic_barrier();
}
