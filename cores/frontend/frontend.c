// cores/frontend/frontend.c: the stages of the front end and its gate; see frontend.h.
#include "cores/frontend/stages.h"

// ---- Auto TTSync's book-keeping

// What each class of instruction reads and writes of the tracked resources: bits of TS_TRACK_*,
// with the Config bank as bank 0.
static const struct {
    uint8_t reads, writes;
} classes[] = {
#define ALL  TS_TRACK_CFG0
#define REST 0x04
    [TS_SYNC_GPR_RW] = {TS_TRACK_GPR, TS_TRACK_GPR},
    [TS_SYNC_GPR_AT] = {TS_TRACK_GPR, TS_TRACK_GPR},
    [TS_SYNC_REG2FLOP] = {TS_TRACK_GPR | TS_TRACK_TDMA, TS_TRACK_GPR | TS_TRACK_TDMA},
    [TS_SYNC_IND] = {TS_TRACK_GPR, TS_TRACK_GPR},
    [TS_SYNC_CFG_RMW] = {ALL, ALL},
    [TS_SYNC_STOREREG] = {TS_TRACK_GPR, 0},
    [TS_SYNC_LOADREG] = {0, TS_TRACK_GPR},
    [TS_SYNC_FLUSHDMA] = {0, TS_TRACK_TDMA},
    [TS_SYNC_WRCFG] = {TS_TRACK_GPR, ALL},
    [TS_SYNC_RDCFG] = {ALL, TS_TRACK_GPR},
    [TS_SYNC_XMOV] = {TS_TRACK_GPR | ALL, TS_TRACK_GPR | ALL},
    [TS_SYNC_UNPACK] = {TS_TRACK_TDMA | ALL, TS_TRACK_TDMA},
    [TS_SYNC_PACK] = {TS_TRACK_TDMA | REST, TS_TRACK_TDMA},
    [TS_SYNC_MOP] = {TS_TRACK_GPR | TS_TRACK_TDMA | ALL, TS_TRACK_GPR | TS_TRACK_TDMA | ALL},
    [TS_SYNC_REPLAY] = {TS_TRACK_GPR | TS_TRACK_TDMA | ALL, TS_TRACK_GPR | TS_TRACK_TDMA | ALL},
    [TS_SYNC_OTHER] = {REST, 0},
    [TS_SYNC_NONE] = {0, 0},
#undef ALL
#undef REST
};

static uint8_t in_bank(uint8_t resources, unsigned bank)
{
    unsigned config = resources & TS_TRACK_CFG0;
    return bank ? (uint8_t)((resources & 0xc0u) | config << 3) : resources;
}

static bool tracking(const struct ts_frontend *self)
{
    return TS_THD(self->backend->thd[self->thread], TENSIX_TRISC_SYNC_TrackTensixInstructions);
}

static void count(uint8_t counts[8], unsigned resources, int by)
{
    for (; resources; resources &= resources - 1) {
        uint8_t *c = &counts[__builtin_ctz(resources)];
        *c = (uint8_t)(*c + by);
    }
}

static uint32_t track(struct ts_frontend *self, uint32_t word)
{
    unsigned class = ts_op_hot[TS_OP_OF(word)].sync;
    uint8_t reads = in_bank(classes[class].reads, self->push_state);
    uint8_t writes = in_bank(classes[class].writes, self->push_state);
    count(self->track_reads, reads, 1);
    count(self->track_writes, writes, 1);
    return reads | (uint32_t)writes << 8;
}

// A pushed word has left the front end: its place in the FIFO and its resources are free.
void ts_frontend_give_back(struct ts_frontend *self, uint32_t ticket, ts_cycle now)
{
    if (self->on_the_way == self->backend->timing->fifo_accept && self->fifo_room.waiters)
        ts_wake_all(&self->fifo_room, now + 1);
    ts_trace_level(&self->fifo_room, now, NULL, self->on_the_way);
    if (ticket & 0xffff) {
        count(self->track_reads, ticket & 0xff, -1);
        count(self->track_writes, ticket >> 8 & 0xff, -1);
        if (self->tracked.waiters)
            ts_wake_all(&self->tracked, now + 1);
    }
}

