// Sums, averages and maxima of rows, columns or all elements of tiles, accumulated in Dst.
//
// The second operand is the scaler: its value stands in the first row of each face. Results are in the
// first column (REDUCE_ROW), in the first row (REDUCE_COL) or in the first element (REDUCE_SCALAR);
// reduce_init makes the packer write zeros elsewhere, reduce_uninit ends that.
//
//   columns        GAPOOL or GMPOOL of SrcA's faces, scaler in SrcB
//   rows, sum      a product: tile x transposed scaler, whose faces have the value in their first column
//   rows, maximum  GMPOOL of transposed faces to a row of Dst; by way of SrcB it becomes a column
//   all elements   columns to a row of face 1, that becomes a column of SrcA, which is pooled again
#pragma once
#include "internal/compute_tiles.h"

#ifdef COMPILE_FOR_TRISC

namespace ckernel {
namespace metal {

constexpr bool by_product(PoolType type, ReduceDim dim)
{
    return dim == REDUCE_ROW && type != MAX && type != MIN;
}
#ifdef TRISC_UNPACK
// The operands of the last reduce_init, if they changed sides.
inline uint32_t reduce_swapped = ~0u, reduce_scaler;
inline void reduce_formats(uint32_t a, uint32_t b)
{
    if (unpack_src_format[a] == unpack_src_format[b])
        return;
    reformat(0, a);
    reformat(1, b);
}
#endif

#ifdef TRISC_MATH
// Eight MVMULs: both halves of a row of faces to the left one.
inline void row_sum_init()
{
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.cr = 1}}.set(ADDR_MOD_1);
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 32, .cr = 1}}.set(ADDR_MOD_2);
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.incr = phases > 1}}
        .set(ADDR_MOD_3);
    TTI_REPLAY(math::replay_buf_offset, 8, 0, 1);
    static const char *const walk = "01020103";
    for (uint32_t i = 0; i < 8; i++)
        ts_push(TT_OP_MVMUL(0, 0, uint32_t(walk[i] - '0'), 0));
    ckernel_template mop(1, phases, lltt::replay_insn(math::replay_buf_offset, 8));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}
// A row of Dst, transposed in SrcB: its elements are the first column of rows 16 to 31 there.
inline void row_to_column(uint32_t row)
{
    TT_MOVD2B(0, 16, ADDR_MOD_7, 0, row);
    TTI_TRNSPSRCB;
}
inline void row_max_init()
{
    addr_mod_t{.srca = {.incr = 16}}.set(ADDR_MOD_0);
    addr_mod_t{}.set(ADDR_MOD_7);
    math::reset_counters(p_setrwc::SET_ABD_F);
}
// The first row of a left face keeps the maxima as a row, so that the next tile can join them: its own
// first element is the same either way.
inline void row_max(uint32_t dst)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
#pragma GCC unroll 2
    for (uint32_t half = 0; half < 2; half++) {
        TT_GMPOOL(0, 1, ADDR_MOD_0, 0, 32 * half);
        TT_GMPOOL(0, 1, ADDR_MOD_0, 0, 32 * half);
        row_to_column(32 * half);
        TT_MOVD2B(0, 16, ADDR_MOD_7, 0, 32 * half);
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 16; i += 4)
            TT_MOVB2D(0, 16 + i, ADDR_MOD_7, 4, 32 * half + i);
    }
    TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}
template <PoolType type> inline void all_init()
{
    constexpr bool max = type == MAX;
    addr_mod_t{.srca = {.incr = 16}}.set(ADDR_MOD_0);
    addr_mod_t{.srca = {.clr = 1, .cr = 1}, .fidelity = {.incr = !max && phases > 1}}.set(
        ADDR_MOD_2);
    addr_mod_t{}.set(ADDR_MOD_7);
    TTI_REPLAY(math::replay_buf_offset, 4, 0, 1);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t mod = i == 3 ? ADDR_MOD_2 : ADDR_MOD_0;
        ts_push(max ? TT_OP_GMPOOL(0, 1, mod, 0, 16) : TT_OP_GAPOOL(0, 1, mod, 0, 16));
    }
    ckernel_template mop(1, max ? 1 : phases, lltt::replay_insn(math::replay_buf_offset, 4));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}
template <PoolType type> inline void all(uint32_t dst)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
    ckernel_template::run();
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    row_to_column(16);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 16; i += 4)
        TT_MOVB2A(i, ADDR_MOD_7, 2, 16 + i);
    TT_ZEROACC(p_zeroacc::CLR_16, DST_ACCUM_MODE, 0, ADDR_MOD_7,
               (math::get_dest_buffer_base() >> 4) + 4 * dst);
    for (uint32_t i = 0; i < (type == MAX ? 1 : phases); i++)
        if constexpr (type == MAX)
            TTI_GMPOOL(0, 1, ADDR_MOD_2, 0, 0);
        else
            TTI_GAPOOL(0, 1, ADDR_MOD_2, 0, 0);
    TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}
#endif

