// OP of the tiles of buffer 0, `block` at a time, to buffer 16.
#include "compute_kernel_api.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
#include "compute_kernel_api/tile_move_copy.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

namespace NAMESPACE {
void MAIN
{
    constexpr uint32_t block = get_compile_time_arg_val(0);
    init_sfpu(0, 16);
    JOIN(OP, _tile_init)();
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_wait_front(0, n);
        tile_regs_acquire();
        for (uint32_t i = 0; i < n; i++) {
            copy_tile(0, i, i);
            JOIN(OP, _tile)(i);
        }
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
