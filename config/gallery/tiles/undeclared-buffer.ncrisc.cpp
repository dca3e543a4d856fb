// A consumer waits for a buffer that the program does not have.
#include "case.h"

void kernel_main()
{
    CASE
    const uint32_t buffer = repaired ? 0 : 20;
    cb_wait_front(buffer, 1);
    cb_pop_front(buffer, 1);
}
