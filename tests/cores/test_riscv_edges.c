// Edge cases of every instruction of the baby cores, one row each, worked out by hand from the
// RISC-V manual (and, for denormals and NaNs of the arithmetic, from InstructionSet.md and
// tenstorrent/ttsim 1.10.0). Each row becomes a few instructions on the timed core of a tile, with
// and without running ahead. The last test counts the rows of all tables, which is why they are in
// one file: an instruction without a row fails.
#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>

#define RESULTS  0x20000u // L1: a word per result
#define DATA     0x40000u // L1 that loads, stores and atomics work on
#define LOCAL    0xffb00000u
#define CHECKS   2048
#define CFG1     0x7c3 // a CSR that is nothing but storage
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define MIN  0x80000000u
#define MAX  0x7fffffffu
#define ONES 0xffffffffu

struct row {
    enum ts_rv_op op;
    uint32_t a, b;     // operands; b may be the immediate
    uint32_t expected; // rd; for stores, atomics and CSRs what is then in memory or the CSR
    uint32_t c;        // third operand
};

#define R(id, ...)                    \
    {                                 \
        .op = TS_RV_##id, __VA_ARGS__ \
    }

// clang-format off
static const struct row ALU[] = {
    R(ADD, 0, 0, 0), R(ADD, MAX, 1, MIN), R(ADD, ONES, 1, 0), R(ADD, MIN, MIN, 0), R(ADD, MIN, ONES, MAX),
    R(SUB, 0, 0, 0), R(SUB, 0, 1, ONES), R(SUB, MIN, 1, MAX), R(SUB, 0, MIN, MIN), R(SUB, MAX, ONES, MIN),
    R(SLL, 1, 0, 1), R(SLL, 1, 31, MIN), R(SLL, 1, 32, 1), R(SLL, ONES, 63, MIN), R(SLL, 0x21212121, 0xffffffe7, 0x90909080),
    R(SRL, MIN, 0, MIN), R(SRL, MIN, 31, 1), R(SRL, MIN, 32, MIN), R(SRL, ONES, 0xffffffe1, MAX), R(SRL, ONES, 63, 1),
    R(SRA, MIN, 0, MIN), R(SRA, MIN, 31, ONES), R(SRA, MIN, 32, MIN), R(SRA, MAX, 31, 0), R(SRA, ONES, ONES, ONES), R(SRA, MIN, 33, 0xc0000000),
    R(SLT, 0, 0, 0), R(SLT, MIN, MAX, 1), R(SLT, MAX, MIN, 0), R(SLT, ONES, 0, 1), R(SLT, 0, ONES, 0), R(SLT, MIN, MIN, 0),
    R(SLTU, 0, 0, 0), R(SLTU, MIN, MAX, 0), R(SLTU, MAX, MIN, 1), R(SLTU, ONES, 0, 0), R(SLTU, 0, ONES, 1), R(SLTU, ONES, ONES, 0),
    R(XOR, ONES, ONES, 0), R(XOR, 0, ONES, ONES), R(XOR, 0xff00ff00, 0x0f0f0f0f, 0xf00ff00f),
    R(OR, 0, 0, 0), R(OR, MIN, MAX, ONES), R(OR, 0xff00ff00, 0x0f0f0f0f, 0xff0fff0f),
    R(AND, ONES, 0, 0), R(AND, MIN, MAX, 0), R(AND, ONES, ONES, ONES), R(AND, 0xff00ff00, 0x0f0f0f0f, 0x0f000f00),
    R(ADDI, 0, 0, 0), R(ADDI, MAX, 1, MIN), R(ADDI, MIN, (uint32_t)-1, MAX), R(ADDI, 0, (uint32_t)-2048, 0xfffff800), R(ADDI, MAX, 2047, 0x800007fe),
    R(SLTI, MIN, 2047, 1), R(SLTI, MAX, (uint32_t)-2048, 0), R(SLTI, ONES, 0, 1), R(SLTI, ONES, (uint32_t)-1, 0), R(SLTI, 0, (uint32_t)-1, 0), R(SLTI, MIN, (uint32_t)-2048, 1),
    R(SLTIU, 0, 1, 1), R(SLTIU, 1, 1, 0), R(SLTIU, 0, (uint32_t)-1, 1), R(SLTIU, ONES, (uint32_t)-1, 0), R(SLTIU, MIN, (uint32_t)-2048, 1), R(SLTIU, 0xfffff800, (uint32_t)-2048, 0), R(SLTIU, MIN, 2047, 0),
    R(XORI, 0x12345678, (uint32_t)-1, 0xedcba987), R(XORI, ONES, 0x7ff, 0xfffff800), R(XORI, 0, (uint32_t)-2048, 0xfffff800),
    R(ORI, 0, (uint32_t)-1, ONES), R(ORI, 0, 0x7ff, 0x7ff), R(ORI, MIN, (uint32_t)-2048, 0xfffff800),
    R(ANDI, ONES, (uint32_t)-1, ONES), R(ANDI, ONES, 0x7ff, 0x7ff), R(ANDI, 0x12345fff, (uint32_t)-2048, 0x12345800), R(ANDI, ONES, 0, 0),
    R(SLLI, ONES, 0, ONES), R(SLLI, 1, 31, MIN), R(SLLI, ONES, 31, MIN), R(SLLI, 0x21212121, 7, 0x90909080),
    R(SRLI, ONES, 0, ONES), R(SRLI, MIN, 31, 1), R(SRLI, ONES, 1, MAX), R(SRLI, 1, 1, 0),
    R(SRAI, MIN, 0, MIN), R(SRAI, MIN, 31, ONES), R(SRAI, MAX, 31, 0), R(SRAI, MIN, 1, 0xc0000000), R(SRAI, ONES, 7, ONES),
    R(LUI, 0, 0, 0), R(LUI, 0, 0xfffff000, 0xfffff000), R(LUI, 0, MIN, MIN), R(LUI, 0, 0x7ffff000, 0x7ffff000), R(LUI, 0, 0x1000, 0x1000),
    // auipc: the distance from its pc
    R(AUIPC, 0, 0, 0), R(AUIPC, 0, 0xfffff000, 0xfffff000), R(AUIPC, 0, MIN, MIN), R(AUIPC, 0, 0x7ffff000, 0x7ffff000), R(AUIPC, 0, 0x1000, 0x1000),
};

