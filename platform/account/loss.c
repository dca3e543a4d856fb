// The loss account of a tile while it runs: windows, ledgers, sums (loss.h).
#include "platform/account/loss.h"

#include "platform/tile/windows.h"

// --- sums ---

static inline bool same(const struct ts_loss_owner *a, const struct ts_loss_owner *b)
{
    return memcmp(a, b, sizeof *a) == 0; // without padding
}

// The entry of an owner. The last one of the table is for all others, and says so.
static struct ts_loss_entry *entry_of(struct ts_loss_root *self, const struct ts_loss_owner *owner)
{
    struct ts_loss_sums *sums = &self->sums;
    if (self->last < sums->count && same(&sums->entries[self->last].owner, owner))
        return &sums->entries[self->last];
    uint32_t i = 0;
    while (i < sums->count && !same(&sums->entries[i].owner, owner))
        i++;
    const struct ts_loss_owner others = {.cause = TS_LOSS_OTHERS, .node = self->node};
    if (i == TS_LOSS_ENTRIES)
        i--;
    if (i == sums->count)
        sums->entries[sums->count++] = (struct ts_loss_entry){
            .owner = i == TS_LOSS_ENTRIES - 1 ? others : *owner};
    self->last = i;
    return &sums->entries[i];
}

void ts_loss_book(struct ts_loss_root *self, const struct ts_loss_owner *owner, ts_cycle cycles)
{
    struct ts_loss_owner whole = *owner;
    uint64_t results = self->results;
    cycles += self->ahead; // who is booked first has the last cycles
    self->ahead = 0;
    if (results == self->results_at_begin)
        whole.flags |= TS_LOSS_BEFORE;
    struct ts_loss_entry *entry = entry_of(self, &whole);
    if (entry->results != results) {
        entry->results = results;
        entry->tail = 0;
    }
    entry->cycles += self->sign * (int64_t)cycles;
    entry->tail += self->sign * (int64_t)cycles;
}

// --- what the ledgers say ---

static void gate_woken(void *context, ts_cycle now)
{
    struct ts_loss_root *self = context;
    self->results_woken = ts_loss_results(self, now);
    self->woken = now;
}

// An episode of a root: its cycles are booked as far as they are not yet. other: of an NIU, the other one.
static void book(struct ts_loss_root *self, unsigned other, const struct ts_episode *episode)
{
    const ts_cycle from = episode->from > self->mark ? episode->from : self->mark;
    const bool gate = self->node < TS_NODE_UNPACK, niu = self->node == TS_NODE_NIU;
    if (!self->running || from >= episode->to || (!gate && !niu && episode->reason != TS_WORKED))
        return;
    self->results = gate && episode->to == self->woken ? self->results_woken
                                                       : ts_loss_results(self, episode->to);
    if (gate) {
        ts_loss_follow(self, episode->reason, episode->on, from, episode->to);
    } else if (niu) {
        ts_loss_rest(self, other, from, episode->to);
    } else {
        self->known = self->loss->ledgers[self->node].accepted;
        ts_loss_follow(self, TS_WORKED, NULL, self->mark, from);
        self->sums.work += (int64_t)(episode->to - from);
    }
    self->mark = gate ? self->mark : episode->to;
    if (self->times)
        ts_loss_sample(self, episode->to);
}

static void ended(void *context, const struct ts_episode *episode)
{
    book(context, 0, episode);
}

static void niu0_ended(void *context, const struct ts_episode *episode)
{
    book(context, TS_NODE_NIU + 1, episode);
}

static void niu1_ended(void *context, const struct ts_episode *episode)
{
    book(context, TS_NODE_NIU, episode);
}

// Waits for the vector unit, each with a word behind it. All but the last have words behind them, so only the last one
// counts for the cycles since the last result.
static void gate_stalled(void *context, const ts_cycle *at, unsigned count, ts_cycle now,
                         const struct ts_object *on)
{
    struct ts_loss_root *self = context;
    if (!self->running)
        return;
    const uint64_t results = ts_loss_results(self, now);
    for (unsigned i = 0, more; i < count; i += more) {
        more = self->times || i + 1 == count || at[i] < self->mark ? 1 : count - 1 - i;
        self->results = results - (now - at[i + more - 1] - (count - (i + more - 1)));
        if (at[i] < self->mark)
            continue;
        ts_loss_wait_vector(self, on, more);
        if (self->times)
            ts_loss_sample(self, at[i] + 1);
    }
}

