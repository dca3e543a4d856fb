// Adds this chip's chunks to those that have come. Arguments: chunks.
#include "chips.h"
#include "compute_kernel_api/eltwise_binary.h"

namespace NAMESPACE {

constexpr uint32_t block = get_compile_time_arg_val(5); // tiles in Dst

void MAIN
{
    binary_op_init_common(OWN, CAME, SUMS);
    add_tiles_init(OWN, CAME);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0; left--) {
        cb_wait_front(OWN, chunk);
        cb_wait_front(CAME, chunk);
        cb_reserve_back(SUMS, chunk);
        for (uint32_t tile = 0; tile < chunk; tile += block) {
            tile_regs_acquire();
            for (uint32_t i = 0; i < block; i++)
                add_tiles(OWN, CAME, tile + i, tile + i, i);
            tile_regs_commit();
            tile_regs_wait();
            for (uint32_t i = 0; i < block; i++)
                pack_tile(i, SUMS);
            tile_regs_release();
        }
        cb_pop_front(OWN, chunk);
        cb_pop_front(CAME, chunk);
        cb_push_back(SUMS, chunk);
    }
}
} // namespace NAMESPACE
