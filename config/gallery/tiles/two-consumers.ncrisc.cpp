// Two cores of a tile wait for the one page that another tile sends.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 1) {
        LATER
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    }
}
