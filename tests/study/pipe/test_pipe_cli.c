// tensim run from outside: exit codes, the JSON document, sweeps, the same bytes for every number
// of threads, speed.
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { SLOW_BUILD = 1 };
#else
enum { SLOW_BUILD = 0 };
#endif

static char output[1 << 20];

// Runs a command line of tensim; stdout into `output`.
static int run(const char *arguments)
{
    char line[1000];
    snprintf(line, sizeof line, "cd %s && ASAN_OPTIONS=detect_leaks=0 %s %s 2>/dev/null",
             TENSIM_SOURCE_DIR, TENSIM_BINARY, arguments);
    FILE *pipe = popen(line, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t count = fread(output, 1, sizeof output - 1, pipe);
    output[count] = 0;
    return WEXITSTATUS(pclose(pipe));
}

static const struct {
    const char *file;
    int code;
} codes[] = {
    {"config/pipes/gemm-bias-relu.yaml", 0},
    {"config/pipes/gemm-bias-relu.yaml --set tensors.out.expect=a@b", 1},
    {"tests/study/pipe/gallery/6-1-skipped-record.yaml", 2},
    {"tests/study/pipe/gallery/6-8-alias-refused.yaml", 3},
    {"tests/study/pipe/gallery/nothing.yaml", 3},
    {"config/pipes/gemm-bias-relu.yaml --set pipes.c2v.slotz=3", 3},
    {"tests/study/pipe/gallery/depth-5-overrun.yaml", 4},
    {"config/pipes/throughput.yaml -n 1000", 6},
    {"", 64},
    {"config/pipes/gemm-bias-relu.yaml --set published=both_gn", 3},
};

START_TEST(test_exit_code)
{
    char line[200];
    snprintf(line, sizeof line, "run %s -q", codes[_i].file);
    ck_assert_msg(run(line) == codes[_i].code, "%s: not %d", codes[_i].file, codes[_i].code);
}
END_TEST

START_TEST(test_json)
{
    ck_assert_int_eq(run("run --json - config/pipes/flash-attention.yaml"), 0);
    json_error_t error;
    json_t *document = json_loads(output, 0, &error);
    ck_assert_msg(document != NULL, "%s", error.text);
    ck_assert_str_eq(json_string_value(json_object_get(document, "verdict")), "pass");
    ck_assert_int_gt(json_integer_value(json_object_get(document, "cycles")), 9000);
    ck_assert_uint_eq(json_array_size(json_object_get(document, "rings")), 3);
    ck_assert_uint_eq(json_array_size(json_object_get(document, "pipes")), 14);
    json_t *o = json_object_get(json_object_get(document, "output"), "o");
    ck_assert_int_eq(json_integer_value(json_object_get(o, "wrong")), 0);
    // The work of each pipe, next to the published cost model's.
    static const struct {
        const char *name;
        int published;
    } rows[] = {{"cluster[0].aic.mte2", 2600}, {"cluster[0].aic.mte1", 1560},
                {"cluster[0].aic.m", 1120},    {"cluster[0].aic.fix", 2020},
                {"cluster[0].aiv0.v", 7272},   {"cluster[0].aiv1.mte2", 1366}};
    size_t i;
    json_t *one;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        json_array_foreach(
            json_object_get(document, "pipes"), i,
            one) if (strcmp(json_string_value(json_object_get(one, "name")), rows[row].name) == 0)
        {
            double busy = (double)json_integer_value(json_object_get(one, "busy"));
            ck_assert_msg(busy > 0.95 * rows[row].published && busy < 1.05 * rows[row].published,
                          "%s: %g", rows[row].name, busy);
        }
    json_decref(document);
}
END_TEST

START_TEST(test_hang_json)
{
    ck_assert_int_eq(run("run -q --json - tests/study/pipe/gallery/6-5-sparse-credit.yaml"), 2);
    json_t *document = json_loads(output, 0, NULL);
    ck_assert_ptr_nonnull(document);
    json_t *hang = json_object_get(document, "hang");
    ck_assert_str_eq(json_string_value(json_object_get(hang, "kind")), "cycle");
    ck_assert_uint_ge(json_array_size(json_object_get(hang, "edges")), 2);
    ck_assert_ptr_nonnull(
        json_object_get(json_array_get(json_object_get(hang, "edges"), 0), "object"));
    json_t *blocked = json_object_get(json_object_get(document, "deadlock"), "blocked");
    ck_assert_uint_eq(json_array_size(blocked), 3);
    json_decref(document);
}
END_TEST

// A sweep: the table, the front, and what is refused.
START_TEST(test_sweep)
{
    static const struct {
        const char *line;
        int code;
    } rows[] = {
        {"sweep config/pipes/dequant-tunable.yaml -q -o %s/a", 0},
        {"sweep config/pipes/gemm-bias-relu.yaml pipes.c2v.slotz=1,2 -o %s/a 2>/dev/null", 3},
        {"sweep config/pipes/gemm-bias-relu.yaml slots -o %s/a 2>/dev/null", 64},
        {"build --write=cpp config/pipes/gemm-bias-relu.yaml 2>%s/a.txt", 64},
        {"pipe --convert cpp config/pipes/gemm-bias-relu.yaml 2>%s/a.txt", 64},
        {"sweep tests/study/pipe/gallery/depth-4-safe.yaml pipes.a.slots=4..7 -o %s/b", 0},
        {"sweep tests/study/pipe/gallery/depth-4-safe.yaml pipes.b.slots=4..7 -o %s/c 2>/dev/null",
         3},
    };
    char line[400];
    folder_make();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line, rows[i].line, folder);
        ck_assert_msg(run(line) == rows[i].code, "%s", line);
    }
    // The same bytes from two processes.
    snprintf(line, sizeof line,
             "sweep -j 2 tests/study/pipe/gallery/depth-4-safe.yaml pipes.a.slots=4..7 -o %s/d && "
             "cmp %s/b/table.csv %s/d/table.csv && cat %s/b/table.csv",
             folder, folder, folder, folder);
    ck_assert_int_eq(run(line), 0);
    ck_assert_ptr_nonnull(strstr(output, "program,pipes.a.slots,verdict,cycles,memory,on_chip,"));
    ck_assert_ptr_nonnull(strstr(output, ",4,pass,13660,76800,72704,,the program ended,proved,0,"));
    ck_assert_ptr_nonnull(strstr(output, ",5,hazard,"));
    ck_assert_ptr_nonnull(strstr(output, ",6,pass,"));
    ck_assert_ptr_nonnull(strstr(output, ",7,hazard,"));
    ck_assert_ptr_nonnull(strstr(output, "E_OVERWRITE"));
    ck_assert_ptr_nonnull(strstr(output, "front: 13660 cycles, 76800 bytes"));
    folder_remove();
}
END_TEST

