// Sum or maximum of the columns of every tile, in its first row. The second operand is a tile of
// ones.
#include "compute_kernel_api/tile_loop.h"

namespace NAMESPACE {
void MAIN
{
    compute::tile_kernel(
        [] {
            compute::hw_startup(TS_CB_IN0, TS_CB_IN1, TS_CB_OUT);
            UNPACK(tiles::unpack_init(true));
            UNPACK(compute::unpack_faces(compute::faces(), compute::faces()));
            MATH(if (compute::general && compute::faces() < 4)
                     tiles::pool_init_small(get_arg(TS_ARG_OP) != 0, get_arg(TS_ARG_PHASES),
                                            compute::faces_down(), compute::faces_across());
                 else tiles::pool_init(get_arg(TS_ARG_OP) != 0, get_arg(TS_ARG_PHASES)));
        },
        [] {
            const bool kept = compute::run_type().unpacks();
            if (kept)
                cb_wait_front(TS_CB_IN1, 1);
            compute::tile_loop(
                compute::dst_room(), 1, true,
                []([[maybe_unused]] uint32_t i, uint32_t) {
                    UNPACK(tiles::unpack_ab(TS_CB_IN0, TS_CB_IN1, i, 0));
                },
                []([[maybe_unused]] uint32_t i) { MATH(tiles::run(i)); }, compute::pack_batch);
            if (kept)
                cb_pop_front(TS_CB_IN1, 1);
        });
}
} // namespace NAMESPACE
