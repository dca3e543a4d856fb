// L1's banks: streams of unpackers, packer and NoCs that meet, requests of the cores' two ports, and both.
#include "platform/mem/l1.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <string.h>

static struct ts_l1 l1;

static void set_up(void)
{
    ck_assert(ts_l1_init(&l1, 5));
}
static void tear_down(void)
{
    ts_l1_free(&l1);
}

START_TEST(alone)
{
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_UNPACK0, 0, 8, 16, 100, 0), 100);
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_NOC_IN, 0, 4, 16, 116, 0), 116);
    ck_assert_uint_eq(l1.conflicts, 0);
}
END_TEST

// A client serves its own transfers in order.
START_TEST(in_order)
{
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_UNPACK0, 0, 8, 16, 100, 0), 100);
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_UNPACK0, 512, 8, 16, 110, 0), 116);
}
END_TEST

// Two of the same width meet once: the later one stays a step behind, also in its next transfers.
START_TEST(same_width)
{
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_NOC_OUT, 0x1000, 4, 64, 100, 0), 100);
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_NOC_IN, 0x2000, 4, 16, 100, 0), 101);
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_NOC_IN, 0x2400, 4, 16, 116, 0), 117);
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_NOC_IN, 0x2800, 4, 16, 132, 0), 133);
    ck_assert_uint_eq(l1.conflicts, 3);
    // Other banks from the start: no wait.
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_NOC_IN + 1, 0x2080, 4, 16, 100, 0), 100);
}
END_TEST

// An unpacker at 128 bytes a cycle passes a NoC's 64 every eight cycles.
START_TEST(other_width)
{
    ts_l1_flow(&l1, TS_L1_UNPACK0, 0, 8, 64, 100, 0);
    ts_cycle from = ts_l1_flow(&l1, TS_L1_NOC_IN, 0x200 - 64, 4, 32, 100, 0);
    ck_assert_uint_ge(from, 102);
    ck_assert_uint_le(from, 106);
}
END_TEST

START_TEST(pass)
{
    l1.flows_pass = true;
    ts_l1_flow(&l1, TS_L1_UNPACK0, 0, 8, 64, 100, 0);
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_NOC_IN, 0, 4, 32, 100, 0), 100);
}
END_TEST

// Two transfers, bank by bank and cycle by cycle.
static ts_cycle by_hand(const struct ts_l1_flow *first, uint32_t granule, uint32_t width,
                        uint32_t cycles, ts_cycle at)
{
    ts_cycle t = at;
    for (uint32_t i = 0; i < cycles; t++) {
        uint32_t taken = 0, wanted = 0;
        for (uint32_t k = 0; k < first->width && t >= first->from && t < first->until; k++)
            taken |= 1u << (first->granule + (t - first->from) * first->width + k) % 32;
        for (uint32_t k = 0; k < width; k++)
            wanted |= 1u << (granule + i * width + k) % 32;
        i += !(taken & wanted);
    }
    return t - cycles;
}

START_TEST(any_two)
{
    uint64_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        memset(l1.flows, 0, sizeof l1.flows);
        l1.flows_until = 0;
        uint32_t width[2], granule[2], cycles[2];
        for (unsigned i = 0; i < 2; i++) {
            width[i] = 1u << random64(&seed) % 4;
            granule[i] = (uint32_t)(random64(&seed) % 1000);
            cycles[i] = 1 + (uint32_t)(random64(&seed) % 40);
        }
        ts_cycle at = 90 + random64(&seed) % 30;
        ts_l1_flow(&l1, TS_L1_UNPACK0, granule[0] * 16, width[0], cycles[0], 100, 0);
        const struct ts_l1_flow first = l1.flows[TS_L1_UNPACK0];
        ck_assert_uint_eq(
            ts_l1_flow(&l1, TS_L1_NOC_IN, granule[1] * 16, width[1], cycles[1], at, 0),
            by_hand(&first, granule[1], width[1], cycles[1], at));
    }
}
END_TEST

// A narrow write keeps its port, but its bank only where it reads and writes back.
START_TEST(narrow_write)
{
    const uint32_t one = TS_L1_PORT_T1_T2, other = TS_L1_PORT_B_T0_NC;
    ck_assert_uint_eq(ts_l1_reserve(&l1, one, 0x1000, 100, 5), 100);
    ck_assert_uint_eq(ts_l1_reserve(&l1, other, 0x1200, 100, 1), 101);
    ck_assert_uint_eq(ts_l1_reserve(&l1, other, 0x1200, 103, 1), 103);
    ck_assert_uint_eq(ts_l1_reserve(&l1, other, 0x1200, 104, 1), 105);
    ck_assert_uint_eq(ts_l1_reserve(&l1, one, 0x1010, 101, 1), 105); // the port
}
END_TEST

START_TEST(narrow_writes)
{
    const uint32_t one = TS_L1_PORT_T1_T2, other = TS_L1_PORT_B_T0_NC;
    ts_l1_reserve(&l1, one, 0x1000, 100, 5);
    ts_l1_reserve(&l1, one, 0x1000, 100, 5); // from 105 to 109
    // Another granule of the bank goes in between, the same one waits for both.
    ck_assert_uint_eq(ts_l1_reserve(&l1, other, 0x1200, 101, 1), 101);
    ck_assert_uint_eq(ts_l1_start(&l1, other, 0x1200, 101, 5), 102);
    ck_assert_uint_eq(ts_l1_start(&l1, other, 0x1000, 101, 5), 110);
    ck_assert(ts_l1_takes_later(&l1, other, 0x1000, 108));
    ck_assert(!ts_l1_takes_later(&l1, other, 0x1000, 109));
}
END_TEST

// A core takes its bank from a transfer, which goes on a cycle later: so does the next one behind it.
START_TEST(core_first)
{
    const uint32_t port = TS_L1_PORT_T1_T2;
    ts_l1_flow(&l1, TS_L1_UNPACK0, 0, 8, 16, 100, 0); // banks 0 to 7 in 100, 104, 108 ...
    ck_assert_uint_eq(ts_l1_reserve(&l1, port, 0x1000, 99, 1), 99);
    ck_assert_uint_eq(ts_l1_reserve(&l1, port, 0x1080, 100, 1), 100);
    ck_assert_uint_eq(l1.flows[TS_L1_UNPACK0].until, 116);
    ck_assert_uint_eq(ts_l1_reserve(&l1, port, 0x1070, 104, 1), 104);
    ck_assert_uint_eq(l1.flows[TS_L1_UNPACK0].until, 117);
    // In 108 it takes banks 24 to 31 now. A narrow write takes its bank in 108 and 112.
    ck_assert_uint_eq(ts_l1_reserve(&l1, port, 0x11f0, 108, 5), 108);
    ck_assert_uint_eq(l1.flows[TS_L1_UNPACK0].until, 118);
    ck_assert_uint_eq(ts_l1_flow(&l1, TS_L1_UNPACK0, 0, 8, 16, 116, 0), 118);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, alone);
    tcase_add_test(tests, in_order);
    tcase_add_test(tests, same_width);
    tcase_add_test(tests, other_width);
    tcase_add_test(tests, pass);
    tcase_add_test(tests, any_two);
    tcase_add_test(tests, narrow_write);
    tcase_add_test(tests, narrow_writes);
    tcase_add_test(tests, core_first);
}

SUITE("l1 flow", add_tests)
