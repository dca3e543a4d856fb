// cores/frontend/stream.c: a front end's stages behind time, and its side of streams; see stages.h and
// units/stream.h.
//
// While words of one kind follow each other to the gate, one a cycle, the backend may promise many of
// them in advance: the front end does not step before the last of them is due.
#include "cores/frontend/stages.h"

#include "platform/kernel/domain.h"

#include <string.h>

// ---- what reaches the gate

// The words of one kind that pass next, one a cycle, and give no place in the FIFO back.
struct ahead {
    uint32_t words[TS_STREAM_MOST];
    unsigned count;
    uint8_t op;
};

// The next word to reach the gate. False: it does not belong to them.
static inline bool meets(struct ahead *self, uint32_t word, uint32_t ticket)
{
    if (TS_OP_OF(word) != self->op || ticket || self->count == TS_STREAM_MOST)
        return false;
    self->words[self->count++] = word;
    return true;
}

static bool meets_replayed(struct ahead *self, const struct ts_replay *replay, unsigned index,
                           unsigned left, uint32_t ticket)
{
    const uint32_t *words = &replay->ram[index %= TS_REPLAY_WORDS];
    const unsigned plain = ticket ? left - 1 : left; // the last one has the ticket
    if (plain <= replay->alike[index] && TS_OP_OF(*words) == self->op) {
        const unsigned room = TS_STREAM_MOST - self->count, taken = plain < room ? plain : room;
        memcpy(&self->words[self->count], words, taken * sizeof *words);
        self->count += taken;
        return taken == left;
    }
    for (; left; left--, index++)
        if (!meets(self, replay->ram[index % TS_REPLAY_WORDS], left == 1 ? ticket : 0))
            return false;
    return true;
}

// The same for a word before the replay expander.
static bool meets_expanded(struct ahead *self, const struct ts_replay *replay, uint32_t word,
                           uint32_t ticket)
{
    if (TS_OP_OF(word) != TS_OP_REPLAY)
        return meets(self, word, ticket);
    return meets_replayed(self, replay, ts_decode_REPLAY(word).start_idx, ts_replay_length(word),
                          ticket);
}

// True: nothing is behind these words.
static bool look_ahead(const struct ts_frontend *self, struct ahead *ahead)
{
    for (unsigned i = 0; i < self->gate_count; i++)
        if (!meets(ahead, self->gate[i].word, self->gate[i].ticket))
            return false;
    if (self->replay.replaying && !meets_replayed(ahead, &self->replay, self->replay.index,
                                                  self->replay.replaying, self->replay_ticket))
        return false;
    for (unsigned i = 0; i < self->replay_count; i++) {
        const struct ts_front_word *w =
            &self->before_replay[(self->replay_first + i) % TS_FRONT_REPLAY];
        if (!meets_expanded(ahead, &self->replay, w->word, w->ticket))
            return false;
    }
    // Without a gap before them, the words of a MOP come one a cycle.
    if (ahead->count < 2 || !self->mop.active)
        return !self->mop.active && !self->fifo_count;
    for (struct ts_mop mop = self->mop; mop.active;) {
        const uint32_t word = ts_mop_next(&mop);
        if (!meets_expanded(ahead, &self->replay, word, mop.active ? 0 : self->mop_ticket))
            return false;
    }
    return !self->fifo_count;
}

unsigned ts_frontend_stream(struct ts_frontend *self, ts_cycle at)
{
    const struct ts_backend *backend = self->backend;
    struct ahead ahead;
    if (in_time(self) || self->follow ||
        !backend->ops->streams(backend, ts_word(self->gate[0].word, self->thread), at))
        return 0;
    ts_frontend_move(self, at);
    ahead.op = TS_OP_OF(self->gate[0].word);
    ahead.count = 0;
    if (look_ahead(self, &ahead))
        ahead.count--; // the thread is idle from the last word on: the front end steps for it
    if (ahead.count < 2)
        return 0;
    self->stream_count = (uint8_t)backend->ops->stream(backend, ahead.words, ahead.count,
                                                       self->thread, at);
    self->stream_from = at;
    self->stream_op = ahead.op;
    return self->stream_count;
}

// ---- runs

// So many words have passed in so many cycles, while a REPLAY gave as many to the gate, which stayed full.
static void pass_replayed(struct ts_frontend *self, const uint32_t *words, unsigned passed,
                          ts_cycle cycles)
{
    for (ts_cycle i = 0; i < cycles && self->replay_count < TS_FRONT_REPLAY &&
                         (self->mop.active || self->fifo_count);
         i++)
        mux_stage(self, self->moved + i);
    for (unsigned i = 0; i < TS_FRONT_GATE; i++)
        self->gate[i].word = words[passed + i];
    self->replay.index = (uint8_t)((self->replay.index + passed) % TS_REPLAY_WORDS);
    self->replay.replaying = (uint8_t)(self->replay.replaying - passed);
    if (!self->replay.replaying)
        self->gate[TS_FRONT_GATE - 1].ticket = self->replay_ticket;
    self->expanded += passed;
    self->moved += cycles;
}

