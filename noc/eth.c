// The Ethernet end of a tile: registers, and the component (eth.h).
#include "noc/eth.h"

#include "platform/kernel/cluster.h"

#define STATUS_ONGOING (1u << 16)
#define CTRL_KEEPALIVE 1u
#define RX_PACKET_MODE 2u
#define RX_WRAP        4u

#define AT_HEADERS 0x8200u
// MAC and PCS: of their registers those that software of this tile uses.
#define PCS_STATUS      0x800cu // 1: the link is up
#define RX_ROUTING      0x8150u
#define RX_ADDR_ROUTING 0x8154u
#define MAC             0x10000u // of Wormhole: two words, whose lowest bits turn RX and TX on
static const uint32_t mac_off[2] = {0x30000000, 6};
// All frames of TX queue n go to RX queue n. RX_ADDR_ROUTING has an RX queue for data and for register writes to broadcast,
// multicast and other MAC addresses, two bits each: the vendor's set-up gives queue 1 a multicast address and says this.
#define MULTICAST_TO_1 0x50u

enum ts_eth_offset {
#define TS_ETH_REGISTER(name, offset, ...) name = offset,
#include "config/eth_registers.def"
};
enum ts_eth_machines { // that have it
#define TS_ETH_REGISTER(name, offset, blackhole, wormhole) \
    ON_##name = (blackhole) | (wormhole) << 1,
#include "config/eth_registers.def"
};

// Where a register's word is; `writable`: software may set it.
struct place {
    uint16_t offset, at;
    uint8_t machines;
    bool writable;
};

#define TX(offset, member, writable)                                      \
    {                                                                     \
        offset, offsetof(struct ts_eth_tx, member), ON_##offset, writable \
    }
static const struct place tx_places[] = {
    TX(TXQ_CTRL, ctrl, true),
    TX(TXQ_MAX_PKT, max_packet, true),
    TX(TXQ_START_ADDR, start, true),
    TX(TXQ_SIZE, size, true),
    TX(TXQ_DEST_ADDR, to, true),
    TX(TXQ_REG_DATA, data, true),
    TX(TXQ_REMOTE_TIMEOUT, resend_after, true),
    TX(TXQ_LOCAL_TIMEOUT, acknowledge_after, true),
    TX(TXQ_ACCEPT_AHEAD, accept_ahead, true),
    TX(TXQ_SEL_SW, select_sw, true),
    TX(TXQ_SEL_HW, select_hw, true),
    TX(TXQ_SEL_OVL, select_ovl, true),
    TX(TXQ_DEST_HI, header[0], true),
    TX(TXQ_DEST_LO, header[1], true),
    TX(TXQ_SRC_HI, header[2], true),
    TX(TXQ_SRC_LO, header[3], true),
    TX(TXQ_TYPE, header[4], true),
    TX(TXQ_TRANSFER_CNT, transfers, false),
    TX(TXQ_PKT_START_CNT, packets_begun, false),
    TX(TXQ_PKT_END_CNT, packets_ended, false),
    TX(TXQ_WORD_CNT, words, false),
};

#define RX(offset, member, writable)                                      \
    {                                                                     \
        offset, offsetof(struct ts_eth_rx, member), ON_##offset, writable \
    }
static const struct place rx_places[] = {
    RX(RXQ_CTRL, ctrl, true),
    RX(RXQ_BUF_PTR, pointer, true),
    RX(RXQ_BUF_START, buffer, true),
    RX(RXQ_BUF_SIZE, size, true),
    RX(RXQ_HDR_CTRL, strip, true),
    RX(RXQ_BYTE_CNT, bytes, false),
    RX(RXQ_WORD_CNT, words, false),
    RX(RXQ_PKT_START_CNT, packets_begun, false),
    RX(RXQ_PKT_END_CNT, packets_ended, false),
    RX(RXQ_LOCAL_SEQ, expects, false),
    RX(RXQ_REMOTE_SEQ, other_expects, false),
    RX(RXQ_DROP_CNT, drops, false),
};

// Its rule: the command's register says whether a queue has not taken the command, not a status.
static bool polls_command(const struct ts_eth *self)
{
    return ts_machine_has(self->machine, TS_RULE_eth_polls_command);
}

static bool is_mac(const struct ts_eth *self, uint32_t offset)
{
    return offset - MAC < sizeof mac_off && ts_machine_has(self->machine, TS_RULE_eth_fills_iram);
}

static bool receives(const struct ts_eth *self, uint32_t offset)
{
    return offset >= self->machine->eth_receive && offset < 2u * self->machine->eth_receive;
}

