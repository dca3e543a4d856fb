// The line of a wait is the caller's, not that of a library's header: inlined, called, optimised or
// not.
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static const char header[] = "HOW static void wait_for(volatile int *word, int value)\n"
                             "{\n"
                             "    while (*word != value) { }\n"
                             "}\n";
static const char program[] =
    "#include \"noc.h\"\n"
    "void work(void)\n"
    "{\n"
    "    wait_for((volatile int *)0x20000, 7);\n"
    "    for (;;) { }\n"
    "}\n"
    "__attribute__((naked)) void _start(void) { __asm__(\"lui sp, 0xffb01; j work\"); }\n";

static const struct {
    const char *options, *chip;
} rows[] = {
    {"-O0 -DHOW=", ""},
    {"-O1 -DHOW=inline", ""},
    {"-O2 '-DHOW=__attribute__((noinline))'", ""},
    {"-O2 -DHOW=inline", ""},
    {"-O2 -DHOW=inline", "--chip n150"},
};

static void write_file(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(caller)
{
    char command[900];
    folder_make();
    write_file("noc.h", header);
    write_file("a.c", program);
    snprintf(command, sizeof command,
             "cd %s && riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -g -nostdlib %s "
             "-Wl,-Ttext=0x4000 a.c -o a.elf || exit 99; "
             "%s run %s --load trisc0=a.elf >log 2>&1; code=$?; "
             "grep -q 'trisc0 waits at a.c:4 for ' log && "
             "grep -q 'in work (a.c:4), inside wait_for (noc.h:3)' log || { cat log; exit 98; }; "
             "exit $code",
             folder, rows[_i].options, TENSIM_BINARY, rows[_i].chip);
    int code = system(command) >> 8;
    ck_assert_msg(code == 2, "%s: exit code %d", rows[_i].options, code);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, caller, 0, (int)(sizeof rows / sizeof *rows));
}

SUITE("caller_line", add_tests)
