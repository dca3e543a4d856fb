// The math thread: Dst halves, fidelity, the counters of the FPU.
#pragma once
#include "ckernel_template.h"

enum DstTileShape : uint32_t { Tile32x32, Tile32x16, Tile16x16 };
enum class UnpackDestination : uint32_t { SrcRegs, DestReg };
enum class MathFidelity : uint32_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };

namespace ckernel::math {

// The first half of the replay buffer is the SFPU's, the second the FPU's.
constexpr uint32_t replay_buf_offset = 16;

inline uint32_t dest_offset_id;

inline uint32_t get_dest_buffer_base()
{
    return dest_offset_id ? DEST_REGISTER_HALF_SIZE : 0;
}

template <DstTileShape shape, UnpackDestination destination>
inline void set_dst_write_addr(uint32_t tile)
{
    constexpr unsigned UNPACK_CORE = 1;
    if constexpr (destination == UnpackDestination::DestReg)
        ::mailbox_write(UNPACK_CORE, (tile << (6 - shape)) + get_dest_buffer_base());
    else
        TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32,
                  (tile << (6 - shape)) + get_dest_buffer_base());
}

inline void reset_counters(uint32_t which)
{
    TT_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, which);
}

// Formats of the sources, where they do not come with the data.
#ifndef DISABLE_IMPLIED_SRCA_FMT_Base_ADDR32
constexpr bool implied_formats = false;
#else
constexpr bool implied_formats = true;
#endif
inline void source_a_format(uint32_t format)
{
    if (implied_formats)
        return;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH);
    cfg_rmw(ALU_FORMAT_SPEC_REG0_SrcA_ADDR32, ALU_FORMAT_SPEC_REG0_SrcA_MASK,
            format << ALU_FORMAT_SPEC_REG0_SrcA_SHAMT);
}
inline void source_b_format(uint32_t format)
{
    if (implied_formats)
        return;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH);
    cfg_rmw(ALU_FORMAT_SPEC_REG1_SrcB_ADDR32, ALU_FORMAT_SPEC_REG1_SrcB_MASK,
            format << ALU_FORMAT_SPEC_REG1_SrcB_SHAMT);
}

// Dst is 32 bits wide or 16.
inline void hw_configure(bool dst32, bool int8)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
#ifdef DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_ADDR32
    cfg_rmw(DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_ADDR32,
            DEST_ACCESS_CFG_zeroacc_absolute_tile_mode_MASK, 0);
#endif
    cfg_rmw(ALU_ACC_CTRL_Fp32_enabled_ADDR32,
            ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK |
                ALU_ACC_CTRL_INT8_math_enabled_MASK,
            (dst32 && !int8 ? ALU_ACC_CTRL_Fp32_enabled_MASK | ALU_ACC_CTRL_SFPU_Fp32_enabled_MASK
                            : 0) |
                (int8 ? ALU_ACC_CTRL_INT8_math_enabled_MASK : 0));
}

// Moves leave values alone whose exponent would be zero: they are not floats.
inline void keep_bits()
{
    cfg_rmw(ALU_ACC_CTRL_Zero_Flag_disabled_src_ADDR32, ALU_ACC_CTRL_Zero_Flag_disabled_src_MASK,
            ALU_ACC_CTRL_Zero_Flag_disabled_src_MASK);
}

// Two halves of Dst, one for math and one for pack.
inline void pack_sync_init()
{
    tensix_sync();
    while (semaphore_read(semaphore::MATH_PACK) > 0)
        ;
    TTI_SEMINIT(2, 0, semaphore::t6_sem(semaphore::MATH_PACK));
    dest_offset_id = 0;
    TTI_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 0);
}

inline void wait_for_dest_available()
{
    TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC,
                semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_MAX);
}

// Tiles that the unpacker writes straight to Dst. Before one: all work of this thread on Dst is done
// (MATH_DONE: posted behind it by the coprocessor, taken by the core).
inline void math_unpack_to_dest_math_ready()
{
    TTI_SEMWAIT(p_stall::STALL_SYNC, semaphore::t6_sem(semaphore::MATH_DONE),
                p_stall::STALL_ON_MAX);
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH | p_stall::SFPU1);
    TTI_SEMPOST(semaphore::t6_sem(semaphore::MATH_DONE));
    while (semaphore_read(semaphore::MATH_DONE) == 0)
        ;
    semaphore_get(semaphore::MATH_DONE);
}
// After it: the unpacker has written the tile.
inline void math_unpack_to_dest_tile_ready()
{
    TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC,
                semaphore::t6_sem(semaphore::UNPACK_TO_DEST), p_stall::STALL_ON_ZERO);
    TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_TO_DEST));
}
// The math thread's part of unpacker::unpack_to_dest.
inline void unpack_to_dest_tile(uint32_t tile)
{
    math_unpack_to_dest_math_ready();
    set_dst_write_addr<Tile32x32, UnpackDestination::DestReg>(tile);
    math_unpack_to_dest_tile_ready();
}

inline void dest_section_done()
{
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH | p_stall::SFPU1);
    TTI_SEMPOST(semaphore::t6_sem(semaphore::MATH_PACK));
    dest_offset_id ^= 1;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
    TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, get_dest_buffer_base());
}

} // namespace ckernel::math
