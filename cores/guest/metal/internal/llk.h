// Names of the vendor's lower level that kernels call inside UNPACK(()), MATH(()) and PACK(()). Template
// arguments and trailing arguments that have no meaning here are accepted.
#pragma once
#include "internal/binary.h"

namespace ckernel {

// Semaphores of the coprocessor, in the order of the thread's words.
template <uint32_t after = p_stall::NONE> ALWI void t6_semaphore_post(uint32_t index)
{
    if constexpr (after != p_stall::NONE)
        TTI_STALLWAIT(p_stall::STALL_SYNC, after);
    TT_SEMPOST(semaphore::t6_sem(index));
}
template <uint32_t after = p_stall::NONE> ALWI void t6_semaphore_get(uint32_t index)
{
    if constexpr (after != p_stall::NONE)
        TTI_STALLWAIT(p_stall::STALL_SYNC, after);
    TT_SEMGET(semaphore::t6_sem(index));
}
template <uint32_t what> ALWI void t6_semaphore_wait_on_max(uint32_t index)
{
    TT_SEMWAIT(what, semaphore::t6_sem(index), p_stall::STALL_ON_MAX);
}
template <uint32_t what> ALWI void t6_semaphore_wait_on_zero(uint32_t index)
{
    TT_SEMWAIT(what, semaphore::t6_sem(index), p_stall::STALL_ON_ZERO);
}
ALWI void t6_semaphore_init(uint32_t index, uint32_t value, uint32_t most)
{
    TT_SEMINIT(most, value, semaphore::t6_sem(index));
}

#ifdef TRISC_UNPACK
template <auto... flags> ALWI void llk_wait_tiles(uint32_t cb, uint32_t pages)
{
    cb_wait_front(cb, pages);
}
template <auto... flags> ALWI void llk_pop_tiles(uint32_t cb, uint32_t pages, auto...)
{
    cb_pop_front(cb, pages);
}
template <auto... flags> ALWI void llk_unpack_A(uint32_t cb, uint32_t tile, auto...)
{
    faces::unpack(cb, tile);
}
template <auto... flags>
ALWI void llk_unpack_A_init(uint32_t order = 0, uint32_t within = 0, uint32_t = 0)
{
    faces::unpack_a_init(order != 0, within != 0);
}
template <auto... flags>
ALWI void llk_unpack_AB(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, auto...)
{
    faces::unpack(a, b, tile_a, tile_b);
}
template <auto... flags> ALWI void llk_unpack_AB_init(auto...)
{
    faces::unpack_ab_init();
}
template <auto... flags> ALWI void llk_unpack_hw_configure(uint32_t a, uint32_t b)
{
    unpacker::configure(metal::unpack_in(a), metal::unpack_in(b), DST_ACCUM_MODE, false);
}
template <auto... flags> ALWI void llk_unpack_hw_configure(uint32_t a)
{
    llk_unpack_hw_configure(a, a);
}
template <auto... flags>
ALWI void llk_unpack_AB_hw_configure_disaggregated(uint32_t a, uint32_t b, auto...)
{
    llk_unpack_hw_configure(a, b);
}
template <auto... flags> ALWI void llk_unpack_A_hw_configure_disaggregated(uint32_t a, auto...)
{
    llk_unpack_hw_configure(a, a);
}
#endif

// Tiles are 32x32: sizes and steps of the unpackers stay as they are.
constexpr uint32_t FACE_R_DIM = 16, FACE_C_DIM = 16, TILE_R_DIM = 32, TILE_C_DIM = 32,
                   TILE_NUM_FACES = 4;
enum class PackMode : uint8_t { Default, Untilize, Tilize };
constexpr bool UnpackToDestEn = true; // by the buffer: `unpack_to_dst`
enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR };
#ifdef TRISC_UNPACK
template <auto... flags> ALWI void llk_unpack_reconfig_data_format_srca(auto... cbs)
{
    reconfig_data_format_srca(cbs...);
}
template <auto... flags> ALWI void llk_unpack_reconfig_data_format_srcb(auto... cbs)
{
    reconfig_data_format_srcb(cbs...);
}
template <auto... flags> ALWI void llk_unpack_reconfig_data_format(auto... cbs)
{
    reconfig_data_format(cbs...);
}
#endif

