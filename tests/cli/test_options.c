// Options: every command takes only its own, wrong values list the choices, help and defaults are
// correct.
#include "platform/run/spec.h"
#include "tests/folder.h"
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
    {"matmul --op sin --broadcast row", "matmul has no --op; these kernels have it: eltwise"},
    {"matmul -O nonsense", "matmul has no --op"},
    {"matmul --broadcast row", "matmul has no --broadcast; these kernels have it: eltwise"},
    {"sfpu --k 64", "sfpu has no --k"},
    {"sfpu --fidelity hifi4", "sfpu has no --fidelity"},
    {"transpose --throttle 1", "transpose has no --throttle"},
    {"eltwise --grid 2x2", "eltwise has no --grid"},
    {"norm --dst 32", "norm has no --dst"},
    {"tilize --sub-block 1x2", "tilize has no --sub-block"},
    {"reduce --flip 5", "reduce has no --flip"},
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
    {"matmul --tile 16x32 --grid 2x2", "for one tile without --blocks"},
    {"matmul --tile 8x32", "choose from 32x32 16x32 32x16 16x16"},
    {"norm --tile 16x32", "norm has no --tile"},
    {"eltwise -M 16", "multiples of 32, 32 and 32"},
    {"sfpu --tile 16x16 --unpack-to-dst -f fp32 -d 32", "takes tiles of 32x32"},
    {"matmul --transpose in0", "has no 'in0'; choose from none in1"},
    {"matmul --transpose in1 --grid 2x2", "--transpose is for one tile"},
    {"matmul --flip 0", "'0' is not CYCLE[:LEVEL], cycles from 1 on"},
    {"matmul --perturb x", "'x' is not SEED"},
    // What means nothing together, or to this kernel.
    {"matmul --storage l1/dram/l1", "give --grid too"},
    {"matmul --grid 2x2 --tiles 3", "give one of them"},
    {"matmul --grid 2x2 --run-type math_isolate", "--grid runs l1_to_l1 only"},
    {"matmul --flip 100 --throttle 5", "nothing changes"},
    {"matmul --flip 100 --run-type math_isolate", "only --run-type l1_to_l1 calls matmul_block"},
    {"matmul --kernel nonsense", "choose from blocked tiles seed"},
    {"matmul --kernel seed --blocks 2",
     "matmul_seed has no --blocks; these kernels have it: matmul"},
    {"matmul --blocks 2 --kernel seed",
     "matmul_seed has no --blocks; these kernels have it: matmul"},
    {"matmul -O seed", "matmul has no --op"},
    {"matmul --flip 100:2", "LEVEL is 5 or that of --throttle"},
    {"matmul --flip 200,100", "in the order of their cycles"},
    {"matmul --flip 100:9", "is not CYCLE[:LEVEL]"},
    {"matmul --flip 100,,200", "is not CYCLE[:LEVEL]"},
    {"eltwise --fidelity hifi4", "--op add does not multiply"},
    {"eltwise --op sub --fidelity hifi4", "does not multiply"},
    {"reduce --op max --fidelity hifi4", "does not multiply"},
    {"matmul --format int8 --dst 16", "sums of int8 are 32 bits wide"},
    {"matmul --dst 16 --format int8", "sums of int8 are 32 bits wide"},
    {"matmul --strict --no-hang-check", "--no-hang-check turns off"},
    {"sfpu --unpack-to-dst", "takes fp32 and int32 with --dst 32"},
    {"sfpu --unpack-to-dst -f fp32 -d 32 --run-type math_isolate", "needs the unpack and the math"},
    {"matmul --unpack-to-dst", "matmul has no --unpack-to-dst; these kernels have it: sfpu"},
    {"sfpu --format tf32", "tf32 with a 32-bit Dst only"},
    {"run --brisc x --strict --no-hang-check", "--no-hang-check turns off"},
    {"run x.yaml --until 0x10=1", "a scenario says what is loaded"},
    {"run x.yaml --raw 0x10=x", "a scenario says what is loaded"},
    {"hang --most 3 x.yaml", "give --search too"},
    {"hang --operations 3 x.yaml", "give --record too"},
    {"hang --search 3 --perturb 4 x.yaml", "no --perturb"},
    {"hang --search 3 --record f x.yaml", "give one of them"},
    {"hang --shard 1/2 -o x x.yaml", "--shard and --timeout are of the many runs of --search"},
    {"silicon --shard 1/2", "--shard needs a directory for its results: -o DIR"},
    {"silicon --shard 1/2 -o x --csv y", "a shard has no table"},
    {"anchors --shard 1/2 -o x --json y", "a shard has no table"},
    {"silicon --sensitivity --row S0220", "--sensitivity runs all rows"},
    {"pipe x.yaml --sweep a=1 --max-cycles 4", "--sweep makes many"},
    // Common options that a command does not use.
    {"silicon --trace", "--trace has no effect on this command"},
    {"silicon --stats-hash", "--stats-hash has no effect on this command"},
    {"anchors --max-cycles 5", "--max-cycles has no effect on this command"},
    {"config --threads 2", "--threads has no effect on this command"},
    {"hang -t x.yaml", "--trace has no effect on this command"},
    {"pipe -c x p.yaml", "--config has no effect on this command"},
    // Commands that have one card.
    {"anchors --chip p100", "--chip p100: the report's figures are of a p150"},
    {"silicon --chip p300", "--chip p300: each row runs on the card on which it was measured"},
    {"silicon --chip p150 --row X", "no row 'X' among the "}, // it is accepted
    {"anchors --chip p150 X", "'X' is not a shape"},
    {"step --chip p100 x.yaml", "--chip p100: one tile runs without a chip"},
    {"step --chip p150", "name a program"},
    {"matmul --grid 2x2 --chip p100", "a grid is of a p150; --cores CxR shares the work"},
    // Sweeps, rows, families, models.
    {"sweep matmul foo=1", "matmul has no parameter 'foo'; choose from m n k"},
    {"sweep matmul op=sin", "matmul has no parameter 'op'; choose from"},
    {"sweep matmul grid=2x2", "matmul has no parameter 'grid'; choose from"},
    {"sweep matmul format=bf16,banana", "choose from fp32 tf32"},
    {"sweep foo", "no kernel 'foo', and no program; kernels: matmul"},
    {"sweep eltwise fidelity=lofi,hifi4", "does not multiply"},
    {"sweep -j 2x", "'2x' is not a number from 1 to 256"},
    {"silicon --family X", "no family 'X'; there are riscv"},
    {"silicon --row X", "no row 'X' among the "},
    {"silicon --every 3x", "'3x' is not a number"},
    {"silicon --sensitivity=foo", "choose from documented measured inferred assumed chosen"},
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

