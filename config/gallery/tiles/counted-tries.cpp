// A core counts its tries while it waits for an increment that went to itself.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        noc_semaphore_inc(AT(repaired ? 1 : 0, ready), 1);
        noc_async_atomic_barrier();
    } else {
        uint32_t tries = 0;
        while (*WORD(ready) == 0) {
            *WORD(done) = ++tries;
            invalidate_l1_cache();
        }
    }
}
