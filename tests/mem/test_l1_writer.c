// The last writer of a word of L1: by word, for narrow, unaligned and long writes, and "not known"
// where the record has been overwritten.
#include "platform/mem/l1.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>

static struct ts_l1 l1;

static void set_up(void)
{
    ck_assert(ts_l1_init(&l1, 5));
}
static void tear_down(void)
{
    ts_l1_free(&l1);
}

static unsigned writer(uint32_t address)
{
    struct ts_l1_writer found = ts_l1_writer(&l1, address);
    return found.state == TS_L1_KNOWN ? (unsigned)found.last.by : 100 + (unsigned)found.state;
}

START_TEST(words)
{
    ck_assert_uint_eq(writer(0x1000), 100 + TS_L1_NOBODY);
    ts_l1_note(&l1, 0x1000, 4, 8, 0x40, 10);
    ts_l1_note(&l1, 0x1004, 4, 9, 0x50, 11);
    ck_assert_uint_eq(writer(0x1000), 8); // not its neighbour
    ck_assert_uint_eq(writer(0x1003), 8);
    ck_assert_uint_eq(writer(0x1004), 9);
    ck_assert_uint_eq(writer(0x1008), 100 + TS_L1_NOBODY);
    ck_assert_uint_eq(ts_l1_writer(&l1, 0x1000).last.pc, 0x40);
    ck_assert_uint_eq(ts_l1_writer(&l1, 0x1000).last.at, 10);
    // Over the border of two words, and a granule.
    ts_l1_note(&l1, 0x1003, 2, 10, 0x60, 12);
    ck_assert_uint_eq(writer(0x1000), 10);
    ck_assert_uint_eq(writer(0x1004), 10);
    ts_l1_note(&l1, 0x1000, 16, 11, 0x70, 13);
    for (uint32_t i = 0; i < 16; i += 4)
        ck_assert_uint_eq(writer(0x1000 + i), 11);
    ck_assert_uint_eq(writer(0x1010), 100 + TS_L1_NOBODY);
    // A word of the same place: the first is not "nobody's".
    ts_l1_note(&l1, 0x1000 + 4 * TS_L1_LAST, 4, 12, 0x80, 14);
    ck_assert_uint_eq(writer(0x1000), 100 + TS_L1_FORGOTTEN);
}
END_TEST

START_TEST(ranges)
{
    ts_l1_note(&l1, 0x2004, 4, 8, 0x40, 10);
    ts_l1_note(&l1, 0x2000, 64, 4, 0x203, 20); // a message with its flag in it
    ck_assert_uint_eq(writer(0x2004), 4);
    ck_assert_uint_eq(writer(0x203c), 4);
    ck_assert_uint_eq(writer(0x2040), 100 + TS_L1_NOBODY);
    ts_l1_note(&l1, 0x2004, 4, 9, 0x50, 21); // and reset by a core
    ck_assert_uint_eq(writer(0x2004), 9);
    ck_assert_uint_eq(writer(0x2008), 4);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, words);
    tcase_add_test(tests, ranges);
}

SUITE("l1_writer", add_tests)
