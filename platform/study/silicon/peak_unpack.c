// T0 of a large matmul (peak.h).
#include "platform/study/silicon/peak.h"
#include "platform/study/silicon/peak_words.h"

#define CORE       TS_RV_TRISC0
#define CONTEXT_AT 0xffb00420u // which context of the unpackers, in the core's own memory
#define BASE(sec)  (0xffef0000u + 4 * (76 + 48 * (sec)))
#define MOP0(n, m) (OP(MOP) | (uint32_t)(n) << 16 | (m))
enum { C_CONFIGURED = 1 << 10 };

static void config_word(struct peak_code *k, unsigned index, uint32_t value)
{
    peak_set(k, 0xffef0000u + 4 * index, value);
}

static uint32_t setadc(unsigned op, unsigned mask, uint32_t rest)
{
    return op << 24 | mask << 21 | rest;
}
#define SETADCZW_ALL         setadc(TS_OP_SETADCZW, 3, 15)
#define SETADCXX(mask, last) setadc(TS_OP_SETADCXX, mask, (last) << 10)

// Formats: 10 is FP8 (which becomes FP16), 5 BF16, 1 FP16.
static void input_format(struct peak_code *k, unsigned format, unsigned engines)
{
    const bool fp8 = format == 10;
    for (unsigned engine = 0; engine < engines; engine++) {
        const unsigned sec = 48 * engine;
        config_word(k, 64 + sec, format | 0x10 | (engine ? 256u << 16 : 0));
        config_word(k, 65 + sec, 1 | 4u << 16);
        config_word(k, 72 + sec, 0x20 | format);
        config_word(k, 73 + sec, fp8 ? 3 : 0xf000f);
        if (fp8) {
            config_word(k, 56 + 2 * engine, 2 | 32u << 16);
            config_word(k, 57 + 2 * engine, 512);
        }
        peak_push(k, RMW(2, 0x40, fp8 ? 0x40 : 0, 71 + sec));
    }
}

static unsigned format_of(const struct peak *peak)
{
    return peak->fp8 ? 10 : 5;
}

static const uint32_t tiles_mop[9] = {0, 0, 0, REPLAY(6, 0), 0, 0, 0, REPLAY(6, 0) | 6u << 14, 0};

void peak_unpack_set_up(struct peak_code *k, const struct peak *peak)
{
    const uint32_t alu[] = {RMW(0, 0xff, 0, 0), RMW(1, 0x7f, 0, 0), RMW(0, 7, 0, 1),
                            RMW(1, 0x80, 0, 1), RMW(2, 1, 0, 1),    RMW(3, 0x60, 0, 1),
                            RMW(0, 1, 1, 2)};
    const uint32_t page = peak_page(peak, true) >> 4;
    peak_tensix(k, SETC16(0, 0));
    peak_set(k, CONTEXT_AT, 0);
    peak_tensix(k, SETC16(41, 0));
    peak_tensix(k, OP(ZEROSRC) | 1u << 2 | 3);
    peak_idle(k, CONFIG_SYNC);
    peak_tensix(k, setadc(TS_OP_SETADCXY, 3, 11));
    peak_tensix(k, SETADCZW_ALL);
    config_word(k, 57, 0x200);
    config_word(k, 59, 0x200);
    peak_tensix(k, OP(ATGETM));
    for (unsigned i = 0; i < sizeof alu / sizeof *alu; i++)
        peak_push(k, alu[i]);
    peak_tensix(k, OP(ATRELM));
    input_format(k, format_of(peak), 2);
    peak_push(k, SETADCXX(1, 255));
    peak_push(k, SETADCXX(2, 255));
    config_word(k, 84, 0x400040);
    config_word(k, 86, 0x1000100);
    config_word(k, 50, 0x100);
    peak_tensix(k, SETC16(5, 4));
    peak_push(k, OP(SETDMAREG) | page << 8 | 72);
    peak_push(k, OP(SETDMAREG) | page << 8 | 74);
    peak_push(k, RMW(1, 1, 0, 72));
    peak_mop(k, tiles_mop);
    peak_sync(k, T0);
    peak_tensix(k, SETADCXX(1, 1023));
    peak_tensix(k, SETADCXX(2, 1023));
    if (peak->wide)
        peak_push(k, RMW(3, 0x20, 0x20, 1));
    for (uint32_t context = 0; context < 2; context++) {
        const uint32_t next[] = {OP(UNPACR) | 0xc1,
                                 OP(RDCFG) | 12u << 16 | (76 + context),
                                 OP(ADDDMAREG) | 12u << 12 | 12u << 6 | 36,
                                 STALL(B_CFG, C_SCALAR),
                                 OP(WRCFG) | 12u << 16 | (76 + context),
                                 NOP};
        peak_tensix(k, REPLAY(6, 1) | 6 * context << 14);
        for (unsigned i = 0; i < 6; i++)
            peak_tensix(k, next[i]);
    }
    peak_tensix(k, OP(SEMINIT) | 2u << 20 | 4u << CONFIGURED);
}

