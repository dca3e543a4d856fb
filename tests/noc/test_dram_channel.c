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
                                          .turnaround = 3,
                                          .write_queue = queue,
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

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, one_row);
    tcase_add_test(tests, hidden);
    tcase_add_test(tests, write_queue);
}

SUITE("DRAM channel", add_tests)
