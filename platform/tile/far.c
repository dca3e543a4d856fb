// Polls over the network; see far.h.
#include "platform/tile/far.h"

#include "noc/dram.h"
#include "platform/kernel/cluster.h"
#include "platform/tile/nodes.h"
#include "platform/tile/watchdog.h"

#define COUNTERS 0x200u // from there

// --- where what is

struct ts_far ts_far_of(const struct ts_kernel *kernel)
{
    struct ts_far self = {.chips = 1};
    for (size_t d = 0; d < ts_kernel_domain_count(kernel); d++)
        if (ts_kernel_domain(kernel, d)->place > self.chips)
            self.chips = ts_kernel_domain(kernel, d)->place;
    self.chip = calloc(self.chips, sizeof *self.chip);
    for (size_t d = 0; self.chip && d < ts_kernel_domain_count(kernel); d++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, d);
        struct ts_far_chip *chip = &self.chip[domain->place ? domain->place - 1 : 0];
        for (uint32_t i = 0; i < domain->count; i++) {
            const struct ts_noc_niu *niu = ts_noc_niu_of(domain->components[i]);
            if (niu && niu->noc == 0)
                chip->niu[niu->here.y][niu->here.x] = niu;
        }
    }
    return self;
}

void ts_far_free(struct ts_far *self)
{
    free(self->chip);
    self->chip = NULL;
}

const struct ts_noc_niu *ts_far_niu(const struct ts_far *self, const struct ts_tile *from,
                                    struct ts_noc_xy at)
{
    return self->chip && from->chip < self->chips && at.x < TS_NOC_WIDTH_MAX &&
                   at.y < TS_NOC_HEIGHT_MAX
               ? self->chip[from->chip].niu[at.y][at.x]
               : NULL;
}

const void *ts_far_memory(const struct ts_far *self, const struct ts_tile *from,
                          struct ts_noc_xy at)
{
    const struct ts_noc_niu *niu = ts_far_niu(self, from, at);
    return niu ? niu->context : NULL;
}

// The bytes at a place now. False: the address is not memory.
static bool fetch(const struct ts_far *self, const struct ts_tile *from, struct ts_noc_xy at,
                  uint64_t address, void *bytes, uint32_t length)
{
    const struct ts_noc_niu *niu = ts_far_niu(self, from, at);
    if (niu == NULL)
        return false;
    if (ts_dram_of(niu))
        return ts_dram_read(niu->context, address, bytes, length) == NULL;
    if (niu->memory != &ts_tile_memory || address >= TS_L1_SIZE ||
        !ts_l1_contains((uint32_t)address, length))
        return false;
    memcpy(bytes, ((const struct ts_tile *)niu->context)->l1.bytes + address, length);
    return true;
}

// --- a round

// The tile's network interfaces, as the loop uses them.
struct asking {
    const struct ts_tile *tile;
    const struct ts_far *far;
    struct ts_far_poll *poll;
    struct ts_noc_initiator initiators[TS_NOC_COUNT][TS_NOC_INITIATORS];
    uint32_t sent[TS_NOC_COUNT]; // reads
    struct ts_watch_steps clock;
};

static const struct ts_noc_niu *own_niu(const struct asking *self, unsigned noc)
{
    return self->tile->window[TS_DEVICE_NOC0 + noc].context;
}

