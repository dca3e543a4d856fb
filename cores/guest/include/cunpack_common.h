// The unpack thread: both unpackers, and their two configuration contexts.
#pragma once
#include "cb.h"
#include "ckernel_template.h"

namespace ckernel::unpacker {

inline uint32_t unp_cfg_context;

// Bytes of a datum in the register file, as far as address strides go.
constexpr uint32_t datum_bytes(uint32_t format)
{
    return (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1;
}

// TF32 lies in L1 as FP32 does.
constexpr uint32_t memory_format(uint32_t format)
{
    return format == TS_DF_TF32 ? uint32_t(TS_DF_FP32) : format;
}

using ckernel::register_format;

inline void wait_for_next_context()
{
    while (semaphore_read(semaphore::UNPACK_SYNC) >= 2)
        ;
}
inline void wait_for_idle()
{
    while (semaphore_read(semaphore::UNPACK_SYNC) > 0)
        ;
}

// To the other one. `context`: the one that is left; a compiler that knows which follows has one branch for both.
inline void switch_config_context(uint32_t context)
{
    unp_cfg_context = 1 - context;
    if (context != 0)
        TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x0000);
    else
        TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x0101);
}

// One unpacker: section 0 fills SrcA, section 1 SrcB. Whole tiles of four faces, or face by face
// with Z counters.
inline void configure_section(unsigned section, uint32_t in, uint32_t out, bool transpose)
{
    volatile uint32_t *cfg = ts_cfg();
    uint32_t base = section ? THCON_SEC1_REG0_TileDescriptor_ADDR32
                            : THCON_SEC0_REG0_TileDescriptor_ADDR32;
    uint32_t z_stride = 256 * datum_bytes(out);
    cfg[section ? UNP1_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32 : UNP0_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32] =
        z_stride;
    cfg[base] = in | 1u << 4 | 256u << 16; // uncompressed, a face of 256 datums
    cfg[base + 1] = 1 | 4u << 16;
    cfg[base + 8] = out | 2u << 4 | uint32_t(transpose) << 8; // throttle mode 2: full rate
    cfg[base + 9] = 0xf | 0xfu << 16;                         // all contexts uncompressed
}

inline void configure(uint32_t format_a, uint32_t format_b, bool dst32, bool transpose)
{
    wait_for_idle();
    TTI_SETADCXY(p_setadc::UNP_AB, 0, 0, 0, 0, 0xb);
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0xf);
    volatile uint32_t *cfg = ts_cfg();
    configure_section(0, memory_format(format_a), register_format(format_a, dst32), transpose);
    configure_section(1, memory_format(format_b), register_format(format_b, dst32), false);
    cfg[THCON_SEC0_REG5_Dest_cntx0_address_ADDR32] = 64 | 64u << 16; // biased by four rows
    cfg[THCON_SEC0_REG5_Tile_x_dim_cntx0_ADDR32] = 256 | 256u << 16;
    cfg[UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_ADDR32] =
        UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr_MASK;
    ts_cfg_fence();
    TTI_SETC16(SRCA_SET_Base_ADDR32, 4); // SetOvrdWithAddr
    unp_cfg_context = 0;
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0);
}

// Another format for SrcA, between tiles of this thread. `out`: in the register file.
inline void reformat_a_as(uint32_t format, uint32_t out)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
    cfg_rmw(THCON_SEC0_REG0_TileDescriptor_ADDR32, 0xf, memory_format(format));
    cfg_rmw(THCON_SEC0_REG2_Out_data_format_ADDR32, THCON_SEC0_REG2_Out_data_format_MASK, out);
    cfg_rmw(UNP0_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32, UNP0_ADDR_CTRL_ZW_REG_1_Zstride_MASK,
            256 * datum_bytes(out));
}
inline void reformat_a(uint32_t format, bool dst32)
{
    reformat_a_as(format, register_format(format, dst32));
}

// The faces of SrcA transposed or not, between tiles of this thread.
inline void transpose_a(bool on)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
    cfg_rmw(THCON_SEC0_REG2_Haloize_mode_ADDR32, THCON_SEC0_REG2_Haloize_mode_MASK,
            uint32_t(on) << THCON_SEC0_REG2_Haloize_mode_SHAMT);
}

