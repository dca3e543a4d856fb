// Hashes of files, each read once (hashes.h).
#include "platform/run/plan/hashes.h"

#include "platform/base/hash.h"
#include "platform/base/input.h"

struct ts_hashes_row {
    char *path;
    uint64_t hash;
    bool there;
};

bool ts_hashes_of(struct ts_hashes *self, const char *path, uint64_t *hash)
{
    for (size_t i = 0; i < self->count; i++) { // images ask for the same files in the same order
        const size_t at = (self->next + i) % self->count;
        if (strcmp(self->rows[at].path, path) == 0) {
            self->next = at + 1;
            *hash = self->rows[at].hash;
            return self->rows[at].there;
        }
    }
    struct ts_error ignored = {0};
    FILE *file = ts_open_input(path, &ignored);
    struct ts_hashes_row row = {strdup(path), TS_HASH_START, file != NULL};
    uint64_t words[8192];
    for (size_t got; file && (got = fread(words, 1, sizeof words, file)) > 0;) {
        row.hash = ts_hash_words(row.hash, words, got / 8);
        row.hash = ts_hash_bytes(row.hash, &words[got / 8], got % 8);
    }
    if (file) {
        row.there = !ferror(file);
        fclose(file);
    }
    if (row.path && TS_GROW(self->rows, self->count, self->room))
        self->rows[self->count++] = row;
    else
        free(row.path); // without memory it is read again
    *hash = row.hash;
    return row.there;
}

void ts_hashes_free(struct ts_hashes *self)
{
    while (self->count > 0)
        free(self->rows[--self->count].path);
    free(self->rows);
    *self = (struct ts_hashes){0};
}
