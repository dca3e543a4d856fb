// Sums, averages and maxima of rows, columns or all elements of tiles, accumulated in Dst.
//
// The second operand is the scaler: its value stands in the first row of each face. Results are in the
// first column (REDUCE_ROW), in the first row (REDUCE_COL) or in the first element (REDUCE_SCALAR);
// reduce_init makes the packer write zeros elsewhere, reduce_uninit ends that.
//
//   columns        GAPOOL or GMPOOL of SrcA's faces, one after the other, a row of the scaler in SrcB
//   rows, sum      a product: tile x transposed scaler, whose faces have the value in their first column
//   rows, maximum  GMPOOL of transposed faces to a row of Dst; by way of SrcB it becomes a column
//   all elements   columns to a row of Dst, that becomes a column of SrcA, which is pooled again
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
// A face of the operand and a row of the scaler at a time, four times. `clear`: SrcA before each face.
template <bool clear, bool max> inline void faces_init()
{
    TTI_SETADCXX(p_setadc::UNP_A, 255, 0);
    TTI_SETADCXX(p_setadc::UNP_B, 15, 0);
    TTI_REPLAY(0, 2, 0, 1);
    TS_INLINE(TS_UNPACR(SrcA, 1, 1));
    TS_INLINE(TS_UNPACR(SrcB, 1, 1));
    const uint32_t face = lltt::replay_insn(0, 2);
    if constexpr (clear)
        ckernel_template(1, 4, TS_OP_CLEAR(SrcA, max), face).program();
    else
        ckernel_template(1, 4, face).program();
}
// Both operands whole.
inline void whole_init()
{
    TTI_REPLAY(0, 2, 0, 1);
    TS_INLINE(TS_UNPACR(SrcA, 0, 1));
    TS_INLINE(TS_UNPACR(SrcB, 0, 1));
    ckernel_template(1, 1, lltt::replay_insn(0, 2)).program();
}
#endif

#ifdef TRISC_MATH
// The end of each set-up.
inline void reduce_ready()
{
    TTI_SETC16(CLR_DVALID_SrcA_Disable_ADDR32, 0);
    math::reset_counters(p_setrwc::SET_ABD_F);
}
// A phase is an instruction. Maxima have none, but the template is set up for them too. `row`: of Dst.
inline void phases_init([[maybe_unused]] uint32_t row)
{
    if constexpr (phases > 1) {
        const uint32_t last = TT_OP_GAPOOL(0, 1, ADDR_MOD_0, 0, row);
        ckernel_template mop(1, phases, TT_OP_GAPOOL(0, 1, ADDR_MOD_1, 0, row));
        mop.set_last_inner_loop_instr(last);
        mop.set_last_outer_loop_instr(last);
        mop.program();
    }
    reduce_ready();
}
// Eight MVMULs: the left faces, then the right ones to the same rows of Dst, which are free again by then.
// `faces`: of a tile.
inline void row_sum_init(uint32_t faces = 4)
{
    if (__builtin_expect(faces != 4, 1)) // as the vendor's compiler expects, where it does not know
        return;
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
    addr_mod_t{.srcb = {.incr = 24}, .dest = {.incr = 24}}.set(ADDR_MOD_1); // to the face below
    addr_mod_t{.srca = {.incr = 16}, .srcb = {.incr = 16, .cr = 1}, .dest = {.cr = 1}}.set(
        ADDR_MOD_2); // to the right faces
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.incr = phases > 1}}
        .set(ADDR_MOD_3);
    TTI_REPLAY(math::replay_buf_offset, 8, 0, 1);
    static constexpr char walk[] = "01020103";