// The word of a register; NULL: it has none, or may not be written.
static uint32_t *word_of(struct ts_eth *self, uint32_t offset, bool write)
{
    if (offset >= AT_HEADERS && offset < AT_HEADERS + sizeof self->headers)
        return &self->headers[(offset - AT_HEADERS) / 0x80][offset % 0x80 / 4];
    const uint32_t receive = self->machine->eth_receive, queue = offset % receive >> 12;
    const bool rx = offset >= receive;
    if (offset >= 2 * receive || queue >= self->machine->eth_queues)
        return NULL;
    const struct place *places = rx ? rx_places : tx_places;
    size_t count = rx ? sizeof rx_places / sizeof *rx_places : sizeof tx_places / sizeof *tx_places;
    char *base = rx ? (char *)&self->rx[queue] : (char *)&self->tx[queue];
    for (size_t i = 0; i < count; i++)
        if (places[i].offset == (offset & 0xfff) && (places[i].writable || !write) &&
            places[i].machines >> (self->machine - ts_machines) & 1)
            return (uint32_t *)(void *)(base + places[i].at);
    return NULL;
}

static enum ts_code no_register(const struct ts_eth *self, const char *verb, uint32_t address,
                                struct ts_error *error)
{
    return ts_fail(error, TS_NOT_IMPLEMENTED,
                   "eth %u: %s 0x%08x: this register of the Ethernet tile is not modelled",
                   self->channel, verb, address);
}

enum ts_code ts_eth_load(struct ts_eth *self, uint32_t address, uint32_t *value,
                         struct ts_error *error)
{
    uint32_t offset = (address - TS_ETH_BASE) & ~3u, queue = offset >> 12;
    const uint32_t *word = word_of(self, offset, false);
    const bool receive = receives(self, offset), polls = polls_command(self);
    if (word)
        *value = receive && (offset & 0xfc0) == RXQ_LOCAL_SEQ && (offset & 0xfff) <= RXQ_REMOTE_SEQ
                     ? *word & 0xff
                     : *word;
    else if (queue < self->machine->eth_queues && (offset & 0xfff) == TXQ_CMD)
        *value = polls && self->tx[queue].ongoing;
    else if (queue < self->machine->eth_queues && (offset & 0xfff) == TXQ_STATUS && !polls)
        *value = self->tx[queue].ongoing ? STATUS_ONGOING : 0;
    else if (receive && offset % self->machine->eth_receive >> 12 < self->machine->eth_queues &&
             (offset & 0xfff) == RXQ_OUTSTANDING)
        *value = 0;
    else if (is_mac(self, offset))
        *value = mac_off[offset / 4 % 2] | !(self->off >> offset / 4 % 2 & 1);
    else if (offset == PCS_STATUS)
        *value = self->other != NULL && self->up;
    else if (offset == RX_ROUTING || offset == RX_ADDR_ROUTING)
        *value = offset == RX_ROUTING ? 0 : self->address_routing;
    else
        return no_register(self, "load from", address, error);
    return TS_OK;
}

// --- commands ---

static enum ts_code check(const struct ts_eth *self, uint32_t queue, const struct ts_eth_part *part,
                          struct ts_error *error)
{
    const struct ts_eth_tx *tx = &self->tx[queue];
    const uint32_t l1_size = self->machine->eth_l1_bytes;
#define REFUSE(...) return ts_fail(error, TS_CONTRACT, __VA_ARGS__)
    if (tx->ongoing)
        REFUSE("eth %u: a command for TX queue %u, which has not taken the one before it: poll "
               "ETH_TXQ_%s",
               self->channel, queue, polls_command(self) ? "CMD" : "STATUS");
    if (tx->accept_ahead == 0 || tx->accept_ahead > TS_ETH_AHEAD_MAX)
        REFUSE("eth %u: TX queue %u would take %u commands ahead: 1 to %u", self->channel, queue,
               tx->accept_ahead, TS_ETH_AHEAD_MAX);
    if (part->kind == TS_ETH_REGISTER) {
        if (queue >= self->machine->eth_numbered)
            REFUSE("eth %u: TX queue %u cannot write registers of the other end", self->channel,
                   queue);
        if (part->to % 4 || part->to < l1_size)
            REFUSE("eth %u: 0x%x is not a register of the other end", self->channel, part->to);
        return TS_OK;
    }
    if (part->length == 0 || part->source >= l1_size || part->length > l1_size - part->source)
        REFUSE("eth %u: a transfer of %u bytes from 0x%x: L1 ends at 0x%x", self->channel,
               part->length, part->source, l1_size);
    if (tx->max_packet < 64)
        REFUSE("eth %u: packets of at most %u bytes: 64 at least", self->channel, tx->max_packet);
    if (part->kind == TS_ETH_RAW)
        return part->header < TS_ETH_HEADERS
                   ? TS_OK
                   : ts_fail(error, TS_CONTRACT, "eth %u: the header table has no entry %u",
                             self->channel, part->header);
    if (part->source % 16 || part->length % 16 || part->to % 16)
        REFUSE("eth %u: a transfer of %u bytes from 0x%x to 0x%x: all must be multiples of 16",
               self->channel, part->length, part->source, part->to);
    if (part->to >= l1_size || part->length > l1_size - part->to)
        REFUSE("eth %u: a transfer of %u bytes to 0x%x: the other end's L1 ends at 0x%x",
               self->channel, part->length, part->to, l1_size);
#undef REFUSE
    return TS_OK;
}

