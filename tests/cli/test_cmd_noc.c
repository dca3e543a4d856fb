// tensim run from outside: results, traces that can be run again, one hash for any number of
// threads, exit codes.
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIXED TENSIM_SOURCE_DIR "/tests/chip/workloads/mixed.json"

// Runs the tool; its stdout, and its exit code.
static int tool(const char *arguments, char *out, size_t size)
{
    char command[1024];
    snprintf(command, sizeof command, "%s noc %s 2>/dev/null", TENSIM_BINARY, arguments);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t length = fread(out, 1, size - 1, pipe);
    out[length] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static char first[65536], second[65536];

START_TEST(test_hash)
{
    ck_assert_int_eq(tool(MIXED " -q --stats-hash", first, sizeof first), 0);
    ck_assert_uint_gt(strlen(first), 8);
    ck_assert_int_eq(tool(MIXED " -q --stats-hash -j2", second, sizeof second), 0);
    ck_assert_str_eq(first, second);
    ck_assert_int_eq(tool(MIXED " -q --stats-hash -j3", second, sizeof second), 0);
    ck_assert_str_eq(first, second);
}
END_TEST

static json_int_t cycles_of(const char *arguments, json_int_t *bytes)
{
    char all[700];
    snprintf(all, sizeof all, "%s --json -", arguments);
    ck_assert_int_eq(tool(all, first, sizeof first), 0);
    json_error_t error;
    json_t *document = json_loads(first, 0, &error);
    ck_assert_msg(document != NULL, "%s", error.text);
    json_int_t cycles = json_integer_value(json_object_get(document, "cycles"));
    *bytes = json_integer_value(json_object_get(document, "bytes"));
    size_t index;
    json_t *noc;
    json_array_foreach(json_object_get(document, "nocs"), index, noc)
    {
        ck_assert(json_real_value(json_object_get(noc, "busiest_utilisation")) <= 1);
        ck_assert_int_eq(json_integer_value(json_object_get(noc, "packets_sent")) > 0, 1);
    }
    json_decref(document);
    return cycles;
}

// The trace of a run, run as a workload, moves the same bytes in nearly the same time.
START_TEST(test_trace)
{
    char arguments[600];
    json_int_t bytes, again;
    folder_make();
    snprintf(arguments, sizeof arguments, MIXED " -o %s/run", folder);
    json_int_t cycles = cycles_of(arguments, &bytes);
    snprintf(arguments, sizeof arguments, "%s/run/noc_trace.json", folder);
    json_int_t replayed = cycles_of(arguments, &again);
    ck_assert_int_eq(bytes, again);
    ck_assert_msg(replayed > cycles * 9 / 10 && replayed < cycles * 11 / 10,
                  "%lld against %lld cycles", (long long)replayed, (long long)cycles);
    folder_remove();
}
END_TEST

START_TEST(test_refusals)
{
    ck_assert_int_eq(tool("/nowhere.json", first, sizeof first), 3);
    ck_assert_int_eq(tool(MIXED " -d p7000", first, sizeof first), 3);
    ck_assert_int_eq(tool("", first, sizeof first), 64);
    ck_assert_int_eq(tool(MIXED " gap=-1", first, sizeof first), 64);
    // Column 6 and others are harvested on a p100.
    ck_assert_int_eq(tool(MIXED " -d p100", first, sizeof first), 3);
    ck_assert_int_eq(tool(MIXED " -n 100", first, sizeof first), 6);
    ck_assert_int_eq(tool(MIXED " -D noc.vc_buffer=0", first, sizeof first), 64);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_hash);
    tcase_add_test(tests, test_trace);
    tcase_add_test(tests, test_refusals);
}

SUITE("cmd_noc", add_tests)
