// Loops that count their rounds or write a heartbeat: a livelock is only one if nothing that the
// loop does can end it. A time-out is no livelock, nor is a program that is about to end.
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static const char program[] =
    "#ifndef LONG\n"
    "#define LONG 0\n"
    "#endif\n"
    "volatile int *const flag = (volatile int *)0x20000, *const beat = (volatile int *)0x20100;\n"
    "void _start(void)\n"
    "{\n"
    "    int tries = 0;\n"
    "#ifdef FIRST\n"
    "    for (FIRST) __asm__ volatile(\"\");\n"
    "#endif\n"
    "    while (*flag != 7) {\n"
    "        tries++;\n"
    "        if (BEAT) *beat = tries;\n"
    "        if (OWN) *flag = tries / 10000;\n"
    "        if (TRIES && tries == TRIES) break;\n"
    "    }\n"
    "    for (int i = 0; i < LONG; i++) __asm__ volatile(\"\");\n"
    "    *flag = 7;\n"
    "    for (;;) { }\n"
    "}\n";

static const struct {
    const char *options;
    int code;
    const char *says;
    unsigned limit; // cycles; 0: enough
} rows[] = {
    {"-DBEAT=0 -DOWN=0 -DTRIES=0", 2, "detected at cycle 4096", 0},
    {"-DBEAT=1 -DOWN=0 -DTRIES=0", 2, "it counts its rounds and writes L1 word 0x20100", 0},
    {"-DBEAT=1 -DOWN=0 -DTRIES=0", 2, "livelock since cycle", 0},
    {"-DBEAT=1 -DOWN=0 -DTRIES=100000", 0, "done", 0},
    // Counts first, and is not looked at meanwhile: the hang behind it is found at the same cycle.
    {"-DBEAT=0 -DOWN=0 -DTRIES=0 '-DFIRST=int i = -9; i < 500000; i++'", 2,
     "detected at cycle 999424", 0},
    {"-DBEAT=0 -DOWN=0 -DTRIES=0 '-DFIRST=unsigned i = 900000; i > 2; i -= 3'", 2,
     "detected at cycle 598016", 0},
    {"-DBEAT=0 -DOWN=0 -DTRIES=0 '-DFIRST=int i = 7, k = 1000007; i != k; i += 2'", 2,
     "detected at cycle 999424", 0},
    // What the core would do behind its wait: at once, and too late to be followed.
    {"-DBEAT=0 -DOWN=0 -DTRIES=0", 2, "self-deadlock: trisc0 waits", 0},
    {"-DBEAT=0 -DOWN=0 -DTRIES=0 -DLONG=900000", 2, "not known: trisc0 waits", 0},
    // Ends within a few hundred rounds of a look of the watchdog.
    {"-DBEAT=0 -DOWN=0 -DTRIES=100000", 0, "done", 0},
    {"-DBEAT=0 -DOWN=0 -DTRIES=700", 0, "done", 0},
    // It polls what it writes itself.
    {"-DBEAT=1 -DOWN=1 -DTRIES=0", 0, "done", 0},
    // At the limit: who still runs, and that nobody else has worked for long.
    {"-DBEAT=1 -DOWN=1 -DTRIES=0", 6, "only cores have worked since cycle", 200000},
    {"-DBEAT=1 -DOWN=1 -DTRIES=0", 6, "  trisc0 of 1-2 still runs in _start (a.c:", 200000},
};

START_TEST(loops)
{
    char command[900];
    folder_make();
    snprintf(command, sizeof command, "%s/a.c", folder);
    FILE *file = fopen(command, "w");
    ck_assert_ptr_nonnull(file);
    fputs(program, file);
    fclose(file);
    snprintf(command, sizeof command,
             "cd %s && riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O1 -g -nostdlib %s "
             "-Wl,-Ttext=0x4000 a.c -o a.elf || exit 99; "
             "%s run --load trisc0=a.elf --max-cycles %u >log 2>&1; code=$?; "
             "grep -qF '%s' log || { cat log; exit 98; }; exit $code",
             folder, rows[_i].options, TENSIM_BINARY, rows[_i].limit ? rows[_i].limit : 20000000,
             rows[_i].says);
    int code = system(command) >> 8;
    ck_assert_msg(code == rows[_i].code, "%s: exit code %d", rows[_i].options, code);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, loops, 0, (int)(sizeof rows / sizeof *rows));
}

SUITE("livelock", add_tests)
