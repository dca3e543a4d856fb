// Compute kernels: threads, Dst, start-up, formats, copies, packing.
//
// A kernel is compiled for the unpack, the math and the pack thread; UNPACK(()), MATH(()) and PACK(())
// keep what belongs to one of them. Formats, fidelity and the width of Dst are constants of the
// compilation. Tiles are 32x32.
#pragma once
#include "ckernel_template.h"
#include "cmath_common.h"
#include "internal/cb.h"
#include "internal/enums.h"
#include "internal/objects.h"
#include "llk_faces.h"

#ifdef TRISC_UNPACK
#include "cunpack_common.h"
#endif
#ifdef TRISC_PACK
#include "cpack_common.h"
#endif
#include "internal/startup.h"

// The two ways to write the entry point: `void kernel_main()` and `namespace NAMESPACE { void MAIN }`.
#define NAMESPACE ts_old_kernel
#define MAIN      kernel_main()

#if TS_DST_SYNC_FULL
#define DST_SYNC_MODE DstSync::SyncFull
#define DST_SYNC_FULL 1
#else
#define DST_SYNC_MODE DstSync::SyncHalf
#endif
constexpr MathFidelity MATH_FIDELITY = MathFidelity(TS_MATH_FIDELITY);

namespace ckernel {

using ::MathFidelity;

namespace metal {

constexpr bool full_sync = DST_SYNC_MODE == DstSync::SyncFull;
constexpr uint32_t phases = TS_MATH_FIDELITY ? TS_MATH_FIDELITY : 1;

constexpr bool tiles_are_square()
{
    for (uint32_t i = 0; i < NUM_CIRCULAR_BUFFERS; i++)
        if (unpack_src_format[i] != 255 &&
            (unpack_tile_r_dim[i] != 32 || unpack_tile_c_dim[i] != 32))
            return false;
    return true;
}
static_assert(tiles_are_square(), "compute kernels are only possible on tiles of 32x32 elements");

constexpr bool narrow_exponent(uint32_t format)
{
    return format == TS_DF_FP16 || format == TS_DF_FP8 || format == TS_DF_BFP8A ||
           format == TS_DF_BFP4A || format == TS_DF_BFP2A;
}
constexpr uint32_t unpack_in(uint32_t cb)
{
    return ts_register_code(unpack_src_format[cb]);
}
// 32 bits of an element do not fit Src: such tiles are unpacked to Dst.
constexpr bool to_dst(uint32_t cb)
{
    return unpack_dst_format[cb] == 0 || ts_register_code(unpack_dst_format[cb]) == TS_DF_INT32;
}
constexpr uint32_t pack_out(uint32_t cb)
{
    return ts_register_code(pack_dst_format[cb]);
}
// What the packer reads Dst as.
constexpr uint32_t pack_in(uint32_t cb)
{
    const uint32_t out = pack_out(cb), held = ts_register_code(pack_src_format[cb]);
    if (out == TS_DF_INT32 || out == TS_DF_INT16)
        return out;
    if (out == TS_DF_INT8)
        return TS_DF_INT32;
    if (DST_ACCUM_MODE)
        return out == TS_DF_BF16 || out == TS_DF_FP16 || out == TS_DF_TF32 ? out
                                                                           : uint32_t(TS_DF_FP32);
    return narrow_exponent(held) ? TS_DF_FP16 : TS_DF_BF16;
}
constexpr bool pack_wide(uint32_t cb)
{
    return DST_ACCUM_MODE || pack_in(cb) == TS_DF_INT32;
}
// FP16 out of a 32-bit Dst: is there a buffer of it?
constexpr bool packs_fp16()
{
    for (uint32_t i = 0; i < NUM_CIRCULAR_BUFFERS; i++)
        if (DST_ACCUM_MODE && pack_dst_format[i] != 255 && pack_out(i) == TS_DF_FP16)
            return true;
    return false;
}
constexpr bool pack_wraps(uint32_t cb)
{
    const uint32_t out = pack_out(cb);
    return DST_ACCUM_MODE && narrow_exponent(out) && out != TS_DF_FP16 && out != TS_DF_FP8;
}
constexpr bool integer_math(uint32_t cb)
{
    return unpack_in(cb) == TS_DF_INT8;
}
// How the vector unit reads and writes Dst: 1 FP16, 2 BF16, 3 FP32.
constexpr uint32_t vector_format()
{
    if (DST_ACCUM_MODE)
        return 3;
    for (uint32_t i = 0; i < NUM_CIRCULAR_BUFFERS; i++)
        if (unpack_src_format[i] != 255 && narrow_exponent(unpack_in(i)))
            return 1;
    return 2;
}

constexpr uint32_t source_format(uint32_t cb)
{
    return register_format(unpack_in(cb), DST_ACCUM_MODE);
}

#ifdef TRISC_UNPACK
// Formats of SrcA and SrcB between tiles.
inline void reformat(uint32_t section, uint32_t cb)
{
    const uint32_t out = to_dst(cb) ? unpack_in(cb)
                                    : unpacker::register_format(unpack_in(cb), DST_ACCUM_MODE);
    if (section == 0) {
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
        cfg_rmw(THCON_SEC0_REG0_TileDescriptor_ADDR32, 0xf, unpack_in(cb));
        cfg_rmw(THCON_SEC0_REG2_Out_data_format_ADDR32, THCON_SEC0_REG2_Out_data_format_MASK, out);
        cfg_rmw(UNP0_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32, UNP0_ADDR_CTRL_ZW_REG_1_Zstride_MASK,
                256 * unpacker::datum_bytes(out));
    } else {
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK1);
        cfg_rmw(THCON_SEC1_REG0_TileDescriptor_ADDR32, 0xf, unpack_in(cb));
        cfg_rmw(THCON_SEC1_REG2_Out_data_format_ADDR32, THCON_SEC1_REG2_Out_data_format_MASK, out);
        cfg_rmw(UNP1_ADDR_CTRL_ZW_REG_1_Zstride_ADDR32, UNP1_ADDR_CTRL_ZW_REG_1_Zstride_MASK,
                256 * unpacker::datum_bytes(out));
    }
}
// Complete tiles to SrcA (faces transposed or not) and SrcB.
inline void unpack_init(bool transpose = false)
{
    tiles::unpack_init(true);
    unpacker::transpose_a(transpose);
}
#endif

#ifdef TRISC_MATH
inline void wait_for_unpack(uint32_t dst)
{
    tensix_sync(); // this half of Dst is free, and nothing works on it
    ::mailbox_write(UnpackThreadId, 64 * dst + math::get_dest_buffer_base());
    TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC,
                semaphore::t6_sem(semaphore::UNPACK_TO_DEST), p_stall::STALL_ON_ZERO);
    TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_TO_DEST));
}
inline void dst_init()
{
    tensix_sync();
    while (semaphore_read(semaphore::MATH_PACK) > 0)
        ;
    TTI_SEMINIT(full_sync ? 1 : 2, 0, semaphore::t6_sem(semaphore::MATH_PACK));
    math::dest_offset_id = 0;
    TTI_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, 0);
}
inline void dst_done()
{
    if constexpr (full_sync) {
        TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH | p_stall::SFPU1);
        TTI_SEMPOST(semaphore::t6_sem(semaphore::MATH_PACK));
    } else {
        math::dest_section_done();
    }
}
#endif
#ifdef TRISC_PACK
// Does the packer read Dst as elements of two sizes, by the buffer it packs to? Only 32 bits of Dst are
// read as either.
constexpr bool packs_two_sizes()
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < NUM_CIRCULAR_BUFFERS; i++) {
        if (!DST_ACCUM_MODE || pack_dst_format[i] == 255)
            continue;
        const uint32_t its = packer::datum_bytes(pack_in(i));
        if (size != 0 && size != its)
            return true;
        size = its;
    }
    return false;
}
inline void pack_configure(uint32_t cb)
{
    pack_configure_all(pack_in(cb), pack_out(cb), pack_wide(cb),
                       packs_fp16() && pack_out(cb) == TS_DF_FP16, pack_wraps(cb));
}
inline void dst_done()
{
    if constexpr (full_sync) {
        TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::PACK | p_stall::THCON);
        TS_INLINE(TS_OP_ZEROACC(p_zeroacc::CLR_ALL, 0, ADDR_MOD_1, 0));
        TTI_SEMGET(semaphore::t6_sem(semaphore::MATH_PACK));
    } else {
        packer::dest_section_done(DST_ACCUM_MODE);
    }
}
#endif

