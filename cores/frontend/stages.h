// cores/frontend/stages.h: the stages of a front end before its gate, from the back to the front; see
// frontend.h. For the step of a front end and for its promises.
//
// Nobody notices what the stages do while the first word waits at the gate or words pass one after the
// other: so they are behind time (`moved`), and go through the cycles they have missed when the gate
// needs a word, or before somebody looks at them. They keep up with time only while they can do
// something that others notice: a word leaves before the gate (it was recorded, or is a MOP_CFG or an
// empty MOP), BRISC's word is at the mux, or a core waits for the MOP expander. A perturbed gate is
// looked at in every cycle in which they move.
#pragma once

#include "cores/frontend/frontend.h"

// A pushed word has left the front end: its place in the FIFO and its resources are free. Those who wait
// for them, and a trace, take notice.
TS_SLOW_PATH void ts_frontend_give_back(struct ts_frontend *self, uint32_t ticket, ts_cycle now);
static inline void leave(struct ts_frontend *self, uint32_t ticket, ts_cycle now)
{
    if (!ticket)
        return;
    bool room = self->on_the_way-- == self->backend->timing->fifo_accept + 1;
    if ((room && self->fifo_room.waiters) || ticket & 0xffff || self->fifo_room.trace)
        ts_frontend_give_back(self, ticket, now);
}

// Must the stages keep up with time?
static inline bool in_time(const struct ts_frontend *self)
{
    return self->dropping || self->replay.recording || self->brisc_full || self->perturb.max ||
           self->mop_done.waiters || (self->mop.records && (self->mops || self->mop.active)) ||
           (self->mop.empty && self->loops);
}

// Will the next cycles of the stages move anything while the first word waits at the gate?
static inline bool moves(const struct ts_frontend *self)
{
    return (self->gate_count < TS_FRONT_GATE && (self->replay.replaying || self->replay_count)) ||
           (self->replay_count < TS_FRONT_REPLAY &&
            (self->mop.active || self->fifo_count || self->brisc_full));
}

// The MOP expander: takes or expands one word. True: *out leaves it.
static inline bool mop_stage(struct ts_frontend *self, struct ts_front_word *out, ts_cycle now)
{
    if (!self->mop.active) {
        unsigned fresh = self->fresh_cycle == now ? self->fresh : 0;
        if (self->fifo_count == fresh)
            return false;
        struct ts_front_word w = self->fifo[self->fifo_first];
        uint8_t op = TS_OP_OF(w.word);
        if (op != TS_OP_MOP && now <= self->mop_ended)
            return false; // the cycle between a MOP and something else
        self->fifo_first = (uint8_t)((self->fifo_first + 1u) % TS_FRONT_FIFO);
        self->fifo_count--;
        if (op != TS_OP_MOP && op != TS_OP_MOP_CFG) {
            *out = w;
            return true;
        }
        ts_mop_ingest(&self->mop, w.word);
        if (op == TS_OP_MOP_CFG) {
            self->dropping--;
            leave(self, w.ticket, now);
            return false;
        }
        self->mop_ticket = w.ticket;
        self->mops--;
        self->loops = (uint8_t)(self->loops - self->mop.kind);
        if (!self->mop.active) { // expands to nothing
            leave(self, w.ticket, now);
            if (self->mops == 0 && self->mop_done.waiters)
                ts_wake_all(&self->mop_done, now + 1);
            return false;
        }
    }
    *out = (struct ts_front_word){.word = ts_mop_next(&self->mop)};
    self->expanded++;
    if (__builtin_expect(self->mop.records, 0))
        self->dropping = (uint8_t)(self->dropping + ts_is_recording(out->word));
    if (!self->mop.active) {
        out->ticket = self->mop_ticket;
        self->mop_ended = now + self->backend->timing->mop_penalty;
        if (self->mops == 0 && self->mop_done.waiters)
            ts_wake_all(&self->mop_done, now + 1);
    }
    return true;
}

static inline void to_replay(struct ts_frontend *self, struct ts_front_word w)
{
    self->before_replay[(self->replay_first + self->replay_count) % TS_FRONT_REPLAY] = w;
    self->replay_count++;
}

// The mux: BRISC's word passes; what the MOP expander has in the same cycle is lost.
static inline __attribute__((always_inline)) bool mux_stage(struct ts_frontend *self, ts_cycle now)
{
    struct ts_front_word w;
    if (!self->brisc_full && self->mop.repeats) {
        self->expanded++;
        ts_mop_repeat(&self->mop, 1);
        to_replay(self, (struct ts_front_word){.word = self->mop.cfg[5]});
        if (__builtin_expect(self->mop.records, 0))
            self->dropping = (uint8_t)(self->dropping + ts_is_recording(self->mop.cfg[5]));
        return true;
    }
    if (__builtin_expect(self->brisc_full && self->brisc_cycle < now, 0)) {
        to_replay(self, (struct ts_front_word){.word = self->brisc_word});
        self->brisc_full = false;
        if (self->fifo_room.waiters)
            ts_wake_all(&self->fifo_room, now + 1);
        if (mop_stage(self, &w, now)) {
            self->lost++;
            self->dropping = (uint8_t)(self->dropping - ts_is_recording(w.word));
            leave(self, w.ticket, now);
            return self->backend->ops->lost(self->backend, ts_word(w.word, self->thread), now,
                                            &self->component);
        }
        return true;
    }
    if (mop_stage(self, &w, now))
        to_replay(self, w);
    return true;
}

static inline void to_gate(struct ts_frontend *self, struct ts_front_word w)
{
    self->gate[self->gate_count++] = w;
}

static inline __attribute__((always_inline)) void replay_stage(struct ts_frontend *self,
                                                               ts_cycle now)
{
    struct ts_front_word w;
    if (self->replay.replaying) {
        w = (struct ts_front_word){.word = ts_replay_next(&self->replay)};
    } else {
        if (!self->replay_count)
            return;
        struct ts_front_word in = self->before_replay[self->replay_first];
        self->replay_first = (uint8_t)((self->replay_first + 1u) % TS_FRONT_REPLAY);
        self->replay_count--;
        if (!self->replay.recording && TS_OP_OF(in.word) != TS_OP_REPLAY) {
            to_gate(self, in);
            return;
        }
        w = in;
        self->dropping = (uint8_t)(self->dropping - ts_is_recording(in.word));
        if (!ts_replay_ingest(&self->replay, in.word, &w.word)) {
            leave(self, in.ticket, now); // recorded only
            return;
        }
        if (!self->replay.replaying) {
            to_gate(self, w);
            return;
        }
        self->replay_ticket = in.ticket;
        w = (struct ts_front_word){.word = w.word};
    }
    self->expanded++;
    if (!self->replay.replaying)
        w.ticket = self->replay_ticket;
    to_gate(self, w);
}

// A cycle of all stages, the next one they have not gone through. False: a word was lost, and that was a
// fault.
static inline __attribute__((always_inline)) bool stages_cycle(struct ts_frontend *self)
{
    const ts_cycle now = self->moved++;
    if (self->gate_count < TS_FRONT_GATE)
        replay_stage(self, now);
    return self->replay_count == TS_FRONT_REPLAY || mux_stage(self, now);
}

// The stages' cycles before `to`: they have not gone through all of them yet.
TS_SLOW_PATH void ts_frontend_move_on(struct ts_frontend *self, ts_cycle to);
static inline void ts_frontend_move(struct ts_frontend *self, ts_cycle to)
{
    if (self->moved >= to)
        return;
    if (self->promise.count || moves(self))
        ts_frontend_move_on(self, to);
    else
        self->moved = to;
}
