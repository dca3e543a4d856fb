// The critical path of every program that passes: one chain without holes from the beginning to the
// end, with each wait after the set that ends it. And a sweep of a program: front, resuming, threads.
#include "platform/study/pipe/path.h"
#include "tests/folder.h"
#include "tests/study/pipe/files.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(test_path)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_tape tape = {.most = 200000};
    struct ts_error error = {0};
    const char *name = files.gl_pathv[_i];
    ck_assert_msg(ts_pipe_load(&program, name, NULL, NULL, &error) == TS_OK, "%s", error.text);
    run = (struct ts_pipe_run){.tape = &tape};
    ts_pipe_run_alone(&run, &program, 1, &error);
    if (run.verdict == TS_PIPE_PASS && program.machine.dispatches == 1 && tape.count) {
        struct ts_pipe_path path;
        ts_pipe_path_find(&path, &run, &tape);
        ck_assert_uint_gt(path.count, 0);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < path.count; i++) {
            sum += path.step[i].to - path.step[i].from;
            ck_assert_msg(i == 0 || path.step[i].from == path.step[i - 1].to,
                          "%s: a hole at cycle %llu", name, (unsigned long long)path.step[i].from);
        }
        // From the first issue to the last end; then a vector pipe may still drain.
        ck_assert_msg(sum <= run.run.cycle && run.run.cycle - sum <= run.run.cycle / 100 + 30,
                      "%s: %llu of %llu cycles", name, (unsigned long long)sum,
                      (unsigned long long)run.run.cycle);
        struct ts_tape_match *match = ts_tape_matches(&tape, program.machine.profile);
        for (uint32_t i = 0; i < tape.count; i++)
            for (int k = 0; k < 2; k++)
                ck_assert_msg(match[i].set[k] == 0 || program.machine.unsafe ||
                                  tape.event[match[i].set[k] - 1].end < tape.event[i].end,
                              "%s: a wait before its set", name);
        free(match);
        ts_pipe_path_free(&path);
    }
    free(tape.event);
    run.tape = NULL;
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}
END_TEST

#define TUNABLE "config/pipes/gemm-tunable.yaml"

// A command in the source folder, with the folder of this test for %s; the exit code.
static int shell(const char *format)
{
    char line[900];
    int used = snprintf(line, sizeof line, "cd %s && F=%s && T=%s && ", TENSIM_SOURCE_DIR, folder,
                        TENSIM_BINARY);
    snprintf(line + used, sizeof line - (size_t)used, "%s", format);
    return WEXITSTATUS(system(line));
}

// The same bytes for any number of processes, and after a part was resumed.
START_TEST(test_tune)
{
    folder_make();
    ck_assert_int_eq(shell("$T sweep " TUNABLE " -j 1 -o $F/a > $F/said"), 0);
    ck_assert_int_eq(shell("$T sweep " TUNABLE " -j 4 -q -o $F/b && cmp $F/a/table.csv "
                           "$F/b/table.csv"),
                     0);
    // As if it had been killed half way, in the middle of a line. The first line says of what.
    ck_assert_int_eq(shell("cd $F/b && head -n 49 results.jsonl > half && printf '{\"key\": \"cut' "
                           ">> half && mv half results.jsonl && rm table.csv"),
                     0);
    ck_assert_int_eq(shell("$T sweep " TUNABLE " -o $F/b | grep -q '96 of 96 runs, 48 resumed' && "
                           "cmp $F/a/table.csv $F/b/table.csv"),
                     0);
    folder_remove();
}
END_TEST

static long long number(const json_t *row, const char *name)
{
    return (long long)json_integer_value(json_object_get(row, name));
}

static bool passes(const json_t *row)
{
    return strcmp(json_string_value(json_object_get(row, "verdict")), "pass") == 0;
}

// No point of the front is beaten, every other passing point is; and the front is safe.
START_TEST(test_front)
{
    folder_make();
    ck_assert_int_eq(shell("$T sweep " TUNABLE " -j 2 -q -o $F/a > $F/said"), 0);
    char path[400];
    snprintf(path, sizeof path, "%s/a/table.json", folder);
    json_t *document = json_load_file(path, 0, NULL), *a, *b;
    const json_t *rows = json_object_get(document, "rows");
    size_t front = 0, passed = 0, i, k;
    json_array_foreach(rows, i, a)
    {
        const json_t *safe = json_object_get(a, "safe");
        bool beaten = false;
        passed += passes(a);
        json_array_foreach(rows, k, b) beaten |= passes(b) &&
                                                 number(b, "cycles") <= number(a, "cycles") &&
                                                 number(b, "memory") <= number(a, "memory") &&
                                                 (number(b, "cycles") < number(a, "cycles") ||
                                                  number(b, "memory") < number(a, "memory"));
        ck_assert(safe == NULL || (passes(a) && !beaten));
        ck_assert(safe == NULL || strcmp(json_string_value(safe), "proved") == 0);
        front += safe != NULL;
    }
    ck_assert_uint_eq(front, 3);
    ck_assert_uint_eq(json_array_size(json_object_get(document, "front")), 3);
    ck_assert_uint_eq(passed, 48);
    json_decref(document);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    find_files();
    tcase_add_loop_test(tests, test_path, 0, (int)files.gl_pathc);
    tcase_add_test(tests, test_tune);
    tcase_add_test(tests, test_front);
}

SUITE("pipe paths", add_tests, .one_process = true, .end = forget_files)
