// Cross-core flags: broadcast and pairwise reduce of A2/A3, one-to-one of A5, latency, four bits;
// the ring's rules and its knowledge of its slots.
#include "cores/pto/ring.h"
#include "platform/kernel/kernel.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>

struct bench {
    struct ts_kernel *kernel;
    struct ts_domain *domain;
    struct ts_findings *findings;
    struct ts_flags *flags;
};

static struct bench make(enum ts_profile profile, ts_cycle latency)
{
    struct bench self = {.kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1})};
    self.domain = ts_domain_new(self.kernel, "c");
    self.findings = calloc(1, sizeof *self.findings);
    self.flags = calloc(1, sizeof *self.flags);
    ts_flags_init(self.flags, self.domain, profile, latency, self.findings);
    return self;
}

static void drop(struct bench *self)
{
    free(self->flags);
    free(self->findings);
    ts_kernel_free(self->kernel);
}

static unsigned count(struct bench *self, unsigned core, unsigned id, ts_cycle now)
{
    return ts_flags_look(self->flags, core, id, now)->count;
}

START_TEST(test_broadcast)
{
    struct bench b = make(TS_PROFILE_A2A3, 10);
    ts_flags_set(b.flags, TS_CORE_AIC, 3, 100);
    ck_assert_uint_eq(count(&b, TS_CORE_AIV0, 3, 109), 0); // in flight
    ck_assert(!ts_flags_take(b.flags, TS_CORE_AIV0, 3, 109));
    ck_assert_uint_eq(count(&b, TS_CORE_AIV0, 3, 110), 1);
    ck_assert_uint_eq(count(&b, TS_CORE_AIV1, 3, 110), 1); // both
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 3, 110), 0);
    ck_assert(ts_flags_take(b.flags, TS_CORE_AIV0, 3, 110));
    ck_assert(!ts_flags_take(b.flags, TS_CORE_AIV0, 3, 110));
    ck_assert(ts_flags_take(b.flags, TS_CORE_AIV1, 3, 110)); // counters are the receiver's own
    drop(&b);
}
END_TEST

START_TEST(test_reduce)
{
    struct bench b = make(TS_PROFILE_A2A3, 1);
    for (int i = 0; i < 3; i++)
        ts_flags_set(b.flags, TS_CORE_AIV0, 7, 0);
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 7, 5), 0); // half-set
    ck_assert_uint_eq(b.flags->flag[TS_CORE_AIC][7].half[0], 3);
    ts_flags_set(b.flags, TS_CORE_AIV1, 7, 5);
    ts_flags_set(b.flags, TS_CORE_AIV1, 7, 6);
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 7, 6), 1);
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 7, 7), 2); // the smaller of 3 and 2
    ck_assert_uint_eq(b.flags->flag[TS_CORE_AIC][7].half[0], 1);
    drop(&b);
}
END_TEST

START_TEST(test_one_to_one)
{
    struct bench b = make(TS_PROFILE_A5, 20);
    ts_flags_set(b.flags, TS_CORE_AIC, 5, 0);
    ts_flags_set(b.flags, TS_CORE_AIC, 5 + 16, 0);
    ts_flags_set(b.flags, TS_CORE_AIC, 5 + 16, 0);
    ck_assert_uint_eq(count(&b, TS_CORE_AIV0, 5, 20), 1);
    ck_assert_uint_eq(count(&b, TS_CORE_AIV1, 5, 20), 2);
    ts_flags_set(b.flags, TS_CORE_AIV0, 9, 0);
    ts_flags_set(b.flags, TS_CORE_AIV1, 9, 0);
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 9, 20), 1);
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 9 + 16, 20), 1); // +16, not +15
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 9 + 15, 20), 0);
    drop(&b);
}
END_TEST

