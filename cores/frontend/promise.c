// cores/frontend/promise.c: a front end's stages behind time, and its side of promises; see stages.h and
// units/isa/promise.h.
//
// While words of one kind follow each other to the gate, the backend may promise many of them in
// advance: the front end does not step before the last of them is due.
#include "cores/frontend/stages.h"

// ---- what reaches the gate

// The next word to reach the gate. False: it is of another kind, or gives a place in the FIFO back.
static inline bool meets(struct ts_promise *self, uint8_t kind, uint32_t word, uint32_t ticket)
{
    if (ts_promise_kind(word) != kind || ticket || self->count == TS_PROMISE_MOST)
        return false;
    self->words[self->count++] = word;
    return true;
}

static bool meets_replayed(struct ts_promise *self, uint8_t kind, const struct ts_replay *replay,
                           unsigned index, unsigned left, uint32_t ticket)
{
    const uint32_t *words = &replay->ram[index %= TS_REPLAY_WORDS];
    const unsigned plain = ticket ? left - 1 : left; // the last one has the ticket
    if (plain <= replay->alike[index] && ts_promise_kind(*words) == kind) {
        const unsigned room = TS_PROMISE_MOST - self->count, taken = plain < room ? plain : room;
        memcpy(&self->words[self->count], words, taken * sizeof *words);
        self->count = (uint8_t)(self->count + taken);
        return taken == left;
    }
    for (; left; left--, index++)
        if (!meets(self, kind, replay->ram[index % TS_REPLAY_WORDS], left == 1 ? ticket : 0))
            return false;
    return true;
}

// The same for a word before the replay expander.
static bool meets_expanded(struct ts_promise *self, uint8_t kind, const struct ts_replay *replay,
                           uint32_t word, uint32_t ticket)
{
    if (TS_OP_OF(word) != TS_OP_REPLAY)
        return meets(self, kind, word, ticket);
    return meets_replayed(self, kind, replay, ts_decode_REPLAY(word).start_idx,
                          ts_replay_length(word), ticket);
}

// `stands`: only words of the REPLAY, and the gate stays full.
// True: nothing is behind these words.
static bool look_ahead(struct ts_frontend *self, uint8_t kind, bool stands)
{
    struct ts_promise *ahead = &self->promise;
    for (unsigned i = 0; i < self->gate_count; i++)
        if (!meets(ahead, kind, self->gate[i].word, self->gate[i].ticket))
            return false;
    if (self->replay.replaying && !meets_replayed(ahead, kind, &self->replay, self->replay.index,
                                                  self->replay.replaying, self->replay_ticket))
        return false;
    if (stands)
        return false;
    for (unsigned i = 0; i < self->replay_count; i++) {
        const struct ts_front_word *w =
            &self->before_replay[(self->replay_first + i) % TS_FRONT_REPLAY];
        if (!meets_expanded(ahead, kind, &self->replay, w->word, w->ticket))
            return false;
    }
    // Without a gap before them, the words of a MOP come one a cycle.
    if (ahead->count < 2 || !self->mop.active)
        return !self->mop.active && !self->fifo_count;
    for (struct ts_mop mop = self->mop; mop.active;) {
        const uint32_t word = ts_mop_next(&mop);
        if (!meets_expanded(ahead, kind, &self->replay, word, mop.active ? 0 : self->mop_ticket))
            return false;
    }
    return !self->fifo_count;
}

// Does no word leave before the gate while a REPLAY passes? The stages before it have stalled, or are empty.
static bool stands(const struct ts_frontend *self)
{
    return (self->replay_count == TS_FRONT_REPLAY || !(self->mop.active || self->fifo_count)) &&
           !self->brisc_full && !self->perturb.max;
}

