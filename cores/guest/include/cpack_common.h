// The pack thread: the packer, its addresses, and giving Dst back.
#pragma once
#include "cb.h"
#include "ckernel_template.h"

namespace ckernel::packer {

inline uint32_t dest_offset_id;

constexpr bool is_block_float(uint32_t format)
{
    return format == TS_DF_BFP8 || format == TS_DF_BFP4 || format == TS_DF_BFP2 ||
           format == TS_DF_BFP8A || format == TS_DF_BFP4A || format == TS_DF_BFP2A;
}

// 5-bit exponents in Dst.
constexpr bool is_a_format(uint32_t format)
{
    return format == TS_DF_FP16 || format == TS_DF_FP8 || format == TS_DF_BFP8A ||
           format == TS_DF_BFP4A || format == TS_DF_BFP2A;
}

constexpr uint32_t datum_bytes(uint32_t from)
{
    return (from & 3) == 0 ? 4 : (from & 3) == 1 ? 2 : 1;
}

#if TS_RULE_four_packers
// Four packers, each with words of its own; with each PACR one takes a face, or a row of one.
constexpr uint32_t FIRST = 1; // packer 0
constexpr uint32_t PACR(uint32_t addr_mode, uint32_t last, uint32_t packers)
{
    return TT_OP_PACR(addr_mode, 0, packers, 0, 0, 0, last);
}
constexpr uint32_t PACR_ROW(uint32_t addr_mode, uint32_t last)
{
    return PACR(addr_mode, last, FIRST);
}
constexpr uint32_t packers_of(uint32_t faces)
{
    return (1u << faces) - 1;
}
constexpr uint32_t parts[4] = {
    THCON_SEC0_REG1_Row_start_section_size_ADDR32, THCON_SEC0_REG8_Row_start_section_size_ADDR32,
    THCON_SEC1_REG1_Row_start_section_size_ADDR32, THCON_SEC1_REG8_Row_start_section_size_ADDR32};
constexpr uint32_t ALL_OF_CFG = 1;        // of WRCFG: four words
constexpr uint32_t FROM_FIRST = 1u << 31; // an address of packer 0 from which the others count

// The words of a packer that depend on the format in L1: where exponents and data of its face begin. The others' addresses
// count from the address of packer 0; both have one unit of 16 bytes for a header.
constexpr uint32_t face_units(uint32_t to)
{
    return to == TS_DF_BFP4 || to == TS_DF_BFP4A   ? 8
           : to == TS_DF_BFP2 || to == TS_DF_BFP2A ? 4
                                                   : 16 * datum_bytes(to);
}
constexpr uint32_t exponents_of(uint32_t to, uint32_t faces, uint32_t packer)
{
    return is_block_float(to) ? (faces - packer + face_units(to) * packer) << 16 : 0;
}
constexpr uint32_t address_of(uint32_t to, uint32_t packer)
{
    return packer * (is_block_float(to) ? 1 : face_units(to)) - 1;
}
inline void shape(uint32_t to, uint32_t faces)
{
    volatile uint32_t *cfg = ts_cfg();
    for (uint32_t i = 0; i < 4; i++) {
        cfg[parts[i]] = exponents_of(to, faces, i);
        if (i > 0)
            cfg[parts[i] + 1] = address_of(to, i);
    }
}
inline void formats(uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < 4; i++) {
        ts_cfg()[parts[i] + 2] = 1 | to << 4 | from << 8;
        ts_cfg()[PACK_COUNTERS_SEC0_pack_per_xy_plane_ADDR32 + i] = 16u << 8;
    }
}
#else
constexpr uint32_t PACR(uint32_t addr_mode, uint32_t last, uint32_t strided = 0,
                        uint32_t interfaces = 0, uint32_t mega = 0)
{
    return TT_OP_PACR(0, 0, strided, addr_mode, 0, 0, interfaces, 0, mega, 0, 0, last);
}
constexpr uint32_t PACR_ROW(uint32_t addr_mode, uint32_t last)
{
    return PACR(addr_mode, last, 0, 1);
}
constexpr uint32_t parts[1] = {THCON_SEC0_REG1_Row_start_section_size_ADDR32};
constexpr uint32_t ALL_OF_CFG = 0, FROM_FIRST = 0;
#endif