START_TEST(test_overflow)
{
    struct bench b = make(TS_PROFILE_A5, 1);
    for (int i = 0; i < 15; i++)
        ts_flags_set(b.flags, TS_CORE_AIV0, 0, (ts_cycle)i);
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 0, 100), 15);
    ck_assert_uint_eq(b.findings->seen[TS_FINDING_CTR_OVERFLOW], 0);
    ts_flags_set(b.flags, TS_CORE_AIV0, 0, 100);
    ck_assert_uint_eq(count(&b, TS_CORE_AIC, 0, 101), 0); // wraps
    ck_assert_uint_eq(b.findings->seen[TS_FINDING_CTR_OVERFLOW], 1);
    drop(&b);
}
END_TEST

START_TEST(test_periods)
{
    static const struct {
        uint32_t slots, period;
    } rows[] = {{1, 1}, {2, 2}, {3, 1}, {4, 2}, {5, 2}, {6, 3}, {7, 3}, {8, 4}, {9, 4}, {15, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ts_ring_config c = {.slots = rows[i].slots};
        ck_assert_uint_eq(ts_ring_period(&c), rows[i].period);
        for (uint32_t n = 0; n < 100; n++) {
            ck_assert_int_eq(ts_ring_waits(&c, n), n >= rows[i].slots && n % rows[i].period == 0);
            ck_assert_int_eq(ts_ring_notifies(&c, n), (n + 1) % rows[i].period == 0);
        }
        c.variant = TS_VARIANT_B;
        ck_assert_uint_eq(ts_ring_initial(&c), rows[i].period);
        ck_assert_uint_eq(ts_ring_drain(&c, 0), rows[i].period);
        c.variant = TS_VARIANT_D;
        ck_assert(ts_ring_waits(&c, 0) && ts_ring_notifies(&c, 0));
        ck_assert_uint_eq(ts_ring_initial(&c), 1);
        c.variant = TS_VARIANT_F;
        ck_assert(!ts_ring_switch_default(&c));
    }
}
END_TEST

START_TEST(test_slots)
{
    struct bench b = make(TS_PROFILE_A2A3, 1);
    static const struct ts_ring_config c = {
        .name = "p", .direction = TS_DIR_C2V, .slots = 2, .slot_size = 64};
    struct ts_ring *ring = calloc(1, sizeof *ring);
    ts_ring_init(ring, b.domain, &c, TS_PROFILE_A2A3, true, b.findings);
    for (uint32_t i = 0; i < 2; i++) {
        ts_ring_write_start(ring, 0, i, i);
        ts_ring_write_end(ring, 0, i, i);
    }
    ck_assert_uint_eq(ring->occupancy, 2);
    ts_ring_read_start(ring, 0, 0, 5);
    ts_ring_read_end(ring, 0, 0, 6);
    ck_assert_uint_eq(ring->occupancy, 2); // AIV1 has not read it yet
    ts_ring_write_start(ring, 0, 2, 7);
    ck_assert_uint_eq(b.findings->seen[TS_FINDING_OVERWRITE], 1);
    ts_ring_read_start(ring, 1, 2, 8); // tile 2 is not written yet
    ck_assert_uint_eq(b.findings->seen[TS_FINDING_STALE_READ], 1);
    ts_ring_credit(ring, 0, 0, 9);
    ck_assert_uint_eq(b.findings->seen[TS_FINDING_PREMATURE_FREE], 0);
    ts_ring_credit(ring, 0, 0, 9);
    ck_assert_uint_eq(b.findings->seen[TS_FINDING_DOUBLE_FREE], 1);
    ts_ring_credit(ring, 0, 1, 9);
    ck_assert_uint_eq(b.findings->seen[TS_FINDING_PREMATURE_FREE], 1);
    free(ring);
    drop(&b);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_broadcast);
    tcase_add_test(tests, test_reduce);
    tcase_add_test(tests, test_one_to_one);
    tcase_add_test(tests, test_overflow);
    tcase_add_test(tests, test_periods);
    tcase_add_test(tests, test_slots);
}

SUITE("ring", add_tests, .one_process = true)
