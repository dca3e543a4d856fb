// Tiles to rows in the unpacker, as the vendor's older untilize does it: the row of tiles is read line by line, 16 elements of
// the left and 16 of the right face of each tile, and the offset of the next tile is written in between. 16 such halves are a face
// of SrcA; four faces are a tile of Dst that the packer writes as it is. Top faces first, then the lower ones.
#pragma once
#include "internal/compute.h"

namespace ckernel::metal {

// Elements that SrcA takes one by one. Others are untilized in the packer.
constexpr bool unpack_untilizes(uint32_t cb)
{
    const uint32_t in = unpack_in(cb);
    return !to_dst(cb) && (in == TS_DF_BF16 || in == TS_DF_FP16 || in == TS_DF_FP32);
}

#ifdef TRISC_UNPACK
inline void untilize_place(uint32_t x_dim, uint32_t y_dim, uint32_t stride)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
    cfg_rmw(UNP0_ADDR_CTRL_XY_REG_1_Ystride_ADDR32, UNP0_ADDR_CTRL_XY_REG_1_Ystride_MASK,
            stride << UNP0_ADDR_CTRL_XY_REG_1_Ystride_SHAMT);
    cfg_rmw(THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1, 0xffff, y_dim);
    cfg_rmw(THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32, ~0u, x_dim | x_dim << 16);
}
inline void untilize_unpack_init(uint32_t cb)
{
    constexpr uint32_t OUT_Y_IN_Z = 0x41, Z = 1;
    const uint32_t out = unpacker::register_format(unpack_in(cb), DST_ACCUM_MODE);
    unpacker::transpose_a(false);
    TTI_SETADCZW(p_setadc::UNP_A, 0, 0, 0, 0, 0xf);
    TTI_SETADCXX(p_setadc::UNP_A, 15, 0);
    untilize_place(16, 16, 16 * unpacker::datum_bytes(out));
    set_gpr(p_gpr_unpack::TILE_SIZE_A, get_local_cb_interface(cb).fifo_page_size);
    set_gpr(p_gpr_unpack::TMP_LO, 0);
    TTI_REPLAY(0, 6, 0, 1);
    TTI_DMANOP; // the WRCFG before it takes two cycles
    TS_INLINE(TS_UNPACR(SrcA, OUT_Y_IN_Z, 0));
    TS_INLINE(TS_UNPACR(SrcA, OUT_Y_IN_Z, 0));
    TTI_ADDDMAREG(0, p_gpr_unpack::TMP_LO, p_gpr_unpack::TMP_LO, p_gpr_unpack::TILE_SIZE_A);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_ADDRCRZW(p_setadc::UNP_A, 0, 0, 0, 0, Z);
    const uint32_t tile = lltt::replay_insn(0, 6);
    ckernel_unpack_template(
        tile, TT_OP_WRCFG(p_gpr_unpack::TMP_LO, 0, THCON_SEC0_REG7_Offset_address_ADDR32), tile,
        TT_OP_WRCFG(p_gpr_unpack::TMP_LO, 0, THCON_SEC0_REG7_Offset_cntx1_address_ADDR32))
        .program();
}
// 16 lines of a row of tiles. `z`: the first face of a tile that is read.
inline void untilize_pass(uint32_t address, uint32_t across, uint32_t z)
{
    using namespace unpacker;
    constexpr uint32_t IN_Y = 2, OUT_Y = 8, HALVES = 8;
    TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, IN_Y);
    TT_SETADC(p_setadc::UNP_A, p_setadc::CH_0, p_setadc::SET_Z, z);
    const uint32_t context = set_addresses(address, address);
    const uint32_t mask = context == 0 ? 0 : 0xff;
    uint32_t full = 0; // pairs of halves in the bank of SrcA
    for (uint32_t line = 0; line < 16; line++) {
        uint32_t left = across;
        while (left != 0) {
            const uint32_t now = full + left < HALVES ? left : HALVES - full;
            ckernel_unpack_template::run(now, mask);
            left -= now;
            full += now;
            if (full == HALVES) {
                TS_INLINE(TS_UNPACR(SrcA, 0, 1));
                TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, OUT_Y);
                full = 0;
            }
        }
        TTI_MULDMAREG(0, p_gpr_unpack::TMP_LO, p_gpr_unpack::TMP_LO, p_gpr::ZERO);
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
        if (context == 0)
            TTI_WRCFG(p_gpr::ZERO, 0, THCON_SEC0_REG7_Offset_address_ADDR32);
        else
            TTI_WRCFG(p_gpr::ZERO, 0, THCON_SEC0_REG7_Offset_cntx1_address_ADDR32);
        TTI_INCADCXY(p_setadc::UNP_A, 0, 0, 1, 0);
    }
    release_addresses(context);
}
inline void untilize_unpack_uninit()
{
    unpacker::wait_for_idle();
    untilize_place(256, 1, 0);
    TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, 0xb);
    unpack_init();
}
#endif

#ifdef TRISC_MATH
// A face of SrcA for each quarter of the tile.
inline void untilize_math_init()
{
    addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_2);
    ckernel_template mop(4, 2, TT_OP_MOVA2D(0, 0, ADDR_MOD_2, 2, 0));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_A));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}
#endif

// Four faces of SrcA to a tile of Dst.
ALWI void untilize_math([[maybe_unused]] uint32_t tile)
{
    MATH(tiles::run(tile));
    MATH(math::reset_counters(p_setrwc::SET_D));
}

} // namespace ckernel::metal
