// The Ethernet end of a tile: from commands to frames (eth.h).
#include "noc/eth.h"

static ts_cycle earlier(ts_cycle a, ts_cycle b)
{
    return a < b ? a : b;
}

// A frame's bytes on the wire.
static uint32_t wire_bytes(const struct ts_eth_params *params, uint32_t kind, uint32_t length)
{
    uint32_t body = length + (kind == TS_ETH_RAW ? 0 : (uint32_t)params->link_header);
    uint32_t least = (uint32_t)params->least_frame - (TS_ETH_HEADER + 4);
    return (uint32_t)params->overhead + (body > least ? body : least);
}

// 2^-16 cycles that the link needs for so many bytes.
static uint64_t wire_time(const struct ts_eth *self, uint32_t bytes)
{
    return (uint64_t)bytes * 8 * self->clock_mhz * 65536 / (uint64_t)self->params->rate;
}

// Takes the command that software has given, if there is room.
static ts_cycle take(struct ts_eth *self, struct ts_eth_tx *tx, ts_cycle now)
{
    if (!tx->ongoing || tx->command_at == TS_NEVER)
        return TS_NEVER;
    if (tx->command_at > now)
        return tx->command_at;
    if (tx->count >= tx->accept_ahead)
        return TS_NEVER;
    tx->ahead[(tx->first + tx->count++) % TS_ETH_AHEAD_MAX] = tx->command;
    tx->transfers++;
    tx->command_at = TS_NEVER; // a raw one is ongoing until it is read
    tx->ongoing = tx->command.kind == TS_ETH_RAW;
    self->changed = true;
    return TS_NEVER;
}

// When the queue says, without other packets, what has arrived: the next of its periods.
static ts_cycle says_at(const struct ts_eth_tx *tx, const struct ts_eth_rx *rx)
{
    if (rx->expects == rx->acknowledged || !(tx->ctrl & 1) || tx->acknowledge_after == 0)
        return TS_NEVER;
    ts_cycle period = tx->acknowledge_after,
             after = rx->news > tx->spoke ? rx->news - tx->spoke : 0;
    return tx->spoke + (after / period + 1) * period;
}

static bool unacknowledged(const struct ts_eth_tx *tx)
{
    return tx->oldest != tx->next;
}

// Packets that were sent and not acknowledged in time are sent again. When that is.
static ts_cycle repeat(struct ts_eth *self, struct ts_eth_tx *tx, ts_cycle now)
{
    if (!unacknowledged(tx) || tx->again != tx->next)
        return TS_NEVER;
    ts_cycle due = tx->sent_at + tx->resend_after;
    if (due > now)
        return due;
    self->resent += tx->next - tx->oldest;
    tx->again = tx->oldest;
    tx->sent_at = now; // until the first of them leaves
    return TS_NEVER;
}

// The next packet of a queue, with a hold of its trip; false: it has none. `number`: of a numbered one.
static bool cut(struct ts_eth *self, uint32_t queue, struct ts_eth_part *part, uint32_t *number,
                bool *again, ts_cycle now)
{
    struct ts_eth_tx *tx = &self->tx[queue];
    *again = tx->again != tx->next;
    if (*again) {
        *number = tx->again++;
        *part = tx->kept[*number % TS_ETH_UNACKED];
        ts_check_trip_hold(part->trip);
        return true;
    }
    struct ts_eth_part *command = &tx->ahead[tx->first % TS_ETH_AHEAD_MAX];
    bool numbered = tx->count && command->kind != TS_ETH_RAW;
    if (tx->count == 0 ||
        (numbered && tx->next - tx->oldest >= (uint32_t)self->params->unacknowledged)) {
        *part = (struct ts_eth_part){.kind = TS_ETH_NUMBERS};
        return says_at(tx, &self->rx[queue]) <= now;
    }
    uint32_t most = numbered ? tx->max_packet & ~15u : tx->max_packet;
    *part = *command;
    part->length = command->length < most ? command->length : most;
    command->source += part->length;
    command->to += part->length;
    command->length -= part->length;
    part->last = command->length == 0;
    if (numbered) {
        *number = tx->next++;
        tx->again = tx->next;
        tx->kept[*number % TS_ETH_UNACKED] = *part;
        ts_check_trip_hold(part->trip);
    }
    if (part->last) { // with the command's own hold
        tx->first++;
        tx->count--;
    } else {
        ts_check_trip_hold(part->trip);
    }
    return true;
}

