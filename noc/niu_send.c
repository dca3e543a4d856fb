// The sending half of an NIU: from NOC_CMD_CTRL to trains on the link.
#include "noc/niu.h"

#include <stdio.h>
#include <stdlib.h>

#define TAG_OVERLAY      (1u << 6)
#define TAG_HEADER_STORE (1u << 9)
#define BRCST_KEEP_SKIP  0xffu

void ts_noc_train_bytes(const struct ts_noc_train *train, uint32_t header, uint32_t *from,
                        uint32_t *length)
{
    uint32_t first = train->first > header ? train->first - header : 0;
    uint32_t last = (uint32_t)train->first + train->flits;
    last = last > header ? last - header : 0;
    *from = first * TS_NOC_FLIT;
    uint32_t to = last * TS_NOC_FLIT < train->packet->length ? last * TS_NOC_FLIT
                                                             : train->packet->length;
    *length = to > *from ? to - *from : 0;
}

// Flits of a packet with that much payload.
static uint32_t flits_of(const struct ts_noc_niu *self, uint32_t bytes)
{
    uint32_t flits = (uint32_t)self->fabric->params.header +
                     (bytes + TS_NOC_FLIT - 1) / TS_NOC_FLIT;
    return flits ? flits : 1;
}

static uint64_t address_of(const uint32_t *word, uint32_t lo)
{
    return word[lo] | (uint64_t)word[lo + 1] << 32;
}

static bool inside(const struct ts_noc_niu *self, struct ts_noc_xy at)
{
    return at.x < self->shape.width && at.y < self->shape.height;
}

// --- checks: all at the store to NOC_CMD_CTRL, so that the fault names the core and its pc ---

static enum ts_code refuse(struct ts_noc_niu *self, struct ts_error *error, enum ts_code code,
                           const char *what)
{
    return ts_fail(error, code, "NoC %u request: %s", self->noc, what);
}

static enum ts_code check_flags(struct ts_noc_niu *self, const uint32_t *word,
                                struct ts_error *error)
{
    uint32_t ctrl = word[TS_NOC_CTRL], type = ctrl & TS_NOC_CTRL_TYPE;
    bool broadcast = ctrl & TS_NOC_CTRL_BRCST;
    if (type == 3)
        return refuse(self, error, TS_CONTRACT, "request type 3 is reserved");
    if (ctrl & TS_NOC_CTRL_L1_ACC)
        return refuse(self, error, TS_NOT_IMPLEMENTED, "NOC_CMD_L1_ACC_AT_EN is not implemented");
    if (word[TS_NOC_TAG] & TAG_OVERLAY)
        return refuse(self, error, TS_NOT_IMPLEMENTED,
                      "delivery to the overlay is not implemented");
    if (word[TS_NOC_TAG] & TAG_HEADER_STORE)
        return refuse(self, error, TS_NOT_IMPLEMENTED,
                      "NOC_PACKET_TAG_HEADER_STORE is not implemented");
    if (broadcast && type == TS_NOC_READ)
        return refuse(self, error, TS_CONTRACT, "a read cannot be broadcast");
    if (broadcast && word[TS_NOC_BRCST_EXCLUDE] & BRCST_KEEP_SKIP)
        return refuse(self, error, TS_NOT_IMPLEMENTED,
                      "broadcasts that keep and skip are not implemented");
    if (ctrl & TS_NOC_CTRL_VC_STATIC) {
        uint32_t class = ctrl >> (TS_NOC_CTRL_VC_SHIFT + 1) & 3;
        if (broadcast != (class == TS_NOC_CLASS_BROADCAST) || class == TS_NOC_CLASS_RESPONSE)
            return refuse(self, error, TS_CONTRACT,
                          "the class bits of the static virtual channel do not fit");
    }
    return TS_OK;
}

