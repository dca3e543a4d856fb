// Element-wise sum, difference or product, as many tiles at a time as half of Dst holds. A second
// operand that is broadcast is one row of tiles, one column of them, or a single one: it stays in
// its ring for the whole pass.
#include "compute_kernel_api/tile_loop.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t broadcast = get_arg(TS_ARG_BROADCAST);
    [[maybe_unused]] const uint32_t across = get_arg(TS_ARG_ACROSS);
    compute::tile_kernel(
        [&] {
            compute::hw_startup(TS_CB_IN0, TS_CB_IN1, TS_CB_OUT);
            UNPACK(tiles::unpack_init(true));
            UNPACK(compute::unpack_faces(compute::faces(), compute::faces()));
            MATH(if (compute::general && compute::faces() < 4) tiles::eltwise_init_small(
                     get_arg(TS_ARG_OP), broadcast, get_arg(TS_ARG_PHASES), compute::faces_down(),
                     compute::faces_across());
                 else tiles::eltwise_init(get_arg(TS_ARG_OP), broadcast, get_arg(TS_ARG_PHASES)));
        },
        [&] {
            const bool kept = broadcast != 0 && compute::run_type().unpacks();
            if (kept)
                cb_wait_front(TS_CB_IN1, cb_get(TS_CB_IN1).tiles);
            compute::tile_loop(
                compute::dst_room(), broadcast ? 1 : 2, true,
                [&]([[maybe_unused]] uint32_t i, [[maybe_unused]] uint32_t number) {
                    // 1 column: a tile for every row of tiles; 2 row: one for every column.
                    UNPACK(tiles::unpack_ab(TS_CB_IN0, TS_CB_IN1, i,
                                            broadcast == 0   ? i
                                            : broadcast == 1 ? number / across
                                            : broadcast == 2 ? number % across
                                                             : 0));
                },
                []([[maybe_unused]] uint32_t i) { MATH(tiles::run(i)); }, compute::pack_batch);
            if (kept)
                cb_pop_front(TS_CB_IN1, cb_get(TS_CB_IN1).tiles);
        });
}
} // namespace NAMESPACE
