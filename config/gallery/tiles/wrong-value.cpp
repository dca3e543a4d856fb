// The flag is sent with a value that nobody waits for.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        SET(done, repaired ? 1 : 2);
        noc_semaphore_set_remote(done, AT(1, ready));
        noc_async_write_barrier();
    } else {
        WAIT(ready, 1);
    }
}