// The same bits of a word of each packer.
TS_INLINE_ALWAYS void rmw_each(uint32_t word, uint32_t mask, uint32_t value)
{
    cfg_rmw(parts[0] + word, mask, value);
#if TS_RULE_four_packers
    for (uint32_t i = 1; i < 4; i++)
        cfg_rmw(parts[i] + word, mask, value);
#endif
}

inline void select_dest_half()
{
    TT_WRCFG(dest_offset_id ? p_gpr_pack::DEST_OFFSET_HI : p_gpr_pack::DEST_OFFSET_LO, ALL_OF_CFG,
             DEST_TARGET_REG_CFG_PACK_SEC0_Offset_ADDR32);
    TTI_DMANOP;
    TTI_DMANOP;
}

// `from`: what Dst holds (FP32, BF16, FP16 or an integer); `to`: what L1 gets. `round`: to ten bits of
// mantissa first, which FP16 out of a 32-bit Dst needs.
inline void configure(uint32_t from, uint32_t to, bool dst32, bool round = false)
{
    uint32_t y = 16 * datum_bytes(from), z = 16 * y, w = 4 * 16 * y;
    volatile uint32_t *cfg = ts_cfg();
    cfg[PCK0_ADDR_CTRL_XY_REG_0_Xstride_ADDR32] = y << PCK0_ADDR_CTRL_XY_REG_0_Ystride_SHAMT;
    cfg[PCK0_ADDR_CTRL_ZW_REG_0_Zstride_ADDR32] = z | w << PCK0_ADDR_CTRL_ZW_REG_0_Wstride_SHAMT;
#if TS_RULE_four_packers
    shape(to, 4);
    formats(from, to);
#else
    cfg[THCON_SEC0_REG1_Row_start_section_size_ADDR32] = is_block_float(to) ? 4u << 16 : 0;
    cfg[THCON_SEC0_REG1_Row_start_section_size_ADDR32 + 2] = 1 | to << 4 | from << 8;
#endif
    cfg[PCK_DEST_RD_CTRL_Read_32b_data_ADDR32] = dst32 |
                                                 (round ? PCK_DEST_RD_CTRL_Round_10b_mant_MASK : 0);
    cfg[TILE_ROW_SET_MAPPING_0_row_set_mapping_0_ADDR32] = 0;
    cfg[PCK_EDGE_OFFSET_SEC0_mask_ADDR32] = 0xffff;
#if !TS_RULE_four_packers
    cfg[PACK_COUNTERS_SEC0_pack_per_xy_plane_ADDR32] = 16u << 8;
#endif
    ts_cfg_fence();
    cfg_rmw(ALU_FORMAT_SPEC_REG2_Dstacc_ADDR32, ALU_FORMAT_SPEC_REG2_Dstacc_MASK,
            from << ALU_FORMAT_SPEC_REG2_Dstacc_SHAMT);
    TTI_SETADCXX(p_setadc::PAC, TS_RULE_four_packers ? 255 : 15, 0);
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0xf);
}

// The same between tiles of this thread.
inline void round_mantissa(bool on)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    cfg_rmw(PCK_DEST_RD_CTRL_Round_10b_mant_ADDR32, PCK_DEST_RD_CTRL_Round_10b_mant_MASK,
            on ? PCK_DEST_RD_CTRL_Round_10b_mant_MASK : 0);
}

// For 32-bit Dst to a block format with 5-bit exponents: smaller ones are made zero, they would wrap.
inline void threshold_exponents()
{
    rmw_each(3, THCON_SEC0_REG1_Exp_threshold_en_MASK | THCON_SEC0_REG1_Exp_threshold_MASK,
             THCON_SEC0_REG1_Exp_threshold_en_MASK | 113u << THCON_SEC0_REG1_Exp_threshold_SHAMT);
}

