#include "noc/niu.h"

#include "platform/kernel/kernel.h"

#define OFFSET_NODE_ID     0x044u
#define OFFSET_ENDPOINT_ID 0x048u
#define OFFSET_CLEAR_IDS   0x060u
#define OFFSET_CONFIG      0x100u
#define OFFSET_COUNTERS    0x200u
#define OFFSET_RTZ_NUM     0x378u
#define OFFSET_RTZ_SOURCE  0x37cu

// --- interrupt status ---

static uint32_t raised(const struct ts_noc_niu *self)
{
    return self->rtz_source & self->config[TS_NOC_CFG_RTZ] & 0xffff;
}

static void set_source(struct ts_noc_niu *self, uint32_t source, ts_cycle now)
{
    bool before = raised(self) != 0;
    self->rtz_source = source;
    bool after = raised(self) != 0;
    if (before != after && self->interrupt)
        self->interrupt(self->context, self->noc, after, now);
}

void ts_noc_niu_outstanding(struct ts_noc_niu *self, uint32_t id, uint32_t value, ts_cycle now)
{
    uint32_t *counter = &self->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id];
    uint32_t before = *counter;
    *counter = value & 0xff;
    self->changed = true;
    if (before != 0 && *counter == 0)
        set_source(self, self->rtz_source | 1u << id, now);
}

static uint32_t read_rtz_num(struct ts_noc_niu *self, ts_cycle now)
{
    uint32_t pending = raised(self);
    if (pending == 0)
        return 0;
    uint32_t index = (uint32_t)__builtin_ctz(pending);
    if ((self->config[TS_NOC_CFG_RTZ] >> 28 & 1) == 0)
        set_source(self, self->rtz_source & ~(1u << index), now);
    return index;
}

// --- registers ---

static uint32_t counter_of(const struct ts_noc_niu *self, uint32_t index)
{
    if (self->fabric->hidden && index < sizeof self->ahead / sizeof *self->ahead)
        return self->ahead[index];
    if (self->fabric->hidden && index - TS_NOC_MST_REQS_OUTSTANDING_ID < TS_NOC_IDS)
        return 0;
    return self->counters[index];
}

enum ts_code ts_noc_niu_load(struct ts_noc_niu *self, uint32_t offset, ts_cycle now,
                             uint32_t *value, struct ts_error *error)
{
    const uint32_t asked = offset;
    *value = 0;
    offset = ts_noc_niu_home(self, asked);
    uint32_t initiator = offset / TS_NOC_BUF_STRIDE, within = offset % TS_NOC_BUF_STRIDE;
    if (offset % 4 || initiator >= TS_NOC_INITIATORS)
        return ts_fail(error, TS_CONTRACT, "NoC %u has no register at +0x%x", self->noc, asked);
    if (within == OFFSET_NODE_ID)
        *value = self->node_id;
    else if (within == OFFSET_ENDPOINT_ID)
        *value = self->endpoint_id;
    else if (within < 4 * TS_NOC_INITIATOR_WORDS)
        *value = ts_noc_initiator_word(self->fabric->machine, &self->initiators[initiator],
                                       within / 4);
    else if (initiator != 0)
        return ts_fail(error, TS_NOT_IMPLEMENTED, "NoC %u register +0x%x is not implemented",
                       self->noc, asked);
    else if (offset >= OFFSET_COUNTERS && offset < OFFSET_COUNTERS + 4 * TS_NOC_COUNTERS)
        *value = counter_of(self, (offset - OFFSET_COUNTERS) / 4);
    else if (offset >= OFFSET_CONFIG && offset < OFFSET_CONFIG + 4 * TS_NOC_CFG_WORDS)
        *value = self->config[(offset - OFFSET_CONFIG) / 4];
    else if (offset == OFFSET_RTZ_NUM)
        *value = read_rtz_num(self, now);
    else if (offset == OFFSET_RTZ_SOURCE)
        *value = self->rtz_source;
    else
        return ts_fail(error, TS_NOT_IMPLEMENTED, "NoC %u register +0x%x is not implemented",
                       self->noc, asked);
    return TS_OK;
}

static bool splits(const struct ts_machine *machine, uint32_t word)
{
    return (word == TS_NOC_TARG_MID || word == TS_NOC_RET_MID) &&
           ts_machine_has(machine, TS_RULE_place_in_mid);
}