// ---- pushes

// Something has come that the stages must take notice of in time: the front end steps at `at`, the
// current cycle or the next one.
void ts_frontend_hurry(struct ts_frontend *self, ts_cycle at)
{
    struct ts_component *component = &self->component;
    if (component->asleep >= TS_BLOCKED)
        ts_summon(component, at);
    else if (self->due > at) {
        ts_recall(component, self->due, at);
        self->due = at;
    }
}

// A push wakes a sleeping front end, unless its first word waits at the gate anyway. Without a wait at
// the gate, nobody notices anything before the word is there.
static void pushed(struct ts_frontend *self, ts_cycle now)
{
    if (self->component.asleep == TS_IDLE) {
        if (in_time(self) || !self->run_ahead ||
            self->backend->ops->waits(self->backend, self->thread))
            ts_wake(&self->component, now + 1);
        else
            ts_rouse(&self->component, now + 1, now + TS_FRONT_STAGES);
    } else if (in_time(self) && moves(self))
        ts_frontend_hurry(self, now + 1);
}

bool ts_frontend_push(struct ts_frontend *self, const uint32_t *words, unsigned count_,
                      ts_cycle now, struct ts_hold *hold)
{
    if (ts_frontend_full(self))
        return ts_held(hold, TS_STALL_FIFO_FULL, &self->fifo_room, TS_NEVER);
    ts_frontend_catch_up(self, now);
    if (self->fresh_cycle != now) {
        self->fresh_cycle = now;
        self->fresh = 0;
    }
    const bool tracks = tracking(self);
    bool drops = false;
    for (unsigned i = 0; i < count_; i++) {
        const uint32_t word = ts_machine_word(self->machine, words[i]), pc = self->next_pc;
        struct ts_front_word *w =
            &self->fifo[(self->fifo_first + self->fifo_count + i) % TS_FRONT_FIFO];
        *w = (struct ts_front_word){word, TS_TICKET | pc << TS_TICKET_PC};
        self->pcs[pc] = self->push_pc + 4 * i; // fused ones follow each other
        self->next_pc = (uint8_t)((pc + 1) % TS_FRONT_PCS);
        if (TS_OP_OF(word) == TS_OP_MOP) {
            self->mops++;
            self->loops = (uint8_t)(self->loops + ts_decode_MOP(word).mop_type);
            drops |= self->mop.empty | self->mop.records;
        } else if (TS_OP_OF(word) == TS_OP_MOP_CFG || ts_is_recording(word)) {
            self->dropping++;
            drops = true;
        } else if (word >> 16 == (TS_OP_SETC16 << 8 | TS_THD_ADDR_CFG_STATE_ID_StateID))
            self->push_state = word & 1;
        if (__builtin_expect(tracks, 0))
            w->ticket |= track(self, word);
    }
    self->pushes += count_;
    self->pushed += count_;
    self->fifo_count = (uint8_t)(self->fifo_count + count_);
    self->fresh = (uint8_t)(self->fresh + count_);
    self->on_the_way = (uint8_t)(self->on_the_way + count_);
    const bool detail = ts_trace_detail(&self->component.object);
    for (unsigned i = 1; (detail || self->dated) && i <= count_; i++)
        self->pushed_at[(self->next_pc - i) % TS_FRONT_PCS] = now;
    if (detail)
        ts_trace_put_level(&self->fifo_room, now, NULL, self->on_the_way);
    if (__builtin_expect(self->promise.count && (drops || in_time(self)), 0))
        ts_frontend_cut(self, now);
    pushed(self, now);
    return true;
}

