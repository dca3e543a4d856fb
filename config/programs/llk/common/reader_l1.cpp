// Reader for operands that already lie in L1: the ring of each input holds all of them, so it only
// says that they are there, as often as the work is repeated.
#include "cb.h"

void kernel_main()
{
    uint32_t type = get_arg(TS_ARG_RUN_TYPE);
    if (type == TS_RUN_MATH_ISOLATE || type == TS_RUN_PACK_ISOLATE)
        return; // nobody takes them
    for (uint32_t pass = 0; pass < get_arg(TS_ARG_REPEAT); pass++)
        for (uint32_t cb = 0; cb < 8; cb++) {
            uint32_t tiles = cb_get(cb).tiles;
            if (tiles == 0)
                continue;
            cb_reserve_back(cb, tiles);
            cb_push_back(cb, tiles);
        }
}
