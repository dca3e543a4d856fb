// The baby cores' instruction set as data: decoder and disassembler over config/riscv.def.
//
// A decoded instruction names its operands in one register space, so that a body is an array access
// for either file: x0-x31 are 0-31, f0-f31 are 32-63, and a destination x0 becomes TS_RV_SINK,
// which nothing reads.
//
// Source: tt-isa-documentation BlackholeA0/TensixTile/BabyRISCV/InstructionSet.md,
// PushTensixInstruction.md.
#pragma once

#include "platform/base/std.h"

enum ts_rv_op {
    TS_RV_LINE_END, // sentinel after the last instruction of a cache line
#define TS_RV(id, mnemonic, match, mask, format, class) TS_RV_##id,
#include "config/riscv.def"
    TS_RV_TTINSN,
    TS_RV_STAY,      // jal to itself, in a decoded line of L1
    TS_RV_ABSENT_OP, // known and not implemented
    TS_RV_INVALID,
    TS_RV_OP_COUNT
};

enum ts_rv_class {
    TS_RV_CLASS_ALU,    // one cycle in EX1
    TS_RV_CLASS_MUL,    // EX1 and EX2
    TS_RV_CLASS_FPU,    // EX1 and EX2
    TS_RV_CLASS_FMISC,  // float moves, compares, conversions: EX1
    TS_RV_CLASS_DIV,    // EX1 for 2 to 33 cycles
    TS_RV_CLASS_BRANCH, // conditional
    TS_RV_CLASS_JUMP,
    TS_RV_CLASS_LOAD,
    TS_RV_CLASS_STORE,
    TS_RV_CLASS_AMO,
    TS_RV_CLASS_FENCE,
    TS_RV_CLASS_CSR,
    TS_RV_CLASS_SYS,
    TS_RV_CLASS_TTINSN,
    TS_RV_CLASS_NONE, // faults
};

// Which fields are operands: R rd rs1 rs2; R2 rd rs1; I rd rs1 imm; SH rd rs1 shamt; L load; S
// store; B branch; U, J; C csr; CI csr with immediate; A atomic; F3/F4 all float; FF float to
// float; FX float to int; XF int to float; FC float compare; FL/FS float load and store; N none.
enum ts_rv_format {
    TS_RV_FMT_R,
    TS_RV_FMT_R2,
    TS_RV_FMT_I,
    TS_RV_FMT_SH,
    TS_RV_FMT_L,
    TS_RV_FMT_S,
    TS_RV_FMT_B,
    TS_RV_FMT_U,
    TS_RV_FMT_J,
    TS_RV_FMT_C,
    TS_RV_FMT_CI,
    TS_RV_FMT_A,
    TS_RV_FMT_F3,
    TS_RV_FMT_F4,
    TS_RV_FMT_FF,
    TS_RV_FMT_FX,
    TS_RV_FMT_XF,
    TS_RV_FMT_FC,
    TS_RV_FMT_FL,
    TS_RV_FMT_FS,
    TS_RV_FMT_N,
};

#define TS_RV_F0        32 // register index of f0
#define TS_RV_SINK      64 // where writes to x0 go
#define TS_RV_REG_COUNT 65

// Sixteen bytes: four instructions and the line's sentinel are 80.
struct ts_rv_insn {
    uint8_t op;  // enum ts_rv_op
    uint8_t rd;  // 0-63 or TS_RV_SINK
    uint8_t rs1; // 0 where there is none: x0 is always ready
    uint8_t rs2;
    int32_t imm; // immediate, shift amount, csr number; for .ttinsn the Tensix word
    union {
        uint32_t word; // as decoded
        uint32_t pc;   // in a decoded line of L1, where branches and auipc have absolute immediates
    };
    uint8_t rs3;
    uint8_t cls;  // enum ts_rv_class
    uint8_t size; // bytes of a load or store
    uint8_t pad;
};

// A row of config/riscv.def.
struct ts_rv_row {
    const char *mnemonic;
    uint32_t match, mask;
    uint8_t format; // enum ts_rv_format
    uint8_t cls;    // enum ts_rv_class
};

// Decodes a word. Never fails: an unknown word becomes TS_RV_INVALID or TS_RV_ABSENT_OP.
struct ts_rv_insn ts_rv_decode(uint32_t word);

// The bit of the operation's extension among those of a machine (struct ts_machine); all bits for what is in no extension.
uint32_t ts_rv_extension(enum ts_rv_op op);
const char *ts_rv_extension_name(uint32_t bit);

// The inverse: encodes an instruction of the table. Registers are 0-31 of the file the format says;
// operands that the format lacks are ignored. imm is the byte offset of a branch or jump, the upper
// 20 bits (in place) of lui and auipc.
uint32_t ts_rv_encode(enum ts_rv_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm);

const char *ts_rv_mnemonic(enum ts_rv_op op);
const struct ts_rv_row *ts_rv_row(enum ts_rv_op op); // NULL for the ops that are not in the table
// Why a known encoding is not implemented; NULL for any other word.
const char *ts_rv_absent(uint32_t word, const char **mnemonic);

// Writes the text of an instruction at `pc`, as objdump would: "addi a0,a0,1". Returns what
// snprintf would.
int ts_rv_disassemble(uint32_t pc, uint32_t word, char *text, size_t size);
