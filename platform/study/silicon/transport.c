// Truth table: unpacks and packs with the RISC-V code around them: configuration, staging copies, drains.
//
//   to Dst     T0 configures unpacker 0 and sends FP32 straight to Dst: MOPs over fragments of 256
//   to Src     T0 configures an unpacker and sends a BF16 tile to SrcA or SrcB; T1 moves it to Dst
//   packs      T2 configures the packer and packs rows of 16 by a MOP, from the launch on: it waits
//              until T0 and T1 have filled Dst
//   staged     T0 zeroes a scratch page and copies values into it byte by byte, then unpacks it
//   inserted   T1 puts values into Dst lane by lane: the vector unit's immediates
//
// Source: tests/movement and tests/operation_pocs/transport of blackhole-py, written again from their
// text. All cores start cold and together; on the card the firmware starts them within a few dozen
// cycles.
#include "platform/study/silicon/transport.h"

#include <stdio.h>

// ---- staged

static void staged(struct stage *stage, const struct transport *r)
{
    struct ts_rvasm *u = stage_core(stage, TS_RV_TRISC0);
    unsigned engine = r->where, bytes = r->wide ? 4 : 2;
    ts_rvasm_li(u, N, r->count);
    mark(u, false, false); // the probe has an empty pair first
    mark(u, false, true);
    stage_start(u);
    mark(u, false, false);
    ts_rvasm_li(u, TO, SCRATCH);
    ts_rvasm_li(u, INDEX, 0);
    ts_rvasm_li(u, LIMIT, (r->page * bytes + 64) / 4);
    struct loop loop = loop_begin(u, INDEX, LIMIT);
    ts_rvasm(u, TS_RV_SW, 0, TO, STAGE_ZERO, 0);
    ts_rvasm(u, TS_RV_ADDI, TO, TO, 0, 4);
    loop_end(u, loop);
    ts_rvasm(u, TS_RV_SLLI, BYTES, N, 0, r->wide ? 2 : 1);
    ts_rvasm_li(u, FROM, INPUT);
    ts_rvasm_li(u, TO, SCRATCH);
    ts_rvasm_li(u, INDEX, 0);
    ts_rvasm(u, TS_RV_ADDI, LIMIT, BYTES, 0, 0);
    loop = loop_begin(u, INDEX, LIMIT);
    ts_rvasm(u, TS_RV_LBU, VALUE, FROM, 0, 0);
    ts_rvasm(u, TS_RV_SB, 0, TO, VALUE, 0);
    ts_rvasm(u, TS_RV_ADDI, FROM, FROM, 0, 1);
    ts_rvasm(u, TS_RV_ADDI, TO, TO, 0, 1);
    loop_end(u, loop);
    ts_rvasm(u, TS_RV_FENCE, 0, 0, 0, 0);
    mark(u, false, true);
    stage_unpacker(u, engine, SCRATCH, r->wide, NULL);
    commit(u, engine);
    config(u, 72 + 48 * engine, 0x25);
    config(u, 56 + 2 * engine, 2 | 32u << 16);
    config(u, 57 + 2 * engine, 512);
    if (engine)
        config(u, 61, 0);
    else
        config(u, 84, 64 | 64u << 16);
    word(u, SETADCXX(engine + 1, r->page - 1));
    word(u, SETADCZW(3, 15));
    word(u, STALL(B_UNPACK, C_TRISC_CFG));
    word(u, UNPACR(engine, 1, 1u));
    word(u, STALL(B_UNPACK, engine ? 4 : 2));
    word(u, SEM(SEMGET, CONFIGURED));
    stage_sync(u);
    stage_stop(u);
    stage_end(u);
}

// ---- inserted

