// The wheel against a naive scheduler: random components that delay, sleep, wake and halt others
// must step in the same order, in one run or in many.
#include "platform/kernel/domain.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

enum { MOST = TS_DOMAIN_COMPONENTS, LOG = 400000 };

struct entry {
    ts_cycle cycle;
    uint32_t id;
};

struct log {
    struct entry *entries;
    size_t count;
};

static void log_add(struct log *log, ts_cycle cycle, uint32_t id)
{
    if (log->count < LOG)
        log->entries[log->count] = (struct entry){cycle, id};
    log->count++;
}

// What a component does at a step: a pure function of seed, component and visit.
struct decision {
    enum { DELAY, SLEEP, FINISH } how;
    ts_cycle delay;
    enum { NOTHING, WAKE, HALT } does;
    uint32_t target;
    ts_cycle after;
};

static ts_cycle any_delay(uint32_t *random)
{
    uint32_t draw = kit_random(random) % 100;
    uint32_t value = kit_random(random);
    if (draw < 90)
        return 1 + value % 63;
    if (draw < 99)
        return 64 + value % 4937;
    return 4096 * 64 + 1 + value % 300000;
}

static struct decision decide(uint32_t seed, uint32_t id, uint64_t visit, uint32_t components,
                              uint64_t visits)
{
    uint32_t random = (seed * 1000003u + id) * 2654435761u + (uint32_t)visit * 40503u;
    kit_random(&random);
    struct decision d = {.how = DELAY};
    if (visit >= visits) {
        d.how = FINISH;
        return d;
    }
    if (id > 0 && kit_random(&random) % 4 == 0)
        d.how = SLEEP;
    d.delay = any_delay(&random);
    uint32_t draw = kit_random(&random) % 16;
    d.does = draw < 9 ? WAKE : draw < 11 ? HALT : NOTHING;
    d.target = kit_random(&random) % components;
    d.after = any_delay(&random);
    if (d.target == id && d.does == HALT)
        d.does = NOTHING;
    if (d.target == 0 && d.does == HALT) // one of them stays alive
        d.does = NOTHING;
    return d;
}

// --- the naive scheduler ---

struct naive {
    enum { AWAKE, ASLEEP, FINISHED } state;
    bool due; // in the cycle that runs
    ts_cycle when, woken;
    uint64_t visits;
};

static void naive_resettle(struct naive *c)
{
    if (c->due)
        return;
    c->when = c->woken;
}

static void naive_act(struct naive *all, const struct decision *d, ts_cycle now)
{
    struct naive *c = &all[d->target];
    switch (d->does) {
    case NOTHING:
        break;
    case WAKE:
        if (c->state == ASLEEP && now + d->after < c->woken)
            c->woken = now + d->after;
        if (c->state == ASLEEP && !c->due && now + d->after < c->when)
            c->when = now + d->after;
        break;
    case HALT:
        c->state = ASLEEP;
        c->due = false;
        c->when = c->woken = TS_NEVER;
        break;
    }
}

static ts_cycle naive_run(uint32_t seed, uint32_t components, uint64_t visits, struct log *log)
{
    static struct naive all[MOST];
    memset(all, 0, sizeof all);
    for (uint32_t i = 0; i < components; i++)
        all[i] = (struct naive){.woken = TS_NEVER};
    ts_cycle last = 0;
    for (;;) {
        ts_cycle now = TS_NEVER;
        for (uint32_t i = 0; i < components; i++)
            now = all[i].when < now ? all[i].when : now;
        if (now == TS_NEVER)
            return last + 1;
        for (uint32_t i = 0; i < components; i++)
            all[i].due = all[i].when == now;
        for (uint32_t i = 0; i < components; i++) {
            struct naive *c = &all[i];
            if (!c->due)
                continue;
            last = now;
            log_add(log, now, i);
            c->due = false;
            c->state = AWAKE;
            c->when = c->woken = TS_NEVER;
            struct decision d = decide(seed, i, c->visits++, components, visits);
            naive_act(all, &d, now);
            if (d.how == DELAY)
                c->when = now + d.delay;
            c->state = d.how == DELAY ? AWAKE : d.how == SLEEP ? ASLEEP : FINISHED;
            if (d.how == SLEEP)
                naive_resettle(c);
        }
    }
}

