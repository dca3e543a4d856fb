// A core of an Ethernet tile that waits for what comes over its link; see chip.h.
#include "platform/explain/chip.h"
#include "platform/tile/windows.h"

// Registers of a TX queue, from TS_ETH_BASE + 0x1000 * queue on, and its commands.
enum { CMD = 0x04, SIZE = 0x18, DEST = 0x1c, L1_WRITE = 2, REGISTER_WRITE = 4 };

bool ts_foreseen_sends(struct ts_foreseen_queue queues[TS_ETH_QUEUES], uint32_t address,
                       uint32_t value, bool vague, struct ts_foreseen *would)
{
    uint32_t index = (address - TS_ETH_BASE) >> 12;
    if (index >= TS_ETH_QUEUES)
        return false;
    struct ts_foreseen_queue *queue = &queues[index];
    switch (address & 0xfff) {
    case SIZE:
        queue->size = value;
        return false;
    case DEST:
        queue->to = value;
        queue->vague = vague;
        return false;
    case CMD:
        *would = (struct ts_foreseen){.kind = TS_WOULD_LINK,
                                      .address = queue->to,
                                      .length = value == REGISTER_WRITE ? 4 : queue->size,
                                      .sure = !queue->vague};
        return value == L1_WRITE || value == REGISTER_WRITE;
    default:
        return false;
    }
}

// Interfaces and queues are looked at on the way; words and counters are what others change.
bool ts_hang_serves(const struct ts_rv_spin *spin)
{
    unsigned others = 0;
    for (uint32_t i = 0; i < spin->polls; i++)
        others += spin->poll[i].address < TS_L1_SIZE ||
                  (spin->poll[i].address >= 0xffb40000 && spin->poll[i].address < TS_ETH_BASE);
    return others > 1;
}

bool ts_hang_link_ends(const struct ts_hang_chip *self, size_t tile, const struct ts_hang_node *n,
                       size_t by, const struct ts_foreseen *would)
{
    const struct ts_eth *here = self->of[by]->eth, *there = self->of[tile]->eth;
    if (here == NULL || there == NULL || here->other != there || n->address == TS_HANG_NO_PC)
        return false;
    if (n->address < TS_L1_SIZE)
        return n->address - would->address < would->length;
    return n->address >> 12 == would->address >> 12; // counters of a stream have several registers
}

static bool has_program(const struct ts_tile *tile, unsigned core)
{
    const struct ts_tile_program *program = &tile->programs[core];
    return program->bytes || program->path[0] || program->lines;
}

// The core at the other end that could send: one that never started its program, one that waits, otherwise the first.
static int other_core(const struct ts_hang_chip *self, const struct ts_eth *other, size_t *tile)
{
    static const unsigned cores[] = {TS_RV_BRISC, TS_RV_NCRISC};
    for (*tile = 0; *tile < self->count && self->of[*tile]->eth != other; ++*tile)
        ;
    if (*tile == self->count)
        return -1;
    const struct ts_hang_node *nodes = self->tiles[*tile].node;
    for (unsigned i = 0; i < 2; i++)
        if (nodes[TS_NODE_CORE + cores[i]].state == TS_HANG_ABSENT &&
            has_program(self->of[*tile], cores[i]))
            return (int)(TS_NODE_CORE + cores[i]);
    for (unsigned i = 0; i < 2; i++)
        if (nodes[TS_NODE_CORE + cores[i]].state >= TS_HANG_WAITS)
            return (int)(TS_NODE_CORE + cores[i]);
    return TS_NODE_CORE + TS_RV_BRISC;
}