uint32_t ts_noc_initiator_word(const struct ts_machine *machine,
                               const struct ts_noc_initiator *self, uint32_t word)
{
    const uint32_t value = self->word[word];
    return splits(machine, word) ? value | self->word[word + 1] << 4 : value;
}

void ts_noc_initiator_set(const struct ts_machine *machine, struct ts_noc_initiator *self,
                          uint32_t word, uint32_t value)
{
    if (splits(machine, word)) {
        self->word[word + 1] = value >> 4;
        value &= 15;
    }
    self->word[word] = word == TS_NOC_TAG ? value & 0xffff : value;
}

static enum ts_code store_initiator(struct ts_noc_niu *self, uint32_t index, uint32_t word,
                                    uint32_t value, unsigned proc, ts_cycle now,
                                    struct ts_error *error)
{
    struct ts_noc_initiator *initiator = &self->initiators[index];
    if (initiator->word[TS_NOC_CMD_CTRL] & 1)
        return ts_fail(error, TS_CONTRACT,
                       "NoC %u initiator %u is written while its request waits for a channel",
                       self->noc, index);
    if (word == TS_NOC_CMD_CTRL)
        return value & 1 ? ts_noc_niu_issue(self, index, proc, now, error) : TS_OK;
    if (word > TS_NOC_BRCST_EXCLUDE && value != 0)
        return ts_fail(error, TS_NOT_IMPLEMENTED,
                       "NoC %u register +0x%x of an initiator is not implemented", self->noc,
                       4 * word);
    ts_noc_initiator_set(self->fabric->machine, initiator, word, value);
    return TS_OK;
}

enum ts_code ts_noc_niu_store(struct ts_noc_niu *self, uint32_t offset, uint32_t value,
                              unsigned proc, ts_cycle now, struct ts_error *error)
{
    const uint32_t asked = offset;
    offset = ts_noc_niu_home(self, asked);
    uint32_t initiator = offset / TS_NOC_BUF_STRIDE, within = offset % TS_NOC_BUF_STRIDE;
    if (offset % 4 || initiator >= TS_NOC_INITIATORS)
        return ts_fail(error, TS_CONTRACT, "NoC %u has no register at +0x%x", self->noc, asked);
    if (within < 4 * TS_NOC_INITIATOR_WORDS)
        return store_initiator(self, initiator, within / 4, value, proc, now, error);
    if (offset == OFFSET_CLEAR_IDS) {
        for (uint32_t id = 0; id < TS_NOC_IDS; id++)
            if (value >> id & 1)
                self->counters[TS_NOC_MST_REQS_OUTSTANDING_ID + id] = 0;
        ts_wake_all(&self->status, now + 1);
        return TS_OK;
    }
    if (offset >= OFFSET_CONFIG && offset < OFFSET_CONFIG + 4 * TS_NOC_CFG_WORDS) {
        uint32_t word = (offset - OFFSET_CONFIG) / 4;
        if (word == TS_NOC_CFG_RTZ_CLEAR) {
            set_source(self, self->rtz_source & ~value, now);
        } else {
            self->config[word] = value;
            set_source(self, self->rtz_source, now);
        }
        return TS_OK;
    }
    if (offset >= OFFSET_COUNTERS && offset < OFFSET_COUNTERS + 4 * TS_NOC_COUNTERS)
        return ts_fail(error, TS_CONTRACT, "NoC %u register +0x%x can only be read", self->noc,
                       asked);
    return ts_fail(error, TS_NOT_IMPLEMENTED, "NoC %u register +0x%x is not implemented", self->noc,
                   asked);
}

// --- the component ---

static ts_step step(struct ts_component *base, ts_cycle now)
{
    struct ts_noc_niu *self = (struct ts_noc_niu *)base;
    self->changed = false;
    ts_cycle when = ts_noc_niu_receive(self, now);
    ts_cycle next = ts_noc_niu_send(self, now);
    when = next < when ? next : when;
    if (self->reads.first) {
        next = ts_noc_niu_take_reads(self, now);
        when = next < when ? next : when;
    }
    if (self->changed && self->status.waiters)
        ts_wake_all(&self->status, now + 1);
    // A request without a channel, or without room on it, waits; answers still come in.
    if (self->stuck)
        ts_alert(base, now, TS_STALL_FIFO_FULL, &self->up->trains.object);
    else
        ts_idle(base, now);
    if (when != TS_NEVER)
        ts_wake(base, when > now ? when : now + 1);
    return 0;
}

