// Parking of polls: five cores pass a token around through polled words of L1, or from TRISC to TRISC
// through semaphores, with random work and random delays in between. With parking, without it, and step by step: the same cycles,
// instructions, stalls and memory, while transfers of an unpacker and a NoC meet the polls at L1's banks.
#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>

#define TOKENS 0x20000u
#define DATA   0x20100u
#define POSTS  0xffe80020u // of semaphore 0
#define ROUNDS 3

static uint64_t seed;
static bool automaton = true;

static uint32_t draw(void)
{
    return (uint32_t)(random64(&seed) >> 16);
}

static void delay(struct ts_rvasm *code, uint32_t rounds)
{
    ts_rvasm_li(code, 20, rounds + 1);
    uint32_t loop = ts_rvasm_here(code);
    ts_rvasm(code, TS_RV_ADDI, 20, 20, 0, -1);
    ts_rvasm_back(code, TS_RV_BNE, 20, 0, loop);
}

// Loads and stores to lines that the cores share, some in the granules and banks of the tokens.
static void work(struct ts_rvasm *code)
{
    uint32_t count = draw() % 12;
    for (uint32_t i = 0; i < count; i++) {
        int32_t offset = (int32_t)(draw() % 64) * 4 + (draw() % 4 == 0 ? 512 : 0);
        if (draw() % 2)
            ts_rvasm(code, TS_RV_LW, 10 + draw() % 4, 6, 0, offset);
        else
            ts_rvasm(code, TS_RV_SW, 0, 6, 10 + draw() % 4, offset);
        if (draw() % 3 == 0)
            ts_rvasm(code, TS_RV_ADDI, 14, 14, 0, 1);
    }
}

// Core i waits for its word to become the round, works, and writes the next core's word.
static void program(struct ts_rvasm *code, unsigned core, bool first)
{
    unsigned next = (core + 1) % TS_RV_CORES;
    // Words of one granule, or of granules in the same bank, or far apart.
    static const uint32_t spread[] = {4, 16, 512};
    uint32_t step = spread[(seed >> 40) % 3];
    bool posts = seed >> 50 & 1, polls = posts && (core == TS_RV_TRISC1 || core == TS_RV_TRISC2);
    posts = posts && (next == TS_RV_TRISC1 || next == TS_RV_TRISC2);
    code->count = 0;
    ts_rvasm_li(code, 10, draw() % 2 ? 0x60008 : 0x20000);
    ts_rvasm(code, TS_RV_CSRRW, 0, 10, 0, 0x7c0);
    ts_rvasm_li(code, 5, polls ? POSTS + core * 4 : TOKENS + core * step);
    ts_rvasm_li(code, 7, posts ? POSTS + next * 4 : TOKENS + next * step);
    ts_rvasm_li(code, 6, DATA);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        ts_rvasm_li(code, 8, round);
        if (!(first && round == 1)) {
            uint32_t wanted = first ? round - 1 : round;
            ts_rvasm_li(code, 9, wanted);
            uint32_t poll = ts_rvasm_here(code);
            uint32_t kind = draw() % 3;
            if (kind == 0)
                ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
            for (uint32_t i = draw() % 6; i > 0; i--)
                ts_rvasm(code, TS_RV_ADDI, 15, 0, 0, 1);
            ts_rvasm(code, kind == 1 ? TS_RV_LBU : TS_RV_LW, 11, 5, 0, 0);
            ts_rvasm_back(code, TS_RV_BNE, 11, 9, poll);
        }
        work(code);
        delay(code, draw() % 8 == 0 ? 20000 : draw() % 400);
        work(code);
        ts_rvasm(code, TS_RV_SW, 0, 7, posts ? 0 : 8, 0);
        work(code);
    }
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

// Transfers at random times, as many as the tokens take; ahead of the clock where nobody else acts before.
struct streamer {
    struct ts_component base;
    struct ts_tile *tile;
    bool run_ahead;
    uint64_t seed, sum;
    uint32_t left;
};

// Begins a transfer at `now`. Cycles until the next one.
static ts_cycle transfer(struct streamer *self, ts_cycle now)
{
    uint64_t draw = random64(&self->seed) >> 16;
    uint32_t cycles = (uint32_t)(1 + draw % 200);
    bool noc = draw >> 8 & 1;
    ts_cycle from = ts_l1_flow(&self->tile->l1, noc ? TS_L1_NOC_IN : TS_L1_UNPACK0,
                               (uint32_t)(draw >> 12) & 0xfffff0, noc ? 4 : 8, cycles,
                               now + (draw >> 40) % 8, now);
    self->sum = self->sum * 31 + from;
    self->left--;
    return 1 + (draw >> 44) % (cycles + 20);
}

static ts_step stream(struct ts_component *base, ts_cycle now)
{
    struct streamer *self = (struct streamer *)base;
    ts_cycle at = now;
    do {
        ts_cycle next = transfer(self, at);
        if (self->left == 0)
            return ts_finish(base, at);
        at += next;
    } while (self->run_ahead && at < ts_lookahead(base, now));
    return at - now;
}

static const struct ts_component_ops stream_ops = {.kind = "streamer", .step = stream};

struct outcome {
    enum ts_stop stop;
    ts_cycle time[TS_RV_CORES];
    uint64_t instret[TS_RV_CORES];
    uint64_t lost[TS_RV_CORES][TS_STALL_COUNT];
    uint8_t memory[4096];
    uint64_t activations, conflicts, streamed;
};

