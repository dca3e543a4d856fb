// Random words through the vector unit's clock: nothing breaks, constants stay, each refusal has a
// name. Run it under the sanitizers.
#include "tests/suite.h"
#include "tests/units/vector_check.h"
#include "units/vector/use.h"

enum { WORDS = 400000 };

static void check_random_words(unsigned row)
{
    uint64_t seed = (uint64_t)row * 0x9E3779B97F4A7C15u + 1;
    struct rig r;
    rig_reset(&r);
    ts_vector_seed(&r.v, (uint32_t)seed, true);
    struct ts_vector fresh = r.v;
    unsigned long faults[TS_VECTOR_FAULTS] = {0};
    struct ts_vector_use before = {0};
    for (unsigned n = 0; n < WORDS; n++) {
        uint32_t word = rig_random(&seed) & 0xFFFFFFu;
        word |= (TS_VECTOR_FIRST + rig_random(&seed) % (TS_VECTOR_LAST - TS_VECTOR_FIRST + 1))
                << 24;
        r.view = (struct ts_vector_view){
            .math_offset = rig_random(&seed) & 0xFFF,
            .dst_rwc = rig_random(&seed) & 0x3FF,
            .sp = rig_random(&seed) & 0x3FF,
            .stack_incr = 3,
            .srcb_format = rig_random(&seed) & 15,
            .fp32 = n & 1,
        };
        if (n % 64 == 0) { // keep some lanes alive, the calendar in use and macros possible
            rig_run(&r, ALL_ON);
            for (unsigned reg = 0; reg < 8; reg++)
                rig_fill(&r, reg, rig_random(&seed));
            for (unsigned config = 0; config < 9; config++)
                rig_run(&r, SFP16(SFPCONFIG, 0, config, 0));
            rig_fill(&r, 0, n % 128 ? 0 : rig_random(&seed) & TS_LANE_BITS);
            rig_run(&r, SFP16(SFPCONFIG, 0, 15, 0));
        }
        struct ts_vector_insn i = rig_bind(&r, word);
        struct ts_vector_use use = ts_vector_use(&r.v, &i);
        if (use.latency < 1 || use.latency > 2)
            ck_abort_msg("%08x: latency %u", word, use.latency);
        if (ts_vector_order(&before, &use, i.op) == TS_ORDER_STALL)
            rig_rest(&r);
        struct ts_vector_done done;
        ts_vector_cycle(&r.v, &r.dst, &i, &done);
        if (done.fault) {
            faults[done.fault]++;
            if (!ts_vector_fault_text(done.fault))
                ck_abort_msg("%08x: fault %d without a name", word, done.fault);
        }
        if (done.hazards >> TS_VHAZARDS)
            ck_abort_msg("%08x: hazards %x", word, done.hazards);
        before = use;
    }
    for (unsigned n = 0; n < 16 && !ts_vector_idle(&r.v); n++)
        rig_clock(&r, OP(SFPNOP));
    ck_assert(ts_vector_idle(&r.v));
    static const unsigned constants[] = {8, 9, 10, 15};
    for (unsigned n = 0; n < 4; n++)
        ck_assert_mem_eq(r.v.lreg[constants[n]], fresh.lreg[constants[n]], sizeof fresh.lreg[0]);
    for (unsigned n = 1; n < TS_VECTOR_FAULTS; n++)
        ck_assert_msg(faults[n] > 0, "never: %s", ts_vector_fault_text(n));
}

START_TEST(random_words)
{
    for (unsigned n = 0; n < 3; n++)
        check_random_words(n);
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, random_words);
}

SUITE("vector_fuzz", add_tests)
