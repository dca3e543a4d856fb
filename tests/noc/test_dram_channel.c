// A DRAM channel: rate, refresh of banks, writes that wait in its queue.
#include "noc/dram.h"
#include "tests/suite.h"

#include <check.h>
#include <string.h>

#define CLOCK 1350u

static struct ts_dram dram;

static void build(int64_t queue, int64_t interval)
{
    const struct ts_dram_params params = {.bandwidth = 63990,
                                          .read_latency = 126,
                                          .write_latency = 10,
                                          .request_rate = 160,
                                          .turnaround = 14,
                                          .group = 2048,
                                          .write_queue = queue,
                                          .write_room = 65536,
                                          .refresh_interval = interval,
                                          .refresh = 91,
                                          .size = 4096};
    memset(&dram, 0, sizeof dram);
    ck_assert(ts_dram_init(&dram, &params, 1, CLOCK));
}

// Cycles of `count` reads of `length` bytes, each `step` bytes behind the one before, as fast as the channel takes them.
static double reads(int64_t interval, unsigned count, uint32_t length, uint64_t step)
{
    struct ts_noc_admission admission = {0};
    build(0, interval);
    for (unsigned i = 0; i < count; i++)
        ts_dram_memory.admit(&dram, 0, false, i * step, length, admission.turn, &admission);
    double cycles = (double)dram.pipes[0].free / 1000;
    ts_dram_free(&dram);
    return cycles;
}

// Who reads a row again and again waits for both refreshes of its bank in 1.9 us: 2 x 91 of 1900 ns.
START_TEST(one_row)
{
    double without = reads(0, 1000, 4096, 0);
    ck_assert_double_eq_tol(without, 1000 * 4096 / 47.4, without * 1e-3);
    ck_assert_double_eq_tol(reads(1900, 1000, 4096, 0), without / (1 - 182.0 / 1900),
                            without * 0.01);
    ck_assert_double_eq_tol(reads(1900, 500, 8192, 0), without / (1 - 182.0 / 1900),
                            without * 0.01);
}
END_TEST

// A bank that is left for longer than a refresh takes loses nothing: streams, and 16 KiB again and again.
START_TEST(hidden)
{
    double without = reads(0, 1000, 4096, 0);
    ck_assert_double_eq_tol(reads(1900, 1000, 4096, 4096), without, without * 1e-4);
    ck_assert_double_eq_tol(reads(1900, 250, 16384, 0), without, without * 1e-4);
}
END_TEST

// The acknowledgement of a write does not wait for what the queue holds.
START_TEST(write_queue)
{
    struct ts_noc_admission admission = {0};
    build(8192, 0);
    ts_dram_memory.admit(&dram, 0, true, 0, 16384, 1000, &admission);
    ck_assert_uint_eq(admission.turn, 1000);
    ck_assert_uint_eq(admission.early, 172);
    ck_assert_uint_eq(admission.after, 10);
    ts_dram_memory.admit(&dram, 2, true, 0, 64, 1000, &admission);
    ck_assert_uint_eq(admission.turn, 1000 + 345);
    ts_dram_free(&dram);
}
END_TEST

static struct ts_noc_admission ask(bool write, uint64_t address, uint32_t length, ts_cycle now)
{
    struct ts_noc_admission admission = {0};
    ts_dram_memory.admit(&dram, write ? 3 : 0, write, address, length, now, &admission);
    return admission;
}

// A read passes between groups of writes that wait, and each change costs 14 cycles. Bytes of writes enter as if there were none.
START_TEST(reads_between_writes)
{
    build(8192, 0);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(ask(true, i << 20, 2048, 1000).room, 1000 + i * 20480 / 474);
    ck_assert_uint_eq(ask(false, 1 << 24, 2048, 1000).turn, 1000 + 43 + 14);
    ck_assert_uint_eq(ask(false, 2 << 24, 2048, 1000).turn, 1000 + 3 * (43 + 14));
    ck_assert_uint_eq(ask(true, 5 << 20, 2048, 1000).room, 1000 + 4 * 20480 / 474);
    ts_dram_free(&dram);
}
END_TEST

// Less than a group of writes waits for the reads; one that goes on in an open row makes no change.
START_TEST(small_and_open)
{
    build(8192, 0);
    ask(false, 0, 2048, 1000);
    ask(true, 1 << 20, 1024, 1000);
    ck_assert_uint_eq(ask(false, 2048, 2048, 1000).turn, 1043);
    ck_assert_uint_eq(ask(true, (1 << 20) + 1024, 64, 1000).turn, 1043 + 44 + 14 + 21);
    ck_assert_uint_eq(ask(false, 4096, 2048, 1200).turn, 1200);
    ck_assert_uint_eq(ask(true, (1 << 20) + 1088, 64, 1200).turn, 1243);
    ts_dram_free(&dram);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, one_row);
    tcase_add_test(tests, hidden);
    tcase_add_test(tests, write_queue);
    tcase_add_test(tests, reads_between_writes);
    tcase_add_test(tests, small_and_open);
}

SUITE("DRAM channel", add_tests)