// One vector: a lane after the other is enabled, and takes its value as an immediate.
static void insert(struct ts_rvasm *m, const struct transport *r, unsigned vector)
{
    word(m, OP(SFPENCC) | 2);
    word(m, SFPLOADI(0, 0, 0));
    ts_rvasm_li(m, INDEX, 0);
    ts_rvasm_li(m, LIMIT, 32);
    struct loop loop = loop_begin(m, INDEX, LIMIT);
    word(m, OP(SFPENCC) | 3u << 12 | 10);
    ts_rvasm(m, TS_RV_SLLI, M, INDEX, 0, 1);
    ts_rvasm(m, TS_RV_SUB, W, STAGE_ZERO, M, 0);
    ts_rvasm(m, TS_RV_SLLI, Z, W, 0, 20);
    ts_rvasm(m, TS_RV_SRLI, Z, Z, 0, 8);
    issue_or(m, SFP2(SFPIADD, 0, 15, 7, 5), Z);
    word(m, SFP2(SFPSETCC, 0, 7, 0, 6));
    ts_rvasm(m, TS_RV_ADDI, M, M, 0, (int32_t)(vector / 2 * 64 + vector % 2));
    unsigned none = stage_forward(m);
    ts_rvasm(m, TS_RV_SLLI, FROM, M, 0, r->wide ? 2 : 1);
    ts_rvasm_li(m, VALUE, INPUT);
    ts_rvasm(m, TS_RV_ADD, FROM, FROM, VALUE, 0);
    ts_rvasm(m, r->wide ? TS_RV_LW : TS_RV_LHU, VALUE, FROM, 0, 0);
    if (r->wide) {
        ts_rvasm(m, TS_RV_SRLI, TO, VALUE, 0, 16);
        ts_rvasm(m, TS_RV_SLLI, VALUE, VALUE, 0, 16);
        ts_rvasm(m, TS_RV_SRLI, VALUE, VALUE, 0, 16);
        issue_or(m, SFPLOADI(0, 0, 0), TO);
        issue_or(m, SFPLOADI(0, 10, 0), VALUE);
    } else {
        issue_or(m, SFPLOADI(0, 0, 0), VALUE);
    }
    stage_land(m, none, TS_RV_BGEU, M, N);
    loop_end(m, loop);
    word(m, OP(SFPENCC) | 2);
    word(m, DST(SFPSTORE, 0, 0, r->where % 1024 / 16 + vector * 2));
}

static void inserted(struct stage *stage, const struct transport *r)
{
    struct ts_rvasm *m = stage_core(stage, TS_RV_TRISC1);
    ts_rvasm_li(m, N, r->count);
    mark(m, false, false); // the probe has an empty pair first
    mark(m, false, true);
    stage_start(m);
    word(m, SETC16(0, 0));
    word(m, SETC16(1, r->where / 1024 * 64));
    word(m, STALL(B_CFG, C_MATH));
    word(m, RMW(3, 0x20, 0x20, 1));
    word(m, SETC16(12, 0));
    word(m, SETC16(28, 0));
    word(m, SETC16(47, 0));
    word(m, SETRWC(0, 15));
    for (unsigned vector = 0; vector < 4; vector++)
        insert(m, r, vector);
    word(m, STALL(B_SYNC, C_VECTOR));
    stage_sync(m);
    stage_stop(m);
    stage_end(m);
}

// ---- rows

#define ROW(name, value, what, fp32, n, at, ...)                                         \
    {                                                                                    \
        .base = {.id = name, .measured = value}, .kind = what, .wide = fp32, .count = n, \
        .where = at, __VA_ARGS__                                                         \
    }

