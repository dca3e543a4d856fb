// The tape of a cluster: every entry that a scalar unit issued, with the cycles it took. For
// analyses after a run; a run without one pays a branch per entry.
#pragma once

#include "cores/pto/isa.h"

struct ts_tape_event {
    uint8_t core, lane, kind; // kind: enum ts_entry_kind
    uint8_t id, other;        // flag or event; other pipe of an event
    uint8_t role, part;       // of the ring's entry
    bool credit;
    uint32_t index;   // of the ring's tile
    uint32_t blocker; // number of the work that held it last + 1; 0: none
    const struct ts_insn *insn;
    const struct ts_ring *ring; // NULL: none
    ts_cycle issued;            // by the scalar unit
    ts_cycle start, end;        // on its pipe; 0 while it has not begun
    struct ts_view to, from[3];
};

struct ts_tape {
    struct ts_tape_event *event;
    uint32_t count, room;
    uint32_t most; // no event beyond is kept
    bool full;
};

struct ts_entry;
// Number of the event + 1; 0: there is no tape, or it is full.
uint32_t ts_tape_add(struct ts_tape *self, unsigned core, const struct ts_entry *entry,
                     ts_cycle now);

// Takes the last event back: its queue had no room.
static inline void ts_tape_undo(struct ts_tape *self, uint32_t number)
{
    if (number)
        self->count--;
}

static inline struct ts_tape_event *ts_tape_at(struct ts_tape *self, uint32_t number)
{
    return number ? &self->event[number - 1] : NULL;
}