// All of a kernel's set-up that does not depend on the operation: a to SrcA, b to SrcB.
inline void startup([[maybe_unused]] uint32_t a, [[maybe_unused]] uint32_t b,
                    [[maybe_unused]] uint32_t out)
{
    UNPACK(unpack_configure(unpack_in(a), unpack_in(b), DST_ACCUM_MODE,
                            uint32_t(get_tile_size(int32_t(a))) / 16,
                            uint32_t(get_tile_size(int32_t(b))) / 16));
    UNPACK(if (to_dst(a)) reformat(0, a));
    UNPACK(tiles::unpack_init(true));
    MATH(dst_init());
    MATH(math_configure(DST_ACCUM_MODE, integer_math(b)));
    MATH(math::source_a_format(source_format(a)));
    MATH(math::source_b_format(source_format(b)));
    PACK(pack_configure(out));
    PACK(packer::dest_init());
}

} // namespace metal

template <SrcOrder order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t in0, uint32_t in1, uint32_t out)
{
    if constexpr (order == SrcOrder::Reverse)
        metal::startup(in1, in0, out);
    else
        metal::startup(in0, in1, out);
}
template <SrcOrder order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t in, uint32_t out)
{
    metal::startup(in, in, out);
}

// --- Dst between math and pack ---

ALWI void tile_regs_acquire()
{
    MATH(math::wait_for_dest_available());
}
ALWI void tile_regs_commit()
{
    MATH(metal::dst_done());
}
ALWI void tile_regs_wait()
{
    PACK(packer::wait_for_math_done());
}
ALWI void tile_regs_release()
{
    PACK(metal::dst_done());
}
ALWI void acquire_dst()
{
    tile_regs_acquire();
    tile_regs_wait();
}
ALWI void release_dst()
{
    tile_regs_commit();
    tile_regs_release();
}
ALWI void acquire_dst(tt::DstMode)
{
    acquire_dst();
}
ALWI void release_dst(tt::DstMode)
{
    release_dst();
}

