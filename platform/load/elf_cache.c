#include "platform/load/elf_cache.h"

#include "platform/load/loader.h"
#include "platform/load/metal_elf.h"

#include <dirent.h>
#include <sys/stat.h>

#define DEPTH 12        // folders in folders
#define FAR   0x101010u // a move by this changes every part of an address

struct kernel {
    char *path; // in the folder
    unsigned on;
    uint8_t *image, *moved; // as it was linked, and elsewhere
    uint32_t bytes, text;   // where it was linked
    void *file;             // NULL: not asked for yet
    size_t file_bytes;
};

struct ts_elf_cache {
    char folder[PATH_MAX];
    struct kernel *kernels; // by path
    size_t count, room;
    bool looked; // since ts_elf_cache_again
};

static const char *const files[TS_ON] = {"brisc.elf", "ncrisc.elf", "trisc0.elf", "trisc1.elf",
                                         "trisc2.elf"};

// --- the files ---

static void full_path(const struct ts_elf_cache *self, const char *path, char *to)
{
    snprintf(to, PATH_MAX, "%.2000s/%.2000s", self->folder, path);
}

// Firmware is not a kernel: its data lie elsewhere and it has no relocations. A file that is being written is not one yet.
static bool read_images(const struct ts_elf_cache *self, struct kernel *to)
{
    char path[PATH_MAX];
    size_t length;
    struct ts_error ignored = {0};
    struct ts_metal_elf elf;
    full_path(self, to->path, path);
    void *bytes = ts_read_file(path, &length, &ignored);
    if (bytes == NULL || !ts_metal_elf_open(&elf, bytes, length, path, &ignored)) {
        free(bytes);
        return false;
    }
    to->text = elf.text;
    to->bytes = ts_metal_elf_bytes(&elf);
    bool good = to->bytes > 0 && to->bytes <= TS_L1_SIZE &&
                (to->image = malloc(to->bytes)) != NULL &&
                (to->moved = malloc(to->bytes)) != NULL &&
                ts_metal_elf_move(&elf, elf.text, to->image, &ignored) &&
                ts_metal_elf_move(&elf, elf.text + FAR, to->moved, &ignored);
    ts_metal_elf_close(&elf);
    free(bytes);
    return good;
}

static void free_kernel(struct kernel *self)
{
    free(self->path);
    free(self->image);
    free(self->moved);
    free(self->file);
}

static bool is_known(const struct ts_elf_cache *self, const char *path)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->kernels[i].path, path) == 0)
            return true;
    return false;
}

static void add_file(struct ts_elf_cache *self, const char *path, const char *name)
{
    unsigned on = 0;
    while (on < TS_ON && strcmp(files[on], name) != 0)
        on++;
    if (on == TS_ON || is_known(self, path) || !TS_GROW(self->kernels, self->count, self->room))
        return;
    struct kernel *kernel = &self->kernels[self->count];
    *kernel = (struct kernel){.path = strdup(path), .on = on};
    if (kernel->path && read_images(self, kernel))
        self->count++;
    else
        free_kernel(kernel);
}

static void look(struct ts_elf_cache *self, const char *under, unsigned depth)
{
    char path[PATH_MAX], inside[PATH_MAX];
    struct dirent **entries = NULL;
    struct stat status;
    full_path(self, under, path);
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        snprintf(inside, sizeof inside, "%.1700s%s%.255s", under, under[0] ? "/" : "", name);
        full_path(self, inside, path);
        if (name[0] != '.' && stat(path, &status) == 0) {
            if (S_ISDIR(status.st_mode) && depth < DEPTH)
                look(self, inside, depth + 1);
            else if (S_ISREG(status.st_mode))
                add_file(self, inside, name);
        }
        free(entries[i]);
    }
    free(entries);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct kernel *)a)->path, ((const struct kernel *)b)->path);
}

// --- for the card ---

struct ts_elf_cache *ts_elf_cache_new(const char *folder, struct ts_error *error)
{
    struct stat status;
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        return ts_nothing(error, TS_SETUP, "--elf %.300s: %s", folder,
                          errno == ENOENT ? "no such folder" : "not a folder");
    struct ts_elf_cache *self = calloc(1, sizeof *self);
    if (self)
        snprintf(self->folder, sizeof self->folder, "%s", folder);
    else
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    return self;
}

void ts_elf_cache_free(struct ts_elf_cache *self)
{
    for (size_t i = 0; self && i < self->count; i++)
        free_kernel(&self->kernels[i]);
    if (self)
        free(self->kernels);
    free(self);
}

void ts_elf_cache_again(struct ts_elf_cache *self)
{
    self->looked = false;
}

static bool is_there(const struct kernel *self, const uint8_t *l1, uint32_t at)
{
    if (at > TS_L1_SIZE || self->bytes > TS_L1_SIZE - at)
        return false;
    for (uint32_t i = 0; i < self->bytes; i += 4) {
        const uint32_t size = self->bytes - i < 4 ? self->bytes - i : 4;
        if (memcmp(l1 + at + i, self->image + i, size) != 0 &&
            memcmp(self->moved + i, self->image + i, size) == 0)
            return false;
    }
    return true;
}

const char *ts_elf_cache_find(struct ts_elf_cache *self, unsigned on, const uint8_t *l1,
                              uint32_t at)
{
    for (;;) {
        for (size_t i = 0; i < self->count; i++)
            if (self->kernels[i].on == on && is_there(&self->kernels[i], l1, at))
                return self->kernels[i].path;
        if (self->looked)
            return NULL;
        self->looked = true;
        look(self, "", 0);
        if (self->count)
            qsort(self->kernels, self->count, sizeof *self->kernels, by_path);
    }
}

bool ts_elf_cache_program(struct ts_elf_cache *self, const char *path, uint32_t at,
                          struct ts_tile_program *to)
{
    struct kernel *kernel = bsearch(&(struct kernel){.path = (char *)(uintptr_t)path},
                                    self->kernels, self->count, sizeof *self->kernels, by_path);
    char full[PATH_MAX];
    struct ts_error ignored = {0};
    full_path(self, path, full);
    if (kernel && kernel->file == NULL)
        kernel->file = ts_read_file(full, &kernel->file_bytes, &ignored);
    if (kernel == NULL || kernel->file == NULL)
        return false;
    *to = (struct ts_tile_program){
        .bytes = kernel->file, .length = kernel->file_bytes, .at = at, .moved = at - kernel->text};
    return true;
}
