// The credit for a page goes back when two pages are there; the sender waits for one.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        for (uint32_t i = 0; i < 4; i++) {
            WAIT_MIN(done, i);
            noc_semaphore_inc(AT(1, ready), 1);
        }
        noc_async_atomic_barrier();
    } else {
        for (uint32_t i = 0; i < 4; i++) {
            WAIT_MIN(ready, i + 1);
            cb_reserve_back(0, 1);
            cb_push_back(0, 1);
        }
    }
}