// --- the same on the kernel ---

struct actor {
    struct ts_component base;
    struct model *model;
    uint64_t visits;
};

struct model {
    struct actor actors[MOST];
    uint32_t seed, components;
    uint64_t visits;
    struct log *log;
};

static ts_step actor_step(struct ts_component *base, ts_cycle now)
{
    struct actor *self = (struct actor *)base;
    struct model *model = self->model;
    log_add(model->log, now, base->index);
    struct decision d = decide(model->seed, base->index, self->visits++, model->components,
                               model->visits);
    struct actor *target = &model->actors[d.target];
    switch (d.does) {
    case NOTHING:
        break;
    case WAKE:
        ts_wake(&target->base, now + d.after);
        break;
    case HALT:
        ts_halt(&target->base, now);
        break;
    }
    if (d.how == DELAY)
        return d.delay;
    return d.how == SLEEP ? ts_idle(base, now) : ts_finish(base, now);
}

static const struct ts_component_ops actor_ops = {.kind = "actor", .step = actor_step};

static ts_cycle kernel_run(uint32_t seed, uint32_t components, uint64_t visits, ts_cycle window,
                           ts_cycle stride, struct log *log)
{
    struct ts_kernel *kernel = kit_kernel(1, window);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct model *model = ts_kernel_alloc(kernel, sizeof *model);
    model->seed = seed;
    model->components = components;
    model->visits = visits;
    model->log = log;
    for (uint32_t i = 0; i < components; i++) {
        struct actor *actor = &model->actors[i];
        actor->model = model;
        ts_component_init(&actor->base, &actor_ops, domain, "actor[%u]", i);
    }
    kit_elaborate(kernel);
    struct ts_run run;
    ts_cycle limit = stride;
    uint32_t random = seed;
    while ((run = ts_kernel_run(kernel, limit)).stop == TS_STOP_LIMIT)
        limit += 1 + kit_random(&random) % stride;
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_uint_eq(run.activations >= log->count, 1);
    ts_kernel_free(kernel);
    return run.cycle;
}

static void compare(const struct log *want, const struct log *got, const char *what)
{
    ck_assert_uint_lt(want->count, LOG);
    for (size_t i = 0; i < want->count && i < got->count; i++)
        ck_assert_msg(want->entries[i].cycle == got->entries[i].cycle &&
                          want->entries[i].id == got->entries[i].id,
                      "%s: step %zu is %u at %llu, not %u at %llu", what, i, got->entries[i].id,
                      (unsigned long long)got->entries[i].cycle, want->entries[i].id,
                      (unsigned long long)want->entries[i].cycle);
    ck_assert_msg(want->count == got->count, "%s: %zu steps, not %zu", what, got->count,
                  want->count);
}

static void check_population(uint32_t components, uint64_t visits)
{
    static const ts_cycle windows[] = {1, 7, 63, 64, 65, 1024, 100000};
    static const ts_cycle strides[] = {TS_NEVER, TS_NEVER, 1000000, 5000, 64};
    for (uint32_t seed = 1; seed <= (KIT_SANITIZED ? 3 : 8); seed++) {
        struct log want = {.entries = malloc(LOG * sizeof(struct entry))};
        struct log got = {.entries = malloc(LOG * sizeof(struct entry))};
        ts_cycle end = naive_run(seed, components, visits, &want);
        for (size_t i = 0; i < 5; i++) {
            char what[100];
            ts_cycle window = windows[(seed + i) % 7], stride = strides[i];
            snprintf(what, sizeof what, "%u components, seed %u, window %llu, stride %llu",
                     components, seed, (unsigned long long)window, (unsigned long long)stride);
            got.count = 0;
            ts_cycle cycle = kernel_run(seed, components, visits, window, stride, &got);
            compare(&want, &got, what);
            ck_assert_msg(cycle == end, "%s: ends at %llu, not %llu", what,
                          (unsigned long long)cycle, (unsigned long long)end);
        }
        free(want.entries);
        free(got.entries);
    }
}

START_TEST(mask_wheel_of_one)
{
    check_population(1, 500);
}
END_TEST

START_TEST(mask_wheel_of_three)
{
    check_population(3, 500);
}
END_TEST

