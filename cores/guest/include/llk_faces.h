// Tiles face by face, with the instructions and the order of the vendor's low-level kernels: each face of 16x16 takes a
// bank of SrcA and of SrcB, the phases of a product follow one another inside the face. The kernel API is made of this;
// the kernels of llk_tiles.h hand over whole tiles.
#pragma once
#include "llk_tiles.h"

namespace ckernel::faces {

using namespace tiles; // names of operations and broadcasts

#ifdef TRISC_UNPACK
// A bank of zeros; `waits`: as UNPACR does, until the bank is free.
constexpr uint32_t zeros(uint32_t source, bool waits)
{
    return TS_OP_ZEROS(source, waits);
}
constexpr uint32_t next_face(uint32_t source, uint32_t step = 1)
{
    return TS_UNPACR(source, step, 1);
}
inline void init(bool transpose, uint32_t which)
{
    unpacker::transpose_a(transpose);
    TT_SETADCXX(which, 255, 0);
}
// Four faces of both operands; `a` stands for a face of SrcA. A column that is broadcast lies in faces 0 and 2, a row in
// faces 0 and 1, a scalar in face 0.
inline void unpack_ab_init(uint32_t broadcast = BROADCAST_NONE, uint32_t a = next_face(SrcA))
{
    init(false, p_setadc::UNP_AB);
    const uint32_t b = next_face(SrcB);
    if (broadcast == BROADCAST_NONE || broadcast == BROADCAST_ROW) {
        const bool row = broadcast == BROADCAST_ROW;
        ckernel_template mop(2, 2, row ? b : a, row ? a : b);
        if (row)
            mop.set_end_op(TT_OP_SETADCZW(p_setadc::UNP_B, 0, 0, 0, 0, 1));
        mop.program();
    } else {
        const bool scalar = broadcast == BROADCAST_SCALAR;
        ckernel_template mop(scalar ? 1 : 2, scalar ? 4 : 2, a);
        mop.set_start_op(b);
        if (!scalar)
            mop.set_end_op(TT_OP_SETADCZW(p_setadc::UNP_B, 0, 0, 0, 2, 1));
        mop.program();
    }
}
// Four faces to SrcA, each with a bank of zeros in SrcB. `turned`: faces in the order 0, 2, 1, 3; `within`: each transposed.
inline void unpack_a_init(bool turned = false, bool within = false)
{
    init(within, p_setadc::UNP_A);
    if (__builtin_expect(turned, 1)) { // as the vendor's compiler expects, where it does not know
        constexpr uint32_t words = TS_OP_GIVE(SrcB) == TT_OP_NOP ? 2 : 3;
        TTI_REPLAY(0, words, 0, 1);
        ts_push(zeros(SrcB, false));
        TS_GIVE(SrcB);
        ts_push(next_face(SrcA, 2));
        ckernel_template mop(2, 2, lltt::replay_insn(0, words));
        mop.set_end_op(TT_OP_SETADCZW(p_setadc::UNP_A, 0, 0, 0, 1, 1));
        mop.program();
    } else {
        ckernel_template mop(4, 1, zeros(SrcB, false), TS_OP_GIVE(SrcB));
        mop.set_start_op(next_face(SrcA));
        mop.program();
    }
}
// Four faces of one operand; the math thread fills the banks of the other, `from_dst`.
inline void unpack_dst_operand_init(uint32_t from_dst)
{
    init(false, from_dst == SrcA ? p_setadc::UNP_B : p_setadc::UNP_A);
    const uint32_t a = from_dst == SrcA ? zeros(SrcA, true) : next_face(SrcA),
                   b = from_dst == SrcA ? next_face(SrcB) : zeros(SrcB, true),
                   give = TS_OP_GIVE(from_dst);
    if (give == TT_OP_NOP) {
        ckernel_template(4, 1, a, b).program();
    } else { // SrcB's face, or zeros, come first
        ckernel_template mop(4, 1, from_dst == SrcA ? a : b, give);
        mop.set_start_op(from_dst == SrcA ? b : a);
        mop.program();
    }
}
// By addresses in units of 16 bytes, minus one.
inline void unpack_at(uint32_t a, uint32_t b)
{
    using namespace unpacker;
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0xf);
    const uint32_t context = set_addresses(a, b);
    ckernel_template::run();
    release_addresses(context);
}
inline void unpack_one_at(uint32_t source, uint32_t address)
{
    using namespace unpacker;
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0xf);
    const uint32_t context = set_address(source, address);
    ckernel_template::run();
    release_addresses(context);
}
inline void unpack(cb_id a, cb_id b, uint32_t tile_a, uint32_t tile_b)
{
    unpack_at(unpacker::fifo_address(a, tile_a), unpacker::fifo_address(b, tile_b));
}
inline void unpack(cb_id cb, uint32_t tile, uint32_t source = SrcA)
{
    unpack_one_at(source, unpacker::fifo_address(cb, tile));
}
#endif

