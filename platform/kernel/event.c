#include "platform/kernel/event.h"

#include "platform/kernel/internal.h"

static ts_cycle first_event(const struct ts_component *self, ts_cycle after)
{
    ts_cycle first = TS_NEVER;
    for (const struct ts_event *event = self->events; event; event = event->next)
        if (event->when > after && event->when < first)
            first = event->when;
    return first;
}

void ts_resettle(struct ts_component *self)
{
    ts_cycle due = first_event(self, self->domain->now);
    if (self->woken < due)
        due = self->woken;
    if (due == self->when)
        return;
    // A component that steps in the current cycle has already left the wheel. It settles when it
    // goes back to sleep.
    if (self->when != TS_NEVER && !ts_domain_unschedule(self->domain, self, self->when))
        return;
    self->when = due;
    if (due != TS_NEVER)
        ts_domain_schedule(self->domain, self, due);
}

static void register_event(struct ts_object *object, struct ts_domain *domain, const char *name,
                           ...)
{
    va_list args;
    va_start(args, name);
    ts_object_register(object, domain, TS_OBJECT_EVENT, name, args);
    va_end(args);
}

void ts_event_init(struct ts_event *self, struct ts_component *owner, const char *name)
{
    // The path is the owner's without the domain's, which registration adds.
    const char *path = ts_path(owner) + strlen(owner->domain->object.path) + 1;
    register_event(&self->object, owner->domain, "%s.%s", path, name);
    self->owner = owner;
    self->when = TS_NEVER;
    self->next = owner->events;
    owner->events = self;
}

static bool asleep_on_events(const struct ts_component *c)
{
    return ts_is_blocked(c) || c->asleep == TS_IDLE;
}

void ts_event_set(struct ts_event *self, ts_cycle now, ts_cycle at)
{
    if (at <= now) {
        ts_fault(self->owner, now, TS_BUG,
                 "event %s set to cycle %llu, which is not after the current one",
                 self->object.path, (unsigned long long)at);
        return;
    }
    self->when = at;
    if (asleep_on_events(self->owner))
        ts_resettle(self->owner);
}

void ts_event_cancel(struct ts_event *self)
{
    self->when = TS_NEVER;
    if (asleep_on_events(self->owner))
        ts_resettle(self->owner);
}

bool ts_event_fired(struct ts_event *self, ts_cycle now)
{
    if (self->when > now)
        return false;
    self->when = TS_NEVER;
    return true;
}

ts_step ts_event_await(struct ts_event *self, ts_cycle now)
{
    return ts_block(self->owner, now, TS_STALL_EVENT, &self->object);
}
