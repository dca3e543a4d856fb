// The end of a program: random programs that end in every possible way, ahead of the clock and with
// parked polls, against step by step. Cycle, exit, message, registers, memory and every account are
// the same.
#include "cores/riscv/assemble.h"
#include "platform/account/stats.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "platform/tile/watchdog.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PROGRAMS 1000
#else
#define PROGRAMS 10000
#endif

#define CODE   0u // + core * ROOM: BRISC starts at 0
#define ROOM   0x4000u
#define BUFFER 0x20000u // L1 the programs share: a few granules
#define FLAG   0x21000u // polled
#define LIMIT  200000

static uint64_t seed;
static unsigned wanted; // programs, of PROGRAMS

static uint32_t draw(void)
{
    return (uint32_t)(random64(&seed) >> 16);
}

// x5 to x9 are pointers and counters; programs compute in x10 to x29.
static unsigned reg(void)
{
    return 10 + draw() % 20;
}

static void one(struct ts_rvasm *code)
{
    static const enum ts_rv_op alu[] = {TS_RV_ADD, TS_RV_SUB,  TS_RV_XOR, TS_RV_SLTU,
                                        TS_RV_MUL, TS_RV_MULH, TS_RV_ORI, TS_RV_ADDI};
    static const enum ts_rv_op loads[] = {TS_RV_LB, TS_RV_LHU, TS_RV_LW};
    static const enum ts_rv_op stores[] = {TS_RV_SB, TS_RV_SH, TS_RV_SW};
    int32_t offset = (int32_t)(draw() % 16) * 4;
    switch (draw() % 16) {
    case 0:
        ts_rvasm(code, draw() % 2 ? TS_RV_DIVU : TS_RV_REM, reg(), reg(), reg(), 0);
        break;
    case 1:
    case 2:
        ts_rvasm(code, loads[draw() % 3], reg(), draw() % 2 ? 6 : 7, 0, offset);
        break;
    case 3:
    case 4:
        ts_rvasm(code, stores[draw() % 3], 0, draw() % 2 ? 6 : 7, reg(), offset);
        break;
    case 5:
        ts_rvasm(code, TS_RV_BNE, 0, reg(), reg(), 8); // over the next one
        ts_rvasm(code, TS_RV_ADD, reg(), reg(), reg(), 0);
        break;
    case 6:
        switch (draw() % 6) {
        case 0:
            ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
            break;
        case 1:
            ts_rvasm(code, TS_RV_AMOADD, reg(), 6, reg(), 0);
            break;
        case 2:
            ts_rvasm(code, TS_RV_CSRRS, reg(), 0, 0, draw() % 2 ? 0xc00 : 0xc02);
            break;
        case 3:
            ts_rvasm(code, TS_RV_FMADD_S, draw() % 32, draw() % 32, draw() % 32, 3);
            break;
        default: // a jump to another line
            for (uint32_t over = 1 + draw() % 40, i = 0; i < over; i++)
                ts_rvasm(code, i ? TS_RV_EBREAK : TS_RV_JAL, 0, 0, 0, i ? 0 : (int32_t)over * 4);
            break;
        }
        break;
    default:
        ts_rvasm(code, alu[draw() % 8], reg(), reg(), reg(), (int32_t)(draw() % 100));
    }
}

static void straight(struct ts_rvasm *code, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        one(code);
}

static void loop(struct ts_rvasm *code)
{
    ts_rvasm_li(code, 8, 1 + draw() % (draw() % 8 == 0 ? 3000 : 60));
    uint32_t top = ts_rvasm_here(code);
    straight(code, draw() % 8);
    ts_rvasm(code, TS_RV_ADDI, 8, 8, 0, -1);
    // Too far for a branch where lines were jumped over: jump.
    ts_rvasm(code, TS_RV_BEQ, 0, 8, 0, 8);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, ((int32_t)top - (int32_t)code->count) * 4);
}

