// Accounts are exact: what every component says of its cycles (busy, each reason to stall, idle) and all its
// counters are the same with the trace on and off, and whether cores and front ends run ahead of the kernel's
// clock or go step by step, wherever the run stops.
#include "platform/lib/inside.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

#define STOPS 8
#define GRID  9 // the row over several tiles

static const struct {
    const char *kernel, *settings[6];
} kernels[] = {
    {"matmul", {"m=64", "n=64", "k=64"}},
    {"matmul", {"m=64", "n=128", "k=64", "fidelity=hifi4", "dst=32"}},
    {"matmul", {"m=64", "n=64", "k=64", "throttle=5"}},
    {"matmul", {"m=64", "n=64", "k=64", "format=bfp8", "repeat=3"}},
    {"matmul", {"m=64", "n=64", "k=256", "blocks=4"}},
    {"matmul", {"m=64", "n=64", "k=64", "run-type=unpack_isolate"}},
    {"matmul", {"m=64", "n=64", "k=64", "run-type=math_isolate"}},
    {"matmul", {"m=64", "n=64", "k=64", "run-type=pack_isolate"}},
    {"matmul", {"m=64", "n=64", "k=64", "perturb=7"}},
    {"matmul", {"m=128", "n=128", "k=64", "grid=2x2"}},
    {"eltwise", {"m=64", "n=64", "op=mul"}},
    {"sfpu", {"m=64", "n=64", "op=exp"}},
    {"reduce", {"m=64", "n=64"}},
    {"transpose", {"m=64", "n=64"}},
    {"norm", {"m=64", "n=64"}},
    {"tilize", {"m=64", "n=64"}},
    {"untilize", {"m=64", "n=64"}},
};

struct way {
    const char *name;
    bool trace, step_by_step;
    unsigned threads;
};

static struct tensim *run(unsigned row, const struct way *way, ts_cycle limit, bool *ended)
{
    struct tensim_error error = {0};
    struct tensim_config config;
    size_t count = 0;
    while (count < 6 && kernels[row].settings[count])
        count++;
    tensim_config_init(&config);
    config.timing_only = true;
    config.step_by_step = way->step_by_step;
    config.threads = way->threads;
    struct tensim *sim = tensim_new_kernel(kernels[row].kernel, kernels[row].settings, count,
                                           &config, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    if (way->trace) {
        char path[64];
        folder_make();
        snprintf(path, sizeof path, "%s/trace", folder);
        ck_assert_int_eq(tensim_trace(sim, path, 0, TENSIM_FOREVER, &error), TENSIM_OK);
        folder_remove(); // nobody reads it
    }
    enum tensim_code code = tensim_run(sim, limit, &error);
    ck_assert_msg(code == TENSIM_OK || code == TENSIM_LIMIT, "%s", error.text);
    *ended = code == TENSIM_OK;
    return sim;
}

static void compare(unsigned row, const struct way *way, const struct tensim *want,
                    const struct tensim *got, ts_cycle span)
{
    const struct ts_object *b = ts_kernel_objects(got->kernel);
    for (const struct ts_object *a = ts_kernel_objects(want->kernel); a; a = a->next, b = b->next) {
        const struct ts_component *first = ts_object_component(a), *second = ts_object_component(b);
        if (first == NULL)
            continue;
        struct ts_account is = ts_component_account(first, span),
                          other = ts_component_account(second, span);
        for (unsigned i = 0; i < TS_STALL_COUNT; i++)
            ck_assert_msg(is.lost[i] == other.lost[i],
                          "%u %s %s at %llu: %s: %llu cycles of %s, not %llu", row,
                          kernels[row].kernel, way->name, (unsigned long long)span, a->path,
                          (unsigned long long)other.lost[i], ts_stall_name(i),
                          (unsigned long long)is.lost[i]);
        for (const struct ts_counter *n = first->ops->counters; n && n->name; n++)
            ck_assert_msg(*(const uint64_t *)((const char *)first + n->offset) ==
                              *(const uint64_t *)((const char *)second + n->offset),
                          "%u %s %s at %llu: %s: %s", row, kernels[row].kernel, way->name,
                          (unsigned long long)span, a->path, n->name);
    }
}

static const struct way plain = {.name = "", .threads = 1};
static const struct way ways[] = {
    {"with a trace", .trace = true, .threads = 1},
    {"step by step", .step_by_step = true, .threads = 1},
    {"with two threads", .threads = 2}, // last: one tile has no work for two
};

START_TEST(every_way_gives_the_same_accounts)
{
    bool ended;
    const size_t count = sizeof ways / sizeof ways[0] - (_i != GRID);
    struct tensim *sim = run((unsigned)_i, &plain, TENSIM_FOREVER, &ended);
    const ts_cycle cycles = sim->run.cycle;
    tensim_free(sim);
    for (unsigned stop = 1; stop <= STOPS; stop++) {
        const ts_cycle limit = cycles * stop / (STOPS + 1) + stop;
        sim = run((unsigned)_i, &plain, limit, &ended);
        ck_assert(!ended);
        for (size_t i = 0; i < count; i++) {
            struct tensim *other = run((unsigned)_i, &ways[i], limit, &ended);
            ck_assert(!ended);
            compare((unsigned)_i, &ways[i], sim, other, limit);
            tensim_free(other);
        }
        tensim_free(sim);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, every_way_gives_the_same_accounts, 0,
                        sizeof kernels / sizeof kernels[0]);
}

SUITE("accounts", add_tests)
