// One language (load/script.h): explore takes the gallery of hangs, hang takes the programs of explore
// and of step. What one of them proves, the other does not contradict.
#include "platform/study/explore/explore.h"
#include "platform/study/hang/program.h"
#include "tests/suite.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 1000000

static struct ts_hang_program program; // large
static struct ts_explore_program explored;

static enum ts_code explore(const char *path, struct ts_error *error)
{
    enum ts_code code = TS_OK;
    *error = (struct ts_error){0};
    if (ts_explore_load(&explored, path, NULL, error)) {
        struct ts_explore_result result = ts_explore_search(&explored,
                                                            &(struct ts_explore_options){0});
        code = result.code;
        ts_explore_result_free(&result);
    }
    ts_explore_free(&explored);
    return error->code ? error->code : code;
}

static enum ts_code hang(const char *path, struct ts_error *error)
{
    struct ts_hang_outcome outcome;
    struct ts_tile_config config = ts_tile_config_default();
    *error = (struct ts_error){0};
    if (!ts_hang_program_read(&program, path, NULL, NULL, error))
        return error->code;
    ts_hang_program_run(&program, &config, LIMIT, &outcome);
    enum ts_code code = outcome.code;
    ts_fail(error, code, "%s", outcome.text);
    ts_hang_outcome_free(&outcome);
    return code;
}

static void find(const char *pattern, glob_t *files)
{
    char path[300];
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/%s", pattern);
    ck_assert_int_eq(glob(path, 0, NULL, files), 0);
}

// A program that hangs on the tile deadlocks in some order; one that deadlocks in no order ends.
START_TEST(gallery_explored)
{
    glob_t files;
    unsigned proved = 0, deadlocks = 0, refused = 0;
    find("config/gallery/*.yaml", &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct ts_error error;
        const char *path = files.gl_pathv[i];
        enum ts_code code = explore(path, &error);
        ck_assert_msg(ts_hang_program_read(&program, path, NULL, NULL, &error) || error.code, "%s",
                      error.text);
        bool own_counts = strstr(path, "g22-own-copies"); // explore says where it differs
        if (code == TS_NOT_IMPLEMENTED) {
            ck_assert_msg(strstr(error.text, "tensim run --explore") != NULL, "%s", error.text);
            refused++;
        } else if (strcmp(program.verdict, "hang") == 0 && !own_counts) {
            ck_assert_msg(code == TS_HANG, "%s: %d %s", path, (int)code, error.text);
            deadlocks++;
        } else {
            ck_assert_msg(code == TS_OK || strstr(path, "racy"), "%s: %d %s", path, (int)code,
                          error.text);
            proved++;
        }
    }
    globfree(&files);
    ck_assert_msg(proved > 60 && deadlocks >= 18 && refused < 40, "%u %u %u", proved, deadlocks,
                  refused);
}
END_TEST

START_TEST(explored_run)
{
    glob_t files;
    unsigned ended = 0, hung = 0, refused = 0;
    find("config/explore/*.yaml", &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct ts_error error, run;
        enum ts_code code = hang(files.gl_pathv[i], &run);
        enum ts_code verdict = explore(files.gl_pathv[i], &error);
        bool rings = strstr(files.gl_pathv[i], "/tp") != NULL;
        ck_assert_msg(code == TS_OK || (code == TS_HANG && verdict == TS_HANG) ||
                          (code == TS_NOT_IMPLEMENTED && rings),
                      "%s: %d, explored %d: %s", files.gl_pathv[i], (int)code, (int)verdict,
                      run.text);
        ended += code == TS_OK;
        hung += code == TS_HANG;
        refused += code == TS_NOT_IMPLEMENTED;
    }
    globfree(&files);
    ck_assert_msg(ended >= 15 && hung >= 9 && refused == 4, "%u %u %u", ended, hung, refused);
}
END_TEST

START_TEST(steps_run)
{
    glob_t files;
    find("config/step/*.yaml", &files);
    ck_assert_uint_ge(files.gl_pathc, 16);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct ts_error error;
        enum ts_code code = hang(files.gl_pathv[i], &error);
        ck_assert_msg(code == TS_OK, "%s: %d %s", files.gl_pathv[i], (int)code, error.text);
    }
    globfree(&files);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, gallery_explored);
    tcase_add_test(tests, explored_run);
    tcase_add_test(tests, steps_run);
}

SUITE("exchange", add_tests)
