// Changes of a program file or sequence as text: which value stands where, the file with the changes, a diff.
#pragma once

#include "platform/base/error.h"

struct ts_change {
    int line; // of the step of a sequence that runs the program; 0: a parameter of the file
    char name[64];
    char value[64];
};

// The text with the changes. `done` has a flag for each: false if the file has no such value in one line, or a list of words whose order
// means something. NULL: error. Freed by the caller.
char *ts_change_file(const char *path, const struct ts_change *changes, size_t count, bool *done,
                     struct ts_error *error);
// Lines that differ, as `diff -U0' has them. No line of the old text is in two hunks.
void ts_change_diff(const char *path, const char *before, const char *after, FILE *file);
