// A mutex with an owner. Released in a cycle, it can be taken from the next one on; the lower index
// wins.
#pragma once

#include "platform/kernel/domain.h"
#include "platform/kernel/port.h"

struct ts_mutex {
    struct ts_object object;
    struct ts_component *owner; // NULL: free
    ts_cycle free_from;         // first cycle in which the mutex can be taken again
    uint64_t locks;             // counter
};

void ts_mutex_init(struct ts_mutex *self, struct ts_domain *domain, const char *name, ...)
    __attribute__((format(printf, 3, 4)));

// Takes the mutex for the port's owner; false if another holds it. Taking it twice is a fault.
bool ts_mutex_lock(const struct ts_port *port, ts_cycle now);
// Releases the mutex; a release by any component but the owner is a fault.
void ts_mutex_unlock(const struct ts_port *port, ts_cycle now);
// To be returned by a step: asleep until the mutex may be free.
ts_step ts_mutex_await(const struct ts_port *port, ts_cycle now);
