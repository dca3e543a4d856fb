#include "platform/out/rundir.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND "command.txt" // every run has it: it says that the directory is a run's
#define LOCK    ".tensim-lock"
#define NEW     ".tensim-new"
#define MOVING  ".tensim-moving"
#define NOWHERE "/dev/null"
#define LIVE    ".tensim-live" // the socket of a run that can be watched (platform/live)

// A child that a killed process left may hold its lock for a moment.
#define LOCK_TRIES   10
#define LOCK_WAIT_US 20000

const char *const ts_rundir_names[] = {
    COMMAND,
#define TS_RESULT(name) name,
#include "config/results.def"
    NULL,
};

struct ts_rundir {
    char *path;    // as it was given, for messages
    char *real;    // without links; NULL: nothing is written
    char *sibling; // where the new directory is while the two are exchanged
    char *command;
    int lock;
    bool made; // by us: goes if nothing is written
};

// --- paths ---

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    char *result;
    va_list args;
    va_start(args, format);
    if (vasprintf(&result, format, args) < 0)
        ts_out_of_memory("the run directory");
    va_end(args);
    return result;
}

static bool is_ours(const char *name)
{
    for (size_t i = 0; ts_rundir_names[i]; i++)
        if (strcmp(ts_rundir_names[i], name) == 0)
            return true;
    return false;
}

static bool is_private(const char *name)
{
    return strcmp(name, LOCK) == 0 || strcmp(name, NEW) == 0 || strcmp(name, MOVING) == 0 ||
           strcmp(name, LIVE) == 0;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Calls `each` with every entry but . and ..; false as soon as it is. A directory that is not there
// has none.
static bool each_entry(const char *folder, bool (*each)(void *context, const char *name),
                       void *context)
{
    DIR *entries = opendir(folder);
    bool good = entries != NULL || errno == ENOENT;
    for (struct dirent *entry; entries && good && (entry = readdir(entries)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            good = each(context, entry->d_name);
    if (entries)
        closedir(entries);
    return good;
}

static bool remove_entry(void *context, const char *name)
{
    char *path = text("%s/%s", (const char *)context, name);
    bool good = unlink(path) == 0;
    free(path);
    return good;
}

// A staging directory: files only.
static void remove_stage(const char *real, const char *name)
{
    char *path = text("%s/%s", real, name);
    each_entry(path, remove_entry, path);
    rmdir(path);
    free(path);
}

static bool make_directory(const char *path, bool *made)
{
    char *part = text("%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            free(part);
            return false;
        }
        *slash = '/';
    }
    *made = mkdir(part, 0777) == 0;
    free(part);
    return *made || errno == EEXIST;
}

// --- the lock ---

static void sign(int fd, const char *command)
{
    char *line = text("pid %ld, %s\n", (long)getpid(), command);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, line, strlen(line), 0) < 0)
        errno = 0; // then a second run cannot name the first
    free(line);
}

// Locks the file; -1 with errno, EWOULDBLOCK if another process has it.
static int take_lock(const char *path)
{
    for (int tries = 0;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0)
            return -1;
        struct stat mine, there;
        int locked = flock(fd, LOCK_EX | LOCK_NB);
        int reason = errno;
        if (locked != 0 && reason != EWOULDBLOCK)
            return fd; // a file system without locks
        // The process that had it may have removed the file or replaced the directory.
        if (locked == 0 && fstat(fd, &mine) == 0 && stat(path, &there) == 0 &&
            mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
            return fd;
        close(fd);
        if (locked != 0 && ++tries == LOCK_TRIES) {
            errno = EWOULDBLOCK;
            return -1;
        }
        if (locked != 0)
            usleep(LOCK_WAIT_US);
    }
}

static void refuse_lock(const char *path, const char *lock, struct ts_error *error)
{
    char holder[300] = "";
    int reason = errno;
    int fd = open(lock, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, holder, sizeof holder - 1) : 0;
    if (fd >= 0)
        close(fd);
    holder[length > 0 ? length : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    if (reason == EWOULDBLOCK)
        ts_fail(error, TS_SETUP, "%s: another run writes into this directory: %s", path,
                holder[0] ? holder : "its lock file does not name it");
    else
        ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(reason));
}

// --- the commit, one file after the other ---

struct move {
    const char *from, *to;
};

