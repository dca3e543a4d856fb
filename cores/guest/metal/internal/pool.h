// Windows of rows reduced where they lie (the vendor's tilizeA_B): the unpacker brings a face of SrcA line by line, each line
// of 16 elements from its row of a matrix, over a bank that holds minus infinity or zeros. A window has the rows of a face,
// or two faces of 16 rows below each other; a buffer's `faces` and `face_rows` say so. The first row of the scaler stays for
// all faces, or each face has its own.
#pragma once
#include "internal/tilize.h"

namespace ckernel {

#ifdef TRISC_UNPACK
namespace metal {
// Bytes of a line of a face in the matrix, and from one row of it to the next.
ALWI uint32_t half_line(uint32_t cb)
{
    return line_bytes(cb) / 2;
}
ALWI uint32_t window_step(uint32_t cb, uint32_t across)
{
    return across * (unpack_tile_num_faces[cb] == 1 ? half_line(cb) : line_bytes(cb));
}
} // namespace metal

// `across`: tiles of a row of the matrix. What fills SrcA, and whether the scaler stays, is said again with each block.
template <auto... flags>
inline void llk_unpack_tilizeA_B_init(uint32_t in, uint32_t scaler, uint32_t across)
{
#if TS_RULE_unpack_rows_16
    static_assert(sizeof...(flags) == ~0ul, "tilizeA_B: its lines are counted by CFGSHIFTMASK, "
                                            "which this chip does not have");
#else
    constexpr uint32_t OUT_Y = 0x40, ADD = 3, SCRATCH = 3, WORDS = 3;
    const uint32_t out = unpacker::register_format(metal::unpack_in(in), DST_ACCUM_MODE);
    unpacker::transpose_a(false);
    cfg_rmw(UNP0_ADDR_CTRL_XY_REG_1_Ystride_ADDR32, UNP0_ADDR_CTRL_XY_REG_1_Ystride_MASK,
            16 * unpacker::datum_bytes(out) << UNP0_ADDR_CTRL_XY_REG_1_Ystride_SHAMT);
    set_gpr(p_gpr_unpack::TMP_LO, metal::window_step(in, across) / 16);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(p_gpr_unpack::TMP_LO, 0, SCRATCH_SEC0_val_ADDR32);
    TTI_DMANOP;
    TTI_SETADCXX(p_setadc::UNP_A, 15, 0);
    TT_SETADCXX(p_setadc::UNP_B, 16 * unpack_tile_face_r_dim[scaler] - 1, 0);
    TTI_REPLAY(0, 2 * WORDS, 0, 1);
    TS_INLINE(TS_UNPACR(SrcA, OUT_Y, 0));
    TTI_CFGSHIFTMASK(1, ADD, 31, 0, SCRATCH, THCON_SEC0_REG3_Base_address_ADDR32);
    TTI_NOP;
    TS_INLINE(TS_UNPACR(SrcA, OUT_Y, 0));
    TTI_CFGSHIFTMASK(1, ADD, 31, 0, SCRATCH, THCON_SEC0_REG3_Base_cntx1_address_ADDR32);
    TTI_NOP;
    ckernel_unpack_template(lltt::replay_insn(0, WORDS), lltt::replay_insn(WORDS, WORDS)).program();
#endif
}
template <bool minus_infinity, uint32_t keeps_scaler, bool, bool zeros>
inline void llk_unpack_tilizeA_B(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t tile_scaler,
                                 uint32_t across)
{
    using namespace unpacker;
    constexpr uint32_t OUT_Y_IN_Y = 0xa;
    const uint32_t rows = unpack_tile_face_r_dim[in];
    const uint32_t first = get_local_cb_interface(in).fifo_rd_ptr - 1 +
                           tile * metal::line_bytes(in) / 16;
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0xf);
    for (uint32_t face = 0; face < unpack_tile_num_faces[in]; face++) {
        const uint32_t at = first + face % 2 * metal::half_line(in) / 16 +
                            face / 2 * rows * metal::window_step(in, across) / 16;
        if (minus_infinity || zeros)
            TS_INLINE(TS_OP_CLEAR(SrcA, minus_infinity));
        const uint32_t context = set_addresses(at, fifo_address(scaler, tile_scaler));
        TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, OUT_Y_IN_Y);
        TS_INLINE(TS_UNPACR(SrcB, keeps_scaler ? 0 : 1, 1));
        if (rows > 1)
            ckernel_unpack_template::run(rows - 1, context == 0 ? 0 : 0xffff);
        TS_INLINE(TS_UNPACR(SrcA, 0, 1));
        release_addresses(context);
    }
}
template <auto... flags>
inline void llk_unpack_tilizeA_B_block(uint32_t in, uint32_t scaler, uint32_t across,
                                       uint32_t tile_scaler)
{
    for (uint32_t i = 0; i < across; i++)
        llk_unpack_tilizeA_B<flags...>(in, scaler, i, tile_scaler, across);
}
#endif

#if defined(REDUCE_OP) && defined(REDUCE_DIM)
template <bool minus_infinity = true, bool zeros = false>
ALWI void tilizeA_B_reduce_init([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t scaler,
                                [[maybe_unused]] uint32_t across)
{
    UNPACK((llk_unpack_tilizeA_B_init<minus_infinity, true, false, zeros>(in, scaler, across)));
    MATH((llk_math_reduce_init<REDUCE_OP, REDUCE_DIM>()));
}
#endif
template <bool minus_infinity = true, uint32_t keeps_scaler = true, bool zeros_always = false,
          bool zeros = false>
ALWI void unpack_tilizeA_B_block([[maybe_unused]] uint32_t in, [[maybe_unused]] uint32_t scaler,
                                 [[maybe_unused]] uint32_t across,
                                 [[maybe_unused]] uint32_t tile_scaler)
{
    UNPACK((llk_unpack_tilizeA_B_block<minus_infinity, keeps_scaler, zeros_always, zeros>(
        in, scaler, across, tile_scaler)));
}
ALWI void unpack_tilizeA_B_uninit([[maybe_unused]] uint32_t in)
{
    UNPACK(TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, 0xb));
    UNPACK(metal::unpack_init());
}

} // namespace ckernel
