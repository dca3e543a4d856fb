// Two flags of the same value: the receiver sees one.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        for (uint32_t i = 0; i < 2; i++) {
            SET(done, 1);
            noc_semaphore_set_remote(done, AT(1, ready));
            noc_async_write_barrier();
            if (repaired) {
                WAIT(done, 0);
            }
        }
    } else {
        LATER
        for (uint32_t i = 0; i < 2; i++) {
            WAIT(ready, 1);
            SET(ready, 0);
            if (repaired) {
                noc_semaphore_set_remote(ready, AT(0, done));
                noc_async_write_barrier();
            }
        }
    }
}
