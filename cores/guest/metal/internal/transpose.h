// A tile transposed on its way to Dst, or in Dst.
#pragma once
#include "internal/binary.h"

namespace ckernel {

ALWI void transpose_wh_init_short(uint32_t in)
{
    copy_tile_to_dst_init_short(in, 1, 1);
}
ALWI void transpose_init(uint32_t in)
{
    transpose_wh_init_short(in);
}
ALWI void transpose_wh_init(uint32_t in, uint32_t out)
{
    metal::startup(in, in, out);
    transpose_wh_init_short(in);
}
ALWI void transpose_wh_uninit(uint32_t, uint32_t) {}
ALWI void transpose_wh_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
    copy_tile(in, tile, dst);
}
ALWI void transpose_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
    copy_tile(in, tile, dst);
}

// In Dst, face by face through SrcB, which transposes its rows 16 to 31; SrcA keeps one of the two faces
// that change places. SrcB has 19 bits of an element.
#ifdef TRISC_MATH
namespace metal {
ALWI void face_to_srcb(uint32_t row)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 16; i += 4)
        TT_MOVD2B(0, 16 + i, ADDR_MOD_7, 2, row + i);
    TTI_TRNSPSRCB;
}
ALWI void face_from_srcb(uint32_t row)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 16; i += 4)
        TT_MOVB2D(0, 16 + i, ADDR_MOD_7, 4, row + i);
}
inline void transpose_dst(uint32_t dst)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
    addr_mod_t{}.set(ADDR_MOD_7);
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD | p_stall::SRCB_VLD);
    face_to_srcb(0);
    face_from_srcb(0);
    face_to_srcb(48);
    face_from_srcb(48);
    face_to_srcb(16);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 16; i += 4)
        TT_MOVB2A(i, ADDR_MOD_7, 2, 16 + i);
    face_to_srcb(32);
    face_from_srcb(16);
#pragma GCC unroll 2
    for (uint32_t i = 0; i < 16; i += 8)
        TT_MOVA2D(0, i, ADDR_MOD_7, 2, 32 + i);
    TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}
} // namespace metal
#endif
template <bool is_32bit = false, auto... flags> ALWI void transpose_wh_dest_init_short(uint32_t = 0)
{
    static_assert(!is_32bit, "32-bit elements cannot be transposed in Dst: SrcB has 19 bits");
}
template <bool is_32bit = false, auto... flags>
ALWI void transpose_wh_dest([[maybe_unused]] uint32_t dst)
{
    static_assert(!is_32bit, "32-bit elements cannot be transposed in Dst: SrcB has 19 bits");
    UNPACK(metal::hand_over_zeros<SrcA>());
    UNPACK(metal::hand_over_zeros<SrcB>());
    MATH(metal::transpose_dst(dst));
}
template <bool is_32bit = false, auto... flags> ALWI void transpose_dest_init(uint32_t = 0)
{
    transpose_wh_dest_init_short<is_32bit>();
}
template <bool is_32bit = false, auto... flags> ALWI void transpose_dest(uint32_t dst)
{
    transpose_wh_dest<is_32bit>(dst);
}

} // namespace ckernel