// Does no word leave before the gate while a REPLAY passes? The stages before it have stalled, or are empty.
static bool stands(const struct ts_frontend *self)
{
    return (self->replay_count == TS_FRONT_REPLAY || !(self->mop.active || self->fifo_count)) &&
           !self->brisc_full && !self->perturb.max;
}

ts_cycle ts_frontend_run(struct ts_frontend *self, ts_cycle from, ts_cycle end)
{
    uint32_t words[TS_FRONT_GATE + TS_STREAM_MOST];
    unsigned count = self->replay.replaying < TS_STREAM_MOST ? self->replay.replaying
                                                             : TS_STREAM_MOST;
    ts_cycle at = from;
    if ((in_time(self) && !stands(self)) || self->follow || self->gate[0].ticket ||
        self->gate[1].ticket)
        return from;
    ts_frontend_move(self, from);
    for (unsigned i = 0; i < TS_FRONT_GATE; i++)
        words[i] = self->gate[i].word;
    for (unsigned i = 0; i < count; i++)
        words[TS_FRONT_GATE + i] = self->replay.ram[(self->replay.index + i) % TS_REPLAY_WORDS];
    unsigned passed = self->backend->ops->run(self->backend, words, count, self->thread, &at, end);
    if (passed == 0)
        return from;
    for (unsigned i = 0; i < passed; i++) {
        self->passed[TS_OP_OF(words[i])]++;
        self->weight += self->weights[TS_OP_OF(words[i])];
    }
    self->dispatched += passed;
    pass_replayed(self, words, passed, at - from);
    return at;
}

// ---- stages behind time

// While a REPLAY passes, only its words move, and the stages before it until they stall: up to `most`
// cycles at once. Returns how many.
static unsigned move_replayed(struct ts_frontend *self, unsigned most)
{
    unsigned held = self->gate_count, index = self->replay.index;
    unsigned moved = self->replay.replaying < most ? self->replay.replaying : most;
    for (unsigned i = 0; i < moved && self->replay_count < TS_FRONT_REPLAY &&
                         (self->mop.active || self->fifo_count);
         i++)
        mux_stage(self, self->moved + i);
    for (unsigned i = 0; i < held; i++) // what was there has passed, or is further ahead
        self->gate[i].word = i + moved < held
                                 ? self->gate[i + moved].word
                                 : self->replay.ram[(index + i + moved - held) % TS_REPLAY_WORDS];
    self->replay.index = (uint8_t)((index + moved) % TS_REPLAY_WORDS);
    self->replay.replaying = (uint8_t)(self->replay.replaying - moved);
    if (!self->replay.replaying)
        self->gate[held - 1].ticket = self->replay_ticket;
    self->expanded += moved;
    return moved;
}

// The same while a MOP repeats a word, and all stages behind it hold that word: only its count moves.
static unsigned move_repeated(struct ts_frontend *self, unsigned most)
{
    const uint32_t word = self->mop.cfg[5];
    unsigned moved = self->mop.repeats < most ? self->mop.repeats : most;
    if (moved < 2 || !self->replay_count || TS_OP_OF(word) == TS_OP_REPLAY)
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

// While words of a stream pass, one a cycle.
static void move_streamed(struct ts_frontend *self, ts_cycle to)
{
    while (self->moved < to) {
        unsigned most = (unsigned)(to - self->moved);
        unsigned moved = self->replay.replaying ? move_replayed(self, most)
                                                : move_repeated(self, most);
        self->moved += moved;
        if (moved)
            continue;
        self->gate[0] = self->gate[1];
        self->gate_count--;
        stages_cycle(self);
    }
}

void ts_frontend_move_on(struct ts_frontend *self, ts_cycle to)
{
    if (self->stream_count) {
        ts_cycle end = self->stream_from + self->stream_count;
        move_streamed(self, to < end ? to : end);
    }
    while (self->moved < to && moves(self))
        stages_cycle(self);
    self->moved = to;
}

void ts_frontend_streamed(struct ts_frontend *self, ts_cycle now)
{
    ts_frontend_move(self, now);
    ts_cycle end = self->stream_from + self->stream_count;
    unsigned passed = (unsigned)((now < end ? now : end) - self->stream_from);
    self->stream_count = 0;
    self->passed[self->stream_op] += passed;
    self->weight += passed * self->weights[self->stream_op];
    self->dispatched += passed;
}

void ts_frontend_catch_up(struct ts_frontend *self, ts_cycle now)
{
    if (self->stream_count && now >= self->stream_from + self->stream_count) {
        self->backend->ops->back(self->backend, self->thread);
        ts_frontend_streamed(self, now);
    }
    ts_frontend_move(self, ts_frontend_reached(self, now));
}

void ts_frontend_cut(struct ts_frontend *self, ts_cycle now)
{
    ts_cycle to = ts_frontend_reached(self, now);
    if (self->stream_count) {
        self->backend->ops->recall(self->backend, self->thread, now);
        self->due = to;
        ts_frontend_streamed(self, to);
    } else
        ts_frontend_move(self, to);
}

// The end of a run cuts a stream short.
void ts_frontend_settle(struct ts_component *component, ts_cycle now)
{
    ts_frontend_cut((struct ts_frontend *)component, now - 1);
}
