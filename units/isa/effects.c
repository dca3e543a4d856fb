// units/isa/effects.c: the rows of config/effects.def as a table. See effects.h.
#include "units/isa/effects.h"

// clang-format off
enum {
#define X(name) name = TS_STATE_##name,
    TS_STATES(X)
#undef X
    COMPUTES = SRCA | SRCB | RWC,
};
// clang-format on
enum { A = 1, B = 2 };
enum {
    AFTER_MOVE = TS_MATRIX_WAITS_FOR_MOVE,
    MOVES = TS_MATRIX_MOVES,
    MOVD2B = TS_MATRIX_MOVD2B,
    MOVD2A = TS_MATRIX_MOVD2A,
    LONG = TS_MATRIX_LONG,
    PHASES = TS_MATRIX_PHASES,
    BUSY = TS_MATRIX_BUSY,
    GIVES = TS_MATRIX_GIVES,
    CLEARS = TS_MATRIX_CLEARS,
    UNCHECKED = TS_MATRIX_UNCHECKED,
};
enum {
    ROWS_8_OR_1 = TS_ROWS_8_OR_1,
    ROWS_4_OR_1 = TS_ROWS_4_OR_1,
    ROWS_MOVB2D = TS_ROWS_MOVB2D,
    READS_TO_ADD = TS_READS_TO_ADD,
};
enum {
    SETS = TS_ADC_SETS,
    UNPACKER = TS_ADC_UNPACKER,
    PACKER = TS_ADC_PACKER,
    FLOP = TS_ADC_FLOP,
};
#define RD(shift, width)           \
    {                              \
        shift, width, false, false \
    }
#define RB(shift, width)          \
    {                             \
        shift, width, false, true \
    }
#define WR(shift, width)          \
    {                             \
        shift, width, true, false \
    }
#define WORD(shift, width)         \
    {                              \
        shift, width, false, false \
    }

const struct ts_op_effects ts_op_effects[256] = {
#define TS_EFFECT(name, does_read, ...) \
    [TS_OP_##name] = {.reads = does_read, .writes = __VA_ARGS__},
#include "config/effects.def"
};

// Each opcode has its row.
enum {
#define TS_EFFECT(name, ...) EFFECTS_OF_##name,
#include "config/effects.def"
    EFFECTS
};
enum {
#define F(...)
#define FX(...)
#define TS_OP(code, name, ...) ROW_OF_##name = EFFECTS_OF_##name,
#include "config/tensix.def"
#undef TS_OP
#undef F
#undef FX
};

const char *ts_state_name(enum ts_state state)
{
    static const char *const names[] = {
#define X(name) #name,
        TS_STATES(X)
#undef X
    };
    return (unsigned)state < TS_STATE_COUNT ? names[state] : "?";
}