bool ts_frontend_push_brisc(struct ts_frontend *self, uint32_t word, ts_cycle now,
                            struct ts_hold *hold)
{
    if (self->brisc_full)
        return ts_held(hold, TS_STALL_FIFO_FULL, &self->fifo_room, TS_NEVER);
    word = ts_machine_word(self->machine, word);
    ts_frontend_cut(self, now);
    self->brisc_full = self->brisc_pushed = true;
    self->brisc_word = word;
    self->brisc_cycle = now;
    self->dropping = (uint8_t)(self->dropping + ts_is_recording(word));
    self->pushed++;
    pushed(self, now);
    return true;
}

uint32_t ts_frontend_mop_value(const struct ts_frontend *self, unsigned index, uint32_t value)
{
    if (index >= 2)
        return ts_machine_word(self->machine, value);
    return ts_machine_has(self->machine, TS_RULE_mop_7_bits) ? value & 0x7f : value;
}

void ts_frontend_mop_config(struct ts_frontend *self, unsigned index, uint32_t value, ts_cycle now)
{
    ts_frontend_cut(self, now);
    if (index < TS_MOP_CFG_WORDS)
        ts_mop_configure(&self->mop, index, value);
    if (in_time(self) && moves(self))
        ts_frontend_hurry(self, ts_frontend_reached(self, now));
}

void ts_frontend_core_reset(struct ts_frontend *self, ts_cycle now)
{
    ts_frontend_cut(self, now);
    for (; self->fifo_count; self->fifo_count--) {
        const struct ts_front_word w = self->fifo[self->fifo_first];
        leave(self, w.ticket, now);
        if (TS_OP_OF(w.word) == TS_OP_MOP_CFG || ts_is_recording(w.word))
            self->dropping--;
        self->fifo_first = (uint8_t)((self->fifo_first + 1u) % TS_FRONT_FIFO);
    }
    self->fresh = self->mops = self->loops = self->to_record = 0;
    if (self->mop.active) {
        ts_mop_stop(&self->mop);
        leave(self, self->mop_ticket, now);
    }
    if (self->mop_done.waiters)
        ts_wake_all(&self->mop_done, now + 1);
    ts_frontend_hurry(self, ts_frontend_reached(self, now)); // nothing is left to do
}

// ---- the gate

// The gate: offers the first word to the backend.
static enum ts_verdict gate_stage(struct ts_frontend *self, ts_cycle now, struct ts_hold *hold)
{
    const struct ts_front_word w = self->gate[0];
    if (__builtin_expect(self->perturb.max != 0, 0) && ts_perturb_holds(&self->perturb, now)) {
        self->backend->ops->look(self->backend, self->thread, now);
        ts_held(hold, TS_STALL_EVENT, &self->tracked, self->perturb.until);
        return TS_HELD;
    }
    enum ts_verdict verdict = self->backend->ops->offer(
        self->backend, ts_word(w.word, self->thread), now, &self->component, hold);
    if (verdict == TS_PASSED) {
        if (__builtin_expect(self->follow != NULL, 0))
            self->follow(self->follow_context, self->thread, w.word);
        self->dispatched++;
        self->passed[TS_OP_OF(w.word)]++;
        self->weight += self->weights[TS_OP_OF(w.word)];
        leave(self, w.ticket, now);
        self->gate[0] = self->gate[1];
        self->gate_count--;
        ts_perturb_passed(&self->perturb);
    }
    return verdict;
}

// ---- a cycle

// Everything has left: a wait for the thread to drain can end when the units are done.
static void drained(struct ts_frontend *self, ts_cycle now)
{
    self->brisc_pushed = false;
    if (!self->component.object.waiters)
        return;
    ts_wake_all(&self->component.object, now + 1);
}