// Who wrote what ended a poll of the address.
static uint32_t ended_by(const struct ts_tile *tile, uint32_t address, ts_cycle from, ts_cycle to)
{
    if (address - TS_ETH_BASE < TS_ETH_END - TS_ETH_BASE)
        return TS_WAITS_QUEUE;
    if (address >= TS_L1_SIZE) {
        const struct ts_overlay_write *write = ts_overlay_written(tile, address);
        return write && write->at > from && write->at <= to ? write->from : TS_WAITS_ITSELF;
    }
    const struct ts_l1_writer writer = ts_l1_writer(&tile->l1, address);
    if (writer.state != TS_L1_KNOWN || writer.last.at <= from || writer.last.at > to)
        return TS_WAITS_ITSELF;
    return writer.last.by == TS_BY_ETH   ? TS_WAITS_LINK
           : writer.last.by == TS_BY_NOC ? writer.last.pc
                                         : TS_WAITS_ITSELF;
}

static void count_wait(struct ts_loss_wait waits[TS_LOSS_WAITS], uint32_t from, ts_cycle cycles)
{
    unsigned i = 0;
    while (i < TS_LOSS_WAITS - 1 && waits[i].cycles && waits[i].from != from)
        i++;
    waits[i].from = i == TS_LOSS_WAITS - 1 ? TS_WAITS_ITSELF : from;
    waits[i].cycles += cycles;
}

static void poll_ended(void *context, const struct ts_rv_core *core, ts_cycle to)
{
    struct ts_loss *self = context;
    const struct ts_rv_view view = ts_rv_core_view(core);
    unsigned channel = 0, cause = ts_loss_transfer(self, view.polled, &channel);
    if (cause == TS_LOSS_DRAM && to > view.polled_from)
        self->channel[channel] += to - view.polled_from;
    if (cause != TS_LOSS_POLL && to > view.polled_from)
        self->under_way[core - self->tile->cores][cause == TS_LOSS_DRAM] += to - view.polled_from;
    const struct ts_got *got = view.polled < TS_L1_SIZE ? ts_words_got(self->tile, view.polled)
                                                        : NULL;
    struct ts_ledger *ledger = core->component.ledger; // the poll is its last episode
    if (got && got->at > view.polled_from && got->at <= to) {
        self->senders[got->from >> 8][got->from & 0xff] += to - view.polled_from;
        ledger->ring[(ledger->count - 1) % TS_LEDGER].sent = got->issued;
    }
    if (self->tile->system && to > view.polled_from)
        count_wait(self->waits[core - self->tile->cores],
                   ended_by(self->tile, view.polled, view.polled_from, to), to - view.polled_from);
    if (self->polled)
        self->polled(self->polled_context, core, to);
}

// --- windows ---

// Words that have passed the root's gate before `now`.
static void count_words(const struct ts_loss_root *self, ts_cycle now, uint64_t passed[256])
{
    if (self->node >= TS_NODE_UNPACK)
        return;
    const struct ts_frontend *front = &self->loss->tile->front[self->node - TS_NODE_GATE];
    memcpy(passed, front->passed, sizeof front->passed);
    for (unsigned i = ts_promise_passed(&front->promise, now); i--;)
        passed[TS_OP_OF(front->promise.words[i])]++;
}

void ts_loss_begin(struct ts_loss_root *self, ts_cycle at, ts_cycle now)
{
    if (self->running || self->loss == NULL)
        return;
    self->running = true;
    self->sign = 1;
    self->begin = at;
    memset(&self->sums, 0, sizeof self->sums);
    self->results = self->results_at_begin = ts_loss_results(self, now);
    count_words(self, now, self->at_begin);
    self->known = now;
    ts_loss_times_begin(self, at);
    ts_loss_replay(self, at, now);
    self->mark = now;
}

