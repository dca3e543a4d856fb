// A mailbox: a few 32-bit words from any sender of the domain to one receiver, each with its
// sender.
#pragma once

#include "platform/kernel/fifo.h"

struct ts_letter {
    uint32_t word;
    uint32_t sender; // index of the component in its domain
};

struct ts_mailbox {
    struct ts_fifo fifo; // first member: the object is the mailbox's
};

void ts_mailbox_init(struct ts_mailbox *self, struct ts_domain *domain, uint32_t depth,
                     ts_cycle latency, const char *name, ...) __attribute__((format(printf, 5, 6)));

// Sends a word; false if the mailbox is full in this cycle.
bool ts_mailbox_send(const struct ts_port *port, ts_cycle now, uint32_t word);
// Receives a word; false if none is there in this cycle.
bool ts_mailbox_receive(const struct ts_port *port, ts_cycle now, struct ts_letter *letter);
// To be returned by a step: asleep until there may be room, or until a word is there.
ts_step ts_mailbox_await_room(const struct ts_port *port, ts_cycle now);
ts_step ts_mailbox_await_letter(const struct ts_port *port, ts_cycle now);
