#include <cstdint>
#include "compute_kernel_api/matmul.h"
#ifdef TRISC_MATH
  #include "ckernel_ops.h"
  #include "cmath_common.h"
  #include "ckernel_template.h"
#endif

namespace NAMESPACE {
void MAIN {
  constexpr tt::CBIndex cb_a = tt::CBIndex::c_0;
  constexpr tt::CBIndex cb_b = tt::CBIndex::c_1;
  constexpr tt::CBIndex cb_out = tt::CBIndex::c_16;

  // mm_init programs all three TRISCs:
  //   TRISC0: configure unpacker for AB matmul mode
  //   TRISC1: set ADDR_MOD registers, record MVMUL sequence into replay buffer, program MOP
  //   TRISC2: configure packer for output format
  mm_init(cb_a, cb_b, cb_out);

  for (uint32_t i = 0; i < num_tiles; ++i) {
    tile_regs_acquire();  // MATH waits for free DST half

    for (uint32_t kt = 0; kt < Kt; ++kt) {
      cb_wait_front(cb_a, 1);
      cb_wait_front(cb_b, 1);

      // TRISC0: unpack tiles from CBs into SrcA/SrcB
      UNPACK((llk_unpack_AB_matmul(cb_a, cb_b, 0, 0)));

#ifdef TRISC_MATH
      // Set DST write address (includes double-buffer offset)
      ckernel::math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(0);

      // Run the MOP: replays 16x MVMUL across 4 faces, accumulating into DST
      // Final MVMUL uses CLR_A to free SrcA for next unpack
      ckernel_template::run();

      // Clear SrcB at reuse boundary so unpacker can reload
      TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
#endif

      cb_pop_front(cb_a, 1);
      cb_pop_front(cb_b, 1);
    }

    tile_regs_commit();            // MATH signals DST data ready
    tile_regs_wait();              // PACK waits for MATH
    cb_reserve_back(cb_out, 1);
    pack_tile(0, cb_out);          // PACK reads DST, writes to output CB
    cb_push_back(cb_out, 1);
    tile_regs_release();           // PACK clears DST half, signals MATH
  }
}
}  // namespace NAMESPACE
