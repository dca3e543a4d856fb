// The hash of a program file: it changes with the files that the program names, and with what these include.
#include "platform/base/hash.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <stdio.h>

static uint64_t hash_with(const char *file, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    fputs(text, to);
    fclose(to);
    snprintf(path, sizeof path, "%s/p.yaml", folder);
    return ts_hash_program(TS_HASH_START, path);
}

START_TEST(named_files)
{
    folder_make();
    hash_with("k.elf", "1");
    hash_with("own.h", "1");
    hash_with("k.cpp", "int a;\n #include \"own.h\"\n");
    uint64_t first = hash_with("p.yaml", "kernels: [{elf: {math: k.elf}}, {source: k.cpp}]\n");
    ck_assert_uint_eq(hash_with("other.h", "1"), first);
    ck_assert_uint_ne(hash_with("k.elf", "2"), first);
    ck_assert_uint_eq(hash_with("k.elf", "1"), first);
    ck_assert_uint_ne(hash_with("own.h", "2"), first);
    ck_assert_uint_eq(hash_with("own.h", "1"), first);
    ck_assert_uint_ne(hash_with("p.yaml", ""), first);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, named_files);
}
SUITE("hash", add_tests)