static bool remove_old(void *context, const char *name)
{
    return !is_ours(name) || strcmp(name, COMMAND) == 0 || remove_entry(context, name);
}

static bool move_entry(void *context, const char *name)
{
    const struct move *self = context;
    char *from = text("%s/%s", self->from, name), *to = text("%s/%s", self->to, name);
    bool good = (is_ours(name) ? rename(from, to) : unlink(from)) == 0;
    free(from);
    free(to);
    return good;
}

// Moves the complete set in, and finishes a move that was cut off. The mark of a run directory,
// command.txt, is there all the time.
static bool move_in(const char *real)
{
    char *moving = text("%s/" MOVING, real);
    char *mark = text("%s/" MOVING "/" COMMAND, real);
    struct move move = {moving, real};
    bool good = true;
    if (access(mark, F_OK) == 0) // the old files are still there, or some of them
        good = each_entry(real, remove_old, (void *)(uintptr_t)real) && move_entry(&move, COMMAND);
    good = good && each_entry(moving, move_entry, &move) && rmdir(moving) == 0;
    free(moving);
    free(mark);
    return good;
}

// --- the commit, in one step ---

static bool is_plain(void *context, const char *name)
{
    struct stat entry;
    char *path = text("%s/%s", (const char *)context, name);
    bool good = is_private(name) || (lstat(path, &entry) == 0 && S_ISREG(entry.st_mode));
    free(path);
    return good;
}

static bool link_entry(void *context, const char *name)
{
    const struct move *self = context;
    if (is_ours(name) || is_private(name))
        return true;
    char *from = text("%s/%s", self->from, name), *to = text("%s/%s", self->to, name);
    bool good = link(from, to) == 0;
    free(from);
    free(to);
    return good;
}

static bool clear_entry(void *context, const char *name)
{
    const struct move *self = context;
    char *old = text("%s/%s", self->from, name), *now = text("%s/%s", self->to, name);
    if (is_ours(name) || strcmp(name, LOCK) == 0 || same_file(old, now))
        unlink(old);
    else if (renameat2(AT_FDCWD, old, AT_FDCWD, now, RENAME_NOREPLACE) != 0 && errno == EEXIST)
        unlink(old); // our link; the user has written the file again since then
    free(old);
    free(now);
    return true;
}

// Removes what was the directory, or what a killed process left next to it.
static void clear_beside(const struct ts_rundir *self)
{
    each_entry(self->sibling, clear_entry, &(struct move){self->sibling, self->real});
    rmdir(self->sibling);
}

// The new set takes the lock with it: no other process can come in between.
static int lock_stage(const struct ts_rundir *self, const char *stage)
{
    char *lock = text("%s/" LOCK, stage);
    int fd = take_lock(lock);
    if (fd >= 0)
        sign(fd, self->command);
    free(lock);
    return fd;
}

static bool exchange(struct ts_rundir *self, const char *stage)
{
    struct stat old;
    struct move links = {self->real, stage};
    int lock = -1;
    bool done = !same_file(".", self->real) && stat(self->real, &old) == 0 &&
                each_entry(self->real, is_plain, self->real) &&
                each_entry(self->real, link_entry, &links) &&
                (lock = lock_stage(self, stage)) >= 0 && chmod(stage, old.st_mode & 07777) == 0 &&
                rename(stage, self->sibling) == 0;
    if (done && renameat2(AT_FDCWD, self->sibling, AT_FDCWD, self->real, RENAME_EXCHANGE) != 0) {
        rename(self->sibling, stage);
        done = false;
    }
    if (done) {
        int before = self->lock;
        self->lock = lock;
        clear_beside(self);
        close(before);
    } else if (lock >= 0) {
        close(lock);
    }
    return done;
}

bool ts_rundir_commit(struct ts_rundir *self, struct ts_error *error)
{
    sigset_t all, before;
    if (self->real == NULL)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    char *stage = text("%s/" NEW, self->real), *moving = text("%s/" MOVING, self->real);
    bool good = exchange(self, stage) || (rename(stage, moving) == 0 && move_in(self->real));
    int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    self->made = false;
    free(stage);
    free(moving);
    if (!good)
        ts_fail(error, TS_SETUP, "%s: cannot put the run's files in place: %s", self->path,
                strerror(reason));
    return good;
}

// --- begin and end ---

static bool find_ours(void *context, const char *name)
{
    if (is_ours(name))
        snprintf(context, NAME_MAX + 1, "%s", name);
    return true;
}

