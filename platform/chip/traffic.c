#include "platform/chip/traffic.h"

enum { ANSWER_ATOMIC, ANSWER_WRITE, ANSWER_READ };

static unsigned answer_of(const struct ts_traffic_op *op)
{
    enum ts_noc_kind kind = op->word[TS_NOC_CTRL] & TS_NOC_CTRL_TYPE;
    return kind == TS_NOC_READ ? ANSWER_READ : kind == TS_NOC_WRITE ? ANSWER_WRITE : ANSWER_ATOMIC;
}

// The initiator that software uses for this kind of request: writes 0, reads 1, atomics 3.
static unsigned initiator_of(const struct ts_traffic_op *op)
{
    static const unsigned initiators[] = {3, 0, 1};
    return initiators[answer_of(op)];
}

static void issue(struct ts_traffic *self, struct ts_traffic_op *op, ts_cycle now)
{
    struct ts_noc_niu *niu = &self->site->niu[op->noc];
    struct ts_error error = {TS_OK, ""};
    memcpy(niu->initiators[initiator_of(op)].word, op->word, sizeof op->word);
    if (ts_noc_niu_issue(niu, initiator_of(op), self->proc, now, &error) != TS_OK)
        ts_fault(&self->base, now, error.code, "%s", error.text);
    self->expected[op->noc][answer_of(op)] += op->answers;
    self->expects[op->noc] = true;
    if (self->issued++ == 0)
        op->started = now;
    op->ended = now;
    self->requests++;
}

static ts_step step_request(struct ts_traffic *self, struct ts_traffic_op *op, ts_cycle now)
{
    const struct ts_noc_niu *niu = &self->site->niu[op->noc];
    // Half of the work is done, then the core looks whether the initiator is free, then it writes
    // the registers.
    if (self->look > now)
        return self->look - now;
    if (!self->looked && niu->initiators[initiator_of(op)].word[TS_NOC_CMD_CTRL])
        return ts_block(&self->base, now, TS_STALL_EVENT, &niu->status);
    if (!self->looked) {
        self->looked = true;
        self->free = now + op->gap - op->gap / 2;
    }
    if (self->free > now)
        return self->free - now;
    self->looked = false;
    issue(self, op, now);
    self->look = now + (op->gap > 1 ? op->gap / 2 : 1);
    if (self->issued == op->count) {
        self->next++;
        self->issued = 0;
    }
    return 1;
}

static bool answered(const struct ts_traffic *self, unsigned noc)
{
    const uint32_t *counters = self->site->niu[noc].counters;
    for (unsigned i = 0; i < 3; i++)
        if (counters[TS_NOC_MST_ATOMIC_RESP_RECEIVED + i] != (uint32_t)self->expected[noc][i])
            return false;
    return true;
}

static bool all_sent(const struct ts_traffic *self, unsigned noc)
{
    const struct ts_noc_niu *niu = &self->site->niu[noc];
    for (unsigned id = 0; id < TS_NOC_IDS; id++)
        if (niu->counters[TS_NOC_MST_WRITE_REQS_OUTGOING_ID + id])
            return false;
    return niu->queued == 0;
}

static ts_step step_wait(struct ts_traffic *self, struct ts_traffic_op *op, ts_cycle now)
{
    if (self->issued++ == 0)
        op->started = now;
    if (op->kind == TS_TRAFFIC_WORD) {
        uint32_t value;
        const char *why = self->site->memory->read(self->site->context, op->address, &value,
                                                   sizeof value, now);
        if (why)
            return ts_fault(&self->base, now, ts_noc_code(why), "0x%x: %s", op->address, why);
        if (value != op->value)
            return op->gap ? op->gap : 1;
    } else {
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
            if (self->expects[noc] &&
                !(op->kind == TS_TRAFFIC_BARRIER ? answered(self, noc) : all_sent(self, noc)))
                return ts_block(&self->base, now, TS_STALL_EVENT, &self->site->niu[noc].status);
    }
    op->ended = now;
    self->next++;
    self->issued = 0;
    self->look = now + (op->gap ? op->gap : 1);
    return 1;
}

static ts_step step(struct ts_component *base, ts_cycle now)
{
    struct ts_traffic *self = (struct ts_traffic *)base;
    if (self->next == self->count)
        return ts_finish(base, now);
    struct ts_traffic_op *op = &self->ops[self->next];
    if (op->at > now)
        return op->at - now;
    return op->kind == TS_TRAFFIC_REQUEST ? step_request(self, op, now) : step_wait(self, op, now);
}

static const struct ts_counter counters[] = {
    {"requests", "requests", "NoC requests issued", offsetof(struct ts_traffic, requests)},
    {0},
};
static const struct ts_component_ops component_ops = {
    .kind = "traffic", .step = step, .counters = counters};

void ts_traffic_init(struct ts_traffic *self, struct ts_chip *chip, struct ts_noc_xy tile,
                     struct ts_traffic_op *ops, size_t count)
{
    memset(self, 0, sizeof *self);
    self->site = ts_chip_site(chip, tile);
    self->ops = ops;
    self->count = count;
    ts_component_init(&self->base, &component_ops, self->site->domain, "traffic%u",
                      self->site->drivers++);
}

