// What holds in every interleaving: the proof agrees with what each program expects of a run, and a
// program that is proved stays right whatever the timing.
#include "platform/load/kind.h"
#include "platform/study/pipe/prove.h"
#include "tests/suite.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static glob_t files;

static enum ts_code prove(const char *path, struct ts_pipe_program *program)
{
    static struct ts_pipe_proof proof;
    struct ts_error error = {0};
    ck_assert_msg(ts_pipe_load(program, path, NULL, NULL, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_kind_of(path) == TS_KIND_PIPE, "%s", path);
    bool several = program->machine.dispatches > 1;
    ts_pipe_prove(program, &proof, &error);
    if (program->machine.event_bits) { // refused, with the reason
        ck_assert_msg(error.code == TS_SETUP && strstr(error.text, "events: source"), "%s", path);
        return error.code;
    }
    ck_assert_msg(error.code == TS_OK, "%s", error.text);
    enum ts_pipe_verdict expected = program->has_expectation ? program->expected : TS_PIPE_PASS;
    if (!several) // one kernel is looked at, without what an earlier one left
        ck_assert_msg(proof.code == ts_pipe_verdict_code(expected), "%s: %d: %s; %s", path,
                      proof.code, proof.text,
                      proof.findings.count ? proof.findings.item[0].text : "");
    return proof.code;
}

static void run_with(const char *path, const char *key, const char *value)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    char text[200];
    snprintf(text, sizeof text, "%s=%s", key, value);
    ck_assert_int_eq(ts_pipe_load_set(&program, path, &(const char *){text}, 1, &error), TS_OK);
    memset(&run, 0, sizeof run);
    ts_pipe_run_alone(&run, &program, 1, &error);
    ck_assert_msg(run.verdict == TS_PIPE_PASS, "%s with %s=%s: %s: %s", path, key, value,
                  ts_pipe_verdict_names[run.verdict], run.why);
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}

START_TEST(test_file)
{
    static struct ts_pipe_program program;
    const char *path = files.gl_pathv[_i];
    enum ts_code code = prove(path, &program);
    bool proved = code == TS_OK && program.expected == TS_PIPE_PASS;
    bool unsafe = program.machine.unsafe;
    ts_pipe_program_free(&program);
    static const char *const timings[][2] = {
        {"timing.flag", "1"},     {"timing.flag", "700"},
        {"preset", "fitted"},     {"preset", "doc"},
        {"preset", "a5"},         {"timing.gm_ub", "500"},
        {"timing.l0c_gm", "300"}, {"timing.v_add_head", "900000"}};
    for (size_t i = 0; proved && !unsafe && i < sizeof timings / sizeof *timings; i++)
        run_with(path, timings[i][0], timings[i][1]);
}
END_TEST

static void forget_files(void)
{
    globfree(&files);
}

static void add_tests(TCase *tests)
{
    glob(TENSIM_SOURCE_DIR "/tests/study/pipe/gallery/*.yaml", 0, NULL, &files);
    glob(TENSIM_SOURCE_DIR "/config/pipes/[!t]*.yaml", GLOB_APPEND, NULL, &files);
    glob(TENSIM_SOURCE_DIR "/config/pipes/*.pto", GLOB_APPEND, NULL, &files);
    glob(TENSIM_SOURCE_DIR "/config/pipes/*.cpp", GLOB_APPEND, NULL, &files);
    tcase_add_loop_test(tests, test_file, 0, (int)files.gl_pathc);
}

SUITE("pipe proofs", add_tests, .one_process = true, .end = forget_files)
