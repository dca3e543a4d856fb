// What the tests of outputs share: a folder of their own, files in it, and running tensim.
#ifndef TENSIM_TESTS_OUT_FOLDER_H
#define TENSIM_TESTS_OUT_FOLDER_H

#include "tests/folder.h"
#include "tests/kernel/kit.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static inline const char *in_folder(const char *name)
{
    static char paths[8][200]; // the last eight stay
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline bool is_there(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

// The text of a file; "" if it is not there.
static inline const char *text_of(const char *name)
{
    static char text[1 << 16];
    FILE *file = fopen(in_folder(name), "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    return text;
}

static inline void put(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

// Entries of a directory of the folder, hidden ones too.
static inline int entries(const char *name)
{
    char command[300];
    int count = -1;
    snprintf(command, sizeof command, "ls -A %s | wc -l", in_folder(name));
    FILE *pipe = popen(command, "r");
    ck_assert_int_eq(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

// Runs a shell line in the folder, with the program as $T, and the one of the demonstration models as
// $D; its exit code. What it says is in `stdout` and `stderr`.
static inline int shell(const char *line)
{
    char command[1400];
    snprintf(command, sizeof command, "T=%s; D=%s; cd %s && { %s; } >stdout 2>stderr",
             TENSIM_BINARY, TENSIM_DEMO, folder, line);
    int status = system(command);
    ck_assert_msg(WIFEXITED(status), "%s: ended by signal %d", line, WTERMSIG(status));
    return WEXITSTATUS(status);
}

#endif
