// stats.json and stats.csv: their form, the sum rule, the hash.
#include "platform/account/stats.h"
#include "platform/base/json.h"
#include "tests/demo/demo.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

static struct ts_kernel *kernel_of(const char *model, uint32_t threads)
{
    struct ts_demo_params params = {.tiles = 4,
                                    .seed = 1,
                                    .fifo_depth = 8,
                                    .hop = 9,
                                    .link_depth = 16,
                                    .words = 50,
                                    .workers = 63,
                                    .polite = 1};
    struct ts_kernel *kernel = kit_kernel(threads, 0);
    ts_demo_find(model)->build(kernel, &params);
    kit_elaborate(kernel);
    return kernel;
}

static json_t *stats_of(const char *model, uint32_t threads, ts_cycle limit)
{
    struct ts_kernel *kernel = kernel_of(model, threads);
    struct ts_run run = ts_kernel_run(kernel, limit);
    ck_assert_ptr_null(ts_stats_check(kernel, run.cycle));
    json_t *stats = ts_stats_json(kernel, &run);
    ts_kernel_free(kernel);
    return stats;
}

static json_int_t int_of(const json_t *row, const char *key)
{
    ck_assert_msg(json_is_integer(json_object_get(row, key)), "no number '%s'", key);
    return json_integer_value(json_object_get(row, key));
}

START_TEST(form)
{
    for (int m = 0; ts_demo_models[m]; m++) {
        json_t *stats = stats_of(ts_demo_models[m]->name, 1, 3000);
        ck_assert_str_eq(ts_json_text(stats, "schema"), "tensim.stats");
        ck_assert_int_eq(int_of(stats, "version"), 2);
        const json_t *run = json_object_get(stats, "run");
        json_int_t span = int_of(run, "span_cycles");
        ck_assert_int_gt(span, 0);
        ck_assert_str_ne(ts_json_text(run, "stop"), "");
        size_t i;
        json_t *row;
        json_array_foreach(json_object_get(stats, "units"), i, row)
        {
            json_int_t sum = int_of(row, "busy") + int_of(row, "idle");
            const char *reason;
            json_t *value;
            json_object_foreach(json_object_get(row, "stall"), reason, value)
            {
                ck_assert_int_gt(json_integer_value(value), 0);
                sum += json_integer_value(value);
            }
            ck_assert_int_eq(sum, span);
            ck_assert_str_ne(ts_json_text(row, "name"), "");
            ck_assert_str_ne(ts_json_text(row, "kind"), "");
        }
        ck_assert_uint_gt(i, 0);
        json_array_foreach(json_object_get(stats, "channels"), i, row)
        {
            if (strcmp(ts_json_text(row, "kind"), "fifo") == 0) {
                ck_assert_int_le(int_of(row, "peak"), int_of(row, "depth"));
                ck_assert_int_le(int_of(row, "left"), int_of(row, "pushes"));
            }
            if (strcmp(ts_json_text(row, "kind"), "semaphore") == 0)
                ck_assert_int_le(int_of(row, "value"), int_of(row, "peak"));
        }
        json_decref(stats);
    }
}
END_TEST

// Not inlined: gcc 12 takes the stream's pointer for a dangling one.
static __attribute__((noinline)) char *csv_of(const json_t *stats)
{
    static char *text; // not on the stack: gcc takes what the stream points to for its address
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ts_stats_csv(stats, file);
    fclose(file);
    return text;
}

