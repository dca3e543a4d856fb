// Who has a lost cycle: follows the waits of a tile's components to their root (loss.h).
//
// Each component's time is divided by its ledger. A part in which it waits goes to the component it
// waits for, over the same cycles; a part in which it works, or in which nobody in the tile can be
// named, goes to its owner. A wait that comes back to a component of the chain is a hand-over: the
// last stall on the way has the cycles.
#include "platform/account/loss.h"

struct chain {
    struct ts_loss_root *root;
    struct ts_loss_owner owner; // of the last wait on the way
    uint32_t seen;              // nodes
};

static void follow_node(const struct chain *chain, int node, ts_cycle from, ts_cycle to);

// --- names ---

// The unpacker of the bank that a gate or an unpacker waits for.
static unsigned unpacker_of(const struct ts_object *bank)
{
    return ((const struct ts_bank *)bank)->srcb;
}

// The other side of a semaphore: who posts it, or who takes from it.
static int other_side(const struct ts_sync_semaphore *s, bool post, int self)
{
    int first = ts_node_by(post ? s->posted.by : s->got.by),
        second = ts_node_by(post ? s->got.by : s->posted.by);
    bool some = post ? s->posted.count : s->got.count;
    if (some && first != self)
        return first;
    return second != self ? second : -1;
}

// --- polls ---

// A counter of an NIU: what is under way, and where to.
// *channel: of DRAM.
static void look_at_niu(const struct ts_loss *self, uint32_t address, struct ts_loss_owner *owner,
                        unsigned *channel)
{
    static const uint8_t kinds[] = {2, 1, 0}; // atomic, write, read
    unsigned offset = ts_niu_offset(self->tile, address), noc = offset >> 16,
             index = offset % TS_NOC_BUF_STRIDE / 4;
    unsigned kind = index >= 0x80 && index < 0x83 ? kinds[index - 0x80] : index == 16 ? 3 : 0;
    owner->cause = TS_LOSS_NOC;
    owner->detail = noc | kind << 4;
    if (self->soc == NULL || kind == 3 || kind == 2)
        return;
    for (unsigned i = 0; i < TS_NOC_INITIATORS; i++) {
        const uint32_t *word = self->niu[noc].initiators[i].word;
        bool write = word[TS_NOC_CTRL] & 2;
        if (write != (kind == 1) || (word[TS_NOC_CTRL] & 1))
            continue;
        uint32_t at = word[write ? TS_NOC_RET_HI : TS_NOC_TARG_HI];
        struct ts_noc_xy raw;
        if (at && ts_soc_raw(self->soc, at & 63, at >> 6 & 63, &raw) &&
            self->soc->node[raw.y][raw.x] == TS_NOC_NODE_DRAM) {
            owner->cause = TS_LOSS_DRAM;
            *channel = self->soc->index[raw.y][raw.x];
            return;
        }
    }
}

unsigned ts_loss_transfer(const struct ts_loss *self, uint32_t address, unsigned *channel)
{
    unsigned ignored;
    struct ts_loss_owner owner = {.cause = TS_LOSS_POLL};
    if (self->niu && ts_at_niu(address))
        look_at_niu(self, address, &owner, channel ? channel : &ignored);
    return owner.cause;
}

// A core polls a location: who could change it, or the owner.
static int look_at_poll(const struct ts_loss *self, int node, uint32_t address,
                        struct ts_loss_owner *owner)
{
    const struct ts_tile *tile = self->tile;
    const struct ts_place place = ts_place_of(tile, (unsigned)node - TS_NODE_CORE, address);
    int to = -1;
    unsigned channel;
    *owner = (struct ts_loss_owner){.cause = TS_LOSS_POLL,
                                    .node = (uint8_t)node,
                                    .detail = address,
                                    .via = owner->via,
                                    .flags = owner->flags};
    switch (place.kind) {
    case TS_PLACE_SEMAPHORE: {
        const struct ts_sync_semaphore *s = &tile->sync.semaphore[place.index];
        owner->cause = TS_STALL_SEMAPHORE_ZERO;
        owner->object = &s->object;
        int thread = node - TS_NODE_CORE - TS_RV_TRISC0 + TS_NODE_GATE;
        return other_side(s, ts_node_by(s->posted.by) != thread, thread);
    }
    case TS_PLACE_MAILBOX:
        owner->cause = TS_STALL_MAILBOX_EMPTY;
        return TS_NODE_CORE + (int)place.index;
    case TS_PLACE_BUFFER:
        owner->cause = TS_LOSS_BUFFER;
        to = ts_node_by(place.full ? place.buffer->pushed_by : place.buffer->popped_by);
        break;
    case TS_PLACE_NIU:
        if (self->niu)
            look_at_niu(self, address, owner, &channel);
        break;
    case TS_PLACE_L1: {
        const struct ts_l1_writer writer = ts_l1_writer(&tile->l1, address);
        if (writer.state == TS_L1_KNOWN && writer.last.by == TS_BY_NOC)
            owner->cause = TS_LOSS_OTHER_TILE;
        to = writer.state == TS_L1_KNOWN ? ts_node_by(writer.last.by) : -1;
        break;
    }
    case TS_PLACE_REGISTER:
        break;
    }
    return to == node ? -1 : to;
}