#ifdef TRISC_MATH
// The unpackers' formats are all that changes.
template <auto... flags> ALWI void llk_math_reconfig_data_format_srca(auto...) {}
template <auto... flags> ALWI void llk_math_reconfig_data_format_srcb(auto...) {}
template <auto... flags> ALWI void llk_math_reconfig_data_format(auto...) {}
ALWI void llk_math_reconfig_remap(bool) {} // Dst is not remapped
template <auto... flags> ALWI void llk_math_wait_for_dest_available()
{
    tile_regs_acquire();
}
template <auto... flags> ALWI void llk_math_dest_section_done()
{
    tile_regs_commit();
}
template <auto... flags> ALWI void llk_math_pack_sync_init()
{
    metal::dst_init();
}
template <auto... flags> ALWI void llk_math_hw_configure(uint32_t, uint32_t b)
{
    math::hw_configure(DST_ACCUM_MODE, metal::integer_math(b));
}
template <auto... flags> ALWI void llk_math_hw_configure_disaggregated(uint32_t a, uint32_t b)
{
    llk_math_hw_configure(a, b);
}
template <auto... flags> ALWI void llk_math_eltwise_unary_datacopy_init(auto...)
{
    faces::copy_init();
}
template <auto... flags> ALWI void llk_math_eltwise_unary_datacopy(uint32_t dst, auto...)
{
    faces::copy(dst);
}
template <EltwiseBinaryType type, BroadcastType broadcast = BroadcastType::NONE, auto... flags>
ALWI void llk_math_eltwise_binary_init(auto...)
{
    faces::eltwise_init<metal::operation(type), uint32_t(broadcast), metal::phases>(false);
}
template <EltwiseBinaryType type, BroadcastType broadcast = BroadcastType::NONE, auto... flags>
ALWI void llk_math_eltwise_binary_init_with_operands(auto...)
{
    llk_math_eltwise_binary_init<type, broadcast>();
}
#endif

#ifdef TRISC_PACK
template <auto... flags> ALWI void llk_wait_for_free_tiles(uint32_t cb, uint32_t pages)
{
    cb_reserve_back(cb, pages);
}
template <auto... flags> ALWI void llk_push_tiles(uint32_t cb, uint32_t pages)
{
    cb_push_back(cb, pages);
}
template <auto... flags> ALWI void llk_packer_wait_for_math_done()
{
    tile_regs_wait();
}
template <auto... flags> ALWI void llk_pack_dest_section_done()
{
    tile_regs_release();
}
template <auto... flags> ALWI void llk_pack_dest_init(auto...)
{
    packer::dest_init();
}
template <auto... flags> ALWI void llk_init_packer_dest_offset_registers(auto...)
{
    packer::dest_init();
}
namespace metal {
inline uint32_t pack_across = 1; // tiles of Dst that llk_pack packs one behind the other
}
template <auto... flags> ALWI void llk_pack_init(uint32_t = 0, uint32_t across = 1, uint32_t = 0)
{
    metal::pack_across = across;
    packer::mop_config();
}
template <auto... flags> ALWI void llk_pack_hw_configure(uint32_t cb)
{
    metal::pack_configure(cb);
}
template <auto... flags> ALWI void llk_pack_hw_configure_disaggregated(uint32_t cb)
{
    llk_pack_hw_configure(cb);
}
template <auto... flags> ALWI void llk_pack_reconfig_data_format(auto... cbs)
{
    pack_reconfig_data_format(cbs...);
}
template <bool wide = DST_ACCUM_MODE, bool out_of_order = false, auto... flags>
ALWI void llk_pack(uint32_t dst, uint32_t cb, uint32_t slot = 0)
{
    for (uint32_t i = 0; i < metal::pack_across; i++)
        pack_tile<out_of_order>(dst + i, cb, slot + i);
}
#endif

} // namespace ckernel
