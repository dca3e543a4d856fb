// How a run ends: done, limit, deadlock, fault, break, signal; the same for every thread count.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <pthread.h>
#include <unistd.h>

enum { DOMAINS = 6 };

static ts_step tick(struct probe *self, ts_cycle now)
{
    (void)self;
    (void)now;
    return 3;
}

static ts_step finish_at(struct probe *self, ts_cycle now)
{
    return now >= self->count ? ts_finish(&self->base, now) : self->count;
}

static ts_step block(struct probe *self, ts_cycle now)
{
    return ts_block(&self->base, now, TS_STALL_EVENT, &self->base.object);
}

static ts_step fault_at(struct probe *self, ts_cycle now)
{
    if (now == self->count)
        return ts_fault(&self->base, now, TS_NOT_IMPLEMENTED, "no such thing as %d", 7);
    return 1;
}

static ts_step break_at(struct probe *self, ts_cycle now)
{
    if (now == self->count)
        ts_break(&self->base, now);
    return now >= 2000 ? ts_finish(&self->base, now) : 1;
}

START_TEST(done_limit_deadlock)
{
    static const struct {
        probe_body body;
        ts_cycle limit;
        enum ts_stop stop;
        ts_cycle cycle;
    } rows[] = {
        {finish_at, 1000, TS_STOP_DONE, 51}, {finish_at, 51, TS_STOP_DONE, 51},
        {finish_at, 50, TS_STOP_LIMIT, 50},  {finish_at, 7, TS_STOP_LIMIT, 7},
        {finish_at, 0, TS_STOP_LIMIT, 0},    {tick, 1000, TS_STOP_LIMIT, 1000},
        {block, 1000, TS_STOP_DEADLOCK, 1},  {finish_at, TS_NEVER, TS_STOP_DONE, 51},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t threads = 1; threads <= 8; threads *= 2) {
            struct ts_kernel *kernel = kit_kernel(threads, 0);
            for (int j = 0; j < 3; j++)
                probe_new(ts_domain_new(kernel, "d%d", j), rows[i].body, "x")->count = 50;
            kit_elaborate(kernel);
            struct ts_run run = ts_kernel_run(kernel, rows[i].limit);
            ck_assert_msg(run.stop == rows[i].stop, "row %zu: %s", i, ts_stop_name(run.stop));
            ck_assert_uint_eq(run.cycle, rows[i].cycle);
            ck_assert_uint_eq(ts_kernel_reached(kernel), rows[i].cycle);
            // Once done it stays done; a limit that is no later changes nothing.
            struct ts_run again = ts_kernel_run(kernel, rows[i].limit);
            ck_assert_int_eq(again.stop, run.stop);
            ck_assert_uint_eq(again.cycle, run.cycle);
            ck_assert_uint_eq(again.activations, run.activations);
            if (run.stop == TS_STOP_LIMIT && rows[i].limit) {
                again = ts_kernel_run(kernel, rows[i].limit - 1);
                ck_assert_uint_eq(again.cycle, run.cycle);
            }
            ts_kernel_free(kernel);
        }
}
END_TEST

