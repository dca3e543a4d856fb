// Hashes of files, each read once: the images of a program share nearly all headers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_hashes {
    struct ts_hashes_row *rows;
    size_t count, room;
};

// The hash of a file as it was when it was asked for first; false: it cannot be read.
bool ts_hashes_of(struct ts_hashes *self, const char *path, uint64_t *hash);
void ts_hashes_free(struct ts_hashes *self);
