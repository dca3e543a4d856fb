// 32 rows of buffer 0 at a time become a row of tiles in buffer 16.
#include "compute_kernel_api/tilize.h"

#ifdef FAST
#define TILIZE(what) fast_tilize_##what
#else
#define TILIZE(what) tilize_##what
#endif

namespace NAMESPACE {
void MAIN
{
    constexpr uint32_t across = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(0, 16);
    TILIZE(init)(0, across, 16);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0; left--) {
        cb_wait_front(0, across);
        cb_reserve_back(16, across);
        TILIZE(block)(0, across, 16);
        cb_push_back(16, across);
        cb_pop_front(0, across);
    }
#ifdef FAST
    fast_tilize_uninit(0, 16, across);
#endif
}
} // namespace NAMESPACE
