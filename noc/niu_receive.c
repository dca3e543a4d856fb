// The receiving half of an NIU: from trains on the link to bytes in memory, counters and answers.
//
// Order: what arrives on one virtual channel finds the bytes of the writes that arrived there before it in memory, for every
// latency. Packets of one sender to one tile on one static channel arrive in order, so a write, an atomic or a read behind a
// write, posted or not, acts after it. Between channels, NoCs and tiles there is no order: there, software waits for
// acknowledgements. Write and read: WormholeB0/NoC/Ordering.md. Write and atomic: no document; measured: tt-metal issue 55555,
// 256 KiB and the increment behind them on one channel were never seen out of order.
// Not in order: a write that arrives behind an atomic; nothing is known of it.
#include "noc/atomics.h"
#include "noc/niu.h"
#include "units/isa/lints.h"

static void push_pending(struct ts_noc_niu *niu, struct ts_noc_pendings *self,
                         const struct ts_noc_train *train, ts_cycle due)
{
    if (__builtin_expect(self->count > self->mask, 0)) {
        ts_fault(&niu->base, train->arrived, TS_BUG, "no room for %u trains", self->count + 1);
        return;
    }
    // In the order of their cycles: packets of different channels have turns that overlap.
    uint32_t at = self->first + self->count++;
    for (; at != self->first && self->ring[(at - 1) & self->mask].due > due; at--)
        self->ring[at & self->mask] = self->ring[(at - 1) & self->mask];
    self->ring[at & self->mask] = (struct ts_noc_pending){*train, due};
}

static const struct ts_noc_pending *first_pending(const struct ts_noc_pendings *self)
{
    return &self->ring[self->first & self->mask];
}

static void pop_pending(struct ts_noc_pendings *self)
{
    self->first++;
    self->count--;
}

static void enqueue(struct ts_noc_packets *queue, struct ts_noc_packet *packet)
{
    packet->next = NULL;
    if (queue->first)
        queue->last->next = packet;
    else
        queue->first = packet;
    queue->last = packet;
}

// An answer to a request whose last train is `train`, addressed as the request says. NULL: out of
// memory, which is a fault.
static struct ts_noc_packet *answer(struct ts_noc_niu *self, const struct ts_noc_train *train,
                                    enum ts_noc_kind kind, uint32_t length, ts_cycle now)
{
    const struct ts_noc_packet *request = train->packet;
    struct ts_noc_packet *packet = ts_noc_packet_new(&self->pool, length);
    if (packet == NULL) {
        ts_fault(&self->base, now, TS_NO_MEMORY, "out of memory for a packet");
        return NULL;
    }
    packet->kind = (uint8_t)kind;
    packet->from = self->here;
    packet->to = request->back;
    packet->address = request->back_address;
    packet->id = request->id;
    packet->trip = ts_check_trip_hold(request->trip);
    packet->carries = length != 0;
    packet->flits = ts_noc_flits(&self->fabric->params, length);
    packet->held_vc = train->vc;
    packet->held_flits = 1;
    return packet;
}

static void received(struct ts_noc_niu *self, struct ts_noc_packet *packet)
{
    self->received++;
    self->in[packet->kind].packets++;
    ts_noc_packet_release(packet);
}

// --- arrival ---

// A write on this channel has all its bytes so far in memory at `due`, not before those that came earlier.
static ts_cycle settle(struct ts_noc_niu *self, unsigned vc, ts_cycle due)
{
    if (due > self->settled[vc])
        self->settled[vc] = due;
    return self->settled[vc];
}

static void clash(struct ts_noc_niu *self, ts_cycle now)
{
    ts_fault(&self->base, now, TS_CONTRACT, "%s: %s (request of NoC %u)",
             ts_report_id(TS_REPORT_DRAM_BOTH_NOCS), ts_report_name(TS_REPORT_DRAM_BOTH_NOCS),
             self->noc);
}

