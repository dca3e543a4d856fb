// Transposes every tile: the unpacker transposes within faces, and faces 1 and 2 change places on
// their way to Dst.
#include "compute_kernel_api/tile_loop.h"

namespace NAMESPACE {
void MAIN
{
    compute::tile_kernel(
        [] {
            compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT, true);
            UNPACK(tiles::unpack_init(false));
            [[maybe_unused]] const bool int8 = compute::general &&
                                               cb_get(TS_CB_IN0).format == TS_DF_INT8;
            UNPACK(if (int8) tiles::zero_b());
            UNPACK(compute::unpack_faces(compute::faces(), compute::faces()));
            MATH(if (compute::general && compute::faces() < 4) // two faces keep their order
                 tiles::copy_init(compute::faces(), int8);
                 else tiles::transpose_init(int8));
        },
        [] {
            compute::tile_loop(
                compute::dst_room(), 1, false,
                []([[maybe_unused]] uint32_t i, uint32_t) {
                    UNPACK(tiles::unpack_a(TS_CB_IN0, i));
                },
                []([[maybe_unused]] uint32_t i) { MATH(tiles::run(i)); }, compute::pack_batch);
        });
}
} // namespace NAMESPACE
