// Truth table: short sequences of TRISC1, from marker to marker with a drain: functions of the
// vector unit on four vectors, and the sum of 1024 values in SrcA by matrix and vector unit.
//
//   FUNCTION   k times a function of four vectors; each interval marked on its own, they add up
//   SUM        eight pools into one Dst block by REPLAY, then a finish that adds sixteen columns
//   FINISH     the finish alone, after the pools have drained
// Sources: operation tests of blackhole-py (sfpu_math) and its report on finishing a sum.
#include "platform/study/silicon/stage.h"

#include <stdio.h>

#define OP(name)       ((uint32_t)TS_OP_##name << 24)
#define BLOCK(bit)     (1u << (bit) << 15)
#define WAIT_MATRIX    (1u << 4)
#define WAIT_VECTOR    (1u << 11)
#define STALL_SYNC(on) (OP(STALLWAIT) | BLOCK(1) | (on))
#define SFPU3(name, a, b, c, d, mod) \
    (OP(name) | (a) << 16 | (b) << 12 | (c) << 8 | (uint32_t)(d) << 4 | (mod))
#define SFPU1(name, c, d, mod) (OP(name) | (c) << 8 | (uint32_t)(d) << 4 | (mod))
#define LOADI(d, mod, imm)     (OP(SFPLOADI) | (uint32_t)(d) << 20 | (mod) << 16 | (imm))
#define LOAD(d, at)            (OP(SFPLOAD) | (uint32_t)(d) << 20 | 3u << 16 | (at))
#define STORE(d, at)           (OP(SFPSTORE) | (uint32_t)(d) << 20 | 3u << 16 | (at))
#define GATE                   (OP(GATESRCRST) | 3)
#define POOL                   OP(GAPOOL)

enum kind { FUNCTION, SUM, FINISH };
enum what {
    NOTHING,
    ADD,
    SUBTRACT,
    MULTIPLY,
    NEGATE,
    RECIPROCAL,
    REFINED,
    EXP,
    BY_VECTOR,
    TRANSPOSE,
    ROW_DOT
};

