#include "tests/demo/semaphore.h"

#include "platform/kernel/internal.h"

void ts_semaphore_init(struct ts_semaphore *self, struct ts_domain *domain, uint32_t value,
                       uint32_t max, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    ts_object_register(&self->object, domain, TS_OBJECT_SEMAPHORE, name, args);
    va_end(args);
    self->level = self->peak = value;
    self->max = max;
    self->stamp = TS_NEVER;
    if (value > max)
        ts_kernel_refuse(domain->kernel, "%s: starts at %u, above its maximum %u",
                         self->object.path, value, max);
}

bool ts_semaphore_refuse(const struct ts_port *port, ts_cycle now, const char *verb)
{
    ts_port_misuse(port, now, verb);
    return false;
}

// If another component changed the semaphore's level in this cycle, look again in the next one.
static ts_step await(const struct ts_port *port, struct ts_semaphore *self, ts_cycle now,
                     enum ts_stall reason, bool soon)
{
    ts_block(port->owner, now, reason, &self->object);
    if (soon)
        ts_wake(port->owner, now + 1);
    return 0;
}

ts_step ts_semaphore_await_token(const struct ts_port *port, ts_cycle now)
{
    struct ts_semaphore *self = port->in;
    if (self == NULL)
        return ts_semaphore_refuse(port, now, "wait for a token of");
    return await(port, self, now, TS_STALL_SEMAPHORE_ZERO, self->level > 0);
}

ts_step ts_semaphore_await_room(const struct ts_port *port, ts_cycle now)
{
    struct ts_semaphore *self = port->out;
    if (self == NULL)
        return ts_semaphore_refuse(port, now, "wait for room in");
    return await(port, self, now, TS_STALL_SEMAPHORE_MAX, self->level < self->max);
}