void ts_loss_end(struct ts_loss_root *self, ts_cycle at, ts_cycle now)
{
    if (!self->running || at <= self->begin)
        return;
    // Up to now, as if everything ended here; what is after `at` is taken back.
    self->results = ts_loss_results(self, now);
    struct ts_loss_sums going = self->sums;
    ts_cycle mark = self->mark;
    const bool unit = self->node >= TS_NODE_UNPACK && self->node <= TS_NODE_PACK;
    if (unit || self->node == TS_NODE_NIU) {
        if (mark > at) {
            self->sign = -1;
            ts_loss_replay(self, at, mark);
        } else {
            self->known = now;
            ts_loss_replay(self, mark, at);
        }
    } else {
        const struct ts_component *gate = self->loss->node[self->node];
        ts_cycle since = gate->since > mark ? gate->since : mark;
        if (gate->asleep != TS_AWAKE && since < now)
            ts_loss_follow(self, gate->reason, gate->on, since, now);
        self->sign = -1;
        ts_loss_replay(self, at, now);
    }
    self->sign = 1;
    count_words(self, now, self->sums.passed);
    for (unsigned op = 0; op < 256; op++)
        self->sums.passed[op] -= self->at_begin[op];
    self->closed = self->sums;
    self->end = at;
    self->ended = true;
    self->results_at_end = self->results;
    self->sums = going;
}

// --- construction ---

static void attach(struct ts_loss *self, unsigned node, struct ts_component *component)
{
    self->node[node] = component;
    component->ledger = &self->ledgers[node];
}

struct ts_loss *ts_loss_new(struct ts_tile *tile, unsigned node)
{
    struct ts_loss *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->tile = tile;
    for (unsigned op = 0; op < 256; op++)
        self->computes[op] = (ts_op_effects[op].kind & TS_MATRIX_LONG) != 0;
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        attach(self, TS_NODE_CORE + i, &tile->cores[i].component);
        tile->cores[i].look.ended = poll_ended;
        tile->cores[i].look.context = self;
    }
    for (unsigned t = 0; t < TS_THREADS; t++) {
        attach(self, TS_NODE_GATE + t, &tile->front[t].component);
        tile->front[t].weights = self->computes;
    }
    for (unsigned i = 0; i < 2; i++)
        attach(self, TS_NODE_UNPACK + i, &tile->unpack[i].unit.component);
    attach(self, TS_NODE_PACK, &tile->pack.unit.component);
    self->compute = (struct ts_loss_root){.loss = self, .node = (uint8_t)node};
    self->ledgers[node].ended = ended;
    self->ledgers[node].stalled = node < TS_NODE_UNPACK ? gate_stalled : NULL;
    self->ledgers[node].woken = node < TS_NODE_UNPACK ? gate_woken : NULL;
    self->ledgers[node].context = &self->compute;
    return self;
}

void ts_loss_join(struct ts_loss *self, const struct ts_soc *soc, struct ts_noc_niu *niu,
                  unsigned core)
{
    self->soc = soc;
    self->niu = niu;
    self->mover = (uint8_t)(TS_NODE_CORE + core);
    self->move = (struct ts_loss_root){.loss = self, .node = TS_NODE_NIU};
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        attach(self, TS_NODE_NIU + noc, &niu[noc].base);
        self->ledgers[TS_NODE_NIU + noc].ended = noc ? niu1_ended : niu0_ended;
        self->ledgers[TS_NODE_NIU + noc].context = &self->move;
    }
}

void ts_loss_free(struct ts_loss *self)
{
    for (unsigned i = 0; self && i < TS_NODES; i++)
        if (self->node[i])
            self->node[i]->ledger = NULL;
    if (self) {
        ts_loss_times_free(&self->compute);
        ts_loss_times_free(&self->move);
    }
    for (unsigned i = 0; self && i < TS_RV_CORES; i++)
        self->tile->cores[i].look.ended = NULL;
    for (unsigned t = 0; self && t < TS_THREADS; t++)
        self->tile->front[t].weights = ts_frontend_no_weights;
    free(self);
}
