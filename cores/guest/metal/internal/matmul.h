// Matrix products: tile by tile, and blocks of rt x ct output tiles. in0 goes to SrcB, in1 to SrcA.
#pragma once
#include "internal/compute.h"
#include "internal/remedies.h"
#include "llk_matmul.h"

#ifndef MM_THROTTLE
#define MM_THROTTLE 0
#endif

namespace ckernel {

namespace metal {
#ifdef TRISC_MATH
// The dynamic throttle: the ARC firmware's word in L1, looked at once for every block.
inline void follow_throttle(uint32_t ct, uint32_t rt, bool transposed)
{
    TS_REMEDY_MARK("flip");
    const bool asked = TS_REG(TS_PROGRAM_THROTTLE) & 1;
    if (asked == matmuls::throttled_mop_status)
        return;
    matmuls::throttled_mop_status = asked;
    matmuls::math_program<false>(phases, asked ? matmuls::MM_THROTTLE_MAX : MM_THROTTLE, ct, rt);
    if (transposed)
        matmuls::walk_transposed();
}
#endif
} // namespace metal

// A transposed in1: its faces by the unpacker, their order by the walk through them, which only a
// single tile has.
ALWI void matmul_block_init([[maybe_unused]] uint32_t in0, [[maybe_unused]] uint32_t in1,
                            [[maybe_unused]] uint32_t transpose = 0,
                            [[maybe_unused]] uint32_t ct = 1, [[maybe_unused]] uint32_t rt = 1,
                            [[maybe_unused]] uint32_t kt = 1)
{
    UNPACK(unpacker::transpose_a(transpose != 0));
    UNPACK(matmuls::unpack_init(get_local_cb_interface(in1).fifo_page_size * 16,
                                get_local_cb_interface(in0).fifo_page_size * 16, ct, rt, kt));
    MATH(TS_REMEDY_MARK("throttle"));
    MATH(matmuls::math_init(metal::phases, MM_THROTTLE, ct, rt));
    MATH(if (transpose) matmuls::walk_transposed());
}
ALWI void matmul_init(uint32_t in0, uint32_t in1, uint32_t transpose = 0)
{
    matmul_block_init(in0, in1, transpose, 1, 1, 1);
}
ALWI void mm_init_short(uint32_t in0, uint32_t in1, uint32_t transpose = 0)
{
    matmul_init(in0, in1, transpose);
}
ALWI void mm_init(uint32_t in0, uint32_t in1, uint32_t out, uint32_t transpose = 0)
{
    metal::startup(in1, in0, out);
    matmul_init(in0, in1, transpose);
}
ALWI void mm_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t old_srca,
                                uint32_t transpose = 0)
{
    reconfig_data_format_srca(old_srca, in1);
    matmul_init(in0, in1, transpose);
}
ALWI void matmul_init_with_dt(uint32_t in0, uint32_t in1, uint32_t old_srca, uint32_t transpose = 0)
{
    mm_init_short_with_dt(in0, in1, old_srca, transpose);
}
ALWI void mm_block_init_short(uint32_t in0, uint32_t in1, uint32_t transpose = 0, uint32_t ct = 1,
                              uint32_t rt = 1, uint32_t kt = 1)
{
    matmul_block_init(in0, in1, transpose, ct, rt, kt);
}
ALWI void mm_block_init(uint32_t in0, uint32_t in1, uint32_t out, uint32_t transpose = 0,
                        uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1)
{
    metal::startup(in1, in0, out);
    matmul_block_init(in0, in1, transpose, ct, rt, kt);
}
ALWI void mm_block_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t old_in1,
                                      uint32_t transpose = 0, uint32_t ct = 1, uint32_t rt = 1,
                                      uint32_t kt = 1)
{
    reconfig_data_format_srca(old_in1, in1);
    matmul_block_init(in0, in1, transpose, ct, rt, kt);
}
ALWI void mm_block_init_short_with_both_dt(uint32_t in0, uint32_t in1, uint32_t old_in0,
                                           uint32_t old_in1, uint32_t transpose = 0,
                                           uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1)
{
    reconfig_data_format(old_in1, in1, old_in0, in0);
    matmul_block_init(in0, in1, transpose, ct, rt, kt);
}
ALWI void matmul_block_init_with_dt(uint32_t in0, uint32_t in1, uint32_t old_in1,
                                    uint32_t transpose = 0, uint32_t ct = 1, uint32_t rt = 1,
                                    uint32_t kt = 1)
{
    mm_block_init_short_with_dt(in0, in1, old_in1, transpose, ct, rt, kt);
}

// The two halves of matmul_tiles and matmul_block, for UNPACK(()) and MATH(()). Fidelity and throttle
// level are the initialisation's.
#ifdef TRISC_UNPACK
template <auto... flags>
ALWI void llk_unpack_AB_matmul(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1,
                               uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1)
{
    matmuls::unpack_block(in0, in1, tile0, tile1, ct, rt, kt);
}
#endif
#ifdef TRISC_MATH
template <auto... flags> ALWI void llk_math_matmul(uint32_t dst, uint32_t ct = 1, uint32_t rt = 1)
{
    matmuls::math_block(dst, ct, rt);
}
#endif

// Dst[dst] += in0[tile0] x in1[tile1]. The last argument is what releases up to v0.65 pass.
ALWI void matmul_tiles([[maybe_unused]] uint32_t in0, [[maybe_unused]] uint32_t in1,
                       [[maybe_unused]] uint32_t tile0, [[maybe_unused]] uint32_t tile1,
                       [[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t transpose = 0)
{
    UNPACK(matmuls::unpack_block(in0, in1, tile0, tile1, 1, 1, 1));
    MATH(TS_BEFORE_BLOCK());
    MATH(matmuls::math_block(dst, 1, 1));
}
ALWI void matmul_block([[maybe_unused]] uint32_t in0, [[maybe_unused]] uint32_t in1,
                       [[maybe_unused]] uint32_t tile0, [[maybe_unused]] uint32_t tile1,
                       [[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t transpose,
                       [[maybe_unused]] uint32_t ct, [[maybe_unused]] uint32_t rt,
                       [[maybe_unused]] uint32_t kt)
{
    UNPACK(matmuls::unpack_block(in0, in1, tile0, tile1, ct, rt, kt));
    MATH(metal::follow_throttle(ct, rt, transpose != 0));
    MATH(TS_BEFORE_BLOCK());
    MATH(matmuls::math_block(dst, ct, rt));
}

} // namespace ckernel