// Base addresses of the current context, once it is free; returns that context. L1 addresses in units of 16 bytes, minus
// one.
inline uint32_t set_addresses(uint32_t address_a, uint32_t address_b)
{
    volatile uint32_t *cfg = ts_cfg();
    const uint32_t context = unp_cfg_context;
    wait_for_next_context();
    if (context == 0) {
        cfg[THCON_SEC0_REG3_Base_address_ADDR32] = address_a;
        cfg[THCON_SEC1_REG3_Base_address_ADDR32] = address_b;
    } else {
        cfg[THCON_SEC0_REG3_Base_cntx1_address_ADDR32] = address_a;
        cfg[THCON_SEC1_REG3_Base_cntx1_address_ADDR32] = address_b;
    }
    semaphore_post(semaphore::UNPACK_SYNC);
    TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::TRISC_CFG);
    return context;
}

// The same for the unpacker of one source: its register is computed, as the vendor's code does.
inline uint32_t set_address(uint32_t source, uint32_t address)
{
    volatile uint32_t *cfg = ts_cfg();
    const uint32_t context = unp_cfg_context;
    wait_for_next_context();
    const uint32_t first = source ? THCON_SEC1_REG3_Base_address_ADDR32
                                  : THCON_SEC0_REG3_Base_address_ADDR32;
    const uint32_t second = source ? THCON_SEC1_REG3_Base_cntx1_address_ADDR32
                                   : THCON_SEC0_REG3_Base_cntx1_address_ADDR32;
    cfg[context == 0 ? first : second] = address;
    semaphore_post(semaphore::UNPACK_SYNC);
    TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::TRISC_CFG);
    return context;
}

inline void release_addresses(uint32_t context)
{
    TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_SYNC));
    switch_config_context(context);
}

// UNPACR as these kernels use it: own address counters, no context arithmetic.
#define TS_UNPACR(which, addr_mode, set_valid) \
    TT_OP_UNPACR(which, addr_mode, 0, 0, 0, 1, set_valid, 0, 0, 0, 0, 0, 1)

// Of a tile counted from the front. What a kernel waits for never straddles the end of a ring.
inline uint32_t fifo_address(cb_id cb, uint32_t tile)
{
    return cb_get(cb).front + tile * cb_get(cb).units;
}

// A tile straight to Dst, for elements of 32 bits, which do not fit Src. The math thread says to which
// row, as soon as that part of Dst is free (math::unpack_to_dest_tile); UNPACK_TO_DEST tells it when the
// tile is there.
inline void unpack_to_dest(cb_id cb, uint32_t tile)
{
    constexpr unsigned MATH_CORE = 2;
    const uint32_t context = set_addresses(fifo_address(cb, tile), fifo_address(cb, tile));
    const uint32_t place = 16 * (4 + ::mailbox_read(MATH_CORE));
    const bool first = context == 0;
    const uint32_t select = first ? THCON_SEC0_REG2_Unpack_if_sel_cntx0_MASK
                                  : THCON_SEC0_REG2_Unpack_if_sel_cntx1_MASK;
    const uint32_t mask = first ? 0xffffu : 0xffff0000u, shift = first ? 0 : 16;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
    TTI_SETC16(SRCA_SET_Base_ADDR32, 0);
    cfg_rmw(THCON_SEC0_REG2_Unpack_if_sel_cntx0_ADDR32, select, select);
    cfg_rmw(THCON_SEC0_REG5_Dest_cntx0_address_ADDR32, mask, place << shift);
    TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::CFGEXU);
    TS_INLINE(TS_UNPACR(SrcA, 0, 0));
    TTI_STALLWAIT(p_stall::STALL_SYNC | p_stall::STALL_CFG, p_stall::UNPACK0);
    TTI_SEMPOST(semaphore::t6_sem(semaphore::UNPACK_TO_DEST));
    cfg_rmw(THCON_SEC0_REG2_Unpack_if_sel_cntx0_ADDR32, select, 0);
    cfg_rmw(THCON_SEC0_REG5_Dest_cntx0_address_ADDR32, mask, 64u << shift);
    TTI_SETC16(SRCA_SET_Base_ADDR32, 4);
    release_addresses(context);
}

} // namespace ckernel::unpacker
