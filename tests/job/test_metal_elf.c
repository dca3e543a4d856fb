// Program files with firmware and kernels as tt-metal builds them: booted, moved, launched, checked; and what is refused.
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAKE TENSIM_SOURCE_DIR "/tests/load/metal_elf/make.sh"

static int shell(const char *command)
{
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void set_up(void)
{
    char text[1200];
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    snprintf(text, sizeof text, MAKE " %s", folder);
    ck_assert_int_eq(shell(text), 0);
    // Not firmware that tensim knows; a kernel without relocations.
    ck_assert_int_eq(
        shell("cp -r firmware other; cp firmware/ncrisc/ncrisc.elf other/brisc/brisc.elf;"
              "cp -r kernel fixed; riscv64-unknown-elf-objcopy -R .rela.text -R .rela.data "
              "-R '.rela.debug*' kernel/trisc1/trisc1.elf fixed/trisc1/trisc1.elf"),
        0);
}

static void tear_down(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove();
}

static int run(const char *firmware, const char *cores, const char *more, const char *brisc,
               const char *compute, const char *expect)
{
    FILE *file = fopen("p.yaml", "w");
    fprintf(file,
            "firmware: %s\ncores: %s\n%stensors:\n"
            "    x: {shape: [32, 32], format: uint32, layout: rows, page: 4096, fill: row * 32 + "
            "column}\n"
            "    y: {shape: [32, 32], format: uint32, layout: rows, page: 4096, expect: %s, "
            "tolerance: 0}\n"
            "semaphores: {back: 0}\n"
            "buffers: [{id: 0, format: uint32, pages: 1}]\n"
            "kernels:\n    - {%s, on: brisc, noc: 0, cores: \"0,0\", args: [x, y]}\n"
            "    - {%s, on: compute, cores: \"0,0\", common: [1000]}\n",
            firmware, cores, more, expect, brisc, compute);
    ck_assert_int_eq(fclose(file), 0);
    return shell(TENSIM_BINARY " run p.yaml >log 2>&1");
}

static void says(const char *text)
{
    char command[600];
    snprintf(command, sizeof command, "grep -qF -- '%s' log || { cat log; false; }", text);
    ck_assert_msg(shell(command) == 0, "%s", text);
}

// The argument says which function of the kernel's table is called.
START_TEST(moved)
{
    ck_assert_int_eq(
        run("firmware", "\"0,0\"", "", "elf: kernel", "elf: kernel, args: [1]", "x * 3"), 0);
    says("y 32x32 uint32: right");
    says("60000 cycles of boot and launch");
    ck_assert_int_eq(shell("grep -q arg-beyond log"), 1);
    ck_assert_int_eq(
        run("firmware", "\"0,0\"", "", "elf: kernel", "elf: kernel, args: [0]", "x + 1000"), 0);
    ck_assert_int_eq(
        run("firmware", "\"0,0\"", "", "elf: kernel", "elf: kernel, args: [0]", "x * 3"), 1);
}
END_TEST

// What a hang names is in the kernel's source, although the kernel was moved.
START_TEST(named)
{
    ck_assert_int_eq(
        run("firmware", "\"0,0\"", "", "elf: kernel", "elf: kernel, args: [1], when: 0", "x * 3"),
        2);
    says("wait (kernel.c:");
    says("semaphore back");
    ck_assert_int_eq(
        run("firmware", "\"0,0\"", "", "elf: kernel, when: 0", "elf: kernel, args: [1]", "x * 3"),
        2);
    says("polls for pages in circular buffer c_0: 0 of 1 pages are in it");
    says("kernel (kernel.c:");
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *firmware, *more, *brisc, *compute, *message;
    } rows[] = {
        {"other", "", "elf: kernel", "elf: kernel",
         "p.yaml:1:11: firmware of a version of tt-metal that tensim does not know (brisc at "
         "0x5ce0"},
        {"nothing", "", "elf: kernel", "elf: kernel", "nothing/brisc/brisc.elf"},
        {"firmware", "", "source: p.yaml", "elf: kernel", "kernels that tt-metal built"},
        {"firmware", "", "elf: kernel", "elf: nothing",
         "nothing/trisc0/trisc0.elf: cannot be read"},
        {"firmware", "", "elf: kernel", "elf: fixed", "it has no relocations"},
        {"firmware", "grid: 8x8\n", "elf: kernel", "elf: kernel",
         "made for 8 DRAM banks and 130 compute cores, but the program has 8 and 64"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(
            run(rows[i].firmware, "\"0,0\"", rows[i].more, rows[i].brisc, rows[i].compute, "x"), 3);
        says(rows[i].message);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, moved);
    tcase_add_test(tests, named);
    tcase_add_test(tests, refused);
}

SUITE("metal_elf", add_tests)