START_TEST(csv)
{
    json_t *stats = stats_of("tile", 1, 3000);
    char *text = csv_of(stats);
    ck_assert_int_eq(strncmp(text, "component,counter,unit,value\n", 29), 0);
    ck_assert_ptr_nonnull(strstr(text, "\nrun,span_cycles,"));
    ck_assert_ptr_nonnull(strstr(text, "\ntile[0].core[0],busy,cycles,"));
    ck_assert_ptr_nonnull(strstr(text, "\ntile[3].back[8],stall.semaphore_zero,cycles,"));
    ck_assert_ptr_nonnull(strstr(text, "\ntile[0].core[0],steps,"));
    ck_assert_ptr_nonnull(strstr(text, "\ntile[0].fifo[0],pushes,"));
    // Three commas a line, and numbers that add up per unit.
    size_t commas = 0, lines = 0;
    for (const char *c = text; *c; c++) {
        commas += *c == ',';
        lines += *c == '\n';
    }
    ck_assert_uint_eq(commas, 3 * lines);
    json_int_t sum = 0, value;
    for (char *line = strstr(text, "\ntile[1].core[2],"); line; line = strchr(line + 1, '\n')) {
        char counter[64], unit[32];
        if (strncmp(line, "\ntile[1].core[2],", 17) != 0)
            break;
        ck_assert_int_eq(
            sscanf(line + 17, "%63[^,],%31[^,],%" JSON_INTEGER_FORMAT, counter, unit, &value), 3);
        sum += strcmp(unit, "cycles") == 0 ? value : 0;
    }
    ck_assert_int_eq(sum, 3000);
    free(text);
    json_decref(stats);
}
END_TEST

START_TEST(hash)
{
    char first[17], other[17];
    json_t *a = json_pack("{s:i, s:[i,i]}", "x", 1, "y", 2, 3);
    json_t *b = json_pack("{s:[i,i], s:i}", "y", 2, 3, "x", 1);
    ts_stats_hash(a, first);
    ts_stats_hash(b, other); // the order of keys does not matter
    ck_assert_str_eq(first, other);
    ck_assert_uint_eq(strlen(first), 16);
    json_object_set_new(b, "x", json_integer(2));
    ts_stats_hash(b, other);
    ck_assert_str_ne(first, other);
    json_decref(a);
    json_decref(b);
    a = json_object();
    ts_stats_hash(a, first); // FNV-1a of "{}", by hand
    ck_assert_str_eq(first, "08f44b07b5901a25");
    json_decref(a);
    // The hash of a run has nothing of the host: no error against libm, no path.
    a = json_pack("{s:i, s:f, s:[{s:s, s:i}], s:s}", "cycles", 7, "rel_l2", 0.25, "hang", "source",
                  "/here/a.cpp:1", "pc", 4, "result_hash", "17");
    b = json_pack("{s:i, s:f, s:[{s:s, s:i}], s:s}", "cycles", 7, "rel_l2", 0.26, "hang", "source",
                  "/there/a.cpp:1", "pc", 4, "result_hash", "17");
    ts_stats_run_hash(json_object_get(a, "hang"), a, first);
    ts_stats_run_hash(json_object_get(a, "hang"), b, other);
    ck_assert_str_eq(first, other);
    json_object_set_new(b, "result_hash", json_string("18"));
    ts_stats_run_hash(json_object_get(a, "hang"), b, other);
    ck_assert_str_ne(first, other);
    json_decref(a);
    json_decref(b);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        json_t *stats = stats_of("torus", threads, 3000);
        ts_stats_hash(stats, threads == 1 ? first : other);
        if (threads > 1)
            ck_assert_str_eq(first, other);
        json_decref(stats);
    }
}
END_TEST

START_TEST(check_finds_a_wrong_sum)
{
    struct ts_kernel *kernel = kernel_of("ring", 1);
    const struct ts_run run = ts_kernel_run(kernel, 3000);
    struct ts_component *unit = NULL;
    for (struct ts_object *object = ts_kernel_objects(kernel); object && !unit;
         object = object->next)
        unit = ts_object_component(object);
    ck_assert_ptr_nonnull(unit);
    unit->lost[TS_STALL_EVENT] += run.cycle + 1; // busy falls below 0
    ck_assert_str_eq(ts_stats_check(kernel, run.cycle), ts_path(unit));
    unit->lost[TS_STALL_EVENT] -= run.cycle + 1;
    ck_assert_ptr_null(ts_stats_check(kernel, run.cycle));
    unit->worked += run.cycle + 1; // so does idle
    ck_assert_str_eq(ts_stats_check(kernel, run.cycle), ts_path(unit));
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, form);
    tcase_add_test(tests, csv);
    tcase_add_test(tests, hash);
    tcase_add_test(tests, check_finds_a_wrong_sum);
}

SUITE("stats", add_tests)
