#include "cores/pto/ring_finding.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *code;
    const char *text;
    char kind;
} rows[] = {
#define TS_PIPE_FINDING(id, kind, code, text) [TS_FINDING_##id] = {code, text, #kind[0]},
#include "config/tpipe.def"
#undef TS_PIPE_FINDING
};

const char *ts_finding_code(enum ts_finding_id id)
{
    return rows[id].code;
}

const char *ts_finding_text(enum ts_finding_id id)
{
    return rows[id].text;
}

char ts_finding_kind(enum ts_finding_id id)
{
    return rows[id].kind;
}

void ts_finding_add(struct ts_findings *self, enum ts_finding_id id, ts_cycle cycle,
                    const char *format, ...)
{
    // The last places are for codes that are still unseen.
    bool first = self->seen[id]++ == 0;
    uint32_t room = first ? TS_FINDING_ROOM : TS_FINDING_ROOM - TS_FINDING_COUNT;
    if (self->count >= room)
        return;
    struct ts_finding *item = &self->item[self->count++];
    item->id = id;
    item->cycle = cycle;
    va_list args;
    va_start(args, format);
    vsnprintf(item->text, sizeof item->text, format, args);
    va_end(args);
}

bool ts_findings_any(const struct ts_findings *self, char kind)
{
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        if (self->seen[id] && rows[id].kind == kind)
            return true;
    return false;
}

void ts_findings_merge(struct ts_findings *self, const struct ts_findings *other)
{
    uint64_t kept[TS_FINDING_COUNT] = {0};
    for (uint32_t i = 0; i < other->count; i++) {
        const struct ts_finding *item = &other->item[i];
        kept[item->id]++;
        ts_finding_add(self, item->id, item->cycle, "%s", item->text);
    }
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        self->seen[id] += other->seen[id] - kept[id];
}