// Another format in L1, between tiles of this thread.
inline void reformat(uint32_t to)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
#if TS_RULE_four_packers
    for (uint32_t i = 0; i < 4; i++) {
        cfg_rmw(parts[i], 0xffff0000, exponents_of(to, 4, i));
        if (i > 0)
            cfg_rmw(parts[i] + 1, 0xffffffff, address_of(to, i));
        cfg_rmw(parts[i] + 2, 0xf0, to << 4);
    }
#else
    cfg_rmw(THCON_SEC0_REG1_Row_start_section_size_ADDR32, 0xffff0000,
            is_block_float(to) ? 4u << 16 : 0);
    cfg_rmw(THCON_SEC0_REG1_Row_start_section_size_ADDR32 + 2, 0xf0, to << 4);
#endif
}

// Another size of what Dst is read as, between tiles of this thread, with the packer idle.
inline void restride(uint32_t from)
{
    uint32_t y = 16 * datum_bytes(from), z = 16 * y, w = 4 * 16 * y;
    cfg_rmw(PCK0_ADDR_CTRL_XY_REG_0_Ystride_ADDR32, PCK0_ADDR_CTRL_XY_REG_0_Ystride_MASK,
            y << PCK0_ADDR_CTRL_XY_REG_0_Ystride_SHAMT);
    cfg_rmw(PCK0_ADDR_CTRL_ZW_REG_0_Zstride_ADDR32, 0xffffffff,
            z | w << PCK0_ADDR_CTRL_ZW_REG_0_Wstride_SHAMT);
}

// Adds to what lies in L1 instead of replacing it.
inline void l1_accumulate(bool on)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    constexpr uint32_t first = THCON_SEC0_REG1_Row_start_section_size_ADDR32;
    rmw_each(THCON_SEC0_REG1_Disable_pack_zero_flags_ADDR32 - first,
             THCON_SEC0_REG1_Disable_pack_zero_flags_MASK,
             on ? THCON_SEC0_REG1_Disable_pack_zero_flags_MASK : 0);
    rmw_each(THCON_SEC0_REG1_Pack_L1_Acc_ADDR32 - first, THCON_SEC0_REG1_Pack_L1_Acc_MASK,
             on ? THCON_SEC0_REG1_Pack_L1_Acc_MASK : 0);
}

#if TS_RULE_four_packers
// A tile is one PACR: a face for each packer.
inline void mop_config(uint32_t faces = 4)
{
    addr_mod_pack_t{.y_src = {.clr = 1}, .y_dst = {.clr = 1}, .z_src = {.clr = 1}}.set(ADDR_MOD_1);
    TTI_SETADCXX(p_setadc::PAC, 255, 0);
    ckernel_template(1, 1, PACR(ADDR_MOD_1, 1, packers_of(faces))).program();
}
inline void tile_faces(uint32_t to, uint32_t faces)
{
    shape(to, faces);
    ts_cfg_fence();
    mop_config(faces);
}
#else
// A face is four PACRs of four rows.
inline void mop_config(uint32_t faces = 4)
{
    addr_mod_pack_t{.y_src = {.incr = 4}, .y_dst = {.incr = 4}}.set(ADDR_MOD_0);
    addr_mod_pack_t{.y_src = {.clr = 1}, .y_dst = {.clr = 1}, .z_src = {.clr = 1}}.set(ADDR_MOD_1);
    addr_mod_pack_t{.y_src = {.clr = 1}, .y_dst = {.incr = 4}, .z_src = {.incr = 1}}.set(
        ADDR_MOD_2);
    ckernel_template mop(faces, 4, PACR(ADDR_MOD_0, 0));
    mop.set_last_inner_loop_instr(PACR(ADDR_MOD_2, 0));
    mop.set_last_outer_loop_instr(PACR(ADDR_MOD_1, 1));
    mop.program();
}

