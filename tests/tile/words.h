// Random Tensix words for tests: mostly such that the units take them.
#ifndef TENSIM_TESTS_TILE_WORDS_H
#define TENSIM_TESTS_TILE_WORDS_H

#include "units/isa/dispatch.h"
#include "units/tensix.h"

#define WORDS_NOP ((uint32_t)TS_OP_NOP << 24)

static inline uint32_t words_draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random * UINT64_C(0x2545F4914F6CDD1D) >> 32);
}

static inline uint32_t words_put(uint32_t word, unsigned shift, unsigned width, uint32_t value)
{
    uint32_t mask = ((1u << width) - 1) << shift;
    return (word & ~mask) | (value << shift & mask);
}

// What would end nearly every round at once gets likelier values: addresses of L1 in GPRs 48 to 63,
// registers that exist, short loops.
static inline uint32_t words_tame(uint64_t *f, uint32_t word)
{
    switch (TS_OP_OF(word)) {
    case TS_OP_MOP:
        return words_put(word, 16, 7, words_draw(f) % 4);
    case TS_OP_REPLAY: // records at most two words, so that it rarely records a REPLAY
        if (words_draw(f) % 4)
            return words_put(words_put(word, 4, 10, words_draw(f) % 6 + 1), 0, 4, 0);
        return words_put(words_put(word, 4, 10, 1 + words_draw(f) % 2), 0, 4,
                         words_draw(f) % 2 ? 1 : 3);
    case TS_OP_ADDDMAREG:
    case TS_OP_SUBDMAREG:
    case TS_OP_MULDMAREG:
        return words_put(word, 12, 11, words_draw(f) % 48);
    case TS_OP_BITWOPDMAREG:
    case TS_OP_CMPDMAREG:
    case TS_OP_SHIFTDMAREG:
        return words_put(words_put(word, 12, 6, words_draw(f) % 48), 18, 5, words_draw(f) % 2);
    case TS_OP_SETDMAREG:
        return words_put(words_put(word, 0, 7, words_draw(f) % 96), 7, 1, words_draw(f) % 16 == 0);
    case TS_OP_LOADIND:
        return words_put(words_put(words_put(word, 0, 6, 56 + words_draw(f) % 8), 14, 8,
                                   96 + words_draw(f) % 16),
                         6, 6, words_draw(f) % 48);
    case TS_OP_STOREIND:
        return words_put(words_put(words_put(word, 0, 6, 56 + words_draw(f) % 8), 14, 7,
                                   96 + words_draw(f) % 16),
                         23, 1, 1);
    case TS_OP_ATINCGET:
    case TS_OP_ATSWAP:
    case TS_OP_ATINCGETPTR:
        return words_put(words_put(word, 0, 6, 56 + words_draw(f) % 8), 6, 6, words_draw(f) % 48);
    case TS_OP_ATCAS: // waits until memory compares
        return words_draw(f) % 64 ? WORDS_NOP : word;
    case TS_OP_LOADREG:
    case TS_OP_STOREREG:
        return words_draw(f) % 32
                   ? WORDS_NOP
                   : words_put(words_put(word, 18, 6, words_draw(f) % 48), 0, 18, 0x12064 >> 2);
    case TS_OP_REG2FLOP:
        return words_put(words_put(word, 20, 2, 2 + words_draw(f) % 2), 6, 10,
                         words_draw(f) & 0x3f);
    case TS_OP_WRCFG:
        return words_put(word, 0, 15, words_draw(f) % TS_CFG_WORDS);
    case TS_OP_RDCFG:
        return words_put(words_put(word, 0, 16, words_draw(f) % TS_CFG_WORDS), 16, 8,
                         words_draw(f) % 48);
    case TS_OP_CFGSHIFTMASK:
    case TS_OP_RMWCIB0:
    case TS_OP_RMWCIB1:
    case TS_OP_RMWCIB2:
    case TS_OP_RMWCIB3:
        return words_put(word, 0, 8, words_draw(f) % TS_CFG_WORDS);
    case TS_OP_SETC16: // ADDR_MODs and the registers before them
        return words_put(word, 16, 8, words_draw(f) % 20);
    case TS_OP_SEMWAIT:
        return words_draw(f) % 8 ? words_put(word, 2, 13, 1u << words_draw(f) % 8) : word;
    case TS_OP_ATGETM:
    case TS_OP_ATRELM:
        return words_put(word, 0, 24, words_draw(f) % 4 + (words_draw(f) % 4 != 0));
    case TS_OP_STREAMWAIT: // overlay streams do not exist here
    case TS_OP_STREAMWRCFG:
    case TS_OP_XMOV:
        return words_draw(f) % 64 ? WORDS_NOP : word;
    case TS_OP_UNPACR:
        return words_draw(f) % 64 ? word & ~(1u << 5 | 1u << 2 | 3u << 8 | 1u << 7) : word;
    case TS_OP_PACR:
        return words_draw(f) % 64 ? word & ~(7u << 21 | 7u << 18 | 3u << 2) : word;
    case TS_OP_SETADC: // positions inside a tile
        return words_put(word, 0, 18, words_draw(f) % 16);
    case TS_OP_SETADCXX:
        return words_put(words_put(word, 10, 11, 8 + words_draw(f) % 8), 0, 10, words_draw(f) % 8);
    case TS_OP_SETADCXY:
    case TS_OP_SETADCZW:
    case TS_OP_INCADCXY:
    case TS_OP_INCADCZW:
    case TS_OP_ADDRCRXY:
    case TS_OP_ADDRCRZW:
        return words_put(word, 18, 2, 0) & ~(words_draw(f) % 4 ? 7u << 12 | 7u << 6 : 0);
    case TS_OP_UNPACR_NOP:
        return words_draw(f) % 64 ? words_put(word, 0, 2, words_draw(f) % 2 ? 1 : 2) : word;
    case TS_OP_SFPPUSHC:
    case TS_OP_SFPPOPC:
        return words_put((uint32_t)TS_OP_SFPPUSHC << 24 | (words_draw(f) & 1u) << 24, 0, 4, 0);
    case TS_OP_SHIFTXA:
        return words_put(word, 0, 2, 2 + words_draw(f) % 2);
    case TS_OP_MOVD2A:
    case TS_OP_MOVD2B:
        return words_put(word, 23, 1, words_draw(f) % 16 == 0);
    case TS_OP_PACR_SETREG:
        return words_draw(f) % 64 ? WORDS_NOP : word;
    default:
        return word;
    }
}

