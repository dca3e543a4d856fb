// Transposes every tile: the unpacker transposes within faces, and faces 1 and 2 change places on
// their way to Dst.
#include "compute_kernel_api/common.h"
#include "llk_tiles.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t tiles = get_arg(TS_ARG_TILES), repeat = get_arg(TS_ARG_REPEAT);
    {
        profile::zone init(TS_ZONE_INIT);
        compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT, true);
        UNPACK(tiles::unpack_init(false));
        MATH(tiles::transpose_init());
        tensix_sync();
    }
    const uint32_t room = compute::dst32 ? 4 : 8;
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++)
        for (uint32_t done = 0; done < tiles;) {
            uint32_t batch = tiles - done < room ? tiles - done : room;
            cb_wait_front(TS_CB_IN0, batch);
            tile_regs_acquire();
            for (uint32_t i = 0; i < batch; i++) {
                UNPACK(tiles::unpack_a(TS_CB_IN0, i));
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
    tensix_sync();
}
} // namespace NAMESPACE