static enum ts_code command(struct ts_eth *self, uint32_t queue, uint32_t value, unsigned core,
                            uint32_t pc, ts_cycle now, struct ts_error *error)
{
    struct ts_eth_tx *tx = &self->tx[queue];
    struct ts_eth_part part = {.source = tx->start, .to = tx->to, .length = tx->size};
    switch (value) {
    case 1:
        part.kind = TS_ETH_RAW;
        part.header = tx->select_sw & 15;
        break;
    case 2:
        part.kind = TS_ETH_DATA;
        break;
    case 4:
        part.kind = TS_ETH_REGISTER;
        part.length = 0;
        part.data = tx->data;
        break;
    default:
        return ts_fail(error, TS_NOT_IMPLEMENTED,
                       "eth %u: ETH_TXQ_CMD %u: 1 (raw), 2 (L1 write) and 4 (register write) are "
                       "modelled",
                       self->channel, value);
    }
    if (check(self, queue, &part, error) != TS_OK)
        return error->code;
    if (__builtin_expect(self->check != NULL, 0))
        part.trip = ts_check_command(self->check, core, pc, queue, part.length, now);
    tx->ongoing = true;
    tx->command = part;
    tx->command_at = now + (ts_cycle)(part.kind == TS_ETH_REGISTER ? self->params->command_register
                                                                   : self->params->command);
    ts_wake(&self->base, tx->command_at);
    if (self->status.waiters)
        ts_wake_all(&self->status, now + 1);
    return TS_OK;
}

enum ts_code ts_eth_store(struct ts_eth *self, uint32_t address, uint32_t value, unsigned core,
                          uint32_t pc, ts_cycle now, struct ts_error *error)
{
    uint32_t offset = address - TS_ETH_BASE, queue = offset >> 12;
    if (queue < self->machine->eth_queues && (offset & 0xfff) == TXQ_CMD)
        return command(self, queue, value, core, pc, now, error);
    uint32_t *word = word_of(self, offset, true);
    if (offset == RX_ROUTING && value == 0)
        return TS_OK;
    if (offset == RX_ADDR_ROUTING && (value == 0 || value == MULTICAST_TO_1)) {
        self->address_routing = value;
        return TS_OK;
    }
    if (is_mac(self, offset) && (value & ~1u) == mac_off[offset / 4 % 2]) {
        const unsigned bit = 1u << offset / 4 % 2;
        self->off = (uint8_t)(value & 1 ? self->off & ~bit : self->off | bit);
        return TS_OK;
    }
    if (word == NULL)
        return no_register(self, "store to", address, error);
    bool mode = receives(self, offset) && (offset & 0xfff) == RXQ_CTRL;
    *word = mode ? value & (RX_PACKET_MODE | RX_WRAP) : value;
    if (self->status.waiters)
        ts_wake_all(&self->status, now + 1);
    return TS_OK;
}

// A raw command is ongoing until its source has been read; the other end's number says what has arrived there.
void ts_eth_loaded(struct ts_eth *self, uint32_t address, unsigned core, ts_cycle now)
{
    const uint32_t receive = self->machine->eth_receive, offset = (address - TS_ETH_BASE) & ~3u,
                   queue = offset % receive >> 12, at = offset & 0xfff;
    if (offset >= 2 * receive || queue >= self->machine->eth_queues)
        return;
    const struct ts_eth_tx *tx = &self->tx[queue];
    if (offset < receive && at == (polls_command(self) ? TXQ_CMD : TXQ_STATUS) && !tx->ongoing &&
        tx->command.kind == TS_ETH_RAW)
        ts_check_eth_through(self->check, core, queue, TS_ETH_PHASE_SENT, now);
    if (offset < receive)
        return;
    if (at == RXQ_REMOTE_SEQ && !tx->ongoing && tx->count == 0 && tx->oldest == tx->next)
        ts_check_eth_through(self->check, core, queue, TS_ETH_PHASE_LANDED, now);
    if (at != RXQ_REMOTE_SEQ)
        ts_check_eth_seen(self->check, core, queue, now);
}

