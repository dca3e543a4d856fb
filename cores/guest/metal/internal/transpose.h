// A tile transposed on its way to Dst.
#pragma once
#include "internal/compute.h"

namespace ckernel {

ALWI void transpose_wh_init_short(uint32_t in)
{
    copy_tile_to_dst_init_short(in, 1);
}
ALWI void transpose_init(uint32_t in)
{
    transpose_wh_init_short(in);
}
ALWI void transpose_wh_init(uint32_t in, uint32_t out)
{
    metal::startup(in, in, out);
    transpose_wh_init_short(in);
}
ALWI void transpose_wh_uninit(uint32_t, uint32_t) {}
ALWI void transpose_wh_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
    copy_tile(in, tile, dst);
}
ALWI void transpose_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
    copy_tile(in, tile, dst);
}

} // namespace ckernel
