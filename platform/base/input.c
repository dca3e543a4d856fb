#include "platform/base/input.h"

#include <sys/stat.h>

FILE *ts_open_input(const char *path, struct ts_error *error)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode) && strncmp(path, "/dev/", 5) != 0 &&
        strncmp(path, "/proc/", 6) != 0)
        return ts_nothing(error, TS_SETUP, "%.300s: is a named pipe, not a file", path);
    return fopen(path, "rbe");
}
