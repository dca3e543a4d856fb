// Events: timers of a component. The component or others of its domain can set, move and cancel
// them.
//
// An event that comes due wakes its component if it sleeps; the component then calls
// ts_event_fired. An event never interrupts a busy delay: the component sees it at its next step.
#pragma once

#include "platform/kernel/component.h"

struct ts_event {
    struct ts_object object;
    struct ts_component *owner;
    struct ts_event *next; // of the owner
    ts_cycle when;         // TS_NEVER: not set
};

void ts_event_init(struct ts_event *self, struct ts_component *owner, const char *name);
// Sets or moves the event to `at`, which must be after `now`; an event in the past is a fault of
// the owner.
void ts_event_set(struct ts_event *self, ts_cycle now, ts_cycle at);
void ts_event_cancel(struct ts_event *self);
// True once after the event came due; clears it.
bool ts_event_fired(struct ts_event *self, ts_cycle now);
// To be returned by a step: asleep until this event (or another of its own) comes due.
ts_step ts_event_await(struct ts_event *self, ts_cycle now);
