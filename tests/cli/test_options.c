// Options: every command takes only its own, wrong values list the choices, help and defaults are
// correct.
#include "tests/folder.h"
#include "tests/job/kernel.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[1 << 16]; // stdout and stderr of the last run

// Runs the program; its output is in `output`.
static int run(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "exec %s %s 2>&1 </dev/null", program_of(arguments),
             arguments);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t used = fread(output, 1, sizeof output - 1, pipe);
    output[used] = '\0';
    int status = pclose(pipe);
    ck_assert_msg(WIFEXITED(status), "tensim %s: %s", arguments, output);
    return WEXITSTATUS(status);
}

// --- what is refused
// ----------------------------------------------------------------------------------------------

static const struct {
    const char *arguments, *text;
} refused[] = {
    // Options of other kernels.
    {"matmul --op sin --broadcast row", "unrecognized option '--op'"},
    {"matmul -O nonsense", "invalid option -- 'O'"},
    {"matmul --broadcast row", "unrecognized option '--broadcast'"},
    {"sfpu --k 64", "unrecognized option '--k'"},
    {"sfpu --fidelity hifi4", "unrecognized option '--fidelity'"},
    {"transpose --throttle 1", "unrecognized option '--throttle'"},
    {"eltwise --grid 2x2", "unrecognized option '--grid'"},
    {"norm --dst 32", "unrecognized option '--dst'"},
    {"tilize --sub-block 1x2", "unrecognized option '--sub-block'"},
    {"reduce --flip 5", "unrecognized option '--flip'"},
    // Values that are none, with the choices.
    {"matmul --format banana", "choose from fp32 tf32 fp16 bf16 fp8 bfp8"},
    {"matmul --out-format banana", "choose from fp32"},
    {"norm --format fp16", "norm has no 'fp16'; choose from bf16"},
    {"tilize --format fp32", "choose from bf16 fp16"},
    {"sfpu --op foo", "choose from copy relu exp reciprocal sigmoid gelu"},
    {"eltwise --op foo", "choose from add sub mul"},
    {"eltwise --broadcast foo", "choose from none row col scalar"},
    {"matmul --fidelity foo", "choose from lofi hifi2 hifi3 hifi4"},
    {"matmul --fidelity ''", "choose from lofi hifi2 hifi3 hifi4"},
    {"matmul --fidelity 'lofi hifi2'", "choose from lofi hifi2 hifi3 hifi4"},
    {"matmul --run-type foo", "choose from l1_to_l1 unpack_isolate math_isolate"},
    {"matmul --dst 8", "choose from 16 32"},
    {"matmul --grid 1x1 --storage l1", "choose from l1/dram/l1"},
    {"matmul --throttle 6", "'6' is not a number from 0 to 5"},
    {"matmul --throttle -1", "'-1' is not a number from 0 to 5"},
    {"matmul --tiles 141", "'141' is not a number from 1 to 140"},
    {"matmul --m 1e3", "'1e3' is not a number"},
    {"matmul --mean nan", "'nan' is not a number"},
    {"matmul --spread -1", "'-1' is not a number"},
    {"matmul --sub-block 2", "'2' is not HxW"},
    {"matmul --sub-block 0x2", "'0x2' is not HxW"},
    {"matmul --grid -1x2", "'-1x2' is not CxR"},
    {"matmul --tile 16x32 --blocks 2", "for one tile without --blocks"},
    {"matmul --tile 16x32 --grid 2x2", "llk/matmul-grid has no parameter 'tile'"},
    {"matmul --tile 8x32", "choose from 32x32 16x32 32x16 16x16"},
    {"norm --tile 16x32", "unrecognized option '--tile'"},
    {"eltwise -M 16", "multiples of 32, 32 and 32"},
    {"sfpu --tile 16x16 --unpack-to-dst -f fp32 -d 32", "takes tiles of 32x32"},
    {"matmul --transpose in0", "has no 'in0'; choose from none in1"},
    {"matmul --transpose in1 --grid 2x2", "llk/matmul-grid has no parameter 'transpose'"},
    {"matmul --flip 0", "'0' is not CYCLE[:LEVEL], cycles from 1 on"},
    {"matmul --perturb x", "--perturb x: not SEED"},
    // What means nothing together, or to this kernel.
    {"matmul --storage l1/dram/l1", "unrecognized option '--storage'"},
    {"matmul --grid 2x2 --tiles 3", "llk/matmul-grid has no parameter 'tiles'"},
    {"matmul --grid 2x2 --run-type math_isolate", "llk/matmul-grid has no parameter 'run-type'"},
    {"matmul --flip 100 --throttle 5", "nothing changes"},
    {"matmul --flip 100 --run-type math_isolate", "only --run-type l1_to_l1 calls matmul_block"},
    {"matmul --kernel nonsense", "choose from blocked tiles seed"},
    {"matmul --kernel seed --blocks 2", "llk/matmul-seed has no parameter 'blocks'"},
    {"matmul --blocks 2 --kernel seed", "llk/matmul-seed has no parameter 'blocks'"},
    {"matmul -O seed", "invalid option -- 'O'"},
    {"matmul --flip 100:2", "LEVEL is 5 or that of --throttle"},
    {"matmul --flip 200,100", "in the order of their cycles"},
    {"matmul --flip 100:9", "is not CYCLE[:LEVEL]"},
    {"matmul --flip 100,,200", "is not CYCLE[:LEVEL]"},
    {"eltwise --fidelity hifi4", "--op add does not multiply"},
    {"eltwise --op sub --fidelity hifi4", "does not multiply"},
    {"reduce --op max --fidelity hifi4", "does not multiply"},
    {"matmul --format int8 --dst 16", "sums of int8 are 32 bits wide"},
    {"matmul --dst 16 --format int8", "sums of int8 are 32 bits wide"},
    {"matmul --lint=strict --no-hang-check", "--no-hang-check turns off"},
    {"sfpu --unpack-to-dst", "takes fp32 and int32 with --dst 32"},
    {"sfpu --unpack-to-dst -f fp32 -d 32 --run-type math_isolate", "needs the unpack and the math"},
    {"matmul --unpack-to-dst", "unrecognized option '--unpack-to-dst'"},
    {"sfpu --format tf32", "tf32 with a 32-bit Dst only"},
    {"run --load brisc=x --lint=strict --no-hang-check", "--no-hang-check turns off"},
    {"run x.yaml --until 0x10=1", "a scenario says what is loaded"},
    {"run x.yaml --load 0x10=x", "a scenario says what is loaded"},
    {"run --search=most:3 x.yaml", "give --search too"},
    {"run --record=,operations:3 x.yaml", "give --record too"},
    {"run --search 3 --perturb 4 x.yaml", "no --perturb"},
    {"run --search 3 --record f x.yaml", "give one of them"},
    {"run --shard 1/2 -o x x.yaml", "--shard and --timeout are of the many runs of --search"},
    {"silicon --shard 1/2", "--shard needs a directory for its results: -o DIR"},
    {"silicon --shard 1/2 -o x --write=csv:y", "a shard has no table"},
    {"silicon gemm --shard 1/2 -o x --json y", "a shard has no table"},
    {"silicon sensitivity S0220", "sensitivity runs all rows"},
    {"sweep x.yaml --max-cycles 4", "unrecognized option '--max-cycles'"},
    // Common options that a command does not use.
    {"silicon --trace", "--trace has no effect on this command"},
    {"silicon --stats-hash", "--stats-hash has no effect on this command"},
    {"silicon gemm --max-cycles 5", "--max-cycles has no effect on this command"},
    {"config --threads 2", "--threads has no effect on this command"},
    {"run -t -o x " TENSIM_SOURCE_DIR "/config/gallery/g01-racy.yaml",
     "--trace has no effect on a small program"},
    {"run -c x " TENSIM_SOURCE_DIR "/config/pipes/throughput.yaml",
     "--config has no effect on a TPUSH/TPOP program"},
    // Commands that have one card.
    {"silicon gemm --chip p100", "--chip p100: each row runs on the card on which it was measured"},
    {"silicon --chip p300", "--chip p300: each row runs on the card on which it was measured"},
    {"silicon --chip p150 X", "no row 'X' among the "}, // it is accepted
    {"silicon gemm --chip p150 X", "no row 'X' among the "},
    {"run --show --chip p100 " TENSIM_SOURCE_DIR "/config/step/fidelity.yaml",
     "--chip p100: one tile runs without a chip"},
    {"run --show --chip p150", "name a file"},
    {"matmul --grid 2x2 --chip p100", "--grid does not go with --cores, --place or --chip"},
    // Sweeps, rows, families, models.
    {"sweep matmul foo=1", "llk/matmul has no parameter 'foo'; choose from m n k"},
    {"sweep matmul op=sin", "llk/matmul has no parameter 'op'; choose from"},
    {"sweep matmul grid=0x2", "'0x2' is not CxR, two numbers from 1 on"},
    {"sweep matmul format=bf16,banana", "choose from fp32 tf32"},
    {"sweep foo", "no kernel 'foo', and no program; kernels: matmul"},
    {"sweep eltwise fidelity=lofi,hifi4", "does not multiply"},
    {"sweep -j 2x", "'2x' is not a number from 1 to 256"},
    {"silicon x", "no family 'x'; there are riscv"},
    {"silicon X", "no row 'X' among the "},
    {"silicon every=3x", "'3x' is not a number"},
    {"silicon sensitivity=foo", "choose from documented measured inferred assumed chosen"},
    {"demo foo", "no model 'foo'; choose from tile"},
};

