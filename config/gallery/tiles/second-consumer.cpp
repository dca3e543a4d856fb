// A core waits for more pages than a buffer has, while another one takes some.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 1) {
        for (uint32_t i = 0; i < 4; i++) {
            cb_reserve_back(0, 1);
            cb_push_back(0, 1);
        }
        LATER
        if (!repaired)
            cb_pop_front(0, 3);
    }
}