// --- the component ---

static ts_step step(struct ts_component *base, ts_cycle now)
{
    struct ts_eth *self = (struct ts_eth *)base;
    self->changed = self->stuck = false;
    ts_cycle when = ts_eth_receive(self, now);
    ts_cycle next = ts_eth_send(self, now);
    when = next < when ? next : when;
    if (self->changed && self->status.waiters)
        ts_wake_all(&self->status, now + 1);
    if (self->stuck)
        ts_alert(base, now, TS_STALL_EVENT, &self->wire);
    else
        ts_idle(base, now);
    if (when != TS_NEVER)
        ts_wake(base, when > now ? when : now + 1);
    return 0;
}

static const struct ts_counter counters[] = {
    {"sent", "frames", "frames that left", offsetof(struct ts_eth, sent)},
    {"received", "frames", "frames that arrived", offsetof(struct ts_eth, received)},
    {"lost", "frames", "frames that were under way when the link went down",
     offsetof(struct ts_eth, lost)},
    {"resent", "packets", "packets that were sent again", offsetof(struct ts_eth, resent)},
    {"bytes_out", "bytes", "payload that left", offsetof(struct ts_eth, bytes_out)},
    {"bytes_in", "bytes", "payload that arrived", offsetof(struct ts_eth, bytes_in)},
    {0},
};
static const struct ts_component_ops ops = {.kind = "eth", .step = step, .counters = counters};

static struct ts_component *holder(const struct ts_object *status)
{
    return &((struct ts_eth *)((char *)status - offsetof(struct ts_eth, status)))->base;
}

static uint64_t busy(const struct ts_object *frames, ts_cycle span)
{
    const struct ts_eth *self = (const struct ts_eth *)((const char *)frames -
                                                        offsetof(struct ts_eth, frames.object));
    uint64_t past = self->free > span << 16 ? self->free - (span << 16) : 0;
    return (self->busy - (past < self->busy ? past : self->busy)) >> 16;
}

void ts_eth_init(struct ts_eth *self, struct ts_domain *domain, const struct ts_machine *machine,
                 const struct ts_eth_params *params, uint32_t clock_mhz,
                 const struct ts_noc_memory *memory, void *context, uint32_t chip, uint32_t channel)
{
    self->machine = machine;
    self->params = params;
    self->clock_mhz = clock_mhz;
    self->memory = memory;
    self->context = context;
    self->chip = chip;
    self->channel = channel;
    for (uint32_t i = 0; i < TS_ETH_QUEUES; i++) {
        bool numbered = i < machine->eth_numbered; // as firmware leaves them
        self->tx[i].ctrl = numbered ? CTRL_KEEPALIVE : 0;
        self->tx[i].max_packet = (uint32_t)params->packet;
        self->tx[i].accept_ahead = (uint32_t)params->accept_ahead;
        self->tx[i].resend_after = (uint32_t)params->resend;
        self->tx[i].acknowledge_after = (uint32_t)params->acknowledge;
        self->rx[i].ctrl = numbered ? RX_PACKET_MODE : 0;
        self->rx[i].strip = TS_ETH_HEADER;
    }
    uint32_t entries = 64;
    while ((int64_t)entries < 2 * params->latency + params->write + 64)
        entries *= 2;
    self->arriving = ts_kernel_alloc(ts_domain_kernel(domain), entries * sizeof *self->arriving);
    self->arriving_mask = entries - 1;
    ts_component_init(&self->base, &ops, domain, "eth");
    ts_resource_init(&self->status, domain, holder, "eth.status");
    ts_resource_init(&self->wire, domain, NULL, "eth.link");
}

// --- frames that go to another process ---

static void pack(const void *word, struct ts_bytes *to)
{
    const struct ts_noc_packet *body = ((const struct ts_eth_frame *)word)->body;
    if (body == NULL)
        return;
    memcpy(ts_bytes_more(to, sizeof body->length), &body->length, sizeof body->length);
    if (body->length) // without: only what the checks know travels
        memcpy(ts_bytes_more(to, body->length), body->bytes, body->length);
    if (body->trip)
        ts_check_trip_pack(body->trip, to);
}

