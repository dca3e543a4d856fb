// The program itself: exit codes, stdout, files of a run, signals.
#include "tests/folder.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

struct result {
    int code;
    char out[1 << 16], err[1 << 16];
};

static struct result result;

static void text_of_file(const char *name, char *text, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    slurp(path, text, size);
}

static pid_t start(const char *arguments)
{
    pid_t child = fork();
    if (child == 0) {
        char command[1000];
        snprintf(command, sizeof command, "exec %s %s >%s/stdout 2>%s/stderr",
                 program_of(arguments), arguments, folder, folder);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_gt(child, 0);
    return child;
}

static void finish(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
    result.code = WEXITSTATUS(status);
    text_of_file("stdout", result.out, sizeof result.out);
    text_of_file("stderr", result.err, sizeof result.err);
}

// @ in arguments is the folder of the test.
static void run(const char *arguments)
{
    char text[900] = "";
    size_t used = 0;
    for (const char *c = arguments; *c; c++)
        used += (size_t)snprintf(text + used, sizeof text - used, *c == '@' ? "%s" : "%.1s",
                                 *c == '@' ? folder : c);
    finish(start(text));
}

#define SMALL "-D demo.tiles=4 -D demo.words=50 -D demo.workers=10 -C 5000 "

START_TEST(exit_codes)
{
    static const struct {
        const char *arguments;
        int code;
        const char *err; // a part of stderr
    } rows[] = {
        {"demo tile -q " SMALL, 0, ""},
        {"demo ring -q " SMALL, 0, ""},
        {"demo table -q " SMALL, 0, ""},
        {"--help", 0, ""},
        {"--version", 0, ""},
        {"demo --help", 0, ""},
        {"config", 0, ""},
        {"config --fixed", 0, ""},
        {"demo table -q -D demo.polite=0 -D demo.words=1000", 2,
         "table.guest[0] waits on semaphore table.fork[1] (semaphore_zero)"},
        {"demo -c /nowhere/x.yaml", 3, "/nowhere/x.yaml: No such file or directory"},
        {"demo -c @/bad.yaml", 3,
         "/bad.yaml:2:11: no key 'valu' is known here; did you mean "
         "'value'?"},
        {"demo -q -o /proc/nowhere/run " SMALL, 3, "/proc/nowhere/run"},
        {"demo -q -o @/bad.yaml " SMALL, 3, "bad.yaml"},
        {"demo -q --json /nowhere/x.json " SMALL, 3, "/nowhere/x.json"},
        {"demo -q -n 100 " SMALL, 6, "cycle limit 100 reached"},
        {"demo -q -j 4 -n 100 " SMALL, 6, "cycle limit 100 reached"},
        {"", 64, "Usage: tensim COMMAND"},
        {"matmlu", 64, "no command 'matmlu'; did you mean 'matmul'?"},
        {"demo nothing", 64, "no model 'nothing'"},
        {"demo tile ring", 64, "one model at a time"},
        {"demo --nonsense", 64, "nonsense"},
        {"demo -j 0", 64, "--threads: '0' is not a number from 1 to 256"},
        {"demo -j 257", 64, "--threads: '257'"},
        {"demo -j 3q", 64, "--threads: '3q'"},
        {"demo -n 0", 64, "--max-cycles: '0'"},
        {"demo -C 0", 64, "--cycles: '0'"},
        {"demo -C -5", 64, "--cycles: '-5'"},
        {"demo -C 5x", 64, "--cycles: '5x'"},
        {"demo -t", 64, "--trace needs a run directory"},
        {"demo -o @/run -t5", 64, "--trace: '5' is not FROM-TO"},
        {"demo -o @/run -t9-5", 64, "--trace: '9-5' is not FROM-TO"},
        {"demo -o @/run -t5--1", 64, "--trace: '5--1' is not FROM-TO"},
        {"demo -D demo.hopp=3", 64, "--set demo.hopp: no such parameter; did you mean 'demo.hop'?"},
        {"demo -D demo.hop=3q", 64, "--set demo.hop: '3q' is not an integer"},
        {"demo -D demo.hop=0", 64, "--set demo.hop: 0 is out of range"},
        {"demo -D demo.hop", 64, "--set demo.hop: key=value is expected"},
    };
    folder_make();
    char path[100];
    snprintf(path, sizeof path, "%s/bad.yaml", folder);
    FILE *file = fopen(path, "w");
    fputs("demo:\n  tiles: {valu: 16, unit: tiles, kind: chosen, source: any}\n", file);
    fclose(file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run(rows[i].arguments);
        ck_assert_msg(result.code == rows[i].code, "tensim %s: exit %d: %s", rows[i].arguments,
                      result.code, result.err);
        ck_assert_msg(strstr(result.err, rows[i].err) != NULL, "tensim %s: %s", rows[i].arguments,
                      result.err);
        if (rows[i].code == 64 || rows[i].code == 3) // stdout carries results only
            ck_assert_str_eq(result.out, "");
    }
    folder_remove();
}
END_TEST

static json_t *only_document(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, 0, &error); // refuses anything behind the document
    ck_assert_msg(json != NULL, "%s: %s", error.text, text);
    return json;
}