// The length a request moves, all packets together.
static uint64_t total_length(const uint32_t *word)
{
    uint32_t ctrl = word[TS_NOC_CTRL];
    if ((ctrl & TS_NOC_CTRL_TYPE) == TS_NOC_ATOMIC)
        return 4;
    if ((ctrl & TS_NOC_CTRL_TYPE) == TS_NOC_WRITE && ctrl & TS_NOC_CTRL_WR_INLINE)
        return 4;
    if ((ctrl & TS_NOC_CTRL_TYPE) == TS_NOC_WRITE && ctrl & TS_NOC_CTRL_WR_BE)
        return TS_NOC_FLIT;
    return word[TS_NOC_AT_LEN_BE] | (uint64_t)word[TS_NOC_AT_LEN_BE_1] << 32;
}

static enum ts_code check_place(struct ts_noc_niu *self, struct ts_noc_xy at, enum ts_noc_kind kind,
                                uint64_t address, uint64_t length, const char *what,
                                struct ts_error *error)
{
    if (!inside(self, at))
        return ts_fail(error, TS_CONTRACT,
                       "NoC %u request: its %s is at %u-%u, outside the grid of %ux%u", self->noc,
                       what, at.x, at.y, self->shape.width, self->shape.height);
    enum ts_noc_node node = ts_noc_fabric_node(self->fabric, self->noc, at);
    enum ts_code code;
    uint32_t bytes = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
    const char *why = ts_noc_fabric_check(self->fabric, node, kind, address, bytes, &code);
    if (why == NULL)
        return TS_OK;
    struct ts_noc_xy tile = ts_noc_mirror(self->fabric, self->noc, at);
    return ts_fail(error, code, "NoC %u %s of %u bytes: its %s is 0x%llx at %u-%u (%s): %s",
                   self->noc, ts_noc_kind_name(kind), bytes, what, (unsigned long long)address,
                   tile.x, tile.y, ts_noc_node_name(node), why);
}

// --- building a request ---

static struct ts_noc_xy place(const struct ts_noc_niu *self, uint32_t hi, uint32_t shift)
{
    return ts_noc_translate(self->config, hi >> shift & 63, hi >> (shift + 6) & 63);
}

// Receivers of a broadcast.
static uint32_t receivers(const struct ts_noc_niu *self, const struct ts_noc_packet *packet)
{
    uint32_t count = 0;
    for (uint8_t y = 0; y < self->shape.height; y++)
        for (uint8_t x = 0; x < self->shape.width; x++) {
            struct ts_noc_xy at = {x, y};
            count += ts_noc_fabric_node(self->fabric, self->noc, at) == TS_NOC_NODE_TENSIX &&
                     ts_noc_covers(&self->shape, at, packet);
        }
    return count;
}

