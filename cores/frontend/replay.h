// cores/frontend/replay.h: the replay expander of a thread: a RAM of 32 words.
//
//   ingest(word) --> PASS word | RECORD (nothing leaves) | the first word of a replay
//   next()       --> the following words of a replay, one a cycle
//
// REPLAY itself costs no cycle: the first replayed word leaves in the cycle it is ingested.
//
// Source: tt-isa-documentation WormholeB0/REPLAY.md (same on Blackhole).
#pragma once

#include "units/isa/promise.h"

#define TS_REPLAY_WORDS 32
#define TS_REPLAY_MOST  64 // words that one REPLAY can emit

struct ts_replay {
    uint32_t ram[TS_REPLAY_WORDS];
    uint8_t index;     // next word to record or to replay
    uint8_t replaying; // words left to replay
    uint8_t recording; // words left to record
    bool execute;      // recorded words leave as well
    // How many words of one opcode follow each other from this one on, as of the last recording.
    uint8_t alike[TS_REPLAY_WORDS];
};

// Is it a REPLAY that records?
static inline bool ts_is_recording(uint32_t word)
{
    return TS_OP_OF(word) == TS_OP_REPLAY && ts_decode_REPLAY(word).load_mode;
}

// Words that a REPLAY emits or records.
static inline uint8_t ts_replay_length(uint32_t word)
{
    unsigned length = ts_decode_REPLAY(word).len;
    return (uint8_t)(length ? length : TS_REPLAY_MOST);
}

void ts_replay_reset(struct ts_replay *self);

// Takes a word. True: *out leaves in this cycle. `replaying` says whether more follow by
// ts_replay_next.
bool ts_replay_ingest(struct ts_replay *self, uint32_t word, uint32_t *out);

// The next replayed word; only while replaying.
static inline uint32_t ts_replay_next(struct ts_replay *self)
{
    uint32_t word = self->ram[self->index];
    self->index = (uint8_t)((self->index + 1u) % TS_REPLAY_WORDS);
    self->replaying--;
    return word;
}
