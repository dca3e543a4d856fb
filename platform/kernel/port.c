#include "platform/kernel/internal.h"

void ts_port_init(struct ts_port *self, struct ts_component *owner, enum ts_object_kind kind,
                  enum ts_direction direction, const char *name)
{
    *self = (struct ts_port){.name = name,
                             .owner = owner,
                             .kind = kind,
                             .direction = direction,
                             .next_of_owner = owner->ports};
    owner->ports = self;
}

void ts_bind(struct ts_port *self, struct ts_object *channel)
{
    struct ts_kernel *kernel = self->owner->domain->kernel;
    const char *path = ts_path(self->owner);
    if (self->channel) {
        ts_kernel_refuse(kernel, "%s: port '%s' is bound twice: to %s and to %s", path, self->name,
                         self->channel->path, channel->path);
        return;
    }
    if (channel->kind != self->kind) {
        ts_kernel_refuse(kernel, "%s: port '%s' takes a %s, but %s is a %s", path, self->name,
                         ts_object_kind_name(self->kind), channel->path,
                         ts_object_kind_name(channel->kind));
        return;
    }
    self->channel = channel;
    if (self->direction == TS_IN)
        self->in = channel;
    else
        self->out = channel;
    if (self->direction == TS_IN && self->kind == TS_OBJECT_FIFO) {
        self->next_input = self->owner->inputs;
        self->owner->inputs = self;
    }
    // Kept in the order of binding, which is then the order of wake-ups and reports.
    struct ts_port **end = &channel->ports;
    while (*end)
        end = &(*end)->next_of_channel;
    *end = self;
}

void ts_port_misuse(const struct ts_port *self, ts_cycle now, const char *verb)
{
    if (self->channel == NULL)
        ts_fault(self->owner, now, TS_BUG, "cannot %s anything through port '%s': it is not bound",
                 verb, self->name);
    else
        ts_fault(self->owner, now, TS_BUG,
                 "cannot %s %s through port '%s': the port is not bound to that end", verb,
                 self->channel->path, self->name);
}