// The next packet of an initiator's request, without payload and without channel.
static void build(struct ts_noc_niu *self, const struct ts_noc_initiator *initiator,
                  struct ts_noc_packet *packet)
{
    const uint32_t *word = initiator->word;
    uint32_t ctrl = word[TS_NOC_CTRL];
    enum ts_noc_kind kind = ctrl & TS_NOC_CTRL_TYPE;
    uint64_t target = address_of(word, TS_NOC_TARG_LO), back = address_of(word, TS_NOC_RET_LO);
    uint32_t target_hi = word[TS_NOC_TARG_HI], back_hi = word[TS_NOC_RET_HI];
    packet->kind = (uint8_t)kind;
    packet->posted = kind != TS_NOC_READ && !(ctrl & TS_NOC_CTRL_RESP_MARKED);
    packet->broadcast = ctrl & TS_NOC_CTRL_BRCST;
    packet->linked = ctrl & TS_NOC_CTRL_LINKED;
    packet->y_major = ctrl & TS_NOC_CTRL_BRCST_Y;
    packet->source_too = ctrl & TS_NOC_CTRL_SRC_INCLUDE;
    packet->vc_static = ctrl & TS_NOC_CTRL_VC_STATIC;
    packet->reserve = packet->broadcast && ctrl & TS_NOC_CTRL_PATH_RESERVE;
    packet->vc = (uint8_t)(ctrl >> TS_NOC_CTRL_VC_SHIFT & 7);
    packet->priority = (uint8_t)(ctrl >> TS_NOC_CTRL_PRIO_SHIFT & 15);
    packet->id = (uint8_t)(word[TS_NOC_TAG] >> 10 & 15);
    packet->exclude = word[TS_NOC_BRCST_EXCLUDE];
    packet->from = self->here;
    packet->data = word[TS_NOC_AT_DATA];
    packet->operation = word[TS_NOC_AT_LEN_BE];
    packet->inline_data = kind == TS_NOC_WRITE && ctrl & TS_NOC_CTRL_WR_INLINE;
    packet->carries = kind == TS_NOC_WRITE && !packet->inline_data;
    packet->masked = kind == TS_NOC_WRITE && !packet->inline_data && ctrl & TS_NOC_CTRL_WR_BE;
    packet->length = (uint32_t)(initiator->left < TS_NOC_PACKET_MAX ? initiator->left
                                                                    : TS_NOC_PACKET_MAX);
    bool to_return = kind == TS_NOC_WRITE && !packet->inline_data; // the data goes to NOC_RET_ADDR
    uint32_t to_hi = to_return ? back_hi : target_hi;
    packet->to = place(self, to_hi, 0);
    if (packet->broadcast)
        packet->start = place(self, to_hi, 12);
    packet->address = to_return ? back : target;
    packet->source = target;
    packet->back = packet->inline_data ? self->here
                                       : place(self, to_return ? target_hi : back_hi, 0);
    packet->back_address = back;
    if (packet->masked) {
        packet->mask = word[TS_NOC_AT_LEN_BE] | (uint64_t)word[TS_NOC_AT_LEN_BE_1] << 32;
        packet->address &= ~15ull;
        packet->source &= ~15ull;
    }
}

static enum ts_code check_request(struct ts_noc_niu *self, const struct ts_noc_initiator *initiator,
                                  struct ts_error *error)
{
    struct ts_noc_packet request = {.kind = 0};
    build(self, initiator, &request);
    uint64_t length = total_length(initiator->word);
    if (length == 0)
        return refuse(self, error, TS_CONTRACT, "its length is zero");
    if (length > TS_NOC_PACKET_MAX &&
        (request.address % TS_NOC_FLIT || request.back_address % TS_NOC_FLIT))
        return refuse(self, error, TS_CONTRACT,
                      "addresses of a request that is split must be multiples of 64");
    if (request.broadcast) {
        if (!inside(self, request.to) || !inside(self, request.start))
            return refuse(self, error, TS_CONTRACT,
                          "the rectangle of its broadcast lies outside the grid");
        if (receivers(self, &request) == 0)
            return refuse(self, error, TS_CONTRACT, "no tile receives its broadcast");
        enum ts_code code;
        const char *why = ts_noc_fabric_check(self->fabric, TS_NOC_NODE_TENSIX, request.kind,
                                              request.address, (uint32_t)length, &code);
        if (why)
            return refuse(self, error, code, why);
    } else if (check_place(self, request.to, request.kind, request.address, length, "target",
                           error) != TS_OK) {
        return error->code;
    }
    if (request.inline_data && request.address < 0x180000)
        return refuse(self, error, TS_CONTRACT, "an inline write to L1 is not safe on Blackhole");
    if (request.kind == TS_NOC_WRITE && !request.inline_data &&
        check_place(self, self->here, TS_NOC_READ, request.source, length, "source", error) !=
            TS_OK)
        return error->code;
    if (request.kind != TS_NOC_WRITE && !request.posted &&
        check_place(self, request.back, TS_NOC_WRITE, request.back_address, length,
                    "return address", error) != TS_OK)
        return error->code;
    if (!request.posted && !inside(self, request.back))
        return refuse(self, error, TS_CONTRACT, "its acknowledgement goes outside the grid");
    return TS_OK;
}

