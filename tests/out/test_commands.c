// Run directories of the commands: what each writes, reruns, and two runs at once.
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <signal.h>

#define SOURCE TENSIM_SOURCE_DIR
#define PIPE   SOURCE "/config/pipes/bidirectional.yaml"
#define HANG   SOURCE "/config/gallery/g01-lost-semget.yaml"

// Every command with -o.
static const struct {
    const char *command;
    int code;
    const char *files; // as ls writes them
} rows[] = {
    {"demo ring -q -C 5000", 0, "command.txt config.yaml result.json stats.csv stats.json"},
    {"demo table -q -D demo.polite=0 -D demo.words=1000", 2,
     "command.txt config.yaml hang.html hang.json result.json stats.csv stats.json"},
    {"matmul -q -t -M 32 -N 32 -K 32", 0,
     "command.txt config.yaml drawing.json report.html result.json stats.csv stats.json "
     "trace.json.gz"},
    {"run -q " SOURCE "/tests/chip/workloads/mixed.json", 0,
     "command.txt config.yaml drawing.json noc_trace.json report.html result.json stats.csv "
     "stats.json"},
    {"run -q " PIPE, 0,
     "command.txt config.yaml drawing.json pipe.html pipe.json result.json stats.csv stats.json"},
    {"run -q " HANG, 2, "command.txt config.yaml hang.html hang.json result.json"},
    {"sweep -q " PIPE " profile=a5", 0,
     "command.txt results.jsonl sweep.html table.csv table.json table.sqlite"},
    {"run -q --search 2,most:2 " SOURCE "/config/gallery/g01-repaired.yaml", 0,
     "command.txt config.yaml result.json results.jsonl"},
    {"run -q --search 1,most:1 -- matmul -M 32 -N 32 -K 32", 0,
     "command.txt result.json results.jsonl"},
    {"silicon -q every=1000", 0,
     "command.txt config.yaml report.html result.csv result.json results.jsonl"},
    {"run -q " SOURCE "/tests/conform/brisc_push_0.ttv", 0,
     "command.txt config.yaml result.json results.jsonl"},
    {"config", 0, "command.txt config.yaml result.json results.jsonl"},
    {"sweep -q matmul m=32 n=32 k=32 -j 1", 0,
     "command.txt results.jsonl sweep.html table.csv table.json table.sqlite"},
};

static void add_out(char *line, size_t size, const char *command)
{
    // Our options come before those of a command that is searched.
    const char *name = strchr(command, ' ');
    int length = (int)(name ? (size_t)(name - command) : strlen(command));
    snprintf(line, size, "%s %.*s -o run%s", program_of(command), length, command,
             command + length);
}

// All into one directory: each leaves its own files only, and the journal of results.
START_TEST(what_each_writes)
{
    char line[900];
    folder_make();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add_out(line, sizeof line, rows[i].command);
        int code = shell(line);
        ck_assert_msg(code == rows[i].code, "%s: exit code %d, '%s'", line, code,
                      text_of("stderr"));
        ck_assert_int_eq(shell("echo $(ls -A run)"), 0);
        char files[300];
        snprintf(files, sizeof files, "%s\n", rows[i].files);
        ck_assert_msg(strcmp(text_of("stdout"), files) == 0, "%s: '%s'", line, text_of("stdout"));
    }
    folder_remove();
}
END_TEST

START_TEST(no_stale_hang)
{
    folder_make();
    ck_assert_int_eq(shell("$D demo table -q -D demo.polite=0 -D demo.words=1000 -o run"), 2);
    ck_assert(is_there("run/hang.json") && is_there("run/hang.html"));
    ck_assert_int_eq(shell("$D demo table -q -D demo.polite=1 -D demo.words=1000 -o run"), 0);
    ck_assert(!is_there("run/hang.json") && !is_there("run/hang.html"));
    folder_remove();
}
END_TEST

// The second is refused and names the first, which goes on undisturbed.
START_TEST(two_runs)
{
    folder_make();
    ck_assert_int_eq(shell("$D demo tile -q -C 100000000000 -o run & echo $! > pid; "
                           "until [ -d run ]; do sleep 0.1; done; sleep 1; "
                           "$D demo ring -q -o run; code=$?; kill -TERM $(cat pid); wait $(cat "
                           "pid); exit $code"),
                     3);
    char first[100];
    int pid = atoi(text_of("pid"));
    snprintf(first, sizeof first,
             "run: another run writes into this directory: pid %d, tensim demo", pid);
    ck_assert_msg(strstr(text_of("stderr"), first), "'%s'", text_of("stderr"));
    ck_assert_ptr_nonnull(strstr(text_of("run/command.txt"), "100000000000"));
    ck_assert_ptr_nonnull(strstr(text_of("run/stats.json"), "\"signal\""));
    ck_assert_int_eq(entries("run"), 5);
    folder_remove();
}
END_TEST

// tensim report writes the same page again without running anything; it never replaces one by less.
START_TEST(pages_again)
{
    static const struct {
        const char *before, *says; // says: why not; NULL: it does
    } tries[] = {
        {"cp run/report.html first; rm run/report.html", NULL},
        {"rm run/drawing.json", "no drawing.json, without which report.html cannot be drawn"},
        {"echo '{\"cycles\": 1}' > run/result.json", "an older tensim made its report.html"},
        {"rm run/report.html", "there is no result that has a page"},
        {"rm -r run", "No such file or directory"},
    };
    folder_make();
    ck_assert_int_eq(shell("$T matmul -q -M 32 -N 32 -K 32 -o run"), 0);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        ck_assert_int_eq(shell(tries[i].before), 0);
        ck_assert_int_eq(shell("$T report run"), tries[i].says ? 3 : 0);
        ck_assert_msg(!tries[i].says || strstr(text_of("stderr"), tries[i].says), "%s: '%s'",
                      tries[i].before, text_of("stderr"));
        if (i == 0)
            ck_assert_int_eq(shell("cmp first run/report.html"), 0);
    }
    folder_remove();
}
END_TEST

// What bounds a run, by kind and by name.
START_TEST(sweeps_name_the_bound)
{
    folder_make();
    ck_assert_int_eq(shell("$T sweep -q matmul m=32 n=32 k=32 -j 1 -o run"), 0);
    ck_assert_ptr_nonnull(strstr(text_of("run/table.csv"), ",bound_by,bound_object,"));
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, what_each_writes);
    tcase_add_test(tests, no_stale_hang);
    tcase_add_test(tests, two_runs);
    tcase_add_test(tests, pages_again);
    tcase_add_test(tests, sweeps_name_the_bound);
}

SUITE("commands", add_tests)
