// A consumer waits for four pages of a buffer of two; the producer is on another core.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        for (uint32_t i = 0; i < 4; i++) {
            WAIT_MIN(done, repaired ? i : i / 2 * 2);
            noc_semaphore_inc(AT(1, ready), 1);
        }
        noc_async_atomic_barrier();
    } else {
        for (uint32_t i = 0; i < 4; i++) {
            cb_reserve_back(0, 1);
            WAIT_MIN(ready, i + 1);
            cb_push_back(0, 1);
        }
    }
}
