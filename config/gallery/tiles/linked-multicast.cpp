// A linked multicast is never closed: its channel stays taken.
#include "case.h"

void kernel_main()
{
    CASE
    const uint32_t buffer = get_write_ptr(0);
    if (core == 0) {
        noc_async_write_multicast(buffer, ALL(1, 2, buffer), 64, 2, !repaired);
        noc_async_writes_flushed();
        noc_semaphore_inc(AT(1, ready), 1, 1);
        noc_async_atomic_barrier(1);
    } else if (core == 1) {
        WAIT(ready, 1);
        noc_async_write_multicast(buffer, ALL(0, 2, buffer), 8192, 2, false);
        noc_async_write_barrier();
    }
}