START_TEST(help_has_own_options_only)
{
    const struct ts_job_kind *kind = ts_job_kind_find(commands[_i]);
    char arguments[64];
    snprintf(arguments, sizeof arguments, "%s --help", kind->name);
    ck_assert_int_eq(run(arguments), 0);
    for (unsigned id = 0; id < TS_JOB_OPTIONS; id++)
        ck_assert_msg(in_help(ts_job_options[id].name) == ts_option_applies(id, kind),
                      "%s --%s: %s", kind->name, ts_job_options[id].name, output);
    static const char *const headings[] = {"Kernel", "Numbers", "Schedule", "Tiles",
                                           "Model",  "Run",     "Output"};
    const char *last = output;
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        char heading[32];
        snprintf(heading, sizeof heading, "\n %s\n  ", headings[i]); // with an option below it
        const char *at = strstr(output, heading);
        ck_assert_msg(at != NULL && at >= last, "%s: %s: %s", kind->name, headings[i], output);
        last = at;
    }
    ck_assert_ptr_nonnull(strstr(output, "(default 128)"));
}
END_TEST

START_TEST(help_of_other_commands)
{
    ck_assert_int_eq(run("silicon --help"), 0);
    ck_assert(in_help("family") && in_help("threads") && !in_help("trace"));
    ck_assert_int_eq(run("config --help"), 0);
    ck_assert(in_help("set") && !in_help("threads") && strstr(output, "\n Run\n") == NULL);
    ck_assert_int_eq(run("sweep --help"), 0);
    ck_assert_ptr_nonnull(strstr(output, "sfpu: m n tile op repeat"));
}
END_TEST