static void log_issue(struct ts_noc_niu *self, const struct ts_noc_initiator *initiator,
                      ts_cycle now)
{
    struct ts_noc_log *log = self->log;
    if (log->count == log->room) {
        size_t room = log->room ? 2 * log->room : 256;
        struct ts_noc_event *events = realloc(log->events, room * sizeof *events);
        if (events == NULL)
            return; // the trace ends here
        log->events = events;
        log->room = room;
    }
    struct ts_noc_packet request = {.kind = 0};
    build(self, initiator, &request);
    uint64_t length = total_length(initiator->word);
    log->events[log->count++] = (struct ts_noc_event){
        .cycle = now,
        .ctrl = initiator->word[TS_NOC_CTRL],
        .length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length,
        .to = ts_noc_mirror(self->fabric, self->noc, request.to),
        .start = ts_noc_mirror(self->fabric, self->noc, request.start),
        .proc = (uint8_t)initiator->proc,
        .vc = request.vc_static ? (int8_t)request.vc : -1,
    };
}

enum ts_code ts_noc_niu_issue(struct ts_noc_niu *self, unsigned index, unsigned proc, ts_cycle now,
                              struct ts_error *error)
{
    struct ts_noc_initiator *initiator = &self->initiators[index];
    initiator->left = total_length(initiator->word);
    initiator->proc = proc;
    if (check_flags(self, initiator->word, error) != TS_OK ||
        check_request(self, initiator, error) != TS_OK)
        return error->code;
    uint32_t ctrl = initiator->word[TS_NOC_CTRL], id = initiator->word[TS_NOC_TAG] >> 10 & 15;
    enum ts_noc_kind kind = ctrl & TS_NOC_CTRL_TYPE;
    uint32_t packets = (uint32_t)((initiator->left + TS_NOC_PACKET_MAX - 1) / TS_NOC_PACKET_MAX);
    if (kind == TS_NOC_READ || ctrl & TS_NOC_CTRL_RESP_MARKED)
        ts_noc_niu_outstanding(self, id,
                               self->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id] + packets, now);
    if (kind == TS_NOC_WRITE && !(ctrl & TS_NOC_CTRL_WR_INLINE)) {
        uint32_t *outgoing = &self->counters[TS_NOC_MST_WRITE_REQS_OUTGOING_ID + id];
        *outgoing = (*outgoing + packets) & 0xff;
    }
    initiator->word[TS_NOC_CMD_CTRL] = 1;
    initiator->ready = now + (ts_cycle)self->fabric->params.command;
    if (__builtin_expect(self->perturb.max != 0, 0)) {
        if (ts_perturb_holds(&self->perturb, initiator->ready))
            initiator->ready = self->perturb.until;
        ts_perturb_passed(&self->perturb);
    }
    self->queue[self->queued++] = (uint8_t)index;
    if (self->log)
        log_issue(self, initiator, now);
    if (self->status.waiters)
        ts_wake_all(&self->status, now + 1);
    ts_wake(&self->base, initiator->ready);
    return TS_OK;
}

// --- virtual channels ---

static bool channel_free(const struct ts_noc_niu *self, uint32_t vc, ts_cycle now, ts_cycle *when)
{
    if (ts_noc_link_idle(self->up, vc, now))
        return true;
    if (self->up->owner[vc] == TS_NOC_NOBODY && self->up->vc_free[vc] < *when)
        *when = self->up->vc_free[vc];
    return false;
}

// A channel for a packet: its own if it is static or continues a linked transaction, else the first
// free one of its class. -1: none now.
static int find_channel(struct ts_noc_niu *self, const struct ts_noc_packet *packet, uint32_t class,
                        ts_cycle now, ts_cycle *when)
{
    bool request = class != TS_NOC_CLASS_RESPONSE;
    if (request && self->linked_vc >= 0)
        return self->streams[self->linked_vc] ? -1 : self->linked_vc;
    if (packet->vc_static)
        return channel_free(self, packet->vc, now, when) ? packet->vc : -1;
    uint32_t count = class == TS_NOC_CLASS_REQUEST0 ? 4 : 2;
    for (uint32_t i = 0; i < count; i++)
        if (channel_free(self, class * 2 + i, now, when))
            return (int)(class * 2 + i);
    return -1;
}

