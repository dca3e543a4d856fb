// What every compute kernel may call: Dst ownership, packing, set-up of the three threads.
#pragma once
#include "cb.h"
#include "ckernel_template.h"
#include "profile.h"

#ifdef TRISC_UNPACK
#include "cunpack_common.h"
#endif
#ifdef TRISC_MATH
#include "cmath_common.h"
#endif
#ifdef TRISC_PACK
#include "cpack_common.h"
#endif

using namespace ckernel;

// A kernel is `namespace NAMESPACE { void MAIN { ... } }`, compiled once for each thread.
#define NAMESPACE kernel
#define MAIN      kernel_main()
namespace NAMESPACE {
void kernel_main();
}

#ifndef MATH_FIDELITY
#define MATH_FIDELITY (get_arg(TS_ARG_PHASES))
#endif
#ifndef MM_THROTTLE
#define MM_THROTTLE (get_arg(TS_ARG_THROTTLE))
#endif

namespace compute {
// The general image of a kernel takes every choice of formats and tiles. The plain one is for the
// usual choices; it spends no instruction on the others.
#ifdef TS_GENERAL
constexpr bool general = true;
#else
constexpr bool general = false;
#endif
inline bool dst32;
inline bool transposed()
{
    return general && get_arg(TS_ARG_TRANSPOSE) != 0;
}

inline bool to_dst()
{
    return general && get_arg(TS_ARG_TO_DST) != 0;
}

// Faces of a tile of the result, from top to bottom and side by side.
inline uint32_t faces_down()
{
    return general ? get_arg(TS_ARG_FACES) & 15 : 2;
}
inline uint32_t faces_across()
{
    return general ? get_arg(TS_ARG_FACES) >> 4 : 2;
}
inline uint32_t faces()
{
    return faces_down() * faces_across();
}

#ifdef TRISC_UNPACK
// Tiles of so many faces in SrcA and SrcB, after the set-up for four.
inline void unpack_faces([[maybe_unused]] uint32_t a, [[maybe_unused]] uint32_t b)
{
    if constexpr (general) {
        volatile uint32_t *cfg = ts_cfg();
        cfg[THCON_SEC0_REG0_TileDescriptor_ADDR32 + 1] = 1 | a << 16;
        cfg[THCON_SEC1_REG0_TileDescriptor_ADDR32 + 1] = 1 | b << 16;
        ts_cfg_fence();
        TT_SETADCXX(p_setadc::UNP_A, 256 * a - 1, 0);
        TT_SETADCXX(p_setadc::UNP_B, 256 * b - 1, 0);
    }
}
#endif

// Formats with 5-bit exponents.
inline bool narrow_exponent(uint32_t format)
{
    return format == TS_DF_FP16 || format == TS_DF_FP8 || format == TS_DF_BFP8A ||
           format == TS_DF_BFP4A || format == TS_DF_BFP2A;
}

// What the packer reads Dst as: 32-bit sums are rounded to a 16-bit output on the way.
inline uint32_t pack_source(uint32_t in, uint32_t out)
{
    if (general && (out == TS_DF_INT8 || out == TS_DF_INT16 || out == TS_DF_INT32))
        return out; // sums in 32 bits saturate in int8
    if (in == TS_DF_INT8)
        return TS_DF_INT32;
    if (general && dst32 && out == TS_DF_TF32)
        return out;
    if (dst32)
        return out == TS_DF_BF16 || out == TS_DF_FP16 ? out : uint32_t(TS_DF_FP32);
    return narrow_exponent(in) ? TS_DF_FP16 : TS_DF_BF16;
}

// Set-up that all operations share: formats of both sources, width of Dst, output format.
inline void hw_startup([[maybe_unused]] cb_id a, [[maybe_unused]] cb_id b,
                       [[maybe_unused]] cb_id out, [[maybe_unused]] bool transpose = false)
{
    dst32 = get_arg(TS_ARG_DST32) != 0;
    [[maybe_unused]] uint32_t held = pack_source(cb_get(b).format, cb_get(out).format);
    UNPACK(unpacker::configure(cb_get(a).format, cb_get(b).format, dst32, transpose));
    UNPACK(if (to_dst()) unpacker::reformat_a_as(cb_get(a).format,
                                                 unpacker::memory_format(cb_get(a).format)));
    MATH(math::hw_configure(dst32, cb_get(b).format == TS_DF_INT8));
    MATH(math::source_a_format(register_format(cb_get(a).format, dst32)));
    MATH(math::source_b_format(register_format(cb_get(b).format, dst32)));
    MATH(if (general && cb_get(b).format == TS_DF_INT16) math::keep_bits());
    MATH(math::pack_sync_init());
    PACK(packer::configure(held, cb_get(out).format, dst32 || held == TS_DF_INT32,
                           general && dst32 && held == TS_DF_FP16));
#ifdef TS_NARROW
    PACK(packer::threshold_exponents());
#endif
    PACK(if (general) packer::tile_faces(cb_get(out).format, faces()); else packer::mop_config());
    PACK(packer::dest_init());
}
} // namespace compute

inline void tile_regs_acquire()
{
    MATH(math::wait_for_dest_available());
}
inline void tile_regs_commit()
{
    MATH(math::dest_section_done());
}
inline void tile_regs_wait()
{
    PACK(packer::wait_for_math_done());
}
inline void tile_regs_release()
{
    PACK(packer::dest_section_done(compute::dst32));
}

// Packs a tile of Dst to the next free place of a buffer that was reserved.
inline void pack_tile([[maybe_unused]] uint32_t tile, [[maybe_unused]] cb_id out)
{
    PACK(packer::pack(tile, cb_tile_address(out, cb_detail::written++) / 16 - 1));
}
