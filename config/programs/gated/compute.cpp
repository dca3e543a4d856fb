// silu of a tile of buffer 0 times that of buffer 1, to buffer 16: both in Dst.
#include "compute_kernel_api.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"
#include "compute_kernel_api/tile_move_copy.h"

namespace NAMESPACE {

constexpr uint32_t block = get_compile_time_arg_val(0);

void MAIN
{
    binary_op_init_common(0, 1, 16);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_wait_front(0, n);
        cb_wait_front(1, n);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        for (uint32_t i = 0; i < n; i++) {
            copy_tile(0, i, i);
            copy_tile(1, i, block + i);
        }
        silu_tile_init();
        for (uint32_t i = 0; i < n; i++)
            silu_tile(i);
        mul_binary_tile_init();
        for (uint32_t i = 0; i < n; i++)
            mul_binary_tile(i, block + i, i);
        tile_regs_commit();
        cb_pop_front(0, n);
        cb_pop_front(1, n);
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