static void start_stream(struct ts_noc_niu *self, struct ts_noc_packet *packet, int vc)
{
    packet->vc = (uint8_t)vc;
    self->up->owner[vc] = 0;
    self->streams[vc] = packet;
    self->active |= 1u << vc;
    if (packet->kind <= TS_NOC_WRITE)
        self->linked_vc = packet->linked ? vc : -1;
}

static void count_started(struct ts_noc_niu *self, const struct ts_noc_packet *packet)
{
    ts_noc_niu_count(self, TS_NOC_MST_CMD_ACCEPTED, 1);
    if (packet->kind == TS_NOC_READ)
        ts_noc_niu_count(self, TS_NOC_MST_RD_REQ_STARTED, 1);
    else if (packet->kind == TS_NOC_ATOMIC && !packet->posted)
        ts_noc_niu_count(self, TS_NOC_MST_NONPOSTED_ATOMIC_STARTED, 1);
    else if (packet->kind == TS_NOC_WRITE)
        ts_noc_niu_count(self,
                         packet->posted ? TS_NOC_MST_POSTED_WR_REQ_STARTED
                                        : TS_NOC_MST_NONPOSTED_WR_REQ_STARTED,
                         1);
}

// A broadcast that reserves its path first: no train before the grant, nor before its probe could
// be back.
static ts_cycle reserve_time(const struct ts_noc_niu *self, const struct ts_noc_packet *packet)
{
    const struct ts_noc_params *params = &self->fabric->params;
    return (ts_cycle)(params->reserve + params->reserve_hop * ts_noc_hops(&self->shape, packet));
}

static void ask_for_path(struct ts_noc_niu *self, struct ts_noc_packet *packet, int vc,
                         ts_cycle now)
{
    packet->ready += reserve_time(self, packet);
    if (self->line == NULL)
        return;
    struct ts_noc_ask ask = {.vc = (uint8_t)vc,
                             .vc_static = packet->vc_static,
                             .y_major = packet->y_major,
                             .start = packet->start,
                             .to = packet->to};
    if (!TS_FIFO_PUSH(&self->line->ask_out, now, ask))
        ts_fault(&self->base, now, TS_BUG, "no room to ask for a path");
    self->asking |= 1u << vc;
}

static void take_grants(struct ts_noc_niu *self, ts_cycle now)
{
    struct ts_noc_grant grant;
    while (self->line && TS_FIFO_POP(&self->line->grant_in, now, grant)) {
        struct ts_noc_packet *packet = self->streams[grant.vc];
        self->asking &= ~(1u << grant.vc);
        self->reserved |= 1u << grant.vc;
        if (grant.waited) // refused at first: it has tried again
            packet->ready = now + reserve_time(self, packet) +
                            (ts_cycle)self->fabric->params.reserve_retry;
    }
}

static void give_path_back(struct ts_noc_niu *self, uint32_t vc, ts_cycle now)
{
    struct ts_noc_ask done = {.done = true, .vc = (uint8_t)vc};
    self->reserved &= ~(1u << vc);
    if (!TS_FIFO_PUSH(&self->line->ask_out, now, done))
        ts_fault(&self->base, now, TS_BUG, "no room to give a path back");
}

