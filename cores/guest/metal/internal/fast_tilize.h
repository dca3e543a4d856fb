// Rows of a matrix to tiles, two to four of them at a time, for elements of 16 bits in a 16-bit Dst.
//
// The unpacker reads a line of the matrix at a time, across the tiles, to eight rows of SrcA. Line i goes to rows 16 i of
// Dst and on: left and right half of each tile. The packer takes four lines of one half with each instruction.
#pragma once
#include "internal/compute.h"

namespace ckernel::metal {

constexpr bool fast_tilizes(uint32_t cb)
{
    return tiles::tilize_parts == 1 && !DST_ACCUM_MODE &&
           (unpack_src_format[cb] == TS_DF_BF16 || unpack_src_format[cb] == TS_DF_FP16);
}
// Two to four tiles: five are two and three.
constexpr uint32_t fast_chunk(uint32_t left)
{
    return left > 5 ? 4 : left == 5 ? 2 : left;
}

#ifdef TRISC_UNPACK
inline void fast_unpack_place(uint32_t x_dim, uint32_t across, uint32_t deep, uint32_t stride)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
    cfg_rmw(THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32, ~0u, x_dim | x_dim << 16);
    cfg_rmw(THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1, ~0u, across | deep << 16);
    cfg_rmw(UNP0_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32, UNP0_ADDR_CTRL_ZW_REG_1_Zstride_MASK, stride);
}
// 32 lines; a bank of SrcA is full with every eighth.
inline void fast_unpack_init(uint32_t across)
{
    constexpr uint32_t BOTH_Z = 0x11;
    unpacker::transpose_a(false);
    fast_unpack_place(32, across, 16, 8 * 16 * 2);
    ckernel_unpack_template(TS_UNPACR(SrcA, BOTH_Z, 0), TS_UNPACR(SrcA, BOTH_Z, 1)).program();
}
inline void fast_unpack(uint32_t address)
{
    using namespace unpacker;
    constexpr uint32_t EIGHTH = 0x80808080;
    const uint32_t context = set_addresses(address, address);
    TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, 3);
    TTI_SETADCZW(p_setadc::UNP_A, 0, 0, 0, 0, 0xf);
    TTI_MOP_CFG(EIGHTH >> 16);
    TTI_MOP(0, 31, EIGHTH & 0xffff);
    release_addresses(context);
}
#endif

#ifdef TRISC_MATH
inline void fast_math_init()
{
    addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 16}}.set(ADDR_MOD_2);
    ckernel_template mop(4, 8, TT_OP_MOVA2D(0, 0, ADDR_MOD_2, 2, 0));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_A));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}
inline void fast_math()
{
    tiles::run(0);
    math::reset_counters(p_setrwc::SET_D);
}
#endif

#if defined(TRISC_PACK) && TS_RULE_four_packers // nothing is tilized here
inline void fast_pack_tiles(uint32_t) {}
inline void fast_pack_init(uint32_t) {}
inline void fast_pack_at(uint32_t) {}
inline void fast_pack() {}
inline void fast_pack_uninit(uint32_t) {}
#elif defined(TRISC_PACK)
// For so many tiles: 16 PACRs each, then W and the address move on.
inline void fast_pack_tiles(uint32_t tiles)
{
    constexpr uint32_t W = 2, ZW = 3;
    const uint32_t next = TT_OP_ADDRCRZW(p_setadc::PAC, 0, 0, 1, 0, W);
    ckernel_template mop(tiles, 1, lltt::replay_insn(0, 16), next);
    mop.set_start_op(TT_OP_ADDRCRZW(p_setadc::PAC, 0, 0, 0, 0, ZW));
    mop.set_end_op(lltt::replay_insn(16, 4));
    mop.program();
}
// Y: four lines. Z: the right half. W: the next tile.
inline void fast_pack_init(uint32_t cb)
{
    constexpr uint32_t STRIDED = 1, ALL = 0, Y = 64 * 32, Z = 32, W = 2 * 32;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    cfg_rmw(PCK0_ADDR_CTRL_XY_REG_0_Ystride_ADDR32, PCK0_ADDR_CTRL_XY_REG_0_Ystride_MASK,
            Y << PCK0_ADDR_CTRL_XY_REG_0_Ystride_SHAMT);
    cfg_rmw(PCK0_ADDR_CTRL_ZW_REG_0_Zstride_ADDR32, ~0u,
            Z | W << PCK0_ADDR_CTRL_ZW_REG_0_Wstride_SHAMT);
    addr_mod_pack_t{.y_src = {.incr = 1}}.set(ADDR_MOD_0);
    addr_mod_pack_t{.y_src = {.clr = 1, .cr = 1}, .z_src = {.clr = 1}}.set(ADDR_MOD_1);
    addr_mod_pack_t{.y_src = {.incr = 4, .cr = 1}, .z_src = {.clr = 1}}.set(ADDR_MOD_2);
    addr_mod_pack_t{.y_src = {.cr = 1}, .z_src = {.incr = 1}}.set(ADDR_MOD_3);
    static const char *const faces =
        "0003000200030001"; // left and right above, left and right below
    TTI_REPLAY(0, 16, 0, 1);
    for (uint32_t i = 0; i < 16; i++)
        ts_push(packer::PACR(uint32_t(faces[i] - '0'), i == 15, STRIDED, ALL));
    set_gpr(p_gpr_pack::TMP0, get_local_cb_interface(cb).fifo_page_size);
    TTI_REPLAY(16, 4, 0, 1);
    TTI_ADDDMAREG(0, p_gpr_pack::OUTPUT_ADDR, p_gpr_pack::OUTPUT_ADDR, p_gpr_pack::TMP0);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_pack::OUTPUT_ADDR, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_NOP; // WRCFG takes two cycles
}
inline void fast_pack_at(uint32_t address)
{
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 3);
    set_gpr(p_gpr_pack::OUTPUT_ADDR, address);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
    TTI_WRCFG(p_gpr_pack::OUTPUT_ADDR, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
}
inline void fast_pack()
{
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 2);
    ckernel_template::run();
}
inline void fast_pack_uninit(uint32_t cb)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    packer::restride(pack_in(cb));
    packer::mop_config();
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0xf);
}
#endif

} // namespace ckernel::metal
