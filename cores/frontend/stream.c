// cores/frontend/stream.c: a front end's side of streams, see frontend.h and units/stream.h.
//
// While words of one kind follow each other to the gate, one a cycle, the backend may promise many of
// them in advance. The stages then do not step either: a look at them, a push and the end of the
// stream move them up to its cycle first. So no stage may do anything in the meantime that others
// notice: give a place in the FIFO back, or end a wait for the MOP expander.
#include "cores/frontend/stages.h"

#include "platform/kernel/domain.h"

// ---- what reaches the gate

// The words of the same kind that pass next, and how many of those behind them are known: the stages
// take up to two more words than the gate.
struct ahead {
    uint32_t words[TS_STREAM_MOST];
    unsigned count, behind;
    unsigned taken; // words that leave the FIFO before the replay expander
    uint8_t op;
};

// The next word to reach the gate. False: enough is known.
static inline bool meets(struct ahead *self, uint32_t word, uint32_t ticket)
{
    if (!self->behind && TS_OP_OF(word) == self->op && !ticket && self->count < TS_STREAM_MOST) {
        self->words[self->count++] = word;
        return true;
    }
    return ++self->behind < TS_FRONT_GATE;
}

static bool meets_replayed(struct ahead *self, const struct ts_replay *replay, unsigned index,
                           unsigned left, uint32_t ticket)
{
    for (; left; left--, index++)
        if (!meets(self, replay->ram[index % TS_REPLAY_WORDS], left == 1 ? ticket : 0))
            return false;
    return true;
}

// The same for a word before the replay expander. False also for one that records.
static bool meets_expanded(struct ahead *self, const struct ts_replay *replay, uint32_t word,
                           uint32_t ticket)
{
    self->taken++;
    if (TS_OP_OF(word) != TS_OP_REPLAY)
        return meets(self, word, ticket);
    struct ts_args_REPLAY a = ts_decode_REPLAY(word);
    return !a.load_mode &&
           meets_replayed(self, replay, a.start_idx, a.len ? a.len : TS_REPLAY_MOST, ticket);
}

static void look_ahead(const struct ts_frontend *self, struct ahead *ahead)
{
    const struct ts_mop *mop = &self->mop;
    for (unsigned i = 0; i < self->gate_count; i++)
        if (!meets(ahead, self->gate[i].word, self->gate[i].ticket))
            return;
    if (!meets_replayed(ahead, &self->replay, self->replay.index, self->replay.replaying,
                        self->replay_ticket))
        return;
    for (unsigned i = 0; i < self->replay_count; i++) {
        const struct ts_front_word *w =
            &self->before_replay[(self->replay_first + i) % TS_FRONT_REPLAY];
        if (!meets_expanded(ahead, &self->replay, w->word, w->ticket))
            return;
    }
    // Without a gap before them, the words of a MOP come one a cycle.
    if (ahead->count + ahead->behind < 2 || !mop->repeats)
        return;
    unsigned left = mop->repeats;
    if (TS_OP_OF(mop->cfg[5]) == ahead->op && !ahead->behind) // as many as there is room for
        for (; left && ahead->count < TS_STREAM_MOST; left--, ahead->taken++)
            ahead->words[ahead->count++] = mop->cfg[5];
    for (; left; left--)
        if (!meets_expanded(ahead, &self->replay, mop->cfg[5], 0))
            return;
    uint32_t last = mop->cfg[mop->outer + 1 < mop->outer_count ? 8 : 7];
    if (TS_OP_OF(last) != TS_OP_REPLAY)
        meets(ahead, last, TS_TICKET);
}

// Would this word, taken from the FIFO, leave the front end at once?
static bool vanishes(const struct ts_frontend *self, uint32_t word)
{
    const uint32_t *cfg = self->mop.cfg;
    if (TS_OP_OF(word) == TS_OP_MOP)
        return ts_decode_MOP(word).mop_type && !(cfg[0] & 127 && cfg[1] & 127);
    return TS_OP_OF(word) == TS_OP_MOP_CFG;
}

// How many cycles pass, of `cycles`, before a word vanishes? `taken`: as in ahead.
static unsigned before_one_vanishes(const struct ts_frontend *self, unsigned cycles, unsigned taken)
{
    const struct ts_mop *mop = &self->mop;
    unsigned places = TS_FRONT_REPLAY - self->replay_count + taken;
    unsigned expanded = mop->repeats ? mop->repeats + 1u : mop->active;
    for (unsigned i = 0; i < self->fifo_count && expanded + i < places; i++)
        if (expanded + i >= cycles)
            break;
        else if (vanishes(self, self->fifo[(self->fifo_first + i) % TS_FRONT_FIFO].word))
            return expanded + i;
    return cycles;
}

