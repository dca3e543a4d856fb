// The increment goes to the word beside the one that the core waits for, by address.
#include "case.h"

void kernel_main()
{
    CASE
    constexpr uint32_t flag = 0x120000;
    if (core == 0) {
        noc_semaphore_inc(AT(1, repaired ? flag : flag + 16), 1);
        noc_async_atomic_barrier();
    } else {
        WAIT(flag, 1);
    }
}
