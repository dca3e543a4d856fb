// MOP and replay expanders: against the functional model of the documents, the throttle patterns,
// the largest expansion, recording and wrap.
#include "cores/frontend/frontend.h"
#include "cores/frontend/replay.h"
#include "tests/suite.h"
#include "units/isa/opcodes.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define NOP        0x02000000u
#define MOP1       0x01800000u
#define MVMUL(mod) (0x26000000u | (uint32_t)(mod) << 14)
#define SETRWC     0x3700000fu
#define REPLAY(start, len, exec, load) \
    (0x04000000u | (uint32_t)(start) << 14 | (uint32_t)(len) << 4 | (exec) << 1 | (load))

#define MAX_WORDS 70000
static uint32_t got[MAX_WORDS], want[MAX_WORDS];
static unsigned n_got, n_want;

static uint32_t seed = 12345;
static uint32_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

// The replay expander fed by the MOP expander, one word after the other.
static void replay_feed(struct ts_replay *replay, uint32_t word)
{
    uint32_t out;
    if (ts_replay_ingest(replay, word, &out))
        got[n_got++] = out;
    while (replay->replaying)
        got[n_got++] = ts_replay_next(replay);
}

static void expand(struct ts_mop *mop, uint32_t word)
{
    n_got = 0;
    ts_mop_ingest(mop, word);
    while (mop->active)
        got[n_got++] = ts_mop_next(mop);
}

static bool end_129; // the machine's rule mop_129

// MOPExpander.md's functional model, with Blackhole's counts in the word and rounds of nothing but end ops (metalium-rs, HAL).
static void model(const uint32_t *cfg, uint32_t mask_hi, uint32_t word)
{
    n_want = 0;
    struct ts_args_MOP a = ts_decode_MOP(word);
    if (a.mop_type == 0) {
        uint32_t mask = mask_hi << 16 | a.zmask_lo16;
        for (unsigned i = 0; i <= a.loop_count; i++, mask >>= 1) {
            if (!(mask & 1)) {
                want[n_want++] = cfg[3];
                if (cfg[1] & 2)
                    for (unsigned k = 4; k < 7; k++)
                        want[n_want++] = cfg[k];
                if (cfg[1] & 1)
                    want[n_want++] = cfg[2];
            } else {
                want[n_want++] = cfg[7];
                if (cfg[1] & 1)
                    want[n_want++] = cfg[8];
            }
        }
        return;
    }
    unsigned outer = word >> 10 & 1023 ? word >> 10 & 1023 : cfg[0] & 1023,
             inner = word & 1023 ? word & 1023 : cfg[1] & 1023;
    uint32_t loop = cfg[5], flip = 0;
    if (TS_OP_OF(cfg[6]) != TS_OP_NOP) {
        flip = cfg[5] ^ cfg[6];
        inner *= 2;
    }
    const bool ends = TS_OP_OF(cfg[3]) != TS_OP_NOP, two = TS_OP_OF(cfg[4]) != TS_OP_NOP;
    if (outer && TS_OP_OF(cfg[2]) == TS_OP_NOP && inner == 0 && ends)
        outer += end_129 ? (outer == 1 ? 128 : 0) : !two ? 1 : outer == 1 ? 1024 : 0;
    for (unsigned j = 0; j < outer; j++) {
        if (TS_OP_OF(cfg[2]) != TS_OP_NOP)
            want[n_want++] = cfg[2];
        for (unsigned i = 0; i < inner; i++, loop ^= flip)
            want[n_want++] = i + 1 != inner ? loop : j + 1 != outer ? cfg[8] : cfg[7];
        if (TS_OP_OF(cfg[3]) != TS_OP_NOP) {
            want[n_want++] = cfg[3];
            if (TS_OP_OF(cfg[4]) != TS_OP_NOP)
                want[n_want++] = cfg[4];
        }
    }
}

static void same(void)
{
    ck_assert_uint_eq(n_got, n_want);
    ck_assert_int_eq(memcmp(got, want, n_got * sizeof *got), 0);
}