static const struct transport rows[] = {
    ROW("B0542", 326, TO_DST, true, 1024, 0),
    ROW("B0543", 247, TO_DST, true, 16, 3072),
    ROW("B0544", 255, TO_DST, true, 128, 3072 + 16),
    ROW("B0545", 247, TO_DST, true, 256, 3072 + 256),
    ROW("B0546", 263, TO_DST, true, 512, 3072 + 128),
    ROW("B0547", 283, TO_DST, true, 768, 3072 + 32),
    ROW("B0548", 261, TO_SRC, false, 1024, 0),
    ROW("B0551", 249, TO_SRC, false, 1024, 0),
    ROW("B0552", 235, TO_SRC, false, 1024, 1),
    ROW("B0484", 478, PACK, false, 128, 4096 + 16),
    ROW("B0485", 534, PACK, false, 137, 5120 + 144),
    ROW("B0486", 498, PACK, false, 512, 6144 + 128),
    ROW("B0487", 527, PACK, false, 1024, 7168),
    ROW("B0488", 475, PACK, true, 1, 0),
    ROW("B0489", 544, PACK, true, 17, 3072 + 16),
    ROW("B0491", 593, PACK, true, 1024, 7168),
    ROW("B0492", 535, PACK, false, 17, 4096 + 16, .mode = RELU),
    ROW("B0494", 521, PACK, false, 137, 4096 + 32, .mode = CLAMP),
    ROW("B0495", 516, PACK, true, 17, 4096 + 16, .mode = CLAMP),
    ROW("B0497", 1011, PACK, false, 1024, 6144, .mode = STOCHASTIC),
    ROW("B0456", 690, STAGED, false, 1, 0, .page = 128),
    ROW("B0457", 4247, STAGED, false, 128, 0, .page = 128),
    ROW("B0458", 687, STAGED, false, 1, 1, .page = 128),
    ROW("B0459", 4244, STAGED, false, 128, 1, .page = 128),
    ROW("B0461", 1041, STAGED, true, 1, 0, .page = 128),
    ROW("B0462", 8154, STAGED, true, 128, 0, .page = 128),
    ROW("B0463", 1038, STAGED, true, 1, 1, .page = 128),
    ROW("B0464", 8151, STAGED, true, 128, 1, .page = 128),
    ROW("B0465", 15967, STAGED, true, 256, 0, .page = 256),
    ROW("B0453", 4067, INSERTED, false, 128, 0),
    ROW("B0454", 2301, INSERTED, true, 1, 0),
    ROW("B0470", 2330, INSERTED, false, 2, 31 * 128),
    ROW("B0472", 2368, INSERTED, false, 6, 31 * 128),
    ROW("B0473", 2388, INSERTED, false, 8, 31 * 128),
    ROW("B0474", 2404, INSERTED, false, 10, 31 * 128),
    ROW("B0475", 2460, INSERTED, false, 12, 31 * 128),
    ROW("B0476", 2488, INSERTED, false, 14, 31 * 128),
    ROW("B0477", 2516, INSERTED, false, 16, 31 * 128),
    ROW("B0479", 2572, INSERTED, false, 20, 31 * 128),
};

static void run(const struct ts_silicon_row *row, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    static void (*const programs[])(struct stage *, const struct transport *) = {
        [TO_DST] = transport_to_dst, [TO_SRC] = transport_to_src, [PACK] = transport_pack,
        [STAGED] = staged,           [INSERTED] = inserted,
    };
    const struct transport *r = (const struct transport *)row;
    struct ts_rv_predictor learnt[TS_RV_CORES];
    for (unsigned launch = 0; launch < STAGE_LAUNCHES; launch++) {
        struct stage *stage = stage_new(context, false, error);
        stage->learnt = learnt;
        stage->launch = launch;
        programs[r->kind](stage, r);
        simulated[0] = stage_run(stage);
        stage_free(stage);
    }
}

static void describe(const struct ts_silicon_row *row, struct ts_silicon_text *text)
{
    static const char *const modes[] = {"", ", ReLU", ", clamped", ", stochastic rounding"};
    const struct transport *r = (const struct transport *)row;
    const char *format = r->wide ? "FP32" : "BF16";
    char *to = text->workload;
    const size_t size = sizeof text->workload;
    text->metric = "cycles, configuration included";
    switch (r->kind) {
    case TO_DST:
        snprintf(to, size, "%u %s values straight to Dst, from %u on", r->count, format, r->where);
        break;
    case TO_SRC:
        snprintf(to, size, "%u %s values to %s", r->count, format, r->where ? "SrcB" : "SrcA");
        break;
    case PACK:
        snprintf(to, size, "%u values of Dst, from %u on, packed to %s%s", r->count, r->where,
                 format, modes[r->mode]);
        break;
    case STAGED:
        snprintf(to, size, "%u of %u %s values to %s by a scratch page", r->count, r->page, format,
                 r->where ? "SrcB" : "SrcA");
        break;
    case INSERTED:
        snprintf(to, size, "%u %s values to Dst by the vector unit, from %u on", r->count, format,
                 r->where);
        break;
    }
}

static const struct ts_silicon_left left[] = {
    {"B0466", "B0469",
     "its text takes 480 cycles and a copy (B0488); what the other 2,100 are is not published"},
    {0},
};

const struct ts_silicon_family ts_silicon_transport = {
    .name = "transport",
    .title = "unpacks and packs with configuration and staging",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.03,
    .p90 = 0.10,
    .groups = "riscv tensix",
    .left = left,
};