// Begins to read a packet out of L1.
static bool begin(struct ts_eth *self, uint32_t queue, ts_cycle now)
{
    struct ts_eth_part part;
    uint32_t number = 0;
    bool again;
    if (!cut(self, queue, &part, &number, &again, now))
        return false;
    struct ts_eth_buffer *buffer =
        &self->out_buffer[(self->out_first + self->out_count++) % TS_ETH_BUFFERS];
    *buffer = (struct ts_eth_buffer){
        .frame = {.to = part.to,
                  .data = part.data,
                  .kind = part.kind,
                  .queue = (uint8_t)queue,
                  .number = (uint8_t)number,
                  .last = part.last},
        .ready = now,
        .source = UINT32_MAX,
        .bytes = wire_bytes(self->params, part.kind, part.length),
        .again = again,
    };
    uint32_t head = part.kind == TS_ETH_RAW ? TS_ETH_HEADER : 0;
    if (part.length || part.trip) {
        buffer->frame.body = ts_noc_packet_new(&self->pool, part.length + head);
        if (buffer->frame.body == NULL) {
            ts_check_trip_drop(part.trip);
            ts_fault(&self->base, now, TS_NO_MEMORY, "no memory for a packet");
            return false;
        }
        buffer->frame.body->trip = part.trip;
    }
    if (part.length) {
        uint32_t width = 16 * (uint32_t)self->params->read_width;
        ts_cycle from = self->reading > now ? self->reading : now;
        self->reading = from + (part.length + width - 1) / width;
        buffer->ready = self->reading + (ts_cycle)self->params->read_latency;
        buffer->source = part.source;
        if (head) { // addresses and type, in the order of the wire
            const uint8_t *entry = (const uint8_t *)self->headers[part.header];
            for (unsigned i = 0; i < 6; i++) {
                buffer->frame.body->bytes[i] = entry[0x18 + 5 - i];
                buffer->frame.body->bytes[6 + i] = entry[0x10 + 5 - i];
            }
            uint32_t type = entry[0x20] ? entry[0x22] | (uint32_t)entry[0x23] << 8 : part.length;
            buffer->frame.body->bytes[12] = (uint8_t)(type >> 8);
            buffer->frame.body->bytes[13] = (uint8_t)type;
        }
    }
    self->turn = (queue + 1) % TS_ETH_QUEUES;
    return true;
}

// The bytes of a packet are there.
static void fetch(struct ts_eth *self, struct ts_eth_buffer *buffer, ts_cycle now)
{
    struct ts_noc_packet *body = buffer->frame.body;
    uint32_t head = buffer->frame.kind == TS_ETH_RAW ? TS_ETH_HEADER : 0;
    if (__builtin_expect(self->check != NULL, 0) && !buffer->again)
        ts_check_eth(self->check, body->trip, TS_ETH_PHASE_SENT, buffer->source,
                     body->length - head, false);
    const char *why = self->memory->read(self->context, buffer->source, body->bytes + head,
                                         body->length - head, now);
    buffer->source = UINT32_MAX;
    if (why)
        ts_fault(&self->base, now, TS_CONTRACT, "%s", why);
    if (head && buffer->frame.last) {
        self->tx[buffer->frame.queue].ongoing = false;
        self->changed = true;
    }
}