void ts_hang_look_link(struct ts_hang_chip *self, size_t tile, int node)
{
    struct ts_hang_tile *story = &self->tiles[tile];
    struct ts_hang_node *n = &story->node[node];
    const struct ts_eth *eth = self->of[tile]->eth;
    bool over = n->to_tile >= 0 && self->of[n->to_tile]->chip != self->of[tile]->chip;
    if (eth == NULL || (n->to >= 0 && !over && !n->serves) || n->far.memory)
        return;
    if (story->say_count < TS_HANG_SAYS)
        ts_eth_text(eth, story->says[story->say_count++], sizeof story->says[0]);
    if (eth->other == NULL || !eth->up) {
        ts_eth_text(eth, n->never, sizeof n->never);
        return;
    }
    size_t at;
    int core = other_core(self, eth->other, &at);
    if (core < 0 || n->to >= 0)
        return;
    n->to = core;
    n->to_tile = (int)at;
    n->sure = false; // what it would send is not followed
    snprintf(n->kept, sizeof n->kept, "%s (chip %u eth %u waits for a packet from chip %u eth %u)",
             self->tiles[at].node[core].state == TS_HANG_ABSENT ? "never started"
                                                                : "has not sent it over the link",
             eth->chip, eth->channel, eth->other->chip, eth->other->channel);
}

// --- credits that were lost

// The first packet that `from` wrote to a tile behind its last credit; NULL: none.
static const struct ts_l1_range *uncredited(const struct ts_tile *tile, uint32_t from)
{
    const struct ts_l1_range *first = NULL;
    ts_cycle credited = 0;
    for (unsigned i = 0; i < TS_OVERLAY_STREAMS; i++)
        if (tile->overlay_writes[i].from == from && tile->overlay_writes[i].at > credited)
            credited = tile->overlay_writes[i].at;
    for (unsigned i = 0; i < TS_L1_RANGES; i++) {
        const struct ts_l1_range *range = &tile->l1.range[i];
        bool theirs = from == TS_FROM_LINK ? range->last.by == TS_BY_ETH
                                           : range->last.by == TS_BY_NOC && range->last.pc == from;
        if (range->last.word && theirs && range->last.at > credited &&
            (first == NULL || range->last.at < first->last.at))
            first = range;
    }
    return first;
}

static void tell_credit(const struct ts_tile *tile, struct ts_hang_node *n, uint32_t stream,
                        uint32_t has, const struct ts_overlay_write *credit,
                        const struct ts_l1_range *packet)
{
    const struct ts_eth *eth = tile->eth;
    char from[60];
    if (credit->from == TS_FROM_LINK && eth && eth->other)
        snprintf(from, sizeof from, "over the link from chip %u eth %u", eth->other->chip,
                 eth->other->channel);
    else
        snprintf(from, sizeof from, "from tile %u-%u", credit->from & 0xff, credit->from >> 8);
    ts_tile_register_name(tile, stream, n->object, sizeof n->object);
    snprintf(n->need.text, sizeof n->need.text, "has %u", has);
    snprintf(n->lost, sizeof n->lost,
             "%u bytes came %s to L1 0x%x at cycle %llu, and no credit for them: the last one came "
             "at cycle %llu",
             packet->length, from, (packet->last.word - 1) * 4, (unsigned long long)packet->last.at,
             (unsigned long long)credit->at);
    n->lost_likely = true; // what the bytes are is not known
}

bool ts_hang_look_credit(const struct ts_hang_chip *self, size_t *tile, int *node)
{
    ts_cycle first = TS_NEVER;
    for (size_t t = 0; t < self->count; t++)
        for (unsigned i = 0; i < TS_RV_CORES; i++) {
            struct ts_hang_node *n = &self->tiles[t].node[TS_NODE_CORE + i];
            const struct ts_rv_spin *spin = &n->need.loop;
            for (uint32_t p = 0; n->serves && n->need.known && p < spin->polls; p++) {
                const struct ts_overlay_write *credit = ts_overlay_written(self->of[t],
                                                                           spin->poll[p].address);
                const struct ts_l1_range *packet = credit && credit->at
                                                       ? uncredited(self->of[t], credit->from)
                                                       : NULL;
                if (packet == NULL || packet->last.at >= first)
                    continue;
                first = packet->last.at;
                *tile = t;
                *node = (int)(TS_NODE_CORE + i);
                tell_credit(self->of[t], n, spin->poll[p].address, spin->poll[p].value, credit,
                            packet);
            }
        }
    return first != TS_NEVER;
}

