// Joins the stories of a chip's tiles into one graph; see chip.h.
#include "platform/explain/chip.h"

#include "platform/tile/watchdog.h"

const char *ts_hang_who(const struct ts_hang_chip *self, size_t tile, int node, char *text,
                        size_t size)
{
    const struct ts_hang_tile *story = &self->tiles[tile];
    if (self->count > 1 || self->of[tile]->system)
        snprintf(text, size, "%s of %s", story->node[node].name, story->at);
    else
        snprintf(text, size, "%s", story->node[node].name);
    return text;
}

const char *ts_hang_at(const struct ts_tile *tile, unsigned core, uint32_t pc, char *text,
                       size_t size)
{
    struct ts_frames frames = ts_symbols_find(tile, core, pc);
    ts_frames_line(&frames, text, size);
    if (text[0] == '\0')
        snprintf(text, size, "pc 0x%x", pc);
    return text;
}

struct ts_tile *ts_hang_tile_of(const struct ts_domain *domain)
{
    for (uint32_t i = 0; i < domain->count; i++) {
        const struct ts_rv_core *core = ts_core_of(domain->components[i]);
        if (core != NULL)
            return core->bus->context;
    }
    return NULL;
}

// --- who would

// Does the operation write any of these bytes of L1 of the tile at x, y? `here`: where the core is.
static bool foreseen_hits(const struct ts_foreseen *self, struct ts_noc_xy here,
                          struct ts_noc_xy at, uint64_t address, uint32_t size)
{
    if (self->kind == TS_WOULD_STORE)
        return here.x == at.x && here.y == at.y && address < self->address + self->length &&
               self->address < address + size;
    if (self->kind != TS_WOULD_SEND)
        return false;
    struct ts_sent sent = {.count = 1,
                           .kind = TS_NOC_WRITE,
                           .address = self->address,
                           .length = self->length,
                           .to = self->to,
                           .start = self->start,
                           .broadcast = self->broadcast};
    return ts_sent_hits(&sent, at, address, size);
}

// Does the operation change the word that the node reads over the network?
static bool hits_far(const struct ts_hang_chip *self, const struct ts_hang_node *n, size_t by,
                     const struct ts_foreseen *would)
{
    const struct ts_tile *here = self->of[by];
    if (would->kind == TS_WOULD_SEND && !would->broadcast)
        return n->far.memory == ts_far_memory(self->far, here, would->to) &&
               n->far.address - would->address < would->length;
    return foreseen_hits(would, (struct ts_noc_xy){(uint8_t)here->x, (uint8_t)here->y}, n->far.at,
                         n->far.address, n->size);
}

// Is it what the node needs? A part of a location that waits for several is, if it brings its part.
static bool suits(const struct ts_hang_node *n, const struct ts_foreseen *would)
{
    if (n->need.loop.polls == 0)
        return true;
    if (would->adds)
        return !n->need.plain || n->need.missing > 0;
    if (!would->valued)
        return true;
    const uint64_t at = n->far.memory ? n->far.address : n->address;
    uint32_t then = n->need.loop.poll[n->need.poll].value;
    bool part = true, changes = false;
    for (uint32_t i = 0; i < n->size; i++) {
        uint64_t k = at + i - would->address;
        if (k >= would->length || k >= 4)
            continue;
        uint32_t byte = would->value >> 8 * k & 0xff, now = then >> 8 * i & 0xff;
        part &= byte == (n->need.goal >> 8 * i & 0xff);
        changes |= byte != now;
        then = (then & ~(0xffu << 8 * i)) | byte << 8 * i;
    }
    return ts_rv_spin_ends(&n->need.loop, n->need.poll, then) ||
           (part && changes && would->length < n->size);
}

