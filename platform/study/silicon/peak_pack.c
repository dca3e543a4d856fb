// T2 of a large matmul (peak.h).
#include "platform/study/silicon/peak.h"
#include "platform/study/silicon/peak_words.h"

#define CORE             TS_RV_TRISC2
#define HALF_AT          0xffb00000u // which half of Dst, in the core's own memory
#define PUSH_AT          0xffe40000u
#define GPR(n)           (0xffe00000u + 4 * (n))
#define REG16(n)         (OP(SETDMAREG) | (n))
#define PACR(mode, last) (OP(PACR) | (uint32_t)(mode) << 15 | (last))

static void config_word(struct peak_code *k, unsigned index, uint32_t value)
{
    peak_set(k, 0xffef0000u + 4 * index, value);
}

static void strides(struct peak_code *k, const struct peak *peak)
{
    const uint32_t row = peak->wide ? 64 : 32;
    peak_tensix(k, REG16(56));
    peak_tensix(k, REG16(57) | row << 8);
    peak_tensix(k, REG16(58) | 16 * row << 8);
    peak_tensix(k, REG16(59) | 64 * row << 8);
    peak_tensix(k, STALL(B_CFG, C_SCALAR));
    peak_tensix(k, OP(WRCFG) | 28u << 16 | 12);
    peak_tensix(k, OP(WRCFG) | 29u << 16 | 13);
    peak_tensix(k, NOP);
    peak_tensix(k, NOP);
}

static void set_up(struct peak_code *k, const struct peak *peak)
{
    const uint32_t format = peak->wide ? 0 : peak->fp8 ? 1 : 5, half = peak->wide ? 256 : 512;
    const uint32_t alu[] = {RMW(3, 0x1e, format << 1, 1), RMW(0, 0xfc, 0, 2), RMW(1, 0xff, 0, 2),
                            RMW(2, 0x3f, 0, 2)};
    const uint32_t mop[9] = {4, 4, NOP, NOP, NOP, PACR(0, 0), NOP, PACR(1, 1), PACR(2, 0)};
    strides(k, peak);
    peak_tensix(k, OP(ATGETM));
    for (unsigned i = 0; i < sizeof alu / sizeof *alu; i++)
        peak_push(k, alu[i]);
    peak_tensix(k, OP(ATRELM));
    config_word(k, 68, 0x40000);
    config_word(k, 70, 1 | format << 4 | format << 8);
    config_word(k, 18, peak->wide);
    for (unsigned i = 0; i < 4; i++) {
        peak_set(k, GPR(4 + i), 0);
        peak_set(k, GPR(8 + i), half);
    }
    peak_set(k, GPR(52), 0x40000);
    for (unsigned i = 0; i < 4; i++)
        config_word(k, 28 + i, 0x1000);
    config_word(k, 24, 0xffff);
    config_word(k, 20, 0);
    peak_set(k, GPR(16), peak_page(peak, false) >> 4);
    for (unsigned i = 17; i < 20; i++)
        peak_set(k, GPR(i), 0);
    peak_tensix(k, OP(SETADCXX) | 4u << 21 | 15 << 10);
    peak_tensix(k, SETC16(37, 260));
    peak_tensix(k, SETC16(38, 10272));
    peak_tensix(k, SETC16(39, 4384));
    peak_mop(k, mop);
    strides(k, peak);
    peak_tensix(k, OP(SETADCXX) | 4u << 21 | 15 << 10);
    peak_set(k, HALF_AT, 0);
    peak_tensix(k, STALL(B_TDMA | 32, C_PACK));
    peak_tensix(k, OP(SETADCXY) | 4u << 21 | 11);
    peak_tensix(k, OP(SETADCZW) | 4u << 21 | 15);
}

// The packer adds to what is in L1, or writes.
static void accumulate(struct peak_code *k, bool adds)
{
    static const uint8_t at[4] = {70, 98, 118, 146};
    peak_tensix(k, STALL(B_CFG, C_PACK));
    for (unsigned i = 0; i < 4; i++) {
        peak_push(k, RMW(0, 4, adds ? 4 : 0, at[i]));
        peak_push(k, RMW(2, 8, adds ? 8 : 0, at[i] + 1u));
    }
}

// A half of a GPR from bits of S0: `word` is the instruction that sets it.
static void set_half(struct peak_code *k, uint32_t word)
{
    peak_li(k, T2, word);
    peak_do(k, TS_RV_ADD, T1, T1, T2, 0);
    peak_put(k, PUSH_AT, T1);
}

static void high_half(struct peak_code *k)
{
    peak_do(k, TS_RV_SRLI, T1, S0, 0, 16);
    peak_do(k, TS_RV_SLLI, T1, T1, 0, 8);
}

static void pack_tile(struct peak_code *k, unsigned tile)
{
    if (tile)
        peak_do(k, TS_RV_ADD, S0, S0, S4, 0);
    peak_tensix(k, OP(SETADC) | 4u << 21 | 3u << 18 | tile);
    peak_do(k, TS_RV_SLLI, T1, S0, 0, 8);
    peak_li(k, T2, 0xffff00);
    peak_do(k, TS_RV_AND, T1, T1, T2, 0);
    set_half(k, REG16(24));
    high_half(k);
    peak_li(k, T2, 0x800000);
    peak_do(k, TS_RV_OR, T1, T1, T2, 0);
    set_half(k, REG16(25));
    peak_tensix(k, STALL(B_CFG, C_SCALAR | C_PACK));
    peak_tensix(k, OP(WRCFG) | 12u << 16 | 69);
    high_half(k);
    set_half(k, REG16(25));
    peak_tensix(k, OP(DMANOP));
    peak_tensix(k, STALL(B_CFG, C_SCALAR));
    peak_tensix(k, RUN_MOP);
    peak_sync(k, T1);
    peak_tensix(k, OP(SETADCZW) | 4u << 21 | 5);
}

