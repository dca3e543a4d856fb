// ELF files as the vendor's tools link them, loaded as they are: local data with an image in
// .loader_init, a section of arguments that all programs share, a stack in local RAM.
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCES TENSIM_SOURCE_DIR "/tests/load/vendor_elf/"

static int shell(const char *format, const char *a, const char *b)
{
    char text[1200];
    snprintf(text, sizeof text, format, a, b);
    int status = system(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void set_up(void)
{
    static const struct {
        const char *name, *defines;
    } programs[] = {{"t0", "-DCORE=0 -DRESULT=0x30000 -Wl,--defsym=CODE=0x6000"},
                    {"t1", "-DCORE=1 -DRESULT=0x30004 -Wl,--defsym=CODE=0xc000"},
                    {"over", "-DCORE=2 -DRESULT=0x30008 -Wl,--defsym=CODE=0xa800"},
                    {"args", "-DCORE=2 -DRESULT=0x30008 -Wl,--defsym=CODE=0x20200"}};
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        ck_assert_int_eq(shell("riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O1 -nostdlib "
                               "-ffreestanding -Wl,-T" SOURCES
                               "layout.ld -Wl,-n,--no-check-sections %2$s -o %1$s.elf " SOURCES
                               "program.c 2>log",
                               programs[i].name, programs[i].defines),
                         0);
}

static void tear_down(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove();
}

static void scenario(const char *second)
{
    FILE *file = fopen("s.yaml", "w");
    fprintf(file,
            "tiles:\n  1-2:\n    trisc0: t0.elf\n    trisc1: %s\n"
            "    load: [{address: 0x20000, words: [5, 7, 9]}]\n"
            "script:\n  - release: [trisc0, trisc1]\n"
            "  - until: {l1: 0x30000, is: 1235, limit: 10000}\n"
            "  - until: {l1: 0x30004, is: 1237, limit: 10000}\n"
            "  - run: 200\n  - zones: {address: 0x31000}\n",
            second);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(loaded)
{
    scenario("t1.elf");
    ck_assert_int_eq(shell("%s run s.yaml >log 2>&1%s", TENSIM_BINARY, ""), 0);
    ck_assert_int_eq(
        shell("grep -q 'zone TILE_LOOP (kernel.cpp:17) at 0x31000: 100 to 142, 42 cycles' log%s%s",
              "", ""),
        0);
}
END_TEST

// Bytes of one program in memory that another one names are still refused.
START_TEST(refused)
{
    scenario("over.elf");
    ck_assert_int_eq(shell("%s run -q s.yaml 2>log%s", TENSIM_BINARY, ""), 3);
    ck_assert_int_eq(shell("grep -q 'over.elf: 0xa800 to .* overlaps t0.elf' log%s%s", "", ""), 0);
    scenario("args.elf");
    ck_assert_int_eq(shell("%s run -q s.yaml 2>log%s", TENSIM_BINARY, ""), 3);
    ck_assert_int_eq(
        shell("grep -q 'overlaps t0.elf, which is at 0x20000 to 0x203ff' log%s%s", "", ""), 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, loaded);
    tcase_add_test(tests, refused);
}

SUITE("vendor_elf", add_tests)
