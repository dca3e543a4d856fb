// Conditions of polling loops as people read them: computed values, constants on either side, masks,
// two words, counters that wrap.
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *loop, *says;
} rows[] = {
    {"while (p[0] != 7);", "for L1 word 0x20000 (has 0, needs 7)"},
    {"while (p[0] == 0);", "for L1 word 0x20000 (has 0, needs at least 1)"},
    {"while (p[0] < 5);", "for L1 word 0x20000 (has 0, needs at least 5)"},
    {"while (5 > p[0]);", "for L1 word 0x20000 (has 0, needs at least 5)"},
    {"p[0] = 9; while (p[0] >= 4);", "for L1 word 0x20000 (has 9, needs less than 4)"},
    {"p[0] = 9; while (3 < p[0]);", "for L1 word 0x20000 (has 9, needs less than 4)"},
    {"while ((p[0] & 0x30) != 0x10);",
     "for L1 word 0x20000 (L1 word 0x20000 & 0x30 has 0, needs 16)"},
    {"while (p[0] - 3 != 4);", "for L1 word 0x20000 (has 0, needs 7)"},
    {"while ((p[0] ^ 5) != 0);", "for L1 word 0x20000 (has 0, needs 5)"},
    {"p[4] = 2; while (p[0] != p[4]);",
     "for L1 word 0x20000 (has 0, needs 2, the value of L1 word 0x20010)"},
    {"p[4] = 1; while (p[0] - p[4] < 3 || p[0] - p[4] > 100);",
     "for L1 word 0x20000 (has 0, needs 4 to 101)"},
    {"p[0] = 4; while ((p[0] & 0xfff8) == 0);",
     "for L1 word 0x20000 (L1 word 0x20000 & 0xfff8 has 0, needs at least 8)"},
    {"p[0] = 3; while ((p[0] >> 2) == 0);", "for L1 word 0x20000 (has 3, needs at least 4)"},
    {"p[0] = 3; while (p[0] / 3 != 2);", "for L1 word 0x20000 (has 3, needs 6 to 8)"},
    {"p[0] = 6; while (p[0] * 2 != 10);", "L1 word 0x20000"},
    {"p[0] = 2; while ((int)p[0] > -3);",
     "for L1 word 0x20000 (has 2, needs 0x80000000 to 0xfffffffd)"},
    {"p[0] = 0x30500; while (((volatile unsigned char *)p)[1] != 0x80);",
     "for L1 byte 0x20001 (has 5, needs 128)"},
    {"p[0] = 0xf00; while (((volatile unsigned short *)p)[0] < 0x1000);",
     "for L1 word 0x20000 (has 3840, needs at least 4096)"},
    {"p[0] = 5; while (p[0] != 4 && p[0] != 9);", "for L1 word 0x20000 (has 5, needs "},
    {"p[4] = 1; while (p[0] == 0 && p[4] == 1);", "for L1 word 0x200"}, // either ends it
    {"p[0] = 65535; unsigned m = 0xffff; while (((p[0] - 65530) & m) < 10);",
     "& 0xffff has 5, needs at least 10)"},
};

START_TEST(texts)
{
    char command[1200];
    folder_make();
    snprintf(command, sizeof command, "%s/a.c", folder);
    FILE *file = fopen(command, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "void _start(void)\n{\n"
            "    volatile unsigned *const p = (volatile unsigned *)0x20000;\n"
            "    %s\n"
            "    for (;;) { }\n}\n",
            rows[_i].loop);
    fclose(file);
    snprintf(command, sizeof command,
             "cd %s && riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O2 -g -nostdlib "
             "-Wl,-Ttext=0x4000 a.c -o a.elf && { %s run --load trisc0=a.elf 2>&1 | tee log | "
             "grep -qF '%s' || { cat log; false; }; }",
             folder, TENSIM_BINARY, rows[_i].says);
    ck_assert_msg(system(command) == 0, "%s", rows[_i].loop);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, texts, 0, (int)(sizeof rows / sizeof *rows));
}

SUITE("conditions", add_tests)