// Of a tile: a core that never started its program, or one that serves and waits for such a core. -1: none.
static int missing_core(const struct ts_hang_chip *self, size_t tile)
{
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        const struct ts_hang_node *n = &self->tiles[tile].node[TS_NODE_CORE + i];
        size_t to = n->to_tile >= 0 ? (size_t)n->to_tile : tile;
        if (n->state == TS_HANG_ABSENT
                ? has_program(self->of[tile], i)
                : n->serves && n->to >= 0 && self->tiles[to].node[n->to].state == TS_HANG_ABSENT)
            return TS_NODE_CORE + (int)i;
    }
    return -1;
}

void ts_hang_look_partner(struct ts_hang_chip *self, size_t tile, int node)
{
    struct ts_hang_node *n = &self->tiles[tile].node[node];
    for (unsigned i = 0; i < TS_SENT && n->to < 0; i++) {
        const struct ts_sent *row = &self->of[tile]->words.sent[i];
        for (size_t t = 0; t < self->count && row->count && n->to < 0; t++)
            if (t != tile && self->of[t]->chip == self->of[tile]->chip &&
                self->of[t]->x == row->to.x && self->of[t]->y == row->to.y) {
                n->to = missing_core(self, t);
                n->to_tile = (int)t;
                n->sure = false;
            }
    }
}

bool ts_hang_one_waits(const struct ts_hang_chip *self)
{
    for (size_t t = 0; t < self->count; t++)
        for (uint32_t i = 0; i < self->tiles[t].count; i++)
            if (self->tiles[t].node[i].state >= TS_HANG_WAITS && !self->tiles[t].node[i].serves)
                return true;
    return false;
}

// The first core of the system that has a program and never started; false: none.
static bool unstarted(const struct ts_hang_chip *self, char *text, size_t size)
{
    for (size_t t = 0; t < self->count; t++)
        for (unsigned i = 0; i < TS_RV_CORES; i++)
            if (self->tiles[t].node[TS_NODE_CORE + i].state == TS_HANG_ABSENT &&
                has_program(self->of[t], i)) {
                ts_hang_who(self, t, TS_NODE_CORE + (int)i, text, size);
                return true;
            }
    return false;
}

// The first link of a chip that is waited for; NULL: none.
static const struct ts_eth *waits_for_link(const struct ts_hang_chip *self, uint32_t chip)
{
    for (size_t t = 0; t < self->count; t++)
        for (unsigned i = 0; i < TS_RV_CORES; i++)
            if (self->of[t]->chip == chip && self->of[t]->eth && self->of[t]->eth->other &&
                self->tiles[t].node[TS_NODE_CORE + i].state >= TS_HANG_WAITS)
                return self->of[t]->eth;
    return NULL;
}

const char *ts_hang_link_text(const struct ts_hang_chip *self, size_t waiter, size_t end, int node,
                              char *text, size_t size)
{
    const struct ts_tile *a = self->of[waiter], *b = self->of[end];
    const struct ts_eth *eth = a->eth && a->chip != b->chip ? a->eth
                               : b->eth                     ? b->eth
                                                            : waits_for_link(self, a->chip);
    char link[260] = "", who[40] = "";
    if (eth)
        ts_eth_text(eth, link, sizeof link);
    snprintf(text, size, link[0] ? " (%s)" : "%s", link);
    if (self->tiles[end].node[node].state != TS_HANG_ABSENT && unstarted(self, who, sizeof who))
        ts_append(text, size, "; %s has a program and never started", who);
    return text;
}