#ifdef TRISC_PACK
// Mask 1 is for what is kept, mask 0 for the rest. Faces choose a set of rows, rows choose a mask.
inline void pack_mask(uint32_t kept, uint32_t rows, uint32_t faces)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    cfg_rmw(PCK_EDGE_OFFSET_SEC0_mask_ADDR32, 0xffff, rows ? 0 : 0xffff);
    cfg_rmw(PCK_EDGE_OFFSET_SEC1_mask_ADDR32, 0xffff, kept);
    cfg_rmw(TILE_ROW_SET_MAPPING_1_row_set_mapping_0_ADDR32, ~0u, rows);
    cfg_rmw(TILE_FACE_SET_MAPPING_0_face_set_mapping_0_ADDR32, ~0u, faces);
    cfg_rmw(PCK_EDGE_TILE_FACE_SET_SELECT_select_ADDR32,
            PCK_EDGE_TILE_FACE_SET_SELECT_select_MASK | PCK_EDGE_TILE_FACE_SET_SELECT_enable_MASK,
            rows ? PCK_EDGE_TILE_FACE_SET_SELECT_enable_MASK : 0);
}
template <ReduceDim dim> inline void pack_reduced()
{
    if constexpr (dim == REDUCE_ROW)
        pack_mask(0x0001, 0x55555555, 0x11); // all rows of faces 0 and 2
    else if constexpr (dim == REDUCE_COL)
        pack_mask(0xffff, 0x1, 0x5); // row 0 of faces 0 and 1
    else
        pack_mask(0x0001, 0x1, 0x1);
}
#endif

} // namespace metal

#ifndef REDUCE_OP
#define TS_REDUCE_OP PoolType::SUM
#else
#define TS_REDUCE_OP REDUCE_OP
#endif
#ifndef REDUCE_DIM
#define TS_REDUCE_DIM ReduceDim::REDUCE_ROW
#else
#define TS_REDUCE_DIM REDUCE_DIM
#endif

#ifdef TRISC_UNPACK
template <PoolType type, ReduceDim dim, auto... flags>
ALWI void llk_unpack_AB_reduce_init([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t scaler)
{
    metal::unpack_init(dim == REDUCE_ROW);
    if constexpr (metal::by_product(type, dim)) {
        metal::reduce_swapped = in;
        metal::reduce_scaler = scaler;
        metal::reduce_formats(scaler, in);
    }
}
#endif
#ifdef TRISC_MATH
template <PoolType type, ReduceDim dim, auto... flags> ALWI void llk_math_reduce_init(auto...)
{
    if constexpr (dim == REDUCE_COL)
        tiles::pool_init(type == MAX, metal::phases);
    else if constexpr (dim == REDUCE_SCALAR)
        metal::all_init<type>();
    else if constexpr (type == MAX)
        metal::row_max_init();
    else
        metal::row_sum_init();
}
#endif
#ifdef TRISC_PACK
template <ReduceDim dim, auto... flags> ALWI void llk_pack_reduce_mask_config(auto...)
{
    metal::pack_reduced<dim>();
}
ALWI void llk_pack_reduce_mask_clear()
{
    metal::pack_mask(0, 0, 0);
}
#endif
template <PoolType type = TS_REDUCE_OP, ReduceDim dim = TS_REDUCE_DIM, auto... flags>
ALWI void reduce_init_short([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t scaler,
                            [[maybe_unused]] uint32_t out)
{
    UNPACK((llk_unpack_AB_reduce_init<type, dim>(in, scaler)));
    MATH((llk_math_reduce_init<type, dim>()));
    PACK(metal::pack_reduced<dim>());
}
template <PoolType type = TS_REDUCE_OP, ReduceDim dim = TS_REDUCE_DIM, auto... flags>
ALWI void reduce_init(uint32_t in, uint32_t scaler, uint32_t out)
{
    reduce_init_short<type, dim>(in, scaler, out);
}
template <bool at_start, PoolType type = TS_REDUCE_OP, ReduceDim dim = TS_REDUCE_DIM, auto... flags>
ALWI void reduce_init_delta(uint32_t in, uint32_t scaler, uint32_t out)
{
    reduce_init_short<type, dim>(in, scaler, out);
}
template <auto... flags> ALWI void reduce_uninit(auto...)
{
#ifdef TRISC_UNPACK
    unpacker::transpose_a(false);
    if (metal::reduce_swapped != ~0u)
        metal::reduce_formats(metal::reduce_swapped, metal::reduce_scaler);
    metal::reduce_swapped = ~0u;
#endif
    PACK(llk_pack_reduce_mask_clear());
}
template <auto... flags> ALWI void reduce_revert_delta(auto...)
{
    reduce_uninit();
}

#ifdef TRISC_MATH
template <PoolType type, ReduceDim dim> ALWI void reduce_math(uint32_t dst)
{
    if constexpr (dim == REDUCE_SCALAR)
        metal::all<type>(dst);
    else if constexpr (dim == REDUCE_ROW && type == MAX)
        metal::row_max(dst);
    else
        tiles::run(dst);
}
#endif
template <PoolType type = TS_REDUCE_OP, ReduceDim dim = TS_REDUCE_DIM, auto... flags>
ALWI void reduce_tile([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t scaler,
                      [[maybe_unused]] uint32_t tile, [[maybe_unused]] uint32_t tile_scaler,
                      [[maybe_unused]] uint32_t dst)
{
#ifdef TRISC_UNPACK
    if constexpr (metal::by_product(type, dim))
        tiles::unpack_ab(scaler, in, tile_scaler, tile);
    else
        tiles::unpack_ab(in, scaler, tile, tile_scaler);
#endif
    MATH((reduce_math<type, dim>(dst)));
}
template <PoolType type = TS_REDUCE_OP, ReduceDim dim = TS_REDUCE_DIM>
ALWI void reduce_block(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t tile_scaler,
                       uint32_t dst, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        reduce_tile<type, dim>(in, scaler, tile + i, tile_scaler, dst + i);
}
template <PoolType type = TS_REDUCE_OP, ReduceDim dim = TS_REDUCE_DIM, auto... flags>
ALWI void reduce_tile_math([[maybe_unused]] uint32_t dst, uint32_t = 4)
{
    MATH((reduce_math<type, dim>(dst)));
}

} // namespace ckernel

#endif // COMPILE_FOR_TRISC
