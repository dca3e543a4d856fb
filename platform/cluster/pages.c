#include "platform/cluster/pages.h"

#include "platform/base/hash.h"
#include "platform/save/outside.h"

struct ts_pages {
    uint32_t place;
    uint64_t *hash; // by page; 0: it is zero
    size_t room;
    // While it looks.
    size_t next; // page
    struct ts_bytes *to;
};

// In front of pages, with `bytes` 0 of one that has become zero.
struct run {
    char *at;
    uint64_t bytes;
};

struct ts_pages *ts_pages_new(uint32_t place)
{
    struct ts_pages *self = ts_need(calloc(1, sizeof *self), "the cluster of ranks");
    self->place = place;
    return self;
}

static size_t page_of(const struct ts_pages *self, const char *at)
{
    return (size_t)(at - ts_region_blocks(self->place).begin) / TS_REGION_PAGE;
}

static char *address_of(const struct ts_pages *self, size_t page)
{
    return ts_region_blocks(self->place).begin + page * TS_REGION_PAGE;
}

static void clear_up_to(struct ts_pages *self, size_t page)
{
    for (; self->next < page; self->next++) {
        if (self->hash[self->next] && self->to) {
            const struct run run = {address_of(self, self->next), 0};
            memcpy(ts_bytes_more(self->to, sizeof run), &run, sizeof run);
        }
        self->hash[self->next] = 0;
    }
}

static bool look(void *context, char *at, size_t bytes)
{
    struct ts_pages *self = context;
    size_t first = page_of(self, at), count = bytes / TS_REGION_PAGE, begun = SIZE_MAX;
    clear_up_to(self, first);
    for (size_t i = 0; i < count; i++) {
        const char *page = at + i * TS_REGION_PAGE;
        uint64_t hash = ts_hash_words(TS_HASH_START, (const uint64_t *)(const void *)page,
                                      TS_REGION_PAGE / 8) |
                        1;
        bool changed = hash != self->hash[first + i];
        self->hash[first + i] = hash;
        if (!changed || self->to == NULL) {
            begun = SIZE_MAX;
            continue;
        }
        if (begun == SIZE_MAX) {
            const struct run run = {at + i * TS_REGION_PAGE, 0};
            begun = self->to->length;
            memcpy(ts_bytes_more(self->to, sizeof run), &run, sizeof run);
        }
        memcpy(ts_bytes_more(self->to, TS_REGION_PAGE), page, TS_REGION_PAGE);
        uint64_t length = self->to->length - begun - sizeof(struct run);
        memcpy(self->to->bytes + begun + offsetof(struct run, bytes), &length, sizeof length);
    }
    self->next = first + count;
    return true;
}

static void look_at_all(struct ts_pages *self, struct ts_bytes *to)
{
    const struct ts_region_extent blocks = ts_region_blocks(self->place);
    size_t pages = (size_t)(blocks.end - blocks.begin) / TS_REGION_PAGE;
    if (pages > self->room) {
        self->hash = ts_need(realloc(self->hash, 2 * pages * sizeof *self->hash),
                             "the cluster of ranks");
        memset(self->hash + self->room, 0, (2 * pages - self->room) * sizeof *self->hash);
        self->room = 2 * pages;
    }
    self->next = 0;
    self->to = to;
    ts_region_runs(self->place, look, self);
    clear_up_to(self, self->room);
    self->to = NULL;
}

uint64_t ts_pages_hash(struct ts_pages *self)
{
    look_at_all(self, NULL);
    return ts_hash_words(TS_HASH_START, self->hash, self->next);
}

void ts_pages_pack(struct ts_pages *self, struct ts_bytes *to)
{
    look_at_all(self, to);
}

void ts_pages_unpack(const unsigned char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        struct run run;
        memcpy(&run, bytes + at, sizeof run);
        at += sizeof run;
        if (run.bytes)
            memcpy(run.at, bytes + at, run.bytes);
        else
            memset(run.at, 0, TS_REGION_PAGE);
        at += run.bytes;
    }
}