// The request at the front of the queue gets a channel, if there is one. Returns when to look
// again.
static ts_cycle start_request(struct ts_noc_niu *self, ts_cycle now)
{
    struct ts_noc_initiator *initiator = &self->initiators[self->queue[0]];
    if (initiator->ready > now)
        return initiator->ready;
    struct ts_noc_packet request = {.kind = 0};
    build(self, initiator, &request);
    ts_cycle when = TS_NEVER;
    uint32_t class = request.broadcast ? TS_NOC_CLASS_BROADCAST : TS_NOC_CLASS_REQUEST0;
    int vc = find_channel(self, &request, class, now, &when);
    if (vc < 0)
        return when;
    const struct ts_noc_params *params = &self->fabric->params;
    bool carries = request.carries;
    struct ts_noc_packet *packet = ts_noc_packet_new(&self->pool, carries ? request.length : 0);
    uint32_t length = request.length;
    build(self, initiator, packet);
    packet->flits = flits_of(self, carries ? length : 0);
    packet->issued = now;
    // The payload is fetched while the request waits for a channel.
    ts_cycle fetched = initiator->ready + (carries ? (ts_cycle)params->memory_read : 0);
    packet->ready = fetched > now ? fetched : now;
    bool first = self->linked_vc < 0;
    if (packet->broadcast) {
        atomic_store_explicit(&packet->holders, receivers(self, packet), memory_order_relaxed);
        if (packet->reserve && first)
            ask_for_path(self, packet, vc, now);
    }
    start_stream(self, packet, vc);
    count_started(self, packet);
    initiator->left -= length;
    if (initiator->left == 0) {
        initiator->word[TS_NOC_CMD_CTRL] = 0;
        self->queued--;
        for (uint32_t i = 0; i < self->queued; i++)
            self->queue[i] = self->queue[i + 1];
    } else { // hardware splits it: the rest is another request
        for (uint32_t lo = TS_NOC_TARG_LO; lo <= TS_NOC_RET_LO; lo += TS_NOC_RET_LO) {
            uint64_t address = address_of(initiator->word, lo) + length;
            initiator->word[lo] = (uint32_t)address;
            initiator->word[lo + 1] = (uint32_t)(address >> 32);
        }
        initiator->word[TS_NOC_AT_LEN_BE] = (uint32_t)initiator->left;
        initiator->word[TS_NOC_AT_LEN_BE_1] = (uint32_t)(initiator->left >> 32);
    }
    return self->queued ? now + 1 : TS_NEVER;
}

static ts_cycle start_answers(struct ts_noc_niu *self, struct ts_noc_packets *queue, ts_cycle now)
{
    while (queue->first) {
        struct ts_noc_packet *packet = queue->first;
        if (packet->ready > now)
            return packet->ready;
        ts_cycle when = TS_NEVER;
        int vc = find_channel(self, packet, TS_NOC_CLASS_RESPONSE, now, &when);
        if (vc < 0)
            return when;
        queue->first = packet->next;
        start_stream(self, packet, vc);
        // The request's buffer is free now.
        ts_noc_link_give(self->down, now, now, packet->held_vc, packet->held_flits, true);
    }
    return TS_NEVER;
}

// --- trains ---

static void count_sent(struct ts_noc_niu *self, const struct ts_noc_packet *packet)
{
    uint32_t words = packet->flits - (uint32_t)self->fabric->params.header;
    switch ((enum ts_noc_kind)packet->kind) {
    case TS_NOC_READ:
        ts_noc_niu_count(self, TS_NOC_MST_RD_REQ_SENT, 1);
        break;
    case TS_NOC_ATOMIC:
        ts_noc_niu_count(
            self, packet->posted ? TS_NOC_MST_POSTED_ATOMIC_SENT : TS_NOC_MST_NONPOSTED_ATOMIC_SENT,
            1);
        break;
    case TS_NOC_WRITE:
        ts_noc_niu_count(
            self, packet->posted ? TS_NOC_MST_POSTED_WR_REQ_SENT : TS_NOC_MST_NONPOSTED_WR_REQ_SENT,
            1);
        if (packet->inline_data)
            break;
        ts_noc_niu_count(self,
                         packet->posted ? TS_NOC_MST_POSTED_WR_DATA_WORD_SENT
                                        : TS_NOC_MST_NONPOSTED_WR_DATA_WORD_SENT,
                         words);
        self->counters[TS_NOC_MST_WRITE_REQS_OUTGOING_ID + packet->id] =
            (self->counters[TS_NOC_MST_WRITE_REQS_OUTGOING_ID + packet->id] - 1) & 0xff;
        break;
    case TS_NOC_READ_RESPONSE:
        ts_noc_niu_count(self, TS_NOC_SLV_RD_RESP_SENT, 1);
        ts_noc_niu_count(self, TS_NOC_SLV_RD_DATA_WORD_SENT, words);
        break;
    case TS_NOC_ATOMIC_RESPONSE:
        ts_noc_niu_count(self, TS_NOC_SLV_ATOMIC_RESP_SENT, 1);
        break;
    case TS_NOC_WRITE_ACK:
        ts_noc_niu_count(self, TS_NOC_SLV_WR_ACK_SENT, 1);
        break;
    }
}

