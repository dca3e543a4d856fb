// The receiver asks for data, then clears the flag that answers.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        WAIT(done, 1);
        SET(ready, 1);
        noc_semaphore_set_remote(ready, AT(1, ready));
        noc_async_write_barrier();
    } else {
        if (repaired)
            SET(ready, 0);
        noc_semaphore_inc(AT(0, done), 1);
        if (!repaired) {
            LATER
            SET(ready, 0);
        }
        WAIT(ready, 1);
        noc_async_atomic_barrier();
    }
}
