#include "platform/trace/tally.h"

#include "platform/base/hash.h"

#include <stdlib.h>
#include <string.h>

static struct ts_tally_row *find(const struct ts_tally *self, const char *name)
{
    uint64_t hash = TS_HASH_START;
    for (const char *c = name; *c; c++)
        hash = ts_hash_word(hash, (unsigned char)*c);
    size_t at = hash & (self->room - 1);
    while (self->rows[at].name && strcmp(self->rows[at].name, name) != 0)
        at = (at + 1) & (self->room - 1);
    return &self->rows[at];
}

static bool grow(struct ts_tally *self)
{
    struct ts_tally larger = {.room = self->room ? 2 * self->room : 256};
    larger.rows = calloc(larger.room, sizeof *larger.rows);
    if (larger.rows == NULL)
        return false;
    for (size_t i = 0; i < self->room; i++)
        if (self->rows[i].name)
            *find(&larger, self->rows[i].name) = self->rows[i];
    free(self->rows);
    self->rows = larger.rows;
    self->room = larger.room;
    return true;
}

struct ts_tally_row *ts_tally_row(struct ts_tally *self, const char *name)
{
    if (2 * self->count >= self->room && !grow(self))
        return NULL;
    struct ts_tally_row *row = find(self, name);
    if (row->name)
        return row;
    row->name = strdup(name);
    if (row->name == NULL)
        return NULL;
    self->count++;
    return row;
}

void ts_tally_sort(struct ts_tally *self, int (*compare)(const void *a, const void *b))
{
    size_t kept = 0;
    for (size_t i = 0; i < self->room; i++)
        if (self->rows[i].name)
            self->rows[kept++] = self->rows[i];
    if (kept)
        qsort(self->rows, kept, sizeof *self->rows, compare);
    self->room = kept;
}

void ts_tally_free(struct ts_tally *self)
{
    for (size_t i = 0; i < self->room; i++)
        free(self->rows[i].name);
    free(self->rows);
}