static const struct row MULDIV[] = {
    R(MUL, 0, ONES, 0), R(MUL, ONES, ONES, 1), R(MUL, MIN, ONES, MIN), R(MUL, MIN, MIN, 0), R(MUL, MAX, MAX, 1), R(MUL, 0x10000, 0x10000, 0), R(MUL, 0xffff, 0xffff, 0xfffe0001),
    R(MULH, 0, ONES, 0), R(MULH, ONES, ONES, 0), R(MULH, MIN, MIN, 0x40000000), R(MULH, MIN, MAX, 0xc0000000), R(MULH, MAX, MAX, 0x3fffffff), R(MULH, ONES, 1, ONES), R(MULH, MIN, ONES, 0),
    R(MULHSU, ONES, ONES, ONES), R(MULHSU, MIN, ONES, MIN), R(MULHSU, ONES, 1, ONES), R(MULHSU, 1, ONES, 0), R(MULHSU, MIN, MIN, 0xc0000000), R(MULHSU, MAX, ONES, 0x7ffffffe), R(MULHSU, ONES, 0, 0),
    R(MULHU, ONES, ONES, 0xfffffffe), R(MULHU, MIN, MIN, 0x40000000), R(MULHU, ONES, 1, 0), R(MULHU, MIN, 2, 1), R(MULHU, 0, ONES, 0), R(MULHU, MAX, MAX, 0x3fffffff),
    R(DIV, 1, 0, ONES), R(DIV, MIN, 0, ONES), R(DIV, 0, 0, ONES), R(DIV, MIN, ONES, MIN), R(DIV, (uint32_t)-7, 2, (uint32_t)-3), R(DIV, 7, (uint32_t)-2, (uint32_t)-3), R(DIV, MIN, 1, MIN), R(DIV, MIN, MIN, 1), R(DIV, MAX, MIN, 0), R(DIV, MIN, 2, 0xc0000000), R(DIV, ONES, MAX, 0),
    R(DIVU, 1, 0, ONES), R(DIVU, 0, 0, ONES), R(DIVU, MIN, ONES, 0), R(DIVU, ONES, ONES, 1), R(DIVU, ONES, 1, ONES), R(DIVU, ONES, 2, MAX), R(DIVU, (uint32_t)-7, 2, 0x7ffffffc), R(DIVU, MAX, MIN, 0),
    R(REM, 1, 0, 1), R(REM, MIN, 0, MIN), R(REM, MIN, ONES, 0), R(REM, (uint32_t)-7, 2, ONES), R(REM, 7, (uint32_t)-2, 1), R(REM, (uint32_t)-7, (uint32_t)-2, ONES), R(REM, MAX, MIN, MAX), R(REM, MIN, MAX, ONES), R(REM, 0, 5, 0), R(REM, ONES, 1, 0),
    R(REMU, 1, 0, 1), R(REMU, ONES, 0, ONES), R(REMU, MIN, ONES, MIN), R(REMU, ONES, MIN, MAX), R(REMU, (uint32_t)-7, 2, 1), R(REMU, ONES, 1, 0), R(REMU, ONES, ONES, 0),
};

static const struct row BITS[] = {
    R(SH1ADD, 0, 0, 0), R(SH1ADD, MIN, 5, 5), R(SH1ADD, ONES, 1, ONES), R(SH1ADD, 0x40000000, MIN, 0), R(SH1ADD, 3, 7, 13),
    R(SH2ADD, 0, ONES, ONES), R(SH2ADD, 0xc0000000, 5, 5), R(SH2ADD, ONES, 4, 0), R(SH2ADD, 3, 7, 19),
    R(SH3ADD, 0, ONES, ONES), R(SH3ADD, 0xe0000000, 5, 5), R(SH3ADD, ONES, 8, 0), R(SH3ADD, 3, 7, 31), R(SH3ADD, 0x10000000, MIN, 0),
    R(ANDN, ONES, 0, ONES), R(ANDN, ONES, ONES, 0), R(ANDN, 0, 0, 0), R(ANDN, 0xff00ff00, 0x0f0f0f0f, 0xf000f000),
    R(ORN, 0, 0, ONES), R(ORN, 0, ONES, 0), R(ORN, 0xff00ff00, 0x0f0f0f0f, 0xfff0fff0),
    R(XNOR, 0, 0, ONES), R(XNOR, ONES, 0, 0), R(XNOR, ONES, ONES, ONES), R(XNOR, 0xff00ff00, 0x0f0f0f0f, 0x0ff00ff0),
    R(CLZ, 0, 0, 32), R(CLZ, 1, 0, 31), R(CLZ, ONES, 0, 0), R(CLZ, MIN, 0, 0), R(CLZ, MAX, 0, 1), R(CLZ, 0x00010000, 0, 15),
    R(CTZ, 0, 0, 32), R(CTZ, 1, 0, 0), R(CTZ, ONES, 0, 0), R(CTZ, MIN, 0, 31), R(CTZ, 0x00010000, 0, 16), R(CTZ, 0xfffffffe, 0, 1),
    R(CPOP, 0, 0, 0), R(CPOP, 1, 0, 1), R(CPOP, ONES, 0, 32), R(CPOP, MIN, 0, 1), R(CPOP, MAX, 0, 31), R(CPOP, 0x55555555, 0, 16),
    R(SEXT_B, 0x7f, 0, 0x7f), R(SEXT_B, 0x80, 0, 0xffffff80), R(SEXT_B, 0xffffff00, 0, 0), R(SEXT_B, 0xff, 0, ONES),
    R(SEXT_H, 0x7fff, 0, 0x7fff), R(SEXT_H, 0x8000, 0, 0xffff8000), R(SEXT_H, 0xffff0000, 0, 0), R(SEXT_H, 0xffff, 0, ONES),
    R(ZEXT_H, ONES, 0, 0xffff), R(ZEXT_H, 0xffff0000, 0, 0), R(ZEXT_H, 0x8000, 0, 0x8000), R(ZEXT_H, 0, 0, 0),
    R(MAX, MIN, MAX, MAX), R(MAX, ONES, 0, 0), R(MAX, 0, MIN, 0), R(MAX, ONES, ONES, ONES), R(MAX, MIN, ONES, ONES),
    R(MAXU, MIN, MAX, MIN), R(MAXU, ONES, 0, ONES), R(MAXU, 0, MIN, MIN), R(MAXU, 0, 0, 0),
    R(MIN, MIN, MAX, MIN), R(MIN, ONES, 0, ONES), R(MIN, 0, MIN, MIN), R(MIN, MIN, ONES, MIN), R(MIN, 0, 0, 0),
    R(MINU, MIN, MAX, MAX), R(MINU, ONES, 0, 0), R(MINU, 0, MIN, 0), R(MINU, ONES, ONES, ONES),
    R(PACK, 0x12345678, 0x9abcdef0, 0xdef05678), R(PACK, ONES, 0, 0xffff), R(PACK, 0, ONES, 0xffff0000), R(PACK, 0xffff0000, 0xffff0000, 0),
    R(ROL, 0x80000001, 0, 0x80000001), R(ROL, 0x80000001, 1, 3), R(ROL, 1, 31, MIN), R(ROL, 0x80000001, 32, 0x80000001), R(ROL, 0x12345678, 0xffffffe8, 0x34567812), R(ROL, 0, 5, 0),
    R(ROR, 0x80000001, 0, 0x80000001), R(ROR, 0x80000001, 1, 0xc0000000), R(ROR, MIN, 31, 1), R(ROR, 0x80000001, 32, 0x80000001), R(ROR, 0x12345678, 0xffffffe8, 0x78123456),
    R(RORI, 0x80000001, 0, 0x80000001), R(RORI, 0x80000001, 1, 0xc0000000), R(RORI, MIN, 31, 1), R(RORI, 0x12345678, 8, 0x78123456), R(RORI, ONES, 17, ONES),
    R(ORC_B, 0, 0, 0), R(ORC_B, 1, 0, 0xff), R(ORC_B, 0x80000000, 0, 0xff000000), R(ORC_B, 0x00100100, 0, 0x00ffff00), R(ORC_B, 0x01020408, 0, ONES), R(ORC_B, ONES, 0, ONES),
    R(REV8, 0x12345678, 0, 0x78563412), R(REV8, 1, 0, 0x01000000), R(REV8, 0, 0, 0), R(REV8, 0x80, 0, MIN), R(REV8, ONES, 0, ONES),
    R(BREV8, 0x01020408, 0, 0x80402010), R(BREV8, 0, 0, 0), R(BREV8, 1, 0, 0x80), R(BREV8, MIN, 0, 0x01000000), R(BREV8, 0x0f0f00ff, 0, 0xf0f000ff), R(BREV8, ONES, 0, ONES),
    R(GREVI, 0x12345678, 0, 0x12345678), R(GREVI, 1, 31, MIN), R(GREVI, 0x12345678, 16, 0x56781234), R(GREVI, 0x12345678, 8, 0x34127856), R(GREVI, 0x12345678, 4, 0x21436587), R(GREVI, 0xaaaaaaaa, 1, 0x55555555), R(GREVI, 0xcccccccc, 2, 0x33333333), R(GREVI, 0x80000001, 31, 0x80000001),
};

