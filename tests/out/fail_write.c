// Preloaded into tensim: writes to files whose path ends with $FAIL_WRITE fail as on a full disk.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is_full(int fd)
{
    const char *name = getenv("FAIL_WRITE");
    char link[40], path[4096];
    if (name == NULL)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    size_t own = strlen(path), wanted = strlen(name);
    if (own < wanted || strcmp(path + own - wanted, name) != 0)
        return 0;
    errno = ENOSPC;
    return 1;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    ssize_t (*real)(int, const void *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "write");
    return is_full(fd) ? -1 : real(fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at)
{
    ssize_t (*real)(int, const void *, size_t, off64_t);
    *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    return is_full(fd) ? -1 : real(fd, bytes, count, at);
}
