// Hangs under firmware in the style of hosts' stacks: go bytes and launch messages, mailboxes of words, command
// words with delays by the wall clock. The first line names the kernel's wait, never firmware's idle polls.
#include "platform/base/json.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes: ncrisc, trisc0 to trisc2. The host writes launch[] and go.
static const char common[] =
    "typedef unsigned u32;\n"
    "typedef unsigned char u8;\n"
    "#define SYNC ((volatile u8 *)0x20000)\n"
    "#define ALL (*(volatile u32 *)0x20000)\n"
    "#define LAUNCH ((volatile u32 *)0x20010)\n"
    "#define GO ((volatile u8 *)0x20030)[3]\n"
    "#define RUN ((volatile u32 *)0x20040)\n"
    "#define COMMAND (*(volatile u32 *)0x20060)\n"
    "#define DONE ((volatile u32 *)0x20070)\n"
    "#define W ((volatile u32 *)0x20100)\n"
    "#define B ((volatile u8 *)0x20200)\n"
    "#define CLOCK (*(volatile u32 *)0xffb121f0)\n"
    "static inline u32 cycles(void) { u32 t; asm volatile(\"csrr %0, mcycle\" : \"=r\"(t)); return "
    "t; }\n"
    "#define RESET (*(volatile u32 *)0xffb121b0)\n"
    "#define KERNEL __attribute__((section(\".kernel\"), noinline)) void kernel(void)\n"
    "#define CALL(i) ((void (*)(void))LAUNCH[i])()\n"
    "KERNEL;\n"
    "void start(void);\n"
    "__attribute__((naked, section(\".start\"))) void _start(void)\n"
    "{ asm(\"li sp, 0xffb00ff0\\n j start\"); }\n";

enum style { BYTES, WORDS, COMMANDS };

static const char *const firmware[][2] = {
    [BYTES] = {"for (;;) { while (GO != 0x80); for (u32 i = 0; i < 4; i++) SYNC[i] = 0x80; "
               "CALL(0); while (ALL != 0); GO = 0; }",
               "for (;;) { while (SYNC[ME] != 0x80); CALL(ME + 1); SYNC[ME] = 0; }"},
    [WORDS] = {"for (;;) { while (GO != 0x80); for (u32 i = 0; i < 4; i++) RUN[i] = 1; CALL(0); "
               "for (u32 i = 0; i < 4; i++) while (RUN[i] != 2); W[8] = 1; GO = 0; }",
               "for (;;) { while (RUN[ME] != 1); CALL(ME + 1); RUN[ME] = 2; }"},
    [COMMANDS] = {"for (u32 last = 0;;) { while (COMMAND == last) { u32 t = CLOCK; while (CLOCK - "
                  "t < 600); } last = COMMAND; kernel(); RESET = RESET & ~0x7000u; }",
                  "kernel(); DONE[ME] = 0xff; for (;;);"},
};

static const struct {
    const char *name;
    enum style style;
    const char *kernel[5]; // brisc, ncrisc, trisc0 to trisc2
    const char *cause;     // begins so
} cases[] = {
    {"nobody writes it",
     BYTES,
     {"", "", "", "while (W[0] != 1);", ""},
     "never started: trisc1 waits at trisc1.c:24 for L1 word 0x20100 (has 0, needs 1)"},
    {"two kernels wait for each other",
     BYTES,
     {"", "while (W[0] != 1); W[1] = 1;", "while (W[1] != 1); W[0] = 1;", "", ""},
     "cycle: trisc0 waits at trisc0.c:24 for L1 word 0x20104 (has 0, needs 1) from ncrisc, which "
     "waits at ncrisc.c:24 for L1 word 0x20100 (has 0, needs 1) from trisc0"},
    {"the other one has ended",
     BYTES,
     {"", "W[2] = 1;", "", "while (W[2] < 2);", ""},
     "likely waits for one that has ended: trisc1 waits at trisc1.c:24 for L1 word 0x20108 (has 1, "
     "needs at least 2) from ncrisc, which has ended"},
    {"brisc's own kernel waits",
     BYTES,
     {"while (W[3] < 2);", "W[3] = 1;", "", "", ""},
     "likely waits for one that has ended: brisc waits at brisc.c:24 for L1 word 0x2010c (has 1, "
     "needs at least 2) from ncrisc, which has ended"},
    {"a failed assertion",
     BYTES,
     {"", "", "", "while (W[4] == 0);", "asm(\"ebreak\"); W[4] = 1;"},
     "broke off: trisc2 at an ebreak, pc 0x9000 in kernel (trisc2.c:24) (a failed ASSERT, or a "
     "null pointer); trisc1 waits at trisc1.c:24 for L1 word 0x20110 (has 0, needs at least 1)"},
    {"a chain of two",
     BYTES,
     {"", "", "while (W[5] == 0);", "", "while (W[6] == 0); W[5] = 1;"},
     "never started: trisc2 waits at trisc2.c:24 for L1 word 0x20118 (has 0, needs at least 1)"},
    {"neighbours of a byte",
     BYTES,
     {"", "", "", "while (B[1] != 7);", "B[0] = 7; B[2] = 7; B[3] = 7;"},
     "never started: trisc1 waits at trisc1.c:24 for L1 byte 0x20201 (has 0, needs 7)"},
    {"every kernel has ended",
     BYTES,
     {"", "", "", "", ""},
     "never started: brisc waits at brisc.c:28 for L1 byte 0x20033 (has 0, needs 128)"},
    {"a mailbox of words",
     WORDS,
     {"", "", "while (W[0] != 1);", "", ""},
     "never started: trisc0 waits at trisc0.c:24 for L1 word 0x20100 (has 0, needs 1)"},
    {"firmware itself in the cycle",
     WORDS,
     {"", "", "while (W[8] != 1);", "", ""},
     "cycle: brisc waits at brisc.c:28 for L1 word 0x20044 (has 1, needs 2) from trisc0, which "
     "waits at trisc0.c:24 for L1 word 0x20120 (has 0, needs 1) from brisc"},
    {"words: two wait for each other",
     WORDS,
     {"", "", "", "while ((W[1] & 6) == 0); W[2] = 4;", "while (W[2] < 4); W[1] = 2;"},
     "cycle: trisc1 waits at trisc1.c:24 for L1 word 0x20104 (L1 word 0x20104 & 0x6 has 0, needs "
     "at least 2) from trisc2, which waits at trisc2.c:24 for L1 word 0x20108 (has 0, needs at "
     "least 4) from trisc1"},
    {"commands with a delay",
     COMMANDS,
     {"", "", "", "while (W[0] != 1);", ""},
     "never started: trisc1 waits at trisc1.c:24 for L1 word 0x20100 (has 0, needs 1)"},
    {"commands: two TRISCs",
     COMMANDS,
     {"", "", "while (W[1] == 0); W[2] = 1;", "while (W[2] == 0); W[1] = 1;", ""},
     "cycle: trisc0 waits at trisc0.c:24 for L1 word 0x20104 (has 0, needs at least 1) from "
     "trisc1, which waits at trisc1.c:24 for L1 word 0x20108 (has 0, needs at least 1) from "
     "trisc0"},
    {"a delay by mcycle between polls",
     BYTES,
     {"", "", "", "while (W[0] != 1) { u32 t = cycles(); while (cycles() - t < 300); }", ""},
     "never started: trisc1 waits at trisc1.c:24 for L1 word 0x20100 (has 0, needs 1)"},
    {"commands: all have ended",
     COMMANDS,
     {"", "", "", "", ""},
     "never started: brisc waits at brisc.c:28 for L1 word 0x20060 (has 1, needs anything but 1)"},
};

