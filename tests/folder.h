// A folder of its own for a test program, and the text of files.
#ifndef TENSIM_TESTS_FOLDER_H
#define TENSIM_TESTS_FOLDER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/tensim-test-XXXXXX";

static inline void folder_make(void)
{
    strcpy(folder, "/tmp/tensim-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void folder_remove(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static inline void slurp(const char *name, char *text, size_t size)
{
    FILE *file = fopen(name, "r");
    ck_assert_msg(file != NULL, "%s is missing", name);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

#endif