// A register as it will be when everything that was sent is answered: the loop only waits for that.
static bool look_at_word(void *context, unsigned core, uint32_t address, unsigned size,
                         uint32_t *value)
{
    struct asking *self = context;
    uint32_t offset = ts_niu_offset(self->tile, address), noc = offset >> 16, in = offset % 0x10000;
    if (ts_look_at_clock(&self->clock, address, size, value))
        return true;
    if (offset >= 0x20000 || own_niu(self, noc) == NULL)
        return ts_tile_look((void *)self->tile, core, address, size, value);
    if (size != 4)
        return false;
    const uint32_t *counters = own_niu(self, noc)->counters, index = (in - COUNTERS) / 4;
    if (in % TS_NOC_BUF_STRIDE < 4 * TS_NOC_INITIATOR_WORDS &&
        in / TS_NOC_BUF_STRIDE < TS_NOC_INITIATORS) {
        *value = ts_noc_initiator_word(self->tile->config.machine,
                                       &self->initiators[noc][in / TS_NOC_BUF_STRIDE],
                                       in % TS_NOC_BUF_STRIDE / 4);
        return true;
    }
    if (in < COUNTERS || index >= TS_NOC_COUNTERS)
        return ts_tile_look((void *)self->tile, core, address, size, value);
    if (index - TS_NOC_MST_REQS_OUTSTANDING_ID < TS_NOC_IDS) {
        *value = 0;
        return true;
    }
    if (index != TS_NOC_MST_RD_RESP_RECEIVED)
        return index <= TS_NOC_MST_WR_ACK_RECEIVED && // nothing that counts reads
               ts_tile_look((void *)self->tile, core, address, size, value);
    *value = counters[index] + self->sent[noc];
    for (unsigned id = 0; id < TS_NOC_IDS; id++)
        *value += counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id];
    return true;
}

// A read that brings what is already there.
static bool send(struct asking *self, uint32_t pc, unsigned noc, unsigned index)
{
    const struct ts_noc_niu *niu = own_niu(self, noc);
    const struct ts_noc_initiator *initiator = &self->initiators[noc][index];
    struct ts_noc_packet request = {.kind = 0};
    unsigned char bytes[TS_NOC_PACKET_MAX];
    uint32_t length = initiator->word[TS_NOC_AT_LEN_BE];
    ts_noc_request_build(niu, initiator, &request);
    if (request.kind != TS_NOC_READ || request.broadcast || request.linked || length == 0 ||
        length > niu->fabric->machine->noc_packet || initiator->word[TS_NOC_AT_LEN_BE_1] != 0 ||
        request.back.x != niu->here.x || request.back.y != niu->here.y ||
        request.back_address >= TS_L1_SIZE ||
        !ts_l1_contains((uint32_t)request.back_address, length))
        return false;
    struct ts_far_read read = {.to = ts_noc_mirror(niu->fabric, noc, request.to),
                               .address = request.address,
                               .length = length,
                               .back = (uint32_t)request.back_address,
                               .pc = pc,
                               .noc = (uint8_t)noc};
    if (!fetch(self->far, self->tile, read.to, read.address, bytes, length) ||
        memcmp(bytes, self->tile->l1.bytes + read.back, length) != 0)
        return false;
    self->sent[noc]++;
    struct ts_far_poll *poll = self->poll;
    for (unsigned i = 0; i < poll->reads; i++)
        if (poll->read[i].address == read.address && poll->read[i].back == read.back &&
            poll->read[i].length == read.length && poll->read[i].to.x == read.to.x &&
            poll->read[i].to.y == read.to.y && poll->read[i].noc == read.noc)
            return true;
    if (poll->reads == TS_FAR_READS)
        return false;
    poll->read[poll->reads++] = read;
    return true;
}

static bool touch(void *context, uint32_t pc, uint32_t address, uint32_t value)
{
    struct asking *self = context;
    uint32_t offset = ts_niu_offset(self->tile, address), noc = offset >> 16, in = offset % 0x10000,
             index = in / TS_NOC_BUF_STRIDE, word = in % TS_NOC_BUF_STRIDE / 4;
    if (offset >= 0x20000 || own_niu(self, noc) == NULL || index >= TS_NOC_INITIATORS ||
        word >= TS_NOC_INITIATOR_WORDS)
        return false;
    if (word == TS_NOC_CMD_CTRL)
        return value == 1 && send(self, pc, noc, index);
    ts_noc_initiator_set(self->tile->config.machine, &self->initiators[noc][index], word, value);
    return true;
}

