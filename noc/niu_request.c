// Requests: turns an initiator's registers into a packet, or refuses them (rules.h).
#include "noc/rules.h"

uint64_t ts_noc_request_address(const uint32_t *word, uint32_t lo)
{
    return word[lo] | (uint64_t)word[lo + 1] << 32;
}

// The length a request moves, all packets together.
static uint64_t total_length(const struct ts_machine *machine, const uint32_t *word)
{
    uint32_t ctrl = word[TS_NOC_CTRL];
    if ((ctrl & TS_NOC_CTRL_TYPE) == TS_NOC_ATOMIC)
        return 4;
    if ((ctrl & TS_NOC_CTRL_TYPE) == TS_NOC_WRITE && ctrl & TS_NOC_CTRL_WR_INLINE)
        return 4;
    if ((ctrl & TS_NOC_CTRL_TYPE) == TS_NOC_WRITE && ctrl & TS_NOC_CTRL_WR_BE)
        return machine->noc_word;
    return word[TS_NOC_AT_LEN_BE] | (uint64_t)word[TS_NOC_AT_LEN_BE_1] << 32;
}

// --- building a request ---

static struct ts_noc_xy place(const struct ts_noc_niu *self, uint32_t hi, uint32_t shift)
{
    return ts_noc_translate(self->config, self->fabric->machine->noc_entry_bits, hi >> shift & 63,
                            hi >> (shift + 6) & 63);
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
    const uint32_t *word = initiator->word, most = self->fabric->machine->noc_packet;
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
    packet->length = (uint32_t)(initiator->left < most ? initiator->left : most);
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

static void log_issue(struct ts_noc_niu *self, const struct ts_noc_initiator *initiator,
                      const struct ts_noc_packet *request, ts_cycle now)
{
    struct ts_noc_log *log = self->log;
    if (!TS_GROW(log->events, log->count, log->room))
        return; // the trace ends here
    uint64_t length = initiator->left;
    log->events[log->count++] = (struct ts_noc_event){
        .cycle = now,
        .ctrl = initiator->word[TS_NOC_CTRL],
        .length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length,
        .to = ts_noc_mirror(self->fabric, self->noc, request->to),
        .start = ts_noc_mirror(self->fabric, self->noc, request->start),
        .proc = (uint8_t)initiator->proc,
        .vc = request->vc_static ? (int8_t)request->vc : -1,
    };
}

enum ts_code ts_noc_niu_issue(struct ts_noc_niu *self, unsigned index, unsigned proc, ts_cycle now,
                              struct ts_error *error)
{
    struct ts_noc_initiator *initiator = &self->initiators[index];
    const uint32_t most = self->fabric->machine->noc_packet;
    initiator->left = total_length(self->fabric->machine, initiator->word);
    initiator->proc = proc;
    struct ts_noc_packet request = {.kind = 0};
    ts_noc_request_build(self, initiator, &request);
    if (ts_noc_rules_check(self, initiator->word, &request, initiator->left, error) != TS_OK)
        return error->code;
    initiator->split = initiator->left > most;
    const bool follows = self->open.yes; // a linked one, on its channel
    self->open = (struct ts_noc_linked){.yes = request.linked,
                                        .broadcast = request.broadcast,
                                        .y_major = request.y_major,
                                        .vc_static = request.vc_static,
                                        .vc = request.vc,
                                        .to = request.to,
                                        .start = request.start};
    uint32_t ctrl = initiator->word[TS_NOC_CTRL], id = initiator->word[TS_NOC_TAG] >> 10 & 15;
    enum ts_noc_kind kind = ctrl & TS_NOC_CTRL_TYPE;
    uint32_t packets = (uint32_t)((initiator->left + most - 1) / most);
    if (kind == TS_NOC_READ || ctrl & TS_NOC_CTRL_RESP_MARKED)
        ts_noc_niu_outstanding(self, id,
                               self->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id] + packets, now);
    if (self->fabric->hidden && (kind == TS_NOC_READ || ctrl & TS_NOC_CTRL_RESP_MARKED))
        self->ahead[kind == TS_NOC_READ    ? TS_NOC_MST_RD_RESP_RECEIVED
                    : kind == TS_NOC_WRITE ? TS_NOC_MST_WR_ACK_RECEIVED
                                           : TS_NOC_MST_ATOMIC_RESP_RECEIVED] +=
            packets * (request.broadcast ? ts_noc_request_receivers(self, &request) : 1);
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
        log_issue(self, initiator, &request, now);
    if (self->issued) {
        ts_check_trip_drop(initiator->trip);
        request.linked |= follows;
        initiator->trip = self->issued(self->context, self, proc, &request, packets, now);
    }
    if (self->status.waiters)
        ts_wake_all(&self->status, now + 1);
    ts_wake(&self->base, initiator->ready);
    return TS_OK;
}
