// A function of every element: each tile is copied to Dst or unpacked straight to it, the vector unit
// works on it there, and it is packed.
#include "compute_kernel_api/tile_loop.h"
#include "llk_sfpu.h"

namespace NAMESPACE {
void MAIN
{
    [[maybe_unused]] const uint32_t function = get_arg(TS_ARG_OP);
    compute::tile_kernel(
        [&] {
            compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
            UNPACK(tiles::unpack_init(false));
            UNPACK(compute::unpack_faces(compute::faces(), compute::faces()));
            MATH(sfpu::init(function, compute::dst32                                       ? 3
                                      : compute::narrow_exponent(cb_get(TS_CB_IN0).format) ? 1
                                                                                           : 2));
        },
        [&] {
            compute::tile_loop(
                compute::dst_room(), 1, false,
                []([[maybe_unused]] uint32_t i, uint32_t) {
                    UNPACK(if (compute::to_dst()) unpacker::unpack_to_dest(TS_CB_IN0, i);
                           else tiles::unpack_a(TS_CB_IN0, i));
                },
                [&]([[maybe_unused]] uint32_t i) {
                    MATH(if (compute::to_dst()) math::unpack_to_dest_tile(i);
                         else sfpu::copy_tile(i));
                    MATH(if (function != sfpu::COPY) sfpu::run(i));
                },
                compute::pack_batch);
        });
}
} // namespace NAMESPACE
