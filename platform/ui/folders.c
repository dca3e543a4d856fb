// The run directories below the folders: what was run, its first figures, its pages.
#include "platform/ui/ui.h"

#include "platform/base/error.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 4, MOST_RUNS = 1000, MOST_FOLDERS = 20000, LARGEST_DOCUMENT = 32 << 20 };

struct ts_ui_folders {
    struct ts_ui *ui;
    json_t *known; // by place: {"stamp", "row"}; a directory that did not change is not read again
    json_t *rows;
    char *text;
    unsigned walked; // folders of this look
};

static const char *const names[] = {
    "command.txt",
#define TS_RESULT(name) name,
#include "config/results.def"
};

// A document and the page that is made of it.
static const struct {
    const char *document, *page;
} pages[] = {
#define TS_PAGE(schema, document, page, drawn) {document, page},
#include "config/results.def"
};

// Figures of a document that its row shows.
static const char *const figures[] = {"cycles",      "stop",     "tflops",
                                      "utilisation", "bound_by", "bound_object",
                                      "verdict",     "cause",    "expected"};

// The kernel itself sees to it that the path does not leave the folder, by .. or by a link.
static int open_below(int folder, const char *path, int flags)
{
    const int wait = flags & O_PATH ? 0 : O_NONBLOCK; // nothing is opened by a path
    struct open_how how = {.flags = (__u64)(flags | O_CLOEXEC | wait),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

// The folder of "FOLDER/PATH", and PATH; -1: there is none.
static int folder_of(const struct ts_ui *ui, const char *place, const char **path)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(place, &end, 10);
    if (place[0] < '0' || place[0] > '9' || errno || *end != '/' || number >= ui->folder_count)
        return -1;
    *path = end + 1;
    return (int)number;
}

int ts_ui_folders_open(const struct ts_ui *ui, const char *place)
{
    const char *path, *name;
    int folder = folder_of(ui, place, &path), file = -1;
    if (folder < 0)
        return -1;
    name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names && file < 0; i++)
        if (strcmp(names[i], name) == 0)
            file = open_below(ui->opened[folder], path, O_RDONLY);
    struct stat status;
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

char *ts_ui_folders_path(const struct ts_ui *ui, const char *place)
{
    const char *path;
    char *text = NULL;
    int folder = folder_of(ui, place, &path);
    int opened = folder < 0 ? -1 : open_below(ui->opened[folder], path, O_RDONLY | O_DIRECTORY);
    if (opened < 0)
        return NULL;
    close(opened);
    return asprintf(&text, "%s/%s", ui->folders[folder], path) < 0 ? NULL : text;
}

// --- one run directory ---

#define LIVE ".tensim-live" // platform/live/wire.c
#define LOCK ".tensim-lock" // platform/out/rundir.c: who holds it is in it

static char *first_line(int directory, const char *name)
{
    char line[4096];
    int file = open_below(directory, name, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, line, sizeof line - 1);
    if (file >= 0)
        close(file);
    if (length < 0)
        return NULL;
    line[length] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return strdup(line);
}

char *ts_ui_folders_command(const struct ts_ui *ui, const char *place)
{
    const char *path;
    int folder = folder_of(ui, place, &path);
    int opened = folder < 0 ? -1 : open_below(ui->opened[folder], path, O_RDONLY | O_DIRECTORY);
    char *command = opened < 0 ? NULL : first_line(opened, "command.txt");
    if (opened >= 0)
        close(opened);
    return command;
}

int ts_ui_folders_socket(const struct ts_ui *ui, const char *place)
{
    const char *path;
    struct stat status;
    int folder = folder_of(ui, place, &path);
    int opened = folder < 0 ? -1 : open_below(ui->opened[folder], path, O_RDONLY | O_DIRECTORY);
    int there = opened < 0 ? -1 : open_below(opened, LIVE, O_PATH | O_NOFOLLOW);
    if (opened >= 0)
        close(opened);
    if (there >= 0 && (fstat(there, &status) != 0 || !S_ISSOCK(status.st_mode))) {
        close(there);
        there = -1;
    }
    return there;
}

char *ts_ui_lock_command(char *line)
{
    char *comma = line ? strchr(line, ',') : NULL;
    if (comma) {
        const char *command = comma + 1 + strspn(comma + 1, " ");
        memmove(line, command, strlen(command) + 1);
    }
    return line;
}

// The command of a run that can be watched now; NULL: none. A killed one has left its socket, and lost its lock.
static char *live_command(int directory)
{
    struct stat status;
    if (fstatat(directory, LIVE, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(status.st_mode))
        return NULL;
    int lock = open_below(directory, LOCK, O_RDONLY);
    bool held = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0;
    if (lock >= 0)
        close(lock);
    return ts_ui_lock_command(held ? first_line(directory, LOCK) : NULL);
}

static json_t *document_of(int directory, const char *name)
{
    struct stat status;
    int file = open_below(directory, name, O_RDONLY);
    json_t *document = NULL;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size <= LARGEST_DOCUMENT)
        document = json_loadfd(file, 0, NULL);
    if (file >= 0)
        close(file);
    return document;
}

static json_t *row_of(int directory, const char *place, const char *command, time_t when)
{
    json_t *row = json_pack("{s:s s:s% s:I s:o}", "place", place, "command", command,
                            strlen(command), "when", (json_int_t)when, "pages", json_array());
    if (row == NULL) // no UTF-8
        return NULL;
    json_t *shown = json_object_get(row, "pages");
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        bool listed = false;
        for (size_t k = 0; k < json_array_size(shown); k++)
            listed |= strcmp(json_string_value(json_array_get(shown, k)), pages[i].page) == 0;
        if (listed || faccessat(directory, pages[i].page, R_OK, 0) != 0)
            continue;
        json_array_append_new(shown, json_string(pages[i].page));
        json_t *document = document_of(directory, pages[i].document);
        for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
            json_t *figure = json_object_get(document, figures[k]);
            if (figure && !json_is_object(figure) && !json_is_array(figure))
                json_object_set(row, figures[k], figure);
        }
        json_decref(document);
    }
    return row;
}

