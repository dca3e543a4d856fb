// A function of every element: each tile is copied to Dst, the vector unit works on it there, and
// it is packed.
#include "compute_kernel_api/common.h"
#include "llk_sfpu.h"
#include "llk_tiles.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t tiles = get_arg(TS_ARG_TILES), repeat = get_arg(TS_ARG_REPEAT);
    [[maybe_unused]] const uint32_t function = get_arg(TS_ARG_OP);
    {
        profile::zone init(TS_ZONE_INIT);
        compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
        UNPACK(tiles::unpack_init(false));
        MATH(sfpu::init(function, compute::dst32                                       ? 3
                                  : compute::narrow_exponent(cb_get(TS_CB_IN0).format) ? 1
                                                                                       : 2));
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
                MATH(sfpu::copy_tile(i));
                MATH(if (function != sfpu::COPY) sfpu::run(i));
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
