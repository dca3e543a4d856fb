// Running ahead and parking are exact: every conformance vector of one tile passes with and without
// them, in the same cycles, with the same instructions; and the commit logs are the same.
#include "platform/load/conform.h"
#include "tests/suite.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>

struct logs {
    char *text[TS_RV_CORES];
    size_t length[TS_RV_CORES];
    struct ts_rv_log log[TS_RV_CORES];
};

static void add_logs(struct ts_tile *tile, void *context)
{
    struct logs *logs = context;
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        logs->log[i] = (struct ts_rv_log){ts_rv_log_print,
                                          open_memstream(&logs->text[i], &logs->length[i])};
        tile->cores[i].log = &logs->log[i];
    }
}

static void end_logs(struct ts_tile *tile, void *context)
{
    struct logs *logs = context;
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        ts_rv_core_log_end(&tile->cores[i]);
        fclose(logs->log[i].context);
        tile->cores[i].log = NULL;
    }
}

static void run(const char *path, bool run_ahead, struct ts_conform_result *result,
                struct logs *logs)
{
    static struct ts_conform_file vector;
    struct ts_error error = {0};
    ck_assert_msg(ts_conform_read(&vector, path, &error), "%s", error.text);
    struct ts_conform_options options = {.tile = ts_tile_config_default()};
    options.tile.run_ahead = options.tile.park = run_ahead;
    if (logs != NULL) {
        options.prepare = add_logs;
        options.dismiss = end_logs;
        options.context = logs;
    }
    ts_conform_run(&vector, &options, result);
    ts_conform_free(&vector);
}

START_TEST(test_exact)
{
    DIR *folder = opendir(TENSIM_SOURCE_DIR "/tests/conform");
    ck_assert_ptr_nonnull(folder);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        // Those over several tiles need the chip.
        if (strstr(entry->d_name, ".ttv") == NULL || strncmp(entry->d_name, "noc", 3) == 0)
            continue;
        char path[512];
        snprintf(path, sizeof path, "%s/tests/conform/%s", TENSIM_SOURCE_DIR, entry->d_name);
        struct ts_conform_result fast, slow, logged;
        run(path, true, &fast, NULL);
        ck_assert_msg(fast.pass, "%s: %s", entry->d_name, fast.text);
        run(path, false, &slow, NULL);
        ck_assert_msg(slow.pass, "%s step by step: %s", entry->d_name, slow.text);
        ck_assert_msg(fast.cycles == slow.cycles, "%s: %llu cycles ahead, %llu step by step",
                      entry->d_name, (unsigned long long)fast.cycles,
                      (unsigned long long)slow.cycles);
        ck_assert_uint_eq(fast.instructions, slow.instructions);
        if (count++ % 8 == 0) {
            struct logs logs = {0};
            run(path, true, &logged, &logs);
            for (unsigned i = 0; i < TS_RV_CORES; i++)
                free(logs.text[i]);
            ck_assert_msg(logged.cycles == fast.cycles, "%s: another cycle count with the log on",
                          entry->d_name);
        }
    }
    closedir(folder);
    ck_assert_uint_eq(count, 855);
}
END_TEST

// The log as text; cores are read after the run, before the tile goes.
static char *log_of(const char *path, bool run_ahead, unsigned core)
{
    struct logs logs = {0};
    struct ts_conform_result result;
    run(path, run_ahead, &result, &logs);
    ck_assert_msg(result.pass, "%s", result.text);
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        if (i != core)
            free(logs.text[i]);
    return logs.text[core];
}

START_TEST(test_commit_log)
{
    static const struct {
        const char *name;
        unsigned core;
    } rows[] = {{"rv_mem_brisc_0", TS_RV_BRISC},
                {"rv_amo_trisc1_0", TS_RV_TRISC1},
                {"mailbox_ring_1", TS_RV_TRISC2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/tests/conform/%s.ttv", TENSIM_SOURCE_DIR, rows[i].name);
        char *fast = log_of(path, true, rows[i].core), *slow = log_of(path, false, rows[i].core);
        ck_assert_ptr_nonnull(fast);
        ck_assert_ptr_nonnull(slow);
        size_t length = strlen(fast) < strlen(slow) ? strlen(fast) : strlen(slow);
        ck_assert_uint_gt(length, 1000);
        ck_assert_msg(strncmp(fast, slow, length) == 0, "%s: logs differ", rows[i].name);
        ck_assert(strncmp(fast, "core   ", 7) == 0);
        free(fast);
        free(slow);
    }
}
END_TEST

START_TEST(test_malformed)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"", "data line"},
        {"elf\n", "not a test vector"},
        {"ttvec 1\n", "data line"},
        {"ttvec 1\nload 0 0\ndata 0\n", "malformed"},
        {"ttvec 1\ncore 0 erisc 0\ndata 0\n", "malformed"},
        {"ttvec 1\narch quasar\ndata 0\n", "malformed"},
        {"ttvec 1\ntile 0 1 2\ncore 0 brisc 0\ndone 0 0 1\ndata 10\nabc", "truncated"},
        {"ttvec 1\ntile 0 1 2\ncore 0 brisc 0\ndone 0 0 1\nload 0 0x17ffff 0 4\ndata 4\nabcd",
         "load row"},
        {"ttvec 1\ntile 0 1 2\ncore 1 brisc 0\ndone 0 0 1\ndata 0\n", "core row"},
        {"ttvec 1\ntile 0 1 2\ndata 0\n", "no tile"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct ts_conform_file vector;
        struct ts_error error = {0};
        bool good = ts_conform_parse(&vector, rows[i].text, strlen(rows[i].text), "x.ttv", &error);
        ck_assert_msg(!good && error.code == TS_SETUP && strstr(error.text, rows[i].part),
                      "row %zu: %s", i, error.text);
        ts_conform_free(&vector);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_exact);
    tcase_add_test(tests, test_commit_log);
    tcase_add_test(tests, test_malformed);
}

SUITE("exact", add_tests)
