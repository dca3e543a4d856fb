#include "platform/out/writable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// 0, or the errno of the refusal. Devices and pipes are only asked for permission: to open one may
// block, and to close it again ends what its reader sees.
static int refusal(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0)
            return errno;
        close(file);
        unlink(path);
        return 0;
    }
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    return access(path, W_OK) == 0 ? 0 : errno;
}

bool ts_writable(const char *path, struct ts_error *error)
{
    int why = refusal(path);
    if (why != 0)
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(why));
    return why == 0;
}
