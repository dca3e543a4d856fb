#include "cores/pto/ring.h"

const struct ts_finding_row ts_finding_rows[] = {
#define TS_PIPE_FINDING(id, kind, code, text) [TS_FINDING_##id] = {code, text, #kind[0]},
#include "config/tpipe.def"
};

static struct ts_finding *known(struct ts_findings *self, enum ts_finding_id id,
                                const struct ts_spot *spot)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->item[i].id == id && self->item[i].line == spot->line &&
            strcmp(self->item[i].object, spot->object ? spot->object : "") == 0)
            return &self->item[i];
    return NULL;
}

void ts_finding_add(struct ts_findings *self, enum ts_finding_id id, struct ts_spot spot,
                    const char *format, ...)
{
    bool first = self->seen[id]++ == 0;
    struct ts_finding *item = first ? NULL : known(self, id, &spot);
    if (item) {
        item->times++;
        return;
    }
    // The last places are for codes that are still unseen.
    uint32_t room = first ? TS_FINDING_ROOM : TS_FINDING_ROOM - TS_FINDING_COUNT;
    if (self->count >= room)
        return;
    item = &self->item[self->count++];
    item->id = id;
    item->cycle = spot.cycle;
    item->line = spot.line;
    item->times = 1;
    snprintf(item->object, sizeof item->object, "%s", spot.object ? spot.object : "");
    TS_VSNPRINTF(item->text, sizeof item->text, format);
}

bool ts_findings_any(const struct ts_findings *self, char kind)
{
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        if (self->seen[id] && ts_finding_rows[id].kind == kind)
            return true;
    return false;
}

void ts_findings_merge(struct ts_findings *self, const struct ts_findings *other)
{
    uint64_t kept[TS_FINDING_COUNT] = {0};
    for (uint32_t i = 0; i < other->count; i++) {
        const struct ts_finding *item = &other->item[i];
        struct ts_spot spot = {item->cycle, item->line, item->object};
        kept[item->id]++;
        ts_finding_add(self, item->id, spot, "%s", item->text);
        struct ts_finding *here = known(self, item->id, &spot);
        if (here)
            here->times += item->times - 1;
    }
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        self->seen[id] += other->seen[id] - kept[id];
}
