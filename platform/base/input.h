// Opening files that a user names.
#pragma once

#include "platform/base/error.h"

// Opens a file to be read. NULL: errno says why, unless `error` already does: a named pipe is refused, because opening it waits for a
// writer that may never come (those of a shell, /dev/fd/N, have one).
FILE *ts_open_input(const char *path, struct ts_error *error);
