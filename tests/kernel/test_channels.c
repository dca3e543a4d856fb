// Semaphores, mutexes and mailboxes cycle by cycle: arbitration and refusals.
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

// --- mutex ---

static ts_step lock_and_hold(struct probe *self, ts_cycle now)
{
    struct ts_mutex *mutex = self->in.in;
    if (mutex->owner == &self->base) {
        ts_mutex_unlock(&self->in, now);
        return ts_finish(&self->base, now);
    }
    if (!ts_mutex_lock(&self->in, now))
        return ts_mutex_await(&self->in, now);
    self->count = now;
    return 5;
}

START_TEST(mutex_goes_round)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct ts_mutex *mutex = ts_kernel_alloc(kernel, sizeof *mutex);
    struct probe *probe[4];
    ts_mutex_init(mutex, domain, "mutex");
    for (int i = 0; i < 4; i++) {
        probe[i] = probe_new(domain, lock_and_hold, "holder[%d]", i);
        kit_in(probe[i], TS_OBJECT_MUTEX, &mutex->object);
    }
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    // Held for 5 cycles, free in the one after the release.
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_uint_eq(probe[i]->count, 6 * i);
    ck_assert_uint_eq(mutex->locks, 4);
    ck_assert_ptr_null(mutex->owner);
    ts_kernel_free(kernel);
}
END_TEST

static ts_step lock_twice(struct probe *self, ts_cycle now)
{
    ts_mutex_lock(&self->in, now);
    return 3;
}

static ts_step unlock_free(struct probe *self, ts_cycle now)
{
    ts_mutex_unlock(&self->in, now);
    return 1;
}

static ts_step hold_for_ever(struct probe *self, ts_cycle now)
{
    ck_assert(ts_mutex_lock(&self->in, now));
    return ts_finish(&self->base, now);
}

START_TEST(mutex_faults)
{
    static const struct {
        probe_body first, second;
        const char *message;
    } rows[] = {
        {lock_twice, NULL, "d.first: cycle 3: locks d.mutex, which it owns already"},
        {unlock_free, NULL, "d.first: cycle 0: unlocks d.mutex, which nobody owns"},
        {hold_for_ever, unlock_free, "d.second: cycle 0: unlocks d.mutex, which d.first owns"},
    };
    for (int i = 0; i < 3; i++) {
        struct ts_kernel *kernel = kit_kernel(1, 0);
        struct ts_domain *domain = ts_domain_new(kernel, "d");
        struct ts_mutex *mutex = ts_kernel_alloc(kernel, sizeof *mutex);
        ts_mutex_init(mutex, domain, "mutex");
        kit_in(probe_new(domain, rows[i].first, "first"), TS_OBJECT_MUTEX, &mutex->object);
        if (rows[i].second)
            kit_in(probe_new(domain, rows[i].second, "second"), TS_OBJECT_MUTEX, &mutex->object);
        kit_elaborate(kernel);
        struct ts_run run = ts_kernel_run(kernel, 100);
        ck_assert_int_eq(run.stop, TS_STOP_FAULT);
        ck_assert_int_eq(run.error.code, TS_CONTRACT);
        ck_assert_str_eq(run.error.text, rows[i].message);
        ts_kernel_free(kernel);
    }
}
END_TEST

// --- mailbox ---

static ts_step send(struct probe *self, ts_cycle now)
{
    if (self->count == 4)
        return ts_finish(&self->base, now);
    if (!ts_mailbox_send(&self->out, now, (uint32_t)(100 * self->base.index + self->count)))
        return ts_mailbox_await_room(&self->out, now);
    self->count++;
    return 2;
}

static ts_step receive(struct probe *self, ts_cycle now)
{
    struct ts_letter letter;
    if (!ts_mailbox_receive(&self->in, now, &letter))
        return ts_mailbox_await_letter(&self->in, now);
    ck_assert_uint_eq(letter.word / 100, letter.sender);
    self->log[32 + letter.sender] += letter.word % 100 == self->log[32 + letter.sender];
    return ++self->count == 12 ? ts_finish(&self->base, now) : 3;
}

START_TEST(mailbox_knows_the_sender)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct ts_mailbox *box = ts_kernel_alloc(kernel, sizeof *box);
    ts_mailbox_init(box, domain, 2, 3, "box");
    for (int i = 0; i < 3; i++)
        kit_out(probe_new(domain, send, "sender[%d]", i), TS_OBJECT_MAILBOX, &box->fifo.object);
    struct probe *receiver = probe_new(domain, receive, "receiver");
    kit_in(receiver, TS_OBJECT_MAILBOX, &box->fifo.object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_uint_eq(box->fifo.pushes, 12);
    for (int i = 0; i < 3; i++) // all four of each, in order
        ck_assert_uint_eq(receiver->log[32 + i], 4);
    ck_assert_uint_gt(ts_component_account(&receiver->base, run.cycle).lost[TS_STALL_MAILBOX_EMPTY],
                      0);
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, semaphore_by_hand);
    tcase_add_test(tests, semaphore_asleep);
    tcase_add_test(tests, mutex_goes_round);
    tcase_add_test(tests, mutex_faults);
    tcase_add_test(tests, mailbox_knows_the_sender);
}

SUITE("channels", add_tests)