// --- formats ---

template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format_srca([[maybe_unused]] uint32_t cb)
{
    UNPACK(metal::reformat(0, cb));
    MATH(math::source_a_format(metal::source_format(cb)));
}
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format_srcb([[maybe_unused]] uint32_t cb)
{
    UNPACK(metal::reformat(1, cb));
    MATH(math::source_b_format(metal::source_format(cb)));
}
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format_srca(uint32_t old, uint32_t cb)
{
    if (unpack_src_format[old] != unpack_src_format[cb] ||
        unpack_dst_format[old] != unpack_dst_format[cb])
        reconfig_data_format_srca(cb);
}
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format_srcb(uint32_t old, uint32_t cb)
{
    if (unpack_src_format[old] != unpack_src_format[cb] ||
        unpack_dst_format[old] != unpack_dst_format[cb])
        reconfig_data_format_srcb(cb);
}
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format(uint32_t a, uint32_t b)
{
    reconfig_data_format_srca(a);
    reconfig_data_format_srcb(b);
}
template <bool to_from_int8 = false, bool is_tile_dim_reconfig_en = false>
ALWI void reconfig_data_format(uint32_t old_a, uint32_t a, uint32_t old_b, uint32_t b)
{
    reconfig_data_format_srca(old_a, a);
    reconfig_data_format_srcb(old_b, b);
}
// Tiles are 32x32: their shape needs no change.
template <SrcOrder order = SrcOrder::Regular>
ALWI void reconfig_full_operand(uint32_t a, uint32_t b)
{
    order == SrcOrder::Reverse ? reconfig_data_format(b, a) : reconfig_data_format(a, b);
}
template <SrcOrder order = SrcOrder::Regular>
ALWI void reconfig_full_operand(uint32_t old_a, uint32_t a, uint32_t old_b, uint32_t b)
{
    order == SrcOrder::Reverse ? reconfig_data_format(old_b, b, old_a, a)
                               : reconfig_data_format(old_a, a, old_b, b);
}
ALWI void reconfig_full_operand_srca(auto... cbs)
{
    reconfig_data_format_srca(cbs...);
}
ALWI void reconfig_full_operand_srcb(auto... cbs)
{
    reconfig_data_format_srcb(cbs...);
}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format([[maybe_unused]] uint32_t cb)
{
#ifdef TRISC_PACK
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    packer::reformat(metal::pack_out(cb));
    packer::rmw_each(2, 0xf00, metal::pack_in(cb) << 8);
    cfg_rmw(ALU_FORMAT_SPEC_REG2_Dstacc_ADDR32, ALU_FORMAT_SPEC_REG2_Dstacc_MASK,
            metal::pack_in(cb) << ALU_FORMAT_SPEC_REG2_Dstacc_SHAMT);
    if constexpr (metal::packs_two_sizes())
        packer::restride(metal::pack_in(cb));
    if constexpr (metal::packs_fp16())
        packer::round_mantissa(metal::pack_out(cb) == TS_DF_FP16);
#endif
}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t old, uint32_t cb)
{
    if (pack_dst_format[old] != pack_dst_format[cb])
        pack_reconfig_data_format(cb);
}
ALWI void pack_reconfig_l1_acc([[maybe_unused]] uint32_t on)
{
    PACK(packer::l1_accumulate(on != 0));
}

// --- copies to Dst ---

