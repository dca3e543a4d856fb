// Sweeps of programs and of kernels over cores, chips and the machine: rows, the best run, bad input.
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <jansson.h>

static const struct {
    const char *command;
    int code;
    const char *said; // on stdout; with exit code 64 on stderr
} rows[] = {
    {"sweep binary rows=32 columns=32,64 chip=p100,p7 -D chip.clock_mhz=1000 --best time -q -o a",
     1, "4 of 4 runs, 0 resumed, 2 failed"},
    {"sweep binary rows=32 columns=32,64 chip=p100,p7 -D chip.clock_mhz=1000 --best time -q -o a",
     1, "4 of 4 runs, 4 resumed, 2 failed"},
    {"sweep matmul m=64 n=64 k=64 cores=1x1,2x1 clock=1000 --chip p300 --best tflops -q -o b", 0,
     "best tflops of matmul, 0.5243 MFLOP: matmul m=64 n=64 k=64 cores="},
    {"sweep matmul m=48,32 n=32 blocks=1 out-format=bf16 -q -o c", 1, "1 failed"},
    {"sweep matmul m=48,32 n=32 blocks=1 out-format=bf16 -q -o c", 1,
     "failed: matmul m=48 n=32 blocks=1 out-format=bf16: shape 48x32x128: multiples of 32"},
    {"sweep binary m=32 --best speed", 64, "--best: 'speed' is none of time tflops error"},
    {"sweep binary -D m=32", 64, "-D m=32: not a parameter of the machine"},
    {"sweep binary chip.nothing=1", 64, "chip.nothing: no such parameter"},
    {"sweep binary clock=1", 64, "1 is out of range"},
    {"sweep nothing", 64, "no kernel 'nothing', and no program"},
    {"sweep binary rows=32 colunms=32 -o d", 64,
     "binary has no parameter 'colunms'; it has: cores chip"},
    {"sweep binary rows=32 gemv -o d", 64, "gemv has no parameter 'rows'"},
    {"sweep matmul_seed cores=1x1", 64, "matmul_seed has no program for several cores"},
};

static json_t *row_of(const char *name, size_t index)
{
    json_t *table = json_load_file(in_folder(name), 0, NULL);
    ck_assert_ptr_nonnull(table);
    json_t *row = json_incref(json_array_get(json_object_get(table, "rows"), index));
    ck_assert_ptr_nonnull(row);
    json_decref(table);
    return row;
}

static const char *word(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text ? text : "";
}

static int whole(const json_t *row, const char *name)
{
    return (int)json_integer_value(json_object_get(row, name));
}

// A run that failed has its parameters and says why.
static void check_rows(void)
{
    json_t *good = row_of("a/table.json", 2), *bad = row_of("a/table.json", 3),
           *kernel = row_of("b/table.json", 0), *refused = row_of("c/table.json", 0);
    ck_assert_str_eq(word(good, "program"), "binary");
    ck_assert_str_eq(word(good, "chip"), "p100");
    ck_assert_int_eq(whole(good, "clock_mhz"), 1000);
    ck_assert_int_eq(whole(good, "code"), 0);
    ck_assert_int_eq(whole(bad, "code"), 3);
    ck_assert_int_eq(whole(bad, "columns"), 64);
    ck_assert_str_eq(word(bad, "chip"), "p7");
    ck_assert_ptr_nonnull(strstr(word(bad, "error"), "no chip 'p7'"));
    ck_assert_str_eq(word(kernel, "chip"), "p300");
    ck_assert_str_eq(word(kernel, "cores"), "1x1");
    ck_assert_int_eq(whole(refused, "m"), 48);
    ck_assert_int_eq(whole(refused, "blocks"), 1);
    ck_assert_str_eq(word(refused, "out_format"), "bf16");
    ck_assert_ptr_nonnull(strstr(text_of("c/table.csv"), "out_format,code,error"));
    json_decref(good);
    json_decref(bad);
    json_decref(kernel);
    json_decref(refused);
}

START_TEST(table)
{
    folder_make();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[300];
        snprintf(line, sizeof line, "$T %s", rows[i].command);
        int code = shell(line);
        ck_assert_msg(code == rows[i].code, "%s: exit code %d, not %d", line, code, rows[i].code);
        const char *text = text_of(code == 64 ? "stderr" : "stdout");
        ck_assert_msg(strstr(text, rows[i].said) != NULL, "%s: no '%s' in '%s'", line, rows[i].said,
                      text);
    }
    check_rows();
    // Runs on two cards: the comparison says so first.
    ck_assert_int_eq(shell("$T eltwise -M 32 -N 32 --chip p100 -q -o p && $T eltwise -M 32 -N 32 "
                           "--chip p150 -q -o q"),
                     0);
    shell("$T compare p q");
    ck_assert_ptr_eq(strstr(text_of("stdout"), "comparing chips: a is a p100, b is a p150\n"),
                     text_of("stdout"));
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, table);
}

SUITE("programs", add_tests)
