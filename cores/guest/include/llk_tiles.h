// Work on whole tiles beside matrix products: copies to Dst, element-wise operations, pools.
#pragma once
#include "ckernel_template.h"

#ifdef TRISC_UNPACK
#include "cunpack_common.h"
#endif
#ifdef TRISC_MATH
#include "cmath_common.h"
#endif

namespace ckernel::tiles {

// Broadcasts of SrcB: the coprocessor's own numbering.
enum { BROADCAST_NONE, BROADCAST_COL, BROADCAST_ROW, BROADCAST_SCALAR };
enum { ELTWISE_ADD, ELTWISE_SUB, ELTWISE_MUL };

// Where the unpacker's rows have 16 elements it brings a tile of a matrix face by face.
constexpr uint32_t tilize_parts = TS_RULE_unpack_rows_16 ? 4 : 1;

#ifdef TRISC_UNPACK
// One whole tile to SrcA, and one to SrcB if there is a second operand.
inline void unpack_init(bool both)
{
    (void)both;
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0xf);
    TTI_SETADCXX(p_setadc::UNP_A, 1023, 0);
    TTI_SETADCXX(p_setadc::UNP_B, 1023, 0);
}
inline void unpack_a(cb_id a, uint32_t tile)
{
    using namespace unpacker;
    const uint32_t context = set_addresses(fifo_address(a, tile), fifo_address(a, tile));
    TS_INLINE(TS_UNPACR(SrcA, 0, 1));
    release_addresses(context);
}
// Zeros in SrcB, for all tiles.
inline void zero_b()
{
    TS_INLINE(TS_OP_ZEROS(SrcB, 1));
    TS_GIVE(SrcB);
}
inline void unpack_ab(cb_id a, cb_id b, uint32_t tile_a, uint32_t tile_b)
{
    using namespace unpacker;
    const uint32_t context = set_addresses(fifo_address(a, tile_a), fifo_address(b, tile_b));
    TS_INLINE(TS_UNPACR(SrcA, 0, 1));
    TS_INLINE(TS_UNPACR(SrcB, 0, 1));
    release_addresses(context);
}
// Reads 32 lines of a matrix that lie `stride` bytes apart (a multiple of 16) instead of a tile.
inline void tileize(uint32_t stride)
{
    volatile uint32_t *cfg = ts_cfg();
    uint32_t word = cfg[THCON_SEC0_REG2_Out_data_format_ADDR32] & 0xffff;
    cfg[THCON_SEC0_REG2_Out_data_format_ADDR32] = word | THCON_SEC0_REG2_Tileize_mode_MASK |
                                                  stride / 16 << 16;
    ts_cfg_fence();
}
inline void unpack_at(uint32_t address)
{
    using namespace unpacker;
    if (tilize_parts > 1)
        TTI_SETADCXX(p_setadc::UNP_A, 255, 0);
    const uint32_t context = set_addresses(address / 16 - 1, address / 16 - 1);
    TS_INLINE(TS_UNPACR(SrcA, 0, 1));
    release_addresses(context);
}
#endif

#ifdef TRISC_MATH
// Line i of a tile is rows 2 i and 2 i + 1 of SrcA: left half and right half.
// An even AddrMod: with an odd one a move of one row moves four (config/bit_rules.def, mova2d_odd).
constexpr uint32_t GATHER_MOD = four_modes ? ADDR_MOD_2 : ADDR_MOD_6;
inline void gather_init()
{
    addr_mod_t{}.set(GATHER_MOD);
    math::reset_counters(p_setrwc::SET_ABD_F);
}
inline void gather_face(uint32_t tile, uint32_t face) // as it is
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
    TT_MOVA2D(0, 0, GATHER_MOD, 2, face * 16);
    TT_MOVA2D(0, 8, GATHER_MOD, 2, face * 16 + 8);
    TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}
inline void gather(uint32_t tile)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
#pragma GCC unroll 64
    for (uint32_t row = 0; row < 64; row++) {
        uint32_t line = row / 2, face = line / 16 * 2 + row % 2;
        TT_MOVA2D(0, row, GATHER_MOD, 0, face * 16 + line % 16);
    }
    TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

