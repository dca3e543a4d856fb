// A tile of y: the sum over k of a tile of x times a tile of w, in Dst.
#include "compute_kernel_api/matmul.h"

namespace NAMESPACE {
void MAIN
{
    constexpr uint32_t kt = get_compile_time_arg_val(0), block = get_compile_time_arg_val(1);
    constexpr uint32_t share = get_compile_time_arg_val(2);
    const uint32_t count = get_arg_val<uint32_t>(0);
    mm_init(0, 1, 16);
    for (uint32_t column = 0; column < count; column++) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < kt; k += block) {
            const uint32_t weights = k / block % 8 < share ? 1
                                                           : 2; // from the reader, from the writer
            cb_wait_front(0, k + block);                        // x stays
            cb_wait_front(weights, block);
            for (uint32_t i = 0; i < block; i++)
                matmul_tiles(0, weights, k + i, i, 0, false);
            cb_pop_front(weights, block);
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
