// `tensim run` on a scenario of several chips, in the test's folder.
#ifndef TENSIM_TESTS_SYSTEM_RUN_H
#define TENSIM_TESTS_SYSTEM_RUN_H

#include "tests/folder.h"

#include <stdint.h>
#include <sys/wait.h>

#define DONE_AT "0x18000, is: 0x600dd04e"

static char out[1 << 17]; // what the last run printed

// Its exit code; the arguments have the file.
static inline int run_file(const char *arguments)
{
    char path[128], command[800];
    snprintf(command, sizeof command, "cd %s && { %s run %s; } >out 2>&1", folder, TENSIM_BINARY,
             arguments);
    int status = system(command);
    snprintf(path, sizeof path, "%s/out", folder);
    slurp(path, out, sizeof out);
    return WEXITSTATUS(status);
}

static inline int run(const char *scenario, const char *options)
{
    char path[128], arguments[400];
    snprintf(path, sizeof path, "%s/scenario.yaml", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(scenario, file);
    fclose(file);
    snprintf(arguments, sizeof arguments, "scenario.yaml %s", options);
    return run_file(arguments);
}

static inline void expect(const char *text)
{
    ck_assert_msg(strstr(out, text) != NULL, "no '%s' in:\n%s", text, out);
}

// The word that a run has dumped.
static inline uint32_t dumped(const char *name)
{
    char path[128];
    uint32_t word = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(&word, 4, 1, file), 1);
    fclose(file);
    return word;
}

#endif