// --- waits ---

// The node that a wait of `node` is for; -1: the owner has it.
static int next_of(struct chain *chain, int node, const struct ts_episode *wait)
{
    const struct ts_loss *self = chain->root->loss;
    struct ts_loss_owner *owner = &chain->owner;
    if (wait->reason == TS_STALL_RV_POLL)
        return look_at_poll(self, node, wait->detail, owner);
    owner->cause = (uint8_t)wait->reason;
    owner->node = (uint8_t)node;
    owner->object = wait->on;
    owner->detail = 0;
    switch (wait->reason) {
    case TS_STALL_IDLE: // a gate without words: its core; others have ended, or have nothing to do
        if (node < TS_NODE_GATE || node >= TS_NODE_UNPACK)
            return -1;
        owner->cause = TS_LOSS_CODE;
        owner->node = (uint8_t)(node - TS_NODE_GATE + TS_NODE_CORE + TS_RV_TRISC0);
        owner->object = NULL;
        return owner->node;
    case TS_STALL_SRC_NOT_VALID:
        return TS_NODE_UNPACK + (int)unpacker_of(wait->on);
    case TS_STALL_SRC_NOT_FREE:
        return TS_NODE_GATE + self->tile->matrix.unit.last;
    case TS_STALL_SEMAPHORE_ZERO:
    case TS_STALL_SEMAPHORE_MAX:
        return other_side((const struct ts_sync_semaphore *)wait->on,
                          wait->reason == TS_STALL_SEMAPHORE_ZERO, node);
    case TS_STALL_GATE_LAG:
    case TS_STALL_DST_HAZARD:
    case TS_STALL_MUTEX_HELD: // the wait is over: who holds it now is another one
        return -1;
    default:
        return wait->on ? ts_node_holder(self->tile, wait->on, (enum ts_stall)wait->reason) : -1;
    }
}

// The component works, or sleeps for nothing.
static void works(const struct chain *chain, int node, bool worked, ts_cycle from, ts_cycle to)
{
    const struct ts_loss *self = chain->root->loss;
    if (from >= to)
        return;
    if (node >= TS_NODE_UNPACK && node <= TS_NODE_PACK && !worked) {
        const struct ts_unit *unit = node == TS_NODE_PACK
                                         ? &self->tile->pack.unit
                                         : &self->tile->unpack[node - TS_NODE_UNPACK].unit;
        unsigned user = node == TS_NODE_PACK ? 2 : 0;
        follow_node(chain, TS_NODE_GATE + (int)(unit->instructions ? unit->last : user), from, to);
        return;
    }
    struct ts_loss_owner owner = chain->owner;
    owner.cause = node < TS_NODE_GATE     ? TS_LOSS_CODE
                  : node < TS_NODE_UNPACK ? TS_LOSS_ISSUE
                                          : TS_LOSS_WORK;
    owner.node = (uint8_t)node;
    owner.object = NULL;
    owner.detail = 0;
    ts_loss_book(chain->root, &owner, to - from);
}

static void waits(const struct chain *chain, int node, const struct ts_episode *wait, ts_cycle from,
                  ts_cycle to)
{
    if (wait->reason == TS_WORKED) {
        works(chain, node, true, from, to);
        return;
    }
    struct chain longer = *chain;
    if (wait->sent && wait->sent < to) { // another tile's write was on its way
        const ts_cycle at = wait->sent > from ? wait->sent : from;
        longer.owner = (struct ts_loss_owner){.cause = TS_LOSS_SIGNAL,
                                              .node = (uint8_t)node,
                                              .via = chain->owner.via,
                                              .flags = chain->owner.flags,
                                              .detail = wait->detail};
        ts_loss_book(chain->root, &longer.owner, to - at);
        to = at;
    }
    int next = next_of(&longer, node, wait);
    follow_node(&longer, next, from, to);
}

// Does the episode explain time? Passive units sleep all the time; a parked core's sleeps are in
// its polls.
static bool explains(int node, const struct ts_episode *episode)
{
    bool unit = node >= TS_NODE_UNPACK && node <= TS_NODE_PACK;
    return !(unit && episode->reason == TS_STALL_IDLE) &&
           !(episode->reason == TS_STALL_RV_POLL && episode->detail == 0);
}

