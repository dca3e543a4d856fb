// units/isa/opcodes.h: the Tensix instruction set as C, all of it made from the rows of tensix.def.
//
// enum ts_op is the opcode byte itself, so a table of 256 entries needs no mapping. Arguments:
//   struct ts_args_MVMUL a = ts_decode_MVMUL(word);   a.addr_mode ...
#pragma once

#include "platform/base/std.h"

#define TS_THREADS 3

// The nine backend units, the address counters and the front end itself. One spelling everywhere.
#define TS_UNITS(X) \
    X(NONE)         \
    X(SYNC)         \
    X(UNPACK0) X(UNPACK1) X(MATRIX) X(PACK) X(VECTOR) X(SCALAR) X(CFG) X(MOVER) X(MISC) X(FRONT)

// clang-format off
enum ts_unit_id {
#define X(name) TS_UNIT_##name,
    TS_UNITS(X)
#undef X
    TS_UNIT_COUNT,
    // UNPACR rows name the pair; bit 23 of the word picks one.
    TS_UNIT_UNPACK = TS_UNIT_UNPACK0,
};
// clang-format on

// STALLWAIT block bits, as masks that block an instruction.
enum {
    TS_B_TDMA = 1 << 0,
    TS_B_SYNC = 1 << 1,
    TS_B_PACK = 1 << 2 | 1 << 0,
    TS_B_UNPACK = 1 << 3 | 1 << 0,
    TS_B_MOVER = 1 << 4 | 1 << 0,
    TS_B_SCALAR = 1 << 5 | 1 << 0,
    TS_B_MATRIX = 1 << 6,
    TS_B_CFG = 1 << 7,
    TS_B_VECTOR = 1 << 8,
    TS_B_ALL = 0x1ff,
    // Not a block bit: the threads do not compete for the unit with this instruction.
    TS_B_FREE = 1 << 15,
    TS_B_SYNC_FREE = TS_B_SYNC | TS_B_FREE,
    TS_B_CFG_FREE = TS_B_CFG | TS_B_FREE,
    TS_B_MISC_FREE = TS_B_TDMA | TS_B_FREE,
};

// Auto TTSync classes, numbered as AutoTTSync.md does; NONE is tracked nowhere.
enum ts_sync_class {
    TS_SYNC_GPR_RW,
    TS_SYNC_GPR_AT,
    TS_SYNC_REG2FLOP,
    TS_SYNC_IND,
    TS_SYNC_CFG_RMW,
    TS_SYNC_STOREREG,
    TS_SYNC_LOADREG,
    TS_SYNC_FLUSHDMA,
    TS_SYNC_WRCFG,
    TS_SYNC_RDCFG,
    TS_SYNC_XMOV,
    TS_SYNC_UNPACK,
    TS_SYNC_PACK,
    TS_SYNC_MOP,
    TS_SYNC_REPLAY,
    TS_SYNC_OTHER,
    TS_SYNC_NONE,
};

enum ts_op_doc { TS_DOC_NONE, TS_DOC_WH, TS_DOC_BH };
enum ts_op_status { TS_STATUS_NONE, TS_STATUS_TODO, TS_STATUS_DONE };

enum ts_op {
#define F(...)
#define FX(...)
#define TS_OP(code, name, unit, block, sync, doc, status, ...) TS_OP_##name = code,
#include "config/tensix.def"
#undef TS_OP
#undef F
#undef FX
};

#define TS_OP_OF(word)              ((uint8_t)((word) >> 24))
#define TS_BITS(word, shift, width) (((uint32_t)(word) >> (shift)) & ((UINT32_C(1) << (width)) - 1))

// One argument struct and one decoder per opcode: the meaningful bits of every field.
#define F(name, shift, width, used) uint32_t name;
#define FX(name, shift, width)      uint32_t name;
#define TS_OP(code, name, unit, block, sync, doc, status, ...) \
    struct ts_args_##name {                                    \
        uint32_t word;                                         \
        __VA_ARGS__                                            \
    };
#include "config/tensix.def"
#undef TS_OP
#undef F
#undef FX

#define F(name, shift, width, used) .name = TS_BITS(word, shift, used),
#define FX(name, shift, width)      .name = TS_BITS(word, shift, width),
#define TS_OP(code, name, unit, block, sync, doc, status, ...)          \
    static inline struct ts_args_##name ts_decode_##name(uint32_t word) \
    {                                                                   \
        return (struct ts_args_##name){.word = word, __VA_ARGS__};      \
    }
#include "config/tensix.def"
#undef TS_OP
#undef F
#undef FX

// What the front end looks up for every word: small enough to stay in the first-level cache.
struct ts_op_hot {
    uint8_t unit;      // enum ts_unit_id; TS_UNIT_NONE: no such opcode
    uint8_t sync;      // enum ts_sync_class
    uint16_t block;    // STALLWAIT block bits, and TS_B_FREE
    uint32_t reserved; // bits that must be 0
};
extern const struct ts_op_hot ts_op_hot[256];

struct ts_op_field {
    const char *name; // NULL ends the list
    uint8_t shift, width, used;
    bool hidden; // no syntax in the vendor's macros: not printed by position
};

struct ts_op_info {
    const char *name; // NULL: no such opcode
    const struct ts_op_field *fields;
    uint8_t unit, doc, status, code;
};
extern const struct ts_op_info ts_op_info[256];

const char *ts_unit_name(enum ts_unit_id unit);

// A .ttinsn word as encoded in RISC-V code, and back.
static inline uint32_t ts_inline_to_word(uint32_t code)
{
    return code >> 2 | code << 30;
}
static inline uint32_t ts_word_to_inline(uint32_t word)
{
    return word << 2 | word >> 30;
}

// "ttmvmul 0,0,1,0", as the vendor's disassembler writes it; ".ttinsn 0x..." for no such opcode.
// Returns what snprintf does.
int ts_disasm(uint32_t word, char *text, size_t size);
// "MVMUL addr_mode=1": the operands that are not 0, as the form of hang programs takes them.
int ts_disasm_fields(uint32_t word, char *text, size_t size);
// The word of "MVMUL addr_mode=1", "TTI_MVMUL(0, 0, 1, 0)", "ttmvmul 0,0,1,0" or "0x26004000". False:
// `why` says what is wrong.
bool ts_assemble(const char *text, uint32_t *word, char *why, size_t size);