// Polls until one of the two contexts is free; the semaphore's address is in a register.
void peak_wait_for_context(struct peak_code *k, unsigned at)
{
    unsigned again = peak_mark(k), done = peak_label(k);
    peak_load(k, T1, at, 0);
    peak_do(k, TS_RV_ANDI, T1, T1, 0, 0xfe);
    peak_branch(k, TS_RV_BEQ, T1, ZERO, done);
    peak_fence(k);
    peak_jump(k, again);
    peak_here(k, done);
}

// An address to an unpacker's base of the context in T2.
static void set_base(struct peak_code *k, unsigned value)
{
    unsigned first = peak_label(k);
    peak_branch(k, TS_RV_BEQ, T2, ZERO, first);
    peak_addi(k, T3, T3, 4);
    peak_here(k, first);
    peak_store(k, value, T3, 0);
}

static void flip_context(struct peak_code *k)
{
    unsigned first = peak_label(k), done = peak_label(k);
    peak_branch(k, TS_RV_BEQ, T2, ZERO, first);
    peak_tensix(k, SETC16(41, 0));
    peak_jump(k, done);
    peak_here(k, first);
    peak_tensix(k, SETC16(41, 257));
    peak_here(k, done);
}

// The tile of a that S9 names, and `count` tiles of b from that of S10 on.
void peak_unpack_row(struct peak_code *k, unsigned count)
{
    unsigned second = peak_label(k), done = peak_label(k);
    peak_wait_for_context(k, S7);
    peak_do(k, TS_RV_MUL, A0, S9, A4, 0);
    peak_do(k, TS_RV_ADD, A0, A0, S0, 0);
    peak_addi(k, A0, A0, -1);
    peak_do(k, TS_RV_MUL, A1, S10, A5, 0);
    peak_do(k, TS_RV_ADD, A1, A1, S1, 0);
    peak_addi(k, A1, A1, -1);
    peak_load(k, T2, S11, 0);
    peak_move(k, T3, A2);
    set_base(k, A1);
    peak_move(k, T3, A3);
    set_base(k, A0);
    peak_store(k, ZERO, S7, 0);
    peak_tensix(k, STALL(B_UNPACK, C_CONFIGURED));
    peak_tensix(k, OP(UNPACR) | 1u << 23 | 0xc1);
    peak_branch(k, TS_RV_BNE, T2, ZERO, second);
    peak_tensix(k, MOP0(count - 1, 0));
    peak_jump(k, done);
    peak_here(k, second);
    peak_tensix(k, MOP0(count - 1, 0xff));
    peak_here(k, done);
    peak_tensix(k, SEM(SEMGET, CONFIGURED));
    peak_li(k, T3, 1);
    peak_do(k, TS_RV_SUB, T3, T3, T2, 0);
    peak_store(k, T3, S11, 0);
    flip_context(k);
}

void peak_unpack_registers(struct peak_code *k)
{
    peak_li(k, S7, CONFIG_SYNC);
    peak_li(k, S11, CONTEXT_AT);
    peak_li(k, A2, BASE(0));
    peak_li(k, A3, BASE(1));
}

void peak_other_context(struct peak_code *k)
{
    peak_load(k, T2, S11, 0);
    peak_li(k, T3, 1);
    peak_do(k, TS_RV_SUB, T3, T3, T2, 0);
    peak_store(k, T3, S11, 0);
    flip_context(k);
}

// Skips to `done` what lies behind the edge: in the last of the blocks that a register counts.
static void skip_tail(struct peak_code *k, unsigned reg, unsigned extent, unsigned block,
                      unsigned offset, unsigned done)
{
    if (extent % block && offset * 32 >= extent % block) {
        peak_li(k, T0, extent / block);
        peak_branch(k, TS_RV_BGE, reg, T0, done);
    }
}