unsigned ts_frontend_stream(struct ts_frontend *self, ts_cycle at)
{
    const struct ts_backend *backend = self->backend;
    struct ahead ahead;
    if (self->perturb.max || self->follow || self->brisc_full || self->replay.recording ||
        self->mop_done.waiters || !ts_can_recall(&self->component) ||
        !backend->ops->streams(backend, ts_word(self->gate[0].word, self->thread), at))
        return 0;
    ahead.op = TS_OP_OF(self->gate[0].word);
    ahead.count = ahead.behind = ahead.taken = 0;
    look_ahead(self, &ahead);
    unsigned unknown = TS_FRONT_GATE - ahead.behind;
    if (ahead.count < 2 + unknown)
        return 0;
    unsigned count = before_one_vanishes(self, ahead.count - unknown, ahead.taken);
    if (count < 2)
        return 0;
    self->stream_count = (uint8_t)backend->ops->stream(backend, ahead.words, count, self->thread,
                                                       at);
    self->stream_from = self->stream_moved = at;
    self->stream_op = ahead.op;
    return self->stream_count;
}

void ts_frontend_push_meets_stream(struct ts_frontend *self, const uint32_t *words, unsigned count,
                                   ts_cycle now)
{
    ts_frontend_catch_up(self, now);
    for (unsigned i = 0; i < count; i++)
        if (vanishes(self, words[i]))
            ts_frontend_cut(self, now);
}

// ---- stages behind time

// While a REPLAY passes and the stages before it stall, only its words move: up to `most` cycles at
// once. Returns how many.
static unsigned move_replayed(struct ts_frontend *self, unsigned most)
{
    unsigned held = self->gate_count, index = self->replay.index;
    unsigned moved = self->replay.replaying < most ? self->replay.replaying : most;
    if (self->replay_count < TS_FRONT_REPLAY && (self->mop.active || self->fifo_count))
        return 0;
    for (unsigned i = 0; i < held; i++) // what was there has passed, or is further ahead
        self->gate[i].word = i + moved < held
                                 ? self->gate[i + moved].word
                                 : self->replay.ram[(index + i + moved - held) % TS_REPLAY_WORDS];
    self->replay.index = (uint8_t)((index + moved) % TS_REPLAY_WORDS);
    self->replay.replaying = (uint8_t)(self->replay.replaying - moved);
    if (moved && !self->replay.replaying)
        self->gate[held - 1].ticket = self->replay_ticket;
    self->expanded += moved;
    return moved;
}

// The same while a MOP repeats a word, and all stages behind it hold that word: only its count moves.
static unsigned move_repeated(struct ts_frontend *self, unsigned most)
{
    const uint32_t word = self->mop.cfg[5];
    unsigned moved = self->mop.repeats < most ? self->mop.repeats : most;
    if (moved < 2 || self->replay.replaying || !self->replay_count ||
        TS_OP_OF(word) == TS_OP_REPLAY)
        return 0;
    for (unsigned i = 0; i < self->gate_count; i++)
        if (self->gate[i].word != word || self->gate[i].ticket)
            return 0;
    for (unsigned i = 0; i < self->replay_count; i++) {
        const struct ts_front_word *w =
            &self->before_replay[(self->replay_first + i) % TS_FRONT_REPLAY];
        if (w->word != word || w->ticket)
            return 0;
    }
    ts_mop_repeat(&self->mop, moved);
    self->expanded += moved;
    return moved;
}

// The stages' cycles before `to`.
static void move(struct ts_frontend *self, ts_cycle to)
{
    ts_cycle end = self->stream_from + self->stream_count, at = self->stream_moved;
    to = to < end ? to : end;
    while (at < to) {
        unsigned moved = self->replay.replaying ? move_replayed(self, (unsigned)(to - at))
                                                : move_repeated(self, (unsigned)(to - at));
        at += moved;
        if (moved)
            continue;
        self->gate[0] = self->gate[1];
        self->gate_count--;
        replay_stage(self, at);
        if (self->replay_count < TS_FRONT_REPLAY)
            mux_stage(self, at);
        at++;
    }
    self->stream_moved = at;
}

void ts_frontend_streamed(struct ts_frontend *self, ts_cycle now)
{
    move(self, now);
    unsigned passed = (unsigned)(self->stream_moved - self->stream_from);
    self->stream_count = 0;
    self->passed[self->stream_op] += passed;
    self->dispatched += passed;
}

// The first cycle that the stages have not gone through where the caller looks at them.
static ts_cycle reached(const struct ts_frontend *self, ts_cycle now)
{
    return ts_runs_before(&self->component) ? now : now + 1;
}

void ts_frontend_catch_up(struct ts_frontend *self, ts_cycle now)
{
    if (!self->stream_count)
        return;
    if (now < self->stream_from + self->stream_count) {
        move(self, reached(self, now));
        return;
    }
    self->backend->ops->back(self->backend, self->thread);
    ts_frontend_streamed(self, now);
}

void ts_frontend_cut(struct ts_frontend *self, ts_cycle now)
{
    if (!self->stream_count)
        return;
    self->backend->ops->recall(self->backend, self->thread, now);
    ts_frontend_streamed(self, reached(self, now));
}

// The end of a run cuts a stream short.
void ts_frontend_settle(struct ts_component *component, ts_cycle now)
{
    ts_frontend_cut((struct ts_frontend *)component, now - 1);
}