struct row {
    struct ts_silicon_row base;
    enum kind kind;
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

// ---- the sum

static void finish(struct ts_rvasm *p, enum what how)
{
    if (how == BY_VECTOR) {
        stage_tensix(p, OP(STALLWAIT) | BLOCK(8) | WAIT_MATRIX);
        stage_tensix(p, LOAD(0, 0u));
        stage_tensix(p, LOAD(1, 2u));
        stage_tensix(p, SFPU3(SFPADD, 10u, 0u, 1u, 0, 0));
        for (unsigned by = 4; by; by /= 2) { // eight lanes: copy, rotate by 4, 2, 1, add
            stage_tensix(p, SFPU1(SFPMOV, 0u, 1, 2));
            for (unsigned i = 0; i < by; i++)
                stage_tensix(p, SFPU1(SFPSHFT2, 1u, 1, 3));
            stage_tensix(p, SFPU3(SFPADD, 10u, 0u, 1u, 0, 0));
        }
        stage_tensix(p, STORE(0, 0u));
        return;
    }
    stage_tensix(p, OP(SETRWC) | 15);
    stage_tensix(p, OP(MOVD2B) | (how == TRANSPOSE ? 16u : 0u) << 17 | 3u << 14);
    stage_tensix(p, GATE);
    if (how == TRANSPOSE) {
        stage_tensix(p, OP(TRNSPSRCB));
        stage_tensix(p, GATE);
    }
    for (uint32_t r = 0; r < 16; r += 4)
        stage_tensix(p, OP(MOVB2A) | r << 17 | 3u << 14 | 2u << 12 | (16 + r));
    stage_tensix(p, GATE);
    stage_tensix(p, OP(ZEROACC) | 3u << 19 | 1u << 18 | 3u << 14);
    stage_tensix(p, POOL);
    stage_tensix(p, POOL);
}

static void sum(struct ts_rvasm *p, const struct row *row)
{
    ts_rvasm_li(p, STAGE_T, 0xffef0000);
    ts_rvasm_li(p, STAGE_V, 1u << 29); // a Dst of 32 bits
    ts_rvasm(p, TS_RV_SW, 0, STAGE_T, STAGE_V, 4);
    stage_tensix(p, OP(SETDVALID) | 3);
    stage_tensix(p, OP(SFPENCC) | 2);
    stage_tensix(p, OP(REPLAY) | 8u << 4 | 1);
    for (unsigned i = 0; i < 8; i++)
        stage_tensix(p, POOL);
    stage_tensix(p, GATE);
    drain(p, WAIT_MATRIX | WAIT_VECTOR);
    if (row->kind == SUM)
        stage_start(p);
    stage_tensix(p, OP(REPLAY) | 8u << 4);
    if (row->kind == FINISH) {
        drain(p, WAIT_MATRIX);
        stage_start(p);
    }
    finish(p, row->what);
    drain(p, WAIT_MATRIX | WAIT_VECTOR);
    stage_stop(p);
}

// ---- the rows

#define MOVED                                                                                   \
    "4 to 5 cycles in the move from Dst to SrcB behind a pool, whose latency is not published " \
    "(inferred: the finish in the vector unit fits)"

#define ROW(name, how, which, n, value)                                               \
    {                                                                                 \
        .base = {.id = name,                                                          \
                 .measured = value,                                                   \
                 .cause = (which) == TRANSPOSE || (which) == ROW_DOT ? MOVED : NULL}, \
        .kind = how, .what = which, .times = n                                        \
    }

static const struct row rows[] = {
    ROW("B0430", FUNCTION, NEGATE, 1, 73),   ROW("B0431", FUNCTION, RECIPROCAL, 1, 73),
    ROW("B0432", FUNCTION, REFINED, 1, 117), ROW("B0434", FUNCTION, EXP, 1, 249),
    ROW("B0435", FUNCTION, NOTHING, 1, 64),  ROW("B0436", FUNCTION, MULTIPLY, 16, 197),
    ROW("B0437", FUNCTION, NEGATE, 16, 133), ROW("B0438", FUNCTION, ADD, 1, 78),
    ROW("B0439", FUNCTION, SUBTRACT, 1, 78), ROW("B0440", FUNCTION, MULTIPLY, 1, 78),
    ROW("B0442", FUNCTION, NEGATE, 1, 74),   ROW("B0444", FUNCTION, EXP, 1, 250),
    ROW("B0641", SUM, BY_VECTOR, 0, 104),    ROW("B0642", FINISH, BY_VECTOR, 0, 56),
    ROW("B0644", SUM, TRANSPOSE, 0, 97),     ROW("B0645", FINISH, TRANSPOSE, 0, 50),
    ROW("B0647", SUM, ROW_DOT, 0, 95),       ROW("B0648", FINISH, ROW_DOT, 0, 48),
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    struct stage *stage = stage_new(context, false, error);
    struct ts_rvasm *p = stage_core(stage, TS_RV_TRISC1);
    if (row->kind == FUNCTION)
        functions(p, row);
    else
        sum(p, row);
    stage_end(p);
    *simulated = stage_run(stage);
    stage_free(stage);
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
        [BY_VECTOR] = "in the vector unit",
        [TRANSPOSE] = "by transposition",
        [ROW_DOT] = "by a row product",
    };
    const struct row *row = (const struct row *)base;
    if (row->kind == FUNCTION)
        snprintf(text->workload, sizeof text->workload, "%u x %s of 4 vectors, drained each",
                 row->times, names[row->what]);
    else
        snprintf(text->workload, sizeof text->workload, "sum of 1024%s finished %s",
                 row->kind == FINISH ? ", only how it is" : ",", names[row->what]);
    text->metric = "cycles";
}

const struct ts_silicon_family ts_silicon_sequence = {
    .name = "sequence",
    .title = "functions of the vector unit, sum of 1024",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.05,
    .p90 = 0.11,
    .groups = "riscv tensix",
};
