// A tile transposed on its way to Dst, or in Dst.
#pragma once
#include "internal/binary.h"

namespace ckernel {

#ifdef TRISC_MATH
namespace metal {

constexpr uint32_t STILL = four_modes ? ADDR_MOD_3 : ADDR_MOD_7; // moves nothing on

// In Dst, face by face through SrcB, which transposes its rows 16 to 31; SrcA keeps one of the two faces
// that change places.
ALWI void face_to_srcb(uint32_t row, uint32_t low = 0)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 16; i += 4)
        TT_MOVD2B(low, 16 + i, STILL, 2, row + i);
    TTI_TRNSPSRCB;
}
ALWI void face_from_srcb(uint32_t row)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 16; i += 4)
        TT_MOVB2D(0, 16 + i, STILL, 4, row + i);
}
ALWI void face_to_srca(uint32_t row)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 16; i += 4)
        TT_MOVB2A(row + i, STILL, 2, 16 + i);
}
inline void transpose_16()
{
    face_to_srcb(0);
    face_from_srcb(0);
    face_to_srcb(48);
    face_from_srcb(48);
    face_to_srcb(16);
    face_to_srca(0);
    face_to_srcb(32);
    face_from_srcb(16);
#pragma GCC unroll 2
    for (uint32_t i = 0; i < 16; i += 8)
        TT_MOVA2D(0, i, STILL, 2, 32 + i);
}

// A Src register has 19 bits, so 32-bit elements go in two halves. They are loaded out of the 32-bit view of Dst and
// stored to the 16-bit view, where row r of 32 bits is row 16 * (r / 8) + r % 8, its upper halves, and 8 rows behind
// that one its lower halves. As BF16 and with the flush of small numbers off, a move changes no bit.
constexpr uint32_t FP32_ON = ALU_ACC_CTRL_Fp32_enabled_MASK;
inline void view(uint32_t dst, bool wide)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
    cfg_rmw(ALU_ACC_CTRL_Fp32_enabled_ADDR32, FP32_ON, wide ? FP32_ON : 0);
    TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32,
              (wide ? 64 : 128) * dst + math::get_dest_buffer_base());
}
inline void keep_all_bits(bool on)
{
    constexpr uint32_t keep = ALU_ACC_CTRL_Zero_Flag_disabled_src_MASK,
                       set = ALU_FORMAT_SPEC_REG_SrcA_override_MASK;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
    cfg_rmw(ALU_ACC_CTRL_Zero_Flag_disabled_src_ADDR32, keep, on ? keep : 0);
    cfg_rmw(ALU_FORMAT_SPEC_REG_SrcA_val_ADDR32, ALU_FORMAT_SPEC_REG_SrcA_val_MASK | set,
            on ? uint32_t(TS_DF_BF16) << ALU_FORMAT_SPEC_REG_SrcA_val_SHAMT | set : 0);
#ifdef DISABLE_IMPLIED_SRCA_FMT_Base_ADDR32
    TT_SETC16(DISABLE_IMPLIED_SRCA_FMT_Base_ADDR32, on);
#endif
}
inline void transpose_32(uint32_t dst)
{
    keep_all_bits(true);
    for (uint32_t low = 0; low < 2; low++) {
        view(dst, true);
        for (uint32_t face = 0; face < 4; face++) {
            face_to_srcb(16 * face, low);
            face_to_srca(16 * (face == 1 ? 2 : face == 2 ? 1 : face));
        }
        view(dst, false);
        for (uint32_t row = 0; row < 64; row += 8)
            TT_MOVA2D(0, row, STILL, 2, 2 * row + 8 * low);
    }
    view(dst, true);
    keep_all_bits(false);
}
template <bool is_32bit> inline void transpose_dst(uint32_t dst)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
    addr_mod_t{}.set(STILL);
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD | p_stall::SRCB_VLD);
    if constexpr (is_32bit)
        transpose_32(dst);
    else
        transpose_16();
    TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

} // namespace metal
#endif

template <bool is_32bit = false, auto... flags> ALWI void transpose_wh_dest_init_short(uint32_t = 0)
{
    static_assert(!is_32bit || DST_ACCUM_MODE, "32-bit elements need a 32-bit Dst");
}
template <bool is_32bit = false, auto... flags>
ALWI void transpose_wh_dest([[maybe_unused]] uint32_t dst)
{
    static_assert(!is_32bit || DST_ACCUM_MODE, "32-bit elements need a 32-bit Dst");
    UNPACK(metal::hand_over_zeros<SrcA>());
    UNPACK(metal::hand_over_zeros<SrcB>());
    MATH(metal::transpose_dst<is_32bit>(dst));
}
template <bool is_32bit = false, auto... flags> ALWI void transpose_dest_init(uint32_t = 0)
{
    transpose_wh_dest_init_short<is_32bit>();
}
template <bool is_32bit = false, auto... flags> ALWI void transpose_dest(uint32_t dst)
{
    transpose_wh_dest<is_32bit>(dst);
}

// On its way to Dst a tile is transposed by the unpacker; one that is unpacked to Dst is transposed there.
ALWI void transpose_wh_init_short(uint32_t in)
{
    if (metal::to_dst(in))
        copy_tile_to_dst_init_short(in);
    else
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
    if constexpr (DST_ACCUM_MODE)
        if (metal::to_dst(in))
            transpose_wh_dest<true>(dst);
}
ALWI void transpose_tile(uint32_t in, uint32_t tile, uint32_t dst)
{
    transpose_wh_tile(in, tile, dst);
}

} // namespace ckernel