// expected: taken
static const struct row BRANCHES[] = {
    R(BEQ, 0, 0, 1), R(BEQ, ONES, ONES, 1), R(BEQ, 0, MIN, 0), R(BEQ, MIN, MAX, 0), R(BEQ, 1, 0x10001, 0),
    R(BNE, 0, 0, 0), R(BNE, ONES, ONES, 0), R(BNE, 0, MIN, 1), R(BNE, MIN, MAX, 1), R(BNE, 1, 0x10001, 1),
    R(BLT, 0, 0, 0), R(BLT, MIN, MAX, 1), R(BLT, MAX, MIN, 0), R(BLT, ONES, 0, 1), R(BLT, 0, ONES, 0), R(BLT, MIN, MIN, 0), R(BLT, 0xfffffffe, ONES, 1),
    R(BGE, 0, 0, 1), R(BGE, MIN, MAX, 0), R(BGE, MAX, MIN, 1), R(BGE, ONES, 0, 0), R(BGE, 0, ONES, 1), R(BGE, MIN, MIN, 1), R(BGE, 0xfffffffe, ONES, 0),
    R(BLTU, 0, 0, 0), R(BLTU, MIN, MAX, 0), R(BLTU, MAX, MIN, 1), R(BLTU, ONES, 0, 0), R(BLTU, 0, ONES, 1), R(BLTU, ONES, ONES, 0),
    R(BGEU, 0, 0, 1), R(BGEU, MIN, MAX, 1), R(BGEU, MAX, MIN, 0), R(BGEU, ONES, 0, 1), R(BGEU, 0, ONES, 0), R(BGEU, ONES, ONES, 1),
};

// a: the word in memory, b: the offset in it
static const struct row LOADS[] = {
    R(LB, 0x80ff7f01, 0, 1), R(LB, 0x80ff7f01, 1, 0x7f), R(LB, 0x80ff7f01, 2, ONES), R(LB, 0x80ff7f01, 3, 0xffffff80),
    R(LBU, 0x80ff7f01, 0, 1), R(LBU, 0x80ff7f01, 1, 0x7f), R(LBU, 0x80ff7f01, 2, 0xff), R(LBU, 0x80ff7f01, 3, 0x80),
    R(LH, 0x80007fff, 0, 0x7fff), R(LH, 0x80007fff, 2, 0xffff8000), R(LH, 0x0000ffff, 0, ONES), R(LH, 0x0000ffff, 2, 0),
    R(LHU, 0x80007fff, 0, 0x7fff), R(LHU, 0x80007fff, 2, 0x8000), R(LHU, 0x0000ffff, 0, 0xffff), R(LHU, 0x0000ffff, 2, 0),
    R(LW, MIN, 0, MIN), R(LW, 0, 0, 0), R(LW, ONES, 0, ONES), R(LW, 0x12345678, 0, 0x12345678),
    R(FLW, 0x7f800001, 0, 0x7f800001), R(FLW, 1, 0, 1), R(FLW, MIN, 0, MIN),
    R(FLH, 0x80003c00, 0, 0xffff3c00), R(FLH, 0x80003c00, 2, 0xffff8000), R(FLH, 0x00017c01, 0, 0xffff7c01), R(FLH, 0x00017c01, 2, 0xffff0001),
};

// a: what is stored, b: the offset in a word that was 0xa5a5a5a5
static const struct row STORES[] = {
    R(SB, 0x12345678, 0, 0xa5a5a578), R(SB, 0x123456ff, 1, 0xa5a5ffa5), R(SB, 0xffffff00, 2, 0xa500a5a5), R(SB, 0x80, 3, 0x80a5a5a5),
    R(SH, 0x12345678, 0, 0xa5a55678), R(SH, 0xffff0000, 2, 0x0000a5a5), R(SH, 0x8000, 2, 0x8000a5a5), R(SH, ONES, 0, 0xa5a5ffff),
    R(SW, 0x12345678, 0, 0x12345678), R(SW, 0, 0, 0), R(SW, ONES, 0, ONES), R(SW, MIN, 0, MIN),
    R(FSW, 0x7f800001, 0, 0x7f800001), R(FSW, 0x80000001, 0, 0x80000001), R(FSW, 0xffff3c00, 0, 0xffff3c00),
    R(FSH, 0xffff3c00, 0, 0xa5a53c00), R(FSH, 0xffff8001, 2, 0x8001a5a5), R(FSH, 0x12347c01, 0, 0xa5a57c01),
};

// a: in memory before, b: the operand; rd gets a
static const struct row AMOS[] = {
    R(AMOADD, MAX, 1, MIN), R(AMOADD, ONES, 1, 0), R(AMOADD, MIN, MIN, 0), R(AMOADD, 5, (uint32_t)-7, (uint32_t)-2),
    R(AMOSWAP, 0, ONES, ONES), R(AMOSWAP, MIN, 0, 0), R(AMOSWAP, 7, 7, 7),
    R(AMOXOR, ONES, ONES, 0), R(AMOXOR, 0xff00ff00, 0x0f0f0f0f, 0xf00ff00f), R(AMOXOR, MIN, 0, MIN),
    R(AMOOR, MIN, MAX, ONES), R(AMOOR, 0, 0, 0), R(AMOOR, 0xff00ff00, 0x0f0f0f0f, 0xff0fff0f),
    R(AMOAND, MIN, MAX, 0), R(AMOAND, ONES, ONES, ONES), R(AMOAND, 0xff00ff00, 0x0f0f0f0f, 0x0f000f00),
    R(AMOMIN, MIN, MAX, MIN), R(AMOMIN, MAX, MIN, MIN), R(AMOMIN, 0, ONES, ONES), R(AMOMIN, ONES, 0, ONES), R(AMOMIN, 3, 3, 3),
    R(AMOMAX, MIN, MAX, MAX), R(AMOMAX, MAX, MIN, MAX), R(AMOMAX, 0, ONES, 0), R(AMOMAX, ONES, 0, 0), R(AMOMAX, 3, 3, 3),
    R(AMOMINU, MIN, MAX, MAX), R(AMOMINU, MAX, MIN, MAX), R(AMOMINU, 0, ONES, 0), R(AMOMINU, ONES, 0, 0), R(AMOMINU, ONES, ONES, ONES),
    R(AMOMAXU, MIN, MAX, MIN), R(AMOMAXU, MAX, MIN, MIN), R(AMOMAXU, 0, ONES, ONES), R(AMOMAXU, ONES, 0, ONES), R(AMOMAXU, 0, 0, 0),
};

// a: in the CSR before, b: the operand; rd gets a. c: the operand is x0
static const struct row CSRS[] = {
    R(CSRRW, 0, ONES, ONES), R(CSRRW, ONES, 0, 0), R(CSRRW, MIN, MAX, MAX), R(CSRRW, ONES, 0, 0, 1),
    R(CSRRS, 0, ONES, ONES), R(CSRRS, ONES, 0, ONES), R(CSRRS, MIN, 1, 0x80000001), R(CSRRS, 0x1234, 0, 0x1234, 1),
    R(CSRRC, ONES, ONES, 0), R(CSRRC, ONES, 0, ONES), R(CSRRC, ONES, MIN, MAX), R(CSRRC, 0x1234, 0, 0x1234, 1),
    R(CSRRWI, ONES, 0, 0), R(CSRRWI, ONES, 31, 31), R(CSRRWI, 0, 16, 16),
    R(CSRRSI, 0, 31, 31), R(CSRRSI, MIN, 0, MIN), R(CSRRSI, ONES, 31, ONES), R(CSRRSI, 1, 16, 17),
    R(CSRRCI, ONES, 31, 0xffffffe0), R(CSRRCI, ONES, 0, ONES), R(CSRRCI, 31, 16, 15), R(CSRRCI, 0, 31, 0),
};

