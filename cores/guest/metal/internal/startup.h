// What does not depend on the operation: the words and stores of the vendor's hw_configure, sync and dest set-ups, in
// their order (tt-llk: llk_unpack_common.h, llk_math_common.h, llk_pack.h), with values of ours. Own kernels
// (cunpack_common.h, cpack_common.h) write only what they need.
#pragma once
#include "ckernel.h"

namespace ckernel::metal {

// Words that the core stores, where an inline word would do: what the vendor's macros for words with arguments make.
ALWI void stored(uint32_t word)
{
    __instrn_buffer[0] = word;
}
ALWI void stored_rmw(uint32_t address, uint32_t mask, uint32_t value)
{
    if (mask & 0xff)
        stored(TT_OP_RMWCIB0(mask & 0xff, value & 0xff, address));
    if (mask >> 8 & 0xff)
        stored(TT_OP_RMWCIB1(mask >> 8 & 0xff, value >> 8 & 0xff, address));
    if (mask >> 16 & 0xff)
        stored(TT_OP_RMWCIB2(mask >> 16 & 0xff, value >> 16 & 0xff, address));
    if (mask >> 24)
        stored(TT_OP_RMWCIB3(mask >> 24, value >> 24, address));
}
ALWI void stored_gpr(uint32_t gpr, uint32_t value)
{
    stored(TT_OP_SETDMAREG(0, value & 0xffff, 0, 2 * gpr));
    stored(TT_OP_SETDMAREG(0, value >> 16, 0, 2 * gpr + 1));
}
// GPRs that the core writes; back when the last one has arrived.
ALWI void write_gprs(uint32_t first, const auto &...values)
{
    uint32_t at = TS_REGFILE + 4 * first;
    ((TS_REG(at) = values, at += 4), ...);
    ts_arrived(TS_REG(at - 4));
}

#ifdef TRISC_UNPACK
ALWI void unpack_configure(uint32_t format_a, uint32_t format_b, bool dst32, uint32_t size_a,
                           uint32_t size_b)
{
    using namespace unpacker;
    constexpr uint32_t FACES = 40; // GPRs with sizes of faces
    const uint32_t a = register_format(format_a, dst32), b = register_format(format_b, dst32);
    const uint32_t y_stride = 16 * datum_bytes(a);
    volatile uint32_t *cfg = ts_cfg();
    wait_for_idle();
    TTI_SETADCXY(p_setadc::UNP_AB, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0xf);
    cfg[UNP0_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32] = 256 * datum_bytes(a);
    cfg[UNP1_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32] = 256 * datum_bytes(b);
    stored_rmw(UNP0_ADDR_CTRL_XY_REG_1_Ystride_ADDR32, UNP0_ADDR_CTRL_XY_REG_1_Ystride_MASK,
               y_stride << UNP0_ADDR_CTRL_XY_REG_1_Ystride_SHAMT);
    TTI_ATGETM(mutex::REG_RMW);
    stored_rmw(ALU_ROUNDING_MODE_Fpu_srnd_en_ADDR32,
               ALU_FORMAT_SPEC_REG0_SrcAUnsigned_MASK | ALU_FORMAT_SPEC_REG0_SrcBUnsigned_MASK |
                   ALU_ROUNDING_MODE_Fpu_srnd_en_MASK | ALU_ROUNDING_MODE_Gasket_srnd_en_MASK |
                   ALU_ROUNDING_MODE_Packer_srnd_en_MASK,
               0);
#ifdef THCON_SEC0_REG1_Unp_LF8_4b_exp_ADDR32
    stored_rmw(THCON_SEC0_REG1_Unp_LF8_4b_exp_ADDR32, THCON_SEC0_REG1_Unp_LF8_4b_exp_MASK, 0);
    stored_rmw(THCON_SEC1_REG1_Unp_LF8_4b_exp_ADDR32, THCON_SEC1_REG1_Unp_LF8_4b_exp_MASK, 0);
#endif
    TTI_ATRELM(mutex::REG_RMW);
    configure_section(0, memory_format(format_a), a, false);
    configure_section(1, memory_format(format_b), b, false);
    cfg[THCON_SEC0_REG5_Dest_cntx0_address_ADDR32] = 64 | 64u << 16; // biased by four rows
    cfg[THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32] = 256 | 256u << 16;
    write_gprs(FACES, 256 | 256u << 16, 128 | 128u << 16, 64 | 64u << 16, 32 | 32u << 16,
               16 | 16u << 16);
    TTI_SETC16(SRCA_SET_Base_ADDR32, 4);
    cfg[UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_ADDR32] =
        UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_MASK;
    unp_cfg_context = 0;
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0);
    stored(TT_OP_SETDMAREG(0, size_a & 0xffff, 0, 2 * p_gpr_unpack::TILE_SIZE_A));
    stored(TT_OP_SETDMAREG(0, size_b & 0xffff, 0, 2 * p_gpr_unpack::TILE_SIZE_B));
}
#endif