// Takes the part of [from, *to) that the episode covers, from the end.
static void take_episode(const struct chain *chain, int node, const struct ts_episode *episode,
                         ts_cycle from, ts_cycle *to)
{
    ts_cycle a = episode->from > from ? episode->from : from,
             b = episode->to < *to ? episode->to : *to;
    if (a >= b || !explains(node, episode))
        return;
    works(chain, node, false, b, *to);
    waits(chain, node, episode, a, b);
    *to = a;
}

// What the component does now, as episodes that end at `to`: a sleep, a poll; or the sleep that its step
// has ended.
static unsigned open_episodes(const struct ts_loss *self, int node, ts_cycle to,
                              struct ts_episode open[2])
{
    const struct ts_component *c = self->node[node];
    unsigned count = 0;
    if (c->asleep != TS_AWAKE)
        open[count++] = (struct ts_episode){ts_asleep_since(c), to, c->on, 0, c->reason, 0};
    else if (self->ledgers[node].ending.to != 0)
        open[count++] = self->ledgers[node].ending;
    if (node < TS_NODE_GATE) {
        const struct ts_rv_core *core = (const struct ts_rv_core *)c;
        const struct ts_rv_view view = ts_rv_core_view(core);
        if (view.repeats)
            open[count++] = (struct ts_episode){view.polled_from, to, &core->poll, view.polled,
                                                TS_STALL_RV_POLL, 0};
    }
    return count;
}

// The common case: the unpacker works on one instruction all the time.
static bool works_through(const struct ts_ledger *ledger, ts_cycle from, ts_cycle to)
{
    const struct ts_episode *last = &ledger->ring[(ledger->count - 1) % TS_LEDGER];
    return last->reason == TS_WORKED && last->from <= from && last->to >= to;
}

static void follow_node(const struct chain *chain, int node, ts_cycle from, ts_cycle to)
{
    const struct ts_loss *self = chain->root->loss;
    if (from >= to)
        return;
    if (node < 0 || chain->seen >> node & 1 || self->node[node] == NULL) {
        ts_loss_book(chain->root, &chain->owner, to - from);
        return;
    }
    const struct ts_ledger *ledger = &self->ledgers[node];
    if (works_through(ledger, from, to)) {
        works(chain, node, true, from, to);
        return;
    }
    struct chain longer = *chain;
    longer.seen |= 1u << node;
    // A bank is the matrix unit's a little after the data are there.
    ts_cycle late = node == TS_NODE_UNPACK || node == TS_NODE_UNPACK + 1
                        ? self->tile->tensix.timing.unpack_latency +
                              self->tile->tensix.timing.unpack_valid
                        : 0;
    struct ts_episode open[2];
    unsigned count = open_episodes(self, node, to, open);
    for (unsigned i = 0; i < count; i++)
        take_episode(&longer, node, &open[i], from, &to);
    unsigned older = 0;
    for (uint32_t i = 0; i < TS_LEDGER && i < ledger->count && from < to && older < 3; i++) {
        const struct ts_episode *past = &ledger->ring[(ledger->count - 1 - i) % TS_LEDGER];
        if (past->to + late <= from) {
            older++;
            continue;
        }
        struct ts_episode episode = *past;
        if (episode.reason == TS_WORKED)
            episode.to += late;
        older = 0;
        take_episode(&longer, node, &episode, from, &to);
    }
    works(&longer, node, false, from, to);
}

// --- the root ---

// A unit rests, and its next work may begin after the cycle in which it accepts the instruction. What the others will do until
// then is not known, and a core that is ahead knows more of it: these cycles go to the owner of the last one before.
static void rests(struct chain *chain, ts_cycle from, ts_cycle to)
{
    struct ts_loss_root *root = chain->root;
    const ts_cycle end = to < root->known ? to : root->known, begin = from < end ? from : end - 1;
    if (from >= to)
        return;
    root->ahead = to - from - (end - begin);
    works(chain, root->node, false, begin, end);
}

// Vector words of a promise have stalls between them, which ledgers show. A promise that begins later may be the caller's.
static void cut_vector(const struct ts_loss *self)
{
    struct ts_tensix *tensix = &self->tile->tensix;
    const ts_cycle now = self->tile->domain->now;
    if (tensix->promise && tensix->promise->unit == TS_UNIT_VECTOR && tensix->promise->from <= now)
        ts_promise_stop(tensix, now);
}

uint64_t ts_loss_results(const struct ts_loss_root *self, ts_cycle now)
{
    const struct ts_tile *tile = self->loss->tile;
    cut_vector(self->loss);
    if (self->node == TS_NODE_NIU)
        return self->loss->niu[0].received + self->loss->niu[1].received;
    if (self->node >= TS_NODE_UNPACK)
        return self->node == TS_NODE_PACK ? tile->pack.bytes : tile->unpack[0].bytes;
    const struct ts_frontend *front = &tile->front[self->node - TS_NODE_GATE];
    const struct ts_promise *promise = &front->promise;
    return tile->vector.unit.instructions + front->weight +
           front->weights[TS_OP_OF(promise->words[0])] * ts_promise_passed(promise, now);
}

