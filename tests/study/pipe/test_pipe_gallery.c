// Every program of tests/study/pipe/gallery and config/pipes has the result in its `expect`:
// deadlocks and hazards are found and named, their safe variants end.
#include "platform/study/pipe/run.h"
#include "tests/study/pipe/files.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>

// The most slots that the ring which the report calls `name` ("p", "p.c2v") had in use, of the first cluster; -1: there is none.
static int peak_of(const struct ts_pipe_run *run, const char *name)
{
    json_t *document = json_object(), *ring;
    int peak = -1;
    size_t i;
    ts_pipe_report_json(run, document);
    json_array_foreach(json_object_get(document, "rings"), i, ring)
    {
        if (strcmp(json_string_value(json_object_get(ring, "name")), name) == 0 && peak < 0)
            peak = (int)json_integer_value(json_object_get(ring, "peak"));
    }
    json_decref(document);
    return peak;
}

static void run_one(const char *path)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    ck_assert_msg(ts_pipe_load(&program, path, NULL, NULL, &error) == TS_OK, "%s", error.text);
    ts_pipe_run_alone(&run, &program, 1, &error);
    ck_assert_msg(error.code == TS_OK, "%s: %s", path, error.text);
    enum ts_pipe_verdict expected = program.has_expectation ? program.expected : TS_PIPE_PASS;
    ck_assert_msg(run.verdict == expected, "%s: %s, expected %s: %s", path,
                  ts_pipe_verdict_names[run.verdict], ts_pipe_verdict_names[expected], run.why);
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        ck_assert_msg(!program.expects_finding[id] || run.findings.seen[id], "%s: %s was not found",
                      path, ts_finding_rows[id].code);
    ck_assert_msg(program.expected_cycles == 0 || run.run.cycle == program.expected_cycles,
                  "%s: %llu cycles", path, (unsigned long long)run.run.cycle);
    for (uint32_t i = 0; i < program.peak_count; i++) {
        const int peak = peak_of(&run, program.peaks[i].name);
        ck_assert_msg(peak == (int)program.peaks[i].value, "%s: ring %s: peak %d", path,
                      program.peaks[i].name, peak);
    }
    // A program that passes and expects no finding has none.
    for (int id = 0; id < TS_FINDING_COUNT && run.verdict == TS_PIPE_PASS; id++)
        ck_assert_msg(program.expects_finding[id] || !run.findings.seen[id], "%s: %s was found",
                      path, ts_finding_rows[id].code);
    // Every deadlock has an explanation: something waits, and each wait names what could end it.
    if (run.verdict == TS_PIPE_DEADLOCK) {
        json_t *story = ts_pipe_explain_json(&run);
        json_t *blocked = json_object_get(story, "blocked"), *one;
        size_t i;
        ck_assert_msg(json_array_size(blocked) > 0, "%s: nobody is blocked", path);
        json_array_foreach(blocked, i, one) ck_assert_msg(json_object_get(one, "holder") != NULL,
                                                          "%s: a wait without a holder", path);
        json_decref(story);
    }
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}

START_TEST(test_file)
{
    run_one(files.gl_pathv[_i]);
}
END_TEST

// The required report of 6.3: flag, counter, half-set state, the setter and its position.
START_TEST(test_half_set)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    ts_pipe_load(&program, TENSIM_SOURCE_DIR "/tests/study/pipe/gallery/6-3-one-aiv-absent.yaml",
                 NULL, NULL, &error);
    ts_pipe_run_alone(&run, &program, 1, &error);
    json_t *story = ts_pipe_explain_json(&run);
    ck_assert_str_eq(json_string_value(json_object_get(story, "kind")), "orphan");
    json_t *cube = json_array_get(json_object_get(story, "blocked"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(cube, "core")), "aic");
    ck_assert_int_eq(json_integer_value(json_object_get(cube, "flag")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(cube, "counter")), 0);
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(cube, "half"), 0)), 1);
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(cube, "half"), 1)), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(cube, "index")), 2);
    ck_assert_str_eq(json_string_value(json_object_get(cube, "setter")),
                     "cluster[0].aiv1.su, which has ended");
    json_decref(story);
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}
END_TEST

START_TEST(test_cycles)
{
    static const struct {
        const char *file, *text;
    } rows[] = {
        {"6-1-skipped-record",
         "cycle: cluster[0].aic.su ->(flag 1)-> cluster[0].aiv0.su ->(flag 0)-> cluster[0].aic.su"},
        {"6-4a-both-pop-first",
         "cycle: cluster[0].aic.su ->(flag 2)-> cluster[0].aiv0.su ->(flag 0)-> cluster[0].aic.su"},
        {"6-4b-store-and-forward",
         "cycle: cluster[0].aic.su ->(flag 1)-> cluster[0].aiv0.su ->(flag 3)-> cluster[0].aic.su"},
        {"6-5-sparse-credit",
         "cycle: cluster[0].aic.su ->(flag 1)-> cluster[0].aiv0.su ->(flag 3)-> cluster[0].aic.su"},
        {"6-6a-too-many-pops", "no cycle: cluster[0].aiv0.su ->(flag 0)-> cluster[0].aic.su: "
                               "orphan wait, the setter has ended"},
        {"6-10-held-tiles", "cycle: cluster[0].aic.mte1 ->(flag 0)-> cluster[0].aiv0.mte3 ->(flag "
                            "1)-> cluster[0].aic.mte1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct ts_pipe_program program;
        static struct ts_pipe_run run;
        struct ts_error error = {0};
        char path[300];
        snprintf(path, sizeof path, "%s/tests/study/pipe/gallery/%s.yaml", TENSIM_SOURCE_DIR,
                 rows[i].file);
        ts_pipe_load(&program, path, NULL, NULL, &error);
        ts_pipe_run_alone(&run, &program, 1, &error);
        json_t *story = ts_pipe_explain_json(&run);
        ck_assert_str_eq(json_string_value(json_object_get(story, "text")), rows[i].text);
        json_decref(story);
        ts_pipe_run_free_alone(&run);
        ts_pipe_program_free(&program);
    }
}
END_TEST

START_TEST(test_enough_files)
{
    ck_assert_uint_ge(files.gl_pathc, 60);
}
END_TEST

static void add_tests(TCase *tests)
{
    find_files();
    glob(TENSIM_SOURCE_DIR "/config/pipes/*.pto", GLOB_APPEND, NULL, &files);
    tcase_add_test(tests, test_enough_files);
    tcase_add_loop_test(tests, test_file, 0, (int)files.gl_pathc);
    tcase_add_test(tests, test_half_set);
    tcase_add_test(tests, test_cycles);
}

SUITE("pipe gallery", add_tests, .one_process = true, .end = forget_files)