static void put_file(const char *name, const char *text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static const char *const cores[] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};

// BRISC starts at 0, the others where their programs are.
static void build(int i)
{
    char text[4000], command[900];
    for (unsigned c = 0; c < 5; c++) {
        const bool sub = c > 0;
        if (cases[i].style == COMMANDS && c == 1)
            continue;
        snprintf(text, sizeof text,
                 "%s#define ME %d\nKERNEL\n{\n    %s\n}\nvoid start(void)\n{\n    %s\n}\n", common,
                 (int)c - 1, cases[i].kernel[c], firmware[cases[i].style][sub]);
        snprintf(command, sizeof command, "%s.c", cores[c]);
        put_file(command, text);
        snprintf(
            command, sizeof command,
            "cd %s && riscv64-unknown-elf-gcc -march=rv32im_zicsr -mabi=ilp32 -O2 -g -nostdlib -w "
            "-Wl,-z,max-page-size=16 "
            "-Wl,--section-start=.start=0x%x -Wl,-Ttext=0x%x -Wl,--section-start=.kernel=0x%x "
            "%s.c -o %s.elf",
            folder, 0x2000 * c, 0x2000 * c + 0x100, 0x2000 * c + 0x1000, cores[c], cores[c]);
        ck_assert_int_eq(system(command), 0);
    }
    snprintf(text, sizeof text,
             "tiles:\n    1-2:\n"
             "        brisc: brisc.elf\n%s"
             "        trisc0: {elf: trisc0.elf%s}\n"
             "        trisc1: {elf: trisc1.elf%s}\n"
             "        trisc2: {elf: trisc2.elf%s}\n"
             "script:\n"
             "    - release: [%s]\n"
             "    - write: {address: 0x20010, words: [0x1000, 0x3000, 0x5000, 0x7000, 0x9000]}\n"
             "    - write: {address: 0x20030, words: [0x80000000]}\n"
             "    - write: {address: 0x20060, words: [1]}\n",
             cases[i].style == COMMANDS ? "" : "        ncrisc: ncrisc.elf\n",
             cases[i].style == COMMANDS ? ", hold: true" : "",
             cases[i].style == COMMANDS ? ", hold: true" : "",
             cases[i].style == COMMANDS ? ", hold: true" : "",
             cases[i].style == COMMANDS ? "brisc" : "brisc, ncrisc, trisc0, trisc1, trisc2");
    put_file("s.yaml", text);
}

START_TEST(headline)
{
    char command[700];
    folder_make();
    build(_i);
    snprintf(command, sizeof command,
             "%s run -q --json - --max-cycles 400000 %s/s.yaml 2>/dev/null", TENSIM_BINARY, folder);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    json_t *document = json_loadf(pipe, 0, NULL);
    int code = pclose(pipe) >> 8;
    const json_t *is = json_object_get(json_object_get(document, "hang"), "cause");
    ck_assert_msg(code == 2 && strncmp(ts_json_text(is, "text"), cases[_i].cause,
                                       strlen(cases[_i].cause)) == 0,
                  "%s: %d\n%s\n%s", cases[_i].name, code, cases[_i].cause,
                  ts_json_text(is, "text"));
    json_decref(document);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, headline, 0, (int)(sizeof cases / sizeof *cases));
}

SUITE("firmware", add_tests)