// The answer to a read whose bytes memory has from `start` on.
static struct ts_noc_packet *answer_read(struct ts_noc_niu *self, const struct ts_noc_train *train,
                                         ts_cycle start, ts_cycle now)
{
    struct ts_noc_packet *request = train->packet;
    struct ts_noc_packet *packet = answer(self, train, TS_NOC_READ_RESPONSE, request->length, now);
    if (packet == NULL)
        return NULL;
    packet->source = request->address;
    packet->ready = packet->base = start + (ts_cycle)self->fabric->params.memory_read;
    if (packet->ready < self->settled[train->vc])
        packet->ready = self->settled[train->vc];
    ts_noc_niu_count(self, TS_NOC_SLV_REQ_ACCEPTED, 1);
    ts_noc_niu_count(self, TS_NOC_SLV_RD_REQ_RECEIVED, 1);
    enqueue(&self->data, packet);
    received(self, request);
    return packet;
}

// Memory that is not always ready takes reads one by one: they wait in their buffer.
static void arrive_read(struct ts_noc_niu *self, const struct ts_noc_train *train, ts_cycle now)
{
    if (self->memory->admit) {
        train->packet->held_vc = train->vc;
        enqueue(&self->reads, train->packet);
    } else {
        answer_read(self, train, now, now);
    }
}

// Takes the next read when the one before has the memory. If answers cannot leave because the
// network is full, it stops when what it has asked for is as much as memory delivers in the time
// that it takes to answer. Returns when to look again.
ts_cycle ts_noc_niu_take_reads(struct ts_noc_niu *self, ts_cycle now)
{
    while (self->reads.first && self->next_read <= now) {
        if (self->asked > self->asked_most)
            return TS_NEVER; // the NIU looks again when an answer leaves
        struct ts_noc_packet *request = self->reads.first, *packet;
        struct ts_noc_train train = {.packet = request, .flits = 1, .vc = request->held_vc};
        struct ts_noc_admission admission = {.start = now};
        self->reads.first = request->next;
        self->memory->admit(self->context, self->port, false, request->address, request->length,
                            now, &admission);
        if (__builtin_expect(admission.clash, 0))
            clash(self, now);
        packet = answer_read(self, &train, admission.start, now);
        if (packet == NULL)
            return TS_NEVER;
        packet->rate = admission.rate;
        packet->held_flits = 0;
        self->asked += packet->length;
        self->asked_most = (packet->base - admission.turn) * admission.rate / 1000;
        ts_noc_link_give(self->down, now, now, train.vc, train.flits, true);
        self->next_read = admission.turn > now ? admission.turn : now + 1;
    }
    ts_cycle ready = self->data.first ? self->data.first->ready : TS_NEVER;
    return self->reads.first && self->next_read < ready ? self->next_read : ready;
}

static void arrive_atomic(struct ts_noc_niu *self, const struct ts_noc_train *train, ts_cycle now)
{
    ts_cycle start = self->atomic_free > now ? self->atomic_free : now;
    ts_cycle lasts = (ts_cycle)self->fabric->params.atomic; // it acts in the last of these cycles
    if (start + lasts <= self->settled[train->vc])
        start = self->settled[train->vc] + 1 - lasts;
    self->atomic_free = start + lasts;
    ts_busy_until(&self->base, self->atomic_free);
    push_pending(self, &self->atomics, train, self->atomic_free - 1);
    ts_noc_niu_count(self, TS_NOC_SLV_REQ_ACCEPTED, 1);
    ts_noc_niu_count(self,
                     train->packet->posted ? TS_NOC_SLV_POSTED_ATOMIC_RECEIVED
                                           : TS_NOC_SLV_NONPOSTED_ATOMIC_RECEIVED,
                     1);
}

// All of a write has one turn at the memory, which its header asks for.
static void take_write(struct ts_noc_niu *self, struct ts_noc_packet *packet, ts_cycle now)
{
    struct ts_noc_admission admission = {.start = now};
    self->memory->admit(self->context, self->port, true, packet->address, packet->length, now,
                        &admission);
    if (__builtin_expect(admission.clash, 0))
        clash(self, now);
    packet->turn = admission.start;
    packet->turn_rate = admission.rate;
    packet->turn_after = admission.after;
    packet->turn_early = admission.early;
    packet->enters = admission.room;
}

