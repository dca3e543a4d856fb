// Document 000, "Contrast with the high-level API": what matmul_tiles expands to.
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
    constexpr uint32_t cb_a = 0, cb_b = 1;
    mm_init(cb_a, cb_b, 16);
    tile_regs_acquire();
    cb_wait_front(cb_a, 1);
    cb_wait_front(cb_b, 1);
// matmul_tiles expands to:
UNPACK((llk_unpack_AB_matmul(cb_a, cb_b, 0, 0)));
MATH((llk_math_matmul<MATH_FIDELITY, MM_THROTTLE>(0)));
    cb_pop_front(cb_a, 1);
    cb_pop_front(cb_b, 1);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(16, 1);
    pack_tile(0, 16);
    cb_push_back(16, 1);
    tile_regs_release();
}
