// A program file in a folder of its own: its files, one run, its tensors.
#ifndef TENSIM_TESTS_API_PROGRAM_H
#define TENSIM_TESTS_API_PROGRAM_H

#include "platform/run/plan/npy.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <sys/wait.h>

static inline void put(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

// As a 16-bit float holds it: what both sides start from.
static inline double held(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    bits &= 0xffff0000u;
    memcpy(&f, &bits, 4);
    return f;
}

static inline void save(const char *name, const struct ts_value *value, const char *type)
{
    char path[100];
    struct ts_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_msg(ts_npy_write(path, value, type, &error), "%s", error.text);
}

static inline void read_back(const char *name, struct ts_value *value)
{
    char path[100];
    struct ts_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_msg(ts_npy_read(path, value, &error), "%s", error.text);
}

// Of compute kernels: in a sample, what compiles most quickly. The numbers are the same.
static inline const char *optimise(void)
{
    return suite_every_case() ? "O3" : "Og";
}

// Its output is there afterwards.
static char output[1 << 16];
static inline int try_program(void) // the exit code
{
    char command[512];
    snprintf(command, sizeof command, "cd %s && exec %s run program.yaml -v -o out 2>&1 </dev/null",
             folder, TENSIM_BINARY);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static inline void run_program(void)
{
    ck_assert_msg(try_program() == 0, "%.3000s", output);
}

#endif