#ifdef TRISC_MATH
// The vendor's code knows whether sources take zero for zero already, and for which formats; here, where its tests are
// re-created.
inline uint8_t zeros_known = 0;
inline uint32_t zeros_a, zeros_b;
ALWI bool zeros_set(uint32_t format)
{
    if (zeros_known == 1 && zeros_a == format && zeros_b == format)
        return true;
    zeros_a = zeros_b = format;
    zeros_known = 1;
    return false;
}
ALWI void math_configure(bool dst32, bool int8)
{
    const bool wide = dst32 && !int8;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
#ifdef DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_ADDR32
    stored_rmw(DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_ADDR32,
               DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_MASK, 0);
#endif
    stored_rmw(ALU_ACC_CTRL_INT8_math_enabled_ADDR32, ALU_ACC_CTRL_INT8_math_enabled_MASK,
               int8 ? ALU_ACC_CTRL_INT8_math_enabled_MASK : 0);
    stored_rmw(ALU_ACC_CTRL_Fp32_enabled_ADDR32, ALU_ACC_CTRL_Fp32_enabled_MASK,
               wide ? ALU_ACC_CTRL_Fp32_enabled_MASK : 0);
    stored_rmw(ALU_ACC_CTRL_SFPU_Fp32_enabled_ADDR32, ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK,
               wide ? ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK : 0);
    stored_rmw(ALU_FORMAT_SPEC_REG_SrcA_val_ADDR32,
               ALU_FORMAT_SPEC_REG_SrcA_val_MASK | ALU_FORMAT_SPEC_REG_SrcA_override_MASK |
                   ALU_FORMAT_SPEC_REG_SrcB_val_MASK | ALU_FORMAT_SPEC_REG_SrcB_override_MASK,
               0);
    if (TS_LLK_TESTS && zeros_set(int8))
        return;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
    stored_rmw(ALU_ACC_CTRL_Zero_Flag_disabled_src_ADDR32, ALU_ACC_CTRL_Zero_Flag_disabled_src_MASK,
               0);
}
#endif

