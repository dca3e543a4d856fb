// Scenarios: the launch protocol of real kernels (hold, load, BRISC boots, commands in L1, TRISCs
// started by BRISC, done words) with our own programs, and errors in a file.
#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"
#include "platform/load/scenario.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *name, const void *bytes, size_t length)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

// BRISC: polls the command word; 1 starts the TRISCs (reset PCs are set by the host), 2 holds them;
// counts commands.
static void brisc(struct ts_rvasm *code)
{
    code->count = 0;
    ts_rvasm_li(code, 5, 0x1ffc4);
    ts_rvasm_li(code, 6, 0xffb12000);
    uint32_t poll = ts_rvasm_here(code);
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(code, TS_RV_LW, 7, 5, 0, 0);
    ts_rvasm_back(code, TS_RV_BEQ, 7, 0, poll);
    ts_rvasm(code, TS_RV_SW, 0, 5, 0, 0);
    ts_rvasm(code, TS_RV_LW, 8, 6, 0, 0x1b0);
    ts_rvasm_li(code, 9, 0x7000);
    ts_rvasm(code, TS_RV_ADDI, 10, 0, 0, 1);
    ts_rvasm(code, TS_RV_BNE, 0, 7, 10, 12); // 2: hold
    ts_rvasm(code, TS_RV_ANDN, 8, 8, 9, 0);
    ts_rvasm(code, TS_RV_BEQ, 0, 0, 0, 8);
    ts_rvasm(code, TS_RV_OR, 8, 8, 9, 0);
    ts_rvasm(code, TS_RV_SW, 0, 6, 8, 0x1b0);
    ts_rvasm(code, TS_RV_LW, 11, 5, 0, 8); // commands so far
    ts_rvasm(code, TS_RV_ADDI, 11, 11, 0, 1);
    ts_rvasm(code, TS_RV_SW, 0, 5, 11, 8);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, ((int32_t)poll - (int32_t)code->count) * 4);
}

// TRISC i: writes a timed zone, i + 1 to the results, and 0xff to its done word.
static void trisc(struct ts_rvasm *code, unsigned index)
{
    code->count = 0;
    ts_rvasm_li(code, 5, 0xffb12000);
    ts_rvasm_li(code, 6, 0x16b000 + index * 0x1000);
    for (uint32_t kind = 0xa; kind <= 0xb; kind++) {
        ts_rvasm_li(code, 7, kind << 28 | 0x123 << 12);
        ts_rvasm(code, TS_RV_LW, 8, 5, 0, 0x1f0);
        ts_rvasm(code, TS_RV_SW, 0, 6, 7, (int32_t)(kind - 0xa) * 8);
        ts_rvasm(code, TS_RV_SW, 0, 6, 8, (int32_t)(kind - 0xa) * 8 + 4);
    }
    ts_rvasm_li(code, 5, 0xffe80000);
    ts_rvasm(code, TS_RV_SW, 0, 5, 0, 4); // tensix_sync
    ts_rvasm(code, TS_RV_LW, 7, 5, 0, 4);
    ts_rvasm(code, TS_RV_ANDI, 7, 7, 0, 0);
    ts_rvasm_li(code, 6, 0x30000);
    ts_rvasm(code, TS_RV_ADDI, 7, 0, 0, (int32_t)index + 1);
    ts_rvasm(code, TS_RV_SW, 0, 6, 7, (int32_t)index * 4);
    ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm_li(code, 6, 0x1ffb8);
    ts_rvasm(code, TS_RV_ADDI, 7, 0, 0, 0xff);
    ts_rvasm(code, TS_RV_SW, 0, 6, 7, (int32_t)index * 4);
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

static const char launch[] =
    "tiles:\n"
    "  1-2:\n"
    "    brisc: {pc: 0}\n"
    "    load:\n"
    "      - {address: 0, file: brisc.bin}\n"
    "      - {address: 0x6000, file: trisc0.bin}\n"
    "      - {address: 0xb000, file: trisc1.bin}\n"
    "      - {address: 0x10000, file: trisc2.bin}\n"
    "      - {address: 0x20000, words: [0x11, 0x22]}\n"
    "script:\n"
    "  - write: {address: 0xffb121b0, words: [0x47800]}\n"
    "  - write: {address: 0xffb12228, words: [0x6000, 0xb000, 0x10000, 7]}\n"
    "  - write: {address: 0xffb121b0, words: [0x47000]}\n"
    "  - run: 500\n"
    "  - write: {address: 0x1ffc4, words: [2]}\n"
    "  - until: {l1: 0x1ffcc, is: 1, limit: 100000}\n"
    "  - write: {address: 0x1ffc4, words: [1]}\n"
    "  - until: {l1: 0x1ffb8, is: 0xff, limit: 100000}\n"
    "  - until: {l1: 0x1ffbc, is: 0xff, limit: 100000}\n"
    "  - until: {l1: 0x1ffc0, is: 0xff, limit: 100000}\n"
    "  - compare: {address: 0x30000, words: [1, 2, 3]}\n"
    "  - zones: {address: 0x16b000}\n"
    "  - dump: {address: 0x30000, length: 12, file: out.bin}\n";

struct drive {
    struct ts_kernel *kernel;
};

static bool drive(void *context, ts_cycle limit, struct ts_run *run)
{
    *run = ts_kernel_run(((struct drive *)context)->kernel, limit);
    return run->stop != TS_STOP_FAULT;
}

static enum ts_code run_text(const char *text, bool run_ahead, ts_cycle *cycles,
                             uint64_t *instructions, struct ts_error *error)
{
    char path[128];
    write_file("scenario.yaml", text, strlen(text));
    snprintf(path, sizeof path, "%s/scenario.yaml", folder);
    struct ts_scenario scenario = {0};
    struct drive context = {ts_kernel_new(&(struct ts_kernel_config){.threads = 1})};
    struct ts_tile_config config = ts_tile_config_default();
    config.run_ahead = config.park = run_ahead;
    if (ts_scenario_read(&scenario, path, error) &&
        ts_scenario_build(&scenario, context.kernel, &config, error) &&
        ts_kernel_elaborate(context.kernel, error) == TS_OK) {
        ts_scenario_run(&scenario, &(struct ts_scenario_driver){drive, &context}, error);
        *cycles = scenario.wait.at;
        *instructions = 0;
        for (unsigned i = 1; i < 4; i++)
            *instructions += scenario.tiles[0].tile->cores[i].instret;
    }
    ts_scenario_free(&scenario);
    ts_kernel_free(context.kernel);
    return error->code;
}

static void write_programs(void)
{
    static struct ts_rvasm code;
    brisc(&code);
    write_file("brisc.bin", code.words, code.count * 4);
    for (unsigned i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "trisc%u.bin", i);
        trisc(&code, i);
        write_file(name, code.words, code.count * 4);
    }
}

