// The sending half of an NIU: from a request that waits for a channel to trains on the link.
#include "noc/niu.h"

void ts_noc_train_bytes(const struct ts_noc_train *train, const struct ts_noc_params *params,
                        uint32_t *from, uint32_t *length)
{
    uint32_t header = (uint32_t)params->header, flit = ts_noc_flit(params);
    uint32_t first = train->first > header ? train->first - header : 0;
    uint32_t last = (uint32_t)train->first + train->flits;
    last = last > header ? last - header : 0;
    *from = first * flit;
    uint32_t to = last * flit < train->packet->length ? last * flit : train->packet->length;
    *length = to > *from ? to - *from : 0;
}

// --- virtual channels ---

static bool channel_free(const struct ts_noc_niu *self, uint32_t vc, ts_cycle now, ts_cycle *when)
{
    if (ts_noc_link_idle(self->up, vc, now))
        return true;
    if (self->up->vc[vc].owner == TS_NOC_NOBODY && self->up->vc[vc].free < *when)
        *when = self->up->vc[vc].free;
    return false;
}

// A channel for a packet: its own if it is static or continues a linked transaction, else the first
// free one of its class. -1: none now.
static int find_channel(struct ts_noc_niu *self, const struct ts_noc_packet *packet, uint32_t class,
                        ts_cycle now, ts_cycle *when)
{
    bool request = class != TS_NOC_CLASS_RESPONSE;
    if (request && self->linked_vc >= 0)
        return self->sending[self->linked_vc] ? -1 : self->linked_vc;
    if (packet->vc_static)
        return channel_free(self, packet->vc, now, when) ? packet->vc : -1;
    uint32_t count = class == TS_NOC_CLASS_REQUEST0 ? 4 : 2;
    for (uint32_t i = 0; i < count; i++)
        if (channel_free(self, class * 2 + i, now, when))
            return (int)(class * 2 + i);
    return -1;
}

