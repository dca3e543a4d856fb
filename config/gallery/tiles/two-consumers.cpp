// Two cores of a tile wait for the one page that another tile sends.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(1, ready), 1);
        noc_async_atomic_barrier();
    } else {
        WAIT(ready, 1);
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
        if (!repaired) {
            cb_wait_front(0, 1);
            cb_pop_front(0, 1);
        }
    }
}
