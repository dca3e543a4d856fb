// matmul_seed.cpp with matmul_tiles instead of its parts: both push the same instructions.
#include "compute_kernel_api/matmul.h"
#include <cstdint>

namespace NAMESPACE {
void MAIN
{
    constexpr tt::CBIndex cb_a = tt::CBIndex::c_0;
    constexpr tt::CBIndex cb_b = tt::CBIndex::c_1;
    constexpr tt::CBIndex cb_out = tt::CBIndex::c_16;

    mm_init(cb_a, cb_b, cb_out);

    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire(); // MATH waits for free DST half

        for (uint32_t kt = 0; kt < Kt; ++kt) {
            cb_wait_front(cb_a, 1);
            cb_wait_front(cb_b, 1);

            matmul_tiles(cb_a, cb_b, 0, 0, 0);

            cb_pop_front(cb_a, 1);
            cb_pop_front(cb_b, 1);
        }

        tile_regs_commit(); // MATH signals DST data ready
        tile_regs_wait();   // PACK waits for MATH
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out); // PACK reads DST, writes to output CB
        cb_push_back(cb_out, 1);
        tile_regs_release(); // PACK clears DST half, signals MATH
    }
}
} // namespace NAMESPACE
