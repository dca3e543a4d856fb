// The producer fills buffer 0, the consumer waits for buffer 1.
#include "case.h"

void kernel_main()
{
    CASE
    const uint32_t buffer = repaired ? 0 : 1;
    cb_wait_front(buffer, 1);
    cb_pop_front(buffer, 1);
}