START_TEST(refusals)
{
    int code = run(refused[_i].arguments);
    ck_assert_msg(code == 64, "tensim %s: exit %d: %s", refused[_i].arguments, code, output);
    ck_assert_msg(strstr(output, refused[_i].text) != NULL, "tensim %s: %s", refused[_i].arguments,
                  output);
}
END_TEST

// --- help
// ---------------------------------------------------------------------------------------------------------

// Does the help have a line of this option?
static bool in_help(const char *name)
{
    char text[64];
    size_t length = (size_t)snprintf(text, sizeof text, "--%s", name);
    for (const char *at = strstr(output, text); at; at = strstr(at + 1, text)) {
        const char *line = at;
        while (line > output && line[-1] != '\n')
            line--;
        // An option's own line begins with its names: at most "  -x, " before the long one.
        if (at - line == 6 && strchr("=[ \n", at[length]))
            return true;
    }
    return false;
}

static const char *const commands[] = {"matmul",    "eltwise", "sfpu",     "reduce",
                                       "transpose", "tilize",  "untilize", "norm"};

// Options that some low-level kernels have.
static const struct {
    const char *name, *kernels;
} own[] = {{"m", "matmul eltwise sfpu reduce transpose tilize untilize norm"},
           {"format", "matmul eltwise sfpu reduce transpose tilize untilize norm"},
           {"place", "matmul eltwise sfpu reduce transpose tilize untilize norm"},
           {"run-type", "matmul eltwise sfpu reduce transpose tilize untilize norm"},
           {"timing-only", "matmul eltwise sfpu reduce transpose tilize untilize norm"},
           {"k", "matmul"},
           {"grid", "matmul"},
           {"storage", "matmul"},
           {"kernel", "matmul"},
           {"flip", "matmul"},
           {"throttle", "matmul"},
           {"op", "eltwise sfpu reduce norm"},
           {"broadcast", "eltwise"},
           {"tile", "matmul eltwise sfpu reduce transpose"},
           {"dst", "matmul eltwise sfpu reduce transpose"},
           {"fidelity", "matmul eltwise reduce norm"},
           {"unpack-to-dst", "sfpu"}};