START_TEST(one_document)
{
    static const char *const rows[] = {
        "demo tile --json - " SMALL,
        "demo ring --json - --stats-hash " SMALL,
        "demo table --json - -D demo.polite=0",
        "demo tile --json - -n 100 " SMALL,
        "config --json -",
    };
    folder_make();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run(rows[i]);
        json_t *json = only_document(result.out);
        if (i < 4) {
            ck_assert(json_is_string(json_object_get(json, "stop")));
            ck_assert(json_is_integer(json_object_get(json, "cycles")));
            ck_assert(json_is_string(json_object_get(json, "checksum")));
        }
        ck_assert_int_eq(json_is_string(json_object_get(json, "stats_hash")), i == 1);
        const json_t *hang = json_object_get(json, "hang");
        ck_assert_int_eq(hang != NULL, i == 2);
        if (hang) {
            ck_assert_str_eq(json_string_value(json_object_get(hang, "kind")), "cycle");
            ck_assert_uint_gt(json_array_size(json_object_get(hang, "nodes")), 0);
            const json_t *edge = json_array_get(json_object_get(hang, "edges"), 0);
            ck_assert(json_is_string(json_object_get(edge, "from")));
            ck_assert(json_is_string(json_object_get(edge, "to")));
            ck_assert(json_is_string(json_object_get(edge, "reason")));
            ck_assert(json_is_string(json_object_get(edge, "object")));
        }
        json_decref(json);
    }
    folder_remove();
}
END_TEST

static json_t *read_gz(const char *name)
{
    static char text[64 << 20];
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    gzFile file = gzopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = 0;
    int got;
    while ((got = gzread(file, text + size,
                         (unsigned)(sizeof text - size > 1 << 20 ? 1 << 20 : sizeof text - size))) >
           0)
        size += (size_t)got;
    ck_assert_int_eq(got, 0);
    ck_assert_int_eq(gzclose(file), Z_OK); // the file is complete
    ck_assert_uint_lt(size, sizeof text);
    json_error_t error;
    json_t *json = json_loadb(text, size, 0, &error);
    ck_assert_msg(json != NULL, "%s: %s", name, error.text);
    return json;
}

START_TEST(run_directory)
{
    static char text[1 << 20], again[1 << 20];
    folder_make();
    run("demo torus -o @/a/b/run -t --stats-hash -q " SMALL);
    ck_assert_int_eq(result.code, 0);
    ck_assert_uint_eq(strlen(result.out), 17);
    text_of_file("a/b/run/command.txt", text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "torus"));
    text_of_file("a/b/run/stats.json", text, sizeof text);
    json_t *stats = only_document(text);
    ck_assert_str_eq(json_string_value(json_object_get(stats, "schema")), "tensim.stats");
    json_decref(stats);
    text_of_file("a/b/run/stats.csv", text, sizeof text);
    ck_assert_int_eq(strncmp(text, "component,counter,unit,value\n", 29), 0);
    json_t *trace = read_gz("a/b/run/trace.json.gz");
    ck_assert_uint_gt(json_array_size(json_object_get(trace, "traceEvents")), 10);
    json_decref(trace);
    // The resolved config gives the same run, and the same config.
    char hash[32];
    strcpy(hash, result.out);
    run("demo torus -o @/second -c @/a/b/run/config.yaml -C 5000 --stats-hash -q");
    ck_assert_int_eq(result.code, 0);
    ck_assert_str_eq(result.out, hash);
    text_of_file("a/b/run/config.yaml", text, sizeof text);
    text_of_file("second/config.yaml", again, sizeof again);
    ck_assert_str_eq(text, again);
    folder_remove();
}
END_TEST

// In the middle of a long run: the exit status shows it, and everything is written.
static void interrupted(int signal_number, const char *options)
{
    static char text[1 << 20];
    char arguments[300];
    folder_make();
    snprintf(arguments, sizeof arguments,
             "demo tile -q -C 1000000000000 -D demo.tiles=4 %s --json - -o %s/run", options,
             folder);
    pid_t child = start(arguments);
    let_work(child, KIT_SANITIZED ? 1.5 : 0.3);
    ck_assert_int_eq(kill(child, signal_number), 0);
    finish(child);
    ck_assert_msg(result.code == 128 + signal_number, "exit %d: %s", result.code, result.err);
    ck_assert_ptr_nonnull(strstr(result.err, "stopped by signal"));
    json_t *json = only_document(result.out);
    ck_assert_str_eq(json_string_value(json_object_get(json, "stop")), "signal");
    ck_assert_int_gt(json_integer_value(json_object_get(json, "cycles")), 0);
    json_decref(json);
    text_of_file("run/stats.json", text, sizeof text);
    json = only_document(text);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(json, "run"), "stop")),
                     "signal");
    json_decref(json);
    text_of_file("run/stats.csv", text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "span_cycles"));
    if (strstr(options, "-t")) {
        json = read_gz("run/trace.json.gz");
        ck_assert_uint_gt(json_array_size(json_object_get(json, "traceEvents")), 10);
        json_decref(json);
    }
    folder_remove();
}

START_TEST(signals)
{
    interrupted(SIGINT, "-t0-20000");
    interrupted(SIGTERM, "-t0-20000 -j 2");
    interrupted(SIGINT, "-j 4");
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, exit_codes);
    tcase_add_test(tests, one_document);
    tcase_add_test(tests, run_directory);
    tcase_add_test(tests, signals);
}

SUITE("cli", add_tests)