// When memory has taken the bytes before a train: they follow at the memory's rate, but for those that may wait.
static ts_cycle written(const struct ts_noc_niu *self, const struct ts_noc_train *train)
{
    uint32_t from, length;
    ts_noc_train_bytes(train, &self->fabric->params, &from, &length);
    ts_cycle passes = train->packet->turn + (ts_cycle)from * 1000 / train->packet->turn_rate;
    return passes > train->packet->turn_early ? passes - train->packet->turn_early : 0;
}

// Bytes that go to memory: a write, or the answer to a read or an atomic.
static void arrive_bytes(struct ts_noc_niu *self, const struct ts_noc_train *train, ts_cycle now)
{
    struct ts_noc_packet *packet = train->packet;
    ts_cycle start = now, room = now;
    if (self->memory->begin && packet->carries) {
        uint32_t from, length;
        ts_noc_train_bytes(train, &self->fabric->params, &from, &length);
        if (length)
            start = room = self->memory->begin(self->context, self->noc, true,
                                               packet->address + from, length, now);
    }
    if (self->memory->admit && packet->carries) {
        if (train->first == 0)
            take_write(self, packet, now);
        start = written(self, train);
        start = start > now ? start : now;
        room = packet->enters; // from then on the NIU takes it as fast as it comes
    }
    ts_cycle due = start + train->flits - 1 + (ts_cycle)self->fabric->params.memory_write;
    if (packet->kind == TS_NOC_WRITE)
        due = settle(self, train->vc, due);
    push_pending(self, &self->commits, train, due);
    // The acknowledgement keeps the room of a flit until it leaves.
    bool answers = packet->kind == TS_NOC_WRITE && !packet->posted && ts_noc_train_tail(train);
    struct ts_noc_train rest = *train;
    rest.flits = (uint8_t)(rest.flits - answers);
    if (rest.flits && room > now)
        push_pending(self, &self->held, &rest, room);
    else if (rest.flits)
        ts_noc_link_give(self->down, now, now, rest.vc, rest.flits, false);
    if (packet->kind == TS_NOC_WRITE && train->first == 0)
        ts_noc_niu_count(self,
                         packet->posted ? TS_NOC_SLV_POSTED_WR_REQ_STARTED
                                        : TS_NOC_SLV_NONPOSTED_WR_REQ_STARTED,
                         1);
}

static void arrive(struct ts_noc_niu *self, const struct ts_noc_train *train, ts_cycle now)
{
    switch ((enum ts_noc_kind)train->packet->kind) {
    case TS_NOC_READ:
        arrive_read(self, train, now);
        break;
    case TS_NOC_ATOMIC:
        arrive_atomic(self, train, now);
        break;
    case TS_NOC_WRITE_ACK:
        ts_noc_niu_count(self, TS_NOC_MST_WR_ACK_RECEIVED, 1);
        ts_noc_niu_outstanding(
            self, train->packet->id,
            self->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + train->packet->id] - 1, now);
        ts_noc_link_give(self->down, now, now, train->vc, train->flits, false);
        received(self, train->packet);
        break;
    case TS_NOC_WRITE:
    case TS_NOC_READ_RESPONSE:
    case TS_NOC_ATOMIC_RESPONSE:
        arrive_bytes(self, train, now);
        break;
    }
}

// --- commit ---

// A check hears of bytes that a packet writes.
static void observe(struct ts_noc_niu *self, const struct ts_noc_packet *packet, uint64_t address,
                    uint32_t length)
{
    static const uint8_t phases[TS_NOC_KINDS] = {[TS_NOC_WRITE] = TS_PHASE_ACKED,
                                                 [TS_NOC_ATOMIC] = TS_PHASE_ATOMIC,
                                                 [TS_NOC_READ_RESPONSE] = TS_PHASE_READ};
    // Results of atomics go to a word that nobody uses.
    if (__builtin_expect(self->check != NULL, 0) && packet->kind != TS_NOC_ATOMIC_RESPONSE)
        ts_check_noc(self->check, packet->trip, (enum ts_actor_phase)phases[packet->kind],
                     packet->kind == TS_NOC_ATOMIC ? TS_HOW_ATOMIC : TS_HOW_WRITE, address, length);
}