START_TEST(help_has_own_options_only)
{
    const char *kernel = commands[_i];
    char arguments[64];
    snprintf(arguments, sizeof arguments, "%s --help", kernel);
    ck_assert_int_eq(run(arguments), 0);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        ck_assert_msg(in_help(own[i].name) == (ts_word_index(own[i].kernels, kernel) >= 0),
                      "%s --%s: %s", kernel, own[i].name, output);
    snprintf(arguments, sizeof arguments, "run llk/%s --help", kernel);
    ck_assert_int_eq(run(arguments), 0);
    ck_assert_msg(in_help("m") && in_help("seed") && in_help("timing-only"), "%s", output);
    ck_assert_ptr_nonnull(strstr(output, "(default 128)"));
}
END_TEST

START_TEST(help_of_other_commands)
{
    ck_assert_int_eq(run("silicon --help"), 0);
    ck_assert(in_help("write") && in_help("threads") && !in_help("trace"));
    ck_assert_int_eq(run("config --help"), 0);
    ck_assert(in_help("set") && !in_help("threads") && strstr(output, "\n Run\n") == NULL);
    ck_assert_int_eq(run("sweep --help"), 0);
    ck_assert_ptr_nonnull(strstr(output, "sfpu: m n tile op repeat"));
}
END_TEST

// --- the files
// ----------------------------------------------------------------------------------------------------

// Every value that an option of a low-level kernel chooses from is taken alone.
START_TEST(choices_are_taken)
{
    char names[200], *rest = names, *name;
    char path[PATH_MAX];
    snprintf(names, sizeof names, "%s", ts_alias_names(true));
    while ((name = strsep(&rest, " ")) != NULL) {
        const struct ts_plan_options none = {.alone = true};
        struct ts_error error = {0};
        ck_assert_ptr_nonnull(ts_alias_file(name, 0, path));
        struct ts_plan *plan = ts_plan_read(path, &none, &error);
        ck_assert_msg(plan != NULL, "%s", error.text);
        for (uint32_t i = 0; i < plan->param_count; i++) {
            struct ts_yaml_node list = ts_yaml_is_map(plan->params[i].node)
                                           ? ts_yaml_find(plan->params[i].node, "choose")
                                           : (struct ts_yaml_node){NULL, NULL};
            for (size_t k = 0; plan->params[i].text && list.node && k < ts_yaml_count(list); k++) {
                char setting[80];
                const char *settings[] = {setting};
                const struct ts_plan_options one = {
                    .params = settings, .param_count = 1, .alone = true};
                snprintf(setting, sizeof setting, "%s=%s", plan->params[i].name,
                         ts_yaml_text(ts_yaml_at(list, k), ""));
                struct ts_plan *other = ts_plan_read(path, &one, &error);
                ck_assert_msg(other != NULL, "%s", error.text);
                ts_plan_free(other);
            }
        }
        ts_plan_free(plan);
    }
}
END_TEST

