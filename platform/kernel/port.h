// Ports: a component's named ends of channels. Bound before elaboration, checked there.
#pragma once

#include "platform/kernel/component.h"

enum ts_direction {
    TS_IN,  // FIFO: pops
    TS_OUT, // FIFO: pushes
};

struct ts_port {
    const char *name;
    struct ts_component *owner;
    struct ts_port *next_of_owner;
    struct ts_port *next_of_channel;
    struct ts_port *next_input; // of the owner, among those that receive words
    struct ts_object *channel;  // NULL until bound
    enum ts_object_kind kind;
    enum ts_direction direction;
    // The channel, but only behind the end this port may use: a push through an IN port finds NULL
    // and is refused.
    void *in, *out;
};

// Declares a port; every declared port must be bound before elaboration.
void ts_port_init(struct ts_port *self, struct ts_component *owner, enum ts_object_kind kind,
                  enum ts_direction direction, const char *name);

// Binds a port to a channel (pass its first member `object`).
void ts_bind(struct ts_port *self, struct ts_object *channel);

// Refuses a call through the wrong port: a fault of the port's owner.
void ts_port_misuse(const struct ts_port *self, ts_cycle now, const char *verb);