// Does the operation end the node's wait?
static bool ends(const struct ts_hang_chip *self, size_t tile, int node, size_t by,
                 const struct ts_foreseen *would)
{
    const struct ts_hang_node *n = &self->tiles[tile].node[node];
    const struct ts_tile *here = self->of[by], *there = self->of[tile];
    if (n->state < TS_HANG_WAITS)
        return false;
    if (would->kind == TS_WOULD_LINK)
        return ts_hang_link_ends(self, tile, n, by, would);
    if (here->chip != there->chip)
        return false;
    if (n->semaphore >= 0)
        return by == tile && would->index == n->semaphore &&
               would->kind == (n->need.missing > 0 ? TS_WOULD_POST : TS_WOULD_GET);
    if (!suits(n, would))
        return false; // it would write, but not what is needed
    if (n->far.memory)
        return hits_far(self, n, by, would);
    return n->address < TS_L1_SIZE &&
           foreseen_hits(would, (struct ts_noc_xy){(uint8_t)here->x, (uint8_t)here->y},
                         (struct ts_noc_xy){(uint8_t)there->x, (uint8_t)there->y}, n->address,
                         n->size);
}

struct asked { // a core that is followed
    struct ts_hang_chip *chip;
    size_t tile;
    int core;
};

#define OWN    (1u << 20) // another core is asked before the waiting one itself,
#define LIKELY (1u << 16) // and what is sure before what is likely

// An operation of the followed core: whose wait it would end sooner than what is known. Its own tile
// comes before others.
static void offer(const struct asked *self, size_t tile, const struct ts_foreseen *would)
{
    for (int i = 0; i < (int)self->chip->tiles[tile].count; i++) {
        struct ts_hang_would *best = &self->chip->would[tile * TS_HANG_NODES + (size_t)i];
        bool own = self->tile == tile &&
                   (self->core == i || (i >= TS_NODE_GATE && i < TS_NODE_GATE + TS_THREADS &&
                                        self->core == TS_RV_TRISC0 + i - TS_NODE_GATE));
        unsigned rank = 1 + would->waits * 4 + (self->tile != tile ? 2u : 0u) + (own ? OWN : 0) +
                        (would->sure ? 0 : LIKELY);
        if ((best->rank == 0 || rank < best->rank) && ends(self->chip, tile, i, self->tile, would))
            *best = (struct ts_hang_would){rank, self->tile, self->core, would->pc, would->sure};
    }
}

static void take_foreseen(void *context, const struct ts_foreseen *would)
{
    const struct asked *self = context;
    bool outside = would->kind == TS_WOULD_SEND || would->kind == TS_WOULD_LINK ||
                   (would->kind == TS_WOULD_STORE && self->chip->asks);
    if (!outside) {
        offer(self, self->tile, would);
        return;
    }
    for (size_t t = 0; t < self->chip->count; t++)
        offer(self, t, would);
}

// Follows all cores that wait.
static void ask_all(struct ts_hang_chip *self)
{
    for (size_t t = 0; t < self->count; t++)
        for (int c = TS_NODE_CORE; c < TS_NODE_CORE + TS_RV_CORES; c++)
            self->asks |= self->tiles[t].node[c].far.memory != NULL;
    for (size_t t = 0; t < self->count; t++)
        for (int c = 0; c < TS_RV_CORES; c++) {
            struct asked asked = {self, t, c};
            if (self->tiles[t].node[TS_NODE_CORE + c].state < TS_HANG_WAITS)
                continue;
            enum ts_foresight sight = ts_foresee(self->of[t], (unsigned)c, take_foreseen, &asked,
                                                 &self->tiles[t].node[TS_NODE_CORE + c].idle);
            if (sight == TS_SIGHT_PART && self->sight != TS_SIGHT_PART)
                ts_hang_who(self, t, TS_NODE_CORE + c, self->part, sizeof self->part);
            self->sight = sight > self->sight ? sight : self->sight;
        }
}

static void find_would(struct ts_hang_chip *self, size_t tile, int node)
{
    struct ts_hang_node *n = &self->tiles[tile].node[node];
    const struct ts_hang_would *best = &self->would[tile * TS_HANG_NODES + (size_t)node];
    if (best->rank == 0)
        return;
    n->to_self = best->rank >= OWN;
    n->sure = best->sure;
    n->to = TS_NODE_CORE + best->core;
    n->to_tile = best->tile == tile ? -1 : (int)best->tile;
    ts_hang_at(self->of[best->tile], (unsigned)best->core, best->pc, n->would, sizeof n->would);
}

// --- open linked transactions

