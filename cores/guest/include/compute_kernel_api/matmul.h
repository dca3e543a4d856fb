// Matrix multiplication: tile by tile (matmul_tiles) and blocked (matmul_block).
#pragma once
#include "compute_kernel_api/common.h"
#include "llk_matmul.h"
#include "llk_tiles.h"

inline void mm_block_init_short([[maybe_unused]] cb_id in0, [[maybe_unused]] cb_id in1,
                                [[maybe_unused]] uint32_t ct, [[maybe_unused]] uint32_t rt,
                                [[maybe_unused]] uint32_t kt)
{
    UNPACK(matmuls::unpack_init(cb_get(in1).tile_bytes, cb_get(in0).tile_bytes, ct, rt, kt));
    UNPACK(compute::unpack_faces(2 * compute::faces_across(), 2 * compute::faces_down()));
    MATH(matmuls::math_init(MATH_FIDELITY, MM_THROTTLE, ct, rt));
    MATH(if (compute::general && compute::faces() < 4) matmuls::program_small(
        MATH_FIDELITY, compute::faces_down(), compute::faces_across(), ct, rt));
    MATH(if (compute::transposed()) matmuls::walk_transposed());
}

inline void mm_block_init(cb_id in0, cb_id in1, cb_id out, [[maybe_unused]] uint32_t ct,
                          [[maybe_unused]] uint32_t rt, [[maybe_unused]] uint32_t kt)
{
    compute::hw_startup(in1, in0, out, compute::transposed());
    mm_block_init_short(in0, in1, ct, rt, kt);
}

inline void mm_init(cb_id in0, cb_id in1, cb_id out)
{
    mm_block_init(in0, in1, out, 1, 1, 1);
}

#ifdef TRISC_UNPACK
inline void llk_unpack_AB_matmul(cb_id in0, cb_id in1, uint32_t tile0, uint32_t tile1,
                                 uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1)
{
    matmuls::unpack_block(in0, in1, tile0, tile1, ct, rt, kt);
}
#endif
#ifdef TRISC_MATH
inline void llk_math_matmul(uint32_t dst, uint32_t ct = 1, uint32_t rt = 1)
{
    matmuls::math_block(dst, ct, rt);
}
#endif

inline void matmul_tiles([[maybe_unused]] cb_id in0, [[maybe_unused]] cb_id in1,
                         [[maybe_unused]] uint32_t tile0, [[maybe_unused]] uint32_t tile1,
                         [[maybe_unused]] uint32_t dst)
{
    UNPACK((llk_unpack_AB_matmul(in0, in1, tile0, tile1)));
    MATH((llk_math_matmul(dst)));
}

// The dynamic throttle: the ARC firmware's word in L1, looked at once for every block.
#ifdef TRISC_MATH
inline void matmul_follow_throttle(uint32_t ct, uint32_t rt)
{
    bool asked = TS_REG(TS_L1_THROTTLE) & 1;
    if (asked == matmuls::throttled_mop_status)
        return;
    matmuls::throttled_mop_status = asked;
    matmuls::math_program<false>(MATH_FIDELITY, asked ? matmuls::MM_THROTTLE_MAX : MM_THROTTLE, ct,
                                 rt);
    if (compute::transposed())
        matmuls::walk_transposed();
}
#endif

inline void matmul_block([[maybe_unused]] cb_id in0, [[maybe_unused]] cb_id in1,
                         [[maybe_unused]] uint32_t tile0, [[maybe_unused]] uint32_t tile1,
                         [[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t ct,
                         [[maybe_unused]] uint32_t rt, [[maybe_unused]] uint32_t kt)
{
    UNPACK((llk_unpack_AB_matmul(in0, in1, tile0, tile1, ct, rt, kt)));
    MATH((matmul_follow_throttle(ct, rt)));
    MATH((llk_math_matmul(dst, ct, rt)));
}
