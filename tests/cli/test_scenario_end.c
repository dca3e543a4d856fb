// How scenarios end: hangs without a script or with one that only releases cores, scripts that
// pass, errors found before anything is written; and how a search for hangs ends.
#include "tests/folder.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// A tile whose BRISC reads 0x8000 until it is not 0; one that stores 42 to 0x8000 and ends; one that
// counts forever.
#define TILE(words)        \
    "tiles:\n"             \
    "  1-2:\n"             \
    "    brisc: {pc: 0}\n" \
    "    load: [{address: 0, words: " words "}]\n"
#define POLL  TILE("[0x000080b7, 0x0000a103, 0xfe010ee3]")
#define STORE TILE("[0x000080b7, 0x02a00113, 0x0020a023, 0x0ff0000f, 0x6f]")
#define COUNT TILE("[0x00108093, 0xffdff06f]")

static char out[1 << 16], err[1 << 16];

static void make_folder(void)
{
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
}

static pid_t start(const char *scenario, const char *arguments)
{
    FILE *file = fopen("in.yaml", "w");
    ck_assert_ptr_nonnull(file);
    fputs(scenario, file);
    fclose(file);
    pid_t child = fork();
    if (child == 0) {
        char command[500];
        snprintf(command, sizeof command, "exec %s %s >stdout 2>stderr", TENSIM_BINARY, arguments);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_gt(child, 0);
    return child;
}

static int finish(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    slurp("stdout", out, sizeof out);
    slurp("stderr", err, sizeof err);
    ck_assert_msg(WIFEXITED(status), "ended by a signal: %s", err);
    return WEXITSTATUS(status);
}

static void expect(int code, const char *scenario, const char *arguments)
{
    int got = finish(start(scenario, arguments));
    ck_assert_msg(got == code, "tensim %s of %s: exit %d, not %d: %s%s", arguments, scenario, got,
                  code, out, err);
}

static bool is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

START_TEST(hangs_are_hangs)
{
    static const char *const scripts[] = {
        "",
        "script: [{release: [brisc]}]\n",
        "script: [{write: {address: 0x100, words: [1]}}, {release: {tile: 1-2, cores: [brisc]}}]\n",
        "script: [{run: 10}, {release: [brisc]}]\n",
        "script: [{release: [brisc]}, {compare: {address: 0x100, words: [0]}}]\n",
        "script: [{write: {address: 0xffb121b0, words: [0x47000]}}]\n", // out of soft reset
        "script: [{release: [brisc]}, {until: {l1: 0x100, is: 1}}]\n",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char text[1000];
        snprintf(text, sizeof text, POLL "%s", scripts[i]);
        ck_assert_int_eq(system("rm -rf run"), 0);
        expect(2, text, "run in.yaml -o run --json result.json");
        ck_assert_msg(strstr(err, "brisc polls L1 word 0x8000"), "%s", err);
        ck_assert(is_there("run/hang.json"));
        json_t *result = json_load_file("result.json", 0, NULL);
        ck_assert_str_eq(json_string_value(json_object_get(result, "stop")), "deadlock");
        ck_assert_ptr_nonnull(json_object_get(result, "hang"));
        json_decref(result);
    }
}
END_TEST

START_TEST(scripts_run_to_the_end)
{
    static const char *const scripts[] = {
        "", // the store comes before any load
        "script: [{release: [brisc]}, {compare: {address: 0x8000, words: [42]}}]\n",
        ("script: [{release: [brisc]}, {write: {address: 0x9000, words: [1]}},\n"
         "         {dump: {address: 0x8000, length: 4, file: out.bin}},\n"
         "         {compare: {address: 0x8000, file: out.bin}}]\n"), // a file of the step before
        ("script: [{write: {address: 0xffb121b0, words: [0x47000]}},\n"
         "         {compare: {address: 0x8000, words: [42]}}]\n"),
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char text[1000];
        snprintf(text, sizeof text, STORE "%s", scripts[i]);
        expect(0, text, "run in.yaml");
        ck_assert_msg(strstr(out, i ? "script passed at cycle" : "done at cycle"), "%s", out);
    }
    // A look before the first cycle sees what was there.
    expect(1,
           STORE "script: [{compare: {address: 0x8000, words: [42]}}, {release: [brisc]}, "
                 "{run: 100}]\n",
           "run in.yaml");
}
END_TEST

START_TEST(a_passed_script_says_so)
{
    expect(0, COUNT "script: [{release: [brisc]}, {run: 5000}]\n", "run in.yaml");
    ck_assert_msg(strstr(out, "script passed at cycle 5000") && !strstr(out, "limit"), "%s", out);
    // Polls while the script lets a number of cycles pass are no hang.
    expect(0, POLL "script: [{release: [brisc]}, {run: 9000}]\n", "run in.yaml --json result.json");
    json_t *result = json_load_file("result.json", 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(result, "script")), "passed");
    json_decref(result);
    expect(1,
           COUNT "script: [{release: [brisc]}, {run: 50}, {compare: {address: 0, words: [1]}}]\n",
           "run in.yaml --json result.json");
    ck_assert_ptr_null(strstr(out, "passed"));
    result = json_load_file("result.json", 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(result, "script")), "failed");
    json_decref(result);
    expect(6, COUNT "script: [{release: [brisc]}, {run: 5000}]\n", "run in.yaml -n 100");
    ck_assert_str_eq(err, "tensim: cycle limit 100 reached\n");
}
END_TEST

