// A run is one tile of in0 times eight of in1, as one MOP: 128 MVMULs. No-operations follow it. Every eight runs the packer takes
// 64 tiles, four rows at a time. The sums mean nothing: the time does.
#include "compute_kernel_api/matmul.h"

namespace NAMESPACE {
void MAIN
{
    [[maybe_unused]] const uint32_t nops = get_arg_val<uint32_t>(0);
    const uint32_t loops = get_arg_val<uint32_t>(1);
    mm_block_init(0, 1, 16, 0, 8, 1, 1);
#ifdef TRISC_MATH
    ckernel_template mop(8, 1, lltt::replay_insn(math::replay_buf_offset, 15),
                         TS_MV(p_setrwc::CLR_A, 5));
    mop.set_last_outer_loop_instr(TS_MV(p_setrwc::CLR_AB, 6));
    mop.program();
    TTI_REPLAY(0, 16, 0, 1); // the no-operations
    for (uint32_t i = 0; i < 16; i++)
        TTI_NOP;
#endif
#ifdef TRISC_PACK
    packer::mop_config(4 * 8);
#endif
    for (uint32_t loop = 0; loop < loops; loop++) {
        tile_regs_acquire();
        for (uint32_t run = 0; run < 8; run++) {
#ifdef TRISC_UNPACK
            llk_unpack_AB_matmul(0, 1, run, 0, 8, 1, 1);
#endif
#ifdef TRISC_MATH
            ckernel_template::run();
            for (uint32_t left = nops; left; left -= left < 16 ? left : 16)
                TT_REPLAY(0, left < 16 ? left : 16, 0, 0);
#endif
        }
        tile_regs_commit();
        tile_regs_wait();
#ifdef TRISC_PACK
        for (uint32_t run = 0; run < 8; run++)
            ckernel_template::run();
#endif
        tile_regs_release();
    }
}
} // namespace NAMESPACE
