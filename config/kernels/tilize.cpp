// Tilize: rows of a matrix in L1 to tiles. The unpacker picks the 32 half-rows of 16 datums of a tile out of the matrix,
// line by line; on their way to Dst the halves go to their faces, a row at a time.
#include "compute_kernel_api/common.h"
#include "llk_tiles.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t across = get_arg(TS_ARG_ACROSS), tiles = get_arg(TS_ARG_TILES);
    const uint32_t repeat = get_arg(TS_ARG_REPEAT);
    [[maybe_unused]] const uint32_t line = cb_get(TS_CB_IN0).tile_bytes / 32; // bytes of a tile's row
    {
        profile::zone init(TS_ZONE_INIT);
        compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
        UNPACK(tiles::unpack_init(false));
        UNPACK(tiles::tileize(line * across));
        MATH(tiles::gather_init());
        tensix_sync();
    }
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++)
        for (uint32_t done = 0; done < tiles; done += across) {
            cb_wait_front(TS_CB_IN0, across);
            for (uint32_t i = 0; i < across; i++) {
                tile_regs_acquire();
                UNPACK(tiles::unpack_at(get_read_ptr(TS_CB_IN0) + i * line));
                MATH(tiles::gather(0));
                tile_regs_commit();
                tile_regs_wait();
                cb_reserve_back(TS_CB_OUT, 1);
                pack_tile(0, TS_CB_OUT);
                tile_regs_release();
                cb_push_back(TS_CB_OUT, 1);
            }
            cb_pop_front(TS_CB_IN0, across);
        }
    tensix_sync();
}
} // namespace NAMESPACE