static const char *write_masked(struct ts_noc_niu *self, const struct ts_noc_packet *packet,
                                ts_cycle now)
{
    for (uint32_t i = 0; i < packet->length;) {
        uint32_t run = 0;
        while (i + run < packet->length && packet->mask >> (i + run) & 1)
            run++;
        if (run) {
            const char *why = self->memory->write(self->context, packet->address + i,
                                                  packet->bytes + i, run, now);
            if (why)
                return why;
            observe(self, packet, packet->address + i, run);
        }
        i += run + 1;
    }
    return NULL;
}

// To L1: its word four times, as far as one of the two masks says (the machine's rule inline_to_l1).
static const char *write_inline(struct ts_noc_niu *self, const struct ts_noc_packet *packet,
                                ts_cycle now)
{
    const uint32_t mask = packet->operation | packet->operation >> 16;
    for (uint32_t i = 0; i < 16; i++) {
        const uint8_t byte = (uint8_t)(packet->data >> i % 4 * 8);
        const uint64_t address = (packet->address & ~15ull) + i;
        const char *why = mask >> i & 1 ? self->memory->write(self->context, address, &byte, 1, now)
                                        : NULL;
        if (why)
            return why;
        if (mask >> i & 1)
            observe(self, packet, address, 1);
    }
    return NULL;
}

// Passes the writer to memory.
static void sign(struct ts_noc_niu *self, const struct ts_noc_packet *packet)
{
    if (self->memory->writer)
        self->memory->writer(self->context, ts_noc_mirror(self->fabric, self->noc, packet->from),
                             packet->issued);
}

static const char *write_bytes(struct ts_noc_niu *self, const struct ts_noc_train *train,
                               ts_cycle now)
{
    const struct ts_noc_packet *packet = train->packet;
    sign(self, packet);
    if (packet->inline_data && packet->address < self->fabric->machine->l1_bytes)
        return write_inline(self, packet, now);
    if (!packet->carries) { // an inline write or an atomic's result
        const char *why = self->memory->write(self->context, packet->address, &packet->data, 4,
                                              now);
        observe(self, packet, packet->address, 4);
        return why;
    }
    uint32_t from, length;
    ts_noc_train_bytes(train, &self->fabric->params, &from, &length);
    self->bytes_in += length;
    self->in[packet->kind].bytes += length;
    if (length == 0)
        return NULL;
    if (packet->masked) // once, with its last bytes
        return from + length == packet->length ? write_masked(self, packet, now) : NULL;
    const char *why = self->memory->write(self->context, packet->address + from,
                                          packet->bytes + from, length, now);
    if (from + length == packet->length) // once for all its bytes
        observe(self, packet, packet->address, packet->length);
    return why;
}

static void finish_write(struct ts_noc_niu *self, const struct ts_noc_pending *pending,
                         ts_cycle now)
{
    const struct ts_noc_packet *packet = pending->train.packet;
    uint32_t words = ts_noc_words(self, packet);
    ts_noc_niu_count(self,
                     packet->posted ? TS_NOC_SLV_POSTED_WR_REQ_RECEIVED
                                    : TS_NOC_SLV_NONPOSTED_WR_REQ_RECEIVED,
                     1);
    ts_noc_niu_count(self,
                     packet->posted ? TS_NOC_SLV_POSTED_WR_DATA_WORD_RECEIVED
                                    : TS_NOC_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED,
                     words);
    if (packet->posted)
        return;
    struct ts_noc_packet *ack = answer(self, &pending->train, TS_NOC_WRITE_ACK, 0, now);
    if (ack == NULL)
        return;
    ack->ready = now + (ts_cycle)self->fabric->params.response + packet->turn_after;
    enqueue(&self->brief, ack);
}

