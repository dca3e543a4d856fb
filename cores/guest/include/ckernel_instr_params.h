// Operands of Tensix instructions by the vendor's names (tt-llk ckernel_instr_params.h); those that
// our own kernels use most are in ckernel.h.
#pragma once
#include <stdint.h>

namespace ckernel {

struct p_elwise { // ELWADD, ELWSUB, ELWMUL: which part of SrcB is repeated, what is given back
    static constexpr uint32_t SRCB_NO_BCAST = 0, SRCB_BCAST_COL = 1, SRCB_BCAST_ROW = 2,
                              SRCB_BCAST_ALL = 3;
    static constexpr uint32_t DEST_ACCUM_DIS = 0, DEST_ACCUM_EN = 1;
    static constexpr uint32_t CLR_A = 1, CLR_B = 2, CLR_AB = 3;
};

struct p_gpool { // GMPOOL, GAPOOL
    static constexpr uint32_t DIM_1X16 = 0, DIM_16X16 = 1;
    static constexpr uint32_t INDEX_DIS = 0, INDEX_EN = 1;
};

struct p_zerosrc { // ZEROSRC
    static constexpr uint32_t CLR_A = 1, CLR_B = 2, CLR_AB = 3;
};

// Moves between SrcA, SrcB and Dst: how many rows, and what is repeated.
struct p_mova2d {
    static constexpr uint32_t MOV_1_ROW = 0, MOV_8_ROWS = 2;
};
struct p_movd2a {
    static constexpr uint32_t MOV_1_ROW = 0, MOV_4_ROWS = 2;
};
struct p_movd2b {
    static constexpr uint32_t SRC_ZERO_OFFSET = 0, SRC_ROW16_OFFSET = 16;
    static constexpr uint32_t MOV_1_ROW = 0, MOV_4_ROWS = 2;
};
struct p_movb2a {
    static constexpr uint32_t SRCA_ZERO_OFFSET = 0, SRCB_ZERO_OFFSET = 0, SRCB_ROW16_OFFSET = 16;
    static constexpr uint32_t MOV_1_ROW = 0, MOV_4_ROWS = 2;
};
struct p_movb2d {
    static constexpr uint32_t SRC_ZERO_OFFSET = 0, SRC_ROW16_OFFSET = 16;
    static constexpr uint32_t MOV_1_ROW = 0, MOV_1_ROW_D0_BRCST = 1, MOV_8_ROW_BRCST = 2,
                              MOV_8_ROW_BRCST_D0_BRCST = 3, MOV_4_ROWS = 4, MOV_4_ROWS_D0_BRCST = 5;
};

// Texts about the ISA write these without their struct.
inline constexpr uint32_t CLR_NONE = 0, CLR_A = 1, CLR_B = 2, CLR_AB = 3;
inline constexpr uint32_t SET_A = 1, SET_B = 2, SET_AB = 3, SET_D = 4, SET_ABD = 7, SET_F = 8,
                          SET_ABD_F = 15;

} // namespace ckernel
