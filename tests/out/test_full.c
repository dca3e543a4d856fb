// A full disk: every file that tensim writes is named with the reason, exit code 3, and the run
// directory stays as it was.
#include "tests/out/folder.h"
#include "tests/suite.h"

#define SMALL  "-D demo.tiles=4 -D demo.words=50 -C 5000"
#define SOURCE TENSIM_SOURCE_DIR

// Files of run directories, each with a command that writes it. Writes to it fail (fail_write.c).
static const struct {
    const char *file, *command;
} files[] = {
    {"command.txt", "demo ring " SMALL},
    {"config.yaml", "demo ring " SMALL},
    {"stats.json", "demo ring " SMALL},
    {"stats.csv", "demo ring " SMALL},
    {"result.json", "demo ring " SMALL},
    {"trace.json.gz", "demo ring -t " SMALL},
    {"hang.json", "demo table -D demo.polite=0 -D demo.words=1000"},
    {"hang.html", "demo table -D demo.polite=0 -D demo.words=1000"},
    {"report.html", "matmul -M 32 -N 32 -K 32"},
    {"pipe.json", "run " SOURCE "/config/pipes/bidirectional.yaml"},
    {"noc_trace.json", "noc " SOURCE "/tests/chip/workloads/mixed.json"},
    {"result.json", "hang " SOURCE "/config/gallery/g01-lost-semget.yaml"},
    {"hang.json", "hang " SOURCE "/config/gallery/g01-lost-semget.yaml"},
    {"hang.html", "hang " SOURCE "/config/gallery/g01-lost-semget.yaml"},
    {"result.json", "silicon every=1000"},
    {"result.csv", "silicon every=1000"},
    {"report.html", "silicon every=1000"},
    {"result.json", "vector " SOURCE "/tests/conform/brisc_push_0.ttv"},
    {"result.json", "config"},
    {"table.csv", "sweep " SOURCE "/config/pipes/bidirectional.yaml profile=a5"},
    {"table.json", "sweep " SOURCE "/config/pipes/bidirectional.yaml profile=a5"},
    {"table.csv", "sweep matmul m=32 n=32 k=32"},
    {"table.json", "sweep matmul m=32 n=32 k=32"},
    {"table.sqlite", "sweep matmul m=32 n=32 k=32"},
    {"sweep.html", "sweep matmul m=32 n=32 k=32"},
    {"results.jsonl", "sweep matmul m=32 n=32 k=32"},
};

START_TEST(run_directories)
{
    char line[1000], said[200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        folder_make();
        ck_assert_int_eq(shell("$D demo ring -q -o run " SMALL), 0);
        put("before", text_of("run/stats.json"));
        snprintf(line, sizeof line, "LD_PRELOAD=%s FAIL_WRITE=%s %s %s -q -o run", FAIL_WRITE,
                 files[i].file, program_of(files[i].command), files[i].command);
        int code = shell(line);
        const char *err = text_of("stderr");
        bool database = strcmp(files[i].file, "table.sqlite") == 0;
        snprintf(said, sizeof said, "tensim: run/%s: cannot be written: %s\n", files[i].file,
                 database ? "database or disk is full" : "No space left on device");
        ck_assert_msg(code == 3 && strstr(err, said), "%s, %s: exit code %d, '%s'",
                      files[i].command, files[i].file, code, err);
        // The earlier run, and nothing else (a sweep keeps its journal).
        ck_assert_int_eq(shell("cmp before run/stats.json"), 0);
        ck_assert_int_eq(entries("run"), 5 + is_there("run/results.jsonl"));
        ck_assert_int_eq(shell("grep -q 'tensim demo' run/command.txt"), 0);
        folder_remove();
    }
}
END_TEST

// Files with a name of the user's choice.
static const char *const others[] = {
    "demo ring " SMALL " --json",
    "demo ring " SMALL " >", // stdout
    "demo ring " SMALL " --json - >",
    "config --json",
    "config >",
    "ops --json",
    "ops --json - >",
    "vector " SOURCE "/tests/conform/brisc_push_0.ttv --json",
    "hang " SOURCE "/config/gallery/g01-repaired.yaml --json",
    "hang " SOURCE "/config/gallery/g01-repaired.yaml --record",
    "explore " SOURCE "/config/explore/g01-repaired.yaml --json",
    "run " SOURCE "/config/pipes/bidirectional.yaml --json",
    "sweep " SOURCE "/config/pipes/bidirectional.yaml profile=a5 --json",
    "silicon every=1000 --json",
    "silicon every=1000 --write=csv:",
    "silicon every=1000 --write=html:",
    "silicon every=1000 --write=markdown:",
    "sweep matmul m=32 n=32 k=32 -q --json",
};

START_TEST(other_files)
{
    char line[1000];
    folder_make();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char last = others[i][strlen(others[i]) - 1];
        const bool out = last == '>';
        snprintf(line, sizeof line, "%s %s%s/dev/full", program_of(others[i]), others[i],
                 last == ':' ? "" : " ");
        int code = shell(line);
        const char *err = text_of("stderr");
        ck_assert_msg(code == 3 &&
                          strstr(err, out ? "tensim: stdout: cannot be written: No space left"
                                          : "tensim: /dev/full: cannot be written: No space left"),
                      "%s: exit code %d, '%s'", others[i], code, err);
    }
    folder_remove();
}
END_TEST

// A limit of the size of files is an error, not a signal.
START_TEST(size_limit)
{
    folder_make();
    ck_assert_int_eq(shell("ulimit -f 1; exec $D demo ring -q -o run --json x.json " SMALL), 3);
    ck_assert_ptr_nonnull(strstr(text_of("stderr"), ": cannot be written: File too large"));
    ck_assert(!is_there("run"));
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    // The preloaded library would have to come after a sanitizer's.
    if (!KIT_SANITIZED)
        tcase_add_test(tests, run_directories);
    tcase_add_test(tests, other_files);
    if (!KIT_THREAD_SANITIZED) // whose own files do not fit the limit
        tcase_add_test(tests, size_limit);
}

SUITE("full", add_tests)
