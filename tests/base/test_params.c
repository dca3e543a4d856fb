// Parameters: every number needs value, unit, kind and source; errors name their location.
#include "platform/base/params.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>
#include <unistd.h>

static const struct ts_param rows[] = {
    {"hop", "cycles", 1, 100, "latency of a hop"},
    {"depth", "words", 1, 64, "depth of a FIFO"},
};

struct values {
    int64_t hop, depth;
};

static char path[] = "/tmp/tensim-params-XXXXXX";

static void write_file(const char *text)
{
    strcpy(path, "/tmp/tensim-params-XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static enum ts_code load(struct ts_params *params, const char *text, struct ts_error *error)
{
    *params = (struct ts_params){0};
    ts_params_add(params, "noc", rows, 2);
    write_file(text);
    enum ts_code code = ts_params_load(params, path, error);
    unlink(path);
    return code;
}

#define HOP   "  hop: {value: 9, unit: cycles, kind: documented, source: \"a page\"}\n"
#define DEPTH "  depth: {value: 8, unit: words, kind: chosen, source: any}\n"

START_TEST(errors_of_a_file)
{
    static const struct {
        const char *text, *message; // without the file's name
    } cases[] = {
        {"noc:\n" HOP DEPTH, ""},
        {"noc:\n" DEPTH HOP, ""},
        {"noc:\n" HOP, ":2:3: the key 'depth' is missing"},
        {"noc:\n" HOP DEPTH "  hopp: {value: 1}\n",
         ":4:3: no key 'hopp' is known here; did you mean 'hop'?"},
        {"noc:\n" HOP DEPTH HOP, ":4:3: the key 'hop' is there twice"},
        {"noc:\n" HOP DEPTH "nok:\n  a: 1\n",
         ":4:1: no key 'nok' is known here; did you mean 'noc'?"},
        {"another: 1\n", ":1:1: no key 'another' is known here"},
        {"noc: 3\n", ":1:6: a mapping is expected here"},
        {"noc:\n" HOP "  depth: 8\n", ":3:10: a mapping is expected here"},
        {"noc:\n" HOP "  depth: {value: 8, unit: words, kind: chosen}\n",
         ":3:10: the key 'source' is missing"},
        {"noc:\n" HOP "  depth: {value: 8, unit: words, source: any}\n",
         ":3:10: the key 'kind' is missing"},
        {"noc:\n" HOP "  depth: {value: 8, kind: chosen, source: any}\n",
         ":3:10: the key 'unit' is missing"},
        {"noc:\n" HOP "  depth: {unit: words, kind: chosen, source: any}\n",
         ":3:10: the key 'value' is missing"},
        {"noc:\n" HOP "  depth: {value: 8, unit: words, kind: chosen, source: ''}\n",
         ":3:56: the source of depth is empty"},
        {"noc:\n" HOP "  depth: {value: 8, unit: words, kind: guessed, source: any}\n",
         ":3:40: 'guessed' is not documented, measured, inferred, assumed or chosen"},
        {"noc:\n" HOP "  depth: {value: 8, unit: bytes, kind: chosen, source: any}\n",
         ":3:27: depth is in words, not in bytes"},
        {"noc:\n" HOP "  depth: {value: 65, unit: words, kind: chosen, source: any}\n",
         ":3:18: 65 is out of range: 1 to 64"},
        {"noc:\n" HOP "  depth: {value: 0, unit: words, kind: chosen, source: any}\n",
         ":3:18: 0 is out of range: 1 to 64"},
        {"noc:\n" HOP "  depth: {value: 3q, unit: words, kind: chosen, source: any}\n",
         ":3:18: '3q' is not an integer"},
        {"noc:\n" HOP "  depth: {value: 8, unit: words, kind: chosen, sauce: any}\n",
         ":3:48: no key 'sauce' is known here; did you mean 'source'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_error error = {0};
        struct ts_params params;
        enum ts_code code = load(&params, cases[i].text, &error);
        ck_assert_int_eq(code, *cases[i].message ? TS_SETUP : TS_OK);
        const char *rest = *cases[i].message ? error.text + strlen(path) : "";
        ck_assert_msg(strcmp(rest, cases[i].message) == 0, "case %zu: %s", i, error.text);
        if (*cases[i].message)
            ck_assert_int_eq(strncmp(error.text, path, strlen(path)), 0);
        ts_params_free(&params);
    }
}
END_TEST

// A file that says only what differs from another one in its folder.
START_TEST(like_another)
{
    struct ts_params params;
    struct ts_error error = {0};
    char other[] = "/tmp/tensim-like.yaml";
    FILE *file = fopen(other, "w");
    fputs("noc:\n" HOP DEPTH, file);
    fclose(file);
    ck_assert_int_eq(load(&params,
                          "like: tensim-like\nnoc:\n  hop: {value: 5, unit: cycles, kind: "
                          "measured, source: a card}\n",
                          &error),
                     TS_OK);
    struct values values;
    TS_PARAMS_FILL(&params, "noc", &values);
    ck_assert_int_eq(values.hop, 5);
    ck_assert_int_eq(values.depth, 8);
    ts_params_free(&params);
    ck_assert_int_eq(load(&params, "like: tensim-like\n", &error), TS_OK);
    ts_params_free(&params);
    ck_assert_int_ne(load(&params, "like: ../tensim-like\n", &error), TS_OK);
    ck_assert_msg(strstr(error.text, ":1:7: like: names a file"), "%s", error.text);
    ts_params_free(&params);
    file = fopen(other, "w");
    fputs("like: more\n", file);
    fclose(file);
    error = (struct ts_error){0};
    ck_assert_int_ne(load(&params, "like: tensim-like\n", &error), TS_OK);
    ck_assert_msg(strstr(error.text, "like.yaml:1:7: this file is like another one already"), "%s",
                  error.text);
    ts_params_free(&params);
    unlink(other);
}
END_TEST

START_TEST(set)
{
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"noc.hop=3", ""},
        {"noc.hop=0x10", ""},
        {"noc.hop", "--set noc.hop: key=value is expected"},
        {"noc.hop=3q", "--set noc.hop: '3q' is not an integer"},
        {"noc.hop=", "--set noc.hop: '' is not an integer"},
        {"noc.hop= 3", "--set noc.hop: ' 3' is not an integer"},
        {"noc.hop=101", "--set noc.hop: 101 is out of range: 1 to 100 cycles"},
        {"noc.hop=-1", "--set noc.hop: -1 is out of range: 1 to 100 cycles"},
        {"noc.hob=3", "--set noc.hob: no such parameter; did you mean 'noc.hop'?"},
        {"hop=3", "--set hop: no such parameter; 'tensim config' lists them"},
        {"something.else.entirely=3",
         "--set something.else.entirely: no such parameter; 'tensim config' lists them"},
        {"=3", "--set : no such parameter; 'tensim config' lists them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_error error = {0};
        struct ts_params params;
        ck_assert_int_eq(load(&params, "noc:\n" HOP DEPTH, &error), TS_OK);
        enum ts_code code = ts_params_set(&params, cases[i].assignment, &error);
        ck_assert_msg(strcmp(error.text, cases[i].message) == 0, "case %zu: %s", i, error.text);
        ck_assert_int_eq(code, *cases[i].message ? TS_USAGE : TS_OK);
        struct values values;
        TS_PARAMS_FILL(&params, "noc", &values);
        ck_assert_int_eq(values.depth, 8);
        ck_assert_int_eq(values.hop, i == 0 ? 3 : i == 1 ? 16 : 9);
        const struct ts_param_value *hop = &params.groups[0].values[0];
        ck_assert_int_eq(hop->kind, i < 2 ? TS_CHOSEN : TS_DOCUMENTED);
        ck_assert_str_eq(hop->source, i < 2 ? "--set" : "a page");
        ts_params_free(&params);
    }
}
END_TEST

static char *written(const struct ts_params *params)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ts_params_write(params, file);
    fclose(file);
    return text;
}

START_TEST(written_and_loaded_again)
{
    static const char *const sources[] = {
        "plain",
        "\"a \\\"quoted\\\" \\\\ word\"",
        "'# no comment: {x}'",
        "\"two\\nlines\\tand a tab\"",
        "\"caf\xc3\xa9\"",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "noc:\n" HOP "  depth: {value: 8, unit: words, kind: inferred, source: %s}\n",
                 sources[i]);
        struct ts_error error = {0};
        struct ts_params first, second;
        ck_assert_msg(load(&first, text, &error) == TS_OK, "%s", error.text);
        ck_assert_int_eq(ts_params_set(&first, "noc.hop=77", &error), TS_OK);
        char *once = written(&first);
        ck_assert_msg(load(&second, once, &error) == TS_OK, "%s\n%s", error.text, once);
        char *twice = written(&second);
        ck_assert_str_eq(once, twice);
        for (int j = 0; j < 2; j++) {
            const struct ts_param_value *a = &first.groups[0].values[j];
            const struct ts_param_value *b = &second.groups[0].values[j];
            ck_assert_int_eq(a->value, b->value);
            ck_assert_int_eq(a->kind, b->kind);
            ck_assert_str_eq(a->source, b->source);
        }
        ck_assert(strstr(once, "hop: {value: 77, "));
        free(once);
        free(twice);
        ts_params_free(&first);
        ts_params_free(&second);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, errors_of_a_file);
    tcase_add_test(tests, like_another);
    tcase_add_test(tests, set);
    tcase_add_test(tests, written_and_loaded_again);
}

SUITE("params", add_tests)