// Looks into a directory; true: it is a run's.
static bool take(struct ts_ui_folders *self, json_t *rows, int directory, const char *place)
{
    struct stat status;
    char stamp[64];
    char *live = live_command(directory);
    if (fstatat(directory, live ? LOCK : "command.txt", &status, AT_SYMLINK_NOFOLLOW) != 0) {
        free(live);
        return false;
    }
    snprintf(stamp, sizeof stamp, "%lld.%09ld %llu%s", (long long)status.st_mtim.tv_sec,
             status.st_mtim.tv_nsec, (unsigned long long)status.st_ino, live ? " live" : "");
    json_t *known = json_object_get(self->known, place);
    if (known == NULL || strcmp(json_string_value(json_object_get(known, "stamp")), stamp) != 0) {
        char *command = live ? strdup(live) : first_line(directory, "command.txt");
        json_t *row = command ? row_of(directory, place, command, status.st_mtim.tv_sec) : NULL;
        if (row)
            json_object_set_new(row, "live", json_boolean(live != NULL));
        free(command);
        json_object_set_new(self->known, place,
                            json_pack("{s:s s:o}", "stamp", stamp, "row", row ? row : json_null()));
        known = json_object_get(self->known, place);
    }
    json_t *row = json_object_get(known, "row");
    if (json_is_object(row))
        json_array_append(rows, row);
    free(live);
    return true;
}

static void walk(struct ts_ui_folders *self, json_t *rows, int directory, const char *place,
                 unsigned depth)
{
    take(self, rows, directory, place);
    self->walked++;
    DIR *entries = depth < DEPTH ? fdopendir(dup(directory)) : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        bool folder = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
        if (!folder || entry->d_name[0] == '.' || json_array_size(rows) >= MOST_RUNS ||
            self->walked >= MOST_FOLDERS)
            continue;
        int below = open_below(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        char *path = NULL;
        if (below >= 0 && asprintf(&path, "%s%s%s", place,
                                   place[strlen(place) - 1] == '/' ? "" : "/", entry->d_name) >= 0)
            walk(self, rows, below, path, depth + 1);
        if (below >= 0)
            close(below);
        free(path);
    }
    if (entries)
        closedir(entries);
}

bool ts_ui_folders_look(struct ts_ui_folders *self)
{
    json_t *rows = json_array();
    self->walked = 0;
    for (unsigned i = 0; i < self->ui->folder_count; i++) {
        char place[16];
        int folder = open_below(self->ui->opened[i], ".", O_RDONLY | O_DIRECTORY);
        snprintf(place, sizeof place, "%u/", i);
        if (folder >= 0) {
            walk(self, rows, folder, place, 0);
            close(folder);
        }
    }
    if (json_equal(rows, self->rows)) {
        json_decref(rows);
        return false;
    }
    json_decref(self->rows);
    self->rows = rows;
    json_t *message = json_pack("{s:O}", "runs", rows);
    free(self->text);
    self->text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    return true;
}

const char *ts_ui_folders_text(const struct ts_ui_folders *self)
{
    return self->text;
}

struct ts_ui_folders *ts_ui_folders_new(struct ts_ui *ui)
{
    struct ts_ui_folders *self = ts_need(calloc(1, sizeof *self), "the page");
    self->ui = ui;
    self->known = json_object();
    ts_ui_folders_look(self);
    return self;
}

void ts_ui_folders_free(struct ts_ui_folders *self)
{
    json_decref(self->known);
    json_decref(self->rows);
    free(self->text);
    free(self);
}
