// An RMSNorm's programs of T0 and T2, and a check of what is left in L1 (rmsnorm.h).
#include "platform/study/silicon/rmsnorm_words.h"

#include <math.h>

// ---- T0

static void set_base(struct ts_rvasm *u, unsigned engine, uint32_t address)
{
    config(u, 76 + 48 * engine, (address >> 4) - 1);
    config(u, 77 + 48 * engine, (address >> 4) - 1);
}

void stage_unpacker(struct ts_rvasm *u, unsigned engine, uint32_t address, bool wide,
                    const uint32_t *dst)
{
    unsigned sec = 48 * engine;
    uint32_t to = dst ? 64 + *dst : engine ? 0 : 64, format = wide ? 0 : 5, bytes = wide ? 4 : 2;
    const struct setting first[] = {
        {64 + sec, 0x10 | format | (engine ? 256u << 16 : 0)},
        {65 + sec, 1 | 4u << 16},
        {66 + sec, 0},
        {67 + sec, 0},
        {72 + sec, 0x20 | format},
        {73 + sec, dst ? 0x33 : 3},
        {74 + sec, 0},
        {75 + sec, 0},
    };
    const struct setting second[] = {
        {44 + 2 * engine, 0},
        {45 + 2 * engine, 0},
        {56 + 2 * engine, bytes | 16 * bytes << 16},
        {57 + 2 * engine, 256 * bytes},
        {48 + 12 * engine, 0},
        {49 + 12 * engine, 0},
        {50 + 12 * engine, engine ? 0 : 0x100},
        {engine ? 63 : 53, 0},
        {84 + sec, to | to << 16},
        {86 + sec, 256 | 256u << 16},
        {92 + sec, 0},
        {93 + sec, 0},
    };
    ts_rvasm_li(u, A, CONFIG_SYNC);
    uint32_t again = ts_rvasm_here(u);
    ts_rvasm(u, TS_RV_LW, B, A, 0, 0);
    ts_rvasm(u, TS_RV_ANDI, B, B, 0, 0xfe);
    ts_rvasm(u, TS_RV_BEQ, 0, B, STAGE_ZERO, 12);
    ts_rvasm(u, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(u, TS_RV_JAL, 0, 0, 0, ((int32_t)again - (int32_t)u->count) * 4);
    word(u, SETC16(0, 0));
    configs(u, first, sizeof first / sizeof *first);
    word(u, RMW(2, 0x40, 0, 71 + sec));
    configs(u, second, sizeof second / sizeof *second);
    set_base(u, engine, address);
    word(u, SETC16(41, 0));
    if (engine == 0)
        word(u, SETC16(5, dst ? 0 : 4));
}

void rmsnorm_unpacker(struct ts_rvasm *u, unsigned engine, uint32_t address)
{
    stage_unpacker(u, engine, address, false, NULL);
}

static uint32_t unpacr(unsigned engine)
{
    return OP(UNPACR) | engine << 23 | 1u << 15 | 1u << 7 | 1u << 6 | 1;
}

static void unpack(struct ts_rvasm *u, const struct rmsnorm *n, unsigned tile)
{
    const uint32_t clear = STALL(B_UNPACK, C_CLEAR);
    bool fresh = n->feed == RMSNORM_FRESH, strict = n->feed >= RMSNORM_STRICT;
    if (n->feed != RMSNORM_AHEAD || tile == 0) {
        word(u, SEMWAIT(strict ? B_UNPACK | B_SYNC : B_UNPACK, MATH_DONE));
        word(u, SEM(SEMGET, MATH_DONE));
    }
    if (fresh || tile == 0) {
        rmsnorm_unpacker(u, 0, INPUT + tile * 2048);
        rmsnorm_unpacker(u, 1, GAMMA + tile * 2048);
        ts_rvasm_li(u, STAGE_T, 0xffef0000u + 4 * 76);
        ts_rvasm(u, TS_RV_LW, STAGE_V, STAGE_T, 0, 0);
        stage_store(u, CONFIG_SYNC, 0);
        word(u, OP(SETADCXX) | 1u << 21 | 255 << 10);
        word(u, OP(SETADCXX) | 2u << 21 | 255 << 10);
        word(u, OP(SETADCZW) | 3u << 21 | 15);
        word(u, OP(SETADCXX) | 3u << 21 | 1023u << 10);
        if (fresh)
            word(u, clear);
        set_mop(u, (struct mop){1, 1, unpacr(0), NOP, unpacr(1), unpacr(1), unpacr(1)});
    } else {
        set_base(u, 0, INPUT + tile * 2048);
        set_base(u, 1, GAMMA + tile * 2048);
        word(u, OP(SETADCZW) | 3u << 21 | 15);
    }
    if (!fresh)
        word(u, clear);
    word(u, RUN_MOP);
    word(u, STALL(B_UNPACK, C_UNPACK));
    word(u, SEM(SEMGET, CONFIGURED));
    stage_sync(u);
    if (n->feed == RMSNORM_AHEAD)
        word(u, SEMSPACE(B_SYNC, UNPACKED));
    word(u, SEM(SEMPOST, UNPACKED));
}

// ---- T2

static uint32_t pacr(unsigned mode, bool last)
{
    return OP(PACR) | mode << 15 | 1u << 8 | last;
}

static void configure_packer(struct ts_rvasm *p, bool wide)
{
    const uint32_t format = wide ? 0 : 5, size = wide ? 4 : 2;
    const uint32_t words[] = {RMW(2, 0x80, 0, 71), SETC16(0, 0),       RMW(3, 0x1e, format << 1, 1),
                              RMW(0, 7, 0, 1),     RMW(0, 0xfc, 0, 2), RMW(1, 0xff, 0, 2),
                              RMW(2, 0x3f, 0, 2)};
    const struct setting settings[] = {
        {68, 0x40000},
        {70, 1 | format << 4 | format << 8},
        {18, 1}, // 32-bit Dst
        {12, 16 * size << 16},
        {13, 256 * size | 1024 * size << 16},
        {28, 0x1000},
        {24, 0xffff},
        {25, 0},
        {20, 0},
        {21, 0},
    };
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        word(p, words[i]);
    configs(p, settings, sizeof settings / sizeof *settings);
    stage_store(p, 0xffe00000 + 16 * 4, 1024 * size >> 4);
    stage_store(p, 0xffe00000 + 52 * 4, 0x40000);
    word(p, SETC16(37, 0x104));
    word(p, SETC16(38, 0x2820));
    word(p, SETC16(39, 0x1120));
    word(p, OP(SETADCXY) | 4u << 21 | 11);
    word(p, OP(SETADCZW) | 4u << 21 | 15);
    set_mop(p,
            (struct mop){4, 4, NOP, NOP, OP(PACR), OP(PACR) | 1u << 15 | 1, OP(PACR) | 2u << 15});
    stage_sync(p);
}

static void by_rows(struct ts_rvasm *p)
{
    word(p, SETC16(37, 1));
    word(p, SETC16(38, 0x20));
    word(p, SETC16(39, 0));
    config(p, 28, 1u << 8);
}

static void position(struct ts_rvasm *p, unsigned tile)
{
    for (unsigned dimension = 1; dimension < 4; dimension++)
        word(p, OP(SETADC) | 4u << 21 | dimension << 18 | (dimension == 3 ? tile : 0));
}

// Half of a GPR by a pushed SETDMAREG, its value in register A.
static void set_half(struct ts_rvasm *p, unsigned half)
{
    ts_rvasm(p, TS_RV_SLLI, B, A, 0, 8);
    ts_rvasm_li(p, C, 0x00ffff00);
    ts_rvasm(p, TS_RV_AND, B, B, C, 0);
    ts_rvasm_li(p, C, OP(SETDMAREG) | half);
    ts_rvasm(p, TS_RV_OR, B, B, C, 0);
    ts_rvasm_li(p, STAGE_T, 0xffe40000);
    ts_rvasm(p, TS_RV_SW, 0, STAGE_T, B, 0);
}

// A branch that is taken, over code that is not run.
static void skip(struct ts_rvasm *p, unsigned words)
{
    ts_rvasm(p, TS_RV_BEQ, 0, STAGE_ZERO, STAGE_ZERO, 4 * ((int32_t)words + 1));
    for (unsigned i = 0; i < words; i++)
        ts_rvasm(p, TS_RV_ADDI, 0, 0, 0, 0);
}

// 16 FP32 values of a Dst tile; the probe finds out at run time how many rows there are.
static void pack_scale(struct ts_rvasm *p, unsigned tile)
{
    const uint32_t address = (SCALE >> 4) - 1;
    ts_rvasm_li(p, D, 16);
    word(p, SEMWAIT(B_TDMA, MATH_PACK));
    configure_packer(p, true);
    by_rows(p);
    word(p, OP(SETADC) | 4u << 21 | 3u << 18 | tile);
    ts_rvasm_li(p, A, address);
    set_half(p, 24);
    ts_rvasm_li(p, A, address);
    ts_rvasm(p, TS_RV_SRLI, A, A, 0, 16);
    ts_rvasm_li(p, B, 0x8000);
    ts_rvasm(p, TS_RV_OR, A, A, B, 0);
    set_half(p, 25);
    word(p, STALL(B_CFG, C_SCALAR | C_PACK));
    word(p, OP(WRCFG) | 12u << 16 | 69);
    ts_rvasm_li(p, A, 0);
    set_half(p, 25);
    word(p, OP(DMANOP));
    position(p, tile);
    config(p, 180, 0);
    ts_rvasm(p, TS_RV_SRLI, A, D, 0, 4);
    ts_rvasm(p, TS_RV_ANDI, B, D, 0, 15);
    ts_rvasm(p, TS_RV_BEQ, 0, A, STAGE_ZERO, 8); // there is a row
    skip(p, 40);
    word(p, OP(SETADCXX) | 4u << 21 | 15 << 10);
    set_mop(p, (struct mop){1, 1, NOP, NOP, pacr(0, false), pacr(1, true), NOP});
    word(p, STALL(B_CFG, C_PACK));
    word(p, RUN_MOP);
    skip(p, 40);
    word(p, STALL(B_SYNC, C_PACK));
    stage_sync(p);
    word(p, SEM(SEMGET, MATH_PACK));
}

static void pack(struct ts_rvasm *p, const struct rmsnorm *n)
{
    unsigned first = n->math == RMSNORM_HYBRID ? 1 : n->plain ? 2 * n->tiles : 0;
    if (n->exported)
        pack_scale(p, n->math == RMSNORM_PORT ? n->tiles : 0);
    else
        word(p, SEMWAIT(B_TDMA, MATH_PACK));
    configure_packer(p, false);
    by_rows(p);
    set_mop(p, (struct mop){1, 64, NOP, NOP, pacr(0, false), pacr(1, true), NOP});
    for (unsigned tile = 0; tile < n->tiles; tile++) {
        stage_sync(p);
        position(p, first + tile);
        config(p, 69, (((uint32_t)OUTPUT + tile * 2048) >> 4) - 1 + (1u << 31));
        config(p, 180, 0);
        word(p, OP(SETADCXX) | 4u << 21 | 15 << 10);
        word(p, RUN_MOP);
        word(p, STALL(B_SYNC, C_PACK));
        stage_sync(p);
    }
    if (!n->exported)
        word(p, SEM(SEMGET, MATH_PACK));
    mark(p, n->part == RMSNORM_PACK, true);
    mark(p, n->part == RMSNORM_TOTAL, true);
    stage_end(p);
}

// ---- values

static float from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static void fill(struct stage *stage, uint16_t *x, uint16_t *gamma, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        x[i] = (uint16_t)((i * 7 & 1) << 15 | (0x3f00 + i * 37 % 0x140));
        gamma[i] = (uint16_t)((i * 5 >> 2 & 1) << 15 | (0x3f40 + i * 29 % 0x80));
    }
    memcpy(stage->tile->l1.bytes + INPUT, x, 2 * count);
    memcpy(stage->tile->l1.bytes + GAMMA, gamma, 2 * count);
}