// a: the destination register, b: the immediate of jalr (of jal: 1 for backwards), c: added to the
// base of jalr to make the target odd
static const struct row JUMPS[] = {
    R(JAL, 0, 0, 0), R(JAL, 1, 0, 0), R(JAL, 5, 0, 0), R(JAL, 12, 0, 0), R(JAL, 1, 1, 0), R(JAL, 12, 1, 0), R(JAL, 0, 1, 0),
    R(JALR, 0, 0, 0), R(JALR, 1, 0, 0), R(JALR, 12, 0, 0), R(JALR, 10, 0, 0), R(JALR, 5, 2047, 0, 1), R(JALR, 1, (uint32_t)-2048, 0),
    R(JALR, 12, 0, 0, 1), R(JALR, 10, 1, 0), R(JALR, 12, (uint32_t)-1, 0), R(JALR, 1, 2044, 0, 1), R(JALR, 0, 1, 0),
};

#define F1   0x3f800000u
#define F2   0x40000000u
#define F3   0x40400000u
#define NEG  0x80000000u
#define FINF  0x7f800000u
#define FNINF 0xff800000u
#define FNAN 0x7fc00000u
#define FSNAN 0x7f800001u
#define FMAX 0x7f7fffffu

static const struct row FLOATS[] = {
    R(FADD_S, F1, F1, F2), R(FADD_S, 1, 0, 0), R(FADD_S, 0x007fffff, F1, F1), R(FADD_S, 0x007fffff, 0x007fffff, 0), R(FADD_S, NEG, NEG, NEG), R(FADD_S, 0, NEG, 0),
    R(FADD_S, FINF, FNINF, FNAN), R(FADD_S, FINF, F1, FINF), R(FADD_S, FSNAN, F1, FNAN), R(FADD_S, F1, 0xffc00001, FNAN), R(FADD_S, FMAX, FMAX, FINF), R(FADD_S, F1, 0x33800000, F1), R(FADD_S, 0x3f800001, 0x33800000, 0x3f800002), R(FADD_S, F1, 0xbf800000, 0),
    R(FSUB_S, F3, F1, F2), R(FSUB_S, F1, F1, 0), R(FSUB_S, 0, 1, 0), R(FSUB_S, NEG, 0, NEG), R(FSUB_S, FINF, FINF, FNAN), R(FSUB_S, F1, FSNAN, FNAN), R(FSUB_S, 0x00800001, 0x00800000, 0), R(FSUB_S, 0x00800000, 0x00800001, NEG), R(FSUB_S, 0xff7fffff, FMAX, FNINF),
    R(FMUL_S, F2, F3, 0x40c00000), R(FMUL_S, NEG, F1, NEG), R(FMUL_S, NEG, NEG, 0), R(FMUL_S, 0, FINF, FNAN), R(FMUL_S, 1, FINF, FNAN), R(FMUL_S, FINF, 0xbf800000, FNINF), R(FMUL_S, 0x00800000, 0x3f000000, 0), R(FMUL_S, 0x80800000, 0x3f000000, NEG), R(FMUL_S, 0x007fffff, F2, 0), R(FMUL_S, 0x80000001, F2, NEG), R(FMUL_S, FMAX, F2, FINF), R(FMUL_S, FSNAN, 0, FNAN), R(FMUL_S, 0x00800000, 0x00800000, 0),
    R(FMADD_S, F2, F3, 0x40e00000, F1), R(FMADD_S, FINF, 0, FNAN, F1), R(FMADD_S, 1, F1, F1, F1), R(FMADD_S, F1, F1, F1, 1), R(FMADD_S, FINF, F1, FNAN, FNINF), R(FMADD_S, F1, F1, FNAN, FSNAN), R(FMADD_S, 0, 0, 0, NEG), R(FMADD_S, F1, F1, FNINF, FNINF),
    R(FMSUB_S, F2, F3, 0x40a00000, F1), R(FMSUB_S, FINF, F1, FNAN, FINF), R(FMSUB_S, F1, F1, 0, F1), R(FMSUB_S, F1, F1, FNAN, FNAN),
    R(FNMSUB_S, F2, F3, 0xc0a00000, F1), R(FNMSUB_S, FINF, F1, FNAN, FINF), R(FNMSUB_S, F1, F1, 0, F1), R(FNMSUB_S, FSNAN, F1, FNAN, F1),
    R(FNMADD_S, F2, F3, 0xc0e00000, F1), R(FNMADD_S, FINF, F1, FNAN, FNINF), R(FNMADD_S, 0, 0, NEG, 0), R(FNMADD_S, F1, FNAN, FNAN, F1),
    R(FSGNJ_S, F1, NEG, 0xbf800000), R(FSGNJ_S, 0xbf800000, 0, F1), R(FSGNJ_S, FSNAN, NEG, 0xff800001), R(FSGNJ_S, 1, NEG, 0x80000001),
    R(FSGNJN_S, F1, 0, 0xbf800000), R(FSGNJN_S, F1, NEG, F1), R(FSGNJN_S, FSNAN, 0, 0xff800001), R(FSGNJN_S, 0x80000001, NEG, 1),
    R(FSGNJX_S, F1, NEG, 0xbf800000), R(FSGNJX_S, 0xbf800000, NEG, F1), R(FSGNJX_S, 0xff800001, 0, 0xff800001), R(FSGNJX_S, 0x80000001, NEG, 1),
    R(FMIN_S, F1, F2, F1), R(FMIN_S, FNAN, F1, F1), R(FMIN_S, F1, FSNAN, F1), R(FMIN_S, FSNAN, 0xffffffff, FNAN), R(FMIN_S, 0, NEG, NEG), R(FMIN_S, NEG, 0, NEG), R(FMIN_S, FINF, FNINF, FNINF), R(FMIN_S, 0xbf800000, 0xc0000000, 0xc0000000),
    R(FMAX_S, F1, F2, F2), R(FMAX_S, FNAN, F1, F1), R(FMAX_S, F1, FSNAN, F1), R(FMAX_S, FSNAN, 0xffffffff, FNAN), R(FMAX_S, 0, NEG, 0), R(FMAX_S, NEG, 0, 0), R(FMAX_S, FINF, FNINF, FINF), R(FMAX_S, 0xbf800000, 0xc0000000, 0xbf800000),
    R(FEQ_S, 0, NEG, 1), R(FEQ_S, FNAN, FNAN, 0), R(FEQ_S, FINF, FINF, 1), R(FEQ_S, FINF, FNINF, 0), R(FEQ_S, FSNAN, F1, 0), R(FEQ_S, 1, 0, 0),
    R(FLT_S, NEG, 0, 0), R(FLT_S, FNINF, 0xff7fffff, 1), R(FLT_S, F1, FNAN, 0), R(FLT_S, FNAN, F1, 0), R(FLT_S, F1, F1, 0), R(FLT_S, 0xc0000000, 0xbf800000, 1), R(FLT_S, F1, F2, 1), R(FLT_S, FINF, FINF, 0), R(FLT_S, 0, 1, 1),
    R(FLE_S, 0, NEG, 1), R(FLE_S, NEG, 0, 1), R(FLE_S, F1, FNAN, 0), R(FLE_S, FNAN, FNAN, 0), R(FLE_S, F2, F1, 0), R(FLE_S, FINF, FINF, 1), R(FLE_S, FNINF, FINF, 1),
    R(FCVT_W_S, 0x3f000000, 0, 0), R(FCVT_W_S, 0x3fc00000, 0, 2), R(FCVT_W_S, 0x40200000, 0, 2), R(FCVT_W_S, 0xbfc00000, 0, (uint32_t)-2), R(FCVT_W_S, 0xbf000000, 0, 0), R(FCVT_W_S, 0x3f000001, 0, 1), R(FCVT_W_S, 0x4f000000, 0, MAX), R(FCVT_W_S, 0x4effffff, 0, 0x7fffff80), R(FCVT_W_S, 0xcf000000, 0, MIN), R(FCVT_W_S, 0xcf000001, 0, MIN), R(FCVT_W_S, FINF, 0, MAX), R(FCVT_W_S, FNINF, 0, MIN), R(FCVT_W_S, FNAN, 0, MAX), R(FCVT_W_S, 0xffc00000, 0, MAX), R(FCVT_W_S, 1, 0, 0), R(FCVT_W_S, NEG, 0, 0),
    R(FCVT_WU_S, 0x3f000000, 0, 0), R(FCVT_WU_S, 0xbf800000, 0, 0), R(FCVT_WU_S, 0xbf000000, 0, 0), R(FCVT_WU_S, 0x4f000000, 0, MIN), R(FCVT_WU_S, 0x4f7fffff, 0, 0xffffff00), R(FCVT_WU_S, 0x4f800000, 0, ONES), R(FCVT_WU_S, FINF, 0, ONES), R(FCVT_WU_S, FNINF, 0, 0), R(FCVT_WU_S, FNAN, 0, ONES), R(FCVT_WU_S, 0xffc00000, 0, ONES),
    R(FMV_X_W, FSNAN, 0, FSNAN), R(FMV_X_W, NEG, 0, NEG), R(FMV_X_W, 1, 0, 1),
    R(FMV_W_X, FSNAN, 0, FSNAN), R(FMV_W_X, NEG, 0, NEG), R(FMV_W_X, 1, 0, 1),
    R(FCLASS_S, FNINF, 0, 1), R(FCLASS_S, 0xff7fffff, 0, 2), R(FCLASS_S, 0x80000001, 0, 4), R(FCLASS_S, NEG, 0, 8), R(FCLASS_S, 0, 0, 16), R(FCLASS_S, 0x007fffff, 0, 32), R(FCLASS_S, 0x00800000, 0, 64), R(FCLASS_S, FINF, 0, 128), R(FCLASS_S, FSNAN, 0, 256), R(FCLASS_S, FNAN, 0, 512), R(FCLASS_S, 0xffc00000, 0, 512),
    R(FCVT_S_W, 0, 0, 0), R(FCVT_S_W, ONES, 0, 0xbf800000), R(FCVT_S_W, MIN, 0, 0xcf000000), R(FCVT_S_W, MAX, 0, 0x4f000000), R(FCVT_S_W, 0x01000001, 0, 0x4b800000), R(FCVT_S_W, 0x01000003, 0, 0x4b800002),
    R(FCVT_S_WU, 0, 0, 0), R(FCVT_S_WU, ONES, 0, 0x4f800000), R(FCVT_S_WU, MIN, 0, 0x4f000000), R(FCVT_S_WU, 0xffffff7f, 0, 0x4f7fffff), R(FCVT_S_WU, 0xffffff80, 0, 0x4f800000),
};