#if TS_LLK_TESTS
#pragma GCC unroll 8
#endif
    for (uint32_t i = 0; i < 8; i++)
        ts_push(TT_OP_MVMUL(i == 7 && phases == 1 ? p_setrwc::CLR_AB : p_setrwc::CLR_NONE, 0,
                            uint32_t(walk[i] - '0'), 0));
    ckernel_template mop(1, phases, lltt::replay_insn(math::replay_buf_offset, 8));
    if constexpr (phases > 1)
        mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    reduce_ready();
}
inline void row_sum(uint32_t dst)
{
    tiles::run(dst);
    math::reset_counters(p_setrwc::SET_ABD);
}
inline void row_max_init()
{
    addr_mod_t{}.set(ADDR_MOD_0);
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_1);
    phases_init(0);
}
// Moves and sums that take no value for zero because of its bits, or as always.
inline void exact_moves(bool on)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
    cfg_rmw(ALU_ACC_CTRL_Zero_Flag_disabled_src_ADDR32, ALU_ACC_CTRL_Zero_Flag_disabled_src_MASK,
            on ? ALU_ACC_CTRL_Zero_Flag_disabled_src_MASK : 0);
}
// Faces come transposed. Two of them are pooled to a row of Dst; by way of SrcB it becomes a column. The first row of a
// left face keeps the maxima as a row, so that the next tile can join them: its own first element is the same either way.
inline void row_max(uint32_t dst)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
#pragma GCC unroll 2
    for (uint32_t half = 0; half < 2; half++) {
        TTI_GMPOOL(p_setrwc::CLR_AB, 1, ADDR_MOD_0, 0, 0);
        TTI_GMPOOL(p_setrwc::CLR_NONE, 1, ADDR_MOD_0, 0, 0);
        exact_moves(true);
        TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 0, 0, 0, p_setrwc::SET_AB);
        TTI_MOVD2B(0, 16, ADDR_MOD_0, 0, 0);
        TTI_TRNSPSRCB;
        TTI_MOVD2B(0, 16, ADDR_MOD_0, 0, 0);
        TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_B, 0, 8, 0, p_setrwc::SET_B);
        TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_B, 0, 8, 0, p_setrwc::SET_B);
        TTI_ZEROSRC(0, 1, 0, 1);
        TTI_ELWADD(0, 0, 0, ADDR_MOD_1, 0);
        TTI_ELWADD(0, 0, 0, ADDR_MOD_1, 0);
        exact_moves(false);
        if (half == 0) { // to the lower faces
            TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
            TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
            TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
            TTI_SETRWC(p_setrwc::CLR_AB, p_setrwc::CR_D, 8, 0, 0,
                       p_setrwc::SET_B | p_setrwc::SET_D);
        }
    }
    TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD);
}
// Columns and all elements: face by face, each in banks of its own. `row`: of Dst.
template <PoolType type> inline void pool_init(uint32_t row)
{
    addr_mod_t{.fidelity = {.clr = 1}}.set(ADDR_MOD_0);
    if constexpr (TS_LLK_TESTS && type == MAX)
        addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_1);
    else if constexpr (phases > 1)
        addr_mod_t{.fidelity = {.incr = 1}}.set(ADDR_MOD_1);
    phases_init(row);
}
template <PoolType type, uint32_t row, uint32_t clear = p_setrwc::CLR_NONE> inline void pool()
{
    if constexpr (type == MAX) {
        TTI_GMPOOL(clear, 1, ADDR_MOD_0, 0, row);
    } else if constexpr (phases == 1) {
        TTI_GAPOOL(clear, 1, ADDR_MOD_0, 0, row);
    } else {
        ckernel_template::run();
        if constexpr (clear != p_setrwc::CLR_NONE)
            TTI_CLEARDVALID(clear, 0);
    }
}
template <PoolType type, uint32_t halves> inline void columns(uint32_t dst)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
#pragma GCC unroll 2
    for (uint32_t half = 0; half < halves; half++) {
        pool<type, 0>();
        TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
        TTI_SETRWC(p_setrwc::CLR_AB, p_setrwc::CR_D, 8, 0, 0, p_setrwc::SET_D);
        pool<type, 0>();
        TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_A | p_setrwc::SET_D);
    }
}
constexpr uint32_t SUMS = 4; // row of Dst for the sums of columns, on the way to one sum
template <PoolType type> inline void all(uint32_t dst)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
    pool<type, SUMS, p_setrwc::CLR_AB>();
    pool<type, SUMS, p_setrwc::CLR_AB>();
    pool<type, SUMS, p_setrwc::CLR_AB>();
    pool<type, SUMS>();
    TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_D, 0, 0, 0, p_setrwc::SET_AB);
    TTI_MOVD2B(0, 16, ADDR_MOD_0, 0, SUMS);
    TTI_GATESRCRST(1, 1);
    TTI_TRNSPSRCB;
    TTI_GATESRCRST(1, 1);
    TTI_MOVB2A(0, ADDR_MOD_0, 2, 16);
    TTI_MOVB2A(4, ADDR_MOD_0, 2, 20);
    TTI_MOVB2A(8, ADDR_MOD_0, 2, 24);
    TTI_MOVB2A(12, ADDR_MOD_0, 2, 28);
    TTI_GATESRCRST(1, 1);
    TS_INLINE(TS_OP_ZEROACC(p_zeroacc::CLR_SPECIFIC, DST_ACCUM_MODE, ADDR_MOD_0, SUMS));
    if constexpr (type == MAX) {
        TTI_GMPOOL(p_setrwc::CLR_AB, 1, ADDR_MOD_0, 0, 0);
    } else {
#pragma GCC unroll 4
        for (uint32_t i = 1; i < phases; i++)
            TTI_GAPOOL(p_setrwc::CLR_NONE, 1, ADDR_MOD_1, 0, 0);
        TTI_GAPOOL(p_setrwc::CLR_AB, 1, ADDR_MOD_0, 0, 0);
    }
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
    if constexpr (metal::by_product(type, dim)) {
        metal::unpack_init(dim == REDUCE_ROW);
        metal::reduce_swapped = in;
        metal::reduce_scaler = scaler;
        metal::reduce_formats(scaler, in);
        metal::whole_init();
    } else {
        unpacker::transpose_a(dim == REDUCE_ROW);
        metal::faces_init<dim == REDUCE_SCALAR, type == MAX>();
    }
}
#endif
#ifdef TRISC_MATH
template <PoolType type, ReduceDim dim, auto... flags> ALWI void llk_math_reduce_init(auto...)
{
    if constexpr (dim != REDUCE_ROW)
        metal::pool_init<type>(dim == REDUCE_SCALAR ? metal::SUMS : 0);
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
    metal::unpack_init();
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
template <PoolType type, ReduceDim dim> ALWI void reduce_math(uint32_t dst, uint32_t faces = 4)
{
    if constexpr (dim == REDUCE_SCALAR)
        metal::all<type>(dst);
    else if constexpr (dim == REDUCE_COL)
        faces > 2 ? metal::columns<type, 2>(dst) : metal::columns<type, 1>(dst);
    else if constexpr (type == MAX)
        metal::row_max(dst);
    else
        metal::row_sum(dst);
}
#endif
template <PoolType type = TS_REDUCE_OP, ReduceDim dim = TS_REDUCE_DIM, auto... flags>
ALWI void reduce_tile([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t scaler,
                      [[maybe_unused]] uint32_t tile, [[maybe_unused]] uint32_t tile_scaler,
                      [[maybe_unused]] uint32_t dst)
{
#ifdef TRISC_UNPACK
    if constexpr (metal::by_product(type, dim))
        faces::unpack(scaler, in, tile_scaler, tile);
    else
        faces::unpack(in, scaler, tile, tile_scaler);
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
ALWI void reduce_tile_math([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t faces = 4)
{
    MATH((reduce_math<type, dim>(dst, faces)));
}

} // namespace ckernel

#include "internal/pool.h"

#endif // COMPILE_FOR_TRISC