// For a while, or forever, until the flag is not 0.
static void poll(struct ts_rvasm *code)
{
    uint32_t top = ts_rvasm_here(code);
    for (uint32_t i = draw() % 4; i > 0; i--)
        ts_rvasm(code, TS_RV_ADDI, 10 + i, 0, 0, 1);
    if (draw() % 3 == 0)
        ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(code, TS_RV_LW, 9, 5, 0, 0);
    ts_rvasm_back(code, TS_RV_BEQ, 9, 0, top);
}

static void bad_access(struct ts_rvasm *code)
{
    static const struct {
        enum ts_rv_op op;
        uint32_t address;
    } rows[] = {
        {TS_RV_LW, BUFFER + 2},    {TS_RV_LHU, BUFFER + 1}, {TS_RV_SW, BUFFER + 1},
        {TS_RV_SH, 0xffb00001},    {TS_RV_LW, 0x00180000},  {TS_RV_SW, 0x80000000},
        {TS_RV_SB, 0xffb40000},    {TS_RV_LW, 0xffe40000},  {TS_RV_AMOADD, 0xffb00000},
        {TS_RV_AMOOR, BUFFER + 2}, {TS_RV_LW, 0xffb12f00},  {TS_RV_SW, 0xffb12f00},
        {TS_RV_SW, 0xffe00000},    {TS_RV_LW, 0xffef0000},
    };
    uint32_t row = draw() % (sizeof rows / sizeof rows[0]);
    ts_rvasm_li(code, 9, rows[row].address);
    ts_rvasm(code, rows[row].op, 12, 9, 12, 0);
    straight(code, draw() % 6);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0); // a register that is there after all
}

static void bad_instruction(struct ts_rvasm *code)
{
    static const uint32_t words[] = {
        0xffffffff, 0x0000700b, // invalid
        0x18000053, 0x10500073, // fdiv.s, wfi
        0x00000073, 0x30200073, // ecall, mret
        0x00102573,             // fflags
    };
    ts_rvasm_word(code, words[draw() % (sizeof words / sizeof words[0])]);
}

static void bad_jump(struct ts_rvasm *code)
{
    static const uint32_t targets[] = {0x42, 0x180000, 0xffb00000, 0x17fff8};
    ts_rvasm_li(code, 9, targets[draw() % 4]); // the last: off the end of L1
    ts_rvasm(code, TS_RV_JALR, draw() % 2, 9, 0, 0);
}

