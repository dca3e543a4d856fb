// A folder of its own for a test program, and the text of files.
#ifndef TENSIM_TESTS_FOLDER_H
#define TENSIM_TESTS_FOLDER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/tensim-test-XXXXXX";

// The program of a command line: the demonstration models have their own (tests/demo).
static inline const char *program_of(const char *arguments)
{
    return strncmp(arguments, "demo", 4) == 0 ? TENSIM_DEMO : TENSIM_BINARY;
}

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

// Waits until a child has worked for so long, by its own clock: a busy machine may take longer.
static inline void let_work(pid_t child, double seconds)
{
    clockid_t clock;
    struct timespec used = {0};
    while ((double)used.tv_sec + 1e-9 * (double)used.tv_nsec < seconds) {
        usleep(5000);
        ck_assert_int_eq(clock_getcpuclockid(child, &clock), 0);
        ck_assert_int_eq(clock_gettime(clock, &used), 0);
    }
}

static inline void slurp(const char *name, char *text, size_t size)
{
    FILE *file = fopen(name, "r");
    ck_assert_msg(file != NULL, "%s is missing", name);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

#endif