static void drop(void *word)
{
    struct ts_eth_frame *frame = word;
    if (frame->body)
        ts_noc_packet_release(frame->body);
}

static bool take(struct ts_component *reader, void *word, const void *bytes, uint32_t length)
{
    struct ts_eth_frame *frame = word;
    const unsigned char *from = bytes;
    uint32_t size;
    if (frame->body == NULL || length < sizeof size)
        return frame->body == NULL && length == 0;
    memcpy(&size, from, sizeof size);
    from += sizeof size;
    length -= (uint32_t)sizeof size;
    frame->body = size <= length ? ts_noc_packet_new(&((struct ts_eth *)reader)->pool, size) : NULL;
    if (frame->body == NULL)
        return false;
    if (size)
        memcpy(frame->body->bytes, from, size);
    if (length > size)
        frame->body->trip = ts_check_trip_unpack(from + size, length - size);
    return length == size || frame->body->trip != NULL;
}

static const struct ts_parcel parcel = {pack, drop, take};

static void connect(struct ts_eth *self, struct ts_eth *other)
{
    self->other = other;
    self->up = true;
    ts_fifo_init(&self->frames, self->base.domain, self->arriving_mask + 1,
                 sizeof(struct ts_eth_frame), (ts_cycle)self->params->latency, "link");
    self->frames.object.busy = busy;
    ts_fifo_parcel(&self->frames, &parcel);
    ts_port_init(&self->out, &self->base, TS_OBJECT_FIFO, TS_OUT, "out");
    ts_port_init(&other->in, &other->base, TS_OBJECT_FIFO, TS_IN, "in");
    ts_bind(&self->out, &self->frames.object);
    ts_bind(&other->in, &self->frames.object);
    // What comes may make a core send over the NoC: it reaches no further than a core.
    if (self->base.domain->reach)
        ts_component_reach(&self->base, self->base.domain->reach);
    // What comes is seen by the rest of the tile no earlier than it is written.
    if (self->base.domain->inlet > (uint32_t)self->params->write)
        ts_domain_inlet(self->base.domain, (ts_cycle)self->params->write);
}

void ts_eth_connect(struct ts_eth *a, struct ts_eth *b)
{
    connect(a, b);
    connect(b, a);
}

void ts_eth_train(struct ts_eth *self, bool up, ts_cycle now)
{
    if (self->up == up || self->other == NULL)
        return;
    self->up = up;
    self->trained++;
    ts_wake(&self->base, now + 1);
}

void ts_eth_free(struct ts_eth *self)
{
    for (uint32_t q = 0; self->check && q < TS_ETH_QUEUES; q++) {
        struct ts_eth_tx *tx = &self->tx[q];
        if (tx->ongoing && tx->command_at != TS_NEVER)
            ts_check_trip_drop(tx->command.trip);
        for (; tx->count; tx->count--)
            ts_check_trip_drop(tx->ahead[tx->first++ % TS_ETH_AHEAD_MAX].trip);
        for (; tx->oldest != tx->next; tx->oldest++)
            ts_check_trip_drop(tx->kept[tx->oldest % TS_ETH_UNACKED].trip);
    }
    ts_noc_pool_free(&self->pool);
}

// --- for explanations and checks ---

void ts_eth_text(const struct ts_eth *self, char *text, size_t size)
{
    const struct ts_eth *other = self->other;
    if (other == NULL) {
        snprintf(text, size, "chip %u eth %u has no cable%s", self->chip, self->channel,
                 self->stuck ? ": what it is to send waits for ever" : "");
        return;
    }
    int used = snprintf(text, size, "chip %u eth %u ", self->chip, self->channel);
    snprintf(text + used, size - (size_t)used,
             self->stuck ? "waits for its link to chip %u eth %u, which is %s; %llu frames came, "
                           "%llu left"
                         : "waits for a packet from chip %u eth %u: the link is %s, %llu frames "
                           "came of %llu sent",
             other->chip, other->channel, self->up ? "up" : "down",
             (unsigned long long)self->received,
             (unsigned long long)(self->stuck ? self->sent : other->sent));
}

enum ts_code ts_eth_audit(const struct ts_eth *self, struct ts_error *error)
{
    const struct ts_eth *other = self->other;
    if (other && other->sent != self->received + self->lost)
        return ts_fail(error, TS_BUG,
                       "chip %u eth %u sent %llu frames; %llu came to chip %u eth %u, %llu were "
                       "lost",
                       other->chip, other->channel, (unsigned long long)other->sent,
                       (unsigned long long)self->received, self->chip, self->channel,
                       (unsigned long long)self->lost);
    return TS_OK;
}
