// Events: set, moved, cancelled, fired once; refused in the past.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

// Waits for its event and counts the times it fired.
static ts_step wait_body(struct probe *self, ts_cycle now)
{
    if (ts_event_fired(&self->event, now)) {
        self->count++;
        ck_assert(!ts_event_fired(&self->event, now));
        if (self->count == 2)
            return ts_finish(&self->base, now);
    }
    return ts_event_await(&self->event, now);
}

// Applies its plan to the other's event.
struct deed {
    ts_cycle at;
    ts_cycle to; // 0: cancel
};

static ts_step plan_body(struct probe *self, ts_cycle now)
{
    const struct deed *deed = (const struct deed *)self->context + self->count;
    if (deed->at == TS_NEVER)
        return ts_finish(&self->base, now);
    if (deed->at == now) {
        if (deed->to)
            ts_event_set(&self->other->event, now, deed->to);
        else
            ts_event_cancel(&self->other->event);
        self->count++;
        deed++;
    }
    return deed->at == TS_NEVER ? ts_finish(&self->base, now) : deed->at - now;
}

START_TEST(set_move_cancel)
{
    static const struct {
        const char *what;
        struct deed deeds[5];
        ts_cycle fired[2];
        uint64_t count;
    } rows[] = {
        {"set", {{1, 10}, {TS_NEVER, 0}}, {10}, 1},
        {"earlier", {{1, 10}, {2, 5}, {TS_NEVER, 0}}, {5}, 1},
        {"later", {{1, 10}, {2, 500}, {TS_NEVER, 0}}, {500}, 1},
        {"far to near", {{1, 300000}, {2, 90}, {TS_NEVER, 0}}, {90}, 1},
        {"near to far", {{1, 3}, {2, 300000}, {TS_NEVER, 0}}, {300000}, 1},
        {"again", {{1, 10}, {20, 30}, {TS_NEVER, 0}}, {10, 30}, 2},
        {"cancel", {{1, 10}, {5, 0}, {TS_NEVER, 0}}, {0}, 0},
        {"cancel, set", {{1, 10}, {5, 0}, {6, 8}, {TS_NEVER, 0}}, {8}, 1},
        {"cancel twice", {{1, 10}, {5, 0}, {6, 0}, {TS_NEVER, 0}}, {0}, 0},
        // In the very cycle it is due, by one that steps before (order 0) or after it (order 1).
        {"moved when due", {{1, 10}, {10, 20}, {TS_NEVER, 0}}, {20}, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int variant = 0; variant < 4; variant++) {
            struct ts_kernel *kernel = kit_kernel(1, variant < 2 ? 0 : 3);
            struct ts_domain *domain = ts_domain_new(kernel, "d");
            int order = variant & 1;
            struct probe *first = probe_new(domain, order ? wait_body : plan_body, "first");
            // With many more, a full domain.
            for (int j = 0; variant >= 2 && j < 61; j++) {
                struct probe *filler = probe_new(domain, wait_body, "filler[%d]", j);
                ts_event_init(&filler->event, &filler->base, "alarm");
            }
            struct probe *second = probe_new(domain, order ? plan_body : wait_body, "second");
            struct probe *waiter = order ? first : second, *planner = order ? second : first;
            planner->other = waiter;
            planner->context = (void *)rows[i].deeds;
            ts_event_init(&waiter->event, &waiter->base, "alarm");
            kit_elaborate(kernel);
            struct ts_run run = ts_kernel_run(kernel, 1000000);
            uint64_t want = rows[i].count;
            ts_cycle at = rows[i].fired[0];
            if (strcmp(rows[i].what, "moved when due") == 0 && order == 1) {
                want = 2; // it has fired before it is moved
                at = 10;
            }
            ck_assert_msg(waiter->count == want, "%s, variant %d: fired %llu times", rows[i].what,
                          variant, (unsigned long long)waiter->count);
            ts_cycle seen = 0;
            for (uint64_t j = 0; j < waiter->steps && !seen; j++)
                seen = waiter->log[j] >= at && at ? waiter->log[j] : 0;
            ck_assert_msg(seen == at, "%s, variant %d: fired at %llu", rows[i].what, variant,
                          (unsigned long long)seen);
            ck_assert_int_eq(run.stop, want == 2 && variant < 2 ? TS_STOP_DONE : TS_STOP_DEADLOCK);
            ts_kernel_free(kernel);
        }
}
END_TEST

// An event does not cut a busy delay short; it is seen at the next step.
static ts_step busy_body(struct probe *self, ts_cycle now)
{
    if (now == 0) {
        ts_event_set(&self->event, now, 5);
        return 20;
    }
    self->count = ts_event_fired(&self->event, now);
    return ts_finish(&self->base, now);
}

START_TEST(seen_after_a_delay)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct probe *probe = probe_new(ts_domain_new(kernel, "d"), busy_body, "busy");
    ts_event_init(&probe->event, &probe->base, "alarm");
    kit_elaborate(kernel);
    ck_assert_int_eq(ts_kernel_run(kernel, 100).stop, TS_STOP_DONE);
    ck_assert_uint_eq(probe->steps, 2);
    ck_assert_uint_eq(probe->log[1], 20);
    ck_assert_uint_eq(probe->count, 1);
    ts_kernel_free(kernel);
}
END_TEST