// Tiles of so many faces, after `configure`: a block float has an exponent for each row of a face.
inline void tile_faces(uint32_t to, uint32_t faces)
{
    ts_cfg()[THCON_SEC0_REG1_Row_start_section_size_ADDR32] = is_block_float(to) ? faces << 16 : 0;
    ts_cfg_fence();
    mop_config(faces);
}
#endif

inline uint32_t get_packer_dest_offset() // rows of Dst before the half that is packed
{
    return dest_offset_id ? DEST_REGISTER_HALF_SIZE : 0;
}

inline void dest_init()
{
    tensix_sync();
    dest_offset_id = 0;
    TTI_STALLWAIT(p_stall::STALL_TDMA | p_stall::STALL_THCON, p_stall::PACK);
#if TS_RULE_four_packers // each packer stands at its face
    for (uint32_t i = 0; i < 4; i++) {
        set_gpr(p_gpr_pack::DEST_OFFSET_LO + i, 16 * i);
        set_gpr(p_gpr_pack::DEST_OFFSET_HI + i, DEST_REGISTER_HALF_SIZE + 16 * i);
    }
#else
    TTI_SETDMAREG(0, 0, 0, 2 * p_gpr_pack::DEST_OFFSET_LO);
    TTI_SETDMAREG(0, DEST_REGISTER_HALF_SIZE, 0, 2 * p_gpr_pack::DEST_OFFSET_HI);
#endif
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    select_dest_half();
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0xf);
}

// Packs one tile of the current half to an L1 address in units of 16 bytes, minus one.
inline void pack(uint32_t tile, uint32_t address)
{
    TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, tile);
    TT_SETDMAREG(0, address & 0xffff, 0, 2 * p_gpr_pack::OUTPUT_ADDR);
    TT_SETDMAREG(0, (address | FROM_FIRST) >> 16, 0, 2 * p_gpr_pack::OUTPUT_ADDR + 1);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_pack::OUTPUT_ADDR, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    TTI_DMANOP;
    ckernel_template::run();
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0x5);
}

// One row of 16 datums at a time: left face, then right face and one row on.
inline void rows_init()
{
    addr_mod_pack_t{.z_src = {.incr = 1}}.set(ADDR_MOD_0);
    addr_mod_pack_t{.y_src = {.incr = 1}, .z_src = {.clr = 1}}.set(ADDR_MOD_1);
    if (TS_RULE_four_packers)
        TTI_SETADCXX(p_setadc::PAC, 15, 0);
}

// Tiles that lie side by side, as rows: the upper faces' 16 lines, then the lower ones'.
inline void pack_rows(uint32_t across, uint32_t address)
{
    set_gpr(p_gpr_pack::OUTPUT_ADDR, address);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_pack::OUTPUT_ADDR, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    TTI_DMANOP;
    for (uint32_t line = 0; line < 32; line++)
        for (uint32_t tile = 0; tile < across; tile++) {
            uint32_t last = line == 31 && tile == across - 1;
            TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, tile);
            TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_Y, line % 16);
            TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_Z, line / 16 * 2);
            ts_push(PACR_ROW(ADDR_MOD_0, 0));
            ts_push(PACR_ROW(ADDR_MOD_1, last));
        }
}

inline void wait_for_math_done()
{
    TTI_SEMWAIT(p_stall::STALL_TDMA, semaphore::t6_sem(semaphore::MATH_PACK),
                p_stall::STALL_ON_ZERO);
}

// Clears the half that was packed, gives it back, turns to the other one.
inline void dest_section_done(bool dst32)
{
    // PACK is idle before ThCon has read the exponents of a block format: wait for both.
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::PACK | p_stall::THCON);
    ts_push(TS_OP_ZEROACC(p_zeroacc::CLR_HALF, dst32, ADDR_MOD_1, dest_offset_id));
    TTI_SEMGET(semaphore::t6_sem(semaphore::MATH_PACK));
    dest_offset_id ^= 1;
    select_dest_half();
}

} // namespace ckernel::packer
