// x * cos + half(x) * sin, two tiles in Dst for each of the result.
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"

namespace NAMESPACE {
void MAIN
{
    binary_op_init_common(0, 2, 16);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0;) {
        const uint32_t n = left < 4 ? left : 4;
        for (uint32_t cb = 0; cb < 4; cb++)
            cb_wait_front(cb, n);
        tile_regs_acquire();
        mul_tiles_init(0, 2);
        for (uint32_t i = 0; i < n; i++)
            mul_tiles(0, 2, i, i, i);
        mul_tiles_init(1, 3);
        for (uint32_t i = 0; i < n; i++)
            mul_tiles(1, 3, i, i, 4 + i);
        add_binary_tile_init();
        for (uint32_t i = 0; i < n; i++)
            add_binary_tile(i, 4 + i, i);
        tile_regs_commit();
        for (uint32_t cb = 0; cb < 4; cb++)
            cb_pop_front(cb, n);
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
