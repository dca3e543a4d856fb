// Sleep that counts as busy (ts_busy_until): the account of random components that book work and go
// to sleep, against a reference for every cycle; for any limit of the run.
#include "platform/kernel/domain.h"
#include "platform/kernel/kernel.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <check.h>
#include <string.h>

#define SPAN 3000

struct actor {
    struct ts_component base;
    struct ts_object thing;
    uint32_t random;
    uint8_t booked[SPAN + 64]; // by cycle
    uint8_t reason[SPAN + 64]; // what the sleep is, by the last step
    ts_cycle last;
    uint8_t now_asleep_for;
};

static ts_step step(struct ts_component *base, ts_cycle now)
{
    struct actor *self = (struct actor *)base;
    for (ts_cycle c = self->last; c < now; c++)
        self->reason[c] = self->now_asleep_for;
    self->last = now;
    uint32_t r = random32(&self->random);
    if (r & 1) {
        uint32_t length = 1 + (r >> 1 & 15);
        ts_busy_until(base, now + length);
        memset(self->booked + now, 1, length);
    }
    bool idle = r >> 8 & 1;
    self->now_asleep_for = idle ? TS_STALL_IDLE : TS_STALL_FIFO_FULL;
    if (idle)
        ts_idle(base, now);
    else
        ts_alert(base, now, TS_STALL_FIFO_FULL, &self->thing);
    ts_wake(base, now + 1 + (r >> 16 & (r >> 9 & 1 ? 31 : 3)));
    return 0;
}

static const struct ts_component_ops ops = {.kind = "actor", .step = step};

START_TEST(test_account)
{
    static struct actor actor;
    memset(&actor, 0, sizeof actor);
    actor.random = 77u + (uint32_t)_i * 2654435761u;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    ts_component_init(&actor.base, &ops, domain, "actor");
    ts_resource_init(&actor.thing, domain, NULL, "thing");
    struct ts_error error = {TS_OK, ""};
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    for (ts_cycle limit = 1 + (ts_cycle)_i; limit < SPAN; limit += 97) {
        struct ts_run run = ts_kernel_run(kernel, limit);
        struct ts_account got = ts_component_account(&actor.base, limit);
        ck_assert_uint_eq(run.cycle, limit);
        uint64_t busy = 0, idle = 0, full = 0;
        for (ts_cycle c = 0; c < limit; c++) {
            uint8_t reason = c < actor.last ? actor.reason[c] : actor.now_asleep_for;
            busy += actor.booked[c];
            idle += !actor.booked[c] && reason == TS_STALL_IDLE;
            full += !actor.booked[c] && reason == TS_STALL_FIFO_FULL;
        }
        ck_assert_msg(got.busy == busy && got.lost[TS_STALL_IDLE] == idle &&
                          got.lost[TS_STALL_FIFO_FULL] == full,
                      "cycle %llu: busy %llu of %llu, idle %llu of %llu, stalled %llu of %llu",
                      (unsigned long long)limit, (unsigned long long)got.busy,
                      (unsigned long long)busy, (unsigned long long)got.lost[TS_STALL_IDLE],
                      (unsigned long long)idle, (unsigned long long)got.lost[TS_STALL_FIFO_FULL],
                      (unsigned long long)full);
    }
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_account, 0, 60);
}

SUITE("booked", add_tests)
