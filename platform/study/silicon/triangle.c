// The programs of a matmul's three threads (triangle.h). T2 only takes the semaphore: T1 does not
// wait for its packing, and no figure has it.
#include "platform/study/silicon/triangle.h"

#include "platform/study/silicon/rmsnorm_words.h"

#include <math.h>

enum { PRODUCED = 0x12e004, NOTES = 0x12e010 };
enum { AT = 8, VALUE, TAKEN = 16, CONTEXT, DST_BASE, OTHER, SYNC, FIRST = 24, LAST = 26 };
#define DST_HALF    0xffb00020u // which half of Dst, in the core's own memory
#define CONTEXT_AT  0xffb00024u // which context of the unpackers
#define SEM_BITS(n) (4u << (n))

// A note of where a thread is: a word to L1, and a fence.
static void note(struct ts_rvasm *k, unsigned thread)
{
    ts_rvasm_li(k, STAGE_V, 0xf101);
    ts_rvasm_li(k, STAGE_T, NOTES + 16 * thread);
    ts_rvasm(k, TS_RV_SW, 0, STAGE_T, STAGE_V, 0);
    ts_rvasm(k, TS_RV_FENCE, 0, 0, 0, 0);
}

// High, low and high again.
static void clock_to(struct ts_rvasm *k, unsigned reg)
{
    ts_rvasm_li(k, AT, 0xffb121f8);
    uint32_t again = ts_rvasm_here(k);
    ts_rvasm(k, TS_RV_LW, reg + 1, AT, 0, 0);
    ts_rvasm(k, TS_RV_LW, reg, AT, 0, -8);
    ts_rvasm(k, TS_RV_LW, VALUE, AT, 0, 0);
    ts_rvasm_back(k, TS_RV_BNE, reg + 1, VALUE, again);
}

static void load(struct ts_rvasm *k, unsigned reg, uint32_t address)
{
    ts_rvasm_li(k, reg, address);
    ts_rvasm(k, TS_RV_LW, reg, reg, 0, 0);
}

// ---- T0

