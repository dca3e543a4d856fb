// The gallery of hangs: every program ends with the verdict it says, and the explanation names the
// object, the nodes and the history it says; with polls parked and step by step; and the search
// finds the races that the usual timing hides.
#include "platform/study/hang_program.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 2000000

// The words of `path` appear in `line` in this order.
static bool in_order(const char *line, const char *path)
{
    char copy[120], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        line = strstr(line, word);
        if (line == NULL)
            return false;
        line += strlen(word);
    }
    return true;
}

static void check_one(const char *path, struct ts_hang_program *program,
                      const struct ts_tile_config *config)
{
    struct ts_hang_outcome outcome;
    ts_hang_program_run(program, config, LIMIT, &outcome);
    const char *name = strrchr(path, '/') + 1;
    bool hang = strcmp(program->verdict, "hang") == 0;
    ck_assert_msg(outcome.code == (hang ? TS_HANG : TS_OK), "%s: code %d %s %s", name,
                  (int)outcome.code, outcome.text, outcome.line);
    if (hang) {
        char object[48];
        snprintf(object, sizeof object, "[%s]", program->object);
        ck_assert_msg(in_order(outcome.line, program->path), "%s: path %s", name, outcome.line);
        ck_assert_msg(program->object[0] == '\0' || strstr(outcome.line, object), "%s: object %s",
                      name, outcome.line);
        ck_assert_msg(strstr(outcome.screen, program->says) != NULL, "%s: says\n%s", name,
                      outcome.screen);
        // Not one of these does anything useful after cycle 5000.
        ck_assert_msg(outcome.cycle < 15000, "%s: cycle %llu", name,
                      (unsigned long long)outcome.cycle);
        ck_assert(json_array_size(json_object_get(outcome.document, "tiles")) == 1);
        ck_assert(json_array_size(json_object_get(outcome.document, "edges")) > 0);
    }
    ts_hang_outcome_free(&outcome);
}

START_TEST(gallery)
{
    glob_t files;
    ck_assert_int_eq(glob(TENSIM_SOURCE_DIR "/tests/gallery/*.yaml", 0, NULL, &files), 0);
    ck_assert_uint_gt(files.gl_pathc, 30);
    struct ts_hang_program *program = malloc(sizeof *program);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct ts_error error = {0};
        ck_assert_msg(ts_hang_program_read(program, files.gl_pathv[i], &error), "%s", error.text);
        ck_assert_msg(program->verdict[0], "%s expects nothing", files.gl_pathv[i]);
        struct ts_tile_config config = ts_tile_config_default();
        check_one(files.gl_pathv[i], program, &config);
        config.run_ahead = config.park = false;
        check_one(files.gl_pathv[i], program, &config);
    }
    free(program);
    globfree(&files);
}
END_TEST

static const struct {
    const char *name;
    uint32_t seeds;
    bool hangs;
} searches[] = {
    {"g01-racy", 50, true},
    {"g01-repaired", 20, false},
    {"g09-racy", 50, true},
    {"g09-repaired", 20, false},
};

START_TEST(searching)
{
    struct ts_hang_program *program = malloc(sizeof *program);
    char path[256];
    struct ts_error error = {0};
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/tests/gallery/%s.yaml", searches[_i].name);
    ck_assert_msg(ts_hang_program_read(program, path, &error), "%s", error.text);
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_hang_search search = {.seeds = searches[_i].seeds, .most = 64, .threads = 2};
    ck_assert_msg(ts_hang_search(program, &config, LIMIT, &search) == searches[_i].hangs,
                  "%s: seed %u max %u", searches[_i].name, search.seed, search.max);
    if (searches[_i].hangs) { // replays, to the cycle
        struct ts_hang_outcome a, b;
        config.perturb_seed = search.seed;
        config.perturb_max = search.max;
        ts_hang_program_run(program, &config, LIMIT, &a);
        ts_hang_program_run(program, &config, LIMIT, &b);
        ck_assert_int_eq(a.code, TS_HANG);
        ck_assert_uint_eq(a.cycle, b.cycle);
        ck_assert_str_eq(a.screen, b.screen);
        ts_hang_outcome_free(&a);
        ts_hang_outcome_free(&b);
    }
    free(program);
}
END_TEST

// Under --strict the first lint ends the run, at its cause and not where it hangs.
START_TEST(strict)
{
    static const struct {
        const char *name, *text;
    } rows[] = {{"g01-lost-semget", "semaphore get at 0 is lost (semaphore 3, by core T"},
                {"g05-post-above-max", "semaphore post at 15 is lost"},
                {"g09-clear-before-valid", "SETRWC of T1, srca[0]"}};
    struct ts_hang_program *program = malloc(sizeof *program);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[256];
        struct ts_error error = {0};
        struct ts_hang_outcome outcome;
        snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/tests/gallery/%s.yaml", rows[i].name);
        ck_assert_msg(ts_hang_program_read(program, path, &error), "%s", error.text);
        struct ts_tile_config config = ts_tile_config_default();
        config.strict = true;
        ts_hang_program_run(program, &config, LIMIT, &outcome);
        ck_assert_int_eq(outcome.code, TS_CONTRACT);
        ck_assert_msg(strstr(outcome.text, rows[i].text) != NULL, "%s", outcome.text);
        ts_hang_outcome_free(&outcome);
    }
    free(program);
}
END_TEST

// Correct programs pass whatever the delays: all vectors, two seeds.
START_TEST(perturbed_vectors)
{
    static const char *const seeds[] = {"7:40", "2:9"};
    char command[512];
    snprintf(command, sizeof command,
             "%s vector -q --perturb %s " TENSIM_SOURCE_DIR "/tests/vectors/*.ttv >/dev/null",
             TENSIM_BINARY, seeds[_i]);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

// Exit codes and the document of the command.
START_TEST(command)
{
    char text[512];
    snprintf(text, sizeof text,
             "%s hang --json - " TENSIM_SOURCE_DIR "/tests/gallery/g13-unpack-sync-wedged.yaml",
             TENSIM_BINARY);
    FILE *pipe = popen(text, "r");
    ck_assert_ptr_nonnull(pipe);
    json_t *document = json_loadf(pipe, 0, NULL);
    ck_assert_int_eq(pclose(pipe), TS_HANG << 8);
    json_t *hang = json_object_get(document, "hang");
    json_t *path = json_object_get(json_array_get(json_object_get(hang, "tiles"), 0), "path");
    ck_assert_str_eq(json_string_value(json_array_get(path, 0)), "trisc0");
    ck_assert_str_eq(json_string_value(json_array_get(path, 2)), "UNPACK0");
    json_decref(document);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hang");
    TCase *tcase = tcase_create("gallery");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, gallery);
    tcase_add_test(tcase, strict);
    tcase_add_test(tcase, command);
    tcase_add_loop_test(tcase, perturbed_vectors, 0, 2);
    tcase_add_loop_test(tcase, searching, 0, (int)(sizeof searches / sizeof *searches));
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
