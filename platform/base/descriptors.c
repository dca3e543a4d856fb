#include "platform/base/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

void ts_descriptors_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY); // the lowest that is free
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

bool ts_descriptors_free(unsigned count, struct ts_error *error)
{
    int opened[64];
    unsigned used = 0;
    bool standard = false;
    count = count < 64 ? count : 64;
    while (used < count && (opened[used] = open("/", O_PATH | O_CLOEXEC)) >= 0)
        standard |= opened[used++] <= 2;
    const int reason = errno;
    for (unsigned i = 0; i < used; i++)
        close(opened[i]);
    if (used < count)
        ts_fail(error, TS_SETUP, "%u more files are needed than can be opened: %s (ulimit -n)",
                count - used, strerror(reason));
    else if (standard)
        ts_fail(error, TS_SETUP, "stdin, stdout or stderr is closed: open it (</dev/null)");
    return used == count && !standard;
}