#ifdef TRISC_MATH
inline void copy_init()
{
    addr_mod_t{}.set(ADDR_MOD_3);
    addr_mod_t{.srca = {.incr = 1}, .dest = {.incr = 1}}.set(ADDR_MOD_0);
    addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_2);
    ckernel_template mop(4, 2, TT_OP_MOVA2D(0, 0, ADDR_MOD_2, 2, 0));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_AB));
    mop.program();
    TTI_SETC16(CLR_DVALID_SrcA_Disable_ADDR32, 0);
    math::reset_counters(p_setrwc::SET_ABD_F);
}
inline void copy(uint32_t tile)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
    ckernel_template::run();
    math::reset_counters(p_setrwc::SET_D);
}

// A face stays for all phases of a product: one run of the template then is one face.
constexpr bool by_face(uint32_t op, uint32_t phases)
{
    return op == ELTWISE_MUL && phases > 1;
}
// `outer`: faces in a run of the template, where a product has one phase.
inline void eltwise_program(uint32_t op, uint32_t broadcast, uint32_t phases, bool add,
                            uint32_t outer)
{
    const bool keeps_b = broadcast == BROADCAST_COL || broadcast == BROADCAST_SCALAR;
    const bool walks_b = broadcast == BROADCAST_NONE || broadcast == BROADCAST_COL;
    const uint32_t clear = keeps_b ? p_setrwc::CLR_A : p_setrwc::CLR_AB, high = phases > 1;
    addr_mod_t{.srca = {.incr = 8}, .srcb = {.incr = walks_b ? 8u : 0u}, .dest = {.incr = 8}}.set(
        ADDR_MOD_0);
    addr_mod_t{}.set(ADDR_MOD_1);
    addr_mod_t{
        .srca = {.clr = 1}, .srcb = {.clr = 1}, .dest = {.cr = 1}, .fidelity = {.incr = high}}
        .set(ADDR_MOD_2);
    addr_mod_t{.srca = {.clr = 1},
               .srcb = {.clr = 1},
               .dest = {.incr = 8, .c_to_cr = 1},
               .fidelity = {.clr = 1}}
        .set(ADDR_MOD_3);
    const uint32_t word = eltwise_word(op, broadcast, ADDR_MOD_0) |
                          uint32_t(add && op != ELTWISE_MUL) << 21;
    if (by_face(op, phases)) {
        ckernel_template mop(phases, 2, word);
        mop.set_last_inner_loop_instr(eltwise_word(op, broadcast, ADDR_MOD_2));
        mop.set_last_outer_loop_instr(eltwise_word(op, broadcast, ADDR_MOD_3) | clear << 22);
        mop.program();
    } else {
        constexpr uint32_t CR_AB = 3;
        ckernel_template mop(outer, 2, word);
        mop.set_end_op(TT_OP_SETRWC(clear, CR_AB, 0, 0, 0, p_setrwc::SET_AB));
        mop.program();
    }
    TTI_SETC16(CLR_DVALID_SrcA_Disable_ADDR32, 0);
    math::reset_counters(p_setrwc::SET_ABD_F);
}
template <uint32_t op, uint32_t broadcast, uint32_t phases> inline void eltwise_init(bool add)
{
    eltwise_program(op, broadcast, op == ELTWISE_MUL ? phases : 1, add,
                    broadcast == BROADCAST_COL ? 2 : 4);
}
template <uint32_t op, uint32_t broadcast, uint32_t phases> inline void eltwise(uint32_t tile)
{
    constexpr uint32_t runs = by_face(op, phases) ? 4 : 1;
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
    if constexpr (broadcast == BROADCAST_COL) {
#pragma GCC unroll 0
        for (uint32_t row = 0; row < 2; row++) {
#pragma GCC unroll 0
            for (uint32_t i = 0; i < (runs + 1) / 2; i++)
                ckernel_template::run();
            TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, 0);
        }
    } else {
#pragma GCC unroll 0
        for (uint32_t i = 0; i < runs; i++)
            ckernel_template::run();
        if constexpr (broadcast == BROADCAST_SCALAR)
            TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_D);
    }
    math::reset_counters(p_setrwc::SET_D);
}

// One operand is the tile of Dst that the result replaces: each face goes to its source register, is cleared, and is
// computed.
template <uint32_t op, uint32_t phases> inline void dst_operand_init()
{
    eltwise_program(op, BROADCAST_NONE, op == ELTWISE_MUL ? phases : 1, false, 1);
}
template <uint32_t from_dst> inline void dst_operand(uint32_t tile, bool dst32)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
    const uint32_t first = (math::get_dest_buffer_base() >> 4) + 4 * tile;
    constexpr uint32_t src_valid = from_dst == SrcA ? p_stall::SRCA_VLD : p_stall::SRCB_VLD;
#pragma GCC unroll 0
    for (uint32_t face = 0; face < 4; face++) {
        TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::MATH | src_valid);
#pragma GCC unroll 4
        for (uint32_t row = 0; row < 16; row += 4)
            if constexpr (from_dst == SrcA)
                TT_MOVD2A(0, row, ADDR_MOD_1, 2, row);
            else
                TT_MOVD2B(0, row, ADDR_MOD_1, 2, row);
        ts_push(TS_OP_ZEROACC(p_zeroacc::CLR_16, dst32, ADDR_MOD_1, first + face));
        ckernel_template::run();
    }
    math::reset_counters(p_setrwc::SET_D);
}
#endif

} // namespace ckernel::faces
