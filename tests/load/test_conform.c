// All conformance files of one tile: the bits, and the same cycles without arithmetic.
//
// The NoC's files need more than a tile; the chip's tests run them.
#include "platform/load/conform.h"
#include "tests/suite.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER TENSIM_SOURCE_DIR "/tests/conform"
#define PARTS  8

static int wanted(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".ttv") == 0 &&
           strncmp(entry->d_name, "noc", 3) != 0;
}

static void run(const char *name, bool timing_only, struct ts_conform_result *result)
{
    char path[600];
    snprintf(path, sizeof path, FOLDER "/%s", name);
    struct ts_conform_file conform;
    struct ts_error error = {0};
    ck_assert_msg(ts_conform_read(&conform, path, &error), "%s", error.text);
    struct ts_conform_options options = {.tile = ts_tile_config_default()};
    options.tile.timing_only = timing_only;
    ts_conform_run(&conform, &options, result);
    ts_conform_free(&conform);
}

// A part of the files of a folder, by position.
static void each(int part, const char *folder, int least, void (*visit)(const char *name))
{
    struct dirent **entries;
    char path[600];
    snprintf(path, sizeof path, FOLDER "/%s", folder);
    int count = scandir(path, &entries, wanted, alphasort);
    ck_assert_int_gt(count, least);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s%s", folder, entries[i]->d_name);
        if (i % PARTS == part)
            visit(path);
        free(entries[i]);
    }
    free(entries);
}

static void passes(const char *name)
{
    struct ts_conform_result result;
    run(name, false, &result);
    ck_assert_msg(result.pass, "%s: %s", name, result.text);
}

static void times_alike(const char *name)
{
    struct ts_conform_result full, dry;
    run(name, false, &full);
    run(name, true, &dry);
    ck_assert_msg(dry.code == TS_OK || dry.code == TS_DIFFERS, "%s: %s", name, dry.text);
    ck_assert_msg(full.cycles == dry.cycles, "%s: %llu cycles, timing only %llu", name,
                  (unsigned long long)full.cycles, (unsigned long long)dry.cycles);
}

START_TEST(bits)
{
    each(_i, "", 800, passes);
}
END_TEST

START_TEST(bits_of_wormhole)
{
    each(_i, "wormhole/", 600, passes);
}
END_TEST

START_TEST(cycles)
{
    each(_i, "", 800, times_alike);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, bits, 0, PARTS);
    tcase_add_loop_test(tests, bits_of_wormhole, 0, PARTS);
    tcase_add_loop_test(tests, cycles, 0, PARTS);
}

SUITE("conform", add_tests)