START_TEST(mop_equals_its_model)
{
    struct ts_mop mop;
    ts_mop_reset(&mop);
    for (unsigned round = 0; round < 3000; round++) {
        unsigned counts = round % 3 ? 6 : 128;
        mop.cfg[0] = rnd() % counts | (rnd() & 1) << 20; // bits above 9 do not count
        mop.cfg[1] = rnd() % counts;
        for (unsigned i = 2; i < 9; i++)
            mop.cfg[i] = rnd() % 3 ? rnd() : NOP | (rnd() & 0xff);
        mop.end_129 = end_129 = rnd() & 1;
        uint32_t hi = rnd() & 0xffff;
        ts_mop_ingest(&mop, 0x03000000u | hi);
        ck_assert(!mop.active);
        uint32_t word = 0x01000000u | (rnd() & 0xffffff);
        if (word & MOP1 & ~0x01000000u) // counts in the word: none, one of them, or both
            word &= ~(rnd() % 4 < 2 ? 0x3ffu : 0x3e0u) & ~(rnd() % 4 < 2 ? 0xffc00u : 0xf8000u);
        model(mop.cfg, hi, word);
        expand(&mop, word);
        same();
    }
}
END_TEST

START_TEST(mop_largest_and_documented_bug)
{
    struct ts_mop mop;
    ts_mop_reset(&mop);
    mop.cfg[0] = mop.cfg[1] = 127;
    for (unsigned i = 2; i < 9; i++)
        mop.cfg[i] = MVMUL(i);
    expand(&mop, MOP1);
    ck_assert_uint_eq(n_got, 32639);
    mop.cfg[0] = 1;
    mop.cfg[1] = 256; // more than Wormhole's seven bits
    mop.cfg[6] = NOP;
    expand(&mop, MOP1);
    ck_assert_uint_eq(n_got, 1 + 256 + 2);
    mop.cfg[1] = 0;
    mop.cfg[2] = mop.cfg[4] = NOP;
    expand(&mop, MOP1);
    ck_assert_uint_eq(n_got, 2);
    mop.cfg[0] = 2;
    expand(&mop, MOP1);
    ck_assert_uint_eq(n_got, 3);
    mop.cfg[0] = 1;
    mop.cfg[4] = MVMUL(4);
    expand(&mop, MOP1);
    ck_assert_uint_eq(n_got, 2050);
    mop.cfg[4] = NOP;
    mop.cfg[0] = 0;
    expand(&mop, MOP1);
    ck_assert_uint_eq(n_got, 0);
    mop.cfg[0] = 2;
    mop.cfg[1] = 1;
    expand(&mop, MOP1 | 3 << 10 | 3); // counts in the word
    ck_assert_uint_eq(n_got, 3 * (3 + 1));
    expand(&mop, MOP1); // the configured ones are as they were
    ck_assert_uint_eq(n_got, 2 * (1 + 1));
}
END_TEST

// tt-llk llk_math_matmul.h: replay body per level; counts per level and fidelity.
static const struct {
    const char *body; // N is NOP, a digit is MVMUL with that ADDR_MOD
    unsigned outer, inner;
    int between; // ADDR_MOD of LoopOp1; -1: NOP
    unsigned nops;
    double percent;
} throttle[] = {
    {"0102010401020105", 1, 1, -1, 0, 100.0}, {"N010N201N0", 1, 2, 4, 6, 72.727},
    {"N01N02N01N0", 1, 2, 4, 8, 66.667},      {"N0N1N0N2N0N1N0N", 1, 2, 4, 16, 50.0},
    {"N0NN1N0NN", 2, 2, 2, 24, 40.0},         {"NN0NN1NN0NN", 2, 2, 2, 32, 33.333},
};

