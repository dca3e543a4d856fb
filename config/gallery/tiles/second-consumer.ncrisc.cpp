// A core waits for more pages than a buffer has, while another one takes some.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 1) {
        const uint32_t pages = repaired ? 4 : 8;
        cb_wait_front(0, pages);
        cb_pop_front(0, pages);
    }
}
