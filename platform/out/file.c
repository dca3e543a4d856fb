#include "platform/out/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (64u * 1024)

struct ts_file {
    FILE *stream;
    char *name;  // in messages
    char *path;  // what is replaced in the end; NULL: nothing is
    char *fresh; // the name of the new file until then; not there before the end if `nameless`
    bool nameless;
    int fd;
    int error; // of the first write that failed
};

// Writes all of it; keeps the first reason, which stdio would lose.
static ssize_t write_all(void *cookie, const char *bytes, size_t length)
{
    struct ts_file *self = cookie;
    size_t done = 0;
    while (done < length && self->error == 0) {
        ssize_t n = write(self->fd, bytes + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            self->error = n < 0 ? errno : EIO;
        else
            done += (size_t)n;
    }
    return (ssize_t)done;
}

static void free_file(struct ts_file *self)
{
    free(self->name);
    free(self->path);
    free(self->fresh);
    free(self);
}

static struct ts_file *failed(struct ts_file *self, struct ts_error *error)
{
    ts_fail(error, TS_SETUP, "%s: cannot be written: %s", self->name, strerror(errno));
    free_file(self);
    return NULL;
}

static struct ts_file *new_file(const char *name, struct ts_error *error)
{
    struct ts_file *self = calloc(1, sizeof *self);
    if (self == NULL || (self->name = strdup(name)) == NULL) {
        ts_fail(error, TS_NO_MEMORY, "%s: out of memory", name);
        free(self);
        return NULL;
    }
    self->fd = -1;
    return self;
}

static struct ts_file *open_stream(struct ts_file *self, struct ts_error *error)
{
    if (self->fd >= 0)
        self->stream = fopencookie(self, "w", (cookie_io_functions_t){.write = write_all});
    if (self->stream == NULL)
        return failed(self, error);
    setvbuf(self->stream, NULL, _IOFBF, BUFFER);
    return self;
}

// A file in the same directory: without a name where the file system can do that, so that a killed
// process leaves nothing.
static int open_fresh(struct ts_file *self, mode_t mode)
{
    const char *slash = strrchr(self->path, '/');
    int length = slash ? (int)(slash - self->path) + 1 : 0;
    char *folder = NULL;
    if (asprintf(&folder, "%.*s", length ? length : 1, length ? self->path : ".") < 0 ||
        asprintf(&self->fresh, "%.*s.%s.tensim-%ld", length, self->path, self->path + length,
                 (long)getpid()) < 0) {
        free(folder);
        self->fresh = NULL;
        errno = ENOMEM;
        return -1;
    }
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    self->nameless = fd >= 0;
    if (fd < 0)
        fd = open(self->fresh, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0 && mode != 0 && fchmod(fd, mode) != 0)
        mode = 0; // another owner's file: the new one is ours
    free(folder);
    return fd;
}

struct ts_file *ts_file_open(const char *path, struct ts_error *error)
{
    struct ts_file *self = new_file(strcmp(path, "-") == 0 ? "stdout" : path, error);
    if (self == NULL)
        return NULL;
    if (strcmp(path, "-") == 0) {
        self->stream = stdout;
        return self;
    }
    struct stat old = {0};
    bool there = stat(path, &old) == 0;
    if (there && !S_ISREG(old.st_mode)) {
        self->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else if (there && access(path, W_OK) != 0) {
        return failed(self, error);
    } else {
        self->path = realpath(path, NULL); // a link stays a link
        if (self->path == NULL && (self->path = strdup(path)) == NULL)
            return failed(self, error);
        self->fd = open_fresh(self, there ? old.st_mode & 07777 : 0);
    }
    return open_stream(self, error);
}

struct ts_file *ts_file_open_part(const char *path, const char *name, struct ts_error *error)
{
    struct ts_file *self = new_file(name, error);
    if (self == NULL)
        return NULL;
    self->fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666);
    return open_stream(self, error);
}

FILE *ts_file_stream(const struct ts_file *self)
{
    return self->stream;
}

// Gives the complete file its name.
static bool place(struct ts_file *self)
{
    if (self->path == NULL)
        return true;
    if (self->nameless) {
        char fd[40];
        snprintf(fd, sizeof fd, "/proc/self/fd/%d", self->fd);
        unlink(self->fresh); // of a killed process that had our number
        if (linkat(AT_FDCWD, fd, AT_FDCWD, self->fresh, AT_SYMLINK_FOLLOW) != 0)
            return false;
    }
    if (rename(self->fresh, self->path) == 0)
        return true;
    int reason = errno;
    unlink(self->fresh);
    errno = reason;
    return false;
}

bool ts_file_close(struct ts_file *self, struct ts_error *error)
{
    errno = 0;
    bool own = self->stream != stdout;
    bool good = (own ? fclose(self->stream) : fflush(self->stream)) == 0 &&
                (own || !ferror(self->stream)) && self->error == 0;
    int reason = self->error ? self->error : errno ? errno : EIO;
    if (good && !place(self)) {
        good = false;
        reason = errno;
    } else if (!good && self->path && !self->nameless) {
        unlink(self->fresh);
    }
    if (own && close(self->fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (!good)
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", self->name, strerror(reason));
    free_file(self);
    return good;
}

void ts_file_drop(struct ts_file *self)
{
    if (self == NULL)
        return;
    if (self->stream != stdout) {
        self->error = ECANCELED; // nothing more is written
        fclose(self->stream);
        close(self->fd);
        if (self->path && !self->nameless)
            unlink(self->fresh);
    }
    free_file(self);
}

bool ts_file_bytes(const char *path, const void *bytes, size_t length, struct ts_error *error)
{
    struct ts_file *file = ts_file_open(path, error);
    if (file == NULL)
        return false;
    fwrite(bytes, 1, length, file->stream);
    return ts_file_close(file, error);
}

bool ts_file_json(struct ts_file *self, const json_t *document, struct ts_error *error)
{
    if (json_dumpf(document, self->stream, JSON_INDENT(1)) != 0 && self->error == 0)
        self->error = errno ? errno : EIO;
    fputc('\n', self->stream);
    return ts_file_close(self, error);
}

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
