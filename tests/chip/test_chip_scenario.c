// tensim run with a scenario of several tiles on a chip: their programs, memories and expectations,
// and the contents of DRAM.
#include "tests/chip/programs.h"
#include "tests/chip/rig.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLAG 0x16000u

static void write_words(FILE *file, const struct ts_rvasm *code)
{
    fprintf(file, "      load: [{address: 0, words: [");
    for (uint32_t i = 0; i < code->count; i++)
        fprintf(file, "%s0x%x", i ? ", " : "", code->words[i]);
    fprintf(file, "]}]\n");
}

// 1-2 reads a block from DRAM and sends it to 14-9, then a flag; 14-9 waits for the flag and writes
// the block to another channel.
static void write_programs(FILE *file)
{
    static struct rig rig;
    static struct ts_rvasm code;
    rig_init(&rig, "p150", 1, NULL); // for coordinates
    struct ts_noc_xy one = at(1, 2), two = at(14, 9);
    const struct ts_chip *chip = &rig.chip;
    struct ts_traffic_op op = ts_traffic_read(chip, 0, one, chip->soc.dram[2][0], 0x4000, SOURCE,
                                              256);
    code.count = 0;
    issue(&code, 1, &op);
    await_counter(&code, 0, TS_NOC_MST_RD_RESP_RECEIVED, 1);
    op = ts_traffic_write(chip, 0, one, two, SOURCE, TARGET, 256, 1, false);
    issue(&code, 0, &op);
    await_counter(&code, 0, TS_NOC_MST_WR_ACK_RECEIVED, 1);
    op = ts_traffic_increment(chip, 0, one, two, FLAG, 0x16010, 1, false);
    issue(&code, 3, &op);
    await_counter(&code, 0, TS_NOC_MST_ATOMIC_RESP_RECEIVED, 1);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, 0);
    fprintf(file, "tiles:\n    1-2:\n      brisc: {pc: 0}\n");
    write_words(file, &code);
    code.count = 0;
    await(&code, FLAG, 1);
    op = ts_traffic_write(chip, 1, two, chip->soc.dram[5][1], TARGET, 0x8000, 256, 1, false);
    issue(&code, 0, &op);
    await_counter(&code, 1, TS_NOC_MST_WR_ACK_RECEIVED, 1);
    store(&code, DONE, DONE_WORD);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, 0);
    fprintf(file, "    14-9:\n      brisc: {pc: 0}\n");
    write_words(file, &code);
    rig_free(&rig);
}

// The exit code of `tensim run` on a scenario that begins and ends like this.
static int run_scenario(const char *top, const char *script, const char *options)
{
    char path[128], command[512];
    snprintf(path, sizeof path, "%s/scenario.yaml", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s\n", top);
    write_programs(file);
    fprintf(file, "%s\n", script);
    fclose(file);
    snprintf(command, sizeof command, "%s run %s %s >%s/out 2>&1", TENSIM_BINARY, path, options,
             folder);
    int status = system(command);
    return WEXITSTATUS(status);
}

static const char good_top[] = "chip: p150\n"
                               "dram: [{channel: 2, address: 0x4000, words: [11, 22, 33, 44]}]";
static const char good_script[] =
    "script:\n"
    "    - write: {dram: 2, address: 0x4010, words: [55]}\n"
    "    - release: [brisc]\n"
    "    - release: {tile: 14-9, cores: [brisc]}\n"
    "    - until: {tile: 14-9, l1: 0x14000, is: 0x600dd04e, limit: 100000}\n"
    "    - compare: {tile: 14-9, address: 0x30000, words: [11, 22, 33, 44, 55, 0]}\n"
    "    - compare: {dram: 5, address: 0x8000, words: [11, 22, 33, 44, 55, 0]}\n"
    "    - dump: {dram: 5, address: 0x8000, length: 20, file: out.bin}\n";

START_TEST(tiles_and_dram_of_a_chip)
{
    ck_assert_int_eq(run_scenario(good_top, good_script, "-j 1 --stats-hash"), 0);
    char path[128], first[4096] = "", other[4096] = "";
    uint32_t words[5];
    snprintf(path, sizeof path, "%s/out.bin", folder);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(words, 4, 5, file), 5);
    fclose(file);
    ck_assert_uint_eq(words[4], 55);
    // The same hash on three threads.
    snprintf(path, sizeof path, "%s/out", folder);
    ck_assert_int_eq(run_scenario(good_top, good_script, "-q -j 1 --stats-hash"), 0);
    file = fopen(path, "r");
    ck_assert_uint_gt(fread(first, 1, sizeof first - 1, file), 8);
    fclose(file);
    ck_assert_int_eq(run_scenario(good_top, good_script, "-q -j 3 --stats-hash"), 0);
    file = fopen(path, "r");
    ck_assert_uint_gt(fread(other, 1, sizeof other - 1, file), 8);
    fclose(file);
    ck_assert_str_eq(first, other);
}
END_TEST

START_TEST(what_differs_or_is_wrong)
{
    // Without a script all programs run to their end.
    ck_assert_int_eq(run_scenario(good_top, "", ""), 0);
    ck_assert_int_eq(run_scenario(good_top,
                                  "script: [{release: [brisc]}, {run: 5000}, "
                                  "{compare: {dram: 5, address: 0x8000, words: [11]}}]",
                                  ""),
                     1);
    ck_assert_int_eq(
        run_scenario("chip: p150\ndram: [{channel: 8, address: 0, words: [1]}]", "", ""), 3);
    ck_assert_int_eq(run_scenario("dram: [{channel: 0, address: 0, words: [1]}]", "", ""), 3);
    ck_assert_int_eq(run_scenario("chip: p999", "", ""), 3);
    // On their own, tiles have no network.
    ck_assert_int_ne(run_scenario("", "", ""), 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, folder_make, folder_remove);
    tcase_add_test(tests, tiles_and_dram_of_a_chip);
    tcase_add_test(tests, what_differs_or_is_wrong);
}

SUITE("chip_scenario", add_tests)
