// Random programs on the core, with and without the automaton and running ahead, against the plain
// second interpreter: ten million instructions, every register and every byte, and the same cycles,
// stalls and counters each way.
#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "tests/cores/reference.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER   0x20000u // L1 the programs work on: 2 KiB
#define LOCAL    0xffb00000u
#define BODY     1200
#define ROUNDS   16
#define PROGRAMS 640 // of about 18,000 instructions

static uint64_t seed;

static uint32_t draw(void)
{
    return (uint32_t)(random64(&seed) >> 16);
}

// Values that find edges more often than uniform ones.
static uint32_t value(void)
{
    static const uint32_t edges[] = {0,          1,  2,  0xffffffff, 0x7fffffff, 0x80000000,
                                     0x80000001, 31, 32, 0xff,       0xffff};
    uint32_t kind = draw() % 4;
    if (kind == 0)
        return edges[draw() % (sizeof edges / sizeof edges[0])];
    return kind == 1 ? draw() & 0xff : draw();
}

// x8 and x9 stay pointers, x31 counts rounds, x30 is an index; programs use x10 to x29.
static unsigned any_reg(void)
{
    return draw() % 12 == 0 ? 0 : 10 + draw() % 20;
}

// Words that need the one before them: no branch may end there.
static bool hidden[BODY + 200];

static void jump(struct ts_rvasm *code, unsigned rd)
{
    int32_t over = 4 * (int32_t)(draw() % 8);
    if (draw() % 2) {
        ts_rvasm(code, TS_RV_JAL, rd, 0, 0, 4 + over);
        return;
    }
    ts_rvasm(code, TS_RV_AUIPC, 30, 0, 0, 0);
    hidden[code->count] = true;
    ts_rvasm(code, TS_RV_JALR, rd, 30, 0, 8 + over);
}

// Branches and jumps that would end at a hidden word end at the one before it.
static void uncover(struct ts_rvasm *code)
{
    for (uint32_t i = 0; i < code->count; i++) {
        struct ts_rv_insn in = ts_rv_decode(code->words[i]);
        bool branch = in.op >= TS_RV_BEQ && in.op <= TS_RV_BGEU;
        uint32_t target = i + (uint32_t)(in.imm / 4);
        if (in.op == TS_RV_JALR)
            target -= 1; // of the AUIPC
        if ((!branch && in.op != TS_RV_JAL && in.op != TS_RV_JALR) || !hidden[target])
            continue;
        code->words[i] = ts_rv_encode(in.op, in.word >> 7 & 31, in.rs1, in.rs2, in.imm - 4);
    }
}