// 24 clusters: one hash over stats, rings and outputs, whatever the number of threads.
START_TEST(test_threads)
{
    char first[40] = "";
    for (int threads = 1; threads <= 6; threads++) {
        char line[200];
        snprintf(line, sizeof line,
                 "run -q -j %d --stats-hash config/pipes/gemm-bias-relu.yaml --set clusters=24 "
                 "--set params.M=3840",
                 threads);
        ck_assert_int_eq(run(line), 0);
        output[strcspn(output, "\n")] = 0;
        if (threads == 1)
            snprintf(first, sizeof first, "%.39s", output);
        ck_assert_str_eq(output, first);
    }
    ck_assert_uint_eq(strlen(first), 16);
    // A run directory has the critical path, too: no part of the hash.
    char line[300], other[40];
    folder_make();
    snprintf(line, sizeof line, "run -q --stats-hash config/pipes/gemm-bias-relu.yaml");
    ck_assert_int_eq(run(line), 0);
    snprintf(other, sizeof other, "%.39s", output);
    snprintf(line, sizeof line, "run -q --stats-hash config/pipes/gemm-bias-relu.yaml -o %s/run",
             folder);
    ck_assert_int_eq(run(line), 0);
    ck_assert_str_eq(output, other);
    folder_remove();
}
END_TEST

