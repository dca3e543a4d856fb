// Writer for results that stay in L1: takes the tiles out of the ring, which holds all of one pass.
#include "cb.h"

void kernel_main()
{
    uint32_t type = get_arg(TS_ARG_RUN_TYPE);
    if (type == TS_RUN_UNPACK_ISOLATE || type == TS_RUN_MATH_ISOLATE)
        return; // nobody brings them
    for (uint32_t pass = 0; pass < get_arg(TS_ARG_REPEAT); pass++)
        for (uint32_t cb = TS_CB_OUT; cb < TS_CB_OUT + 4; cb++) {
            uint32_t tiles = cb_get(cb).tiles;
            if (tiles == 0)
                continue;
            cb_wait_front(cb, tiles);
            cb_pop_front(cb, tiles);
        }
}