START_TEST(a_signal_ends_a_script)
{
    pid_t child = start(COUNT "script: [{release: [brisc]}, {run: 1000000000000}]\n",
                        "run in.yaml -q");
    let_work(child, KIT_SANITIZED ? 1.5 : 0.3);
    ck_assert_int_eq(kill(child, SIGINT), 0);
    int code = finish(child);
    ck_assert_msg(code == 128 + SIGINT && strstr(err, "stopped by signal 2"), "%d: %s", code, err);
}
END_TEST

START_TEST(mistakes_leave_nothing)
{
    ck_assert_int_eq(system("rm -rf run result.json out.bin"), 0);
    expect(3,
           COUNT "script:\n  - release: [brisc]\n  - run: 1000000000000\n"
                 "  - dump: {address: 0, length: 4, file: out.bin}\n"
                 "  - compare: {address: 0, file: nothing.bin}\n",
           "run in.yaml -o run --json result.json");
    ck_assert_str_eq(err, "tensim: in.yaml:9:33: nothing.bin: cannot be opened\n");
    ck_assert(!is_there("run") && !is_there("result.json") && !is_there("out.bin"));
}
END_TEST

START_TEST(searches)
{
    // One run for near misses, of which there are none, and six at random.
    expect(0, STORE, "run --search 2,most:4 -j 2 -- run in.yaml");
    ck_assert_msg(strstr(out, "7 runs, none hangs"), "%s", out);
    expect(2, POLL, "run --search 2,most:4 -- run in.yaml");
    ck_assert_msg(strstr(out, "replay: tensim run in.yaml --perturb 1:1"), "%s", out);
    // The run that fails first stops the search, whatever the number of threads.
    expect(4, TILE("[0xffffffff]"), "run --search 5 -j 3 --json result.json -- run in.yaml");
    ck_assert_msg(strstr(err, "--perturb 1:1 ends with exit code 4") && !strstr(out, "none"),
                  "%s%s", out, err);
    json_t *result = json_load_file("result.json", 0, NULL);
    ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(result, "error")), "invalid"));
    json_decref(result);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make_folder, folder_remove);
    tcase_add_test(tests, hangs_are_hangs);
    tcase_add_test(tests, scripts_run_to_the_end);
    tcase_add_test(tests, a_passed_script_says_so);
    tcase_add_test(tests, a_signal_ends_a_script);
    tcase_add_test(tests, mistakes_leave_nothing);
    tcase_add_test(tests, searches);
}

SUITE("scenario_end", add_tests)