// A directory with a file of one of our names that no run wrote is not overwritten.
static bool is_safe(const struct ts_rundir *self, struct ts_error *error)
{
    char foreign[NAME_MAX + 1] = "";
    char *mark = text("%s/" COMMAND, self->real);
    if (access(mark, F_OK) != 0)
        each_entry(self->real, find_ours, foreign);
    free(mark);
    if (foreign[0])
        ts_fail(error, TS_SETUP,
                "%s: is not a run directory (no " COMMAND
                ") and has a file %s, which the run would "
                "replace; name another directory",
                self->path, foreign);
    return foreign[0] == '\0';
}

static bool write_command(struct ts_rundir *self, struct ts_error *error)
{
    struct ts_file *file = ts_rundir_file(self, COMMAND, error);
    if (file == NULL)
        return false;
    fprintf(ts_file_stream(file), "%s\n", self->command);
    return ts_file_close(file, error);
}

static char *join(int argc, char **argv)
{
    char *line = text("%s", argc ? argv[0] : "");
    for (int i = 1; i < argc; i++) {
        char *longer = text("%s %s", line, argv[i]);
        free(line);
        line = longer;
    }
    return line;
}

static bool begin(struct ts_rundir *self, struct ts_error *error)
{
    char *lock = text("%s/" LOCK, self->real), *stage = text("%s/" NEW, self->real);
    self->lock = take_lock(lock);
    if (self->lock < 0)
        refuse_lock(self->path, lock, error);
    bool good = self->lock >= 0;
    if (good) {
        sign(self->lock, self->command);
        clear_beside(self);
        remove_stage(self->real, NEW);
        move_in(self->real); // what a killed process began
        good = is_safe(self, error);
        if (good && mkdir(stage, 0777) != 0) {
            ts_fail(error, TS_SETUP, "%s: cannot be written: %s", self->path, strerror(errno));
            good = false;
        }
    }
    free(lock);
    free(stage);
    return good && write_command(self, error);
}

struct ts_rundir *ts_rundir_open(const char *path, int argc, char **argv, struct ts_error *error)
{
    struct ts_rundir *self = ts_need(calloc(1, sizeof *self), "the run directory");
    self->path = text("%s", path ? path : NOWHERE);
    self->command = join(argc, argv);
    self->lock = -1;
    if (path == NULL)
        return self;
    if (!make_directory(path, &self->made) || (self->real = realpath(path, NULL)) == NULL) {
        ts_fail(error, TS_SETUP, "%s: cannot make the run directory: %s", path, strerror(errno));
        ts_rundir_free(self);
        return NULL;
    }
    const char *slash = strrchr(self->real, '/');
    self->sibling = text("%.*s/.%s.tensim", (int)(slash - self->real), self->real, slash + 1);
    if (begin(self, error))
        return self;
    ts_rundir_free(self);
    return NULL;
}

char *ts_rundir_path(const struct ts_rundir *self, const char *name)
{
    if (!is_ours(name))
        abort(); // the next run would not know that it may remove it
    return self->real ? text("%s/" NEW "/%s", self->real, name) : text(NOWHERE);
}

struct ts_file *ts_rundir_file(struct ts_rundir *self, const char *name, struct ts_error *error)
{
    char *path = ts_rundir_path(self, name), *shown = text("%s/%s", self->path, name);
    struct ts_file *file = ts_file_open_part(path, shown, error);
    free(path);
    free(shown);
    return file;
}

bool ts_rundir_json(struct ts_rundir *self, const char *name, const json_t *document,
                    struct ts_error *error)
{
    struct ts_file *file = ts_rundir_file(self, name, error);
    return file && ts_file_json(file, document, error);
}

void ts_rundir_forked(struct ts_rundir *self)
{
    if (self == NULL || self->lock < 0)
        return;
    close(self->lock);
    self->lock = -1;
}

void ts_rundir_free(struct ts_rundir *self)
{
    if (self == NULL)
        return;
    if (self->lock >= 0) {
        char *lock = text("%s/" LOCK, self->real);
        remove_stage(self->real, NEW);
        unlink(lock);
        if (self->made)
            rmdir(self->real);
        close(self->lock);
        free(lock);
    }
    free(self->path);
    free(self->real);
    free(self->sibling);
    free(self->command);
    free(self);
}