#define H(bits) (0xffff0000u | 0x##bits##u) // boxed

static const struct row HALVES[] = {
    R(FADD_H, H(3c00), H(3c00), H(4000)), R(FADD_H, H(0001), H(0000), H(0000)), R(FADD_H, H(03ff), H(3c00), H(3c00)), R(FADD_H, H(7c00), H(fc00), H(7e00)), R(FADD_H, 0x3c00, H(3c00), H(7e00)), R(FADD_H, H(7bff), H(7bff), H(7c00)), R(FADD_H, H(3c00), H(1000), H(3c00)), R(FADD_H, H(3c01), H(1000), H(3c02)), R(FADD_H, H(8000), H(8000), H(8000)),
    R(FSUB_H, H(4200), H(3c00), H(4000)), R(FSUB_H, H(0401), H(0400), H(0000)), R(FSUB_H, H(0400), H(0401), H(8000)), R(FSUB_H, H(7c00), H(7c00), H(7e00)), R(FSUB_H, H(3c00), H(3c00), H(0000)),
    R(FMUL_H, H(4000), H(4200), H(4600)), R(FMUL_H, H(0400), H(3800), H(0000)), R(FMUL_H, H(8000), H(3c00), H(8000)), R(FMUL_H, H(0000), H(7c00), H(7e00)), R(FMUL_H, H(7bff), H(4000), H(7c00)), R(FMUL_H, H(03ff), H(4000), H(0000)),
    R(FMADD_H, H(4000), H(4200), H(4700), H(3c00)), R(FMADD_H, H(7c00), H(3c00), H(7e00), H(fc00)), R(FMADD_H, H(0001), H(3c00), H(3c00), H(3c00)), R(FMADD_H, H(3c00), H(3c00), H(7e00), 0x3c00),
    R(FMSUB_H, H(4000), H(4200), H(4500), H(3c00)), R(FMSUB_H, H(7c00), H(3c00), H(7e00), H(7c00)), R(FMSUB_H, H(3c00), H(3c00), H(0000), H(3c00)),
    R(FNMSUB_H, H(4000), H(4200), H(c500), H(3c00)), R(FNMSUB_H, H(7c01), H(3c00), H(7e00), H(3c00)), R(FNMSUB_H, H(3c00), H(3c00), H(0000), H(3c00)),
    R(FNMADD_H, H(4000), H(4200), H(c700), H(3c00)), R(FNMADD_H, H(7c00), H(3c00), H(7e00), H(fc00)), R(FNMADD_H, H(0000), H(0000), H(8000), H(0000)),
    R(FSGNJ_H, H(3c00), H(8000), H(bc00)), R(FSGNJ_H, H(7c01), H(8000), H(fc01)), R(FSGNJ_H, 0x3c00, H(8000), H(fe00)), R(FSGNJ_H, H(8001), H(0000), H(0001)),
    R(FSGNJN_H, H(3c00), H(0000), H(bc00)), R(FSGNJN_H, H(3c00), H(8000), H(3c00)), R(FSGNJN_H, H(3c00), 0x8000, H(bc00)),
    R(FSGNJX_H, H(3c00), H(8000), H(bc00)), R(FSGNJX_H, H(bc00), H(8000), H(3c00)), R(FSGNJX_H, H(8001), H(0000), H(8001)),
    R(FMIN_H, H(3c00), H(4000), H(3c00)), R(FMIN_H, H(7e00), H(3c00), H(3c00)), R(FMIN_H, H(7e00), H(7c01), H(7e00)), R(FMIN_H, H(0000), H(8000), H(8000)), R(FMIN_H, H(fc00), H(7c00), H(fc00)), R(FMIN_H, H(0001), H(3c00), H(0001)), R(FMIN_H, H(0000), H(83ff), H(83ff)),
    R(FMAX_H, H(3c00), H(4000), H(4000)), R(FMAX_H, 0x3c00, H(3c00), H(3c00)), R(FMAX_H, H(7e00), H(7c01), H(7e00)), R(FMAX_H, H(8000), H(0000), H(0000)), R(FMAX_H, H(fc00), H(7c00), H(7c00)), R(FMAX_H, H(0001), H(0000), H(0001)),
    R(FEQ_H, H(0000), H(8000), 1), R(FEQ_H, H(7e00), H(7e00), 0), R(FEQ_H, H(7c00), H(7c00), 1), R(FEQ_H, 0x3c00, H(3c00), 0), R(FEQ_H, H(0001), H(0000), 0), R(FEQ_H, H(0001), H(0001), 1),
    R(FLT_H, H(8000), H(0000), 0), R(FLT_H, H(fc00), H(fbff), 1), R(FLT_H, H(3c00), H(7e00), 0), R(FLT_H, H(3c00), H(4000), 1), R(FLT_H, H(c000), H(bc00), 1), R(FLT_H, H(0000), H(0001), 1), R(FLT_H, H(03ff), H(0400), 1),
    R(FLE_H, H(0000), H(8000), 1), R(FLE_H, H(7c00), H(7c00), 1), R(FLE_H, H(7e00), H(3c00), 0), R(FLE_H, H(4000), H(3c00), 0), R(FLE_H, H(0001), H(0000), 0),
    R(FCVT_W_H, H(3e00), 0, 2), R(FCVT_W_H, H(4100), 0, 2), R(FCVT_W_H, H(7bff), 0, 65504), R(FCVT_W_H, H(fbff), 0, (uint32_t)-65504), R(FCVT_W_H, H(7c00), 0, MAX), R(FCVT_W_H, H(fc00), 0, MIN), R(FCVT_W_H, H(7e00), 0, MAX), R(FCVT_W_H, 0x3c00, 0, MAX),
    R(FCVT_WU_H, H(7bff), 0, 65504), R(FCVT_WU_H, H(bc00), 0, 0), R(FCVT_WU_H, H(7c00), 0, ONES), R(FCVT_WU_H, H(fc00), 0, 0), R(FCVT_WU_H, H(7e00), 0, ONES),
    R(FMV_X_H, H(3c00), 0, 0x3c00), R(FMV_X_H, H(8000), 0, 0xffff8000), R(FMV_X_H, 0x12347c01, 0, 0x7c01),
    R(FMV_H_X, 0x3c00, 0, H(3c00)), R(FMV_H_X, 0x12348001, 0, H(8001)), R(FMV_H_X, 0, 0, H(0000)),
    R(FCLASS_H, H(fc00), 0, 1), R(FCLASS_H, H(fbff), 0, 2), R(FCLASS_H, H(8001), 0, 4), R(FCLASS_H, H(8000), 0, 8), R(FCLASS_H, H(0000), 0, 16), R(FCLASS_H, H(03ff), 0, 32), R(FCLASS_H, H(0400), 0, 64), R(FCLASS_H, H(7c00), 0, 128), R(FCLASS_H, H(7c01), 0, 256), R(FCLASS_H, H(7e00), 0, 512), R(FCLASS_H, 0x3c00, 0, 512),
    R(FCVT_H_W, 65504, 0, H(7bff)), R(FCVT_H_W, 65519, 0, H(7bff)), R(FCVT_H_W, 65520, 0, H(7c00)), R(FCVT_H_W, MIN, 0, H(fc00)), R(FCVT_H_W, ONES, 0, H(bc00)), R(FCVT_H_W, 2049, 0, H(6800)), R(FCVT_H_W, 2051, 0, H(6802)), R(FCVT_H_W, 0, 0, H(0000)),
    R(FCVT_H_WU, 65504, 0, H(7bff)), R(FCVT_H_WU, ONES, 0, H(7c00)), R(FCVT_H_WU, 1, 0, H(3c00)), R(FCVT_H_WU, 0, 0, H(0000)),
    R(FCVT_S_H, H(3c00), 0, F1), R(FCVT_S_H, H(8000), 0, NEG), R(FCVT_S_H, H(7c00), 0, FINF), R(FCVT_S_H, H(7e00), 0, FNAN), R(FCVT_S_H, H(fc01), 0, FNAN), R(FCVT_S_H, 0x3c00, 0, FNAN), R(FCVT_S_H, H(7bff), 0, 0x477fe000), R(FCVT_S_H, H(0001), 0, 0x33800000), R(FCVT_S_H, H(83ff), 0, 0xb87fc000), R(FCVT_S_H, H(0400), 0, 0x38800000), R(FCVT_S_H, H(0200), 0, 0x38000000),
    R(FCVT_H_S, F1, 0, H(3c00)), R(FCVT_H_S, 0x477fe000, 0, H(7bff)), R(FCVT_H_S, 0x477fefff, 0, H(7bff)), R(FCVT_H_S, 0x477ff000, 0, H(7c00)), R(FCVT_H_S, FSNAN, 0, H(7e00)), R(FCVT_H_S, FNINF, 0, H(fc00)), R(FCVT_H_S, 0x80000001, 0, H(8000)), R(FCVT_H_S, 0x33800000, 0, H(0001)), R(FCVT_H_S, 0x33000000, 0, H(0000)), R(FCVT_H_S, 0xb3000001, 0, H(8001)), R(FCVT_H_S, 0x32ffffff, 0, H(0000)), R(FCVT_H_S, 0x387fc000, 0, H(03ff)), R(FCVT_H_S, 0x387fe000, 0, H(0400)), R(FCVT_H_S, 0x38000000, 0, H(0200)), R(FCVT_H_S, 0x38800000, 0, H(0400)),
};