static void start_sending(struct ts_noc_niu *self, struct ts_noc_packet *packet, int vc)
{
    packet->vc = (uint8_t)vc;
    self->up->vc[vc].owner = 0;
    self->sending[vc] = packet;
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

// A broadcast that reserves its path first: sends no train before the grant, or before its probe
// could be back from the trunk. Its lines open later (router.c).
static void send_probe(struct ts_noc_niu *self, struct ts_noc_packet *packet, ts_cycle at)
{
    const struct ts_noc_params *params = &self->fabric->params;
    struct ts_noc_legs legs = ts_noc_legs(&self->shape, packet);
    packet->probe = at;
    packet->ready = at + (ts_cycle)(params->reserve * (1 + legs.lines) +
                                    params->reserve_hop * legs.trunk);
}

static void ask_for_path(struct ts_noc_niu *self, struct ts_noc_packet *packet, int vc,
                         ts_cycle now)
{
    send_probe(self, packet, packet->ready);
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
    ts_domain_expect(self->base.domain, 1); // the grant does not come through the router
}

static void take_grants(struct ts_noc_niu *self, ts_cycle now)
{
    struct ts_noc_grant grant;
    while (self->line && TS_FIFO_POP(&self->line->grant_in, now, grant)) {
        struct ts_noc_packet *packet = self->sending[grant.vc];
        self->asking &= ~(1u << grant.vc);
        ts_domain_expect(self->base.domain, -1);
        self->reserved |= 1u << grant.vc;
        if (grant.waited) // refused at first: it has tried again
            send_probe(self, packet, now + (ts_cycle)self->fabric->params.reserve_retry);
    }
}

static void give_path_back(struct ts_noc_niu *self, uint32_t vc, ts_cycle now)
{
    struct ts_noc_ask done = {.done = true, .vc = (uint8_t)vc};
    self->reserved &= ~(1u << vc);
    if (!TS_FIFO_PUSH(&self->line->ask_out, now, done))
        ts_fault(&self->base, now, TS_BUG, "no room to give a path back");
}

// Gives a channel to the request at the front of the queue, if there is one. Returns when to look
// again.
static ts_cycle start_request(struct ts_noc_niu *self, ts_cycle now)
{
    struct ts_noc_initiator *initiator = &self->initiators[self->queue[0]];
    if (initiator->ready > now)
        return initiator->ready;
    struct ts_noc_packet request = {.kind = 0};
    ts_noc_request_build(self, initiator, &request);
    ts_cycle when = TS_NEVER;
    uint32_t class = request.broadcast ? TS_NOC_CLASS_BROADCAST : TS_NOC_CLASS_REQUEST0;
    int vc = find_channel(self, &request, class, now, &when);
    if (vc < 0)
        return when;
    const struct ts_noc_params *params = &self->fabric->params;
    bool carries = request.carries;
    struct ts_noc_packet *packet = ts_noc_packet_new(&self->pool, carries ? request.length : 0);
    if (packet == NULL) {
        ts_fault(&self->base, now, TS_NO_MEMORY, "out of memory for a packet");
        return TS_NEVER;
    }
    uint32_t length = request.length;
    ts_noc_request_build(self, initiator, packet);
    packet->flits = ts_noc_flits(&self->fabric->params, carries ? length : 0);
    packet->issued = initiator->ready;
    packet->trip = ts_check_trip_hold(initiator->trip);
    // The payload is fetched while the request waits for a channel.
    ts_cycle fetched = initiator->ready + (carries ? (ts_cycle)params->memory_read : 0);
    packet->ready = fetched > now ? fetched : now;
    bool first = self->linked_vc < 0;
    if (packet->broadcast) {
        packet->receivers = ts_noc_request_receivers(self, packet);
        // And the first router.
        atomic_store_explicit(&packet->holders, packet->receivers + 1, memory_order_relaxed);
        if (packet->reserve && first)
            ask_for_path(self, packet, vc, now);
    }
    start_sending(self, packet, vc);
    count_started(self, packet);
    initiator->left -= length;
    if (initiator->left == 0) {
        initiator->word[TS_NOC_CMD_CTRL] = 0;
        self->queued--;
        for (uint32_t i = 0; i < self->queued; i++)
            self->queue[i] = self->queue[i + 1];
    } else { // hardware splits it: the rest is another request
        for (uint32_t lo = TS_NOC_TARG_LO; lo <= TS_NOC_RET_LO; lo += TS_NOC_RET_LO) {
            uint64_t address = ts_noc_request_address(initiator->word, lo) + length;
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
        start_sending(self, packet, vc);
        if (packet->rate)
            self->asked -= packet->length;
        // The request's buffer is free now.
        if (packet->held_flits)
            ts_noc_link_give(self->down, now, now, packet->held_vc, packet->held_flits, true);
    }
    return TS_NEVER;
}

// --- trains ---

static void count_sent(struct ts_noc_niu *self, const struct ts_noc_packet *packet)
{
    uint32_t words = ts_noc_words(self, packet);
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

// When memory has delivered the bytes of the next flits.
static ts_cycle delivered(struct ts_noc_niu *self, struct ts_noc_packet *packet, uint32_t flits,
                          ts_cycle now)
{
    if (packet->rate != 0) {
        ts_cycle at = packet->base + (ts_cycle)packet->sent * ts_noc_flit(&self->fabric->params) *
                                         1000 / packet->rate;
        return at > packet->ready ? at : packet->ready;
    }
    const bool slow = packet->kind == TS_NOC_READ_RESPONSE && self->fabric->params.answer_rate;
    if (packet->ready > now || packet->read > packet->sent || !packet->carries ||
        (self->memory->begin == NULL && !slow))
        return packet->ready;
    struct ts_noc_train train = {
        .packet = packet, .first = (uint16_t)packet->sent, .flits = (uint8_t)flits};
    uint32_t from, length;
    ts_noc_train_bytes(&train, &self->fabric->params, &from, &length);
    packet->read = packet->sent + flits;
    if (length && self->memory->begin)
        packet->ready = self->memory->begin(self->context, self->noc, false, packet->source + from,
                                            length, now);
    if (slow) {
        uint64_t start = packet->ready * 1000;
        start = start < self->answer_free ? self->answer_free : start;
        self->answer_free = start +
                            length * UINT64_C(1000000) / (uint64_t)self->fabric->params.answer_rate;
        packet->ready = (start + 999) / 1000;
    }
    return packet->ready;
}

// A check hears of the bytes that a packet takes along.
static void observe(const struct ts_noc_niu *self, struct ts_noc_packet *packet, ts_cycle now)
{
    const bool writes = packet->kind == TS_NOC_WRITE;
    ts_check_noc(self->check, packet->trip, writes ? TS_PHASE_SENT : TS_PHASE_READ, TS_HOW_READ,
                 packet->source, packet->length);
    if (!writes)
        packet->trip = ts_check_answer(self->check, packet->trip, packet->source, packet->length,
                                       now);
}

static void send_train(struct ts_noc_niu *self, uint32_t vc, uint32_t flits, ts_cycle now)
{
    struct ts_noc_packet *packet = self->sending[vc];
    uint64_t receivers = packet->broadcast ? packet->receivers : 1;
    struct ts_noc_train train = {
        .packet = packet,
        .first = (uint16_t)packet->sent,
        .flits = (uint8_t)flits,
        .vc = (uint8_t)vc,
    };
    if (packet->carries) {
        uint32_t from, length;
        ts_noc_train_bytes(&train, &self->fabric->params, &from, &length);
        if (length) {
            const char *why = self->memory->read(self->context, packet->source + from,
                                                 packet->bytes + from, length, now);
            if (why)
                ts_fault(&self->base, now, ts_noc_code(why), "%s of %u bytes at 0x%llx: %s",
                         ts_noc_kind_name(packet->kind), length,
                         (unsigned long long)(packet->source + from), why);
            if (__builtin_expect(self->check != NULL, 0) && from == 0) // once for all its bytes
                observe(self, packet, now);
            self->bytes_out += length;
            self->due[packet->kind].bytes += length * receivers;
        }
    }
    packet->sent += train.flits;
    bool linked = packet->linked;
    if (packet->sent == packet->flits) {
        self->sending[vc] = NULL;
        self->active &= ~(1u << vc);
        self->sent++;
        self->due[packet->kind].packets += receivers;
        count_sent(self, packet);
    }
    if (self->reserved >> vc & 1 && packet->sent == packet->flits && !linked)
        give_path_back(self, vc, now);
    self->turn = (vc + 1) % TS_NOC_SEND_VCS;
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
    for (uint32_t i = 0; i < TS_NOC_SEND_VCS; i++) {
        uint32_t vc = (self->turn + i) % TS_NOC_SEND_VCS;
        if (((self->active & ~self->asking) >> vc & 1) == 0)
            continue;
        struct ts_noc_packet *packet = self->sending[vc];
        uint32_t left = packet->flits - packet->sent, most = (uint32_t)self->fabric->params.train;
        uint32_t flits = ts_noc_link_allows(self->up, vc, left < most ? left : most,
                                            packet->flits > 1, now);
        if (packet->read > packet->sent && flits > packet->read - packet->sent)
            flits = packet->read - packet->sent; // the flits that memory has been asked for
        if (flits == 0) {
            short_of_room = true;
            continue;
        }
        ts_cycle ready = delivered(self, packet, flits, now);
        if (ready > now) {
            when = ready < when ? ready : when;
        } else {
            send_train(self, vc, flits, now);
            bool more = self->active || self->queued || self->brief.first || self->data.first;
            return more ? self->up->free : TS_NEVER;
        }
    }
    if (short_of_room) {
        self->stuck = true;
        ts_cycle room = ts_noc_link_next_room(self->up, now, 1);
        when = room < when ? room : when;
    }
    return when;
}

ts_cycle ts_noc_niu_send(struct ts_noc_niu *self, ts_cycle now)
{
    ts_cycle when = TS_NEVER;
    self->stuck = false;
    take_grants(self, now);
    if (self->queued) {
        ts_cycle next = start_request(self, now);
        self->stuck = next == TS_NEVER && self->queued;
        when = next < when ? next : when;
    }
    ts_cycle next = start_answers(self, &self->brief, now);
    when = next < when ? next : when;
    next = start_answers(self, &self->data, now);
    when = next < when ? next : when;
    next = transmit(self, now);
    return next < when ? next : when;
}