// What follows from a format, whatever the order of the options.
START_TEST(format_decides_what_is_not_given)
{
    struct ts_numbers numbers = kernel_numbers("matmul format=int8");
    ck_assert_uint_eq(numbers.phases, 4);
    ck_assert(numbers.dst32 && numbers.out_format == TS_DF_INT32);
    numbers = kernel_numbers("matmul format=fp16");
    ck_assert_uint_eq(numbers.phases, 1);
    ck_assert(!numbers.dst32 && numbers.out_format == TS_DF_FP16);
    numbers = kernel_numbers("matmul fidelity=hifi2 out-format=fp32 format=fp16");
    ck_assert_uint_eq(numbers.phases, 2);
    ck_assert_uint_eq(numbers.out_format, TS_DF_FP32);
}
END_TEST

// --- runs
// ---------------------------------------------------------------------------------------------------------

START_TEST(int8_is_exact_or_warned_about)
{
    ck_assert_int_eq(run("matmul --m 32 --n 32 --k 64 --format int8"), 0);
    ck_assert_ptr_nonnull(strstr(output, "int8 hifi4 dst32"));
    ck_assert_ptr_nonnull(strstr(output, "error: rel_l2 0.00e+00, PCC 1.000000 (exact)"));
    ck_assert_ptr_null(strstr(output, "warning"));
    ck_assert_int_eq(run("matmul --m 32 --n 32 --k 64 --format int8 --fidelity lofi"), 0);
    ck_assert_ptr_nonnull(strstr(output, "warning: int8 below hifi4"));
    ck_assert_ptr_nonnull(strstr(output, "larger than expected: int8 is exact with HiFi4"));
    char arguments[256];
    folder_make();
    snprintf(arguments, sizeof arguments,
             "sweep matmul m=32 n=32 k=32 format=int8 fidelity=lofi,hifi4 -o %s", folder);
    ck_assert_int_eq(run(arguments), 0);
    ck_assert_ptr_nonnull(strstr(output, "warning: int8 below hifi4"));
    folder_remove();
}
END_TEST

// What a newcomer sees first: an error that is judged, and percentages that name their base.
START_TEST(first_output)
{
    ck_assert_int_eq(run("matmul --m 64 --n 64 --k 128 --fidelity hifi4"), 0);
    ck_assert_ptr_nonnull(strstr(output, "(expected for HiFi4 with 16-bit Dst)"));
    ck_assert_ptr_null(strstr(output, "ulp"));
    ck_assert_ptr_nonnull(strstr(output, "cycles of boot and launch, which no figure counts"));
    ck_assert_ptr_null(strstr(output, "% of the cycles"));
    ck_assert_ptr_null(strstr(output, "rv_local_clear"));
}
END_TEST

// The answer is at most 25 lines; -v has the rest, and only the rest.
START_TEST(answers_are_short)
{
    static const char *const commands_[] = {"matmul",          "matmul --grid 2x2", "sfpu -O gelu",
                                            "run eltwise",     "run matmul",        "run binary",
                                            "matmul --tiles 2"};
    for (size_t i = 0; i < sizeof commands_ / sizeof *commands_; i++) {
        char all[80], first[400];
        unsigned lines = 0;
        ck_assert_int_eq(run(commands_[i]), 0);
        for (const char *at = output; *at; at++)
            lines += *at == '\n';
        ck_assert_msg(lines <= 25 && strstr(output, "\n  next: -v "), "%s: %u lines", commands_[i],
                      lines);
        snprintf(first, sizeof first, "%.*s", (int)strcspn(output, "\n"), output);
        snprintf(all, sizeof all, "%s -v", commands_[i]);
        ck_assert_int_eq(run(all), 0);
        ck_assert_msg(strncmp(output, first, strlen(first)) == 0 &&
                          strstr(output, "roofs, the nearest first") &&
                          strstr(output, "where the other cycles went"),
                      "%s", output);
    }
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof *table))

static void add_tests(TCase *tests)
{
    unsetenv("TT_MM_THROTTLE_PERF");
    tcase_add_loop_test(tests, refusals, 0, COUNT(refused));
    tcase_add_loop_test(tests, help_has_own_options_only, 0, COUNT(commands));
    tcase_add_test(tests, help_of_other_commands);
    tcase_add_test(tests, choices_are_taken);
    tcase_add_test(tests, format_decides_what_is_not_given);
    tcase_add_test(tests, int8_is_exact_or_warned_about);
    tcase_add_test(tests, first_output);
    tcase_add_test(tests, answers_are_short);
}

SUITE("options", add_tests)