// SrcA to Dst as it is. `add`: int8 becomes int32 in a sum with zeros, which SrcB holds; a move would
// not change its form.
inline void copy_init(uint32_t faces = 4, bool add = false)
{
    addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_2);
    ckernel_template mop(1, 2 * faces,
                         add ? TT_OP_ELWADD(0, 0, 0, ADDR_MOD_2, 0)
                             : TT_OP_MOVA2D(0, 0, ADDR_MOD_2, 2, 0));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}

// SrcA to Dst with the middle faces exchanged: Dst stands at rows 0, 32, 16, 48 for SrcA's faces.
inline void transpose_init(bool add = false)
{
    addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_2);
    addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 24}}.set(ADDR_MOD_3); // 8 to 32, 24 to 48
    addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = -24}}.set(four_modes ? ADDR_MOD_1
                                                                          : ADDR_MOD_4); // 40 to 16
    TTI_REPLAY(math::replay_buf_offset, 8, 0, 1);
    static const char *const walk = four_modes ? "23212322" : "23242322";
    for (uint32_t i = 0; i < 8; i++)
        ts_push(add ? TT_OP_ELWADD(0, 0, 0, uint32_t(walk[i] - '0'), 0)
                    : TT_OP_MOVA2D(0, 0, uint32_t(walk[i] - '0'), 2, 0));
    ckernel_template mop(1, 1, lltt::replay_insn(math::replay_buf_offset, 8));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}

inline uint32_t eltwise_word(uint32_t op, uint32_t broadcast, uint32_t mod)
{
    return op == ELTWISE_ADD   ? TT_OP_ELWADD(0, 0, broadcast, mod, 0)
           : op == ELTWISE_SUB ? TT_OP_ELWSUB(0, 0, broadcast, mod, 0)
                               : TT_OP_ELWMUL(0, 0, broadcast, mod, 0);
}

// Where words have four modes: 0, 1, 2 and 5 for two broadcasts, 3, 4, 6 and 5 for the others.
constexpr uint32_t eltwise_mode(uint32_t mode)
{
    constexpr uint32_t four[7] = {0, 1, 2, 0, 1, 3, 2};
    return four_modes ? four[mode] : mode;
}
// Eight instructions a tile, two a face; where SrcB stands for each is what the broadcast changes:
// a column lies in faces 0 and 2, a row in faces 0 and 1, a scalar in face 0. `step`: which of the
// eight.
inline uint32_t eltwise_step(uint32_t op, uint32_t broadcast, uint32_t step)
{
    static const char *const walks[] = {"00000005", "01020105", "34363435", "33333335"};
    return eltwise_word(op, broadcast, eltwise_mode(uint32_t(walks[broadcast][step] - '0')));
}
// Modes 0 to 6; `high`: a tile goes through several phases.
inline void eltwise_addr_mods(bool high, [[maybe_unused]] uint32_t broadcast)
{
    const bool first = !four_modes || broadcast < BROADCAST_ROW,
               second = !four_modes || broadcast >= BROADCAST_ROW;
    if (first) {
        addr_mod_t{.srca = {.incr = 8}, .srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
        addr_mod_t{.srca = {.incr = 8}, .srcb = {.cr = 1}, .dest = {.incr = 8}}.set(ADDR_MOD_1);
        addr_mod_t{.srca = {.incr = 8}, .srcb = {.incr = 32, .cr = 1}, .dest = {.incr = 8}}.set(
            ADDR_MOD_2);
    }
    if (second) {
        addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 8}}.set(eltwise_mode(3));
        addr_mod_t{.srca = {.incr = 8}, .srcb = {.incr = 16}, .dest = {.incr = 8}}.set(
            eltwise_mode(4));
    }
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.incr = high}}
        .set(eltwise_mode(5));
    if (second)
        addr_mod_t{.srca = {.incr = 8}, .srcb = {.clr = 1, .cr = 1}, .dest = {.incr = 8}}.set(
            eltwise_mode(6));
}
// The same for tiles of one or two faces.
inline uint32_t eltwise_step_small(uint32_t op, uint32_t broadcast, uint32_t step, uint32_t down,
                                   uint32_t across)
{
    static const char *const walks[3][4] = {{"05", "05", "35", "35"},
                                            {"0005", "0105", "3435", "3335"},
                                            {"0005", "0005", "3335", "3335"}};
    const char *walk = walks[down == 2 ? 2 : across == 2 ? 1 : 0][broadcast];
    return eltwise_word(op, broadcast, eltwise_mode(uint32_t(walk[step] - '0')));
}
inline void eltwise_init_small(uint32_t op, uint32_t broadcast, uint32_t phases, uint32_t down,
                               uint32_t across)
{
    bool high = op == ELTWISE_MUL && phases > 1;
    const uint32_t length = 2 * down * across;
    eltwise_addr_mods(high, broadcast);
    TT_REPLAY(math::replay_buf_offset, length, 0, 1);
    for (uint32_t i = 0; i < length; i++)
        ts_push(eltwise_step_small(op, broadcast, i, down, across));
    ckernel_template mop(1, high ? phases : 1, lltt::replay_insn(math::replay_buf_offset, length));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}
