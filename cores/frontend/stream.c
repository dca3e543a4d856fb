// cores/frontend/stream.c: a front end's side of streams, see frontend.h and units/stream.h.
#include "cores/frontend/frontend.h"

// While a REPLAY passes the gate and the stages before it stall, in each cycle one word passes and
// the next one takes its place. The backend may promise many such cycles in advance, from `at` on.
// Returns how many: until the REPLAY's last word, which carries its ticket, is at the gate.
unsigned ts_frontend_stream(struct ts_frontend *self, ts_cycle at)
{
    unsigned held = self->gate_count, left = self->replay.replaying;
    bool still = self->replay_count == TS_FRONT_REPLAY ||
                 !(self->mop.active | self->brisc_full | self->fifo_count);
    if (!held || !still || self->perturb.max || self->follow || !ts_can_recall(&self->component))
        return 0;
    struct ts_replayed words = {.held = held,
                                .ring = self->replay.ram,
                                .ring_mask = TS_REPLAY_WORDS - 1,
                                .index = self->replay.index,
                                .count = left};
    for (unsigned i = 0; i < held; i++) {
        if (self->gate[i].ticket)
            return 0;
        words.gate[i] = self->gate[i].word;
    }
    self->stream_count = (uint8_t)self->backend->ops->stream(self->backend, &words, self->thread,
                                                             at);
    self->stream_from = at;
    return self->stream_count;
}

// Back from a stream: the words before `now` have passed.
void ts_frontend_streamed(struct ts_frontend *self, ts_cycle now)
{
    unsigned held = self->gate_count, passed = self->stream_count;
    uint32_t index = self->replay.index;
    if (now < self->stream_from + passed)
        passed = now > self->stream_from ? (unsigned)(now - self->stream_from) : 0;
    self->stream_count = 0;
    for (unsigned i = 0; i < held; i++) // what was there has passed, or is further ahead
        self->gate[i].word = i + passed < held
                                 ? self->gate[i + passed].word
                                 : self->replay.ram[(index + i + passed - held) % TS_REPLAY_WORDS];
    self->replay.index = (uint8_t)((index + passed) % TS_REPLAY_WORDS);
    self->replay.replaying = (uint8_t)(self->replay.replaying - passed);
    if (!self->replay.replaying)
        self->gate[held - 1].ticket = self->replay_ticket;
    self->passed[TS_OP_MVMUL] += passed;
    self->dispatched += passed;
    self->expanded += passed;
}

void ts_frontend_catch_up(struct ts_frontend *self, ts_cycle now)
{
    if (!self->stream_count || now < self->stream_from + self->stream_count)
        return;
    self->backend->ops->back(self->backend, self->thread);
    ts_frontend_streamed(self, now);
}

// The end of a run cuts a stream short.
void ts_frontend_settle(struct ts_component *component, ts_cycle now)
{
    struct ts_frontend *self = (struct ts_frontend *)component;
    if (!self->stream_count)
        return;
    self->backend->ops->recall(self->backend, now - 1);
    ts_frontend_streamed(self, now);
}
