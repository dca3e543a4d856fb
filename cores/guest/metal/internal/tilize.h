// Rows of a matrix to tiles (tilize) and tiles to rows (untilize).
//
// Tilize: the unpacker picks the half-rows of a tile out of the matrix, left and right in turn. The packer puts them into
// their faces; where a kernel packs itself, the move to Dst does. Untilize: the packer writes a line of 32 elements at a time;
// `untilize_block` is the vendor's older one, in the unpacker.
#pragma once
#include "internal/compute.h"
#include "internal/fast_tilize.h"
#include "internal/untilize.h"

namespace ckernel {
namespace metal {

#ifdef TRISC_UNPACK
// Bytes of a tile's row of 32 elements in the matrix.
ALWI uint32_t line_bytes(uint32_t cb)
{
    return 32 * unpacker::datum_bytes(unpack_in(cb));
}
#if TS_RULE_unpack_rows_16
inline uint32_t tilize_stride; // of tileize
#else
constexpr uint32_t tilize_stride = 0;
#endif
// In the order of the thread's words, once the unpacker is idle: a store of the core would not wait for the tile
// that is still being unpacked. `stride`: bytes from one line of the matrix to the next; 0: off.
inline void tileize(uint32_t stride)
{
    constexpr uint32_t on = THCON_SEC0_REG2_Tileize_mode_MASK;
#if TS_RULE_unpack_rows_16
    tilize_stride = stride;
#endif
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
    cfg_rmw(THCON_SEC0_REG2_Out_data_format_ADDR32, 0xffff0000u | on,
            stride / 16 << 16 | (stride ? on : 0));
    if (tiles::tilize_parts > 1 && stride == 0)
        TTI_SETADCXX(p_setadc::UNP_A, 1023, 0);
}
#endif

#ifdef TRISC_PACK
// What the packer's MOP writes: the lines of a face, of so many tiles, so many bytes apart in L1.
inline uint32_t lines_across, lines_step;
#if TS_RULE_four_packers
inline void sides_init() // faces lie in Dst as in a tile
{
    packer::mop_config();
}
// Tiles first, first + 1, ... of Dst as 32 lines, `step` bytes apart in L1; address in units of 16 bytes. The first packer
// takes a row of a face at a time.
inline void pack_lines(uint32_t first, uint32_t across, uint32_t address, uint32_t step,
                       uint32_t rows, uint32_t faces)
{
    if (lines_across != across || lines_step != step) {
        lines_across = across;
        lines_step = step;
        packer::rows_init();
    }
    for (uint32_t line = 0; line < rows * ((faces + 1) / 2); line++) {
        set_gpr(p_gpr_pack::OUTPUT_ADDR, address - 1 + line * (step / 16));
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
        TTI_WRCFG(p_gpr_pack::OUTPUT_ADDR, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
        TTI_DMANOP;
        TTI_DMANOP;
        for (uint32_t tile = 0; tile < across; tile++) {
            TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, first + tile);
            TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_Y, line % 16);
            TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_Z, line / 16 * 2);
            ts_push(packer::PACR_ROW(ADDR_MOD_0, 0));
            ts_push(packer::PACR_ROW(ADDR_MOD_1, tile == across - 1));
        }
    }
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0xf);
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0xb);
}
#else
// Tiles whose rows 2 i and 2 i + 1 in Dst are line i, left and right: two rows of the same side for each PACR.
inline void sides_init()
{
    constexpr uint32_t LEFT = 0x5, RIGHT = 0xa;
    addr_mod_pack_t{.y_src = {.incr = 4}}.set(ADDR_MOD_0);
    addr_mod_pack_t{.y_src = {.clr = 1}}.set(ADDR_MOD_1);
    TTI_REPLAY(0, 15, 0, 1);
#pragma GCC unroll 15
    for (uint32_t i = 0; i < 15; i++)
        ts_push(packer::PACR(i == 7 ? ADDR_MOD_1 : ADDR_MOD_0, 0, 0, i < 8 ? LEFT : RIGHT));
    ckernel_template mop(2, 1, lltt::replay_insn(0, 15), packer::PACR(ADDR_MOD_1, 0, 0, RIGHT));
    mop.set_last_inner_loop_instr(packer::PACR(ADDR_MOD_1, 0, 0, RIGHT));
    mop.set_last_outer_loop_instr(packer::PACR(ADDR_MOD_1, 1, 0, RIGHT));
    mop.set_end_op(TT_OP_INCADCZW(p_setadc::PAC, 0, 0, 0, 2)); // to the lower faces
    mop.program();
}

