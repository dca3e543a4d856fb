// trace.json.gz read back: lanes, slices, stalls, counters, the window, growth without loss.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include "platform/base/json.h"
#include "platform/kernel/trace.h"
#include "platform/trace/events.h"
#include "tests/demo/demo.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static json_t *read_back(const char *path)
{
    gzFile file = gzopen(path, "rb");
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    int got;
    ck_assert_ptr_nonnull(file);
    while ((got = gzread(file, text + size, (unsigned)(room - size))) > 0) {
        size += (size_t)got;
        if (size == room)
            text = realloc(text, room *= 2);
    }
    ck_assert_int_eq(got, 0);
    gzclose(file);
    json_error_t error;
    json_t *json = json_loadb(text, size, 0, &error);
    ck_assert_msg(json != NULL, "%s at line %d", error.text, error.line);
    free(text);
    return json;
}

// Traces a model that is built already; returns the document.
static json_t *traced(struct ts_kernel *kernel, ts_cycle limit, ts_cycle from, ts_cycle to,
                      size_t capacity, uint64_t *grown)
{
    char path[] = "/tmp/tensim-trace-XXXXXX";
    struct ts_error error = {0};
    close(mkstemp(path));
    kit_elaborate(kernel);
    struct ts_trace_options options = {.path = {path}, .clock_mhz = 1000, .from = from, .to = to};
    struct ts_trace_writer *writer = ts_trace_open(kernel, &options, &error);
    ck_assert_msg(writer != NULL, "%s", error.text);
    struct ts_trace *trace = ts_trace_new(ts_kernel_domain_count(kernel), capacity);
    ck_assert(ts_trace_add_writer(trace, writer));
    ts_kernel_trace(kernel, trace);
    ts_kernel_run(kernel, limit / 2);
    ts_kernel_run(kernel, limit);
    for (size_t i = 0; grown && i < ts_kernel_domain_count(kernel); i++)
        *grown += ts_trace_ring(trace, i)->grown;
    ts_kernel_trace_end(kernel);
    ck_assert_int_eq(ts_trace_free(trace), 0);
    json_t *json = read_back(path);
    unlink(path);
    return json;
}

static ts_cycle cycles_of(const json_t *event, const char *key)
{
    return (ts_cycle)(json_number_value(json_object_get(event, key)) * 1000 + 0.5);
}

static struct ts_kernel *demo(const char *name, uint32_t threads)
{
    struct ts_demo_params params = {.tiles = 4,
                                    .seed = 1,
                                    .fifo_depth = 8,
                                    .hop = 9,
                                    .link_depth = 16,
                                    .words = 200,
                                    .workers = 63,
                                    .polite = 1};
    struct ts_kernel *kernel = kit_kernel(threads, 0);
    ts_demo_find(name)->build(kernel, &params);
    return kernel;
}

struct slice {
    uint64_t lane;
    ts_cycle start, end;
};

static int by_lane_and_start(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

START_TEST(every_demo)
{
    for (int m = 0; ts_demo_models[m]; m++) {
        struct ts_kernel *kernel = demo(ts_demo_models[m]->name, 1);
        json_t *json = traced(kernel, KIT_SANITIZED ? 1500 : 5000, 0, TS_NEVER, 100, NULL);
        json_t *events = json_object_get(json, "traceEvents");
        ck_assert_str_eq(ts_json_text(json_object_get(json, "otherData"), "schema"),
                         "tensim.trace");
        size_t count = json_array_size(events), slices = 0, lanes = 0, counters = 0;
        struct slice *all = calloc(count, sizeof *all);
        for (size_t i = 0; i < count; i++) {
            const json_t *event = json_array_get(events, i), *args = json_object_get(event, "args");
            const char *phase = ts_json_text(event, "ph");
            ck_assert_int_ge(ts_json_integer(event, "pid"), 1);
            if (strcmp(phase, "M") == 0 &&
                strcmp(ts_json_text(event, "name"), "thread_name") == 0) {
                lanes++;
                ck_assert_str_ne(ts_json_text(args, "name"), "");
            }
            if (strcmp(phase, "C") == 0) {
                counters++;
                ck_assert(json_is_integer(json_object_get(args, "level")));
            }
            if (strcmp(phase, "X") != 0)
                continue;
            struct slice *slice = &all[slices++];
            slice->lane = (uint64_t)ts_json_integer(event, "pid") << 32 |
                          (uint64_t)ts_json_integer(event, "tid");
            slice->start = cycles_of(event, "ts");
            slice->end = slice->start + cycles_of(event, "dur");
            ck_assert_uint_eq(slice->start, (ts_cycle)ts_json_integer(args, "cycle"));
            ck_assert_uint_gt(slice->end, slice->start);
            ck_assert_uint_le(slice->end, ts_kernel_reached(kernel));
            if (ts_json_integer(event, "tid") % 2 ==
                0) { // a stall: reason is its name, object in args
                ck_assert_str_ne(ts_json_text(event, "name"), "");
                ck_assert_str_ne(ts_json_text(event, "name"), "busy");
                ck_assert_str_ne(ts_json_text(args, "object"), "");
            }
        }
        qsort(all, slices, sizeof *all, by_lane_and_start);
        for (size_t i = 1; i < slices; i++)
            if (all[i].lane == all[i - 1].lane)
                ck_assert_uint_ge(all[i].start, all[i - 1].end);
        size_t used = slices > 0;
        for (size_t i = 1; i < slices; i++)
            used += all[i].lane != all[i - 1].lane;
        ck_assert_uint_eq(lanes, used); // no lane is empty
        ck_assert_uint_gt(slices, 0);
        ck_assert_uint_gt(counters, 0);
        free(all);
        json_decref(json);
        ts_kernel_free(kernel);
    }
}
END_TEST

// The trace is the account, spelt out: cycles on a component's lanes are its cycles in the stats.
START_TEST(adds_up_to_the_account)
{
    for (int m = 0; ts_demo_models[m]; m++) {
        struct ts_kernel *kernel = demo(ts_demo_models[m]->name, 2);
        json_t *json = traced(kernel, 4001, 0, TS_NEVER, 4096, NULL);
        json_t *events = json_object_get(json, "traceEvents");
        uint64_t busy = 0, stall = 0, want_busy = 0, want_stall = 0;
        for (size_t i = 0; i < json_array_size(events); i++) {
            const json_t *event = json_array_get(events, i);
            if (strcmp(ts_json_text(event, "ph"), "X") == 0)
                *(ts_json_integer(event, "tid") % 2 ? &busy : &stall) += cycles_of(event, "dur");
        }
        for (struct ts_object *object = ts_kernel_objects(kernel); object; object = object->next) {
            const struct ts_component *c = ts_object_component(object);
            if (c == NULL)
                continue;
            struct ts_account account = ts_component_account(c, ts_kernel_reached(kernel));
            want_busy += account.busy;
            for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++)
                want_stall += account.lost[reason];
        }
        ck_assert_msg(busy == want_busy && stall == want_stall,
                      "%s: busy %llu of %llu, stalls %llu of %llu", ts_demo_models[m]->name,
                      (unsigned long long)busy, (unsigned long long)want_busy,
                      (unsigned long long)stall, (unsigned long long)want_stall);
        json_decref(json);
        ts_kernel_free(kernel);
    }
}
END_TEST

