// Tilize: rows of a matrix in L1 to tiles. The unpacker picks the 32 half-rows of 16 datums of a tile out of the matrix,
// line by line; on their way to Dst the halves go to their faces, a row at a time.
#include "compute_kernel_api/tile_loop.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t across = get_arg(TS_ARG_ACROSS), tiles = get_arg(TS_ARG_TILES);
    [[maybe_unused]] const uint32_t line = cb_get(TS_CB_IN0).tile_bytes /
                                           32; // bytes of a tile's row
    compute::tile_kernel(
        [&] {
            compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
            UNPACK(tiles::unpack_init(false));
            UNPACK(tiles::tileize(line * across));
            MATH(tiles::gather_init());
        },
        [&] {
            const compute::run_type run;
            for (uint32_t done = 0; done < tiles; done += across) {
                if (run.unpacks())
                    cb_wait_front(TS_CB_IN0, across);
                for (uint32_t i = 0; i < across; i++) {
                    compute::dst_acquire(run);
#if TS_RULE_unpack_rows_16 // a face at a time
                    for (uint32_t face = 0; face < 4; face++)
                        compute::tile_work(
                            run, false,
                            [&] {
                                UNPACK(tiles::unpack_at(get_read_ptr(TS_CB_IN0) + i * line +
                                                        face % 2 * line / 2 +
                                                        face / 2 * 16 * line * across));
                            },
                            [&] { MATH(tiles::gather_face(0, face)); });
#else
                    compute::tile_work(
                        run, false,
                        [&] { UNPACK(tiles::unpack_at(get_read_ptr(TS_CB_IN0) + i * line)); },
                        [&] { MATH(tiles::gather(0)); });
#endif
                    compute::dst_hand_over(run);
                    if (run.packs()) {
                        cb_reserve_back(TS_CB_OUT, 1);
                        pack_tile(0, TS_CB_OUT);
                    }
                    compute::dst_release(run);
                    if (run.packs())
                        cb_push_back(TS_CB_OUT, 1);
                }
                if (run.unpacks())
                    cb_pop_front(TS_CB_IN0, across);
            }
        });
}
} // namespace NAMESPACE
