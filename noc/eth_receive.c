// The Ethernet end of a tile: from frames to memory (eth.h).
#include "noc/eth.h"

#define RX_PACKET_MODE 2u
#define RX_WRAP        4u

// A check hears of what a frame writes.
static void observe(struct ts_eth *self, const struct ts_noc_packet *body, uint32_t address,
                    uint32_t length, bool last)
{
    if (__builtin_expect(self->check != NULL, 0) && body)
        ts_check_eth(self->check, body->trip, TS_ETH_PHASE_LANDED, address, length, last);
}

// Appends a raw frame to the buffer of its queue.
static const char *append(struct ts_eth *self, struct ts_eth_rx *rx,
                          const struct ts_noc_packet *body, ts_cycle now)
{
    uint32_t from = rx->strip < body->length ? rx->strip : body->length;
    uint32_t room = rx->size << 4, left = body->length - from;
    const char *why = NULL;
    if (rx->pointer >= room && !(rx->ctrl & RX_WRAP)) {
        rx->drops++;
        return NULL;
    }
    while (left && room && !why) {
        if (rx->pointer >= room) {
            if (!(rx->ctrl & RX_WRAP))
                break;
            rx->pointer = 0;
        }
        uint32_t part = room - rx->pointer < left ? room - rx->pointer : left;
        why = self->memory->write(self->context, (rx->buffer << 4) + rx->pointer,
                                  body->bytes + from, part, now);
        observe(self, body, (rx->buffer << 4) + rx->pointer, part, false);
        from += part;
        left -= part;
        rx->pointer += part;
        rx->bytes += part;
    }
    if (rx->pointer == room && rx->ctrl & RX_WRAP)
        rx->pointer = 0;
    return why;
}

// A numbered packet: the next one is taken, others are dropped.
static const char *accept(struct ts_eth *self, struct ts_eth_rx *rx,
                          const struct ts_eth_frame *frame, ts_cycle now)
{
    ts_eth_acknowledged(self, frame->queue, frame->next, now);
    if (frame->kind == TS_ETH_NUMBERS)
        return NULL;
    if (frame->number != (uint8_t)rx->expects) {
        rx->drops++;
        rx->acknowledged = rx->expects - 1; // the other end has missed what was said
        rx->news = now;
        return NULL;
    }
    if (rx->expects == rx->acknowledged)
        rx->news = now;
    rx->expects++;
    const bool sets = frame->kind == TS_ETH_REGISTER;
    const uint32_t length = sets ? 4 : frame->body->length;
    const char *why = self->memory->write(self->context, frame->to,
                                          sets ? (const void *)&frame->data : frame->body->bytes,
                                          length, now);
    rx->bytes += sets ? 0 : length;
    observe(self, frame->body, frame->to, length, frame->last);
    return why;
}

static void deliver(struct ts_eth *self, const struct ts_eth_frame *frame, ts_cycle now)
{
    struct ts_eth_rx *rx = &self->rx[frame->queue];
    const struct ts_eth *other = self->other;
    bool raw = frame->kind == TS_ETH_RAW;
    uint32_t length = frame->body ? frame->body->length : 0;
    const char *why = NULL;
    rx->packets_begun++;
    rx->packets_ended++;
    const uint32_t word = self->machine->eth_word,
                   bytes = length + (raw ? 0 : (uint32_t)self->params->link_header);
    rx->words += (bytes + word - 1) / word;
    self->received++;
    self->bytes_in += length;
    self->changed = true;
    if (raw == ((rx->ctrl & RX_PACKET_MODE) != 0))
        why = raw ? "the RX queue takes packets with acknowledgement only"
                  : "the RX queue is in raw mode";
    else
        why = raw ? append(self, rx, frame->body, now) : accept(self, rx, frame, now);
    if (why)
        ts_fault(&self->base, now, TS_CONTRACT, "a frame of chip %u eth %u, queue %u, to 0x%x: %s",
                 other->chip, other->channel, frame->queue, frame->to, why);
    if (frame->body)
        ts_noc_packet_release(frame->body);
}

ts_cycle ts_eth_receive(struct ts_eth *self, ts_cycle now)
{
    if (self->other == NULL)
        return TS_NEVER;
    struct ts_eth_frame frame;
    while (TS_FIFO_POP(&self->in, now, frame)) {
        if (frame.trained != self->trained || !self->up) {
            self->lost++;
            if (frame.body)
                ts_noc_packet_release(frame.body);
            continue;
        }
        self->arriving[(self->arriving_first + self->arriving_count++) & self->arriving_mask] =
            (struct ts_eth_buffer){.frame = frame,
                                   .ready = frame.tail + (ts_cycle)self->params->write};
    }
    while (self->arriving_count) {
        const struct ts_eth_buffer *first =
            &self->arriving[self->arriving_first & self->arriving_mask];
        if (first->ready > now)
            return first->ready;
        deliver(self, &first->frame, now);
        self->arriving_first++;
        self->arriving_count--;
    }
    return TS_NEVER;
}
