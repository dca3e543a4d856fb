// What ttnn's attention kernels call beyond the common API: products and differences of blocks, maxima of rows of tiles, and
// functions of the first column of a tile. The results are the vendor's; instructions and cycles are those of the functions
// of the common API that compute them.
#pragma once
#include "internal/binary.h"
#include "internal/compute_all.h"
#include "internal/matmul.h"
#include "internal/reduce.h"

namespace ckernel {

// --- experimental/matmul_custom.h, experimental/sdpa_sub_custom.h ---

ALWI void mm_no_mop_init_short(uint32_t in0, uint32_t in1, bool transpose = false, uint32_t ct = 1,
                               uint32_t rt = 1, uint32_t kt = 1)
{
    matmul_block_init(in0, in1, transpose, ct, rt, kt);
}
ALWI void mm_no_mop_reinit_short(uint32_t in0, uint32_t in1, bool transpose = false,
                                 uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1)
{
    matmul_block_init(in0, in1, transpose, ct, rt, kt);
}
ALWI void matmul_block_no_mop(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1,
                              uint32_t dst, bool transpose, uint32_t ct, uint32_t rt, uint32_t kt)
{
    matmul_block(in0, in1, tile0, tile1, dst, transpose, ct, rt, kt);
}
ALWI void sub_bcast_cols_init_short_custom(uint32_t in0, uint32_t in1, uint32_t)
{
    sub_bcast_cols_init_short(in0, in1);
}
ALWI void sub_tiles_bcast_cols_custom(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1,
                                      uint32_t dst, uint32_t across)
{
    for (uint32_t i = 0; i < across; i++)
        sub_tiles_bcast_cols(in0, in1, tile0 + i, tile1, dst + i);
}

// --- reduce_custom.h: the maximum of a row of tiles ---

namespace metal {
inline uint32_t row_tiles; // of a maximum whose length is known at run time
} // namespace metal

// `trigger`: the tiles are there once the pack thread posts a semaphore; the vendor's begins with the first half of them, if
// `overlaps`, which has a semaphore of its own. Here the maximum begins when all are there.
ALWI void reduce_block_max_row_init_runtime(uint32_t out = 0, uint32_t across = 1,
                                            [[maybe_unused]] bool trigger = false, uint32_t = 4)
{
    metal::row_tiles = across;
    UNPACK(if (trigger) t6_semaphore_wait_on_zero<p_stall::STALL_UNPACK>(semaphore::FPU_SFPU));
    reduce_init_short<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 0, out);
}
ALWI void reduce_block_max_row_runtime(uint32_t in, uint32_t scaler, uint32_t first, uint32_t dst,
                                       bool = false, bool = false, uint32_t = 4)
{
    for (uint32_t i = 0; i < metal::row_tiles; i++)
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(in, scaler, first + i, 0, dst);
}
ALWI void reduce_block_max_row_uninit_runtime(uint32_t = 0, [[maybe_unused]] bool trigger = false,
                                              [[maybe_unused]] bool overlaps = false)
{
    UNPACK(if (trigger) t6_semaphore_get(semaphore::FPU_SFPU));
    UNPACK(if (trigger && overlaps) t6_semaphore_get(semaphore::UNPACK_MATH_DONE));
    reduce_uninit();
}
template <uint32_t across, auto... flags> ALWI void reduce_block_max_row_init(uint32_t out = 0)
{
    reduce_init_short<PoolType::MAX, ReduceDim::REDUCE_ROW>(0, 0, out);
}
template <uint32_t across, auto... flags>
ALWI void reduce_block_max_row(uint32_t in, uint32_t scaler, uint32_t first, uint32_t dst)
{
    for (uint32_t i = 0; i < across; i++)
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(in, scaler, first + i, 0, dst);
}
template <auto... flags> ALWI void reduce_block_max_row_uninit(uint32_t = 0)
{
    reduce_uninit();
}

// --- ckernel_sfpu_sdpa.h: every second vector of a face has the first column ---

constexpr uint32_t ADD_UNARY = 0;
enum class SfpuType { exponential };