// Mostly words of opcodes that exist, data path and control alike; their fields are random, their
// reserved bits mostly 0. One in `wild` is arbitrary.
static inline uint32_t words_random(uint64_t *f, unsigned wild)
{
    static const uint8_t busy[] = {
        TS_OP_UNPACR, TS_OP_UNPACR,      TS_OP_UNPACR,  TS_OP_UNPACR_NOP, TS_OP_PACR,
        TS_OP_PACR,   TS_OP_PACR,        TS_OP_MVMUL,   TS_OP_ELWADD,     TS_OP_ELWMUL,
        TS_OP_GMPOOL, TS_OP_CLEARDVALID, TS_OP_SFPLOAD, TS_OP_SFPSTORE,   TS_OP_SFPLOADMACRO,
        TS_OP_SFPMAD, TS_OP_SFPCONFIG,   TS_OP_SETRWC,  TS_OP_SETDVALID,
    };
    uint32_t kind = words_draw(f) % wild;
    if (kind == 0)
        return words_draw(f);
    uint8_t op = (uint8_t)words_draw(f);
    if (words_draw(f) % 3 == 0)
        op = busy[words_draw(f) % sizeof busy];
    while (ts_op_info[op].status != TS_STATUS_DONE)
        op = (uint8_t)words_draw(f);
    uint32_t fields = words_draw(f) & 0xffffff;
    if (words_draw(f) % 2)
        fields &= words_draw(f);
    uint32_t word = (uint32_t)op << 24 | (fields & ~ts_op_hot[op].reserved);
    return kind < 2 + wild / 256 ? (uint32_t)op << 24 | fields : words_tame(f, word);
}

#endif