// The same instructions with cfg0.EnBFloat: BF16, towards zero, and to nearest even with
// EnBFloatRTNE
static const struct row BFLOATS[] = {
    R(FADD_H, H(3f80), H(3f80), H(4000)), R(FADD_H, H(0001), H(0000), H(0000)), R(FADD_H, H(3f81), H(3b80), H(3f81)), R(FADD_H, H(7f80), H(ff80), H(7fc0)), R(FADD_H, 0x3f80, H(3f80), H(7fc0)), R(FADD_H, H(bf81), H(bb80), H(bf81)),
    R(FMUL_H, H(4000), H(4040), H(40c0)), R(FMUL_H, H(0080), H(3f00), H(0000)), R(FMUL_H, H(7f81), H(3f80), H(7fc0)),
    R(FEQ_H, H(0001), H(0000), 0), R(FEQ_H, H(0000), H(8000), 1), R(FMIN_H, H(0001), H(3f80), H(0001)), R(FMAX_H, H(7f81), H(7fc0), H(7fc0)),
    R(FCLASS_H, H(ff80), 0, 1), R(FCLASS_H, H(8001), 0, 4), R(FCLASS_H, H(007f), 0, 32), R(FCLASS_H, H(0080), 0, 64), R(FCLASS_H, H(7f81), 0, 256), R(FCLASS_H, H(7fc0), 0, 512), R(FCLASS_H, 0x3f80, 0, 512),
    R(FCVT_S_H, H(3f80), 0, F1), R(FCVT_S_H, H(8000), 0, NEG), R(FCVT_S_H, H(0001), 0, 0x00010000), R(FCVT_S_H, H(ff81), 0, FNAN),
    R(FCVT_H_S, 0x3f80ffff, 0, H(3f80)), R(FCVT_H_S, 0x7f7fffff, 0, H(7f7f)), R(FCVT_H_S, FSNAN, 0, H(7fc0)), R(FCVT_H_S, 0x00010000, 0, H(0001)), R(FCVT_H_W, 257, 0, H(4380)), R(FCVT_H_W, 259, 0, H(4381)),
};
static const struct row BFLOATS_RTNE[] = {
    R(FADD_H, H(3f81), H(3b80), H(3f82)), R(FADD_H, H(3f80), H(3b80), H(3f80)), R(FADD_H, H(7f7f), H(7f7f), H(7f80)),
    R(FCVT_H_S, 0x3f80ffff, 0, H(3f81)), R(FCVT_H_S, 0x3f808000, 0, H(3f80)), R(FCVT_H_S, 0x3f818000, 0, H(3f82)), R(FCVT_H_S, 0x7f7fffff, 0, H(7f80)), R(FCVT_H_W, 257, 0, H(4380)), R(FCVT_H_W, 259, 0, H(4382)),
};