static void commit(struct ts_noc_niu *self, ts_cycle now)
{
    while (self->commits.count && first_pending(&self->commits)->due <= now) {
        const struct ts_noc_pending *pending = first_pending(&self->commits);
        struct ts_noc_packet *packet = pending->train.packet;
        const char *why = write_bytes(self, &pending->train, now);
        if (why)
            ts_fault(&self->base, now, ts_noc_code(why), "%s from %u-%u to 0x%llx: %s",
                     ts_noc_kind_name(packet->kind), packet->from.x, packet->from.y,
                     (unsigned long long)packet->address, why);
        if (ts_noc_train_tail(&pending->train)) {
            uint32_t id = packet->id;
            if (packet->kind == TS_NOC_WRITE) {
                finish_write(self, pending, now);
            } else {
                if (packet->kind == TS_NOC_READ_RESPONSE) {
                    ts_noc_niu_count(self, TS_NOC_MST_RD_RESP_RECEIVED, 1);
                    ts_noc_niu_count(self, TS_NOC_MST_RD_DATA_WORD_RECEIVED,
                                     ts_noc_words(self, packet));
                } else {
                    ts_noc_niu_count(self, TS_NOC_MST_ATOMIC_RESP_RECEIVED, 1);
                }
                ts_noc_niu_outstanding(
                    self, id, self->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id] - 1, now);
            }
            received(self, packet);
        }
        pop_pending(&self->commits);
    }
}

// Writes the words that an atomic has changed, or the one it addressed: its neighbours in the 16
// bytes keep their last writer.
static const char *write_back(struct ts_noc_niu *self, uint32_t address, const uint32_t before[4],
                              const uint32_t words[4], ts_cycle now)
{
    uint32_t first = 0, last = 3;
    while (first < 3 && words[first] == before[first])
        first++;
    while (last > first && words[last] == before[last])
        last--;
    if (words[first] == before[first])
        first = last = address / 4 % 4;
    return self->memory->write(self->context, (address & ~15u) + 4 * first, words + first,
                               4 * (last - first + 1), now);
}

static void perform(struct ts_noc_niu *self, ts_cycle now)
{
    while (self->atomics.count && first_pending(&self->atomics)->due <= now) {
        const struct ts_noc_pending *pending = first_pending(&self->atomics);
        struct ts_noc_packet *packet = pending->train.packet;
        uint32_t words[4] = {0}, before[4], result = 0, address = (uint32_t)packet->address;
        const char *why = self->memory->read(self->context, address & ~15u, words, sizeof words,
                                             now);
        memcpy(before, words, sizeof before);
        if (why == NULL)
            why = ts_noc_atomic(packet->operation, packet->data, address, words, &result);
        sign(self, packet);
        if (why == NULL)
            why = write_back(self, address, before, words, now);
        observe(self, packet, address & ~3u, 4);
        if (why)
            ts_fault(&self->base, now, ts_noc_code(why), "atomic 0x%x from %u-%u at 0x%x: %s",
                     packet->operation, packet->from.x, packet->from.y, address, why);
        if (packet->posted) {
            ts_noc_link_give(self->down, now, now, pending->train.vc, pending->train.flits, true);
        } else {
            struct ts_noc_packet *response = answer(self, &pending->train, TS_NOC_ATOMIC_RESPONSE,
                                                    0, now);
            if (response == NULL)
                return;
            response->data = result;
            response->ready = now + (ts_cycle)self->fabric->params.response;
            enqueue(&self->brief, response);
        }
        received(self, packet);
        pop_pending(&self->atomics);
    }
}

ts_cycle ts_noc_niu_receive(struct ts_noc_niu *self, ts_cycle now)
{
    struct ts_noc_train train;
    while (ts_noc_link_receive(self->down, now, &train)) {
        ts_busy_until(&self->base, now + train.flits);
        arrive(self, &train, now);
    }
    while (self->held.count && first_pending(&self->held)->due <= now) {
        const struct ts_noc_train *one = &first_pending(&self->held)->train;
        ts_noc_link_give(self->down, now, now, one->vc, one->flits, true);
        pop_pending(&self->held);
    }
    commit(self, now);
    perform(self, now);
    ts_cycle when = self->commits.count ? first_pending(&self->commits)->due : TS_NEVER;
    if (self->held.count && first_pending(&self->held)->due < when)
        when = first_pending(&self->held)->due;
    if (self->atomics.count && first_pending(&self->atomics)->due < when)
        when = first_pending(&self->atomics)->due;
    return when;
}