START_TEST(throttle_patterns)
{
    static const unsigned phases_of[] = {1, 2, 3, 4};
    unsigned level = (unsigned)_i / 4, phases = phases_of[_i % 4];
    bool by_mop = level < 4; // levels 4 and 5: the core runs the MOP once per phase
    struct ts_mop mop;
    struct ts_replay replay;
    ts_mop_reset(&mop);
    ts_replay_reset(&replay);
    unsigned length = (unsigned)strlen(throttle[level].body);
    n_got = 0;
    replay_feed(&replay, REPLAY(16, length, 0, 1));
    for (const char *c = throttle[level].body; *c; c++)
        replay_feed(&replay, *c == 'N' ? NOP : MVMUL(*c - '0'));
    ck_assert_uint_eq(n_got, 0);

    uint32_t body = REPLAY(16, length, 0, 0);
    bool setrwc = phases > 1 && (level == 0 || level >= 4);
    mop.cfg[0] = throttle[level].outer;
    mop.cfg[1] = throttle[level].inner;
    if (level == 0)
        mop.cfg[1] = phases;
    else if (by_mop)
        mop.cfg[0] *= phases;
    mop.cfg[2] = mop.cfg[4] = NOP;
    mop.cfg[3] = level == 0 && setrwc ? SETRWC : NOP;
    mop.cfg[5] = body;
    mop.cfg[6] = level == 0 ? NOP : MVMUL(throttle[level].between);
    mop.cfg[7] = level == 0 ? body : MVMUL(5);
    mop.cfg[8] = level == 0 ? body : MVMUL(by_mop ? 5 : 4);
    for (unsigned run = 0; run < (by_mop ? 1 : phases); run++) {
        ts_mop_ingest(&mop, MOP1);
        while (mop.active)
            replay_feed(&replay, ts_mop_next(&mop));
    }
    if (level >= 4 && setrwc)
        replay_feed(&replay, SETRWC);

    static const char order[] = "0102010401020105"; // ADDR_MODs of a phase, the same at every level
    unsigned mvmul = 0, nop = 0, rwc = 0;
    for (unsigned i = 0; i < n_got; i++) {
        switch (TS_OP_OF(got[i])) {
        case TS_OP_MVMUL:
            ck_assert_uint_eq(ts_decode_MVMUL(got[i]).addr_mode,
                              (unsigned)(order[mvmul % 16] - '0'));
            mvmul++;
            break;
        case TS_OP_NOP:
            nop++;
            break;
        case TS_OP_SETRWC:
            rwc++;
            break;
        default:
            ck_abort_msg("unexpected word %08x", got[i]);
        }
    }
    ck_assert_uint_eq(mvmul, 16 * phases);
    ck_assert_uint_eq(nop, throttle[level].nops * phases);
    ck_assert_uint_eq(rwc, setrwc);
    double percent = 100.0 * mvmul / (mvmul + nop);
    ck_assert(percent > throttle[level].percent - 0.001 &&
              percent < throttle[level].percent + 0.001);
}
END_TEST

START_TEST(replay_records_executes_and_wraps)
{
    struct ts_replay replay;
    ts_replay_reset(&replay);
    n_got = 0;
    replay_feed(&replay, 0x11111111); // passes
    replay_feed(&replay, REPLAY(30, 4, 1, 1));
    for (uint32_t i = 0; i < 4; i++)
        replay_feed(&replay, i ? 0x45000000u + i : REPLAY(0, 1, 0, 0)); // a REPLAY is recorded too
    ck_assert_uint_eq(n_got, 5);
    ck_assert_uint_eq(replay.ram[30], REPLAY(0, 1, 0, 0));
    ck_assert_uint_eq(replay.ram[1], 0x45000003);
    replay_feed(&replay, REPLAY(31, 3, 0, 0));
    ck_assert_uint_eq(n_got, 8);
    ck_assert_uint_eq(got[5], 0x45000001);
    ck_assert_uint_eq(got[7], 0x45000003);
    // A count of 0 means 64: the RAM twice.
    replay_feed(&replay, REPLAY(0, 0, 0, 0));
    ck_assert_uint_eq(n_got, 72);
    ck_assert_uint_eq(got[8], got[40]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, mop_equals_its_model);
    tcase_add_test(tests, mop_largest_and_documented_bug);
    tcase_add_loop_test(tests, throttle_patterns, 0, 6 * 4);
    tcase_add_test(tests, replay_records_executes_and_wraps);
}

SUITE("expanders", add_tests)
