// Bursts are exact: kernels give the same cycles, the same account of every component and the same
// bytes whether front ends run ahead while they are alone, or take one step a cycle.
#include "platform/study/kernel_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT UINT64_C(10000000)

struct outcome {
    ts_cycle cycles; // of the kernel, if it was let run to its end
    uint64_t hash;   // of accounts and counters at the last cycle
    uint8_t *l1;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3) + (hash >> 29);
}

// Everything that the stats would say of the components.
static uint64_t accounts(const struct ts_kernel *kernel, ts_cycle span)
{
    uint64_t hash = 0;
    for (struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        const struct ts_component *c = ts_object_component(o);
        if (c == NULL)
            continue;
        struct ts_account account = ts_component_account(c, span);
        hash = mix(hash, account.busy);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            hash = mix(hash, account.lost[i]);
        for (const struct ts_counter *n = c->ops->counters; n && n->name; n++)
            hash = mix(hash, *(const uint64_t *)((const char *)c + n->offset));
    }
    return hash;
}

static struct outcome run(struct ts_job_spec spec, bool run_ahead, ts_cycle limit)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_job job;
    struct ts_job_result result;
    ck_assert_msg(ts_job_build(&job, &spec, kernel, &error), "%s", error.text);
    for (unsigned t = 0; t < TS_THREADS; t++)
        job.coprocessor->front[t].run_ahead = run_ahead;
    ck_assert_msg(ts_kernel_elaborate(kernel, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_job_start(&job, &error), "%s", error.text);
    struct ts_run end = ts_kernel_run(kernel, limit);
    struct outcome outcome = {0, accounts(kernel, end.cycle), malloc(TS_L1_SIZE)};
    memcpy(outcome.l1, job.tile->l1.bytes, TS_L1_SIZE);
    if (limit == LIMIT) {
        ts_job_finish(&job, &end, &result);
        ck_assert_msg(result.code == TS_OK, "%s", result.text);
        outcome.cycles = result.cycles;
    }
    ts_job_free(&job);
    ts_kernel_free(kernel);
    return outcome;
}

// To the end (the two may stop in different cycles then), and in full to a cycle in the middle.
static void compare(const struct ts_job_spec *spec, ts_cycle limit, bool whole, ts_cycle *cycles)
{
    struct outcome ahead = run(*spec, true, limit), step = run(*spec, false, limit);
    ck_assert_uint_eq(ahead.cycles, step.cycles);
    if (!whole)
        ck_assert_uint_eq(ahead.hash, step.hash);
    ck_assert_int_eq(memcmp(ahead.l1, step.l1, TS_L1_SIZE), 0);
    free(ahead.l1);
    free(step.l1);
    *cycles = ahead.cycles;
}

static const struct {
    const char *kernel;
    uint32_t phases, throttle, perturb;
    uint64_t seed;
} rows[] = {
    {"matmul", 1, 0, 0, 0},  {"matmul", 2, 0, 0, 0},    {"matmul", 3, 0, 0, 0},
    {"matmul", 4, 0, 0, 0},  {"matmul", 2, 1, 0, 0},    {"matmul", 1, 3, 0, 0},
    {"matmul", 4, 5, 0, 0},  {"matmul", 1, 0, 16, 1},   {"matmul", 4, 0, 40, 2},
    {"matmul", 2, 2, 3, 3},  {"matmul", 4, 0, 2, 4},    {"eltwise", 4, 0, 0, 0},
    {"eltwise", 4, 0, 9, 5}, {"sfpu", 4, 0, 0, 0},      {"sfpu", 4, 0, 9, 6},
    {"reduce", 4, 0, 0, 0},  {"transpose", 4, 0, 0, 0},
};

START_TEST(test_burst)
{
    struct ts_job_spec spec;
    ts_job_spec_default(&spec, rows[_i].kernel);
    if (strcmp(rows[_i].kernel, "matmul") == 0)
        spec.m = spec.n = spec.k = 64;
    spec.phases = rows[_i].phases;
    spec.throttle = rows[_i].throttle;
    spec.perturb_max = rows[_i].perturb;
    spec.perturb_seed = rows[_i].seed;
    for (unsigned dry = 0; dry < 2; dry++) {
        ts_cycle cycles, none;
        spec.timing_only = dry;
        compare(&spec, LIMIT, true, &cycles);
        for (unsigned part = 3; part < 8; part++)
            compare(&spec, cycles * part / 8 + part, false, &none);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("burst");
    TCase *cases = tcase_create("kernels");
    tcase_set_timeout(cases, 240);
    tcase_add_loop_test(cases, test_burst, 0, sizeof rows / sizeof *rows);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