// A PACR takes a line of the left and one of the right face, 16 rows apart in Dst. W goes from tile to tile, and back
// for the next line, when the address moves on.
inline void lines_init(uint32_t across, uint32_t step, uint32_t rows, uint32_t faces)
{
    constexpr uint32_t STRIDED = 1, ADD = 3, SCRATCH = 3;
    const uint32_t sides = faces == 1 ? 1 : 3;
    lines_across = across;
    lines_step = step;
    addr_mod_pack_t{}.set(ADDR_MOD_0);
    addr_mod_pack_t{.y_src = {.incr = 1}}.set(ADDR_MOD_1);
    ckernel_template mop(rows, across, TT_OP_INCADCZW(p_setadc::PAC, 0, 0, 1, 0),
                         packer::PACR(ADDR_MOD_0, 0, STRIDED, sides));
    mop.set_start_op(TT_OP_ADDRCRZW(p_setadc::PAC, 0, 0, 0, 0, 2));
    mop.set_last_inner_loop_instr(packer::PACR(ADDR_MOD_1, 1, STRIDED, sides));
    mop.set_last_outer_loop_instr(packer::PACR(ADDR_MOD_1, 1, STRIDED, sides));
    mop.set_end_ops(TT_OP_CFGSHIFTMASK(1, ADD, 31, 0, SCRATCH, THCON_SEC0_REG1_L1_Dest_addr_ADDR32),
                    TT_OP_DMANOP);
    mop.program();
    set_gpr(p_gpr_pack::TMP0, step / 16);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_pack::TMP0, 0, SCRATCH_SEC2_val_ADDR32);
    TTI_DMANOP;
}
// Tiles first, first + 1, ... of Dst as lines, `step` bytes apart in L1; address in units of 16 bytes.
inline void pack_lines(uint32_t first, uint32_t across, uint32_t address, uint32_t step,
                       uint32_t rows, uint32_t faces)
{
    if (lines_across != across || lines_step != step)
        lines_init(across, step, rows, faces);
    set_gpr(p_gpr_pack::OUTPUT_ADDR, address - 1);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
    TTI_WRCFG(p_gpr_pack::OUTPUT_ADDR, 0, THCON_SEC0_REG1_L1_Dest_addr_ADDR32);
    TTI_DMANOP;
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 1);
    TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, (first + 15) % 16);
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 3);
    ckernel_template::run();
    if (faces > 2) {
        TTI_INCADCZW(p_setadc::PAC, 0, 0, 0, 2);
        TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 2);
        ckernel_template::run();
    }
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0xf);
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0xb);
}
#endif
constexpr uint32_t row_bytes(uint32_t cb) // of a tile, in the output format
{
    const uint32_t format = pack_out(cb);
    return (format & 3) == 0 ? 128 : (format & 3) == 1 ? 64 : 32;
}
inline void rows_init(uint32_t cb)
{
    tensix_sync(); // stores of the core do not wait for tiles that are still being packed
    packer::configure(pack_in(cb), pack_out(cb), pack_wide(cb),
                      packs_fp16() && pack_out(cb) == TS_DF_FP16);
    lines_across = 0;
}
#endif