static void program(struct ts_rvasm *code)
{
    code->count = 0;
    ts_rvasm_li(code, 5, FLAG + draw() % 2 * 0x200);
    ts_rvasm_li(code, 6, BUFFER + draw() % 4 * 16);
    ts_rvasm_li(code, 7, 0xffb00000);
    if (draw() % 2) { // as firmware has it: no L0 cache
        ts_rvasm_li(code, 9, 0x60008);
        ts_rvasm(code, TS_RV_CSRRW, 0, 9, 0, 0x7c0);
    }
    for (uint32_t i = draw() % 4; i > 0; i--) {
        straight(code, draw() % 40);
        if (draw() % 2)
            loop(code);
    }
    if (draw() % 5 == 0) { // sets the flag that others may poll
        ts_rvasm(code, TS_RV_SW, 0, 5, 5, 0);
    } else if (draw() % 5 == 0) {
        poll(code);
    }
    straight(code, draw() % 10);
    switch (draw() % 8) {
    case 0:
        ts_rvasm(code, TS_RV_EBREAK, 0, 0, 0, 0);
        break;
    case 1:
        bad_access(code);
        break;
    case 2:
        bad_instruction(code);
        break;
    case 3:
        bad_jump(code);
        break;
    case 4:
        poll(code);
        break;
    default:
        break;
    }
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

struct outcome {
    struct ts_run run;
    uint32_t r[TS_RV_CORES][TS_RV_REG_COUNT], pc[TS_RV_CORES];
    uint8_t memory[0x2000];
    char stats[17];
    char *text; // the accounts of all cores
};

struct test {
    uint64_t from;
    void (*program)(struct ts_rvasm *); // else random, with quick clearing of local RAM or none
    unsigned cores;                     // mask
    ts_cycle limit, pause;              // a first run ends at `pause`
    bool watched, park;
};

static struct ts_run run_to(struct ts_kernel *kernel, const struct test *test, ts_cycle limit)
{
    return test->watched ? ts_watched_run(kernel, limit) : ts_kernel_run(kernel, limit);
}

static void run_as(const struct test *test, bool run_ahead, bool automaton, struct outcome *outcome)
{
    static struct ts_rvasm code;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_error error = {0};
    config.run_ahead = run_ahead;
    config.automaton = automaton;
    config.park = run_ahead && test->park;
    seed = test->from;
    if (test->program == NULL)
        config.params.local_zeroing = draw() % 4 == 0 ? 300 : 0;
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        if (!(test->cores >> core & 1))
            continue;
        (test->program ? test->program : program)(&code);
        ck_assert(!code.overflow && code.count * 4 < ROOM);
        ts_l1_write(&tile->l1, CODE + core * ROOM, code.words, code.count * 4, 0);
        ck_assert(ts_tile_start(tile, core, CODE + core * ROOM, 0, &error));
    }
    memset(outcome, 0, sizeof *outcome);
    if (test->pause)
        outcome->run = run_to(kernel, test, test->pause);
    if (!test->pause || outcome->run.stop == TS_STOP_LIMIT)
        outcome->run = run_to(kernel, test, test->limit);
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        memcpy(outcome->r[core], tile->cores[core].r, 64 * sizeof(uint32_t));
        outcome->pc[core] = tile->cores[core].pc;
    }
    memcpy(outcome->memory, tile->l1.bytes + BUFFER, sizeof outcome->memory);
    json_t *stats = ts_stats_json(kernel, &outcome->run);
    outcome->text = json_dumps(json_object_get(stats, "units"), JSON_COMPACT);
    const char *wrong = ts_stats_check(kernel, outcome->run.cycle);
    ck_assert_msg(wrong == NULL, "seed %llu, %s, %s at %llu: %s: the account is not the span:\n%s",
                  (unsigned long long)test->from, run_ahead ? "ahead" : "stepped",
                  ts_stop_name(outcome->run.stop), (unsigned long long)outcome->run.cycle, wrong,
                  outcome->text);
    ts_stats_hash(stats, outcome->stats);
    json_decref(stats);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

static void run(const struct test *test, bool run_ahead, struct outcome *outcome)
{
    run_as(test, run_ahead, run_ahead, outcome);
}

// One core's fault stops the others where they are, and a register refuses a store only when that
// leaves the queue: a stopped core may have counted private instructions after that cycle.
static bool may_be_ahead(const struct test *test, const char *text)
{
    bool store = strstr(text, ": sw ") || strstr(text, ": sb ") || strstr(text, ": sh ") ||
                 strstr(text, ": .ttinsn ");
    return (test->cores & (test->cores - 1)) ||
           (store && !strstr(text, "unmapped") && !strstr(text, "misaligned"));
}

