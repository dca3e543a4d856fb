// Sum or maximum of the columns of every tile, in its first row. The second operand is a tile of
// ones.
#include "compute_kernel_api/common.h"
#include "llk_tiles.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t tiles = get_arg(TS_ARG_TILES), repeat = get_arg(TS_ARG_REPEAT);
    {
        profile::zone init(TS_ZONE_INIT);
        compute::hw_startup(TS_CB_IN0, TS_CB_IN1, TS_CB_OUT);
        UNPACK(tiles::unpack_init(true));
        MATH(tiles::pool_init(get_arg(TS_ARG_OP) != 0, get_arg(TS_ARG_PHASES)));
        tensix_sync();
    }
    const uint32_t room = compute::dst32 ? 4 : 8;
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++) {
        cb_wait_front(TS_CB_IN1, 1);
        for (uint32_t done = 0; done < tiles;) {
            uint32_t batch = tiles - done < room ? tiles - done : room;
            cb_wait_front(TS_CB_IN0, batch);
            tile_regs_acquire();
            for (uint32_t i = 0; i < batch; i++) {
                UNPACK(tiles::unpack_ab(TS_CB_IN0, TS_CB_IN1, i, 0));
                MATH(tiles::run(i));
            }
            cb_pop_front(TS_CB_IN0, batch);
            tile_regs_commit();
            tile_regs_wait();
            cb_reserve_back(TS_CB_OUT, batch);
            for (uint32_t i = 0; i < batch; i++)
                pack_tile(i, TS_CB_OUT);
            tile_regs_release();
            cb_push_back(TS_CB_OUT, batch);
            done += batch;
        }
        cb_pop_front(TS_CB_IN1, 1);
    }
    tensix_sync();
}
} // namespace NAMESPACE
