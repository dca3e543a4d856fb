// Lines of programs: the user's frame first, the SDK's functions behind it, inlined or called.
#include "platform/load/symbols.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "guest/sdk.h" is a header of the SDK by its folder. Line 3 polls inline, line 8 in a function that
// keeps its return address on the stack.
static const char sdk[] =
    "static inline __attribute__((always_inline)) int ready(volatile int *p)\n"
    "{\n"
    "    return *p;\n"
    "}\n"
    "__attribute__((noinline)) static int nothing(int x) { __asm__(\"\"); return x; }\n"
    "__attribute__((noinline)) static void far_wait(volatile int *p)\n"
    "{\n"
    "    int k = 0; while (!ready(p)) k = nothing(k);\n"
    "}\n"
    "static inline __attribute__((always_inline)) void wait(volatile int *p)\n"
    "{\n"
    "    while (!ready(p)) { }\n"
    "}\n";
static const char user[] =
    "#include \"guest/sdk.h\"\n"
    "int flags[4];\n"
    "void kernel(int far)\n"
    "{\n"
    "    if (far)\n"
    "        far_wait(&flags[1]);\n"
    "    wait(&flags[2]);\n"
    "}\n"
    "void main(void)\n"
    "{\n"
    "    kernel(FAR);\n"
    "}\n"
    "__asm__(\".globl _start\\n_start: li sp, 0xffb01000\\ncall main\\n1: j 1b\");\n";

static void write_text(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

// Runs the program until it hangs; what stands in `text` must be in the explanation.
static void hangs(int far, const char *text)
{
    char command[1200];
    snprintf(command, sizeof command,
             "cd %s && riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O2 -g -nostdlib -e "
             "_start -DFAR=%d "
             "-Wl,-Ttext=0x4000 user.c -o user%d.elf && { %s run --load trisc0=user%d.elf 2>&1 | "
             "tee log | grep -qF '%s' || { cat log; false; }; }",
             folder, far, far, TENSIM_BINARY, far, text);
    ck_assert_msg(system(command) == 0, "%s", text);
}

START_TEST(frames)
{
    char command[300];
    folder_make();
    snprintf(command, sizeof command, "mkdir %s/guest", folder);
    ck_assert_int_eq(system(command), 0);
    write_text("guest/sdk.h", sdk);
    write_text("user.c", user);
    hangs(0, "in kernel (user.c:7), inside wait (sdk.h:12)");
    hangs(1, "in kernel (user.c:6), inside far_wait (sdk.h:8)");

    struct ts_tile_program program = {0};
    char name[64];
    snprintf(program.path, sizeof program.path, "%s/user0.elf", folder);
    struct ts_symbols *symbols = ts_symbols_open(&program);
    uint32_t at = 0;
    for (uint32_t address = 0x4000; address < 0x8000 && at == 0; address++)
        if (ts_symbols_variable(symbols, address, name, sizeof name) && strcmp(name, "flags") == 0)
            at = address;
    ck_assert_uint_ne(at, 0);
    ck_assert(ts_symbols_variable(symbols, at + 8, name, sizeof name));
    ck_assert_str_eq(name, "flags+8");
    ck_assert(!ts_symbols_variable(symbols, at + 16, name, sizeof name));
    ts_symbols_close(symbols);
    folder_remove();
}
END_TEST

// Without an ELF nothing is known, and nothing breaks.
START_TEST(unknown)
{
    struct ts_tile_program program = {0};
    char text[64] = "x";
    struct ts_symbols *symbols = ts_symbols_open(&program);
    struct ts_frames none = ts_symbols_frames(symbols, 0x4000);
    ck_assert_uint_eq(none.count, 0);
    ck_assert_str_eq(ts_frames_text(&none, text, sizeof text), "");
    ck_assert_str_eq(ts_frames_line(&none, text, sizeof text), "");
    ck_assert(!ts_symbols_variable(symbols, 0x4000, text, sizeof text));
    ts_symbols_close(symbols);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, frames);
    tcase_add_test(tests, unknown);
}

SUITE("symbols", add_tests)
