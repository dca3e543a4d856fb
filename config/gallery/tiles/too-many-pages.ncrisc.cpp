// A consumer waits for four pages of a buffer of two; the producer is on another core.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 1) {
        const uint32_t pages = repaired ? 1 : 4;
        for (uint32_t i = 0; i < 4; i += pages) {
            cb_wait_front(0, pages);
            WORK
            cb_pop_front(0, pages);
            noc_semaphore_inc(AT(0, done), pages);
        }
        noc_async_atomic_barrier();
    }
}
