// relu(a * b + c), a tile at a time: the product stays in Dst, c is added there.
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/relu.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t count = get_arg_val<uint32_t>(0);
    binary_op_init_common(0, 1, 16);
    for (uint32_t i = 0; i < count; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_wait_front(2, 1);
        tile_regs_acquire();
        mul_tiles_init(0, 1);
        mul_tiles(0, 1, 0, 0, 0);
        binary_dest_reuse_tiles_init<ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(2);
        binary_dest_reuse_tiles<ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(2, 0, 0);
        relu_tile_init();
        relu_tile(0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
        cb_pop_front(2, 1);
        tile_regs_wait();
        cb_reserve_back(16, 1);
        pack_tile(0, 16);
        cb_push_back(16, 1);
        tile_regs_release();
    }
}
} // namespace NAMESPACE