// The first word does not pass. Cycles until the next look at it; 0: asleep.
static ts_step held(struct ts_frontend *self, ts_cycle now, const struct ts_hold *hold)
{
    struct ts_component *component = &self->component;
    bool soon = hold->until <= now + 1;
    if (__builtin_expect(in_time(self), 0)) {
        if (!stages_cycle(self))
            return 0;
        soon |= moves(self);
    }
    if (soon)
        return ts_stall_for(component, now, 1, hold->reason, hold->object);
    ts_block(component, now, hold->reason, hold->object);
    if (hold->until != TS_NEVER)
        ts_wake(component, hold->until);
    return 0;
}

// The word that has passed closes the gate for the next one: the front end need not look at it before.
// Cycles until then; 0: asleep.
static ts_step closed(struct ts_frontend *self, ts_cycle now)
{
    struct ts_component *component = &self->component;
    const struct ts_closed *by = self->closed;
    if (in_time(self))
        return 1;
    if (by->until == now + 2) // a sleep, not booked at once: it may be recalled before
        return 1 + ts_stall_for(component, now + 1, 1, by->reason, by->object);
    ts_block(component, now + 1, by->reason, by->object);
    if (by->until != TS_NEVER)
        ts_wake(component, by->until);
    return 0;
}

// The word that has passed is of a unit for free: the stages go on within the cycle. False: no word is at the gate.
static bool at_once(struct ts_frontend *self, uint32_t word, ts_cycle now)
{
    if (!(self->backend->at_once >> ts_op_hot[TS_OP_OF(word)].unit & 1))
        return false;
    for (unsigned stage = 0; stage < TS_FRONT_STAGES && !self->gate_count; stage++) {
        replay_stage(self, now);
        if (self->replay_count < TS_FRONT_REPLAY && !mux_stage(self, now))
            return false;
    }
    return self->gate_count != 0;
}

// One cycle of all stages. Cycles until the next one in which it has something to do; 0: asleep.
static ts_step one_cycle(struct ts_frontend *self, ts_cycle now)
{
    const struct ts_backend *backend = self->backend;
    uint32_t word = 0;
    ts_frontend_move(self, now);
    if (self->gate_count) {
        struct ts_hold hold;
        do {
            word = self->gate[0].word;
            enum ts_verdict verdict = gate_stage(self, now, &hold);
            if (verdict == TS_HELD)
                return held(self, now, &hold);
            if (__builtin_expect(verdict == TS_STOPPED, 0))
                return 0;
        } while (__builtin_expect(backend->at_once, 0) && at_once(self, word, now));
    } else
        backend->ops->look(backend, self->thread, now);
    if (!stages_cycle(self))
        return 0;
    if (self->gate_count) {
        if (self->closed->until > now + 1)
            return closed(self, now);
        return self->run_ahead && ts_frontend_may_promise(self)
                   ? 1 + ts_frontend_promise(self, now + 1)
                   : 1;
    }
    if (ts_frontend_empty(self)) {
        drained(self, now);
        return ts_idle(&self->component, now);
    }
    if (in_time(self) || !self->run_ahead || backend->ops->waits(backend, self->thread))
        return 1;
    return self->replay.replaying || self->replay_count ? TS_FRONT_STAGES - 1 : TS_FRONT_STAGES;
}

// ---- the component

static ts_step frontend_step(struct ts_component *component, ts_cycle now)
{
    struct ts_frontend *self = (struct ts_frontend *)component;
    if (self->promise.count) { // at its end, or recalled
        self->backend->ops->back(self->backend, self->thread);
        ts_frontend_back(self, now);
    }
    ts_step n = one_cycle(self, now);
    self->due = now + n;
    return n;
}