// What has no row: no result to look at. test_system sees what they do instead.
static const enum ts_rv_op EXCEPTIONS[] = {
    TS_RV_FENCE,   // its effect is an order; the rows here use it
    TS_RV_ECALL,   // a fault
    TS_RV_EBREAK,  // a debug pause
    TS_RV_MRET,    // a fault outside an interrupt; tests/tile/test_tile.c has one
};

static const struct family {
    const struct row *rows;
    size_t count;
} FAMILIES[] = {
    {ALU, COUNT(ALU)}, {MULDIV, COUNT(MULDIV)}, {BITS, COUNT(BITS)}, {BRANCHES, COUNT(BRANCHES)}, {LOADS, COUNT(LOADS)}, {STORES, COUNT(STORES)},
    {AMOS, COUNT(AMOS)}, {CSRS, COUNT(CSRS)}, {JUMPS, COUNT(JUMPS)}, {FLOATS, COUNT(FLOATS)}, {HALVES, COUNT(HALVES)},
};
// clang-format on

// A program under construction and the words it must leave at RESULTS.
struct check {
    const struct row *row;
    const char *what;
    uint32_t expected;
};

static struct ts_rvasm code;
static struct check checks[CHECKS];
static uint32_t check_count;

#define I(op, rd, rs1, rs2, imm) ts_rvasm(&code, TS_RV_##op, rd, rs1, rs2, imm)
#define LI(rd, value)            ts_rvasm_li(&code, rd, value)

static void begin(void)
{
    code.count = check_count = 0;
    LI(31, RESULTS);
}

static uint32_t here(void)
{
    return ts_rvasm_here(&code) * 4; // programs start at 0
}

// Stores a register as the next result; x31 points to where.
static void expect(const struct row *row, const char *what, unsigned reg, uint32_t expected)
{
    ck_assert_uint_lt(check_count, CHECKS);
    checks[check_count++] = (struct check){row, what, expected};
    I(SW, 0, 31, reg, 0);
    I(ADDI, 31, 31, 0, 4);
}

static struct ts_run run_with(unsigned core, bool run_ahead)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_default();
    config.run_ahead = config.park = run_ahead;
    config.params.local_zeroing = 0;
    struct ts_error error = {0};
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
    ck_assert(ts_tile_start(tile, core, 0, 0, &error));
    struct ts_run run = ts_kernel_run(kernel, 10000000);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < check_count; i++) {
        const struct check *check = &checks[i];
        uint32_t got;
        memcpy(&got, tile->l1.bytes + RESULTS + i * 4, 4);
        if (got != check->expected) {
            wrong++;
            fprintf(stderr, "%s 0x%08x, 0x%08x, 0x%08x (%s): 0x%08x, not 0x%08x\n",
                    ts_rv_mnemonic(check->row->op), check->row->a, check->row->b, check->row->c,
                    check->what, got, check->expected);
        }
    }
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    ck_assert_msg(wrong == 0, "%u of %u results are wrong; %s %s", wrong, check_count,
                  ts_stop_name(run.stop), run.error.text);
    return run;
}

static void run_to_end(unsigned core, bool run_ahead)
{
    struct ts_run run = run_with(core, run_ahead);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s %s", ts_stop_name(run.stop), run.error.text);
}

// The program ends; it runs on two kinds of core, ahead of the clock and step by step.
static void finish(void)
{
    I(FENCE, 0, 0, 0, 0);
    I(JAL, 0, 0, 0, 0);
    ck_assert(!code.overflow);
    run_to_end(TS_RV_BRISC, true);
    run_to_end(TS_RV_TRISC1, true);
    run_to_end(TS_RV_BRISC, false);
}

// Operands in x10, x11: into another register, over each operand, into x0.
static void integer(const struct row *rows, size_t count)
{
    static const struct {
        unsigned rd;
        const char *what;
    } variants[] = {{12, "rd"}, {10, "rd is rs1"}, {11, "rd is rs2"}, {0, "rd is x0"}};
    for (unsigned v = 0; v < COUNT(variants); v++) {
        begin();
        for (size_t i = 0; i < count; i++) {
            const struct row *row = &rows[i];
            unsigned rd = variants[v].rd;
            LI(10, row->a);
            LI(11, row->b);
            uint32_t pc = row->op == TS_RV_AUIPC ? here() : 0;
            ts_rvasm(&code, row->op, rd, 10, 11, (int32_t)row->b);
            expect(row, variants[v].what, rd, rd == 0 ? 0 : row->expected + pc);
        }
        finish();
    }
}

// Operands in f10, f11, f12 (or x10), by the row's format; result in f or x.
static void floating(const struct row *rows, size_t count, uint32_t cfg0)
{
    for (unsigned variant = 0; variant < 2; variant++) {
        begin();
        LI(10, cfg0);
        I(CSRRS, 0, 10, 0, 0x7c0);
        for (size_t i = 0; i < count; i++) {
            const struct row *row = &rows[i];
            unsigned format = ts_rv_row(row->op)->format, rd = variant ? 10 : 13;
            LI(10, row->a);
            LI(11, row->b);
            LI(12, row->c);
            I(FMV_W_X, 10, 10, 0, 0);
            I(FMV_W_X, 11, 11, 0, 0);
            I(FMV_W_X, 12, 12, 0, 0);
            ts_rvasm(&code, row->op, rd, 10, 11, 12);
            if (format != TS_RV_FMT_FX && format != TS_RV_FMT_FC)
                I(FMV_X_W, rd, rd, 0, 0);
            expect(row, variant ? "rd is rs1" : "rd", rd, row->expected);
        }
        finish();
    }
}

START_TEST(test_alu)
{
    integer(ALU, COUNT(ALU));
}
END_TEST

START_TEST(test_muldiv)
{
    integer(MULDIV, COUNT(MULDIV));
}
END_TEST

START_TEST(test_bits)
{
    integer(BITS, COUNT(BITS));
}
END_TEST

START_TEST(test_branches)
{
    begin();
    for (size_t i = 0; i < COUNT(BRANCHES); i++) {
        const struct row *row = &BRANCHES[i];
        LI(10, row->a);
        LI(11, row->b);
        I(ADDI, 12, 0, 0, 1);
        ts_rvasm(&code, row->op, 0, 10, 11, 8);
        I(ADDI, 12, 0, 0, 0);
        expect(row, "forwards", 12, row->expected);
        I(JAL, 0, 0, 0, 12);
        I(ADDI, 12, 0, 0, 1);
        I(JAL, 0, 0, 0, 12);
        ts_rvasm(&code, row->op, 0, 10, 11, -8);
        I(ADDI, 12, 0, 0, 0);
        expect(row, "backwards", 12, row->expected);
    }
    finish();
}
END_TEST

START_TEST(test_jumps)
{
    begin();
    for (size_t i = 0; i < COUNT(JUMPS); i++) {
        const struct row *row = &JUMPS[i];
        unsigned rd = row->a;
        uint32_t link;
        I(ADDI, 13, 0, 0, 0);
        if (row->op == TS_RV_JALR) {
            // Room for the longest li; the target is two instructions after the jump.
            uint32_t target = here() + 16 + 4;
            uint32_t from = code.count;
            LI(10, target - row->b + row->c);
            while (code.count < from + 3)
                I(ADDI, 0, 0, 0, 0);
            link = here() + 4;
            ts_rvasm(&code, TS_RV_JALR, rd, 10, 0, (int32_t)row->b);
            I(ADDI, 13, 13, 0, 1); // passed over
        } else if (row->b == 0) {
            link = here() + 4;
            I(JAL, rd, 0, 0, 8);
            I(ADDI, 13, 13, 0, 1);
        } else {
            I(JAL, 0, 0, 0, 12);
            I(ADDI, 13, 13, 0, 2); // where the jump back goes
            I(JAL, 0, 0, 0, 12);
            link = here() + 4;
            I(JAL, rd, 0, 0, -8);
            I(ADDI, 13, 13, 0, 1); // passed over
        }
        I(ADDI, 13, 13, 0, 4);
        expect(row, "way", 13, row->op == TS_RV_JAL && row->b ? 6 : 4);
        expect(row, "link", rd, rd == 0 ? 0 : link);
    }
    finish();
}
END_TEST

