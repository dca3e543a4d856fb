// The cache of compiled kernels is bounded (hashes.h): what was used last stays.
#include "platform/base/error.h"
#include "platform/run/plan/hashes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct image {
    char name[20];
    time_t used;
    uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct image *x = a, *y = b;
    return TS_COMPARE(x->used, y->used) ?: strcmp(x->name, y->name);
}

// The files of an image, or of one that was begun and never finished. True: counts them; false: removes them.
static void each_file(const char *cache, struct image *self, bool count)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.3900s/%s", cache, self->name);
    DIR *folder = opendir(path);
    struct stat about;
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        if (count && strcmp(entry->d_name, "..") != 0 &&
            fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0) {
            self->bytes += 512 * (uint64_t)about.st_blocks;
            self->used = about.st_mtime > self->used ? about.st_mtime : self->used;
        } else if (!count && entry->d_name[0] != '.') {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    if (folder)
        closedir(folder);
    if (!count)
        rmdir(path);
}

void ts_images_trim(const char *cache, uint64_t most, int64_t seconds)
{
    struct image *images = NULL;
    size_t count = 0, room = 0;
    uint64_t bytes = 0;
    DIR *folder = opendir(cache);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        struct image image = {.used = 0};
        if (strspn(entry->d_name, "0123456789abcdef") != 16 || entry->d_name[16] ||
            !TS_GROW(images, count, room))
            continue;
        memcpy(image.name, entry->d_name, 17);
        each_file(cache, &image, true);
        bytes += image.bytes;
        images[count++] = image;
    }
    if (folder)
        closedir(folder);
    if (count)
        qsort(images, count, sizeof *images, by_use);
    for (size_t i = 0; i < count && bytes > most && images[i].used < time(NULL) - seconds; i++) {
        bytes -= images[i].bytes;
        each_file(cache, &images[i], false);
    }
    free(images);
}
