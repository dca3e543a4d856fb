// Nothing is allocated between elaboration and the end of a run: every allocation of the process
// goes through this file and is counted.
#include "platform/kernel/trace.h"
#include "platform/trace/events.h"
#include "tests/demo/demo.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <stdatomic.h>
#include <unistd.h>

#if KIT_SANITIZED

START_TEST(not_under_a_sanitizer) {}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, not_under_a_sanitizer);
}

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);

static atomic_bool counting;
static atomic_int allocations;

static void count(void)
{
    if (atomic_load_explicit(&counting, memory_order_relaxed))
        atomic_fetch_add(&allocations, 1);
}

void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    count();
    return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size)
{
    count();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    count();
    return __libc_memalign(align, size);
}

static struct ts_demo_params small(void)
{
    return (struct ts_demo_params){.tiles = 6,
                                   .seed = 1,
                                   .fifo_depth = 8,
                                   .hop = 9,
                                   .link_depth = 16,
                                   .words = 300,
                                   .workers = 63,
                                   .polite = 1};
}

static int run_counted(const struct ts_demo_model *model, uint32_t threads, bool traced)
{
    struct ts_demo_params params = small();
    struct ts_kernel *kernel = kit_kernel(threads, 0);
    struct ts_trace *trace = NULL;
    char path[] = "/tmp/tensim-alloc-XXXXXX";
    model->build(kernel, &params);
    kit_elaborate(kernel);
    if (traced) {
        struct ts_error error = {0};
        struct ts_trace_options options = {.clock_mhz = 1000, .to = TS_NEVER, .path = {path}};
        int file = mkstemp(path);
        ck_assert_int_ge(file, 0);
        close(file);
        struct ts_trace_writer *writer = ts_trace_open(kernel, &options, &error);
        ck_assert_msg(writer != NULL, "%s", error.text);
        // Room for a complete window of every model: a window that does not fit may grow its ring.
        trace = ts_trace_new(ts_kernel_domain_count(kernel), 1 << 18);
        ck_assert(ts_trace_add_writer(trace, writer));
        ts_kernel_trace(kernel, trace);
    }
    atomic_store(&allocations, 0);
    atomic_store(&counting, true);
    struct ts_run run = ts_kernel_run(kernel, 10000);
    run = ts_kernel_run(kernel, 20000);
    atomic_store(&counting, false);
    ck_assert_uint_gt(run.activations, 0);
    int seen = atomic_load(&allocations);
    if (traced) {
        for (size_t i = 0; i < ts_kernel_domain_count(kernel); i++)
            ck_assert_uint_eq(ts_trace_ring(trace, i)->grown, 0);
        ts_kernel_trace_end(kernel);
        ts_trace_free(trace);
        unlink(path);
    }
    ts_kernel_free(kernel);
    return seen;
}

START_TEST(the_count_counts)
{
    atomic_store(&allocations, 0);
    atomic_store(&counting, true);
    void *volatile memory = malloc(10);
    memory = realloc(memory, 20000);
    free(memory);
    memory = aligned_alloc(64, 128);
    free(memory);
    memory = calloc(2, 20);
    free(memory);
    atomic_store(&counting, false);
    ck_assert_int_ge(atomic_load(&allocations), 4);
}
END_TEST

START_TEST(nothing_while_running)
{
    for (int i = 0; ts_demo_models[i]; i++)
        for (uint32_t threads = 1; threads <= 2; threads++)
            for (int traced = 0; traced < 2; traced++) {
                int seen = run_counted(ts_demo_models[i], threads, traced);
                ck_assert_msg(seen == 0, "%s, %u threads, trace %s: %d allocations",
                              ts_demo_models[i]->name, threads, traced ? "on" : "off", seen);
            }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, the_count_counts);
    tcase_add_test(tests, nothing_while_running);
}

#endif

SUITE("alloc", add_tests)
