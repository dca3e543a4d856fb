// Words and programs of a sum of 1024 values (sums.h).
#include "platform/study/silicon/sums.h"

#include "platform/study/silicon/rmsnorm_words.h"

static unsigned by_vector(uint32_t *w)
{
    unsigned n = 0;
    w[n++] = STALL(B_VECTOR, C_MATRIX);
    w[n++] = DST(SFPLOAD, 0, 3, 0);
    w[n++] = DST(SFPLOAD, 1, 3, 2);
    w[n++] = SFP4(SFPADD, 0, 10, 1, 0, 0);
    for (unsigned distance = 4; distance; distance /= 2) {
        w[n++] = SFP2(SFPMOV, 0, 0, 1, 0);
        for (unsigned i = 0; i < distance; i++)
            w[n++] = SFP2(SFPSHFT2, 0, 1, 1, 3);
        w[n++] = SFP4(SFPADD, 0, 10, 1, 0, 0);
    }
    w[n++] = DST(SFPSTORE, 0, 3, 0);
    return n;
}

static unsigned by_matrix(bool transpose, uint32_t op, uint32_t *w)
{
    const uint32_t gate = OP(GATESRCRST) | 3;
    unsigned n = 0, shift = op == OP(GAPOOL) ? 15 : 14;
    w[n++] = STALL(B_CFG, C_MATH);
    w[n++] = RMW(0, 0xff, 0x94, 0);
    w[n++] = RMW(1, 0x03, 0x02, 0);
    w[n++] = SETC16(2, 1);
    w[n++] = SETC16(3, 1);
    w[n++] = SETRWC(0, 15);
    w[n++] = OP(MOVD2B) | (transpose ? 16u : 0u) << 17 | 3u << 14;
    w[n++] = gate;
    if (transpose) {
        w[n++] = OP(TRNSPSRCB);
        w[n++] = gate;
    }
    for (unsigned row = 0; row < 16; row += 4)
        w[n++] = OP(MOVB2A) | row << 17 | 3u << 14 | 2u << 12 | (16 + row);
    w[n++] = gate;
    w[n++] = OP(ZEROACC) | 3u << 19 | 1u << 18 | 3u << 14;
    w[n++] = op | (transpose ? 4u : 5u) << shift;
    w[n++] = op | 6u << shift;
    return n;
}

unsigned sum_finish(enum sum_finish how, uint32_t op, uint32_t words[32])
{
    return how == BY_VECTOR ? by_vector(words) : by_matrix(how == BY_TRANSPOSE, op, words);
}

static void unpack_program(struct ts_rvasm *u)
{
    for (unsigned i = 0; i < 8; i++)
        word(u, SEMINIT(i));
    for (unsigned engine = 0; engine < 2; engine++) {
        unsigned sec = 48 * engine;
        rmsnorm_unpacker(u, engine, engine ? GAMMA : INPUT);
        config(u, 64 + sec, 0x10 | (engine ? 256u << 16 : 0)); // FP32 in L1
        config(u, 72 + sec, 0x24);                             // TF32 in SrcA and SrcB
        config(u, 56 + 2 * engine, 4 | 64u << 16);
        config(u, 57 + 2 * engine, 1024);
    }
    stage_store(u, CONFIG_SYNC, 0);
    word(u, OP(SETADCXX) | 3u << 21 | 1023u << 10);
    word(u, OP(SETADCZW) | 3u << 21 | 15);
    const uint32_t a = OP(UNPACR) | 1u << 15 | 0xc1, b = a | 1u << 23;
    set_mop(u, (struct mop){1, 1, a, NOP, b, b, b});
    stage_sync(u);
    const uint32_t words[] = {SEM(SEMPOST, UNPACKED),
                              SEMWAIT(B_UNPACK, MATH_DONE),
                              SEM(SEMGET, MATH_DONE),
                              STALL(B_UNPACK, C_CLEAR),
                              RUN_MOP,
                              STALL(B_UNPACK, C_UNPACK),
                              SEM(SEMGET, CONFIGURED)};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        word(u, words[i]);
    stage_sync(u);
    word(u, SEM(SEMPOST, UNPACKED));
    stage_end(u);
}

static void math_program(struct ts_rvasm *m, enum sum_finish how)
{
    static const uint32_t modes[7][2] = {{16, 0},       {16, 1u << 13}, {16, 1u << 15}, {0, 0},
                                         {0, 1u << 13}, {0, 2u << 13},  {0, 1u << 15}};
    uint32_t finish[32];
    unsigned count = sum_finish(how, OP(GAPOOL), finish);
    word(m, OP(ZEROACC) | 3u << 19 | 1u << 18 | 1u << 14);
    word(m, STALL(B_CFG, C_MATH));
    word(m, RMW(3, 0x20, 0x20, 1));
    for (unsigned i = 0; i < 7; i++) {
        word(m, SETC16(12 + i, modes[i][0]));
        word(m, SETC16(28 + i, modes[i][1]));
        word(m, SETC16(47 + i, 0));
    }
    word(m, SETRWC(0, 15));
    word(m, OP(SFPENCC) | 2);
    word(m, REPLAY(8, 1));
    for (unsigned i = 0; i < 8; i++)
        word(m, OP(GAPOOL) | (i % 4 < 3 ? 0u : i / 4 + 1) << 15);
    word(m, STALL(B_SYNC, C_MATH));
    word(m, SEMWAIT(B_SYNC, UNPACKED));
    word(m, SEM(SEMGET, UNPACKED));
    stage_sync(m);
    mark(m, false, false); // the probe has an empty pair first
    mark(m, false, true);
    mark(m, true, false);
    word(m, SEM(SEMPOST, MATH_DONE));
    word(m, SEMWAIT(B_SYNC, UNPACKED));
    word(m, SEM(SEMGET, UNPACKED));
    word(m, STALL(B_MATH, C_VALID));
    word(m, OP(GATESRCRST) | 3);
    stage_sync(m);
    mark(m, false, false);
    word(m, REPLAY(8, 0));
    for (unsigned i = 0; i < count; i++)
        word(m, finish[i]);
    word(m, STALL(B_SYNC, C_MATH));
    stage_sync(m);
    mark(m, false, true);
    word(m, SETRWC(3, 15));
    word(m, STALL(B_SYNC, C_MATH));
    word(m, SEM(SEMPOST, MATH_PACK));
    word(m, SEMWAIT(B_SYNC, MATH_DONE));
    word(m, SEM(SEMGET, MATH_DONE));
    mark(m, true, true);
    stage_end(m);
}

double sum_from_l1(enum sum_finish how, const struct ts_silicon_context *context,
                   struct ts_error *error)
{
    struct ts_rv_predictor learnt[TS_RV_CORES];
    double cycles = 0;
    for (unsigned launch = 0; launch < STAGE_LAUNCHES; launch++) {
        struct stage *stage = stage_new(context, false, error);
        struct ts_rvasm *p = stage_core(stage, TS_RV_TRISC2);
        stage->learnt = learnt;
        stage->launch = launch;
        unpack_program(stage_core(stage, TS_RV_TRISC0));
        math_program(stage_core(stage, TS_RV_TRISC1), how);
        word(p, SEMWAIT(B_SYNC, MATH_PACK));
        word(p, SEM(SEMGET, MATH_PACK));
        word(p, SEM(SEMPOST, MATH_DONE));
        stage_end(p);
        cycles = stage_run(stage);
        stage_free(stage);
    }
    return cycles;
}