// Sends the first packet that was read, when the link is free. When to look again.
static ts_cycle leave(struct ts_eth *self, ts_cycle now)
{
    struct ts_eth_buffer *buffer = &self->out_buffer[self->out_first % TS_ETH_BUFFERS];
    if (self->out_count == 0)
        return TS_NEVER;
    uint64_t start = buffer->ready << 16 > self->free ? buffer->ready << 16 : self->free;
    if (start > now << 16)
        return (ts_cycle)((start + 65535) >> 16);
    if (!self->up || !ts_fifo_writable(&self->out, now)) {
        self->stuck = !self->up;
        return TS_NEVER;
    }
    if (now - (start >> 16) > 1) // it waited for the link to come up
        start = now << 16;
    struct ts_eth_tx *tx = &self->tx[buffer->frame.queue];
    struct ts_eth_rx *rx = &self->rx[buffer->frame.queue];
    uint64_t time = wire_time(self, buffer->bytes);
    self->free = start + time;
    self->busy += time;
    if (buffer->frame.kind != TS_ETH_RAW) {
        buffer->frame.next = (uint8_t)rx->expects;
        rx->acknowledged = rx->expects;
        tx->spoke = now;
        if (buffer->frame.kind != TS_ETH_NUMBERS && buffer->frame.number == (uint8_t)tx->oldest)
            tx->sent_at = now;
    }
    buffer->frame.trained = self->trained;
    buffer->frame.tail = (ts_cycle)((self->free + 65535) >> 16) + (ts_cycle)self->params->latency;
    TS_FIFO_PUSH(&self->out, now, buffer->frame);
    ts_trace_busy(&self->frames.object, now, (time + 65535) >> 16);
    ts_busy_until(&self->base, (ts_cycle)((self->free + 65535) >> 16));
    self->sent++;
    self->bytes_out += buffer->frame.body ? buffer->frame.body->length : 0;
    tx->packets_begun++;
    tx->packets_ended++;
    tx->words += (buffer->bytes + self->machine->eth_word - 1) / self->machine->eth_word;
    self->out_first++;
    self->out_count--;
    self->changed = true;
    return now + 1;
}

ts_cycle ts_eth_send(struct ts_eth *self, ts_cycle now)
{
    ts_cycle when = TS_NEVER;
    for (uint32_t i = 0; i < self->out_count; i++) {
        struct ts_eth_buffer *buffer = &self->out_buffer[(self->out_first + i) % TS_ETH_BUFFERS];
        if (buffer->source != UINT32_MAX && buffer->ready <= now)
            fetch(self, buffer, now);
    }
    when = earlier(when, leave(self, now));
    for (uint32_t q = 0; q < TS_ETH_QUEUES; q++) {
        when = earlier(when, take(self, &self->tx[q], now));
        when = earlier(when, repeat(self, &self->tx[q], now));
    }
    for (uint32_t i = 0; i < TS_ETH_QUEUES && self->out_count < TS_ETH_BUFFERS; i++) {
        uint32_t from = self->turn;
        if (begin(self, (from + i) % TS_ETH_QUEUES, now)) {
            when = earlier(when, now + 1);
            break;
        }
    }
    for (uint32_t i = 0; i < self->out_count; i++) {
        const struct ts_eth_buffer *b = &self->out_buffer[(self->out_first + i) % TS_ETH_BUFFERS];
        if (b->source != UINT32_MAX)
            when = earlier(when, b->ready);
    }
    for (uint32_t q = 0; q < TS_ETH_QUEUES; q++) {
        const struct ts_eth_tx *tx = &self->tx[q];
        if (self->out_count < TS_ETH_BUFFERS)
            when = earlier(when, says_at(tx, &self->rx[q]));
        // A command that waits for room is taken when its turn comes: after what was cut now.
        if (tx->ongoing && tx->command_at <= now && tx->count < tx->accept_ahead)
            when = earlier(when, now + 1);
    }
    return when;
}

void ts_eth_acknowledged(struct ts_eth *self, uint32_t queue, uint8_t next, ts_cycle now)
{
    struct ts_eth_tx *tx = &self->tx[queue];
    self->rx[queue].other_expects = next;
    uint32_t count = (uint8_t)(next - (uint8_t)tx->oldest);
    if (count == 0 || count > tx->next - tx->oldest)
        return;
    for (uint32_t i = 0; __builtin_expect(self->check != NULL, 0) && i < count; i++)
        ts_check_trip_drop(tx->kept[(tx->oldest + i) % TS_ETH_UNACKED].trip);
    tx->oldest += count;
    tx->sent_at = now;
    if ((int32_t)(tx->again - tx->oldest) < 0)
        tx->again = tx->oldest;
}