// Of two events the earlier one wakes; an idle component is woken too.
static ts_step two_body(struct probe *self, ts_cycle now)
{
    struct ts_event *other = self->context;
    if (now == 0) {
        ts_event_set(&self->event, now, 30);
        ts_event_set(other, now, 7);
        return ts_idle(&self->base, now);
    }
    self->count = self->count * 10 + (ts_event_fired(&self->event, now) ? 1u : 0u) +
                  (ts_event_fired(other, now) ? 2u : 0u);
    return now == 30 ? ts_finish(&self->base, now) : ts_idle(&self->base, now);
}

START_TEST(two_events)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct probe *probe = probe_new(ts_domain_new(kernel, "d"), two_body, "two");
    struct ts_event *other = ts_kernel_alloc(kernel, sizeof *other);
    ts_event_init(&probe->event, &probe->base, "late");
    ts_event_init(other, &probe->base, "early");
    probe->context = other;
    kit_elaborate(kernel);
    ck_assert_int_eq(ts_kernel_run(kernel, 100).stop, TS_STOP_DONE);
    ck_assert_uint_eq(probe->count, 21);
    ck_assert_uint_eq(probe->steps, 3);
    ck_assert_str_eq(other->object.path, "d.two.early");
    ts_kernel_free(kernel);
}
END_TEST

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
    for (int kind = 0; kind < 3; kind++)
        for (int sleepers = 1; sleepers <= 3; sleepers++) {
            struct ts_kernel *kernel = kit_kernel(1, 0);
            struct ts_domain *domain = ts_domain_new(kernel, "d");
            struct ts_object *resource = ts_kernel_alloc(kernel, sizeof *resource);
            struct probe *sleeper[3];
            struct probe *waker = probe_new(domain, wake_all_body, "waker");
            ts_resource_init(resource, domain, NULL, "bank");
            ts_event_init(&waker->event, &waker->base, "event");
            waker->context = kind == 0   ? resource
                             : kind == 1 ? &waker->event.object
                                         : &waker->base.object;
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

static ts_step past_body(struct probe *self, ts_cycle now)
{
    if (now == 8)
        ts_event_set(&self->event, now, 8);
    return 8;
}

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
    struct probe *probe = probe_new(ts_domain_new(kernel, "d"), past_body, "past");
    ts_event_init(&probe->event, &probe->base, "alarm");
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 100);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_int_eq(run.error.code, TS_BUG);
    ck_assert_str_eq(run.error.text, "d.past: cycle 8: event d.past.alarm set to cycle 8, which is "
                                     "not after the current one");
    ts_kernel_free(kernel);

    kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct probe *idle = probe_new(domain, idle_body, "idle");
    probe_new(domain, wake_now_body, "waker")->other = idle;
    kit_elaborate(kernel);
    run = ts_kernel_run(kernel, 100);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_str_eq(run.error.text,
                     "d.idle: cycle 8: woken at cycle 8, which is not after the current one");
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, set_move_cancel);
    tcase_add_test(tests, seen_after_a_delay);
    tcase_add_test(tests, two_events);
    tcase_add_test(tests, wake_all_sleepers);
    tcase_add_test(tests, in_the_past);
}

SUITE("event", add_tests)
