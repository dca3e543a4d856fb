// A counting semaphore with value and maximum.
//
// A token posted in a cycle can be taken from the next one on, and the room that a get makes can be
// used from the next one on: the outcome does not depend on who steps first, except who wins the
// last token (the lower index).
#pragma once

#include "platform/kernel/domain.h"
#include "platform/kernel/port.h"

struct ts_semaphore {
    struct ts_object object;
    uint32_t level; // after all operations so far
    uint32_t max;
    uint32_t tokens; // how many can still be taken in cycle `stamp`
    uint32_t room;   // how many can still be posted in cycle `stamp`
    ts_cycle stamp;
    uint64_t posts, gets; // counters
    uint32_t peak;
};

void ts_semaphore_init(struct ts_semaphore *self, struct ts_domain *domain, uint32_t value,
                       uint32_t max, const char *name, ...) __attribute__((format(printf, 5, 6)));

TS_SLOW_PATH bool ts_semaphore_refuse(const struct ts_port *port, ts_cycle now, const char *verb);

static inline void ts_semaphore_open_cycle(struct ts_semaphore *self, ts_cycle now)
{
    if (self->stamp != now) {
        self->stamp = now;
        self->tokens = self->level;
        self->room = self->level < self->max ? self->max - self->level : 0;
    }
}

// Takes a token; false if there is none in this cycle.
static inline bool ts_semaphore_get(const struct ts_port *port, ts_cycle now)
{
    struct ts_semaphore *self = port->in;
    if (__builtin_expect(self == NULL, 0))
        return ts_semaphore_refuse(port, now, "get from");
    ts_semaphore_open_cycle(self, now);
    if (self->tokens == 0)
        return false;
    self->tokens--;
    self->level--;
    self->gets++;
    if (self->object.waiters)
        ts_wake_all(&self->object, now + 1);
    ts_trace_count(&self->object, now, self->level);
    return true;
}

// Adds a token; false if the semaphore is at its maximum in this cycle.
static inline bool ts_semaphore_post(const struct ts_port *port, ts_cycle now)
{
    struct ts_semaphore *self = port->out;
    if (__builtin_expect(self == NULL, 0))
        return ts_semaphore_refuse(port, now, "post to");
    ts_semaphore_open_cycle(self, now);
    if (self->room == 0)
        return false;
    self->room--;
    self->level++;
    self->posts++;
    if (self->level > self->peak)
        self->peak = self->level;
    if (self->object.waiters)
        ts_wake_all(&self->object, now + 1);
    ts_trace_count(&self->object, now, self->level);
    return true;
}

// To be returned by a step: asleep until a token may be there, or until there may be room.
TS_SLOW_PATH ts_step ts_semaphore_await_token(const struct ts_port *port, ts_cycle now);
TS_SLOW_PATH ts_step ts_semaphore_await_room(const struct ts_port *port, ts_cycle now);