namespace metal {
[[gnu::error("the unpacker does not transpose what it writes to Dst (32-bit elements): call "
             "transpose_wh_init_short and transpose_wh_tile, or transpose_wh_dest<true>")]] void
refuse_transpose();
}
// `transpose`: the order of the faces; `within`: each face of 16x16.
ALWI void copy_tile_to_dst_init_short([[maybe_unused]] uint32_t cb,
                                      [[maybe_unused]] uint32_t transpose = 0,
                                      [[maybe_unused]] uint32_t within = 0)
{
    const bool turned = metal::to_dst(cb) && (transpose || within);
    if (__builtin_constant_p(turned) && turned)
        metal::refuse_transpose();
#ifdef TRISC_UNPACK
    if (metal::to_dst(cb))
        metal::unpack_init(within != 0);
    else
        faces::unpack_a_init(transpose != 0, within != 0);
#endif
    MATH(faces::copy_init());
}
ALWI void copy_tile_init(uint32_t cb)
{
    copy_tile_to_dst_init_short(cb);
}
ALWI void copy_init(uint32_t cb)
{
    copy_tile_to_dst_init_short(cb);
}
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t old, uint32_t cb, uint32_t transpose = 0)
{
    reconfig_data_format_srca(old, cb);
    copy_tile_to_dst_init_short(cb, transpose);
}
ALWI void copy_tile([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t tile,
                    [[maybe_unused]] uint32_t dst)
{
    if (metal::to_dst(cb)) {
        UNPACK(unpacker::unpack_to_dest(cb, tile));
        MATH(metal::wait_for_unpack(dst));
    } else {
        UNPACK(faces::unpack(cb, tile));
        MATH(faces::copy(dst));
    }
}
ALWI void copy_block(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        copy_tile(cb, tile + i, dst + i);
}
ALWI void copy_block_matmul_partials(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t count)
{
    copy_block(cb, tile, dst, count);
}
ALWI void unary_op_init_common(uint32_t in, uint32_t out)
{
    metal::startup(in, in, out);
    copy_tile_to_dst_init_short(in);
}
ALWI void init_sfpu(uint32_t in, uint32_t out)
{
    unary_op_init_common(in, out);
}

// --- packing ---

// In order: to the slot behind the last one packed since the last push; out of order: to slot `slot`.
template <bool out_of_order_output = false>
ALWI void pack_tile([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t cb,
                    [[maybe_unused]] uint32_t slot = 0)
{
#ifdef TRISC_PACK
    LocalCBInterface &it = get_local_cb_interface(cb);
    uint32_t address = it.fifo_wr_ptr - 1;
    if constexpr (out_of_order_output) {
        address += slot * it.fifo_page_size;
    } else {
        address += it.fifo_wr_tile_ptr;
        it.fifo_wr_tile_ptr += it.fifo_page_size;
    }
    packer::pack(dst, address);
#endif
}
ALWI void pack_tile_block(uint32_t dst, uint32_t cb, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pack_tile(dst + i, cb);
}
ALWI void pack_block(uint32_t dst, uint32_t cb, uint32_t count)
{
    pack_tile_block(dst, cb, count);
}
ALWI void matmul_pack_tile(uint32_t dst, uint32_t cb, uint32_t count)
{
    pack_tile_block(dst, cb, count);
}
ALWI void pack_init([[maybe_unused]] uint32_t cb)
{
    PACK(packer::mop_config());
}

// --- words between the threads ---

// A word of a tile in front of a buffer: the unpack thread reads it and tells the others.
ALWI uint32_t read_tile_value(uint32_t cb, uint32_t tile, uint32_t element)
{
#ifdef TRISC_UNPACK
    const LocalCBInterface &it = get_local_cb_interface(cb);
    const uint32_t value = TS_REG(((it.fifo_rd_ptr + tile * it.fifo_page_size) << 4) + 4 * element);
    mailbox_write(MathThreadId, value);
    mailbox_write(PackThreadId, value);
    return value;
#else
    (void)cb, (void)tile, (void)element;
    return mailbox_read(UnpackThreadId);
#endif
}
ALWI uint32_t get_tile_address(uint32_t cb, uint32_t tile)
{
#ifdef TRISC_UNPACK
    const LocalCBInterface &it = get_local_cb_interface(cb);
    const uint32_t address = (it.fifo_rd_ptr + tile * it.fifo_page_size) << 4;
    mailbox_write(MathThreadId, address);
    mailbox_write(PackThreadId, address);
    return address;
#else
    (void)cb, (void)tile;
    return mailbox_read(UnpackThreadId);
#endif
}
ALWI void cb_get_tile(uint32_t cb, uint32_t tile, volatile void *pointer)
{
    *static_cast<volatile uint32_t *volatile *>(const_cast<void *>(
        pointer)) = reinterpret_cast<volatile uint32_t *>(get_tile_address(cb, tile));
}
ALWI void cb_release_tile(uint32_t) {}

} // namespace ckernel

inline uint32_t CircularBuffer::get_tile_address(uint32_t tile)
{
    return ckernel::get_tile_address(id, tile);
}
inline uint32_t CircularBuffer::read_tile_value(uint32_t tile, uint32_t element)
{
    return ckernel::read_tile_value(id, tile, element);
}

using namespace ckernel;

#include "internal/relu.h"
