#include "cores/pto/cluster.h"

uint32_t ts_tape_add(struct ts_tape *self, unsigned core, const struct ts_entry *entry,
                     ts_cycle now)
{
    if (self == NULL)
        return 0;
    if (self->count == self->most) {
        self->full = true;
        return 0;
    }
    TS_MORE(self->event, self->count, self->room, "the tape of events");
    self->event[self->count++] = (struct ts_tape_event){
        .core = (uint8_t)core,
        .lane = entry->lane,
        .kind = entry->kind,
        .id = entry->id,
        .other = entry->other,
        .role = entry->role,
        .part = entry->part,
        .credit = entry->credit,
        .index = entry->index,
        .insn = entry->insn,
        .ring = entry->ring,
        .issued = now,
        .to = entry->to,
        .from = {entry->a, entry->b, entry->c},
    };
    return self->count;
}