static void one(struct ts_rvasm *code, uint32_t left)
{
    static const enum ts_rv_op alu[] = {
        TS_RV_ADD,    TS_RV_SUB,    TS_RV_SLL,    TS_RV_SLT,    TS_RV_SLTU,  TS_RV_XOR,
        TS_RV_SRL,    TS_RV_SRA,    TS_RV_OR,     TS_RV_AND,    TS_RV_MUL,   TS_RV_MULH,
        TS_RV_MULHSU, TS_RV_MULHU,  TS_RV_DIV,    TS_RV_DIVU,   TS_RV_REM,   TS_RV_REMU,
        TS_RV_SH1ADD, TS_RV_SH2ADD, TS_RV_SH3ADD, TS_RV_ANDN,   TS_RV_ORN,   TS_RV_XNOR,
        TS_RV_MAX,    TS_RV_MAXU,   TS_RV_MIN,    TS_RV_MINU,   TS_RV_PACK,  TS_RV_ROL,
        TS_RV_ROR,    TS_RV_ZEXT_H, TS_RV_ADDI,   TS_RV_SLTI,   TS_RV_SLTIU, TS_RV_XORI,
        TS_RV_ORI,    TS_RV_ANDI,   TS_RV_SLLI,   TS_RV_SRLI,   TS_RV_SRAI,  TS_RV_CLZ,
        TS_RV_CTZ,    TS_RV_CPOP,   TS_RV_SEXT_B, TS_RV_SEXT_H, TS_RV_RORI,  TS_RV_ORC_B,
        TS_RV_REV8,   TS_RV_BREV8,  TS_RV_GREVI,  TS_RV_LUI,    TS_RV_AUIPC,
    };
    static const enum ts_rv_op loads[] = {TS_RV_LB,  TS_RV_LH,  TS_RV_LW,
                                          TS_RV_LBU, TS_RV_LHU, TS_RV_FLW};
    static const enum ts_rv_op stores[] = {TS_RV_SB, TS_RV_SH, TS_RV_SW, TS_RV_FSW};
    static const enum ts_rv_op amos[] = {TS_RV_AMOADD, TS_RV_AMOSWAP, TS_RV_AMOXOR,
                                         TS_RV_AMOOR,  TS_RV_AMOAND,  TS_RV_AMOMIN,
                                         TS_RV_AMOMAX, TS_RV_AMOMINU, TS_RV_AMOMAXU};
    static const enum ts_rv_op branches[] = {TS_RV_BEQ, TS_RV_BNE,  TS_RV_BLT,
                                             TS_RV_BGE, TS_RV_BLTU, TS_RV_BGEU};
    static const enum ts_rv_op floats[] = {TS_RV_FADD_S,  TS_RV_FSUB_S,  TS_RV_FMUL_S,
                                           TS_RV_FMADD_S, TS_RV_FMV_X_W, TS_RV_FMV_W_X};
    uint32_t kind = draw() % 100;
    unsigned rd = any_reg(), rs1 = any_reg(), rs2 = any_reg();
    int32_t offset = (int32_t)(draw() % 512) * 4;
    unsigned base = draw() % 3 == 0 ? 9 : 8;
    // A few lines only, so that loads and stores meet in the queue and in the L0 cache.
    if (draw() % 2)
        offset &= 63;
    if (kind < 55) {
        ts_rvasm(code, alu[draw() % (sizeof alu / sizeof alu[0])], rd, rs1, rs2, (int32_t)value());
    } else if (kind < 72) {
        enum ts_rv_op op = loads[draw() % 6];
        unsigned size = ts_rv_decode(ts_rv_encode(op, 1, 1, 0, 0)).size;
        ts_rvasm(code, op, op == TS_RV_FLW ? draw() % 32 : rd, base, 0,
                 offset + (int32_t)(draw() % 4 / size * size));
    } else if (kind < 86) {
        enum ts_rv_op op = stores[draw() % 4];
        unsigned size = ts_rv_decode(ts_rv_encode(op, 0, 1, 1, 0)).size;
        ts_rvasm(code, op, 0, base, op == TS_RV_FSW ? draw() % 32 : rs2,
                 offset + (int32_t)(draw() % 4 / size * size));
    } else if (kind < 88) {
        ts_rvasm(code, amos[draw() % 9], rd, 8, rs2, 0);
    } else if (kind < 90 && left > 12) {
        jump(code, rd);
    } else if (kind < 95 && left > 12) {
        ts_rvasm(code, branches[draw() % 6], 0, rs1, rs2, 4 + 4 * (int32_t)(draw() % 8));
    } else if (kind < 96) {
        ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
    } else if (kind < 97) {
        ts_rvasm(code, draw() % 2 ? TS_RV_CSRRW : TS_RV_CSRRS, rd, rs1, 0, 0x7c3);
    } else {
        enum ts_rv_op op = floats[draw() % 6];
        unsigned fd = draw() % 32, fs = draw() % 32;
        ts_rvasm(code, op, op == TS_RV_FMV_X_W ? rd : fd, op == TS_RV_FMV_W_X ? rs1 : fs,
                 draw() % 32, (int32_t)(draw() % 32));
    }
}

static void program(struct ts_rvasm *code)
{
    // Chicken bits: as after reset, as firmware has them, no merging, no bypassing, everything in
    // order.
    static const uint32_t cfg0[] = {0x20000, 0x60008, 0x20008, 0x21000,
                                    0x20001, 0x20400, 0x20200, 0x120000};
    code->count = 0;
    ts_rvasm_li(code, 10, cfg0[draw() % (sizeof cfg0 / sizeof cfg0[0])]);
    ts_rvasm(code, TS_RV_CSRRW, 0, 10, 0, 0x7c0);
    ts_rvasm_li(code, 8, BUFFER);
    ts_rvasm_li(code, 9, LOCAL);
    ts_rvasm_li(code, 31, ROUNDS);
    for (unsigned reg = 10; reg < 30; reg++)
        ts_rvasm_li(code, reg, value());
    uint32_t loop = ts_rvasm_here(code);
    memset(hidden, 0, sizeof hidden);
    while (code->count < loop + BODY)
        one(code, loop + BODY - code->count);
    ts_rvasm(code, TS_RV_ADDI, 31, 31, 0, -1);
    // Too far for a branch back: jump.
    ts_rvasm(code, TS_RV_BEQ, 0, 31, 0, 8);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, ((int32_t)loop - (int32_t)code->count) * 4);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
    uncover(code);
}

