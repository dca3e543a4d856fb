// Core 0 waits for core 2, which waits for core 1, whose buffer waits for core 0.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 1) {
        cb_wait_front(0, 1);
        WORK
        noc_semaphore_inc(AT(2, ready), 1);
        cb_pop_front(0, 1);
    }
    noc_async_atomic_barrier();
}