// --- the table
// ----------------------------------------------------------------------------------------------------

// The default of the help is what the kernel has without the option, every choice is taken, and
// every kernel of a row exists.
START_TEST(table_is_true)
{
    for (const struct ts_job_kind *kind = ts_job_kinds; kind->name; kind++)
        for (unsigned id = 0; id < TS_JOB_OPTIONS; id++) {
            const struct ts_job_option *option = &ts_job_options[id];
            char text[512], choices[256];
            if (!ts_option_applies(id, kind))
                continue;
            struct ts_job_spec plain, given;
            ts_job_spec_default(&plain, kind->name);
            given = plain;
            if (option->otherwise && !strchr(option->otherwise, ' ')) {
                ck_assert_msg(ts_spec_option(&given, id, option->otherwise, text, sizeof text),
                              "%s", text);
                given.given = 0;
                given.broadcast = plain.broadcast; // another place, the same text
                ck_assert_msg(memcmp(&plain, &given, sizeof plain) == 0, "%s --%s", kind->name,
                              option->name);
            }
            ts_option_choices(id, kind, choices, sizeof choices);
            for (char *rest = choices, *word; *choices && (word = strsep(&rest, " ")) != NULL;) {
                given = plain;
                ck_assert_msg(ts_spec_option(&given, id, word, text, sizeof text), "%s", text);
            }
        }
    for (unsigned id = 0; id < TS_JOB_OPTIONS; id++) {
        char kernels[256];
        snprintf(kernels, sizeof kernels, "%s",
                 ts_job_options[id].programs ? ts_job_options[id].programs : "matmul");
        for (char *rest = kernels, *word; (word = strsep(&rest, " ")) != NULL;)
            ck_assert_msg(ts_job_kind_find(word) != NULL, "--%s: %s", ts_job_options[id].name,
                          word);
    }
}
END_TEST

// What follows from a format, whatever the order of the options.
START_TEST(format_decides_what_is_not_given)
{
    struct ts_job_spec spec;
    char text[512];
    ts_job_spec_default(&spec, "matmul");
    ck_assert(ts_spec_set(&spec, "format", "int8", text, sizeof text));
    ck_assert_uint_eq(spec.phases, 4);
    ck_assert(spec.dst32 && spec.out_format == TS_DF_INT32 && !ts_spec_warning(&spec));
    ck_assert(ts_spec_set(&spec, "format", "fp16", text, sizeof text));
    ck_assert_uint_eq(spec.phases, 1);
    ck_assert(!spec.dst32 && spec.out_format == TS_DF_FP16);
    ck_assert(ts_spec_set(&spec, "fidelity", "hifi2", text, sizeof text));
    ck_assert(ts_spec_set(&spec, "out-format", "fp32", text, sizeof text));
    ck_assert(ts_spec_set(&spec, "format", "int8", text, sizeof text));
    ck_assert_uint_eq(spec.phases, 2);
    ck_assert_uint_eq(spec.out_format, TS_DF_FP32);
    ck_assert_ptr_nonnull(ts_spec_warning(&spec));
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

#define COUNT(table) ((int)(sizeof table / sizeof *table))

static void add_tests(TCase *tests)
{
    unsetenv("TT_MM_THROTTLE_PERF");
    tcase_add_loop_test(tests, refusals, 0, COUNT(refused));
    tcase_add_loop_test(tests, help_has_own_options_only, 0, COUNT(commands));
    tcase_add_test(tests, help_of_other_commands);
    tcase_add_test(tests, table_is_true);
    tcase_add_test(tests, format_decides_what_is_not_given);
    tcase_add_test(tests, int8_is_exact_or_warned_about);
    tcase_add_test(tests, first_output);
}

SUITE("options", add_tests)