unsigned ts_frontend_promise(struct ts_frontend *self, ts_cycle at)
{
    const struct ts_backend *backend = self->backend;
    struct ts_promise *promise = &self->promise;
    const uint32_t first = self->gate[0].word;
    const bool timely = in_time(self);
    if ((timely && !stands(self)) || self->follow ||
        !backend->ops->promises(backend, ts_word(first, self->thread), at))
        return 0;
    ts_frontend_move(self, at);
    promise->thread = (uint8_t)self->thread;
    promise->unit = ts_op_hot[TS_OP_OF(first)].unit;
    promise->from = at;
    if (look_ahead(self, ts_promise_kind(first), timely))
        promise->count--; // the thread is idle from the last word on: the front end steps for it
    if (timely && promise->count > self->replay.replaying)
        promise->count = self->replay.replaying;
    if (promise->count < 2 || !backend->ops->promise(backend, promise)) {
        promise->count = 0;
        return 0;
    }
    return promise->cycles;
}

// ---- stages behind time

// While a REPLAY passes, only its words move, and the stages before it until they stall: so many words pass in so many
// cycles.
static void move_replayed(struct ts_frontend *self, unsigned moved, unsigned cycles)
{
    unsigned held = self->gate_count, index = self->replay.index;
    for (unsigned i = 0; i < cycles && self->replay_count < TS_FRONT_REPLAY &&
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
    self->moved += cycles;
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

// While promised words pass.
static void move_promised(struct ts_frontend *self, ts_cycle to)
{
    const struct ts_promise *promise = &self->promise;
    while (self->moved < to) {
        uint64_t passes = promise->passes >> (self->moved - promise->from);
        unsigned cycles = (unsigned)(to - self->moved), left = self->replay.replaying;
        const unsigned ones = ~passes ? (unsigned)__builtin_ctzll(~passes) : 64;
        if (left && ones >= cycles) { // one a cycle
            left = left < cycles ? left : cycles;
            move_replayed(self, left, left);
        } else if (left && self->gate_count == TS_FRONT_GATE) { // with stalls: the gate stays full
            unsigned words = (unsigned)__builtin_popcountll(passes & UINT64_MAX >> (64 - cycles));
            if (words > left) { // up to the last word that comes from the REPLAY
                for (words = 1; words < left; words++)
                    passes &= passes - 1;
                cycles = (unsigned)__builtin_ctzll(passes) + 1;
            }
            move_replayed(self, words, cycles);
        } else {
            const unsigned repeated = move_repeated(self, ones < cycles ? ones : cycles);
            self->moved += repeated;
            if (repeated)
                continue;
            if (passes & 1) {
                self->gate[0] = self->gate[1];
                self->gate_count--;
            }
            stages_cycle(self);
        }
    }
}

void ts_frontend_move_on(struct ts_frontend *self, ts_cycle to)
{
    if (self->promise.count) {
        ts_cycle end = self->promise.from + self->promise.cycles;
        move_promised(self, to < end ? to : end);
    }
    while (self->moved < to && moves(self))
        stages_cycle(self);
    self->moved = to;
}

void ts_frontend_back(struct ts_frontend *self, ts_cycle now)
{
    struct ts_promise *promise = &self->promise;
    ts_frontend_move(self, now);
    const unsigned passed = ts_promise_passed(promise, now);
    const bool alike = promise->unit == TS_UNIT_MATRIX; // all MVMULs
    for (unsigned i = 0, by = alike ? passed : 1; i < passed; i += by) {
        self->passed[TS_OP_OF(promise->words[i])] += by;
        self->weight += by * self->weights[TS_OP_OF(promise->words[i])];
    }
    self->dispatched += passed;
    promise->count = 0;
}

void ts_frontend_catch_up(struct ts_frontend *self, ts_cycle now)
{
    if (self->promise.count && now >= self->promise.from + self->promise.cycles) {
        self->backend->ops->back(self->backend, self->thread);
        ts_frontend_back(self, now);
    }
    ts_frontend_move(self, ts_frontend_reached(self, now));
}

void ts_frontend_cut(struct ts_frontend *self, ts_cycle now)
{
    ts_cycle to = ts_frontend_reached(self, now);
    if (self->promise.count) {
        self->backend->ops->recall(self->backend, self->thread, now);
        self->due = to;
        ts_frontend_back(self, to);
    } else
        ts_frontend_move(self, to);
}

// The end of a run cuts a promise short.
void ts_frontend_settle(struct ts_component *component, ts_cycle now)
{
    ts_frontend_cut((struct ts_frontend *)component, now - 1);
}