START_TEST(test_loads)
{
    // From L1 and local RAM, just stored and after a fence, at a negative offset.
    for (unsigned variant = 0; variant < 4; variant++) {
        begin();
        for (size_t i = 0; i < COUNT(LOADS); i++) {
            const struct row *row = &LOADS[i];
            LI(8, (variant & 1 ? LOCAL : DATA) + (uint32_t)i * 16 + 8);
            LI(10, row->a);
            LI(11, ~row->a);
            I(SW, 0, 8, 11, -4);
            I(SW, 0, 8, 11, 4);
            I(SW, 0, 8, 10, 0);
            if (variant & 2)
                I(FENCE, 0, 0, 0, 0);
            if (variant & 2) {
                I(ADDI, 8, 8, 0, 1024);
                ts_rvasm(&code, row->op, 12, 8, 0, (int32_t)row->b - 1024);
            } else {
                ts_rvasm(&code, row->op, 12, 8, 0, (int32_t)row->b);
            }
            if (ts_rv_row(row->op)->format == TS_RV_FMT_FL)
                I(FMV_X_W, 12, 12, 0, 0);
            expect(row, variant & 1 ? "local RAM" : "L1", 12, row->expected);
        }
        finish();
    }
}
END_TEST

START_TEST(test_stores)
{
    for (unsigned variant = 0; variant < 4; variant++) {
        begin();
        for (size_t i = 0; i < COUNT(STORES); i++) {
            const struct row *row = &STORES[i];
            LI(8, (variant & 1 ? LOCAL : DATA) + (uint32_t)i * 16);
            LI(10, row->a);
            LI(11, 0xa5a5a5a5);
            I(FMV_W_X, 10, 10, 0, 0);
            for (int32_t k = 0; k < 3; k++)
                I(SW, 0, 8, 11, k * 4);
            ts_rvasm(&code, row->op, 0, 8, 10, (int32_t)row->b + 4);
            if (variant & 2)
                I(FENCE, 0, 0, 0, 0);
            I(LW, 12, 8, 0, 4);
            I(LW, 13, 8, 0, 0);
            I(LW, 14, 8, 0, 8);
            expect(row, variant & 1 ? "local RAM" : "L1", 12, row->expected);
            expect(row, "the word before", 13, 0xa5a5a5a5);
            expect(row, "the word after", 14, 0xa5a5a5a5);
        }
        finish();
    }
}
END_TEST

START_TEST(test_amos)
{
    static const unsigned rds[] = {12, 11, 8, 0}; // another, the operand, the address, none
    for (unsigned v = 0; v < COUNT(rds); v++) {
        begin();
        for (size_t i = 0; i < COUNT(AMOS); i++) {
            const struct row *row = &AMOS[i];
            LI(8, DATA + (uint32_t)i * 4);
            I(ADDI, 9, 8, 0, 0);
            LI(10, row->a);
            LI(11, row->b);
            I(SW, 0, 8, 10, 0);
            ts_rvasm(&code, row->op, rds[v], 8, 11, 0);
            I(LW, 13, 9, 0, 0);
            expect(row, "old", rds[v], rds[v] == 0 ? 0 : row->a);
            expect(row, "new", 13, row->expected);
        }
        finish();
    }
}
END_TEST

START_TEST(test_csrs)
{
    static const unsigned rds[] = {12, 11, 0}; // another, the operand, none
    for (unsigned v = 0; v < COUNT(rds); v++) {
        begin();
        for (size_t i = 0; i < COUNT(CSRS); i++) {
            const struct row *row = &CSRS[i];
            bool immediate = ts_rv_row(row->op)->format == TS_RV_FMT_CI;
            LI(10, row->a);
            LI(11, row->b);
            I(CSRRW, 0, 10, 0, CFG1);
            ts_rvasm(&code, row->op, rds[v], immediate ? row->b : row->c ? 0 : 11, 0, CFG1);
            I(CSRRS, 13, 0, 0, CFG1);
            expect(row, "old", rds[v], rds[v] == 0 ? 0 : row->a);
            expect(row, "new", 13, row->expected);
        }
        finish();
    }
}
END_TEST

START_TEST(test_floats)
{
    floating(FLOATS, COUNT(FLOATS), 0);
}
END_TEST

START_TEST(test_halves)
{
    floating(HALVES, COUNT(HALVES), 0);
    floating(BFLOATS, COUNT(BFLOATS), TS_RV_CFG0_EN_BFLOAT);
    floating(BFLOATS_RTNE, COUNT(BFLOATS_RTNE), TS_RV_CFG0_EN_BFLOAT | TS_RV_CFG0_EN_BFLOAT_RTNE);
}
END_TEST

START_TEST(test_system)
{
    // What comes after is reached or not: a word in L1 says which.
    static const struct {
        struct row row;
        enum ts_stop stop;
        const char *text;
    } rows[] = {
        {{.op = TS_RV_FENCE, .expected = 1}, TS_STOP_DONE, ""},
        {{.op = TS_RV_ECALL}, TS_STOP_FAULT, "ecall outside"},
        {{.op = TS_RV_MRET}, TS_STOP_FAULT, "mret outside"},
        {{.op = TS_RV_EBREAK}, TS_STOP_DONE, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int ahead = 0; ahead < 2; ahead++) {
            begin();
            I(ADDI, 10, 0, 0, 1);
            ts_rvasm(&code, rows[i].row.op, 0, 0, 0, 0);
            expect(&rows[i].row, "reached", 10, rows[i].row.expected);
            I(JAL, 0, 0, 0, 0);
            struct ts_run run = run_with(TS_RV_BRISC, ahead);
            ck_assert_msg(run.stop == rows[i].stop && strstr(run.error.text, rows[i].text),
                          "%s: %s %s", ts_rv_mnemonic(rows[i].row.op), ts_stop_name(run.stop),
                          run.error.text);
        }
}
END_TEST

START_TEST(test_every_instruction_has_rows)
{
    unsigned rows[TS_RV_OP_COUNT] = {0};
    for (size_t f = 0; f < COUNT(FAMILIES); f++)
        for (size_t i = 0; i < FAMILIES[f].count; i++)
            rows[FAMILIES[f].rows[i].op]++;
    for (size_t i = 0; i < COUNT(EXCEPTIONS); i++) {
        ck_assert_msg(rows[EXCEPTIONS[i]] == 0, "%s is no exception",
                      ts_rv_mnemonic(EXCEPTIONS[i]));
        rows[EXCEPTIONS[i]] = 3;
    }
    for (int op = 0; op < TS_RV_OP_COUNT; op++)
        if (ts_rv_row((enum ts_rv_op)op) != NULL)
            ck_assert_msg(rows[op] >= 3, "%s has %u rows", ts_rv_mnemonic((enum ts_rv_op)op),
                          rows[op]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_alu);
    tcase_add_test(tests, test_muldiv);
    tcase_add_test(tests, test_bits);
    tcase_add_test(tests, test_branches);
    tcase_add_test(tests, test_jumps);
    tcase_add_test(tests, test_loads);
    tcase_add_test(tests, test_stores);
    tcase_add_test(tests, test_amos);
    tcase_add_test(tests, test_csrs);
    tcase_add_test(tests, test_floats);
    tcase_add_test(tests, test_halves);
    tcase_add_test(tests, test_system);
    tcase_add_test(tests, test_every_instruction_has_rows);
}

SUITE("riscv_edges", add_tests)