static void compare(const struct test *test, const struct outcome *a, const struct outcome *b)
{
    unsigned long long from = test->from;
    ck_assert_msg(a->run.stop == b->run.stop, "seed %llu: %s (%s) and %s (%s)", from,
                  ts_stop_name(a->run.stop), a->run.error.text, ts_stop_name(b->run.stop),
                  b->run.error.text);
    ck_assert_msg(strcmp(a->run.error.text, b->run.error.text) == 0, "seed %llu: %s and %s", from,
                  a->run.error.text, b->run.error.text);
    ck_assert_msg(a->run.cycle == b->run.cycle, "seed %llu, %s: cycle %llu and %llu", from,
                  ts_stop_name(a->run.stop), (unsigned long long)a->run.cycle,
                  (unsigned long long)b->run.cycle);
    ck_assert_msg(memcmp(a->memory, b->memory, sizeof a->memory) == 0, "seed %llu, %s: memory (%s)",
                  from, ts_stop_name(a->run.stop), a->run.error.text);
    if (a->run.stop == TS_STOP_FAULT && may_be_ahead(test, a->run.error.text))
        return;
    ck_assert_msg(strcmp(a->stats, b->stats) == 0, "seed %llu, %s:\n%.1500s\n%.1500s", from,
                  ts_stop_name(a->run.stop), a->text, b->text);
    ck_assert_msg(memcmp(a->pc, b->pc, sizeof a->pc) == 0, "seed %llu: pc", from);
    ck_assert_msg(memcmp(a->r, b->r, sizeof a->r) == 0, "seed %llu: registers", from);
}

START_TEST(test_ends)
{
    static struct outcome ahead, stepped;
    unsigned stops[TS_STOP_SIGNAL + 1] = {0};
    for (uint64_t i = 1; i <= wanted; i++) {
        seed = i * UINT64_C(0xd1342543de82ef95) + 1;
        for (int k = 0; k < 8; k++)
            draw();
        struct test test = {.limit = LIMIT, .park = draw() % 4 != 0};
        test.cores = draw() % 3 ? 1u << draw() % TS_RV_CORES : 1 + draw() % 31;
        if (draw() % 3 == 0)
            test.limit = 1 + draw() % (draw() % 2 ? 300 : 9000);
        else
            test.watched = true; // an endless poll is a hang
        if (draw() % 4 == 0)
            test.pause = 1 + draw() % 3000;
        test.from = seed | 1;
        run(&test, true, &ahead);
        run(&test, false, &stepped);
        // Parked cores that nothing can wake are a hang at once, others at the watchdog's next
        // check.
        if (ahead.run.stop == TS_STOP_DEADLOCK)
            ck_assert_int_eq(stepped.run.stop == TS_STOP_DEADLOCK || !test.watched, true);
        else
            compare(&test, &ahead, &stepped);
        if (i % 4 == 0) { // ahead, but without records
            free(stepped.text);
            run_as(&test, true, false, &stepped);
            compare(&test, &ahead, &stepped);
        }
        stops[ahead.run.stop]++;
        free(ahead.text);
        free(stepped.text);
    }
    ck_assert_uint_gt(stops[TS_STOP_DONE], wanted / 10);
    ck_assert_uint_gt(stops[TS_STOP_LIMIT], wanted / 10);
    ck_assert_uint_gt(stops[TS_STOP_FAULT], wanted / 10);
}
END_TEST

// Rare ones: what an operand's last writer leaves behind when a load is looked at again (in its own
// cycle), and a parked core whose second run ends in the cycle of the first.
static const struct test rare[] = {
    {.from = UINT64_C(15909185464492213635), .cores = 0x10, .limit = LIMIT, .watched = true},
    {.from = UINT64_C(6972368917464893181), .cores = 0xd, .limit = 102, .pause = 609, .park = true},
};

START_TEST(test_rare)
{
    static struct outcome ahead, stepped;
    run(&rare[_i], true, &ahead);
    run(&rare[_i], false, &stepped);
    compare(&rare[_i], &ahead, &stepped);
    free(ahead.text);
    free(stepped.text);
}
END_TEST