// Rows of tiles of Dst to a matrix of `full` tiles across, from column `column` on, that begins at page `slot`. `face_rows`
// and `faces`: of a tile, if not the buffer's.
ALWI void untilize_dst([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t first,
                       [[maybe_unused]] uint32_t rows, [[maybe_unused]] uint32_t across,
                       [[maybe_unused]] uint32_t full, [[maybe_unused]] uint32_t column,
                       [[maybe_unused]] uint32_t slot = 0, [[maybe_unused]] uint32_t face_rows = 0,
                       [[maybe_unused]] uint32_t faces = 0)
{
#ifdef TRISC_PACK
    LocalCBInterface &it = get_local_cb_interface(cb);
    faces = faces ? faces : pack_tile_num_faces[cb];
    face_rows = face_rows ? face_rows : pack_tile_face_r_dim[cb];
    const uint32_t line = faces == 1 ? row_bytes(cb) / 2 : row_bytes(cb);
    const uint32_t lines = faces > 2 ? 2 * face_rows : face_rows;
    for (uint32_t r = 0; r < rows; r++)
        pack_lines(first + r * across, across,
                   it.fifo_wr_ptr + it.fifo_wr_tile_ptr + slot * it.fifo_page_size +
                       (r * lines * full + column) * line / 16,
                   full * line, face_rows, faces);
#endif
}

} // namespace metal

// --- tilize ---

