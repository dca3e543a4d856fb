// Truth table: functions of the vector unit on four vectors by TRISC1. Each interval is marked on
// its own and ends with a drain; they add up.
// Source: operation tests of blackhole-py (sfpu_math).
#include "platform/study/silicon/stage.h"

#include <stdio.h>

#define OP(name)       ((uint32_t)TS_OP_##name << 24)
#define BLOCK(bit)     (1u << (bit) << 15)
#define WAIT_VECTOR    (1u << 11)
#define STALL_SYNC(on) (OP(STALLWAIT) | BLOCK(1) | (on))
#define SFPU3(name, a, b, c, d, mod) \
    (OP(name) | (a) << 16 | (b) << 12 | (c) << 8 | (uint32_t)(d) << 4 | (mod))
#define SFPU1(name, c, d, mod) (OP(name) | (c) << 8 | (uint32_t)(d) << 4 | (mod))
#define LOADI(d, mod, imm)     (OP(SFPLOADI) | (uint32_t)(d) << 20 | (mod) << 16 | (imm))
#define LOAD(d, at)            (OP(SFPLOAD) | (uint32_t)(d) << 20 | 3u << 16 | (at))
#define STORE(d, at)           (OP(SFPSTORE) | (uint32_t)(d) << 20 | 3u << 16 | (at))

enum what { NOTHING, ADD, SUBTRACT, MULTIPLY, NEGATE, RECIPROCAL, REFINED, EXP };

struct row {
    struct ts_silicon_row base;
    enum what what;
    unsigned times;
};

// ---- functions

// A constant takes two loads of half a register.
static void constant(struct ts_rvasm *p, unsigned reg, uint32_t bits)
{
    stage_tensix(p, LOADI(reg, 8u, bits >> 16));
    stage_tensix(p, LOADI(reg, 10u, bits & 0xffff));
}

static void function(struct ts_rvasm *p, enum what what)
{
    enum { X = 3, TMP = 4, C = 5 };
    switch (what) {
    case ADD:
        stage_tensix(p, SFPU3(SFPADD, 10u, 0u, 1u, 0, 0));
        break;
    case SUBTRACT:
        stage_tensix(p, SFPU3(SFPADD, 10u, 0u, 1u, 0, 2));
        break;
    case MULTIPLY:
        stage_tensix(p, SFPU3(SFPMUL, 0u, 1u, 9u, 0, 0));
        break;
    case NEGATE:
        stage_tensix(p, SFPU1(SFPMOV, 0u, 0, 1));
        break;
    case RECIPROCAL:
        stage_tensix(p, SFPU1(SFPARECIP, 0u, 0, 0));
        break;
    case REFINED: // two steps of Newton
        stage_tensix(p, SFPU1(SFPMOV, 0u, X, 0));
        stage_tensix(p, SFPU1(SFPARECIP, 0u, 0, 0));
        constant(p, C, 0x40000000);
        for (unsigned i = 0; i < 2; i++) {
            stage_tensix(p, SFPU3(SFPMAD, (uint32_t)X, 0u, (uint32_t)C, TMP, 1));
            stage_tensix(p, SFPU3(SFPMUL, 0u, (uint32_t)TMP, 9u, 0, 0));
        }
        break;
    case EXP: // a polynomial of degree 8 of x / 256, squared eight times
        stage_tensix(p, SFPU1(SFPMOV, 0u, X, 0));
        stage_tensix(p, OP(SFPMULI) | 0x3b80u << 8 | X << 4);
        constant(p, 0, 0x37d00d01);
        for (unsigned i = 0; i < 8; i++) {
            constant(p, C, 0x3f800000);
            stage_tensix(p, SFPU3(SFPMAD, 0u, (uint32_t)X, (uint32_t)C, 0, 0));
        }
        for (unsigned i = 0; i < 8; i++)
            stage_tensix(p, SFPU3(SFPMUL, 0u, 0u, 9u, 0, 0));
        break;
    default:
        break;
    }
}

static void drain(struct ts_rvasm *p, uint32_t on)
{
    stage_tensix(p, STALL_SYNC(on));
    stage_sync(p);
}

static void functions(struct ts_rvasm *p, const struct row *row)
{
    stage_tensix(p, OP(SFPENCC) | 2);
    for (uint32_t i = 0; i < 4; i++) {
        for (unsigned reg = 0; reg < 3; reg++)
            stage_tensix(p, LOAD(reg, 64 * reg + 2 * i));
        drain(p, WAIT_VECTOR);
        stage_add_start(p);
        for (unsigned k = 0; k < row->times; k++)
            function(p, row->what);
        drain(p, WAIT_VECTOR);
        stage_add_stop(p);
        stage_tensix(p, STORE(0, 2 * i));
    }
    drain(p, WAIT_VECTOR);
}

// ---- the rows

#define ROW(name, which, n, value)                                         \
    {                                                                      \
        .base = {.id = name, .measured = value}, .what = which, .times = n \
    }

static const struct row rows[] = {
    ROW("B0430", NEGATE, 1, 73),   ROW("B0431", RECIPROCAL, 1, 73), ROW("B0432", REFINED, 1, 117),
    ROW("B0434", EXP, 1, 249),     ROW("B0435", NOTHING, 1, 64),    ROW("B0436", MULTIPLY, 16, 197),
    ROW("B0437", NEGATE, 16, 133), ROW("B0438", ADD, 1, 78),        ROW("B0439", SUBTRACT, 1, 78),
    ROW("B0440", MULTIPLY, 1, 78), ROW("B0442", NEGATE, 1, 74),     ROW("B0444", EXP, 1, 250),
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    struct ts_rv_predictor learnt[TS_RV_CORES];
    for (unsigned launch = 0; launch < STAGE_LAUNCHES; launch++) {
        struct stage *stage = stage_new(context, false, error);
        struct ts_rvasm *p = stage_core(stage, TS_RV_TRISC1);
        stage->learnt = learnt;
        stage->launch = launch;
        functions(p, row);
        stage_end(p);
        *simulated = stage_run(stage);
        stage_free(stage);
    }
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const names[] = {
        [NOTHING] = "nothing",
        [ADD] = "add",
        [SUBTRACT] = "subtract",
        [MULTIPLY] = "multiply",
        [NEGATE] = "negate",
        [RECIPROCAL] = "native reciprocal",
        [REFINED] = "refined reciprocal",
        [EXP] = "refined exp",
    };
    const struct row *row = (const struct row *)base;
    snprintf(text->workload, sizeof text->workload, "%u x %s of 4 vectors, drained each",
             row->times, names[row->what]);
    text->metric = "cycles";
}

const struct ts_silicon_family ts_silicon_functions = {
    .name = "functions",
    .title = "functions of the vector unit",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.05,
    .p90 = 0.10,
    .groups = "riscv tensix",
};
