// The tiles of a line, one after the other, are reduced into one tile of Dst, which goes to buffer 16.
#include "compute_kernel_api/reduce.h"

namespace NAMESPACE {

constexpr uint32_t length = get_compile_time_arg_val(0);
constexpr ReduceDim dim = get_compile_time_arg_val(1) ? ReduceDim::REDUCE_ROW
                                                      : ReduceDim::REDUCE_COL;
constexpr PoolType type = get_compile_time_arg_val(2) ? PoolType::MAX : PoolType::SUM;

void MAIN
{
    const uint32_t lines = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 2, 16);
    reduce_init<type, dim>(0, 2, 16);
    cb_wait_front(2, 1);
    for (uint32_t line = 0; line < lines; line++) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < length; i++) {
            cb_wait_front(0, 1);
            reduce_tile<type, dim>(0, 2, 0, 0, 0);
            cb_pop_front(0, 1);
        }
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
} // namespace NAMESPACE
