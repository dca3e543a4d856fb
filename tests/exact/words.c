// Words of random programs: see fuzz.h.
#include "tests/tile/words.h"
#include "tests/exact/maker.h"
#include "units/isa/cfgregs.h"

// ---- Tensix words

// Waits for units; rarely for banks, which may never come.
uint32_t maker_stallwait(struct maker *self)
{
    static const uint16_t units[] = {1, 2, 4, 8, 0x200, 0x400, 0x800, 0x1000, 0xf};
    uint32_t wait = one_in(self, 24) ? 1u << draw(self, 13) : units[draw(self, 9)];
    return OP(STALLWAIT) | (one_in(self, 4) ? 0x1ff : 1u << draw(self, 9)) << 15 | wait;
}

// Words that the units take as the tile is set up below, by thread: unpack, math, pack.
uint32_t maker_word(struct maker *self, unsigned thread)
{
    static const uint32_t common[] = {
        OP(NOP),
        OP(NOP),
        OP(DMANOP),
        OP(DMANOP),
        OP(SEMPOST) | 0x40 << 2,
        OP(SEMGET) | 0x40 << 2,
        OP(SETDMAREG) | 0x1234u << 8 | 20,
        OP(SETDMAREG) | 0x0021u << 8 | 41,
        OP(ADDDMAREG) | 1u << 23 | 12u << 12 | 3u << 6 | 12,
        OP(ADDDMAREG) | 12u << 12 | 17u << 6 | 13,
        OP(MULDMAREG) | 1u << 23 | 14u << 12 | 5u << 6 | 12,
        OP(WRCFG) | 12u << 16 | 180,
        OP(RDCFG) | 13u << 16 | 1,
        OP(FLUSHDMA) | 3,
        OP(RMWCIB0) | 1u << 16 | 0x55 << 8 | 181,
        OP(RMWCIB0) | 0x1f << 16 | 0x1f << 8 | TS_CFG_ADDR_RISCV_IC_INVALIDATE_InvalidateAll,
        OP(WRCFG) | 12u << 16 | TS_CFG_ADDR_RISCV_IC_INVALIDATE_InvalidateAll,
        OP(SETADCXY),
        OP(SETADCZW),
        OP(INCADCXY) | 1u << 21 | 1u << 6,
    };
    static const uint32_t math[] = {
        OP(MVMUL) | 1u << 14,
        OP(MVMUL) | 8,
        OP(MVMUL) | 16,
        OP(ELWADD),
        OP(ELWMUL) | 8,
        OP(ZEROACC) | 2u << 19,
        OP(ZEROSRC) | 3,
        OP(SETRWC) | 0xf,
        OP(INCRWC) | 8u << 14,
        OP(MOVD2A),
        OP(MOVD2B),
        OP(MOVA2D) | 2u << 12,
        OP(SFPLOAD) | 1u << 20,
        OP(SFPSTORE) | 1u << 20,
        OP(SFPMAD) | 1u << 12 | 2u << 8 | 3u << 4,
        OP(SFPADD) | 10u << 16 | 2u << 12 | 3u << 8 | 3u << 4,
        OP(SFPNOP),
        OP(SFPLOADI) | 2u << 20 | 0x3f80,
        OP(GMPOOL) | 1u << 14,
        OP(SHIFTXB) | 1,
    };
    uint32_t kind = draw(self, 16);
    if (kind == 0 && one_in(self, 12)) // anything that the tables know
        return words_random(&self->random, 1000);
    if (kind < 6)
        return common[draw(self, sizeof common / sizeof *common)];
    if (kind == 6)
        return maker_stallwait(self);
    if (kind == 7)
        return OP(SETC16) | (12 + draw(self, 8)) << 16 | (draw(self, 0x10000) & 0x3838);
    switch (thread) {
    case 0:
        return kind < 13   ? OP(UNPACR_NOP) | draw(self, 2) << 23 | 2
               : kind < 15 ? OP(UNPACR) | draw(self, 2) << 23
                           : common[draw(self, sizeof common / sizeof *common)];
    case 1:
        return math[draw(self, sizeof math / sizeof *math)];
    default:
        return kind < 14 ? OP(PACR) | draw(self, 2) << 15 | one_in(self, 4)
                         : OP(SETADCXX) | 15u << 10;
    }
}

