// The critical path of every program that passes: one chain without holes from the beginning to the
// end, with each wait after the set that ends it. And `tensim pipe tune`: front, resuming, threads.
#include "platform/study/pipe/path.h"
#include "platform/study/pipe/tune.h"
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
    ck_assert_msg(ts_pipe_load(&program, name, NULL, &error) == TS_OK, "%s", error.text);
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

#define TUNABLE TENSIM_SOURCE_DIR "/config/pipes/gemm-tunable.yaml"

static char *text_of(const struct ts_tune *tune)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    ts_tune_csv(tune, file);
    fclose(file);
    return text;
}

static void run_tune(struct ts_tune *tune, unsigned workers, const char *directory, size_t *resumed)
{
    struct ts_error error = {0};
    struct ts_crew crew = {.workers = workers, .quiet = true, .directory = directory};
    ck_assert(ts_tune_axes(tune, &error));
    ck_assert_int_eq(ts_tune_run(tune, &crew, &error), TS_OK);
    *resumed = crew.resumed;
    ts_crew_free(&crew);
}

// The same bytes for any number of processes, and after a part was resumed.
START_TEST(test_tune)
{
    char line[200], *first = NULL;
    folder_make();
    for (int round = 0; round < 4; round++) {
        struct ts_tune tune = {.program = TUNABLE};
        size_t resumed;
        run_tune(&tune, 1u << round, round >= 2 ? folder : NULL, &resumed);
        char *text = text_of(&tune);
        first = first ? first : strdup(text);
        ck_assert_str_eq(text, first);
        ck_assert_uint_eq(resumed, round == 3 ? tune.count / 2 : 0);
        free(text);
        // As if it had been killed half way, in the middle of a line. The first line says of what.
        snprintf(line, sizeof line,
                 "cd %s && head -n %zu results.jsonl > half && printf '{\"key\": \"cut' "
                 ">> half && mv half results.jsonl",
                 folder, tune.count / 2 + 1);
        if (round == 2)
            ck_assert_int_eq(system(line), 0);
        ts_tune_free(&tune);
    }
    free(first);
    folder_remove();
}
END_TEST

// No point of the front is beaten, every other passing point is; and the front is safe.
START_TEST(test_front)
{
    struct ts_tune tune = {.program = TUNABLE};
    size_t resumed;
    run_tune(&tune, 2, NULL, &resumed);
    size_t front = 0, passes = 0;
    for (size_t i = 0; i < tune.count; i++) {
        const struct ts_tune_point *a = &tune.points[i];
        bool beaten = false;
        if (a->verdict != TS_PIPE_PASS) {
            ck_assert(!a->front);
            continue;
        }
        passes++;
        for (size_t k = 0; k < tune.count; k++) {
            const struct ts_tune_point *b = &tune.points[k];
            beaten |= b->verdict == TS_PIPE_PASS && b->cycles <= a->cycles &&
                      b->memory <= a->memory && (b->cycles < a->cycles || b->memory < a->memory);
        }
        ck_assert(!a->front || !beaten);
        ck_assert(!a->front || a->proved);
        front += a->front;
    }
    ck_assert_uint_eq(front, 3);
    ck_assert_uint_eq(passes, 48);
    ck_assert_uint_lt(tune.own, tune.count);
    ts_tune_free(&tune);
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
