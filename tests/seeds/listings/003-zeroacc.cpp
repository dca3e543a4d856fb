// Document 003, "ZEROACC", common use and the constants of its modes.
#include "compute_kernel_api/common.h"

static_assert(TT_OP_ZEROACC(p_zeroacc::CLR_ALL, 0, 0, ADDR_MOD_1, 0) == 0x10184000);
static_assert(p_zeroacc::CLR_HALF_32B == 0b110 && p_zeroacc::CLR_ALL_32B == 0b111);

void kernel_main()
{
#ifdef TRISC_MATH
    constexpr uint32_t tile_index = 1;
// Before matmul: clear entire Dest
TTI_ZEROACC(p_zeroacc::CLR_ALL, 0, 0, ADDR_MOD_1, 0);
// Encodes to: 0x10184000 (from matmul_peak TRISC1):
// clear_mode=3 (CLR_ALL), use_32b=0, clr_zf=0, addr_mode=1, where=0

// Before eltwise into specific tile slot:
TTI_ZEROACC(p_zeroacc::CLR_16, 0, 0, ADDR_MOD_0, tile_index * 2);
// Clears 16 rows starting at tile_index*32 in 16-bit mode
#endif
}