static void unpack_subblock(struct peak_code *k, const struct peak *peak)
{
    const unsigned full = PEAK_N / (32 * peak->width), rest = PEAK_N % (32 * peak->width);
    const unsigned tail = (rest + 31) / 32;
    peak_tensix(k, SETADCZW_ALL);
    for (unsigned i = 0; i < 2; i++) {
        peak_read_at(k, CORE, i, i ? S1 : S0);
        peak_li(k, T6, peak_interface(CORE) + 32 * i);
        peak_load(k, i ? A5 : A4, T6, 8);
    }
    peak_unpack_registers(k);
    for (unsigned inner = 0; inner < peak->block; inner++) {
        unsigned next = peak_label(k);
        skip_tail(k, S6, peak_inner(peak), 32 * peak->block, inner, next);
        peak_add_number(k, S10, S3, (int32_t)(inner * PEAK_SIDE));
        for (unsigned row = 0; row < peak->height; row++) {
            unsigned next_row = peak_label(k);
            skip_tail(k, S4, PEAK_M, 32 * peak->height, row, next_row);
            peak_add_number(k, S9, S2, (int32_t)(row * peak->block + inner));
            if (tail && tail != peak->width) {
                unsigned normal = peak_label(k);
                peak_li(k, T0, full);
                peak_branch(k, TS_RV_BLT, S5, T0, normal);
                peak_unpack_row(k, tail);
                peak_jump(k, next_row);
                peak_here(k, normal);
            }
            peak_unpack_row(k, peak->width);
            peak_here(k, next_row);
        }
        peak_here(k, next);
    }
}

#define NOTHING_TO_B (OP(UNPACR_NOP) | 1u << 23 | 1u << 8 | 1)
static const uint32_t sums_mop[9] = {
    4, 1, OP(UNPACR) | 1u << 15 | 0xc1, NOP, NOP, NOTHING_TO_B, NOP, NOTHING_TO_B, NOTHING_TO_B};

void peak_unpack_tiles(struct peak_code *k, unsigned tiles)
{
    peak_push(k, RMW(1, 1, 0, 72));
    peak_tensix(k, SETADCXX(1, 255));
    peak_mop(k, sums_mop);
    for (unsigned tile = 0; tile < tiles; tile++) {
        peak_tensix(k, SETADCZW_ALL);
        peak_wait_for_context(k, S7);
        peak_li(k, T4, tile);
        peak_do(k, TS_RV_MUL, A0, T4, A4, 0);
        peak_do(k, TS_RV_ADD, A0, A0, S0, 0);
        peak_addi(k, A0, A0, -1);
        peak_load(k, T2, S11, 0);
        peak_move(k, T3, A2);
        set_base(k, A0);
        peak_store(k, ZERO, S7, 0);
        peak_tensix(k, STALL(B_UNPACK, C_CONFIGURED));
        peak_tensix(k, RUN_MOP);
        peak_tensix(k, SEM(SEMGET, CONFIGURED));
        peak_other_context(k);
    }
    peak_sync(k, T0);
    peak_push(k, RMW(1, 1, 0, 72));
    peak_tensix(k, SETADCZW_ALL);
    peak_tensix(k, SETADCXX(1, 1023));
    peak_tensix(k, SETADCXX(2, 1023));
    peak_mop(k, tiles_mop);
}

// Takes the sums of a sub-block to SrcA, for T1 to move to Dst.
static void reload(struct peak_code *k, const struct peak *peak)
{
    const unsigned tiles = peak->height * peak->width;
    if (peak->fp8) {
        peak_sync(k, T0);
        input_format(k, 1, 1);
    }
    peak_push(k, RMW(1, 1, 0, 72));
    peak_tensix(k, SETADCXX(1, 255));
    peak_mop(k, sums_mop);
    peak_wait_front(k, CORE, PEAK_SUMS, PEAK_COUNT(tiles));
    for (unsigned tile = 0; tile < tiles; tile++) {
        peak_tensix(k, SETADCZW_ALL);
        peak_li(k, T0, CONFIG_SYNC);
        peak_wait_for_context(k, T0);
        peak_read_at(k, CORE, PEAK_SUMS, S0);
        peak_li(k, T6, peak_interface(CORE) + 32 * PEAK_SUMS);
        peak_load(k, T5, T6, 8);
        if (tile) {
            peak_li(k, T4, tile);
            peak_do(k, TS_RV_MUL, A0, T4, T5, 0);
            peak_do(k, TS_RV_ADD, A0, A0, S0, 0);
        } else {
            peak_move(k, A0, S0);
        }
        peak_addi(k, A0, A0, -1);
        peak_get(k, T2, CONTEXT_AT);
        peak_li(k, T3, BASE(0));
        set_base(k, A0);
        peak_set(k, CONFIG_SYNC, 0);
        peak_tensix(k, STALL(B_UNPACK, C_CONFIGURED));
        peak_tensix(k, RUN_MOP);
        peak_tensix(k, SEM(SEMGET, CONFIGURED));
        peak_li(k, T3, 1);
        peak_do(k, TS_RV_SUB, T3, T3, T2, 0);
        peak_put(k, CONTEXT_AT, T3);
        flip_context(k);
    }
    peak_sync(k, T0);
    peak_pop_front(k, CORE, PEAK_SUMS, PEAK_COUNT(tiles), true);
    peak_push(k, RMW(1, 1, 0, 72));
    peak_tensix(k, SETADCZW_ALL);
    peak_tensix(k, SETADCXX(1, 1023));
    peak_tensix(k, SETADCXX(2, 1023));
    if (peak->fp8)
        input_format(k, 10, 1);
    peak_mop(k, tiles_mop);
}