static void run(uint64_t from, bool run_ahead, bool park, struct outcome *outcome)
{
    static struct ts_rvasm code;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_error error = {0};
    config.run_ahead = run_ahead;
    config.park = park;
    config.automaton = automaton;
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &config, &error);
    ck_assert_ptr_nonnull(tile);
    struct streamer streamer = {.tile = tile,
                                .run_ahead = run_ahead,
                                .seed = from | 1,
                                .left = (uint32_t)(1 + from % 2000)};
    ts_component_init(&streamer.base, &stream_ops, tile->domain, "streamer");
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    seed = from;
    unsigned starter = draw() % TS_RV_CORES;
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        seed = (from ^ core * UINT64_C(0x9e3779b97f4a7c15)) | 1;
        for (int i = 0; i < 8; i++)
            draw();
        // The spread of the tokens is the same for all.
        seed = (seed & ~(UINT64_C(0xffffff) << 40)) | (from >> 8 & 0xffffff) << 40;
        program(&code, core, core == starter);
        ts_l1_write(&tile->l1, core * 0x2000, code.words, code.count * 4, 0);
        ck_assert(ts_tile_start(tile, core, core * 0x2000, 0, &error));
    }
    struct ts_run result = ts_kernel_run(kernel, 3000000);
    ck_assert_msg(result.stop != TS_STOP_FAULT, "%s", result.error.text);
    memset(outcome, 0, sizeof *outcome);
    outcome->stop = result.stop;
    outcome->activations = result.activations;
    outcome->conflicts = tile->l1.conflicts;
    outcome->streamed = streamer.sum;
    memcpy(outcome->memory, tile->l1.bytes + TOKENS, sizeof outcome->memory);
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        const struct ts_rv_core *c = &tile->cores[core];
        outcome->time[core] = ts_rv_core_view(c).time;
        outcome->instret[core] = c->instret;
        for (unsigned i = TS_STALL_IDLE + 1; i < TS_STALL_COUNT; i++)
            outcome->lost[core][i] = c->component.lost[i] + c->ahead.lost[i];
    }
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}

static void compare(uint64_t from, const struct outcome *a, const struct outcome *b,
                    const char *what)
{
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        ck_assert_msg(a->time[core] == b->time[core], "seed %llu, %s, %s: cycle %llu and %llu",
                      (unsigned long long)from, what, ts_rv_core_names[core],
                      (unsigned long long)a->time[core], (unsigned long long)b->time[core]);
        ck_assert_msg(a->instret[core] == b->instret[core],
                      "seed %llu, %s, %s: %llu and %llu instructions", (unsigned long long)from,
                      what, ts_rv_core_names[core], (unsigned long long)a->instret[core],
                      (unsigned long long)b->instret[core]);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            ck_assert_msg(a->lost[core][i] == b->lost[core][i],
                          "seed %llu, %s, %s: %s %lld and %lld", (unsigned long long)from, what,
                          ts_rv_core_names[core], ts_stall_name((enum ts_stall)i),
                          (long long)a->lost[core][i], (long long)b->lost[core][i]);
    }
    ck_assert_msg(memcmp(a->memory, b->memory, sizeof a->memory) == 0, "seed %llu, %s: memory",
                  (unsigned long long)from, what);
    ck_assert_msg(a->conflicts == b->conflicts, "seed %llu, %s: conflicts",
                  (unsigned long long)from, what);
    ck_assert_msg(a->streamed == b->streamed, "seed %llu, %s: transfers", (unsigned long long)from,
                  what);
}

START_TEST(test_token)
{
    static struct outcome parked, polling, stepped;
    uint64_t saved = 0;
    for (uint64_t i = 1; i <= 400; i++) {
        uint64_t from = i * UINT64_C(0xd1342543de82ef95) + 1;
        run(from, true, true, &parked);
        run(from, true, false, &polling);
        ck_assert_int_eq(parked.stop, TS_STOP_DONE);
        if (i % 4 == 1) {
            automaton = false;
            run(from, true, true, &stepped);
            automaton = true;
            compare(i, &parked, &stepped, "parked with records and without");
        }
        compare(i, &parked, &polling, "parked and not");
        saved += polling.activations > parked.activations;
        if (i % 4 == 0) {
            run(from, false, false, &stepped);
            compare(i, &parked, &stepped, "parked and step by step");
        }
    }
    ck_assert_uint_gt(saved, 50); // parking did happen
}
END_TEST

START_TEST(test_hang_is_seen)
{
    const uint32_t cfg0[] = {0, TS_RV_CFG0_DIS_LOW_CASH}; // the L0 data cache on and off
    // A word that is never written: a hang, not a run to the limit.
    static struct ts_rvasm code;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), NULL, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    code.count = 0;
    ts_rvasm_li(&code, 5, TOKENS);
    uint32_t poll = ts_rvasm_here(&code);
    ts_rvasm(&code, TS_RV_LW, 6, 5, 0, 0);
    ts_rvasm_back(&code, TS_RV_BEQ, 6, 0, poll);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, 0);
    ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
    ck_assert(ts_tile_start(tile, 0, 0, 0, &error));
    ts_rv_core_configure(&tile->cores[0], cfg0[_i]);
    struct ts_run result = ts_kernel_run(kernel, 1u << 30);
    ck_assert_int_eq(result.stop, TS_STOP_DEADLOCK);
    ck_assert_uint_lt(result.cycle, 100000);
    ck_assert_int_eq(ts_waiting(&tile->cores[0].component).reason, TS_STALL_RV_POLL);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_token);
    tcase_add_loop_test(tests, test_hang_is_seen, 0, 2);
}

SUITE("park", add_tests)