static void pack(struct peak_code *k, const struct peak *peak, unsigned buffer)
{
    const unsigned tiles = peak->height * peak->width;
    unsigned first = peak_label(k);
    peak_count_start(k, peak, PEAK_PACKING);
    peak_reserve(k, CORE, buffer, PEAK_COUNT(tiles));
    peak_write_at(k, CORE, buffer, S0);
    peak_move(k, S3, S0);
    peak_li(k, T6, peak_interface(CORE) + 32 * buffer);
    peak_load(k, S4, T6, 8);
    peak_get(k, T1, HALF_AT);
    peak_li(k, T2, 0);
    peak_branch(k, TS_RV_BEQ, T1, ZERO, first);
    peak_li(k, T2, peak->wide ? 256 : 512);
    peak_here(k, first);
    for (unsigned i = 0; i < 4; i++)
        peak_put(k, 0xffef0000u + 4 * (180 + i), T2);
    peak_move(k, S0, S3);
    peak_addi(k, S0, S0, -1);
    for (unsigned tile = 0; tile < tiles; tile++)
        pack_tile(k, tile);
    peak_push_back(k, CORE, buffer, PEAK_COUNT(tiles), true);
    peak_tensix(k, STALL(32, C_PACK));
    peak_get(k, T1, HALF_AT);
    peak_do(k, TS_RV_ANDI, T2, T1, 0, 1);
    peak_li(k, T3, OP(ZEROACC) | 2u << 19 | (uint32_t)peak->wide << 18 | 1u << 14);
    peak_do(k, TS_RV_ADD, T2, T2, T3, 0);
    peak_put(k, PUSH_AT, T2);
    peak_tensix(k, SEM(SEMGET, MATH_PACK));
    peak_li(k, T2, 1);
    peak_do(k, TS_RV_SUB, T2, T2, T1, 0);
    peak_put(k, HALF_AT, T2);
    peak_tensix(k, OP(DMANOP));
    peak_tensix(k, OP(DMANOP));
    peak_count_end(k, peak, PEAK_PACKING);
}

static void leave_unless(struct peak_code *k, unsigned count, unsigned end, unsigned done)
{
    unsigned body = peak_label(k);
    peak_li(k, T0, end);
    peak_branch(k, TS_RV_BLT, count, T0, body);
    peak_jump(k, done);
    peak_here(k, body);
}

void peak_pack(struct peak_code *k, const struct peak *peak)
{
    const unsigned blocks = peak_blocks(peak);
    const unsigned subblocks = PEAK_SIDE / peak->height * (PEAK_SIDE / peak->width);
    set_up(k, peak);
    peak_threads(k, 2);
    peak_stamp(k, PEAK_START(PEAK_AT_TRISC2));
    if (blocks > 1) {
        unsigned done = peak_label(k), later = peak_label(k), ready = peak_label(k);
        unsigned last = peak_label(k);
        peak_li(k, S6, 0);
        unsigned block = peak_mark(k);
        leave_unless(k, S6, blocks - 1, done);
        peak_branch(k, TS_RV_BNE, S6, ZERO, later);
        accumulate(k, false);
        peak_jump(k, ready);
        peak_here(k, later);
        peak_li(k, T0, 1);
        peak_branch(k, TS_RV_BNE, S6, T0, ready);
        peak_stamp(k, PEAK_START(PEAK_AT_FIRST)); // one block is through
        accumulate(k, true);
        peak_here(k, ready);
        peak_li(k, S5, 0);
        unsigned one = peak_mark(k);
        leave_unless(k, S5, subblocks, last);
        peak_count_start(k, peak, PEAK_DATA_WAIT);
        peak_tensix(k, SEMWAIT(B_TDMA, MATH_PACK));
        peak_count_end(k, peak, PEAK_DATA_WAIT);
        pack(k, peak, PEAK_SUMS);
        peak_addi(k, S5, S5, 1);
        peak_jump(k, one);
        peak_here(k, last);
        peak_addi(k, S6, S6, 1);
        peak_jump(k, block);
        peak_here(k, done);
        peak_stamp(k, PEAK_START(PEAK_AT_LAST));
    }
    unsigned done = peak_label(k);
    peak_li(k, S5, 0);
    unsigned one = peak_mark(k);
    leave_unless(k, S5, subblocks, done);
    peak_count_start(k, peak, PEAK_DATA_WAIT);
    peak_tensix(k, SEMWAIT(B_TDMA, MATH_PACK));
    peak_count_end(k, peak, PEAK_DATA_WAIT);
    accumulate(k, peak->wide && blocks > 1);
    pack(k, peak, PEAK_C);
    peak_addi(k, S5, S5, 1);
    peak_jump(k, one);
    peak_here(k, done);
    peak_stamp(k, PEAK_END(PEAK_AT_TRISC2));
}