// ---- RISC-V code: registers x8, x9, x16 to x27; x31 points to L1, x4 to local RAM

static unsigned reg(struct maker *self)
{
    static const uint8_t regs[] = {8, 9, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
    return regs[draw(self, one_in(self, 2) ? 4 : sizeof regs)];
}

static uint32_t code(struct maker *self)
{
    static const uint8_t loads[] = {TS_RV_LB, TS_RV_LBU, TS_RV_LH, TS_RV_LHU, TS_RV_LW, TS_RV_LW};
    static const uint8_t stores[] = {TS_RV_SB, TS_RV_SH, TS_RV_SW, TS_RV_SW};
    static const uint8_t amos[] = {TS_RV_AMOADD, TS_RV_AMOSWAP, TS_RV_AMOOR, TS_RV_AMOMAX};
    static const uint8_t alus[] = {TS_RV_ADD,  TS_RV_SUB,  TS_RV_XOR,  TS_RV_SLL,    TS_RV_SLTU,
                                   TS_RV_ADDI, TS_RV_XORI, TS_RV_SRAI, TS_RV_SH1ADD, TS_RV_CPOP};
    static const uint8_t branches[] = {TS_RV_BEQ, TS_RV_BNE, TS_RV_BLT, TS_RV_BGEU};
    static const uint8_t divs[] = {TS_RV_DIV, TS_RV_DIVU, TS_RV_REM, TS_RV_REMU};
    static const uint8_t floats[] = {TS_RV_FADD_S, TS_RV_FMUL_S, TS_RV_FSGNJ_S, TS_RV_FMIN_S};
    unsigned base = one_in(self, 3) ? 4 : 31;
    int32_t offset = (int32_t)draw(self, one_in(self, 2) ? 8 : 64) * 4;
    switch (draw(self, 16)) {
    case 0:
    case 1:
    case 2:
        return ts_rv_encode(loads[draw(self, 6)], reg(self), base, 0, offset);
    case 3:
    case 4:
    case 5:
        return ts_rv_encode(stores[draw(self, 4)], 0, base, reg(self), offset);
    case 6:
        return ts_rv_encode(TS_RV_MUL + draw(self, 4), reg(self), reg(self), reg(self), 0);
    case 7:
        return one_in(self, 2)
                   ? ts_rv_encode(divs[draw(self, 4)], reg(self), reg(self), reg(self), 0)
                   : ts_rv_encode(amos[draw(self, 4)], reg(self), 31, reg(self), 0);
    case 8: // over the next word
        return ts_rv_encode(branches[draw(self, 4)], 0, reg(self), reg(self), 8);
    case 9:
        return one_in(self, 3)   ? ts_rv_encode(TS_RV_JAL, 0, 0, 0, 8)
               : one_in(self, 4) ? ts_rv_encode(TS_RV_FENCE, 0, 0, 0, 0)
               : one_in(self, 4)
                   ? 0xbc0022f3u + (draw(self, 2) << 20) // csrr t0, qstatus or bstatus
               : one_in(self, 4) ? 0xb0002473u           // csrr s0, mcycle
                                 : ts_rv_encode(floats[draw(self, 4)], draw(self, 4), draw(self, 4),
                                                draw(self, 4), 0);
    default:
        return ts_rv_encode(alus[draw(self, sizeof alus)], reg(self), reg(self), reg(self),
                            (int32_t)draw(self, 31) + 1);
    }
}

uint32_t maker_code(struct maker *self)
{
    uint32_t word;
    do
        word = code(self);
    while (!(self->machine->extensions & ts_rv_extension((enum ts_rv_op)ts_rv_decode(word).op)));
    return word;
}
