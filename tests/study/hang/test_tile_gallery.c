// The gallery over several tiles: programs with the SDK that hang. The root cause is the sentence
// that stands in the program file, word for word; the repaired twin (-p repaired=1) ends, also with
// delays.
#include "platform/base/json.h"
#include "tests/suite.h"

#include <check.h>
#include <ctype.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT "300000"

static glob_t files;

static int begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    return glob(TENSIM_SOURCE_DIR "/config/gallery/tiles/*.yaml", 0, NULL, &files);
}

static void end(void)
{
    globfree(&files);
}

// What stands behind a key in the comments of a program file.
static void comment(const char *path, const char *key, char *text, size_t size)
{
    char line[1300];
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[0] = '\0';
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "# ", 2) == 0 && strncmp(line + 2, key, strlen(key)) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, size, "%s", line + 2 + strlen(key));
        }
    fclose(file);
}

static json_t *run(const char *path, const char *options, int *code)
{
    char command[700];
    snprintf(command, sizeof command, "%s run -q --json - --max-cycles " LIMIT " %s %s 2>/dev/null",
             TENSIM_BINARY, options, path);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    json_t *document = json_loadf(pipe, 0, NULL);
    *code = pclose(pipe) >> 8;
    return document;
}

START_TEST(hangs)
{
    const char *path = files.gl_pathv[_i], *name = strrchr(path, '/') + 1;
    char expected[1400];
    int code;
    json_t *document = run(path, "", &code);
    comment(path, "cause: ", expected, sizeof expected);
    const json_t *cause = json_object_get(json_object_get(document, "hang"), "cause");
    ck_assert_msg(code == 2, "%s: exit code %d", name, code);
    ck_assert_msg(expected[0] && strcmp(ts_json_text(cause, "text"), expected) == 0, "%s:\n%s\n%s",
                  name, expected, ts_json_text(cause, "text"));
    // The sentence as fields.
    bool likely = strncmp(expected, "likely ", 7) == 0;
    ck_assert_str_eq(ts_json_text(cause, "certainty"), likely ? "likely" : "proved");
    ck_assert_msg(strncmp(expected + (likely ? 7 : 0), ts_json_text(cause, "verdict"),
                          strlen(ts_json_text(cause, "verdict"))) == 0,
                  "%s: %s", name, ts_json_text(cause, "verdict"));
    ck_assert_msg(ts_json_text(cause, "object")[0] &&
                      strstr(expected, ts_json_text(cause, "object")),
                  "%s: %s", name, ts_json_text(cause, "object"));
    ck_assert_msg(strstr(ts_json_text(cause, "line"), ".cpp:") != NULL, "%s: %s", name,
                  ts_json_text(cause, "line"));
    ck_assert_msg(json_array_size(json_object_get(cause, "frames")) > 0, "%s: no frames", name);
    // When it was detected is not when it began.
    const json_t *hang = json_object_get(document, "hang");
    json_int_t since = json_integer_value(json_object_get(hang, "since"));
    ck_assert_msg(since > 12000 && since < json_integer_value(json_object_get(hang, "cycle")),
                  "%s: since %lld", name, (long long)since);
    json_decref(document);
}
END_TEST

static void without_digits(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (!isdigit((unsigned char)*at))
            *to++ = *at;
    *to = '\0';
}

// A card of Wormhole: the same causes, but for places of tiles.
START_TEST(on_wormhole)
{
    const char *path = files.gl_pathv[_i];
    char expected[1400], found[1400];
    int code;
    if (!suite_every_case() && _i % 6 != 3)
        return;
    json_t *document = run(path, "--chip n150", &code);
    comment(path, "cause: ", expected, sizeof expected);
    snprintf(found, sizeof found, "%s",
             ts_json_text(json_object_get(json_object_get(document, "hang"), "cause"), "text"));
    without_digits(expected);
    without_digits(found);
    ck_assert_msg(code == 2, "%s: exit code %d", path, code);
    ck_assert_msg(strcmp(found, expected) == 0, "%s:\n%s\n%s", path, expected, found);
    json_decref(document);
}
END_TEST

// However much a core stores between its wait and what it sends, the cause is the same.
static const char *const busy[] = {
    "barrier-left-early",   "both-wait-first", "credit-after-pop", "dram-cycle",
    "one-counts-itself",    "ready-order",     "ring-of-four",     "ring-two-laps",
    "relay-through-buffer", "tile-cycle",      "too-many-pages",
};

START_TEST(stores_do_not_matter)
{
    static const char *const stores[] = {"-p stores=4", "-p stores=48", "-p stores=500"};
    char path[300], expected[1400];
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/gallery/tiles/%s.yaml", busy[_i]);
    comment(path, "cause: ", expected, sizeof expected);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        int code;
        json_t *document = run(path, stores[i], &code);
        const json_t *cause = json_object_get(json_object_get(document, "hang"), "cause");
        ck_assert_msg(code == 2, "%s %s: exit code %d", busy[_i], stores[i], code);
        ck_assert_msg(strcmp(ts_json_text(cause, "text"), expected) == 0, "%s %s:\n%s\n%s",
                      busy[_i], stores[i], expected, ts_json_text(cause, "text"));
        json_decref(document);
    }
}
END_TEST

// A poll over the network that ends long after the watchdog has begun to look for such.
START_TEST(late_is_no_hang)
{
    static const struct {
        const char *name, *options;
    } polls[] = {{"dram-flag", "-p repaired=1 -p stores=9000"},
                 {"dram-cycle", "-p repaired=1 -p stores=3000"},
                 {"tile-cycle", "-p repaired=1 -p stores=4000"}};
    char path[300];
    int code;
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/gallery/tiles/%s.yaml", polls[_i].name);
    json_t *document = run(path, polls[_i].options, &code);
    json_int_t cycles = json_integer_value(json_object_get(document, "cycles"));
    ck_assert_msg(code == 0 && cycles > 100000, "%s: exit code %d, cycle %lld", polls[_i].name,
                  code, (long long)cycles);
    json_decref(document);
}
END_TEST

START_TEST(twin_ends)
{
    static const char *const options[] = {"-p repaired=1", "-p repaired=1 --perturb 3:20"};
    // A sample has one of the two, by turns.
    const size_t step = suite_every_case() ? 1 : 2;
    for (size_t i = (size_t)_i % step; i < sizeof options / sizeof *options; i += step) {
        int code;
        json_decref(run(files.gl_pathv[_i], options[i], &code));
        ck_assert_msg(code == 0, "%s %s: exit code %d", files.gl_pathv[_i], options[i], code);
    }
}
END_TEST

START_TEST(enough)
{
    ck_assert_uint_ge(files.gl_pathc, 20);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, enough);
    tcase_add_loop_test(tests, hangs, 0, (int)files.gl_pathc);
    tcase_add_loop_test(tests, on_wormhole, 0, (int)files.gl_pathc);
    tcase_add_loop_test(tests, stores_do_not_matter, 0, (int)(sizeof busy / sizeof *busy));
    tcase_add_loop_test(tests, late_is_no_hang, 0, 3);
    tcase_add_loop_test(tests, twin_ends, 0, (int)files.gl_pathc);
}

SUITE("tile_gallery", add_tests, .begin = begin, .end = end)
