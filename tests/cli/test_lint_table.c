// The table of lints as the command prints it, and one lint of a run in all its places: stderr,
// result, page, and as a fault under --lint=strict.
#include "tests/folder.h"
#include "tests/suite.h"
#include "units/isa/lints.h"

#include <jansson.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char out[1 << 18];

// Runs it in the folder, if there is one; its exit code.
static int run(const char *arguments)
{
    char command[800];
    snprintf(command, sizeof command, "cd %s; %s %s 2>&1", access(folder, F_OK) == 0 ? folder : ".",
             TENSIM_BINARY, arguments);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

START_TEST(table)
{
    ck_assert_int_eq(run("ops lints"), 0);
    const char *idioms = strstr(out, "off: idioms");
    ck_assert_ptr_nonnull(idioms);
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++) {
        const struct ts_lint_info *lint = &ts_lint_info[i];
        char line[80];
        snprintf(line, sizeof line, "  %s\n", lint->id);
        const char *at = strstr(out, line);
        ck_assert_msg(at != NULL, "%s", lint->id);
        ck_assert_msg((at > idioms) == lint->idiom, "%s", lint->id);
        ck_assert(strstr(at, lint->text) && strstr(at, lint->cure) && strstr(at, lint->source));
    }
    ck_assert_int_eq(run("ops lints --json -"), 0);
    json_t *document = json_loads(out, 0, NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(document, "lints")), TS_REPORT_COUNT);
    json_decref(document);
}
END_TEST

// A program that does what lints.def calls pack-threshold: it packs a 32-bit Dst to BFP8A and takes
// the exponent threshold away.
#define WRAPS "run wraps -p rows=32 -p columns=32"

static void write_wraps(void)
{
    char line[1000];
    ck_assert_int_eq(run("new wraps --like eltwise"), 0);
    snprintf(line, sizeof line,
             "cd %s/wraps && sed -i '/id: 16/s/bf16/bfp8a/; /^    y:/s/bf16/bfp8a/; "
             "s/fidelity: hifi4/&\\n      fp32: true/' program.yaml && sed -i "
             "'s/^    for (/PACK(cfg_rmw(THCON_SEC0_REG1_Exp_threshold_ADDR32, "
             "THCON_SEC0_REG1_Exp_threshold_en_MASK, 0);)\\n&/' compute.cpp",
             folder);
    ck_assert_int_eq(system(line), 0);
}

START_TEST(places)
{
    char path[200];
    static char text[1 << 21];
    folder_make();
    write_wraps();
    ck_assert_int_eq(run(WRAPS " -o run"), 0);
    ck_assert_msg(strstr(out, "tensim: pack-threshold (wrong result): tile 1-2: ") != NULL, "%s",
                  out);
    ck_assert_ptr_nonnull(strstr(out, "; remedy: set Exp_threshold_en"));
    ck_assert_ptr_null(strstr(strstr(out, "remedy: ") + 1, "remedy: ")); // once
    const char *const files[] = {"result.json", "report.html"};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/run/%s", folder, files[i]);
        slurp(path, text, sizeof text);
        ck_assert_msg(strstr(text, "pack-threshold") && strstr(text, "small values wrap"), "%s",
                      files[i]);
    }
    ck_assert_int_eq(run(WRAPS " --lint=strict"), 4);
    ck_assert_ptr_nonnull(strstr(out, "pack-threshold: 32-bit Dst is packed"));
    ck_assert_int_eq(run(WRAPS " --lint=strict --lint style,-pack-threshold"), 0);
    ck_assert_ptr_null(strstr(out, "pack-threshold"));
    folder_remove();
}
END_TEST

// The built-in kernels set the threshold where they need it.
START_TEST(set_where_needed)
{
    static const char *const runs[] = {
        "matmul -f bfp8a --out-format bfp8a", "matmul -f bf16 --out-format bfp2a --blocks 2",
        "eltwise -f fp32 --out-format bfp4a", "reduce -f tf32 --out-format bfp8a",
        "sfpu -O relu -f fp32 --out-format bfp8a"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char line[200];
        snprintf(line, sizeof line, "%s -M 64 -N 64 -d 32 --lint=strict", runs[i]);
        ck_assert_msg(run(line) == 0, "%s: %s", runs[i], out);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, table);
    tcase_add_test(tests, places);
    tcase_add_test(tests, set_where_needed);
}

SUITE("lint table", add_tests)