// The profile is the machine, the preset the numbers: one can be changed without the other, and
// both are printed.
START_TEST(test_profile_and_preset)
{
    static const struct {
        const char *sets, *says;
    } rows[] = {
        {"", "(profile a2a3, preset flat)"},
        {"--set profile=a5 --set pipes.p.slot_size=4096", "(profile a5, preset flat)"},
        {"--set preset=a5", "(profile a2a3, preset a5)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[300];
        snprintf(line, sizeof line,
                 "run config/pipes/seed-05-dir-c2v-gm.yaml --set profile=a2a3 "
                 "--set preset=flat --set pipes.p.dir=c2v %s",
                 rows[i].sets);
        run(line);
        ck_assert_msg(strstr(output, rows[i].says) != NULL, "%s: %s", rows[i].sets, output);
    }
    ck_assert_int_eq(run("run config/pipes/throughput.yaml --set params.N=10"), 0);
    ck_assert_ptr_nonnull(strstr(output, "(profile a2a3, preset flat)"));
    // An override of the profile leaves the numbers of the file's own profile.
    run("run config/pipes/throughput.yaml --set params.N=10 --set profile=a5");
    ck_assert_ptr_nonnull(strstr(output, "(profile a5, preset flat)"));
}
END_TEST

// stdout and stderr of a run together, as on a terminal.
static int run_both(const char *file)
{
    char line[300];
    folder_make();
    snprintf(line, sizeof line, "run %s >%s/both 2>&1; code=$?; cat %s/both; exit $code", file,
             folder, folder);
    int code = run(line);
    folder_remove();
    return code;
}

static unsigned count(const char *word)
{
    unsigned found = 0;
    for (const char *at = output; (at = strstr(at, word)) != NULL; at++)
        found++;
    return found;
}

// On a terminal, stdout and stderr together, a refusal is there once.
START_TEST(test_refused_once)
{
    ck_assert_int_eq(run_both("tests/study/pipe/gallery/6-8-alias-refused.yaml"), 3);
    ck_assert_uint_eq(count("E_FLAG_ALIAS"), 1);
    ck_assert_uint_eq(count("share flag 1 of the AIC"), 1);
    ck_assert_int_eq(run_both("tests/study/pipe/gallery/depth-5-overrun.yaml"), 4);
    ck_assert_uint_eq(count("E_OVERWRITE"), 1);
    ck_assert_int_eq(run_both("tests/study/pipe/gallery/6-5-sparse-credit.yaml"), 2);
    ck_assert_uint_eq(count("cluster[0].aic.su blocks in"), 1);
    ck_assert_uint_eq(count("waits for waits"), 0);
}
END_TEST

START_TEST(test_explore)
{
    static const struct {
        const char *file;
        int code;
    } rows[] = {{"config/pipes/flash-attention.yaml", 0},
                {"config/pipes/seed-42-pattern-3.cpp", 0},
                {"pipes/seed-42-pattern-3", 0},
                {"pipes/seed-24-ir-level-1", 0},
                {"tests/study/pipe/gallery/6-5-sparse-credit.yaml", 2},
                {"tests/study/pipe/gallery/6-8-alias-refused.yaml", 3},
                {"tests/study/pipe/gallery/depth-5-overrun.yaml", 4},
                {"config/pipes/flash-attention.yaml --check", 64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[200];
        snprintf(line, sizeof line, "explore -q %s", rows[i].file);
        ck_assert_msg(run(line) == rows[i].code, "%s: not %d", rows[i].file, rows[i].code);
    }
}
END_TEST

START_TEST(test_stats)
{
    char line[300];
    folder_make();
    snprintf(line, sizeof line,
             "run -q config/pipes/gemm-bias-relu.yaml --set clusters=2 -o %s/run && cat "
             "%s/run/stats.json",
             folder, folder);
    ck_assert_int_eq(run(line), 0);
    folder_remove();
    json_t *stats = json_loads(output, 0, NULL);
    json_t *rings = json_object_get(stats, "rings"), *clusters = json_object_get(stats, "clusters");
    ck_assert_uint_eq(json_array_size(rings), 2);
    ck_assert_uint_eq(json_array_size(clusters), 2);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(rings, 1), "name")),
                     "cluster[1].c2v");
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(rings, 1), "pops")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(json_array_get(clusters, 0), "flags")), 3);
    json_decref(stats);
}
END_TEST

// Processor time of the children that have ended.
static double worked(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

START_TEST(test_speed)
{
    double before = worked();
    ck_assert_int_eq(run("run -q --json - config/pipes/throughput.yaml --set params.N=20000"), 0);
    json_t *document = json_loads(output, 0, NULL);
    double ops = (double)json_integer_value(json_object_get(document, "tile_ops"));
    double seconds = worked() - before;
    ck_assert_msg(SLOW_BUILD || 60 * ops / seconds > 5e6, "%g tile operations a minute",
                  60 * ops / seconds);
    json_decref(document);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_exit_code, 0, sizeof codes / sizeof *codes);
    tcase_add_test(tests, test_json);
    tcase_add_test(tests, test_hang_json);
    tcase_add_test(tests, test_sweep);
    tcase_add_test(tests, test_threads);
    tcase_add_test(tests, test_profile_and_preset);
    tcase_add_test(tests, test_refused_once);
    tcase_add_test(tests, test_explore);
    tcase_add_test(tests, test_stats);
    tcase_add_test(tests, test_speed);
}

SUITE("tensim run", add_tests, .one_process = true)