struct outcome {
    uint32_t r[64];
    uint8_t memory[4096], local[4096];
    uint64_t instret;
    ts_cycle cycles;
    uint64_t lost[TS_STALL_COUNT], counters[5];
};

static void run(const struct ts_rvasm *code, unsigned core, bool run_ahead, bool automaton,
                struct outcome *outcome)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_domain *domain = ts_domain_new(kernel, "tile");
    struct ts_tile_config config = ts_tile_config_default();
    config.run_ahead = config.park = run_ahead;
    config.automaton = automaton;
    config.params.local_zeroing = 0;
    struct ts_error error = {0};
    struct ts_tile *tile = ts_tile_new(domain, &config, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    ts_l1_write(&tile->l1, 0, code->words, code->count * 4, 0);
    ck_assert(ts_tile_start(tile, core, 0, 0, &error));
    struct ts_run result = ts_kernel_run(kernel, 100000000);
    ck_assert_msg(result.stop == TS_STOP_DONE, "%s %s", ts_stop_name(result.stop),
                  result.error.text);
    memcpy(outcome->r, tile->cores[core].r, sizeof outcome->r);
    memcpy(outcome->memory, tile->l1.bytes + BUFFER, sizeof outcome->memory);
    memcpy(outcome->local, tile->local[core], sizeof outcome->local);
    outcome->instret = tile->cores[core].instret;
    outcome->cycles = ts_rv_core_view(&tile->cores[core]).time;
    for (unsigned i = TS_STALL_IDLE + 1; i < TS_STALL_COUNT; i++)
        outcome->lost[i] = tile->cores[core].component.lost[i] + tile->cores[core].ahead.lost[i];
    const struct ts_rv_core *c = &tile->cores[core];
    const uint64_t counters[] = {c->loads, c->stores_done, c->mispredicts, c->fetch_misses,
                                 c->l0_hits};
    memcpy(outcome->counters, counters, sizeof counters);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

START_TEST(test_against_reference)
{
    static struct ts_rvasm code;
    static struct outcome fast, slow;
    static uint8_t l1[TS_L1_SIZE];
    uint64_t executed = 0;
    const unsigned wanted = (unsigned)suite_sample(PROGRAMS / 5 * 2, PROGRAMS, "programs");
    for (unsigned i = 0; i < wanted; i++) {
        seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
        program(&code);
        ck_assert(!code.overflow);
        unsigned core = i % TS_RV_CORES;
        run(&code, core, true, true, &fast);

        struct reference reference = {.l1 = l1};
        memset(l1, 0, sizeof l1);
        memcpy(l1, code.words, code.count * 4);
        while (!reference.stopped && !reference.failed)
            reference_step(&reference);
        ck_assert_msg(!reference.failed, "program %u: unknown word at 0x%x", i, reference.pc);
        for (unsigned reg = 0; reg < 32; reg++) {
            ck_assert_msg(fast.r[reg] == reference.x[reg], "program %u: x%u is 0x%08x, not 0x%08x",
                          i, reg, fast.r[reg], reference.x[reg]);
            ck_assert_msg(fast.r[32 + reg] == reference.f[reg], "program %u: f%u", i, reg);
        }
        ck_assert_msg(memcmp(fast.memory, l1 + BUFFER, sizeof fast.memory) == 0, "program %u: L1",
                      i);
        ck_assert_msg(memcmp(fast.local, reference.local, sizeof fast.local) == 0,
                      "program %u: local RAM", i);
        ck_assert_uint_eq(fast.instret, reference.executed);
        executed += reference.executed;

        // Without the automaton; some also step by step.
        for (unsigned way = 0; way <= (i % 8 == 0); way++) {
            const char *what = way == 0 ? "without records" : "step by step";
            run(&code, core, way == 0, false, &slow);
            ck_assert_msg(fast.cycles == slow.cycles, "program %u: %llu cycles, %llu %s", i,
                          (unsigned long long)fast.cycles, (unsigned long long)slow.cycles, what);
            ck_assert_msg(memcmp(fast.lost, slow.lost, sizeof fast.lost) == 0,
                          "program %u: other stalls %s", i, what);
            ck_assert_msg(memcmp(fast.counters, slow.counters, sizeof fast.counters) == 0,
                          "program %u: other counters %s", i, what);
            ck_assert_int_eq(memcmp(fast.r, slow.r, sizeof fast.r), 0);
        }
    }
    ck_assert_uint_ge(executed, wanted * UINT64_C(15625)); // of all: 10 million
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_against_reference);
}

SUITE("riscv_random", add_tests)
