// Transposes the tiles of buffer 0, `block` at a time, to buffer 16.
#include "compute_kernel_api/transpose_wh.h"

namespace NAMESPACE {
void MAIN
{
    constexpr uint32_t block = get_compile_time_arg_val(0);
    transpose_wh_init(0, 16);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_wait_front(0, n);
        tile_regs_acquire();
        for (uint32_t i = 0; i < n; i++)
            transpose_wh_tile(0, i, i);
        tile_regs_commit();
        cb_pop_front(0, n);
        cb_reserve_back(16, n);
        tile_regs_wait();
        for (uint32_t i = 0; i < n; i++)
            pack_tile(i, 16);
        tile_regs_release();
        cb_push_back(16, n);
        left -= n;
    }
}
} // namespace NAMESPACE