// Only what touches the window.
START_TEST(window)
{
    struct ts_kernel *kernel = demo("tile", 1);
    json_t *json = traced(kernel, 4000, 1000, 1200, 4096, NULL);
    json_t *events = json_object_get(json, "traceEvents");
    size_t inside = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const char *phase = ts_json_text(event, "ph");
        if (strcmp(phase, "M") == 0)
            continue;
        ts_cycle start = cycles_of(event, "ts"), length = cycles_of(event, "dur");
        ck_assert_uint_lt(start, 1200);
        ck_assert_uint_gt(start + (strcmp(phase, "X") == 0 ? length : 1), 1000);
        inside++;
    }
    ck_assert_uint_gt(inside, 100);
    json_decref(json);
    ts_kernel_free(kernel);
}
END_TEST

// Rings that are far too small grow, and nothing is lost.
START_TEST(growth_loses_nothing)
{
    uint64_t grown = 0;
    struct ts_kernel *kernel = demo("tile", 1);
    json_t *small = traced(kernel, 4000, 0, TS_NEVER, 1, &grown);
    ts_kernel_free(kernel);
    ck_assert_uint_gt(grown, 0);
    kernel = demo("tile", 1);
    json_t *large = traced(kernel, 4000, 0, TS_NEVER, 1 << 18, NULL);
    ts_kernel_free(kernel);
    ck_assert_uint_eq(json_array_size(json_object_get(small, "traceEvents")),
                      json_array_size(json_object_get(large, "traceEvents")));
    json_decref(small);
    json_decref(large);
}
END_TEST

// Odd names and labels stay JSON; slices are on the component's lane.
static ts_step slices_body(struct probe *self, ts_cycle now)
{
    ts_trace_slice(&self->base, "say \"a\\b\"\n", now, now + 2);
    return now < 10 ? 5 : ts_finish(&self->base, now);
}

START_TEST(labels)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    probe_new(ts_domain_new(kernel, "the \"d\""), slices_body, "back\\slash");
    json_t *json = traced(kernel, 100, 0, TS_NEVER, 16, NULL);
    json_t *events = json_object_get(json, "traceEvents");
    size_t slices = 0, names = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i), *args = json_object_get(event, "args");
        slices += strcmp(ts_json_text(event, "name"), "say \"a\\b\" ") == 0 &&
                  ts_json_integer(event, "tid") == 1;
        names += strcmp(ts_json_text(args, "name"), "back\\slash") == 0;
    }
    ck_assert_uint_eq(slices, 3);
    ck_assert_uint_eq(names, 1);
    json_decref(json);
    ts_kernel_free(kernel);
}
END_TEST

START_TEST(cannot_be_written)
{
    struct ts_kernel *kernel = demo("tile", 1);
    kit_elaborate(kernel);
    struct ts_error error = {0};
    struct ts_trace_options options = {.path = {"/nowhere/trace.json.gz"}, .clock_mhz = 1000};
    ck_assert_ptr_null(ts_trace_open(kernel, &options, &error));
    ck_assert_int_eq(error.code, TS_SETUP);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/trace.json.gz"));
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, every_demo);
    tcase_add_test(tests, adds_up_to_the_account);
    tcase_add_test(tests, window);
    tcase_add_test(tests, growth_loses_nothing);
    tcase_add_test(tests, labels);
    tcase_add_test(tests, cannot_be_written);
}

SUITE("chrome", add_tests)