void ts_loss_wait_vector(struct ts_loss_root *self, const struct ts_object *object, ts_cycle cycles)
{
    const struct ts_loss_owner owner = {.cause = TS_STALL_UNIT_BUSY,
                                        .node = self->node,
                                        .via = TS_STALL_UNIT_BUSY,
                                        .object = object};
    ts_loss_book(self, &owner, cycles);
}

void ts_loss_follow(struct ts_loss_root *self, unsigned reason, const struct ts_object *object,
                    ts_cycle from, ts_cycle to)
{
    const struct ts_loss *loss = self->loss;
    if (reason == TS_STALL_UNIT_BUSY && object == &loss->tile->vector.unit.component.object &&
        self->node != TS_NODE_NIU) {
        ts_loss_wait_vector(self, object, to - from);
        return;
    }
    struct chain chain = {.root = self, .owner = {.via = (uint8_t)reason}};
    cut_vector(loss);
    if (self->node == TS_NODE_NIU) { // the ports rest: the core that uses them
        chain.owner.cause = TS_LOSS_CODE;
        chain.owner.node = loss->mover;
        follow_node(&chain, loss->mover, from, to);
        return;
    }
    chain.seen = 1u << self->node;
    if (reason == TS_WORKED) { // a unit rests between two instructions
        chain.owner = (struct ts_loss_owner){.cause = TS_STALL_UNIT_BUSY, .node = self->node};
        rests(&chain, from, to);
        return;
    }
    if (reason == TS_STALL_SRC_NOT_VALID && unpacker_of(object) == 1)
        chain.owner.flags = TS_LOSS_VIA_B;
    waits(&chain, self->node, &(struct ts_episode){from, to, object, 0, reason, 0}, from, to);
}

void ts_loss_rest(struct ts_loss_root *self, unsigned other, ts_cycle from, ts_cycle to)
{
    const struct ts_loss *loss = self->loss;
    const struct ts_component *c = loss->node[other];
    const struct ts_ledger *ledger = &loss->ledgers[other];
    if (c->asleep != TS_AWAKE) {
        ts_cycle since = ts_asleep_since(c), at = since > from ? since : from;
        if (at < to) {
            ts_loss_follow(self, c->reason, c->on, at, to);
            to = at;
        }
    }
    unsigned older = 0;
    for (uint32_t i = 0; i < TS_LEDGER && i < ledger->count && from < to && older < 3; i++) {
        const struct ts_episode *e = &ledger->ring[(ledger->count - 1 - i) % TS_LEDGER];
        ts_cycle a = e->from > from ? e->from : from, b = e->to < to ? e->to : to;
        older = e->to <= from ? older + 1 : 0;
        if (a < b) {
            ts_loss_follow(self, e->reason, e->on, a, b);
            to = a;
        }
    }
}

void ts_loss_replay(struct ts_loss_root *self, ts_cycle from, ts_cycle to)
{
    const struct ts_loss *loss = self->loss;
    struct ts_episode open[2];
    const struct ts_ledger *ledger = &loss->ledgers[self->node];
    const bool unit = self->node >= TS_NODE_UNPACK && self->node <= TS_NODE_PACK;
    unsigned count = unit ? 0 : open_episodes(loss, self->node, to, open), older = 0;
    for (uint32_t i = 0;
         i < count + TS_LEDGER && i < count + ledger->count && from < to && older < 3; i++) {
        const struct ts_episode *e =
            i < count ? &open[i] : &ledger->ring[(ledger->count - 1 - (i - count)) % TS_LEDGER];
        ts_cycle a = e->from > from ? e->from : from, b = e->to < to ? e->to : to;
        older = e->to <= from ? older + 1 : 0;
        if (a >= b || (unit && e->reason != TS_WORKED))
            continue;
        if (unit) {
            ts_loss_follow(self, TS_WORKED, NULL, b, to);
            self->sums.work += self->sign * (int64_t)(b - a);
        } else {
            self->sums.moved += self->sign * (int64_t)(to - b);
            if (self->node == TS_NODE_NIU)
                ts_loss_rest(self, TS_NODE_NIU + 1, a, b);
            else
                ts_loss_follow(self, e->reason, e->on, a, b);
        }
        to = a;
    }
    if (unit)
        ts_loss_follow(self, TS_WORKED, NULL, from, to);
    else
        self->sums.moved += self->sign * (int64_t)(to - from);
}