// The first fault by cycle, then by domain, regardless of the order on the host.
START_TEST(first_fault)
{
    static const struct {
        ts_cycle at[DOMAINS];
        const char *message;
    } rows[] = {
        {{500, 400, 300, 301, 302, 303}, "d2.x: cycle 300: no such thing as 7"},
        {{90, 90, 90, 90, 90, 90}, "d0.x: cycle 90: no such thing as 7"},
        {{TS_NEVER, TS_NEVER, TS_NEVER, TS_NEVER, 5, 5}, "d4.x: cycle 5: no such thing as 7"},
        {{1023, 1024, 1022, 1025, 1021, 1026}, "d4.x: cycle 1021: no such thing as 7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ts_cycle cycle = 0;
        uint64_t activations = 0;
        for (uint32_t threads = 1; threads <= 8; threads++) {
            struct ts_kernel *kernel = kit_kernel(threads, 0);
            for (int j = 0; j < DOMAINS; j++)
                probe_new(ts_domain_new(kernel, "d%d", j), fault_at, "x")->count = rows[i].at[j];
            kit_elaborate(kernel);
            struct ts_run run = ts_kernel_run(kernel, 100000);
            ck_assert_int_eq(run.stop, TS_STOP_FAULT);
            ck_assert_int_eq(run.error.code, TS_NOT_IMPLEMENTED);
            ck_assert_str_eq(run.error.text, rows[i].message);
            if (threads == 1) {
                cycle = run.cycle;
                activations = run.activations;
            }
            ck_assert_uint_eq(run.cycle, cycle);
            ck_assert_uint_eq(run.activations, activations);
            // It stays what it is.
            run = ts_kernel_run(kernel, 100000);
            ck_assert_int_eq(run.stop, TS_STOP_FAULT);
            ck_assert_str_eq(run.error.text, rows[i].message);
            ts_kernel_free(kernel);
        }
    }
}
END_TEST

START_TEST(break_and_go_on)
{
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        struct ts_kernel *kernel = kit_kernel(threads, 64);
        struct probe *probe[3];
        for (int i = 0; i < 3; i++) {
            probe[i] = probe_new(ts_domain_new(kernel, "d%d", i), break_at, "x");
            probe[i]->count = i == 1 ? 10 : TS_NEVER;
        }
        kit_elaborate(kernel);
        struct ts_run run = ts_kernel_run(kernel, 1000);
        // All domains stop in the same cycle: that of the break and the longest window.
        ck_assert_int_eq(run.stop, TS_STOP_BREAK);
        ck_assert_uint_eq(run.cycle, 10 + 256);
        for (int i = 0; i < 3; i++)
            ck_assert_uint_eq(probe[i]->steps, 10 + 256);
        probe[1]->count = 300;
        run = ts_kernel_run(kernel, 400); // the limit comes first
        ck_assert_int_eq(run.stop, TS_STOP_BREAK);
        ck_assert_uint_eq(run.cycle, 400);
        for (int i = 0; i < 3; i++)
            ck_assert_uint_eq(probe[i]->steps, 400);
        run = ts_kernel_run(kernel, 10000);
        ck_assert_int_eq(run.stop, TS_STOP_DONE);
        ck_assert_uint_eq(run.cycle, 2001);
        for (int i = 0; i < 3; i++)
            ck_assert_uint_eq(probe[i]->steps, 2001); // none twice, none lost
        ts_kernel_free(kernel);
    }
}
END_TEST

// A domain of its own stops at once.
START_TEST(break_alone)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct probe *probe = probe_new(ts_domain_new(kernel, "d"), break_at, "x");
    probe->count = 10;
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_BREAK);
    ck_assert_uint_eq(run.cycle, 11);
    ck_assert_uint_eq(probe->steps, 11);
    run = ts_kernel_run(kernel, 10000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_uint_eq(probe->steps, 2001);
    ts_kernel_free(kernel);
}
END_TEST

// A fault behind a break is not forgotten.
START_TEST(fault_behind_a_break)
{
    struct ts_kernel *kernel = kit_kernel(1, 64);
    probe_new(ts_domain_new(kernel, "d0"), break_at, "x")->count = 10;
    probe_new(ts_domain_new(kernel, "d1"), fault_at, "x")->count = 20;
    kit_elaborate(kernel);
    ck_assert_int_eq(ts_kernel_run(kernel, 1000).stop, TS_STOP_BREAK);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_str_eq(run.error.text, "d1.x: cycle 20: no such thing as 7");
    ts_kernel_free(kernel);
}
END_TEST

static void *stop_soon(void *kernel)
{
    while (ts_kernel_reached(kernel) < 100000)
        usleep(100);
    ts_kernel_stop(kernel, 15);
    return NULL;
}

START_TEST(signal_from_another_thread)
{
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        struct ts_kernel *kernel = kit_kernel(threads, 0);
        for (int i = 0; i < 4; i++)
            probe_new(ts_domain_new(kernel, "d%d", i), tick, "x");
        kit_elaborate(kernel);
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, kernel), 0);
        struct ts_run run = ts_kernel_run(kernel, TS_NEVER);
        pthread_join(thread, NULL);
        ck_assert_int_eq(run.stop, TS_STOP_SIGNAL);
        ck_assert_int_eq(run.signal, 15);
        ck_assert_uint_ge(run.cycle, 100000);
        run = ts_kernel_run(kernel, TS_NEVER); // at once, and no earlier
        ck_assert_int_eq(run.stop, TS_STOP_SIGNAL);
        ck_assert_uint_ge(run.cycle, 100000);
        ts_kernel_free(kernel);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, done_limit_deadlock);
    tcase_add_test(tests, first_fault);
    tcase_add_test(tests, break_and_go_on);
    tcase_add_test(tests, break_alone);
    tcase_add_test(tests, fault_behind_a_break);
    tcase_add_test(tests, signal_from_another_thread);
}

SUITE("stop", add_tests)