static bool overlap(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length)
{
    return a < b + b_length && b < a + a_length;
}

// The same by one of two clocks.
static bool asks(struct asking *self, const struct ts_rv_core *core, struct ts_rv_spin *spin,
                 struct ts_far_poll *poll, unsigned clock)
{
    memset(poll, 0, sizeof *poll);
    memset(self->sent, 0, sizeof self->sent);
    self->clock = ts_steps(self->tile->domain->now, clock);
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        if (own_niu(self, noc))
            memcpy(self->initiators[noc], own_niu(self, noc)->initiators,
                   sizeof self->initiators[noc]);
        for (unsigned i = 0; i < TS_NOC_INITIATORS; i++)
            self->initiators[noc][i].word[TS_NOC_CMD_CTRL] = 0;
    }
    const struct ts_rv_world world = {look_at_word, touch, self};
    bool proved = ts_rv_drifts(core, &world, spin, &poll->drift) && poll->reads && spin->polls;
    for (unsigned i = 0; i < poll->reads; i++)
        for (uint32_t s = 0; s < poll->drift.stores; s++)
            proved &= !overlap(poll->read[i].back, poll->read[i].length, poll->drift.store[s], 4);
    return proved;
}

bool ts_core_asks(const struct ts_rv_core *core, const struct ts_far *far, struct ts_rv_spin *spin,
                  struct ts_far_poll *poll)
{
    struct asking *self = calloc(1, sizeof *self);
    if (self == NULL)
        return false;
    self->tile = core->bus->context;
    self->far = far;
    self->poll = poll;
    const bool proved = asks(self, core, spin, poll, 0) &&
                        (ts_delays(spin) == TS_DELAYS_NOT ||
                         (ts_delays(spin) == TS_DELAYS_POLLS && asks(self, core, spin, poll, 1)));
    free(self);
    return proved;
}

const struct ts_far_read *ts_far_copied(const struct ts_far_poll *self, uint32_t address)
{
    for (unsigned i = 0; i < self->reads; i++)
        if (address - self->read[i].back < self->read[i].length)
            return &self->read[i];
    return NULL;
}

// --- all cores

static bool on_network(const struct ts_component *component)
{
    const char *kind = component->ops->kind;
    return strcmp(kind, "niu") == 0 || strcmp(kind, "router") == 0;
}

// Does anything else than cores and the network work?
static bool works(const struct ts_component *c)
{
    bool scheduled = c->asleep == TS_AWAKE || c->asleep == TS_STALLED || c->when != TS_NEVER;
    return scheduled && ts_core_of(c) == NULL && !on_network(c);
}

static bool changes_memory(const struct ts_noc_packet *packet)
{
    return packet->kind == TS_NOC_WRITE || packet->kind == TS_NOC_ATOMIC;
}

// Is a write or an atomic on its way from the interface, or not yet in its memory?
static bool writes(const struct ts_noc_niu *niu)
{
    for (const struct ts_noc_packet *p = niu->pool.made; p; p = p->made)
        if (p->holders && changes_memory(p))
            return true;
    for (uint32_t i = 0; i < niu->queued; i++)
        if ((niu->initiators[niu->queue[i]].word[TS_NOC_CTRL] & TS_NOC_CTRL_TYPE) != TS_NOC_READ)
            return true;
    for (uint32_t i = 0; i < niu->commits.count; i++)
        if (changes_memory(
                niu->commits.ring[(niu->commits.first + i) & niu->commits.mask].train.packet))
            return true;
    return niu->atomics.count != 0;
}

struct look { // at one core
    const struct ts_rv_core *core;
    struct ts_far_poll poll; // what the core stores, and what it reads, if it does
};

struct search {
    const struct ts_far *far;
    struct look *look; // of loops that store or ask
    size_t count;
};

