#include "platform/run/plan/space.h"

#include "cores/guest/include/program.h"

#include <inttypes.h>

void ts_space_init(struct ts_space *self, uint64_t dram_end, uint64_t l1_end)
{
    memset(self, 0, sizeof *self);
    self->kind[0].first = TS_SPACE_DRAM;
    self->kind[0].end = dram_end;
    self->kind[1].first = TS_PROGRAM_FREE;
    self->kind[1].end = l1_end;
}

// The free piece below taken piece i; with i = count, the one above all.
static uint64_t gap(const struct ts_space_kind *self, uint32_t i, uint64_t *from)
{
    const uint64_t to = i < self->count ? self->piece[i].at : self->end;
    *from = i ? self->piece[i - 1].at + self->piece[i - 1].bytes : self->first;
    return to > *from ? to - *from : 0;
}

bool ts_space_take(struct ts_space *self, bool l1, uint64_t bytes, const char *name,
                   uint32_t *address)
{
    struct ts_space_kind *kind = &self->kind[l1];
    for (uint32_t n = 0; n <= kind->count && kind->count < TS_SPACE_PIECES; n++) {
        const uint32_t i = l1 ? kind->count - n : n;
        uint64_t from, free = gap(kind, i, &from);
        if (free < bytes)
            continue;
        memmove(&kind->piece[i + 1], &kind->piece[i], (kind->count++ - i) * sizeof kind->piece[0]);
        kind->piece[i].at = l1 ? from + free - bytes : from;
        kind->piece[i].bytes = bytes;
        snprintf(kind->piece[i].name, sizeof kind->piece[i].name, "%s", name);
        *address = (uint32_t)kind->piece[i].at;
        return true;
    }
    return false;
}

void ts_space_give(struct ts_space *self, bool l1, uint32_t address)
{
    struct ts_space_kind *kind = &self->kind[l1];
    for (uint32_t i = 0; i < kind->count; i++)
        if (kind->piece[i].at == address) {
            memmove(&kind->piece[i], &kind->piece[i + 1],
                    (--kind->count - i) * sizeof kind->piece[0]);
            return;
        }
}

uint64_t ts_space_largest(const struct ts_space *self, bool l1)
{
    uint64_t most = 0, from;
    for (uint32_t i = 0; i <= self->kind[l1].count; i++) {
        const uint64_t free = gap(&self->kind[l1], i, &from);
        most = free > most ? free : most;
    }
    return most;
}

uint32_t ts_space_lowest(const struct ts_space *self)
{
    const struct ts_space_kind *l1 = &self->kind[1];
    return (uint32_t)(l1->count ? l1->piece[0].at : l1->end);
}

void ts_space_map(const struct ts_space *self, bool l1, char *text, size_t size)
{
    const struct ts_space_kind *kind = &self->kind[l1];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; kind->count && i <= kind->count && used < size; i++) {
        uint64_t from, free = gap(kind, i, &from);
        if (free)
            used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " to %" PRIu64 " free",
                                     used ? ", "
                                     : l1 ? "; L1: "
                                          : "; DRAM: ",
                                     from, from + free);
        if (i < kind->count && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s from %" PRIu64 " to %" PRIu64,
                                     used ? ", "
                                     : l1 ? "; L1: "
                                          : "; DRAM: ",
                                     kind->piece[i].name, kind->piece[i].at,
                                     kind->piece[i].at + kind->piece[i].bytes);
    }
}
