// The YAML reader: the position of every error, and the result when there is none.
#include "platform/base/yaml.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

static const char *const known[] = {"alpha", "beta", "gamma", NULL};

static void only(struct ts_yaml_node root)
{
    ts_yaml_only(root, "", known);
}

static void alpha_int(struct ts_yaml_node root)
{
    ts_yaml_int(ts_yaml_require(root, "alpha"), -5, 100, 0);
}

static void alpha_real(struct ts_yaml_node root)
{
    ts_yaml_real(ts_yaml_require(root, "alpha"), 0);
}

static void alpha_bool(struct ts_yaml_node root)
{
    ts_yaml_bool(ts_yaml_require(root, "alpha"), false);
}

static void alpha_text(struct ts_yaml_node root)
{
    ts_yaml_text(ts_yaml_require(root, "alpha"), "");
}

static void alpha_count(struct ts_yaml_node root)
{
    ts_yaml_count(ts_yaml_require(root, "alpha"));
}

static void beta_of_alpha(struct ts_yaml_node root)
{
    ts_yaml_require(ts_yaml_require(root, "alpha"), "beta");
}

static void two_errors(struct ts_yaml_node root)
{
    alpha_int(root);
    only(root);
}

START_TEST(positions)
{
    static const struct {
        const char *text;
        void (*read)(struct ts_yaml_node root);
        const char *message; // "": none
    } rows[] = {
        {"alpha: 3\n", alpha_int, ""},
        {"alpha: -5\n", alpha_int, ""},
        {"alpha: 0x10\n", alpha_int, ""},
        {"alpha: 3q\n", alpha_int, "f:1:8: '3q' is not an integer"},
        {"alpha: 3.5\n", alpha_int, "f:1:8: '3.5' is not an integer"},
        {"alpha: ' 3'\n", alpha_int, "f:1:8: ' 3' is not an integer"},
        {"alpha: ''\n", alpha_int, "f:1:8: '' is not an integer"},
        {"alpha: 99999999999999999999\n", alpha_int,
         "f:1:8: '99999999999999999999' is not an integer"},
        {"# x\n\nalpha:   101\n", alpha_int, "f:3:10: 101 is out of range: -5 to 100"},
        {"alpha: 0101\n", alpha_int, "f:1:8: 0101 is out of range: -5 to 100"}, // decimal
        {"alpha: -6\n", alpha_int, "f:1:8: -6 is out of range: -5 to 100"},
        {"beta: 1\n", alpha_int, "f:1:1: the key 'alpha' is missing"},
        {"alpha: [1, 2]\n", alpha_int, "f:1:8: a single value is expected here"},
        {"alpha: {a: b}\n", alpha_text, "f:1:8: a single value is expected here"},
        {"alpha: 1.5e3\n", alpha_real, ""},
        {"alpha: 1.5x\n", alpha_real, "f:1:8: '1.5x' is not a number"},
        {"alpha: yes\n", alpha_bool, ""},
        {"alpha: maybe\n", alpha_bool, "f:1:8: 'maybe' is neither true nor false"},
        {"alpha: 1\n", alpha_count, "f:1:8: a mapping or a list is expected here"},
        {"alpha: 1\n", beta_of_alpha, "f:1:8: a mapping with the key 'beta' is expected here"},
        {"- 1\n", beta_of_alpha, "f:1:1: a mapping with the key 'alpha' is expected here"},
        {"alpha: 1\nbeta: 2\n", only, ""},
        {"alpha: 1\n  \nbetta: 2\n", only,
         "f:3:1: no key 'betta' is known here; did you mean "
         "'beta'?"},
        {"alpha: 1\nzzzzzzzzzz: 2\n", only, "f:2:1: no key 'zzzzzzzzzz' is known here"},
        {"alpha: 1\nbeta: 2\nalpha: 3\n", only, "f:3:1: the key 'alpha' is there twice"},
        {"alpha: 3q\nbetta: 2\n", two_errors, "f:1:8: '3q' is not an integer"},
        {"alpha: [1, 2\n", NULL, "f:2:1: did not find expected ',' or ']'"},
        {"alpha: 1\n\tbeta: 2\n", NULL, "f:2:1: found a tab character that violates indentation"},
        {"", NULL, "f:1:1: the file is empty"},
        {"# only a comment\n", NULL, "f:1:1: the file is empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ts_error error = {0};
        struct ts_yaml file;
        bool good = ts_yaml_parse(&file, "f", rows[i].text, &error);
        if (good && rows[i].read)
            rows[i].read(ts_yaml_root(&file));
        ck_assert_msg(strcmp(error.text, rows[i].message) == 0, "row %zu: %s", i, error.text);
        ck_assert_int_eq(error.code, *rows[i].message ? TS_SETUP : TS_OK);
        ts_yaml_free(&file);
        ts_yaml_free(&file); // twice does no harm
    }
}
END_TEST

START_TEST(values)
{
    struct ts_error error = {0};
    struct ts_yaml file;
    ck_assert(ts_yaml_parse(
        &file, "f", "a: 0x1F\nb: [x, 'y z', \"q\"]\nc: {d: off, e: no}\nf: -7.25\n", &error));
    struct ts_yaml_node root = ts_yaml_root(&file);
    ck_assert_uint_eq(ts_yaml_count(root), 4);
    ck_assert_int_eq(ts_yaml_int(ts_yaml_find(root, "a"), 0, 100, 1), 31);
    ck_assert_int_eq(ts_yaml_int(ts_yaml_find(root, "none"), 0, 100, 55), 55);
    struct ts_yaml_node list = ts_yaml_find(root, "b");
    ck_assert(ts_yaml_is_list(list));
    ck_assert_uint_eq(ts_yaml_count(list), 3);
    ck_assert_str_eq(ts_yaml_text(ts_yaml_at(list, 1), ""), "y z");
    struct ts_yaml_node map = ts_yaml_find(root, "c");
    ck_assert(ts_yaml_is_map(map));
    ck_assert_str_eq(ts_yaml_text(ts_yaml_key(map, 1), ""), "e");
    ck_assert(!ts_yaml_bool(ts_yaml_value(map, 1), true));
    ck_assert(ts_yaml_real(ts_yaml_find(root, "f"), 0) == -7.25);
    ck_assert_int_eq(ts_yaml_line(map), 3);
    ck_assert_int_eq(error.code, TS_OK);
    ts_yaml_free(&file);
}
END_TEST

START_TEST(no_file)
{
    struct ts_error error = {0};
    struct ts_yaml file;
    ck_assert(!ts_yaml_load(&file, "/nowhere/x.yaml", &error));
    ck_assert_str_eq(error.text, "/nowhere/x.yaml: No such file or directory");
    ts_yaml_free(&file);
}
END_TEST

START_TEST(nearest)
{
    static const struct {
        const char *word, *near;
    } rows[] = {
        {"alpa", "alpha"},  {"Beta", "beta"}, {"gama", "gamma"},
        {"alpha", "alpha"}, {"xyzxyz", NULL}, {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *near = ts_nearest(rows[i].word, known);
        ck_assert_msg((near == NULL) == (rows[i].near == NULL), "'%s': %s", rows[i].word, near);
        if (near)
            ck_assert_str_eq(near, rows[i].near);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, positions);
    tcase_add_test(tests, values);
    tcase_add_test(tests, no_file);
    tcase_add_test(tests, nearest);
}

SUITE("yaml", add_tests)