// The first instructions access local RAM, which is being cleared: a stall on that, and one on the
// load/store unit close behind it.
static void store_first(struct ts_rvasm *code)
{
    code->count = 0;
    ts_rvasm_li(code, 7, 0xffb00000);
    ts_rvasm(code, TS_RV_SW, 0, 7, 7, 4);
    ts_rvasm(code, TS_RV_LW, 10, 7, 0, 4); // behind the store
    ts_rvasm(code, TS_RV_LW, 11, 7, 0, 8);
    ts_rvasm(code, TS_RV_ADD, 10, 10, 11, 0);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

static void load_first(struct ts_rvasm *code)
{
    code->count = 0;
    ts_rvasm_li(code, 6, BUFFER);
    ts_rvasm_li(code, 7, 0xffb00000);
    ts_rvasm(code, TS_RV_SW, 0, 6, 6, 0); // waits for a partner that does not come
    ts_rvasm(code, TS_RV_DIVU, 12, 6, 7, 0);
    ts_rvasm(code, TS_RV_LB, 10, 7, 0, 3);
    ts_rvasm(code, TS_RV_SB, 0, 7, 10, 3);
    ts_rvasm(code, TS_RV_LW, 10, 7, 0, 0);
    ts_rvasm(code, TS_RV_SW, 0, 7, 10, 0);
    ts_rvasm(code, TS_RV_LW, 10, 6, 0, 0);
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

START_TEST(test_local_clearing)
{
    static void (*const programs[])(struct ts_rvasm * code) = {store_first, load_first};
    static struct outcome ahead, stepped;
    struct test test = {.program = programs[_i % 2], .cores = _i < 2 ? 1 : 31, .from = 1};
    // Every cycle where something begins or ends, and some of those between.
    for (test.limit = 1; test.limit <= 2100;
         test.limit += test.limit < 50 || test.limit > 2000 ? 1 : 50) {
        run(&test, true, &ahead);
        run(&test, false, &stepped);
        compare(&test, &ahead, &stepped);
        ck_assert(test.limit < 1000 || strstr(ahead.text, "rv_local_clear"));
        free(ahead.text);
        free(stepped.text);
    }
}
END_TEST

// A load that waits for a store to be written takes the place of the oldest line of L0 when it asks. What is behind it in the
// unit finds that line gone, also on a core that runs ahead while others disturb it.
static void evict(struct ts_rvasm *code)
{
    code->count = 0;
    ts_rvasm_li(code, 6, BUFFER);
    ts_rvasm_li(code, 8, 1 + draw() % 20);
    uint32_t top = ts_rvasm_here(code);
    for (unsigned i = 0; i < 8; i++) {
        int32_t line = 16 * (int32_t)(draw() % (TS_RV_L0 + 1));
        for (uint32_t k = draw() % 24; k > 0; k--) // nothing waits for what is loaded
            ts_rvasm(code, TS_RV_ADDI, 9, 9, 0, 1);
        if (draw() % 2) {
            ts_rvasm(code, TS_RV_SW, 0, 6, 9, line);
            ts_rvasm(code, TS_RV_LW, reg(), 6, 0, line);
        }
        line = 16 * (int32_t)(draw() % (TS_RV_L0 + 1));
        ts_rvasm(code, TS_RV_LW, reg(), 6, 0, line);
    }
    ts_rvasm(code, TS_RV_ADDI, 8, 8, 0, -1);
    ts_rvasm_back(code, TS_RV_BNE, 8, 0, top);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

START_TEST(test_evicted)
{
    static struct outcome ahead, stepped;
    for (uint64_t i = 1; i <= wanted / 10; i++) {
        struct test test = {.program = evict, .limit = LIMIT};
        test.from = i * UINT64_C(0xd1342543de82ef95);
        test.cores = 1 + (unsigned)(i % 31);
        run(&test, true, &ahead);
        run(&test, false, &stepped);
        compare(&test, &ahead, &stepped);
        free(ahead.text);
        free(stepped.text);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    wanted = (unsigned)suite_sample(PROGRAMS / 5, PROGRAMS, "random programs");
    tcase_add_test(tests, test_ends);
    tcase_add_loop_test(tests, test_rare, 0, sizeof rare / sizeof *rare);
    tcase_add_loop_test(tests, test_local_clearing, 0, 4);
    tcase_add_test(tests, test_evicted);
}

SUITE("ends", add_tests)
