// The sender skips one wait: in the third round its flag comes before the receiver clears the second.
#include "case.h"

void kernel_main()
{
    CASE
    WORD(0x150000)[1024] = 1;
    for (uint32_t i = 0; i < 4; i++) {
        if (core == 0) {
            if (i != 2 || repaired) {
                WAIT_MIN(done, i);
            }
            noc_semaphore_set_remote(0x151000, AT(1, ready));
            noc_async_write_barrier();
        } else {
            WAIT(ready, 1);
            LATER
            SET(ready, 0);
            noc_semaphore_inc(AT(0, done), 1);
        }
    }
    noc_async_atomic_barrier();
}
