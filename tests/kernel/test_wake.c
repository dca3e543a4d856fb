// Wakes: of everything that is asleep on an object, and never in the past.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

// Components asleep on an object that is not a channel are woken, for any number of them.
static ts_step sleep_on_body(struct probe *self, ts_cycle now)
{
    if (self->steps > 1)
        return ts_finish(&self->base, now);
    return ts_block(&self->base, now, TS_STALL_EVENT, self->context);
}

static ts_step stall_on_body(struct probe *self, ts_cycle now)
{
    if (self->steps == 1)
        return ts_block(&self->base, now, TS_STALL_EVENT, self->context);
    if (self->steps == 2)
        return ts_stall_for(&self->base, now, 50, TS_STALL_EVENT, self->context);
    return ts_finish(&self->base, now);
}

static ts_step wake_all_body(struct probe *self, ts_cycle now)
{
    if (now == 3)
        ts_wake(&self->other->base, now + 1);
    if (now == 10)
        ts_wake_all(self->context, now + 1);
    return now < 10 ? 1 : ts_finish(&self->base, now);
}

START_TEST(wake_all_sleepers)
{
    for (int kind = 0; kind < 2; kind++)
        for (int sleepers = 1; sleepers <= 3; sleepers++) {
            struct ts_kernel *kernel = kit_kernel(1, 0);
            struct ts_domain *domain = ts_domain_new(kernel, "d");
            struct ts_object *resource = ts_kernel_alloc(kernel, sizeof *resource);
            struct probe *sleeper[3];
            struct probe *waker = probe_new(domain, wake_all_body, "waker");
            ts_resource_init(resource, domain, NULL, "bank");
            waker->context = kind == 0 ? resource : &waker->base.object;
            for (int i = 0; i < sleepers; i++) {
                sleeper[i] = probe_new(domain, sleep_on_body, "sleeper[%d]", i);
                sleeper[i]->context = waker->context;
            }
            // The last to come is woken alone and then only stalls on the object.
            waker->other = probe_new(domain, stall_on_body, "staller");
            waker->other->context = waker->context;
            kit_elaborate(kernel);
            struct ts_run run = ts_kernel_run(kernel, 1000);
            ck_assert_msg(run.stop == TS_STOP_DONE, "kind %d, %d sleepers: %s", kind, sleepers,
                          ts_stop_name(run.stop));
            for (int i = 0; i < sleepers; i++)
                ck_assert_uint_eq(sleeper[i]->log[1], 11);
            ck_assert_uint_eq(waker->other->log[2], 54);
            ts_kernel_free(kernel);
        }
}
END_TEST

static ts_step wake_now_body(struct probe *self, ts_cycle now)
{
    if (now == 8)
        ts_wake(&self->other->base, now);
    return 8;
}

static ts_step idle_body(struct probe *self, ts_cycle now)
{
    return ts_idle(&self->base, now);
}

START_TEST(in_the_past)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct probe *idle = probe_new(domain, idle_body, "idle");
    probe_new(domain, wake_now_body, "waker")->other = idle;
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 100);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_int_eq(run.error.code, TS_BUG);
    ck_assert_str_eq(run.error.text,
                     "d.idle: cycle 8: woken at cycle 8, which is not after the current one");
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, wake_all_sleepers);
    tcase_add_test(tests, in_the_past);
}

SUITE("wake", add_tests)