// One tile of SrcB, and as many of SrcA as there are in a row.
static void unpack_row(struct ts_rvasm *u, unsigned side, unsigned context)
{
    note(u, 0);
    uint32_t again = ts_rvasm_here(u);
    ts_rvasm(u, TS_RV_LW, VALUE, SYNC, 0, 0);
    ts_rvasm(u, TS_RV_ANDI, VALUE, VALUE, 0, 0xfe);
    ts_rvasm(u, TS_RV_BEQ, 0, VALUE, STAGE_ZERO, 12);
    ts_rvasm(u, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(u, TS_RV_JAL, 0, 0, 0, ((int32_t)again - (int32_t)u->count) * 4);
    note(u, 0);
    // Two addresses from tile numbers: a product, a sum, one less.
    for (unsigned engine = 0; engine < 2; engine++) {
        ts_rvasm_li(u, A, (INPUT >> 4) - 1);
        ts_rvasm(u, TS_RV_MUL, B, STAGE_ZERO, A, 0);
        ts_rvasm(u, TS_RV_ADD, A, A, B, 0);
        ts_rvasm_li(u, AT, 0xffef0000u + 4 * (76 + 48 * engine + context));
        ts_rvasm(u, TS_RV_SW, 0, AT, A, 0);
    }
    ts_rvasm(u, TS_RV_LW, CONTEXT, OTHER, 0, 0);
    ts_rvasm(u, TS_RV_SW, 0, SYNC, STAGE_ZERO, 0);
    note(u, 0);
    word(u, STALL(B_UNPACK, 1u << 10));
    note(u, 0);
    word(u, OP(UNPACR) | 1u << 23 | 0xc1);
    word(u, OP(MOP) | (side - 1) << 16 | (context ? 0xff : 0));
    note(u, 0);
    word(u, SEM(SEMGET, CONFIGURED));
    note(u, 0);
    ts_rvasm_li(u, VALUE, 1);
    ts_rvasm(u, TS_RV_SUB, VALUE, VALUE, CONTEXT, 0);
    ts_rvasm(u, TS_RV_SW, 0, OTHER, VALUE, 0);
    word(u, SETC16(41, context ? 0 : 257));
}

static void unpack_program(struct ts_rvasm *u, unsigned side, unsigned rounds)
{
    for (unsigned i = 0; i < 8; i++)
        word(u, OP(SEMINIT) | 2u << 20 | SEM_BITS(i));
    rmsnorm_unpacker(u, 0, INPUT);
    rmsnorm_unpacker(u, 1, GAMMA);
    word(u, OP(SETADCXX) | 3u << 21 | 1023u << 10);
    for (unsigned context = 0; context < 2; context++) {
        const uint32_t next[] = {OP(UNPACR) | 0xc1,
                                 OP(RDCFG) | 12u << 16 | (76 + context),
                                 OP(ADDDMAREG) | 12u << 12 | 12u << 6 | 36,
                                 STALL(B_CFG, C_SCALAR),
                                 OP(WRCFG) | 12u << 16 | (76 + context),
                                 NOP};
        word(u, OP(REPLAY) | 6 * context << 14 | 6u << 4 | 1);
        for (unsigned i = 0; i < 6; i++)
            word(u, next[i]);
    }
    const uint32_t mop[9] = {0, 0, 0, REPLAY(6, 0), 0, 0, 0, REPLAY(6, 0) | 6u << 14, 0};
    mop_sync(u);
    for (unsigned i = 0; i < 9; i++)
        stage_store(u, 0xffb80000u + 4 * i, mop[i]);
    stage_store(u, CONTEXT_AT, 0);
    ts_rvasm_li(u, OTHER, CONTEXT_AT);
    ts_rvasm_li(u, SYNC, CONFIG_SYNC);
    stage_sync(u);
    hear(u, FLAGS, 1);
    for (unsigned i = 0; i < rounds; i++) {
        note(u, 0);
        word(u, OP(SETADCZW) | 3u << 21 | 15);
        for (unsigned row = 0; row < side; row++)
            unpack_row(u, side, (i * side + row) & 1);
        note(u, 0);
        load(u, VALUE, PRODUCED);
        ts_rvasm(u, TS_RV_ADDI, VALUE, VALUE, 0, 1);
        ts_rvasm_li(u, AT, PRODUCED);
        ts_rvasm(u, TS_RV_SW, 0, AT, VALUE, 0);
        ts_rvasm(u, TS_RV_FENCE, 0, 0, 0, 0);
    }
    stage_end(u);
}

// ---- T1

// The order of a 32 x 32 product: sixteen blocks, SrcB in steps of 8 rows, SrcA by faces.
static void prepare_math(struct ts_rvasm *m)
{
    static const struct {
        unsigned mod, source, dst;
    } modifiers[] = {
        {0, 0x0800, 8}, {1, 0x4010, 8}, {2, 0x6040, 8}, {4, 0x7060, 0x400}, {5, 0xc0c0, 0x2c00},
    };
    static const uint8_t order[16] = {0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5};
    for (unsigned i = 0; i < sizeof modifiers / sizeof *modifiers; i++) {
        word(m, SETC16(12 + modifiers[i].mod, modifiers[i].source));
        word(m, SETC16(28 + modifiers[i].mod, modifiers[i].dst));
        word(m, SETC16(47 + modifiers[i].mod, 0));
    }
    word(m, SETRWC(0, 15));
    word(m, OP(REPLAY) | 16u << 14 | 16u << 4 | 1);
    for (unsigned i = 0; i < 16; i++)
        word(m, OP(MVMUL) | (uint32_t)order[i] << 14);
    const uint32_t play = OP(REPLAY) | 16u << 14 | 16u << 4;
    const uint32_t mop[9] = {1, 2, NOP, SETRWC(1, 15), NOP, play, NOP, play, play};
    mop_sync(m);
    for (unsigned i = 0; i < 9; i++)
        stage_store(m, 0xffb80000u + 4 * i, mop[i]);
    stage_store(m, DST_HALF, 0);
    stage_sync(m);
}

static void push_math(struct ts_rvasm *m, unsigned side)
{
    note(m, 1);
    load(m, DST_BASE, DST_HALF);
    ts_rvasm(m, TS_RV_SLLI, DST_BASE, DST_BASE, 0, 9);
    ts_rvasm_li(m, VALUE, SETC16(1, 0));
    ts_rvasm(m, TS_RV_ADD, DST_BASE, DST_BASE, VALUE, 0);
    for (unsigned tile = 0; tile < side * side; tile++) {
        ts_rvasm(m, TS_RV_ADDI, VALUE, DST_BASE, 0, 0);
        if (tile)
            ts_rvasm(m, TS_RV_ADDI, VALUE, VALUE, 0, (int32_t)(64 * tile));
        ts_rvasm_li(m, AT, 0xffe40000);
        ts_rvasm(m, TS_RV_SW, 0, AT, VALUE, 0);
        word(m, RUN_MOP);
        if (tile % side == side - 1)
            word(m, SETRWC(2, 15));
    }
    note(m, 1);
}

static void commit(struct ts_rvasm *m)
{
    note(m, 1);
    word(m, STALL(B_SYNC, C_MATH));
    note(m, 1);
    word(m, SEM(SEMPOST, MATH_PACK));
    note(m, 1);
    stage_sync(m);
    note(m, 1);
    load(m, VALUE, DST_HALF);
    ts_rvasm_li(m, B, 1);
    ts_rvasm(m, TS_RV_SUB, B, B, VALUE, 0);
    ts_rvasm_li(m, AT, DST_HALF);
    ts_rvasm(m, TS_RV_SW, 0, AT, B, 0);
    note(m, 1);
    word(m, STALL(B_CFG, C_MATH));
}

static void math_program(struct ts_rvasm *m, unsigned side, enum triangle_part part,
                         unsigned rounds)
{
    prepare_math(m);
    tell(m, FLAGS, 1);
    clock_to(m, FIRST);
    ts_rvasm_li(m, D, rounds);
    ts_rvasm_li(m, TAKEN, 0);
    uint32_t top = ts_rvasm_here(m);
    ts_rvasm(m, TS_RV_BEQ, 0, D, STAGE_ZERO, 0); // patched below
    if (part == TRIANGLE_NONE) {
        ts_rvasm(m, TS_RV_ADDI, C, C, 0, 1);
    } else {
        note(m, 1);
        ts_rvasm_li(m, AT, PRODUCED);
        uint32_t again = ts_rvasm_here(m);
        ts_rvasm(m, TS_RV_LW, VALUE, AT, 0, 0);
        ts_rvasm(m, TS_RV_BLTU, 0, TAKEN, VALUE, 12);
        ts_rvasm(m, TS_RV_FENCE, 0, 0, 0, 0);
        ts_rvasm(m, TS_RV_JAL, 0, 0, 0, ((int32_t)again - (int32_t)m->count) * 4);
        note(m, 1);
        if (part == TRIANGLE_ROUNDS) // the clock starts with the first round
            ts_rvasm(m, TS_RV_BNE, 0, TAKEN, STAGE_ZERO, 4 * 7);
        clock_to(m, FIRST);
        push_math(m, side);
        if (part == TRIANGLE_ISSUE)
            clock_to(m, LAST);
        commit(m);
        if (part == TRIANGLE_LATENCY)
            clock_to(m, LAST);
        load(m, VALUE, PRODUCED + 4);
        ts_rvasm(m, TS_RV_ADDI, VALUE, VALUE, 0, 1);
        ts_rvasm_li(m, AT, PRODUCED + 4);
        ts_rvasm(m, TS_RV_SW, 0, AT, VALUE, 0);
        ts_rvasm(m, TS_RV_FENCE, 0, 0, 0, 0);
        ts_rvasm(m, TS_RV_ADDI, TAKEN, TAKEN, 0, 1);
    }
    ts_rvasm(m, TS_RV_ADDI, D, D, 0, -1);
    ts_rvasm(m, TS_RV_JAL, 0, 0, 0, ((int32_t)top - (int32_t)m->count) * 4);
    m->words[top] = ts_rv_encode(TS_RV_BEQ, 0, D, STAGE_ZERO, (int32_t)(m->count - top) * 4);
    if (part == TRIANGLE_NONE || part == TRIANGLE_ROUNDS)
        clock_to(m, LAST);
    stage_keep(m, FIRST, LAST);
    stage_end(m);
}

static double measure(unsigned side, enum triangle_part part, unsigned rounds,
                      const struct ts_silicon_context *context, struct ts_error *error)
{
    struct stage *stage = stage_new(context, false, error);
    struct ts_rvasm *p = stage_core(stage, TS_RV_TRISC2);
    math_program(stage_core(stage, TS_RV_TRISC1), side, part, rounds);
    if (part != TRIANGLE_NONE)
        unpack_program(stage_core(stage, TS_RV_TRISC0), side, rounds);
    for (unsigned i = 0; part != TRIANGLE_NONE && i < rounds; i++) {
        word(p, SEMWAIT(B_SYNC, MATH_PACK));
        word(p, SEM(SEMGET, MATH_PACK));
    }
    stage_end(p);
    double cycles = stage_run(stage) / rounds;
    stage_free(stage);
    return cycles;
}

double triangle_run(unsigned side, enum triangle_part part,
                    const struct ts_silicon_context *context, struct ts_error *error)
{
    unsigned rounds = part == TRIANGLE_ROUNDS ? 2 : 1;
    return measure(side, part, rounds, context, error) -
           measure(side, TRIANGLE_NONE, rounds, context, error);
}
