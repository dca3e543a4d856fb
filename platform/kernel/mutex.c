#include "platform/kernel/mutex.h"

#include "platform/kernel/internal.h"

void ts_mutex_init(struct ts_mutex *self, struct ts_domain *domain, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    ts_object_register(&self->object, domain, TS_OBJECT_MUTEX, name, args);
    va_end(args);
}

bool ts_mutex_lock(const struct ts_port *port, ts_cycle now)
{
    struct ts_mutex *self = port->in;
    if (self == NULL) {
        ts_port_misuse(port, now, "lock");
        return false;
    }
    if (self->owner == port->owner) {
        ts_fault(port->owner, now, TS_CONTRACT, "locks %s, which it owns already",
                 self->object.path);
        return false;
    }
    if (self->owner || self->free_from > now)
        return false;
    self->owner = port->owner;
    self->locks++;
    ts_trace_count(&self->object, now, 1);
    return true;
}

void ts_mutex_unlock(const struct ts_port *port, ts_cycle now)
{
    struct ts_mutex *self = port->in;
    if (self == NULL) {
        ts_port_misuse(port, now, "unlock");
        return;
    }
    if (self->owner != port->owner) {
        ts_fault(port->owner, now, TS_CONTRACT, "unlocks %s, which %s owns", self->object.path,
                 self->owner ? ts_path(self->owner) : "nobody");
        return;
    }
    self->owner = NULL;
    self->free_from = now + 1;
    if (self->object.waiters)
        ts_wake_all(&self->object, now + 1);
    ts_trace_count(&self->object, now, 0);
}

ts_step ts_mutex_await(const struct ts_port *port, ts_cycle now)
{
    struct ts_mutex *self = port->in;
    if (self == NULL) {
        ts_port_misuse(port, now, "wait for");
        return 0;
    }
    ts_block(port->owner, now, TS_STALL_MUTEX_HELD, &self->object);
    if (self->owner == NULL)
        ts_wake(port->owner, now + 1);
    return 0;
}