static void check(const struct stage *stage, const uint16_t *x, const uint16_t *gamma,
                  unsigned count)
{
    uint16_t y[4096];
    double sum = 0;
    memcpy(y, stage->tile->l1.bytes + OUTPUT, 2 * count);
    for (unsigned i = 0; i < count; i++)
        sum += (double)from_bf16(x[i]) * (double)from_bf16(x[i]);
    double by = 1 / sqrt(sum / count + (double)EPSILON);
    for (unsigned i = 0; i < count && stage->error->code == TS_OK; i++) {
        double want = (double)from_bf16(x[i]) * (double)from_bf16(gamma[i]) * by;
        // BF16 rounds by up to 0.4 %; three phases of ELWMUL lose a little more.
        if (fabs((double)from_bf16(y[i]) / want - 1) > 0.006)
            ts_fail(stage->error, TS_BUG, "y[%u] is %g, not %g", i, (double)from_bf16(y[i]), want);
    }
}

static double launch(const struct rmsnorm *n, const struct ts_silicon_context *context,
                     struct ts_rv_predictor *learnt, unsigned number, struct ts_error *error)
{
    uint16_t x[4096], gamma[4096];
    struct stage *stage = stage_new(context, false, error);
    stage->learnt = learnt;
    stage->launch = number;
    struct ts_rvasm *u = stage_core(stage, TS_RV_TRISC0), *m = stage_core(stage, TS_RV_TRISC1),
                    *p = stage_core(stage, TS_RV_TRISC2);
    for (unsigned i = 0; i < 8; i++)
        word(u, SEMINIT(i));
    stage_sync(u);
    if (!n->plain)
        word(u, SEM(SEMPOST, UNPACKED));
    for (unsigned tile = 0; tile < n->tiles; tile++)
        unpack(u, n, tile);
    rmsnorm_math(m, n->squares == RMSNORM_BY_T0 ? u : p, n);
    stage_end(m);
    pack(p, n);
    stage_end(u);
    fill(stage, x, gamma, 1024 * n->tiles);
    double cycles = stage_run(stage);
    if (error->code == TS_OK)
        check(stage, x, gamma, 1024 * n->tiles);
    stage_free(stage);
    return error->code == TS_OK ? cycles : NAN;
}

double rmsnorm_run(const struct rmsnorm *n, const struct ts_silicon_context *context,
                   struct ts_error *error)
{
    struct ts_rv_predictor learnt[TS_RV_CORES];
    double cycles = NAN;
    for (unsigned number = 0; number < STAGE_LAUNCHES; number++)
        cycles = launch(n, context, learnt, number, error);
    return cycles;
}