// The ticket of the pushed word that the first word at the gate comes from; 0: not known.
static uint32_t gate_ticket(const struct ts_frontend *self)
{
    // Words are in order. Of an expander's output, only the last word has a ticket, so the next
    // ticket belongs to the pushed word that all words before it come from.
    if (self->gate_count && self->gate[0].ticket)
        return self->gate[0].ticket;
    if (self->brisc_pushed) // a word of BRISC has no ticket either
        return 0;
    uint32_t ticket = self->gate_count == TS_FRONT_GATE ? self->gate[1].ticket : 0;
    if (!ticket && self->replay.replaying)
        ticket = self->replay_ticket;
    for (unsigned i = 0; !ticket && i < self->replay_count; i++)
        ticket = self->before_replay[(self->replay_first + i) % TS_FRONT_REPLAY].ticket;
    if (!ticket && self->mop.active)
        ticket = self->mop_ticket;
    return ticket;
}

uint32_t ts_frontend_pc(const struct ts_frontend *self)
{
    uint32_t ticket = gate_ticket(self);
    return ticket ? self->pcs[ticket >> TS_TICKET_PC] : TS_NO_PC;
}

uint32_t ts_frontend_origin(const struct ts_frontend *self, ts_cycle *pushed_at)
{
    uint32_t ticket = gate_ticket(self);
    if (!ticket)
        return TS_NO_PC;
    *pushed_at = self->pushed_at[ticket >> TS_TICKET_PC];
    return self->pcs[ticket >> TS_TICKET_PC];
}

uint32_t ts_frontend_push_number(const struct ts_frontend *self, bool gate)
{
    uint32_t ticket = gate ? gate_ticket(self) : 0;
    if (!gate)
        return self->pushes;
    return ticket ? self->pushes - ((self->next_pc - (ticket >> TS_TICKET_PC)) & (TS_FRONT_PCS - 1))
                  : UINT32_MAX;
}

static const struct ts_counter counters[] = {
    {"pushed", "instructions", "words that cores pushed", offsetof(struct ts_frontend, pushed)},
    {"expanded", "instructions", "words out of MOP and REPLAY",
     offsetof(struct ts_frontend, expanded)},
    {"dispatched", "instructions", "words that passed the gate",
     offsetof(struct ts_frontend, dispatched)},
    {"lost", "instructions", "words lost at the mux", offsetof(struct ts_frontend, lost)},
    {0},
};

static const struct ts_component_ops frontend_ops = {
    .kind = "frontend",
    .step = frontend_step,
    .settle = ts_frontend_settle,
    .counters = counters,
    TS_HOT(struct ts_frontend, thread, follow),
};

static struct ts_frontend *owner_of_room(const struct ts_object *o)
{
    return (struct ts_frontend *)((char *)(uintptr_t)o - offsetof(struct ts_frontend, fifo_room));
}
static struct ts_component *room_holder(const struct ts_object *o)
{
    return &owner_of_room(o)->component;
}
static struct ts_component *mop_holder(const struct ts_object *o)
{
    return (struct ts_component *)((char *)(uintptr_t)o - offsetof(struct ts_frontend, mop_done));
}
static struct ts_component *track_holder(const struct ts_object *o)
{
    return (struct ts_component *)((char *)(uintptr_t)o - offsetof(struct ts_frontend, tracked));
}

const uint8_t ts_frontend_no_weights[256];

void ts_frontend_init(struct ts_frontend *self, unsigned thread, const struct ts_backend *backend,
                      const struct ts_machine *machine, struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_component_init(&self->component, &frontend_ops, domain, "t%u", thread);
    ts_resource_init(&self->fifo_room, domain, room_holder, "t%u.fifo", thread);
    ts_resource_init(&self->mop_done, domain, mop_holder, "t%u.mop", thread);
    ts_resource_init(&self->tracked, domain, track_holder, "t%u.ttsync", thread);
    self->thread = thread;
    self->run_ahead = true;
    self->backend = backend;
    self->machine = machine;
    self->closed = &backend->closed[thread];
    self->weights = ts_frontend_no_weights;
    self->fresh_cycle = TS_NEVER;
    ts_mop_reset(&self->mop);
    self->mop.end_129 = ts_machine_has(machine, TS_RULE_mop_129);
    ts_replay_reset(&self->replay);
}