// Leaves a loop when a count has reached its end; `register` or number.
static void leave_if(struct peak_code *k, enum ts_rv_op stay, unsigned a, unsigned b, unsigned done)
{
    unsigned body = peak_label(k);
    peak_branch(k, stay, a, b, body);
    peak_jump(k, done);
    peak_here(k, body);
}

void peak_unpack(struct peak_code *k, const struct peak *peak)
{
    const unsigned blocks = peak_blocks(peak), tiles = PEAK_SIDE * peak->block;
    const unsigned rows = PEAK_SIDE / peak->height, columns = PEAK_SIDE / peak->width;
    unsigned done = peak_label(k), rows_done = peak_label(k), columns_done = peak_label(k);
    peak_unpack_set_up(k, peak);
    peak_threads(k, 0);
    peak_stamp(k, PEAK_START(PEAK_AT_TRISC0));
    peak_li(k, S6, 0);
    peak_li(k, S8, blocks);
    unsigned block = peak_mark(k);
    leave_if(k, TS_RV_BNE, S6, S8, done);
    peak_count_start(k, peak, PEAK_INPUT_WAIT);
    peak_wait_front(k, CORE, PEAK_A, PEAK_COUNT(tiles));
    peak_wait_front(k, CORE, PEAK_B, PEAK_COUNT(tiles));
    peak_count_end(k, peak, PEAK_INPUT_WAIT);
    peak_li(k, S4, 0);
    unsigned row = peak_mark(k);
    peak_li(k, T0, rows);
    leave_if(k, TS_RV_BLT, S4, T0, rows_done);
    peak_li(k, S5, 0);
    unsigned column = peak_mark(k);
    peak_li(k, T0, columns);
    leave_if(k, TS_RV_BLT, S5, T0, columns_done);
    peak_li(k, T0, peak->height * peak->block);
    peak_do(k, TS_RV_MUL, S2, S4, T0, 0);
    peak_li(k, T0, peak->width);
    peak_do(k, TS_RV_MUL, S3, S5, T0, 0);
    if (blocks > 1 && !peak->wide) {
        unsigned not_last = peak_label(k);
        peak_li(k, T0, blocks - 1);
        peak_branch(k, TS_RV_BNE, S6, T0, not_last);
        reload(k, peak);
        peak_here(k, not_last);
    }
    peak_count_start(k, peak, PEAK_UNPACKING);
    unpack_subblock(k, peak);
    peak_count_end(k, peak, PEAK_UNPACKING);
    peak_addi(k, S5, S5, 1);
    peak_jump(k, column);
    peak_here(k, columns_done);
    peak_addi(k, S4, S4, 1);
    peak_jump(k, row);
    peak_here(k, rows_done);
    const unsigned kept = peak->wide ? 1 : 2; // blocks whose sums stay
    if (blocks > kept) {
        unsigned keep = peak_label(k);
        peak_li(k, T0, blocks - kept);
        peak_branch(k, TS_RV_BGE, S6, T0, keep);
        peak_wait_front(k, CORE, PEAK_SUMS, PEAK_COUNT(PEAK_SIDE * PEAK_SIDE));
        peak_pop_front(k, CORE, PEAK_SUMS, PEAK_COUNT(PEAK_SIDE * PEAK_SIDE), false);
        peak_here(k, keep);
    }
    peak_pop_front(k, CORE, PEAK_A, PEAK_COUNT(tiles), true);
    peak_pop_front(k, CORE, PEAK_B, PEAK_COUNT(tiles), true);
    peak_addi(k, S6, S6, 1);
    peak_jump(k, block);
    peak_here(k, done);
    peak_stamp(k, PEAK_END(PEAK_AT_TRISC0));
}
