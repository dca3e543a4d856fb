// cores/frontend/replay.c: see replay.h.
#include "cores/frontend/replay.h"

void ts_replay_reset(struct ts_replay *self)
{
    memset(self, 0, sizeof *self);
}

static void count_alike(struct ts_replay *self)
{
    for (unsigned i = TS_REPLAY_WORDS; i-- > 0;) {
        bool goes_on = i + 1 < TS_REPLAY_WORDS &&
                       ts_promise_kind(self->ram[i]) == ts_promise_kind(self->ram[i + 1]);
        self->alike[i] = (uint8_t)(goes_on ? self->alike[i + 1] + 1 : 1);
    }
}

bool ts_replay_ingest(struct ts_replay *self, uint32_t word, uint32_t *out)
{
    *out = word;
    // While recording, a REPLAY is recorded like everything else.
    if (self->recording) {
        self->ram[self->index] = word;
        self->index = (uint8_t)((self->index + 1u) % TS_REPLAY_WORDS);
        if (--self->recording == 0)
            count_alike(self);
        return self->execute;
    }
    if (TS_OP_OF(word) != TS_OP_REPLAY)
        return true;
    struct ts_args_REPLAY a = ts_decode_REPLAY(word);
    uint8_t count = ts_replay_length(word);
    self->index = (uint8_t)a.start_idx;
    if (a.load_mode) {
        self->recording = count;
        self->execute = a.execute_while_loading;
        return false;
    }
    self->replaying = count;
    *out = ts_replay_next(self);
    return true;
}
