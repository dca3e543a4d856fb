// Hashes of files, each read once: the images of a program share nearly all headers.
#pragma once

#include "platform/base/std.h"

struct ts_hashes {
    struct ts_hashes_row *rows;
    size_t count, room, next; // next: behind the row that was asked for last
};

// The hash of a file as it was when it was asked for first; false: it cannot be read.
bool ts_hashes_of(struct ts_hashes *self, const char *path, uint64_t *hash);
void ts_hashes_free(struct ts_hashes *self);

// Removes images of a cache that were not used for so many seconds, the oldest first, until the rest takes at most so many bytes.
void ts_images_trim(const char *cache, uint64_t most, int64_t seconds);
#define TS_IMAGES_BYTES   (UINT64_C(1) << 30)
#define TS_IMAGES_SECONDS 3600 // somebody may use a younger one now