#ifdef TRISC_PACK
ALWI void pack_strides(uint32_t from)
{
    const uint32_t y = 16 * packer::datum_bytes(from), z = 16 * y, w = 4 * z;
    stored_gpr(p_gpr_pack::TMP0, y << PCK0_ADDR_CTRL_XY_REG_0_Ystride_SHAMT);
    stored_gpr(p_gpr_pack::TMP0 + 1, z | w << PCK0_ADDR_CTRL_ZW_REG_0_Wstride_SHAMT);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_pack::TMP0, 0, PCK0_ADDR_CTRL_XY_REG_0_Xstride_ADDR32);
    TTI_WRCFG(p_gpr_pack::TMP0 + 1, 0, PCK0_ADDR_CTRL_ZW_REG_0_Zstride_ADDR32);
    TTI_NOP;
    TTI_NOP;
}
#if TS_RULE_four_packers
ALWI void pack_configure_all(uint32_t from, uint32_t to, bool dst32, bool round, bool wraps)
{
    constexpr uint32_t first = THCON_SEC0_REG1_Row_start_section_size_ADDR32;
    packer::configure(from, to, dst32, round);
    stored_rmw(ALU_FORMAT_SPEC_REG_Dstacc_val_ADDR32,
               ALU_FORMAT_SPEC_REG_Dstacc_val_MASK | ALU_FORMAT_SPEC_REG_Dstacc_override_MASK, 0);
    stored_rmw(STACC_RELU_ApplyRelu_ADDR32,
               STACC_RELU_ApplyRelu_MASK | STACC_RELU_ReluThreshold_MASK, 0);
    packer::rmw_each(3, THCON_SEC0_REG1_Exp_threshold_en_MASK | THCON_SEC0_REG1_Exp_threshold_MASK,
                     0);
    if (wraps)
        packer::threshold_exponents();
    packer::rmw_each(THCON_SEC0_REG1_Pack_L1_Acc_ADDR32 - first, THCON_SEC0_REG1_Pack_L1_Acc_MASK,
                     0);
    packer::mop_config();
}
#else
// `from`, `to`, `round` as packer::configure has them; `wraps`: exponents of 5 bits, smaller ones become zero.
ALWI void pack_configure_all(uint32_t from, uint32_t to, bool dst32, bool round, bool wraps)
{
    constexpr uint32_t HEADER = 32; // GPRs
    volatile uint32_t *cfg = ts_cfg();
    pack_strides(from);
    TTI_ATGETM(mutex::REG_RMW);
    stored_rmw(THCON_SEC0_REG1_Pac_LF8_4b_exp_ADDR32, THCON_SEC0_REG1_Pac_LF8_4b_exp_MASK, 0);
    stored_rmw(ALU_FORMAT_SPEC_REG2_Dstacc_ADDR32, ALU_FORMAT_SPEC_REG2_Dstacc_MASK,
               from << ALU_FORMAT_SPEC_REG2_Dstacc_SHAMT);
    stored_rmw(ALU_FORMAT_SPEC_REG_Dstacc_val_ADDR32,
               ALU_FORMAT_SPEC_REG_Dstacc_val_MASK | ALU_FORMAT_SPEC_REG_Dstacc_override_MASK, 0);
    stored_rmw(STACC_RELU_ApplyRelu_ADDR32,
               STACC_RELU_ApplyRelu_MASK | STACC_RELU_ReluThreshold_MASK, 0);
    TTI_ATRELM(mutex::REG_RMW);
    stored_rmw(THCON_SEC0_REG1_Exp_threshold_ADDR32,
               THCON_SEC0_REG1_Exp_threshold_en_MASK | THCON_SEC0_REG1_Exp_threshold_MASK,
               wraps ? THCON_SEC0_REG1_Exp_threshold_en_MASK |
                           113u << THCON_SEC0_REG1_Exp_threshold_SHAMT
                     : 0);
    cfg[THCON_SEC0_REG1_Row_start_section_size_ADDR32] = packer::is_block_float(to) ? 4u << 16 : 0;
    cfg[THCON_SEC0_REG1_Row_start_section_size_ADDR32 + 2] = 1 | to << 4 | from << 8;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    stored_rmw(THCON_SEC0_REG1_Pack_L1_Acc_ADDR32, THCON_SEC0_REG1_Pack_L1_Acc_MASK, 0);
    cfg[PCK_DEST_RD_CTRL_Read_32b_data_ADDR32] = dst32 |
                                                 (round ? PCK_DEST_RD_CTRL_Round_10b_mant_MASK : 0);
    write_gprs(HEADER + 4, 4u << 16);
    cfg[PACK_COUNTERS_SEC0_pack_per_xy_plane_ADDR32] = 16u << 8;
    cfg[PCK_EDGE_OFFSET_SEC0_mask_ADDR32] = 0xffff;
    cfg[TILE_ROW_SET_MAPPING_0_row_set_mapping_0_ADDR32] = 0;
    write_gprs(HEADER, 1024u, 0u, 0u, 0u);
    ts_cfg_fence();
    packer::mop_config();
    pack_strides(from);
    TTI_SETADCXX(p_setadc::PAC, 15, 0);
}
#endif
#endif

} // namespace ckernel::metal