// --- requests ---

static uint32_t packets_of(const struct ts_chip *chip, uint32_t length)
{
    return (length + chip->soc.machine->noc_packet - 1u) / chip->soc.machine->noc_packet;
}

// How software calls a tile: translated names are the same on both NoCs, without translation each
// NoC counts from its own corner.
static uint32_t name_of(const struct ts_chip *chip, unsigned noc, struct ts_noc_xy tile)
{
    struct ts_noc_xy logical = chip->soc.translation
                                   ? ts_soc_logical(&chip->soc, tile)
                                   : ts_noc_mirror(&chip->torus.fabric, noc, tile);
    return logical.x | (uint32_t)logical.y << 6;
}

static void set_address(struct ts_traffic_op *op, uint32_t lo, uint64_t address, uint32_t hi)
{
    op->word[lo] = (uint32_t)address;
    op->word[lo + 1] = (uint32_t)(address >> 32);
    op->word[lo + 2] = hi;
}

static struct ts_traffic_op request(const struct ts_chip *chip, unsigned noc, uint32_t command,
                                    struct ts_noc_xy from, uint64_t source, struct ts_noc_xy to,
                                    uint64_t target, uint32_t length, uint32_t answers)
{
    struct ts_traffic_op op = {
        .kind = TS_TRAFFIC_REQUEST, .noc = noc, .count = 1, .answers = answers};
    set_address(&op, TS_NOC_TARG_LO, source, name_of(chip, noc, from));
    set_address(&op, TS_NOC_RET_LO, target, name_of(chip, noc, to));
    op.word[TS_NOC_CTRL] = command;
    op.word[TS_NOC_AT_LEN_BE] = length;
    return op;
}

struct ts_traffic_op ts_traffic_write(const struct ts_chip *chip, unsigned noc,
                                      struct ts_noc_xy from, struct ts_noc_xy to, uint64_t source,
                                      uint64_t target, uint32_t length, int vc, bool posted)
{
    uint32_t command = TS_NOC_WRITE | (posted ? 0 : TS_NOC_CTRL_RESP_MARKED);
    if (vc >= 0)
        command |= TS_NOC_CTRL_VC_STATIC | (uint32_t)vc << TS_NOC_CTRL_VC_SHIFT;
    return request(chip, noc, command, from, source, to, target, length,
                   posted ? 0 : packets_of(chip, length));
}

struct ts_traffic_op ts_traffic_read(const struct ts_chip *chip, unsigned noc, struct ts_noc_xy by,
                                     struct ts_noc_xy from, uint64_t source, uint64_t target,
                                     uint32_t length)
{
    return request(chip, noc, TS_NOC_READ, from, source, by, target, length,
                   packets_of(chip, length));
}

struct ts_traffic_op ts_traffic_increment(const struct ts_chip *chip, unsigned noc,
                                          struct ts_noc_xy by, struct ts_noc_xy at, uint32_t target,
                                          uint32_t back, uint32_t value, bool posted)
{
    struct ts_traffic_op op = request(
        chip, noc, TS_NOC_ATOMIC | (posted ? 0 : TS_NOC_CTRL_RESP_MARKED), at, target, by, back,
        1u << 12 | 31u << 2 | (target / 4 & 3), posted ? 0 : 1);
    op.word[TS_NOC_AT_DATA] = value;
    return op;
}

// The corners of a rectangle as an address word; NoC 1 counts from the other corner.
static uint32_t rectangle(const struct ts_chip *chip, unsigned noc, struct ts_noc_xy first,
                          struct ts_noc_xy last)
{
    return name_of(chip, noc, noc ? first : last) | name_of(chip, noc, noc ? last : first) << 12;
}

void ts_traffic_spread(const struct ts_chip *chip, struct ts_traffic_op *op, struct ts_noc_xy first,
                       struct ts_noc_xy last)
{
    op->word[TS_NOC_TARG_HI] = rectangle(chip, op->noc, first, last);
    op->word[TS_NOC_CTRL] |= TS_NOC_CTRL_BRCST;
}

struct ts_traffic_op ts_traffic_multicast(const struct ts_chip *chip, unsigned noc,
                                          struct ts_noc_xy from, struct ts_noc_xy first,
                                          struct ts_noc_xy last, uint32_t source, uint32_t target,
                                          uint32_t length, uint32_t ctrl)
{
    struct ts_traffic_op op = ts_traffic_write(chip, noc, from, from, source, target, length, -1,
                                               false);
    op.word[TS_NOC_RET_HI] = rectangle(chip, noc, first, last);
    op.word[TS_NOC_CTRL] |= ctrl | TS_NOC_CTRL_BRCST;
    uint32_t receivers = 0;
    for (uint32_t i = 0; i < chip->soc.tiles; i++) {
        struct ts_noc_xy at = chip->tiles[i];
        bool in = at.x >= first.x && at.x <= last.x && at.y >= first.y && at.y <= last.y;
        bool self = at.x == from.x && at.y == from.y;
        receivers += in && (!self || ctrl & TS_NOC_CTRL_SRC_INCLUDE);
    }
    op.answers *= receivers;
    return op;
}
