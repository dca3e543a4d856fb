// Which of the measurements are re-created, and why the others are not (account.h).
#include "platform/study/silicon/account.h"

static const struct {
    const char *machine, *source;
    enum ts_silicon_public described;
    const char *ids;
} sources[] = {
#define TS_SILICON_IDS(source, described, ids) {"blackhole", source, TS_SILICON_##described, ids},
#include "config/silicon_ids.def"
#define TS_SILICON_IDS(source, described, ids) {"wormhole", source, TS_SILICON_##described, ids},
#include "config/wormhole/silicon_ids.def"
#define TS_SILICON_IDS(source, described, ids) {TS_SILICON_A5, source, TS_SILICON_##described, ids},
#include "config/pipes/silicon_ids.def"
};

// Measurements that no family covers.
static const struct ts_silicon_left left_by_all[] = {
#define TS_SILICON_LEFT(from, to, reason) {from, to, reason},
#include "config/silicon_left.def"
    {0},
};

static const struct {
    const char *source, *reason;
} left_by_source[] = {
#define TS_SILICON_LEFT_SOURCE(source, reason) {source, reason},
#include "config/silicon_left.def"
};

const char *ts_silicon_public_name(enum ts_silicon_public described)
{
    static const char *const names[] = {"yes", "partly", "no"};
    return names[described];
}

// S before B, then by number.
static int by_id(const void *a, const void *b)
{
    const char *x = ((const struct ts_silicon_id *)a)->id,
               *y = ((const struct ts_silicon_id *)b)->id;
    return x[0] != y[0] ? y[0] - x[0] : strcmp(x, y);
}

const struct ts_silicon_id *ts_silicon_find_id(const struct ts_silicon_account *self,
                                               const char *id)
{
    struct ts_silicon_id key = {0};
    snprintf(key.id, sizeof key.id, "%s", id);
    return bsearch(&key, self->ids, self->count, sizeof key, by_id);
}

// "B0001-B0003 B0006": adds them, if they are of the machine; without room it only counts.
static size_t add_ids(struct ts_silicon_id *to, size_t source, const char *machine)
{
    size_t count = 0;
    if (strcmp(sources[source].machine, machine) != 0)
        return 0;
    for (const char *at = sources[source].ids; *at;) {
        char letter = *at;
        char *end;
        unsigned long from = strtoul(at + 1, &end, 10), last = from;
        if (*end == '-')
            last = strtoul(end + 2, &end, 10);
        for (; from <= last; from++, count++)
            if (to) {
                to[count] = (struct ts_silicon_id){.source = sources[source].source,
                                                   .described = sources[source].described};
                snprintf(to[count].id, sizeof to[count].id, "%c%04lu", letter, from % 10000);
            }
        at = end + strspn(end, " ");
    }
    return count;
}

static void leave(struct ts_silicon_account *self, const struct ts_silicon_left *left)
{
    for (; left && left->from; left++)
        for (size_t i = 0; i < self->count; i++) {
            struct ts_silicon_id *id = &self->ids[i];
            const char *to = left->to ? left->to : left->from;
            if (id->family == NULL && id->reason == NULL && strcmp(id->id, left->from) >= 0 &&
                strcmp(id->id, to) <= 0)
                id->reason = left->reason;
        }
}

void ts_silicon_account(struct ts_silicon_account *self, const char *machine)
{
    enum { SOURCES = sizeof sources / sizeof *sources };
    *self = (struct ts_silicon_account){0};
    for (size_t i = 0; i < SOURCES; i++)
        self->count += add_ids(NULL, i, machine);
    self->ids = ts_need(calloc(self->count, sizeof *self->ids), "the truth table");
    for (size_t i = 0, next = 0; i < SOURCES; i++)
        next += add_ids(self->ids + next, i, machine);
    qsort(self->ids, self->count, sizeof *self->ids, by_id);
    for (size_t f = 0; ts_silicon_families[f]; f++)
        for (size_t i = 0; strcmp(ts_silicon_families[f]->machine, machine) == 0 &&
                           i < ts_silicon_families[f]->count;
             i++) {
            const char *id = ts_silicon_families[f]->rows[i].id;
            struct ts_silicon_id *found = (struct ts_silicon_id *)ts_silicon_find_id(self, id);
            if (found)
                found->family = ts_silicon_families[f];
            else
                self->stray = id;
        }
    for (size_t f = 0; ts_silicon_families[f]; f++)
        leave(self, ts_silicon_families[f]->left);
    leave(self, left_by_all);
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < sizeof left_by_source / sizeof *left_by_source; k++)
            if (self->ids[i].family == NULL && self->ids[i].reason == NULL &&
                strstr(self->ids[i].source, left_by_source[k].source))
                self->ids[i].reason = left_by_source[k].reason;
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_id *id = &self->ids[i];
        self->described[id->described]++;
        self->recreated_of[id->described] += id->family != NULL;
        self->recreated += id->family != NULL;
        self->left += id->family == NULL && id->reason != NULL;
        self->open += id->family == NULL && id->reason == NULL;
    }
}

void ts_silicon_account_free(struct ts_silicon_account *self)
{
    free(self->ids);
    self->ids = NULL;
}
