#include "compute_kernel_api/matmul.h"

namespace NAMESPACE {
void MAIN
{
    const uint32_t products = get_arg_val<uint32_t>(0);
    mm_block_init(0, 1, 16, 0, 8, 1, 1);
    tile_regs_acquire();
    for (uint32_t i = 0; i < products; i += 8)
        matmul_block(0, 1, 0, 0, 0, 0, 8, 1, 1);
    tile_regs_commit();
}
} // namespace NAMESPACE