// The core that left a linked transaction open; false: none did.
static bool find_open_link(const struct ts_hang_chip *self, size_t *tile, const struct ts_sent **by)
{
    for (size_t t = 0; t < self->count; t++)
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
            const struct ts_noc_niu *niu = self->of[t]->window[TS_DEVICE_NOC0 + noc].context;
            if (niu == NULL || niu->linked_vc < 0 || niu->queued ||
                niu->sending[niu->linked_vc] != NULL)
                continue;
            const struct ts_sent *last = NULL;
            for (unsigned i = 0; i < TS_SENT; i++) {
                const struct ts_sent *row = &self->of[t]->words.sent[i];
                if (row->count && row->linked && row->noc == noc &&
                    (last == NULL || row->at > last->at))
                    last = row;
            }
            if (last == NULL)
                continue;
            *tile = t;
            *by = last;
            return true;
        }
    return false;
}

// A wait for the network, while a channel is kept: its holder is who left the link open.
static void find_holder(struct ts_hang_chip *self, size_t tile, int node)
{
    struct ts_hang_node *n = &self->tiles[tile].node[node];
    const struct ts_sent *by;
    size_t holder;
    char line[100];
    if (n->never[0] || !find_open_link(self, &holder, &by) ||
        (holder == tile && (int)by->core == node - TS_NODE_CORE))
        return;
    n->to = TS_NODE_CORE + by->core;
    n->to_tile = holder == tile ? -1 : (int)holder;
    ts_hang_at(self->of[holder], by->core, by->pc, line, sizeof line);
    snprintf(n->kept, sizeof n->kept, "left a linked %s open at %.80s: its channel stays taken",
             by->broadcast ? "multicast" : "write", line);
}

// --- all nodes

static bool on_network(const struct ts_hang_node *node)
{
    return node->address != TS_HANG_NO_PC && ts_at_niu(node->address);
}

// A core that is back in its firmware has ended its kernel: it waits for the others' ends, or for a launch.
static bool in_firmware(const struct ts_hang_node *node)
{
    bool firmware = false;
    for (unsigned i = 0; i < node->frames.count; i++)
        firmware |= node->frames.frame[i].firmware;
    return node->idle || (firmware && node->frames.user < 0);
}

// A kernel that waits at its end explains a hang only if nothing else waits.
static void end_firmware(struct ts_hang_chip *self)
{
    bool others = false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t t = 0; t < self->count; t++)
            for (int c = TS_NODE_CORE; c < TS_NODE_CORE + TS_RV_CORES; c++) {
                struct ts_hang_node *node = &self->tiles[t].node[c];
                if (node->state < TS_HANG_WAITS)
                    continue;
                if (pass == 0)
                    others |= !in_firmware(node);
                else if (others && in_firmware(node)) {
                    node->state = TS_HANG_ENDED;
                    snprintf(node->text, sizeof node->text, "has ended its kernel");
                    node->place[0] = node->last[0] = '\0';
                }
            }
}

void ts_hang_join(struct ts_hang_chip *self)
{
    end_firmware(self);
    ask_all(self);
    end_firmware(self); // those that were found idle
    for (size_t t = 0; t < self->count; t++)
        for (int i = 0; i < (int)self->tiles[t].count; i++) {
            struct ts_hang_node *node = &self->tiles[t].node[i];
            if (node->state < TS_HANG_WAITS)
                continue;
            bool thread_holds = node->to >=
                                TS_NODE_GATE; // an instruction is on its way: better than a guess
            if (!thread_holds)
                find_would(self, t, i);
            if (i < TS_NODE_GATE && node->address < TS_L1_SIZE)
                ts_hang_look_word(self, t, i);
            if (i < TS_NODE_GATE && !on_network(node))
                ts_hang_look_link(self, t, i);
            if (i < TS_NODE_GATE && on_network(node))
                find_holder(self, t, i);
        }
    for (size_t t = 0; t < self->count; t++)
        for (int i = 0; i < (int)self->tiles[t].count; i++) {
            struct ts_hang_node *node = &self->tiles[t].node[i];
            if (node->state < TS_HANG_WAITS)
                continue;
            if (i < TS_NODE_GATE && node->to < 0 && self->of[t]->system && !on_network(node))
                ts_hang_look_partner(self, t, i);
            if (node->to >= 0)
                ts_hang_who(self, node->to_tile < 0 ? t : (size_t)node->to_tile, node->to,
                            node->to_name, sizeof node->to_name);
        }
}
