// Untilize: tiles to rows of a matrix in L1. A row of tiles is brought to Dst; the packer takes one row of 16 datums at
// a time, left and right face of every tile in turn, and writes them behind each other.
#include "compute_kernel_api/tile_loop.h"
#include "llk_sfpu.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t across = get_arg(TS_ARG_ACROSS);
    compute::tile_kernel(
        [] {
            compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
            UNPACK(tiles::unpack_init(false));
            MATH(sfpu::init(sfpu::COPY, 2));
            PACK(packer::rows_init());
        },
        [&] {
            compute::tile_loop(
                across, 1, false,
                []([[maybe_unused]] uint32_t i, uint32_t) {
                    UNPACK(tiles::unpack_a(TS_CB_IN0, i));
                },
                []([[maybe_unused]] uint32_t i) { MATH(sfpu::copy_tile(i)); },
                []([[maybe_unused]] uint32_t count) {
                    PACK(packer::pack_rows(count, get_write_ptr(TS_CB_OUT) / 16 - 1));
                });
        });
}
} // namespace NAMESPACE
