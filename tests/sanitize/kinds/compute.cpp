// Copies tiles from circular buffer 0 to 16.
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/tile_move_copy.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t count = get_arg_val<uint32_t>(0);
    unary_op_init_common(0, 16);
    copy_tile_init(0);
    for (uint32_t tile = 0; tile < count; tile++) {
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    // HERE
}
}