// When memory has delivered the bytes from that one on.
static ts_cycle delivered(const struct ts_noc_packet *packet, uint32_t from)
{
    if (packet->rate == 0)
        return packet->ready;
    ts_cycle at = packet->base + (ts_cycle)from * 1000 / packet->rate;
    return at > packet->ready ? at : packet->ready;
}

static void send_train(struct ts_noc_niu *self, uint32_t vc, ts_cycle now)
{
    struct ts_noc_packet *packet = self->streams[vc];
    uint32_t left = packet->flits - packet->sent, most = (uint32_t)self->fabric->params.train;
    struct ts_noc_train train = {
        .packet = packet,
        .first = (uint16_t)packet->sent,
        .flits = (uint8_t)(left < most ? left : most),
        .vc = (uint8_t)vc,
    };
    if (packet->carries) {
        uint32_t from, length;
        ts_noc_train_bytes(&train, (uint32_t)self->fabric->params.header, &from, &length);
        if (length) {
            const char *why = self->memory->read(self->context, packet->source + from,
                                                 packet->bytes + from, length, now);
            if (why)
                ts_fault(&self->base, now, TS_CONTRACT, "%s of %u bytes at 0x%llx: %s",
                         ts_noc_kind_name(packet->kind), length,
                         (unsigned long long)(packet->source + from), why);
            self->bytes_out += length;
        }
    }
    packet->sent += train.flits;
    bool linked = packet->linked;
    if (packet->sent == packet->flits) {
        self->streams[vc] = NULL;
        self->active &= ~(1u << vc);
        self->sent++;
        count_sent(self, packet);
    }
    if (self->reserved >> vc & 1 && packet->sent == packet->flits && !linked)
        give_path_back(self, vc, now);
    self->turn = (vc + 1) % TS_NOC_STREAMS;
    ts_noc_link_send(self->up, now, &train, linked);
}

static ts_cycle transmit(struct ts_noc_niu *self, ts_cycle now)
{
    if (self->active == 0)
        return TS_NEVER;
    if (self->up->free > now)
        return self->up->free;
    ts_noc_link_settle(self->up, now);
    ts_cycle when = TS_NEVER;
    bool short_of_room = false;
    for (uint32_t i = 0; i < TS_NOC_STREAMS; i++) {
        uint32_t vc = (self->turn + i) % TS_NOC_STREAMS;
        if (((self->active & ~self->asking) >> vc & 1) == 0)
            continue;
        const struct ts_noc_packet *packet = self->streams[vc];
        uint32_t left = packet->flits - packet->sent, most = (uint32_t)self->fabric->params.train;
        uint32_t flits = left < most ? left : most;
        ts_cycle ready = delivered(packet, packet->sent * TS_NOC_FLIT);
        if (ready > now) {
            when = ready < when ? ready : when;
        } else if (self->up->room[vc] < flits) {
            short_of_room = true;
        } else {
            send_train(self, vc, now);
            bool more = self->active || self->queued || self->brief.first || self->data.first;
            return more ? self->up->free : TS_NEVER;
        }
    }
    if (short_of_room) {
        self->up->blocked++;
        ts_cycle room = ts_noc_link_next_room(self->up);
        when = room < when ? room : when;
    }
    return when;
}

ts_cycle ts_noc_niu_send(struct ts_noc_niu *self, ts_cycle now)
{
    ts_cycle when = TS_NEVER;
    take_grants(self, now);
    if (self->queued) {
        ts_cycle next = start_request(self, now);
        when = next < when ? next : when;
    }
    ts_cycle next = start_answers(self, &self->brief, now);
    when = next < when ? next : when;
    next = start_answers(self, &self->data, now);
    when = next < when ? next : when;
    next = transmit(self, now);
    return next < when ? next : when;
}
