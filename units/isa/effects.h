// units/isa/effects.h: what instructions read and write, as C; the rows are in config/effects.def.
#pragma once

#include "units/isa/opcodes.h"

// Parts of the tile's state. LOOKS: the unit's configuration, while it works.
// clang-format off
#define TS_STATES(X) \
    X(SRCA) X(SRCB) X(BANKS) X(DST) X(RWC) X(ADC) X(GPR) X(CFG) X(THD) X(SEM) X(MUTEX) X(L1) X(LREG) X(LOOKS)

enum ts_state {
#define X(name) TS_STATE_NUMBER_##name,
    TS_STATES(X)
#undef X
    TS_STATE_COUNT
};
enum {
#define X(name) TS_STATE_##name = 1 << TS_STATE_NUMBER_##name,
    TS_STATES(X)
#undef X
};
// clang-format on

_Static_assert(TS_STATE_SRCA == 1 && TS_STATE_SRCB == 2, "as bits of `waits`");

// How the matrix unit handles an instruction.
enum {
    TS_MATRIX_WAITS_FOR_MOVE = 1, // not right behind MOVA2D or MOVB2D
    TS_MATRIX_MOVES = 2,          // is such a move
    TS_MATRIX_MOVD2B = 4,
    TS_MATRIX_MOVD2A = 8,
    TS_MATRIX_LONG = 16,    // computes: keeps its block of Dst, may return banks
    TS_MATRIX_PHASES = 256, // and repeats for math fidelity
    TS_MATRIX_BUSY = 32,    // occupies the port
    TS_MATRIX_GIVES = 64,
    TS_MATRIX_UNCHECKED = 128, // touches a bank or Dst without waiting for it
    TS_MATRIX_CLEARS = 1024,   // in bulk: as many banks or rows as its fields say
};
// The field of a word that decides about rows of Dst, or whether it reads them.
enum { TS_ROWS_8_OR_1 = 1, TS_ROWS_4_OR_1, TS_ROWS_MOVB2D, TS_READS_TO_ADD };

// Address counters: sets that a mask of the word names, of the word's unpacker, of the packer, one that REG2FLOP names.
enum { TS_ADC_SETS = 1, TS_ADC_UNPACKER, TS_ADC_PACKER, TS_ADC_FLOP };

// A number in the word; width 0: none. `constant`: bit 23 says that the number is not a register's.
struct ts_operand {
    uint16_t shift : 5, width : 5, writes : 1, constant : 1;
};

#define TS_OPERANDS 3
struct ts_op_effects {
    uint16_t reads, writes; // TS_STATE_*
    uint16_t kind;          // TS_MATRIX_*
    uint8_t waits;          // for banks: bit 0 SrcA, bit 1 SrcB
    uint8_t rows, field;    // of Dst
    uint8_t adc;            // TS_ADC_*; 0: none
    uint8_t bytes;          // of the configuration word that it writes: a bit each; 0: all
    struct ts_operand gpr[TS_OPERANDS], word;
};
extern const struct ts_op_effects ts_op_effects[256];

// "SRCA", ...
const char *ts_state_name(enum ts_state state);

// The banks that a word writes without waiting for them: bit 0 SrcA, bit 1 SrcB.
static inline unsigned ts_op_unwaited(uint8_t op)
{
    const struct ts_op_effects *effects = &ts_op_effects[op];
    return effects->writes & (TS_STATE_SRCA | TS_STATE_SRCB) & ~(unsigned)effects->waits;
}

static inline unsigned ts_operand_of(struct ts_operand operand, uint32_t word)
{
    return TS_BITS(word, operand.shift, operand.width);
}
