// tensim compare: what moved between runs, the gate's exit codes, sets of runs, bad input.
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <jansson.h>

static void make_runs(void)
{
    folder_make();
    ck_assert_int_eq(shell("$T matmul -q -M 32 -N 64 -K 32 -o a"), 0);
    ck_assert_int_eq(shell("$T matmul -q -M 32 -N 64 -K 32 -T 5 -o b"), 0);
    ck_assert_int_eq(shell("$T matmul -q -M 32 -N 64 -K 32 -o c"), 0);
}

static const struct {
    const char *command;
    int code;
    const char *said; // on stdout or stderr
} rows[] = {
    {"compare a c", 0, "the run: the same\n1 run compared, 1 the same, 0 beyond"},
    {"compare a b", 1, "beyond the tolerance by cycles"},
    {"compare a b", 1, "tile[1-2].t1"},
    {"compare a b -T 1000", 0, "within the tolerance"},
    {"compare b a", 1, "beyond the tolerance by cycles"},
    {"compare b a --tolerance=slower", 0, "within the tolerance"},
    {"compare a/result.json b/result.json", 1, "cycles "},
    {"compare set1 set2", 1, "y: only in set1"},
    {"compare set1 set2", 1, "1 run compared, 0 the same, 2 beyond"},
    {"compare sweep sweep", 0, "2 runs compared, 2 the same"},
    {"compare a nowhere", 3, "nowhere: there is no such file or directory"},
    {"compare a empty", 3, "empty: no run in it"},
    {"compare a bad.json", 3, "bad.json:2:"},
    {"compare a", 64, "name at least two runs"},
    {"compare a b c", 1, "against b:\nthe run: beyond the tolerance by cycles"},
    {"compare a b c", 1, "2 runs compared, 1 the same, 1 beyond"},
    {"compare a a a a a a a a a a", 64, "compare takes 9 words"},
    {"compare a b -T x", 64, "'x' is not a percentage"},
};

START_TEST(table)
{
    make_runs();
    ck_assert_int_eq(shell("mkdir -p set1 set2 empty && cp -r a set1/x && cp -r c set1/y && "
                           "cp -r b set2/x && printf '{\\n]' > bad.json"),
                     0);
    ck_assert_int_eq(shell("$T sweep matmul -q m=32 n=32 k=32 throttle=0,5 -o sweep"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[300];
        snprintf(line, sizeof line, "$T %s", rows[i].command);
        int code = shell(line);
        ck_assert_msg(code == rows[i].code, "%s: exit code %d, not %d", line, code, rows[i].code);
        const char *text = code == 3 || code == 64 ? text_of("stderr") : text_of("stdout");
        ck_assert_msg(strstr(text, rows[i].said) != NULL, "%s: no '%s' in '%s'", line, rows[i].said,
                      text);
    }
    folder_remove();
}
END_TEST

// The document: cycles with their change, and causes that add up to what the units report.
START_TEST(document)
{
    make_runs();
    ck_assert_int_eq(shell("$T compare a b --json diff.json"), 1);
    json_t *all = json_load_file(in_folder("diff.json"), 0, NULL);
    ck_assert_ptr_nonnull(all);
    ck_assert_int_eq(json_integer_value(json_object_get(all, "beyond")), 1);
    const json_t *run = json_array_get(json_object_get(all, "runs"), 0);
    const json_t *cycles = json_array_get(json_object_get(run, "figures"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(cycles, "name")), "cycles");
    double a = json_number_value(json_object_get(cycles, "a"));
    double b = json_number_value(json_object_get(cycles, "b"));
    ck_assert(b > a);
    ck_assert_double_eq_tol(json_number_value(json_object_get(cycles, "change")), 100 * (b - a) / a,
                            1e-9);
    json_int_t last = INT64_MAX;
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(run, "moved"), index, row)
    {
        json_int_t change = json_integer_value(json_object_get(row, "change"));
        ck_assert_int_eq(change, json_integer_value(json_object_get(row, "b")) -
                                     json_integer_value(json_object_get(row, "a")));
        change = change < 0 ? -change : change;
        ck_assert_int_le(change, last);
        ck_assert_int_gt(change, 0);
        last = change;
    }
    ck_assert_uint_gt(index, 4);
    // Causes come first, symptoms below.
    ck_assert_uint_gt(json_array_size(json_object_get(run, "causes")), 0);
    shell("$T compare a b");
    const char *text = text_of("stdout"), *cause = strstr(text, "causes, by source line"),
               *symptom = strstr(text, "symptoms: ");
    ck_assert(cause && symptom && cause < symptom);
    json_decref(all);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, table);
    tcase_add_test(tests, document);
}

SUITE("compare", add_tests)
