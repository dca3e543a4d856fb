// A tile of c: the sum over k of a tile of a times a tile of b, in Dst.
#include "compute_kernel_api/matmul.h"

namespace NAMESPACE {
void MAIN
{
    constexpr uint32_t kt = get_compile_time_arg_val(0);
    const uint32_t count = get_arg_val<uint32_t>(0);
    mm_init(0, 1, 16);
    for (uint32_t tile = 0; tile < count; tile++) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < kt; k++) {
            cb_wait_front(0, 1);
            cb_wait_front(1, 1);
            matmul_tiles(0, 1, 0, 0, 0, false);
            cb_pop_front(0, 1);
            cb_pop_front(1, 1);
        }
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(16, 1);
        pack_tile(0, 16);
        cb_push_back(16, 1);
        tile_regs_release();
    }
}
} // namespace NAMESPACE
