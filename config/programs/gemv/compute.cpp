// A tile of y: the sum over k of a tile of x times a tile of w, in Dst.
#include "compute_kernel_api/matmul.h"

#include "columns.h"

namespace NAMESPACE {
void MAIN
{
    mm_init(0, 1, 16);
    for (uint32_t c = first_column(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1)); c < nt;
         c += step) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < kt; k += block) {
            cb_wait_front(0, k + block); // x stays
            cb_wait_front(1, block);
            for (uint32_t i = 0; i < block; i++)
                matmul_tiles(0, 1, k + i, i, 0, false);
            cb_pop_front(1, block);
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