inline void eltwise_init(uint32_t op, uint32_t broadcast, uint32_t phases)
{
    bool high = op == ELTWISE_MUL && phases > 1;
    eltwise_addr_mods(high, broadcast);
    TTI_REPLAY(math::replay_buf_offset, 8, 0, 1);
    for (uint32_t i = 0; i < 8; i++)
        ts_push(eltwise_step(op, broadcast, i));
    ckernel_template mop(1, high ? phases : 1, lltt::replay_insn(math::replay_buf_offset, 8));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}

// Columns of a tile to its first row: faces 0 and 2 to the left half, 1 and 3 to the right one.
// With `rows`, of a tile whose faces the unpacker transposes: its rows, each face's half of them to
// the first row of face 0 and of face 2. Transposed again they are a column.
inline void pool_init(bool max, uint32_t phases, bool rows = false)
{
    if (rows) {
        addr_mod_t{.srca = {.incr = 16}}.set(ADDR_MOD_0);                       // to face 1 or 3
        addr_mod_t{.srca = {.incr = 16}, .dest = {.incr = 32}}.set(ADDR_MOD_1); // to face 2
    } else {
        addr_mod_t{.srca = {.incr = 32}}.set(ADDR_MOD_0); // to face 2 or 3
        addr_mod_t{.srca = {.incr = 16, .clr = 0, .cr = 1}, .dest = {.incr = 16}}.set(
            ADDR_MOD_1); // to face 1
    }
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.incr = !max && phases > 1}}
        .set(ADDR_MOD_2);
    TTI_REPLAY(math::replay_buf_offset, 4, 0, 1);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t mod = i == 3 ? ADDR_MOD_2 : i == 1 ? ADDR_MOD_1 : ADDR_MOD_0;
        ts_push(max ? TT_OP_GMPOOL(0, 1, mod, 0, 0) : TT_OP_GAPOOL(0, 1, mod, 0, 0));
    }
    ckernel_template mop(1, max ? 1 : phases, lltt::replay_insn(math::replay_buf_offset, 4));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}

// Columns of a tile with one or two faces.
inline void pool_init_small(bool max, uint32_t phases, uint32_t down, uint32_t across)
{
    addr_mod_t{.srca = {.incr = 16}, .dest = {.incr = across == 2 ? 16 : 0}}.set(ADDR_MOD_0);
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.incr = !max && phases > 1}}
        .set(ADDR_MOD_2);
    const uint32_t faces = down * across;
    TT_REPLAY(math::replay_buf_offset, faces, 0, 1);
    for (uint32_t i = 0; i < faces; i++) {
        uint32_t mod = i == faces - 1 ? ADDR_MOD_2 : ADDR_MOD_0;
        ts_push(max ? TT_OP_GMPOOL(0, 1, mod, 0, 0) : TT_OP_GAPOOL(0, 1, mod, 0, 0));
    }
    ckernel_template mop(1, max ? 1 : phases, lltt::replay_insn(math::replay_buf_offset, faces));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
    math::reset_counters(p_setrwc::SET_ABD_F);
}

// Runs what was programmed, for one tile of Dst.
inline void run(uint32_t tile)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
    ckernel_template::run();
}
#endif

} // namespace ckernel::tiles