START_TEST(test_launch)
{
    write_programs();
    ts_cycle fast = 0, slow = 0;
    uint64_t a = 0, b = 0;
    struct ts_error error = {0};
    ck_assert_msg(run_text(launch, true, &fast, &a, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(run_text(launch, false, &slow, &b, &error) == TS_OK, "%s", error.text);
    ck_assert_uint_eq(fast, slow);
    ck_assert_uint_eq(a, b);
    char path[128];
    snprintf(path, sizeof path, "%s/out.bin", folder);
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq(status.st_size, 12);
}
END_TEST

// Nobody writes the reset PC registers: cores that BRISC releases start where their programs do.
START_TEST(test_entries)
{
    static const char held[] = "tiles:\n"
                               "  1-2:\n"
                               "    brisc: {pc: 0}\n"
                               "    trisc0: {pc: 0x8000, hold: true}\n"
                               "    trisc1: {pc: 0xb000, hold: true}\n"
                               "    trisc2: {pc: 0x10000, hold: true}\n"
                               "    load:\n"
                               "      - {address: 0, file: brisc.bin}\n"
                               "      - {address: 0x8000, file: trisc0.bin}\n"
                               "      - {address: 0xb000, file: trisc1.bin}\n"
                               "      - {address: 0x10000, file: trisc2.bin}\n"
                               "script:\n"
                               "  - release: [brisc]\n"
                               "  - write: {address: 0x1ffc4, words: [1]}\n"
                               "  - until: {l1: 0x1ffc0, is: 0xff, limit: 100000}\n"
                               "  - run: 1000\n"
                               "  - compare: {address: 0x30000, words: [1, 2, 3]}\n";
    ts_cycle cycles;
    uint64_t instructions;
    struct ts_error error = {0};
    write_programs();
    ck_assert_msg(run_text(held, true, &cycles, &instructions, &error) == TS_OK, "%s", error.text);
}
END_TEST

START_TEST(test_wrong_files)
{
    static const struct {
        const char *text, *part;
        enum ts_code code;
    } rows[] = {
        {"tiles: {}\n", "1 to", TS_SETUP},
        {"tiles:\n  - {at: 1-2}\n", "tiles is now a mapping", TS_SETUP},
        {"tiles:\n  here: {}\n", "x-y", TS_SETUP},
        {"tiles:\n  1-2: {}\n  1-2: {}\n", "twice", TS_SETUP},
        {"tiles:\n  1-2:\n    erisc: a.elf\n", "no core 'erisc'", TS_SETUP},
        {"tiles:\n  1-2:\n    brisc: nothere.elf\n", "cannot be opened", TS_SETUP},
        {"tiles:\n  1-2:\n    load: [{address: 0x17ffff, words: [1]}]\n", "do not fit", TS_SETUP},
        {"tiles:\n  1-2:\n    load: [{address: 0, words: [1]}, {address: 2, words: [1]}]\n",
         "overlaps", TS_SETUP},
        {"tiles:\n  1-2: {}\nscript:\n  - jump: 3\n", "jump", TS_SETUP},
        {"tiles:\n  1-2: {}\nscript:\n  - compare: {address: 0, words: [1]}\n", "differ",
         TS_DIFFERS},
        {"tiles:\n  1-2:\n    load: [{address: 0, words: [0x0000006f]}]\nscript:\n  - "
         "release: [brisc]\n"
         "  - until: {l1: 0x100, is: 1, limit: 1000}\n",
         "not 0x1", TS_LIMIT},
        {"tiles:\n  1-2:\n    load: [{address: 0, words: [0xffffffff]}]\nscript:\n  - "
         "release: [brisc]\n"
         "  - run: 100\n",
         "invalid instruction", TS_CONTRACT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ts_error error = {0};
        ts_cycle cycles;
        uint64_t instructions;
        run_text(rows[i].text, true, &cycles, &instructions, &error);
        ck_assert_msg(error.code == rows[i].code && strstr(error.text, rows[i].part),
                      "row %zu: %d %s", i, error.code, error.text);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, folder_make, folder_remove);
    tcase_add_test(tests, test_launch);
    tcase_add_test(tests, test_entries);
    tcase_add_test(tests, test_wrong_files);
}

SUITE("scenario", add_tests)
