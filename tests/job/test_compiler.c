// Kernels that name their compiler: the vendor's is found in the folder that SFPI names, with its headers and its flags. A
// script stands for it here.
#include "platform/run/plan/hashes.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int shell(const char *command)
{
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void set_up(void)
{
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(
        shell("mkdir -p sfpi/compiler/bin sfpi/include cache; printf '#define ANSWER 42\\nenum A { "
              "a };\\n"
              "enum B { b };\\ninline int c() { return a | b; }\\n' >sfpi/include/sfpi.h\n"
              "cat >directive.h <<'E'\n#define __riscv_xtttensixbh 1\n"
              "__asm__(\".macro .ttinsn word\\n.word \\\\word\\n.endm\");\nE\n"
              "cat >sfpi/compiler/bin/riscv-tt-elf-g++ <<'E'\n#!/bin/sh\necho \"$@\" >>commands\n"
              "for word; do shift; case $word in -mcpu=*-tensix) word=-march=rv32im_zba_zbb_zicsr; "
              "own=directive.h;; -mcpu=*) word=-march=rv32im_zba_zbb_zicsr; own=/dev/null;; esac; "
              "set -- \"$@\" "
              "\"$word\"; done\nexec riscv64-unknown-elf-g++ -include $own \"$@\"\nE\n"
              "chmod +x sfpi/compiler/bin/riscv-tt-elf-g++\n"
              "cat >p.yaml <<'E'\n"
              "tensors: {y: {shape: [1, 8], format: uint32, layout: rows, in: l1, expect: 42, "
              "tolerance: 0,\n"
              "    shard: {shape: [1, 8], cores: \"0,0\"}}}\n"
              "kernels:\n    - {source: d.cpp, on: brisc, cores: \"0,0\", compiler: SFPI, args: "
              "[y]}\n"
              "    - {source: c.cpp, on: compute, cores: \"0,0\", compiler: SFPI}\nE\n"
              "cat >d.cpp <<'E'\n#include \"dataflow_api.h\"\n#include \"sfpi.h\"\n"
              "void kernel_main() { for (int i = 0; i < 8; i++) ((volatile uint32_t "
              "*)get_arg_val<uint32_t>(0))[i] = ANSWER; }\nE\n"
              "cat >c.cpp <<'E'\n#include \"compute_kernel_api/common.h\"\n#include \"sfpi.h\"\n"
              "void kernel_main() { static_assert(ANSWER == 42); }\nE\n"),
        0);
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", folder, 1), 0);
}

static void tear_down(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove();
}

// The compiler is used as it comes: its assembler knows .ttinsn, and its headers warn.
START_TEST(found)
{
    ck_assert_int_eq(
        shell("SFPI=$PWD/sfpi " TENSIM_BINARY " run -q p.yaml >log 2>&1 || { cat log; false; }"),
        0);
    ck_assert_int_eq(
        shell("test $(grep -c -- '-mcpu=tt-bh-tensix ' commands) = 3 && "
              "test $(grep -c -- '-mcpu=tt-bh ' commands) = 1 && ! grep deprecated log"),
        0);
}
END_TEST

START_TEST(on_the_path)
{
    ck_assert_int_eq(shell("sed -i 's/SFPI/riscv-tt-elf-g++/' p.yaml; rm -f commands; "
                           "PATH=$PWD/sfpi/compiler/bin:$PATH " TENSIM_BINARY
                           " run -q p.yaml && test -s commands"),
                     0);
}
END_TEST

// The images that were used last stay, and those that were used within the hour.
START_TEST(cache_is_bounded)
{
    ck_assert_int_eq(
        shell(
            "mkdir -p c/0 c/key; for i in 0 1 2 3 4 5 6 7; do d=c/000000000000000$i; mkdir -p $d; "
            "head -c 65536 /dev/zero >$d/image.elf; touch -d \"$((i + 2)) hours ago\" $d/image.elf "
            "$d; done; touch c/0000000000000007/deps"),
        0);
    ts_images_trim("c", 4 * 65536 + 32768, 3600);
    ck_assert_int_eq(shell("test \"$(echo $(ls c))\" = '0 0000000000000000 0000000000000001 "
                           "0000000000000002 0000000000000007 key' || { ls c; false; }"),
                     0);
    ts_images_trim("c", 0, 3600);
    ck_assert_int_eq(
        shell("test \"$(echo $(ls c))\" = '0 0000000000000007 key' || { ls c; false; }"), 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, found);
    tcase_add_test(tests, cache_is_bounded);
    tcase_add_test(tests, on_the_path);
}

SUITE("compiler", add_tests)
