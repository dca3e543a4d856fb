// OP of the tiles of buffers 0 and 1, `block` at a time, to buffer 16.
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"

namespace NAMESPACE {

constexpr uint32_t block = get_compile_time_arg_val(0);
constexpr BroadcastType kinds[] = {BroadcastType::NONE, BroadcastType::ROW, BroadcastType::COL,
                                   BroadcastType::SCALAR};
constexpr BroadcastType broadcast = kinds[get_compile_time_arg_val(1)];
constexpr EltwiseBinaryType add = ELWADD, sub = ELWSUB, mul = ELWMUL;

void MAIN
{
    init_bcast<OP, broadcast>(0, 1, 16);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0;) {
        const uint32_t n = left < block ? left : block;
        cb_wait_front(0, n);
        cb_wait_front(1, n);
        tile_regs_acquire();
        for (uint32_t i = 0; i < n; i++)
            any_tiles_bcast<OP, broadcast>(0, 1, i, i, i);
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
