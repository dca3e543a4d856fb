// Adds the children's chunks to this chip's. Arguments: chunks.
#include "compute_kernel_api/eltwise_binary.h"

#include "tree.h"

namespace NAMESPACE {

constexpr uint32_t block = get_compile_time_arg_val(4); // tiles in Dst
constexpr auto reuse = EltwiseBinaryReuseDestType::DEST_TO_SRCA;

inline void add_block(uint32_t tile)
{
    add_tiles_init(OWN, CAME);
    for (uint32_t i = 0; i < block; i++)
        add_tiles(OWN, CAME, tile + i, tile + i, i);
    if constexpr (children > 1) {
        binary_dest_reuse_tiles_init<ELWADD, reuse>(SECOND);
        for (uint32_t i = 0; i < block; i++)
            binary_dest_reuse_tiles<ELWADD, reuse>(SECOND, tile + i, i);
    }
}

void MAIN
{
    binary_op_init_common(OWN, CAME, SUMS);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0; left--) {
        cb_wait_front(OWN, chunk);
        cb_wait_front(CAME, chunk);
        if constexpr (children > 1)
            cb_wait_front(SECOND, chunk);
        cb_reserve_back(SUMS, chunk);
        for (uint32_t tile = 0; tile < chunk; tile += block) {
            tile_regs_acquire();
            add_block(tile);
            tile_regs_commit();
            tile_regs_wait();
            for (uint32_t i = 0; i < block; i++)
                pack_tile(i, SUMS);
            tile_regs_release();
        }
        cb_pop_front(OWN, chunk);
        cb_pop_front(CAME, chunk);
        if constexpr (children > 1)
            cb_pop_front(SECOND, chunk);
        cb_push_back(SUMS, chunk);
    }
}
} // namespace NAMESPACE
