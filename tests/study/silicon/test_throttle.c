// Throttle patterns of tt-llk on the modelled tile: a TRISC records the replay body,
// programs the MOP and runs it many times; a tile product takes exactly its slots. And how far a
// core runs ahead of a unit.
#include "tests/suite.h"
#include "tests/tile/probe.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

// ---- the patterns

#define OP(op)                   ((uint32_t)(op) << 24)
#define NOP                      OP(TS_OP_NOP)
#define MVMUL(mod)               (OP(TS_OP_MVMUL) | (uint32_t)(mod) << 14)
#define SETC16(r, v)             (OP(TS_OP_SETC16) | (uint32_t)(r) << 16 | ((v)&0xffff))
#define REPLAY(start, len, load) (OP(TS_OP_REPLAY) | (uint32_t)(start) << 14 | (len) << 4 | (load))
#define AB(a, acr, aclr, b, bcr, bclr) \
    ((a) | (acr) << 6 | (aclr) << 7 | (b) << 8 | (bcr) << 14 | (bclr) << 15)
#define DST(d, cr, clr) ((d) | (cr) << 10 | (clr) << 11)

// tt-llk llk_math_matmul.h: body of the replay buffer (N is NOP, a digit is MVMUL with that
// ADDR_MOD), loops of the MOP, ADDR_MOD of the word between bodies. Slots of one tile product,
// LoFi.
static const struct {
    const char *body;
    unsigned outer, inner, between, slots;
} levels[] = {
    {"0102010401020105", 1, 1, 0, 16}, {"N010N201N0", 1, 2, 4, 22}, {"N01N02N01N0", 1, 2, 4, 24},
    {"N0N1N0N2N0N1N0N", 1, 2, 4, 32},  {"N0NN1N0NN", 2, 2, 2, 40},  {"NN0NN1NN0NN", 2, 2, 2, 48},
};

// Cycles of n tile products on T1.
static double products(struct probe *probe, unsigned level, unsigned n)
{
    struct ts_rvasm *q = &probe->p[1];
    unsigned length = (unsigned)strlen(levels[level].body);
    begin(q);
    inline_word(q, OP(TS_OP_SETDVALID) | 3); // both operands are there, and stay
    static const struct {
        unsigned section;
        int ab, dst;
    } mods[] = {
        {0, AB(0, 0, 0, 8, 0, 0), DST(8, 0, 0)},  {1, AB(16, 0, 0, 0, 1, 0), DST(8, 0, 0)},
        {2, AB(0, 1, 0, 32, 1, 0), DST(8, 0, 0)}, {4, AB(32, 1, 0, 48, 1, 0), DST(0, 1, 0)},
        {5, AB(0, 0, 1, 0, 0, 1), DST(0, 0, 1)},
    };
    for (unsigned i = 0; i < 5; i++) {
        inline_word(q, SETC16(12 + mods[i].section, mods[i].ab));
        inline_word(q, SETC16(28 + mods[i].section, mods[i].dst));
    }
    inline_word(q, REPLAY(0, length, 1));
    for (const char *c = levels[level].body; *c; c++)
        inline_word(q, *c == 'N' ? NOP : MVMUL(*c - '0'));
    uint32_t body = REPLAY(0, length, 0);
    const uint32_t cfg[9] = {
        levels[level].outer,
        levels[level].inner,
        NOP,
        NOP,
        NOP,
        body,
        level ? MVMUL(levels[level].between) : NOP,
        level ? MVMUL(5) : body,
        level ? MVMUL(4) : body,
    };
    li(q, T0, 0xffb80000);
    for (unsigned i = 0; i < 9; i++) {
        li(q, T1, cfg[i]);
        sw(q, T1, T0, (int)(4 * i));
    }
    li(q, T2, n);
    lw(q, A2, S0, 0x1f0);
    unsigned top = q->count;
    inline_word(q, OP(TS_OP_MOP) | 1u << 23);
    addi(q, T2, T2, -1);
    bnez(q, T2, top);
    wait_for_drain(q);
    finish(q, 1);
    return probe_run(probe, 1, 1);
}

START_TEST(a_product_takes_its_slots)
{
    struct ts_error error = {0};
    struct ts_silicon_context context = {.tile = ts_tile_config_default()};
    struct probe probe = {.context = &context, .error = &error};
    double cycles = (products(&probe, (unsigned)_i, 90) - products(&probe, (unsigned)_i, 30)) / 60;
    ck_assert_msg(error.code == TS_OK, "%s", error.text);
    ck_assert_msg(cycles == levels[_i].slots, "level %d: %.3f cycles, %u slots", _i, cycles,
                  levels[_i].slots);
}
END_TEST

// mesham/tt-sim docs/bh_arch.md 1.10: a core that pushes instructions of three cycles runs ahead of
// the scalar unit by 31 to 32 (spread 27 to 33), on each thread.
START_TEST(run_ahead_of_the_scalar_unit)
{
    enum { N = 512 };
    struct ts_error error = {0};
    struct ts_silicon_context context = {.tile = ts_tile_config_default()};
    struct probe probe = {.context = &context, .error = &error};
    for (unsigned t = 0; t < 3; t++) {
        struct ts_rvasm *p = &probe.p[t];
        begin(p);
        lw(p, A2, S0, 0x1f0);
        for (unsigned i = 0; i < N; i++)
            inline_word(p, OP(TS_OP_SHIFTDMAREG) | 1u << 23);
        finish(p, t);
        double ahead = (3 * N - probe_run(&probe, t, 1)) / 3;
        ck_assert_msg(ahead >= 27 && ahead <= 33, "T%u: %.1f", t, ahead);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, a_product_takes_its_slots, 0, 6);
    tcase_add_test(tests, run_ahead_of_the_scalar_unit);
}

SUITE("throttle", add_tests)
