// Sums by name, for the trace files that only hold sums.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_TALLY_COLUMNS 4

struct ts_tally_row {
    char *name; // NULL: a free place
    uint64_t sum[TS_TALLY_COLUMNS];
};

struct ts_tally {
    struct ts_tally_row *rows; // a hash table
    size_t count, room;
};

// The row of a name, made if it is not there. NULL: out of memory.
struct ts_tally_row *ts_tally_row(struct ts_tally *self, const char *name);
// Puts the rows in the order of `compare`; no row can be added after that.
void ts_tally_sort(struct ts_tally *self, int (*compare)(const void *a, const void *b));
void ts_tally_free(struct ts_tally *self);
