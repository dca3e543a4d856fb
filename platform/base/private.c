#include "platform/base/private.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

const char *ts_temporary(size_t most)
{
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] == '/' && strlen(folder) <= most ? folder : "/tmp";
}

bool ts_temporary_new(char *path, size_t size, const char *name, bool folder)
{
    snprintf(path, size, "%s/tensim-%s-XXXXXX", ts_temporary(size - strlen(name) - 16), name);
    const int file = folder ? -1 : mkstemp(path);
    return folder ? mkdtemp(path) != NULL : file >= 0 && close(file) == 0;
}

FILE *ts_temporary_file(void)
{
    const int fd = open(ts_temporary(PATH_MAX), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (fd >= 0 && file == NULL)
        close(fd);
    return file ? file : tmpfile();
}

bool ts_private_folder(const char *variable, const char *rest, char *to, size_t size,
                       struct ts_error *error)
{
    const char *given = getenv(variable), *home = getenv("HOME");
    struct stat link, folder;
    if (given && given[0] == '/')
        snprintf(to, size, "%.3000s/tensim", given);
    else if (home && home[0])
        snprintf(to, size, "%.3000s/%s/tensim", home, rest);
    else
        snprintf(to, size, "%.3000s/tensim-%u", ts_temporary(3000), (unsigned)geteuid());
    for (char *slash = to; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        mkdir(to, 0755);
        *slash = '/';
    }
    if (mkdir(to, 0700) != 0 && errno != EEXIST)
        ts_fail(error, TS_SETUP, "%.300s: cannot be made: %s (set %s)", to, strerror(errno),
                variable);
    // Among temporary files anybody could have made it, or a link of this name.
    else if (lstat(to, &link) != 0 || stat(to, &folder) != 0 || !S_ISDIR(folder.st_mode) ||
             (link.st_uid != geteuid() && link.st_uid != 0) || folder.st_uid != geteuid())
        ts_fail(error, TS_SETUP, "%.300s: belongs to another user: remove it, or set %s", to,
                variable);
    else if (folder.st_mode & OTHERS_WRITE)
        ts_fail(error, TS_SETUP, "%.300s: others can write to it: chmod go-w, or set %s", to,
                variable);
    return error->code == TS_OK;
}

// Writes a complete file or none. Two processes may write the same file at the same time.
static void make_key(const char *path)
{
    char fresh[PATH_MAX + 32];
    unsigned char bytes[TS_PRIVATE_KEY];
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return;
    const int file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (write(file, bytes, sizeof bytes) == (ssize_t)sizeof bytes && close(file) == 0 &&
        link(fresh, path) != 0)
        errno = EEXIST; // another process was first
    unlink(fresh);
}

bool ts_private_key(unsigned char key[TS_PRIVATE_KEY], struct ts_error *error)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct stat about;
    if (!ts_private_folder("XDG_STATE_HOME", ".local/state", folder, sizeof folder, error))
        return false;
    snprintf(path, sizeof path, "%.4000s/key", folder);
    if (access(path, F_OK) != 0)
        make_key(path);
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0)
        ts_fail(error, TS_SETUP, "%.300s: cannot be made or read: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || about.st_mode & 077)
        ts_fail(error, TS_SETUP, "%.300s: must be a file of yours that nobody else can read", path);
    else if (read(file, key, TS_PRIVATE_KEY) != TS_PRIVATE_KEY)
        ts_fail(error, TS_SETUP, "%.300s: is no key: remove it", path);
    if (file >= 0)
        close(file);
    return error->code == TS_OK;
}

bool ts_private_below(const char *folder, const char *path)
{
    char top[PATH_MAX], real[PATH_MAX], parent[PATH_MAX];
    struct stat about;
    const char *slash = strrchr(path, '/');
    if (realpath(folder[0] ? folder : ".", top) == NULL)
        return false;
    if (lstat(path, &about) != 0) { // its folder decides
        snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                 slash ? path : ".");
        if (realpath(parent, real) == NULL)
            return false;
    } else if (realpath(path, real) == NULL) {
        return false; // a link to nothing
    }
    const size_t length = strlen(top);
    return strncmp(real, top, length) == 0 &&
           (real[length] == '/' || real[length] == '\0' || strcmp(top, "/") == 0);
}

void ts_private_program(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}
