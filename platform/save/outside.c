#include "platform/save/outside.h"

#include "platform/base/error.h"
#include "platform/base/hash.h"

#include <fcntl.h>
#include <unistd.h>

#define PAGES_READ 8192u
#define PRESENT    (UINT64_C(3) << 62) // in memory or swapped out

// --- pages ---

static bool is_zero(const char *page)
{
    const uint64_t *words = (const uint64_t *)page;
    uint64_t any = 0;
    for (size_t i = 0; i < TS_REGION_PAGE / 8 && any == 0; i += 8)
        for (size_t k = 0; k < 8; k++)
            any |= words[i + k];
    return any == 0;
}

bool ts_region_runs(uint32_t heap, ts_region_run *each, void *context)
{
    const struct ts_region_extent blocks = ts_region_blocks(heap);
    uint64_t entries[PAGES_READ];
    int map = sysconf(_SC_PAGESIZE) == TS_REGION_PAGE
                  ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)
                  : -1;
    char *from = NULL;
    bool good = true;
    for (char *at = blocks.begin; at < blocks.end && good;) {
        size_t pages = (size_t)(blocks.end - at) / TS_REGION_PAGE;
        pages = pages < PAGES_READ ? pages : PAGES_READ;
        // Without a map of the pages all of them are looked at.
        if (map < 0 || pread(map, entries, 8 * pages, (off_t)((uint64_t)at / TS_REGION_PAGE * 8)) !=
                           (ssize_t)(8 * pages))
            memset(entries, 0xff, sizeof entries);
        for (size_t i = 0; i < pages && good; i++, at += TS_REGION_PAGE) {
            bool empty = !(entries[i] & PRESENT) || is_zero(at);
            if (!empty && from == NULL)
                from = at;
            if (empty && from != NULL) {
                good = each(context, from, (size_t)(at - from));
                from = NULL;
            }
        }
    }
    if (from != NULL && good)
        good = each(context, from, (size_t)(blocks.end - from));
    if (map >= 0)
        close(map);
    return good;
}

// --- what lies outside ---

#define MAPS 1024

struct search {
    struct ts_outside *found;
    struct {
        uint64_t begin, end;
    } maps[MAPS];
    size_t count;
};

// Everything mapped but the region and the program itself, whose addresses are fixed.
static void read_maps(struct search *self)
{
    char line[PATH_MAX + 200], program[PATH_MAX] = "";
    FILE *file = fopen("/proc/self/maps", "r");
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        program[0] = '\0';
    while (file && self->count < MAPS && fgets(line, sizeof line, file)) {
        unsigned long long begin, end;
        int name = 0;
        if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &begin, &end, &name) < 2 ||
            ts_region_has((void *)(uintptr_t)begin))
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (name && program[0] && strcmp(line + name, program) == 0)
            continue;
        if (self->count && self->maps[self->count - 1].end == begin)
            self->maps[self->count - 1].end = end;
        else {
            self->maps[self->count].begin = begin;
            self->maps[self->count++].end = end;
        }
    }
    if (file)
        fclose(file);
}

static bool is_outside(const struct search *self, uint64_t value)
{
    size_t low = 0, high = self->count;
    if (high == 0 || value < self->maps[0].begin || value >= self->maps[high - 1].end)
        return false;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (self->maps[middle].begin <= value)
            low = middle;
        else
            high = middle;
    }
    return value < self->maps[low].end;
}

static bool look(void *context, char *at, size_t bytes)
{
    struct search *self = context;
    struct ts_outside *found = self->found;
    const uint64_t *words = (const uint64_t *)(void *)at;
    for (size_t i = 0; i < bytes / 8; i++) {
        if (words[i] == 0 || !is_outside(self, words[i]))
            continue;
        if (!ts_grow((void **)&found->words, found->count, &found->room, sizeof *found->words))
            return false;
        found->words[found->count++] = (struct ts_outside_word){(uint64_t)&words[i], words[i]};
    }
    return true;
}

bool ts_outside_find(struct ts_outside *self, const void *frame)
{
    struct search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return false;
    const struct ts_region_extent stack = ts_region_stack(frame);
    *self = (struct ts_outside){0};
    search->found = self;
    read_maps(search);
    bool good = look(search, stack.begin, (size_t)(stack.end - stack.begin)) &&
                ts_region_runs(0, look, search);
    free(search);
    return good;
}

// --- everything else ---

struct hashing {
    const struct ts_outside_word *skip, *end;
    uint64_t hash;
};

static bool hash_run(void *context, char *at, size_t bytes)
{
    struct hashing *self = context;
    const uint64_t *words = (const uint64_t *)(void *)at, *end = words + bytes / 8;
    self->hash = ts_hash_word(self->hash, (uint64_t)at);
    while (words < end) {
        while (self->skip < self->end && self->skip->at < (uint64_t)words)
            self->skip++;
        const uint64_t *to = self->skip < self->end && self->skip->at < (uint64_t)end
                                 ? (const uint64_t *)(uintptr_t)self->skip->at
                                 : end;
        self->hash = ts_hash_words(self->hash, words, (size_t)(to - words));
        words = to + 1;
    }
    return true;
}

uint64_t ts_outside_hash(const struct ts_outside *self)
{
    struct hashing hashing = {self->words, self->words + self->count, TS_HASH_START};
    ts_region_runs(0, hash_run, &hashing);
    return hashing.hash;
}

// --- from one process to another ---

static int by_address(const void *a, const void *b)
{
    const struct ts_outside_word *x = a, *y = b;
    return TS_COMPARE(x->at, y->at);
}

bool ts_outside_map(struct ts_outside_map *self, const struct ts_outside *there,
                    const struct ts_outside *here)
{
    self->count = 0;
    self->pairs = malloc((there->count + 1) * sizeof *self->pairs);
    if (self->pairs == NULL)
        return false;
    for (size_t i = 0, k = 0; i < there->count; i++) {
        while (k < here->count && here->words[k].at < there->words[i].at)
            k++;
        if (k < here->count && here->words[k].at == there->words[i].at &&
            here->words[k].value != there->words[i].value)
            self->pairs[self->count++] = (struct ts_outside_word){there->words[i].value,
                                                                  here->words[k].value};
    }
    qsort(self->pairs, self->count, sizeof *self->pairs, by_address);
    return true;
}

void ts_outside_translate(const struct ts_outside_map *self, uint64_t *words, size_t count)
{
    if (self->count == 0)
        return;
    const uint64_t first = self->pairs[0].at, span = self->pairs[self->count - 1].at - first;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_expect(words[i] - first > span, 1))
            continue;
        struct ts_outside_word key = {words[i], 0};
        const struct ts_outside_word *pair = bsearch(&key, self->pairs, self->count,
                                                     sizeof *self->pairs, by_address);
        if (pair)
            words[i] = pair->value;
    }
}