START_TEST(mask_wheel_of_17)
{
    check_population(17, 200);
}
END_TEST

START_TEST(mask_wheel_full)
{
    check_population(TS_DOMAIN_COMPONENTS, 100);
}
END_TEST

// A component far away in the mask must not be jumped over when a window ends before it came near
// and something later is in the slots already.
static ts_step far_body(struct probe *self, ts_cycle now)
{
    return now == 0 ? 95 : ts_finish(&self->base, now);
}

static ts_step near_body(struct probe *self, ts_cycle now)
{
    return now == 0 ? 30 : now == 30 ? 29 : now == 59 ? 63 : ts_finish(&self->base, now);
}

START_TEST(far_component_behind_a_window_end)
{
    struct ts_kernel *kernel = kit_kernel(1, 60);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct probe *far = probe_new(domain, far_body, "far");
    struct probe *near = probe_new(domain, near_body, "near");
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_uint_eq(run.cycle, 123);
    ck_assert_uint_eq(far->steps, 2);
    ck_assert_uint_eq(far->log[1], 95);
    ck_assert_uint_eq(near->log[3], 122);
    ts_kernel_free(kernel);
}
END_TEST

// As many as the mask has bits is one too many: the last bit ends the components of a cycle.
START_TEST(more_than_a_wheel_holds)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "crowded");
    struct ts_error error = {0};
    for (int i = 0; i <= TS_DOMAIN_COMPONENTS; i++)
        probe_new(domain, far_body, "probe[%d]", i);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_SETUP);
    ck_assert_str_eq(error.text, "crowded has 64 components: a domain holds at most 63");
    ts_kernel_free(kernel);
}
END_TEST

// Halted in the cycle in which it stepped, it leaves an empty slot behind.
static ts_step naps_body(struct probe *self, ts_cycle now)
{
    (void)self;
    (void)now;
    return 5;
}

static ts_step halter_body(struct probe *self, ts_cycle now)
{
    ts_halt(&self->other->base, now);
    return ts_finish(&self->base, now);
}

START_TEST(halted_after_its_step)
{
    for (int order = 0; order < 2; order++) {
        struct ts_kernel *kernel = kit_kernel(1, 0);
        struct ts_domain *domain = ts_domain_new(kernel, "d");
        struct probe *first = probe_new(domain, order ? halter_body : naps_body, "first");
        struct probe *second = probe_new(domain, order ? naps_body : halter_body, "second");
        first->other = second;
        second->other = first;
        kit_elaborate(kernel);
        struct ts_run run = ts_kernel_run(kernel, 3);
        ck_assert_int_eq(run.stop, TS_STOP_DONE);
        ck_assert_uint_eq(run.cycle, 1);
        ck_assert_uint_eq((order ? second : first)->steps, order ? 0 : 1);
        ts_kernel_free(kernel);
    }
}
END_TEST

// Halted between two runs, it is not waited for.
START_TEST(halted_between_runs)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct probe *far = probe_new(domain, far_body, "far");
    kit_elaborate(kernel);
    ck_assert_int_eq(ts_kernel_run(kernel, 50).stop, TS_STOP_LIMIT);
    ts_halt(&far->base, 50);
    struct ts_run run = ts_kernel_run(kernel, 60);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_uint_eq(run.cycle, 50);
    struct ts_account account = ts_component_account(&far->base, run.cycle);
    ck_assert_uint_eq(account.busy, 50);
    ts_wake(&far->base, 70);
    run = ts_kernel_run(kernel, 100);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_uint_eq(run.cycle, 71);
    account = ts_component_account(&far->base, run.cycle);
    ck_assert_uint_eq(account.busy, 50);
    ck_assert_uint_eq(account.lost[TS_STALL_IDLE], 21);
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, mask_wheel_of_one);
    tcase_add_test(tests, mask_wheel_of_three);
    tcase_add_test(tests, mask_wheel_of_17);
    tcase_add_test(tests, mask_wheel_full);
    tcase_add_test(tests, more_than_a_wheel_holds);
    tcase_add_test(tests, far_component_behind_a_window_end);
    tcase_add_test(tests, halted_after_its_step);
    tcase_add_test(tests, halted_between_runs);
}

SUITE("wheel", add_tests)