ALWI void tilize_init_no_pack([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t across)
{
    UNPACK(metal::unpack_init());
    UNPACK(metal::tileize(metal::line_bytes(in) * across));
    MATH(tiles::gather_init());
}
ALWI void tilize_init(uint32_t in, uint32_t across, [[maybe_unused]] uint32_t out = 0)
{
    tilize_init_no_pack(in, across);
    MATH(if (tiles::tilize_parts == 1) tiles::copy_init());
    PACK(metal::sides_init());
}
ALWI void tilize_init_short(uint32_t in, uint32_t across, uint32_t out = 0)
{
    tilize_init(in, across, out);
}
ALWI void tilize_init_short_with_dt(uint32_t old, uint32_t in, uint32_t across, uint32_t out = 0)
{
    reconfig_data_format_srca(old, in);
    tilize_init(in, across, out);
}
ALWI void tilize_uninit_no_pack([[maybe_unused]] uint32_t in)
{
    UNPACK(metal::tileize(0));
}
ALWI void tilize_uninit(uint32_t in, [[maybe_unused]] uint32_t out = 0)
{
    tilize_uninit_no_pack(in);
    PACK(packer::mop_config());
}
ALWI void tilize_uninit_with_dt(uint32_t old, uint32_t in, uint32_t out = 0)
{
    tilize_uninit(old, out);
    reconfig_data_format_srca(old, in);
}
// One tile of the row, or a part of it, to SrcA.
ALWI void tilize_one([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t tile,
                     [[maybe_unused]] uint32_t part = 0)
{
    UNPACK(uint32_t at = (get_local_cb_interface(in).fifo_rd_ptr << 4) +
                         tile * metal::line_bytes(in));
    UNPACK(if (tiles::tilize_parts > 1)
               at += part % 2 * metal::line_bytes(in) / 2 + part / 2 * 16 * metal::tilize_stride);
    UNPACK(tiles::unpack_at(at));
}
ALWI void tilize_block_no_pack(uint32_t in, uint32_t across, [[maybe_unused]] uint32_t dst,
                               uint32_t first = 0)
{
    for (uint32_t i = 0; i < across; i++) {
#if TS_RULE_unpack_rows_16 // a face at a time
        for (uint32_t face = 0; face < 4; face++) {
            tilize_one(in, first + i, face);
            MATH(tiles::gather_face(dst + i, face));
        }
#else
        tilize_one(in, first + i);
        MATH(tiles::gather(dst + i));
#endif
    }
}
inline void tilize_block(uint32_t in, uint32_t across, uint32_t out, uint32_t first = 0,
                         [[maybe_unused]] uint32_t slot = 0)
{
    for (uint32_t i = 0; i < across; i++) {
        tile_regs_acquire();
        if (tiles::tilize_parts > 1) {
            tilize_block_no_pack(in, 1, 0, first + i);
        } else {
            tilize_one(in, first + i);
            MATH(tiles::run(0));
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, out, slot + i);
        tile_regs_release();
    }
}
// Elements of 16 bits in a 16-bit Dst: up to four tiles at a time. Others, and single tiles: tilize_block, the same
// numbers in its cycles. Dst is not remapped, so there is nothing to skip.
ALWI void fast_tilize_init(uint32_t in, uint32_t across, uint32_t out)
{
    if (across == 1 || !metal::fast_tilizes(in))
        return tilize_init(in, across, out);
    UNPACK(metal::fast_unpack_init(across));
    MATH(metal::fast_math_init());
    PACK(metal::fast_pack_init(out));
}
ALWI void fast_tilize_init_skip_remap(uint32_t in, uint32_t across, uint32_t out)
{
    fast_tilize_init(in, across, out);
}
ALWI void fast_tilize_init_with_dt(uint32_t in, uint32_t across, uint32_t out)
{
    reconfig_data_format(in, in);
    fast_tilize_init(in, across, out);
}
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t in, uint32_t across, uint32_t out)
{
    fast_tilize_init_with_dt(in, across, out);
}
ALWI void fast_tilize_uninit(uint32_t in, uint32_t out, uint32_t across = 1)
{
    if (across == 1 || !metal::fast_tilizes(in))
        return tilize_uninit(in, out);
    UNPACK(metal::fast_unpack_place(256, 1, 4, 16 * 16 * 2));
    UNPACK(metal::unpack_init());
    PACK(metal::fast_pack_uninit(out));
}
inline void fast_tilize_block(uint32_t in, uint32_t across, uint32_t out, uint32_t first = 0,
                              uint32_t slot = 0)
{
    if (across == 1 || !metal::fast_tilizes(in))
        return tilize_block(in, across, out, first, slot);
    PACK(const LocalCBInterface &to = get_local_cb_interface(out));
    PACK(metal::fast_pack_at(to.fifo_wr_ptr + slot * to.fifo_page_size - 1));
    for (uint32_t done = 0, before = 0; done < across;) {
        const uint32_t tiles = metal::fast_chunk(across - done);
        tile_regs_acquire();
        tile_regs_wait();
        if (tiles != before) {
            UNPACK(TT_SETADCXX(p_setadc::UNP_A, 32 * tiles - 1, 0));
            PACK(metal::fast_pack_tiles(tiles));
        }
        UNPACK(metal::fast_unpack(get_local_cb_interface(in).fifo_rd_ptr - 1 +
                                  (first + done) * metal::line_bytes(in) / 16));
        MATH(metal::fast_math());
        PACK(metal::fast_pack());
        tile_regs_commit();
        tile_regs_release();
        done += tiles;
        before = tiles;
    }
}

// --- untilize ---

#ifdef TRISC_PACK
template <auto... sizes> ALWI void llk_pack_untilize_init(uint32_t out)
{
    metal::rows_init(out);
}
#endif
template <uint32_t block = 8, uint32_t full = block, auto... flags>
ALWI void pack_untilize_dest_init([[maybe_unused]] uint32_t out, auto...)
{
    PACK(metal::rows_init(out));
}
template <uint32_t block = 8, uint32_t full = block, auto... flags>
ALWI void pack_untilize_init(uint32_t in, [[maybe_unused]] uint32_t out, auto...)
{
    copy_tile_to_dst_init_short(in);
    PACK(metal::rows_init(out));
}
template <uint32_t block = 8, uint32_t full = block>
ALWI void pack_untilize_dest(uint32_t out, uint32_t rows = 1, uint32_t column = 0,
                             uint32_t face_rows = 0, uint32_t faces = 0)
{
    metal::untilize_dst(out, 0, rows, block, full, column * block, 0, face_rows, faces);
}
// With the flags that only some kernels pass: diagonal, narrow rows, datums of a row, first tile of Dst.
template <uint32_t block, uint32_t full, bool diagonal, bool narrow = false, uint32_t datums = 32,
          uint32_t first = 0, auto... flags>
ALWI void pack_untilize_dest(uint32_t out, uint32_t rows = 1, uint32_t column = 0,
                             uint32_t face_rows = 0, uint32_t faces = 0)
{
    static_assert(!diagonal && !narrow && datums == 32,
                  "only complete rows of tiles can be untilized");
    metal::untilize_dst(out, first, rows, block, full, column * block, 0, face_rows, faces);
}
template <uint32_t block = 8, uint32_t full = block>
inline void pack_untilize_block(uint32_t in, uint32_t rows, uint32_t out, uint32_t column = 0)
{
    for (uint32_t r = 0; r < rows; r++) {
        tile_regs_acquire();
        for (uint32_t c = 0; c < block; c++)
            copy_tile(in, c, c);
        tile_regs_commit();
        tile_regs_wait();
        metal::untilize_dst(out, 0, 1, block, full, column * block);
        tile_regs_release();
    }
}
ALWI void pack_untilize_uninit([[maybe_unused]] uint32_t out = 0)
{
    PACK(packer::mop_config());
}
template <uint32_t block = 8, uint32_t full = block, auto... flags>
ALWI void pack_untilize_init_skip_remap(uint32_t in, uint32_t out, auto...)
{
    pack_untilize_init<block, full>(in, out);
}
template <uint32_t block = 8, uint32_t full = block, auto... flags>
ALWI void pack_untilize_dest_init_skip_remap(uint32_t out, auto...)
{
    pack_untilize_dest_init<block, full>(out);
}
template <uint32_t block = 8> ALWI void pack_untilize_init_short(uint32_t in, uint32_t out)
{
    pack_untilize_init<block>(in, out);
}
template <uint32_t block = 8> ALWI void pack_untilize_dst_init_short(uint32_t out)
{
    pack_untilize_dest_init<block>(out);
}

// A row of `full` tiles from tile `first` on to 32 rows from page `slot` on. The vendor's fast path packs rows of up
// to four tiles with one instruction; here a line of 32 elements is one: the same numbers, more cycles.
template <uint32_t full> ALWI void fast_untilize_init(uint32_t in, uint32_t out)
{
    reconfig_data_format_srca(in);
    pack_untilize_init<full>(in, out);
}
template <uint32_t full> ALWI void fast_untilize_init_skip_remap(uint32_t in, uint32_t out)
{
    fast_untilize_init<full>(in, out);
}
template <uint32_t full>
inline void fast_untilize_block(uint32_t in, uint32_t out, uint32_t first = 0, uint32_t slot = 0)
{
    constexpr uint32_t most = 4; // tiles in half of a 32-bit Dst
    for (uint32_t column = 0; column < full; column += most) {
        const uint32_t across = full - column < most ? full - column : most;
        tile_regs_acquire();
        for (uint32_t i = 0; i < across; i++)
            copy_tile(in, first + column + i, i);
        tile_regs_commit();
        tile_regs_wait();
        metal::untilize_dst(out, 0, 1, across, full, column, slot);
        tile_regs_release();
    }
}
template <uint32_t full> ALWI void fast_untilize_uninit(uint32_t out)
{
    pack_untilize_uninit(out);
}

// The older form has no output at its init: where the packer untilizes, it is set up by the block.
ALWI void untilize_init(uint32_t in, uint32_t = 0)
{
    if (!metal::unpack_untilizes(in))
        return copy_tile_to_dst_init_short(in);
    UNPACK(metal::untilize_unpack_init(in));
    MATH(metal::untilize_math_init());
}
ALWI void untilize_init_short(uint32_t in)
{
    untilize_init(in);
}
template <uint32_t block = 1> inline void untilize_block(uint32_t in, uint32_t full, uint32_t out)
{
    const bool unpacks = metal::unpack_untilizes(in);
    if (unpacks) {
        UNPACK(const uint32_t address = get_local_cb_interface(in).fifo_rd_ptr - 1);
        UNPACK(metal::untilize_pass(address, full, 0));
        UNPACK(metal::untilize_pass(address, full, 2));
    } else {
        PACK(metal::rows_init(out));
    }
    for (uint32_t column = 0; column < full; column += block) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < block; i++) {
            if (unpacks)
                metal::untilize_math(i);
            else
                copy_tile(in, column + i, i);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < block && unpacks; i++)
            pack_tile(i, out);
        if (!unpacks)
            metal::untilize_dst(out, 0, 1, block, full, column);
        tile_regs_release();
    }
}
ALWI void untilize_uninit([[maybe_unused]] uint32_t in, uint32_t = 0)
{
    if (metal::unpack_untilizes(in))
        UNPACK(metal::untilize_unpack_uninit());
    else
        PACK(packer::mop_config());
}

} // namespace ckernel
