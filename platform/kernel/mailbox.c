#include "platform/kernel/mailbox.h"

#include "platform/kernel/internal.h"

void ts_mailbox_init(struct ts_mailbox *self, struct ts_domain *domain, uint32_t depth,
                     ts_cycle latency, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    ts_fifo_init_mailbox(&self->fifo, domain, depth, sizeof(struct ts_letter), latency, name, args);
    va_end(args);
}

bool ts_mailbox_send(const struct ts_port *port, ts_cycle now, uint32_t word)
{
    struct ts_letter letter = {.word = word, .sender = port->owner->index};
    return TS_FIFO_PUSH(port, now, letter);
}

bool ts_mailbox_receive(const struct ts_port *port, ts_cycle now, struct ts_letter *letter)
{
    return TS_FIFO_POP(port, now, *letter);
}

ts_step ts_mailbox_await_room(const struct ts_port *port, ts_cycle now)
{
    return ts_fifo_await_room(port, now);
}

ts_step ts_mailbox_await_letter(const struct ts_port *port, ts_cycle now)
{
    return ts_fifo_await_word(port, now);
}
