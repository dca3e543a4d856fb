// The periods of a chip's report: their sums are the accounts of the objects, for any number of threads.
#include "tests/suite.h"

#include "platform/lib/inside.h"
#include "platform/report/drawing.h"
#include "platform/trace/attach.h"

#include <string.h>

struct kept {
    uint32_t count;
    ts_cycle span, bin;
    uint64_t hash, busy, waits; // of all rows
};

static uint64_t account_of(const struct ts_periods_row *row, ts_cycle span)
{
    const struct ts_component *c = ts_object_component(row->object);
    if (c == NULL)
        return row->object->busy(row->object, span);
    struct ts_account account = ts_component_account(c, span);
    if (row->what == TS_PERIODS_BUSY)
        return account.busy;
    uint64_t waits = 0;
    for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++)
        waits += account.lost[reason];
    return waits;
}

static struct kept keep(uint32_t threads)
{
    static const char *const settings[] = {"grid=3x2", "m=128", "n=96", "k=96"};
    struct tensim_config config = {.threads = threads, .timing_only = true};
    struct tensim_error error = {0};
    struct ts_error wrong = {0};
    struct tensim *sim = tensim_new_kernel("matmul", settings, 4, &config, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    struct ts_periods *periods = ts_periods_new(sim->kernel, ts_drawing_mapped);
    struct ts_trace_writer *writer = &periods->base;
    struct ts_trace *trace = ts_trace_attach(sim->kernel, &writer, 1, &wrong);
    ck_assert(trace != NULL);
    ck_assert_int_eq(tensim_run(sim, 1000000, &error), TENSIM_OK);
    ts_kernel_trace_end(sim->kernel);
    ck_assert_int_eq(ts_trace_free(trace), 0);
    struct kept kept = {.span = sim->run.cycle, .bin = periods->bin};
    kept.count = ts_periods_count(periods, kept.span);
    for (size_t i = 0; i < periods->count; i++) {
        const struct ts_periods_row *row = &periods->rows[i];
        uint64_t sum = 0, account = account_of(row, kept.span);
        for (uint32_t p = 0; p < kept.count; p++) {
            sum += row->cycles[p];
            kept.hash = kept.hash * 31 + row->cycles[p];
            ck_assert_msg(row->cycles[p] <= periods->bin, "%s: %llu cycles of %llu",
                          row->object->path, (unsigned long long)row->cycles[p],
                          (unsigned long long)periods->bin);
        }
        // A DRAM channel counts thousandths of a cycle.
        uint64_t most = ts_object_component(row->object)      ? 0
                        : row->object->kind == TS_OBJECT_FIFO ? 0
                                                              : 100;
        ck_assert_msg(sum + most >= account && sum <= account + most, "%s: %llu, not %llu",
                      row->object->path, (unsigned long long)sum, (unsigned long long)account);
        *(row->what == TS_PERIODS_BUSY ? &kept.busy : &kept.waits) += sum;
    }
    ts_periods_free(periods);
    tensim_free(sim);
    return kept;
}

START_TEST(sums_are_the_accounts)
{
    struct kept kept = keep(1);
    ck_assert_uint_ge(kept.count, 16);
    ck_assert_uint_le(kept.count, TS_PERIODS);
    ck_assert_uint_gt(kept.busy, 0);
    ck_assert_uint_gt(kept.waits, 0);
}
END_TEST

START_TEST(threads_do_not_matter)
{
    struct kept one = keep(1), two = keep(2);
    ck_assert_uint_eq(one.hash, two.hash);
    ck_assert_uint_eq(one.bin, two.bin);
}
END_TEST

static void add_tests(TCase *tc)
{
    tcase_add_test(tc, sums_are_the_accounts);
    tcase_add_test(tc, threads_do_not_matter);
}

SUITE("periods", add_tests)