// Has the core's tile an answer to come that the loop of another core does not wait for itself?
static bool awaits(const struct ts_rv_core *core)
{
    const struct ts_tile *tile = core->bus->context;
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const struct ts_noc_niu *niu = tile->window[TS_DEVICE_NOC0 + noc].context;
        for (unsigned id = 0; niu && id < TS_NOC_IDS; id++)
            if (niu->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id])
                return true;
    }
    return false;
}

static bool polls_network(const struct ts_rv_spin *spin)
{
    for (uint32_t i = 0; i < spin->polls; i++)
        if (ts_at_niu(spin->poll[i].address))
            return true;
    return false;
}

static bool loops(struct search *self, const struct ts_rv_core *core, bool *asks)
{
    struct ts_rv_spin spin;
    struct look *look = &self->look[self->count];
    const struct ts_component *c = &core->component;
    if (ts_rv_core_view(core).ended)
        return true;
    if (ts_core_spins(core, &spin) && !(polls_network(&spin) && awaits(core)))
        return true;
    look->core = core;
    if (ts_core_asks(core, self->far, &spin, &look->poll)) {
        self->count++;
        *asks = true;
        return true;
    }
    look->poll.reads = 0;
    if (ts_core_drifts(core, &spin, &look->poll.drift) && spin.polls &&
        !(polls_network(&spin) && awaits(core))) {
        self->count++;
        return true;
    }
    // Asleep until another component acts, and that is not the network.
    return c->asleep == TS_BLOCKED && c->when == TS_NEVER && !ts_rv_core_view(core).parked &&
           !awaits(core);
}

// No loop reads what another one stores, and no two use one interface.
static bool apart(const struct search *self)
{
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->count; k++) {
            const struct look *a = &self->look[i], *b = &self->look[k];
            const void *tile = b->core->bus->context, *from = a->core->bus->context;
            for (unsigned r = 0; r < a->poll.reads; r++) {
                const struct ts_far_read *read = &a->poll.read[r];
                for (unsigned q = 0; i != k && q < b->poll.reads; q++)
                    if (a->core->bus->context == tile && read->noc == b->poll.read[q].noc)
                        return false;
                for (uint32_t s = 0; s < b->poll.drift.stores; s++)
                    if (ts_far_memory(self->far, from, read->to) == tile &&
                        overlap(read->address, read->length, b->poll.drift.store[s], 4))
                        return false;
            }
        }
    for (size_t i = 0; i < self->count; i++)
        for (uint32_t s = 0; s < self->look[i].poll.drift.stores; s++)
            if (ts_core_read_by_others(self->look[i].core, self->look[i].poll.drift.store[s]))
                return false;
    return true;
}

static bool all_loop(const struct ts_kernel *kernel, struct search *self)
{
    bool asks = false; // perhaps in another process
    for (size_t d = 0; d < ts_kernel_domain_count(kernel); d++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, d);
        asks |= ts_domain_elsewhere(domain);
        for (uint32_t i = 0; !ts_domain_elsewhere(domain) && i < domain->count; i++) {
            const struct ts_rv_core *core = ts_core_of(domain->components[i]);
            if (core && !loops(self, core, &asks))
                return false;
        }
    }
    return asks && apart(self);
}

bool ts_far_hang(const struct ts_kernel *kernel)
{
    size_t cores = 0;
    // First what is cheap to see.
    for (size_t d = 0; d < ts_kernel_domain_count(kernel); d++) {
        const struct ts_domain *domain = ts_kernel_domain(kernel, d);
        for (uint32_t i = 0; !ts_domain_elsewhere(domain) && i < domain->count; i++) {
            const struct ts_noc_niu *niu = ts_noc_niu_of(domain->components[i]);
            cores += ts_core_of(domain->components[i]) != NULL;
            if (works(domain->components[i]) || (niu && writes(niu)))
                return false;
        }
    }
    struct ts_far far = ts_far_of(kernel);
    struct search search = {.far = &far, .look = calloc(cores + 1, sizeof *search.look)};
    bool hang = search.look && all_loop(kernel, &search);
    free(search.look);
    ts_far_free(&far);
    return hang;
}
