#include "platform/out/writable.h"

#include "platform/out/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A file is opened as its writer will, and dropped: nothing of that name appears meanwhile, so that
// others may check the same path at the same time (the ranks of a job do). Devices and pipes are
// only asked for permission: to open one may block, and to close it again ends what its reader sees.
bool ts_writable(const char *path, struct ts_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
        struct ts_file *file = ts_file_open(path, error);
        ts_file_drop(file);
        return file != NULL;
    }
    if (access(path, W_OK) != 0)
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(errno));
    return error->code == TS_OK;
}
