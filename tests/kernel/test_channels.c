// Semaphores cycle by cycle: arbitration and refusals.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

// --- semaphore ---

// Tries to get or post at every cycle in its string, and records the outcome.
struct tries {
    const char *plan;
    char result[32];
};

static ts_step try_get(struct probe *self, ts_cycle now)
{
    struct tries *tries = self->context;
    if (tries->plan[now] == '\0')
        return ts_finish(&self->base, now);
    tries->result[now] = '0';
    for (int i = tries->plan[now] - '0'; i > 0; i--)
        tries->result[now] = (char)(tries->result[now] + ts_semaphore_get(&self->in, now));
    return 1;
}

static ts_step try_post(struct probe *self, ts_cycle now)
{
    struct tries *tries = self->context;
    if (tries->plan[now] == '\0')
        return ts_finish(&self->base, now);
    tries->result[now] = '0';
    for (int i = tries->plan[now] - '0'; i > 0; i--)
        tries->result[now] = (char)(tries->result[now] + ts_semaphore_post(&self->out, now));
    return 1;
}

START_TEST(semaphore_by_hand)
{
    static const struct {
        uint32_t value, max;
        const char *post, *get, *posted, *got;
        uint32_t level;
    } rows[] = {
        {0, 1, "11111", "11111", "10101", "01010", 1},
        {0, 2, "11111", "11111", "11111", "01111", 1},
        {1, 1, "11111", "11111", "01010", "10101", 0},
        {2, 2, "11100", "00110", "00000", "00110", 0},
        {0, 3, "90000", "02109", "30000", "02100", 0},
        {5, 9, "90900", "90900", "40500", "50400", 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int order = 0; order < 2; order++) {
            struct ts_kernel *kernel = kit_kernel(1, 0);
            struct ts_domain *domain = ts_domain_new(kernel, "d");
            struct ts_semaphore *semaphore = ts_kernel_alloc(kernel, sizeof *semaphore);
            ts_semaphore_init(semaphore, domain, rows[i].value, rows[i].max, "semaphore");
            struct probe *first = probe_new(domain, order ? try_get : try_post, "first");
            struct probe *second = probe_new(domain, order ? try_post : try_get, "second");
            struct tries post = {.plan = rows[i].post}, get = {.plan = rows[i].get};
            (order ? second : first)->context = &post;
            (order ? first : second)->context = &get;
            kit_out(order ? second : first, TS_OBJECT_SEMAPHORE, &semaphore->object);
            kit_in(order ? first : second, TS_OBJECT_SEMAPHORE, &semaphore->object);
            kit_elaborate(kernel);
            ts_kernel_run(kernel, TS_NEVER);
            ck_assert_msg(strcmp(post.result, rows[i].posted) == 0, "row %zu: posted %s", i,
                          post.result);
            ck_assert_msg(strcmp(get.result, rows[i].got) == 0, "row %zu: got %s", i, get.result);
            ck_assert_msg(semaphore->level == rows[i].level, "row %zu: level %u", i,
                          semaphore->level);
            ts_kernel_free(kernel);
        }
}
END_TEST

static ts_step get_asleep(struct probe *self, ts_cycle now)
{
    if (!ts_semaphore_get(&self->in, now))
        return ts_semaphore_await_token(&self->in, now);
    self->count++;
    self->log[32 + self->count] = now;
    return self->count == 3 ? ts_finish(&self->base, now) : 2;
}

static ts_step post_asleep(struct probe *self, ts_cycle now)
{
    if (now == 0)
        return 10;
    if (!ts_semaphore_post(&self->out, now))
        return ts_semaphore_await_room(&self->out, now);
    self->count++;
    return self->count == 6 ? ts_finish(&self->base, now) : 1;
}

// Two getters, one poster, a maximum of 1: tokens at 10, 12, 14 ... are taken a cycle later, the
// lower index first when both wait.
START_TEST(semaphore_asleep)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct ts_semaphore *semaphore = ts_kernel_alloc(kernel, sizeof *semaphore);
    ts_semaphore_init(semaphore, domain, 0, 1, "semaphore");
    struct probe *a = probe_new(domain, get_asleep, "a");
    struct probe *b = probe_new(domain, get_asleep, "b");
    struct probe *poster = probe_new(domain, post_asleep, "poster");
    kit_in(a, TS_OBJECT_SEMAPHORE, &semaphore->object);
    kit_in(b, TS_OBJECT_SEMAPHORE, &semaphore->object);
    kit_out(poster, TS_OBJECT_SEMAPHORE, &semaphore->object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_uint_eq(semaphore->posts, 6);
    ck_assert_uint_eq(semaphore->gets, 6);
    ck_assert_uint_eq(semaphore->object.waiters, 0);
    static const ts_cycle want[] = {11, 13, 15};
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(a->log[33 + i], want[i]);
    static const ts_cycle want_b[] = {17, 19, 21};
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(b->log[33 + i], want_b[i]);
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, semaphore_by_hand);
    tcase_add_test(tests, semaphore_asleep);
}

SUITE("channels", add_tests)
