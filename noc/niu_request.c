// Requests: what software wrote into an initiator becomes a packet, or is refused.
//
// All checks are made at the store to NOC_CMD_CTRL, so that the fault names the core and its pc.
#include "noc/niu.h"

#include <stdio.h>
#include <stdlib.h>

#define TAG_OVERLAY      (1u << 6)
#define TAG_HEADER_STORE (1u << 9)
#define BRCST_KEEP_SKIP  0xffu

uint64_t ts_noc_request_address(const uint32_t *word, uint32_t lo)
{
    return word[lo] | (uint64_t)word[lo + 1] << 32;
}

static bool inside(const struct ts_noc_niu *self, struct ts_noc_xy at)
{
    return at.x < self->shape.width && at.y < self->shape.height;
}

// --- flags and places ---

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

uint32_t ts_noc_request_receivers(const struct ts_noc_niu *self, const struct ts_noc_packet *packet)
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

void ts_noc_request_build(const struct ts_noc_niu *self, const struct ts_noc_initiator *initiator,
                          struct ts_noc_packet *packet)
{
    const uint32_t *word = initiator->word;
    uint32_t ctrl = word[TS_NOC_CTRL];
    enum ts_noc_kind kind = ctrl & TS_NOC_CTRL_TYPE;
    uint64_t target = ts_noc_request_address(word, TS_NOC_TARG_LO),
             back = ts_noc_request_address(word, TS_NOC_RET_LO);
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
    ts_noc_request_build(self, initiator, &request);
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
        if (ts_noc_request_receivers(self, &request) == 0)
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
    ts_noc_request_build(self, initiator, &request);
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