namespace sfpu {

#if defined(TRISC_MATH) || defined(TRISC_PACK)
template <typename Body> ALWI void each_of_first_column(Body body)
{
#pragma GCC unroll 0
    for (uint32_t i = 0; i < 4; i++) {
        body();
        vec::step(2);
    }
}
template <bool compatible = true> ALWI void calculate_recip_first_column()
{
    each_of_first_column([] {
        vec::load(0);
        vec::reciprocal(0, 1, 2);
        vec::round_to_dst(0);
        vec::store(0);
    });
}
template <bool approximate, uint16_t scale> ALWI void calculate_exponential_first_column()
{
    each_of_first_column([] {
        vec::load(0);
        vec::word(1, uint32_t(scale) << 16);
        vec::mul(0, 0, 1);
        vec::exponential();
        vec::round_to_dst(0);
        vec::store(0);
    });
}
ALWI void calculate_softplus_first_column(uint32_t, uint32_t, uint32_t)
{
    each_of_first_column([] {
        vec::load(0);
        vec::soft_plus();
        vec::round_to_dst(0);
        vec::store(0);
    });
}
// Tiles 0 to 4: a maximum, another one, their larger, the two sums; then e^(s (a - m)), e^(s (b - m)), m, the sum of both.
ALWI void calculate_fused_max_sub_exp_add_tile(int scale)
{
    each_of_first_column([scale] {
        using namespace vec;
        load(0, 0);
        load(1, 1);
        maximum(0, 1);
        store(0, 2);
        for (uint32_t i = 0; i < 2; i++) {
            load(0, i);
            load(1, 2);
            sub(0, 0, 1);
            word(1, uint32_t(scale) << 16);
            mul(0, 0, 1);
            exponential();
            round_to_dst(0);
            store(0, i);
        }
        load(0, 0);
        load(1, 3);
        mul(0, 0, 1);
        load(1, 1);
        load(2, 4);
        mad(0, 1, 2, 0);
        round_to_dst(0);
        store(0, 3);
    });
}
template <bool approximate, uint32_t operation, uint32_t vectors>
ALWI void calculate_binop_with_scalar(uint32_t scalar)
{
    static_assert(operation == ADD_UNARY && vectors == 8, "only sums of a face are called so");
    for (uint32_t i = 0; i < 8; i++) {
        vec::load(0);
        vec::word(1, scalar);
        vec::add(0, 0, 1);
        vec::round_to_dst(0);
        vec::store(0);
        vec::step();
    }
}
template <auto... flags> ALWI void sfpu_reciprocal_init() {}
#endif

} // namespace sfpu
#if defined(TRISC_MATH) || defined(TRISC_PACK)
template <auto... flags> ALWI void llk_math_eltwise_unary_sfpu_init()
{
    vec::init();
}
#endif

namespace metal {

#if defined(TRISC_MATH) || defined(TRISC_PACK)
// A function of one face for the faces of a mode.
template <typename Body> ALWI void call_faces(uint32_t dst, VectorMode mode, Body body)
{
    const bool first_column = mode == VectorMode::C, first_row = mode == VectorMode::R;
    for (uint32_t face = 0; face < 4; face++) {
        if ((first_column && face % 2 == 1) || (first_row && face >= 2))
            continue;
        vec::begin(dst);
        for (uint32_t i = 0; i < 2 * face; i++)
            vec::step(4);
        body();
        vec::finish();
    }
}
#endif

} // namespace metal

#define TS_ARGUMENTS(...) __VA_ARGS__
#if defined(TRISC_MATH) || defined(TRISC_PACK)
#define SFPU_UNARY_CALL(sync, wide, function, flags, dst, mode, ...) \
    ckernel::metal::call_faces(dst, mode,                            \
                               [&] { ckernel::sfpu::function<TS_ARGUMENTS flags>(__VA_ARGS__); })
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, wide, function, dst, mode, ...) \
    ckernel::metal::call_faces(dst, mode, [&] { ckernel::sfpu::function(__VA_ARGS__); })
#endif

} // namespace ckernel
