// Untilize: tiles to rows of a matrix in L1. A row of tiles is brought to Dst; the packer takes one row of 16 datums at
// a time, left and right face of every tile in turn, and writes them behind each other.
#include "compute_kernel_api/common.h"
#include "llk_sfpu.h"
#include "llk_tiles.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t across = get_arg(TS_ARG_ACROSS), tiles = get_arg(TS_ARG_TILES);
    const uint32_t repeat = get_arg(TS_ARG_REPEAT);
    {
        profile::zone init(TS_ZONE_INIT);
        compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
        UNPACK(tiles::unpack_init(false));
        MATH(sfpu::init(sfpu::COPY, 2));
        PACK(packer::rows_init());
        tensix_sync();
    }
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++)
        for (uint32_t done = 0; done < tiles; done += across) {
            cb_wait_front(TS_CB_IN0, across);
            tile_regs_acquire();
            for (uint32_t i = 0; i < across; i++) {
                UNPACK(tiles::unpack_a(TS_CB_IN0, i));
                MATH(sfpu::copy_tile(i));
            }
            cb_pop_front(TS_CB_IN0, across);
            tile_regs_commit();
            tile_regs_wait();
            cb_reserve_back(TS_CB_OUT, across);
            PACK(packer::pack_rows(across, get_write_ptr(TS_CB_OUT) / 16 - 1));
            tile_regs_release();
            cb_push_back(TS_CB_OUT, across);
        }
    tensix_sync();
}
} // namespace NAMESPACE