bool ts_noc_niu_busy(const struct ts_noc_niu *self)
{
    return self->queued || self->active || self->data.first || self->brief.first ||
           self->reads.first || self->commits.count || self->atomics.count;
}

static const struct ts_counter counters[] = {
    {"sent", "packets", "packets that left, answers too", offsetof(struct ts_noc_niu, sent)},
    {"received", "packets", "packets that arrived, answers too",
     offsetof(struct ts_noc_niu, received)},
    {"bytes_out", "bytes", "payload that left", offsetof(struct ts_noc_niu, bytes_out)},
    {"bytes_in", "bytes", "payload that arrived", offsetof(struct ts_noc_niu, bytes_in)},
    {0},
};
static const struct ts_component_ops ops = {.kind = "niu", .step = step, .counters = counters};

const struct ts_noc_niu *ts_noc_niu_of(const struct ts_component *component)
{
    return component->ops == &ops ? (const struct ts_noc_niu *)component : NULL;
}

static struct ts_component *holder(const struct ts_object *status)
{
    struct ts_noc_niu *self = (struct ts_noc_niu *)((char *)status -
                                                    offsetof(struct ts_noc_niu, status));
    return &self->base;
}

void ts_noc_niu_connect(struct ts_noc_niu *self, const struct ts_noc_memory *memory, void *context,
                        unsigned port)
{
    const struct ts_noc_fabric *fabric = self->fabric;
    self->memory = memory;
    self->context = context;
    self->port = port;
    // As many as the buffers of the down link hold, and those on their way from there to memory: one a cycle, and to DRAM two
    // packets in all.
    uint32_t most = TS_NOC_VCS * ts_noc_link_most(&fabric->params) +
                    (uint32_t)fabric->params.memory_write;
    if (self->memory->admit)
        most += 2 * ts_noc_flits(&fabric->params, fabric->machine->noc_packet);
    uint32_t entries = 64;
    while (entries < most)
        entries *= 2;
    struct ts_kernel *kernel = ts_domain_kernel(self->base.domain);
    struct ts_noc_pendings *rings[] = {&self->commits, &self->atomics, &self->held};
    for (int i = 0; i < (self->memory->admit || self->memory->begin ? 3 : 2); i++) {
        if (rings[i]->mask >= entries - 1)
            continue;
        rings[i]->ring = ts_kernel_alloc_sparse(kernel, entries * sizeof *rings[i]->ring);
        rings[i]->mask = entries - 1;
    }
}

void ts_noc_niu_init(struct ts_noc_niu *self, struct ts_domain *domain,
                     const struct ts_noc_niu_description *description)
{
    const struct ts_noc_fabric *fabric = description->fabric;
    self->fabric = fabric;
    self->noc = description->noc;
    self->shape = ts_noc_fabric_shape(fabric, self->noc);
    self->here = ts_noc_mirror(fabric, self->noc, description->tile);
    self->linked_vc = -1;
    self->node_id = self->here.x | (uint32_t)self->here.y << 6 | (uint32_t)fabric->width << 12 |
                    (uint32_t)fabric->height << 19 |
                    (uint32_t)(self->here.x == fabric->width - 1) << 26 |
                    (uint32_t)(self->here.y == fabric->height - 1) << 27 |
                    (uint32_t)self->shape.x_first << 28;
    self->endpoint_id = description->endpoint_id | self->noc << 24;
    self->config[TS_NOC_CFG_LOGICAL] = self->here.x | (uint32_t)self->here.y << 6;
    ts_component_init(&self->base, &ops, domain, "niu%u%s", self->noc, description->name);
    ts_noc_niu_connect(self, description->memory, description->context, description->port);
    ts_resource_init(&self->status, domain, holder, "niu%u%s.status", self->noc, description->name);
}

void ts_noc_niu_free(struct ts_noc_niu *self)
{
    for (uint32_t i = 0; i < TS_NOC_INITIATORS; i++)
        ts_check_trip_drop(self->initiators[i].trip);
    ts_noc_pool_free(&self->pool);
    if (self->log)
        free(self->log->events);
    free(self->log);
}
