// cores/frontend/sync.c: how cores wait for the coprocessor and read its state: TTSync and status;
// see frontend.h.
#include "cores/frontend/frontend.h"

// ---- Auto TTSync

bool ts_frontend_untracked(const struct ts_frontend *self, unsigned resources, bool store,
                           struct ts_hold *hold)
{
    const uint16_t *thd = self->backend->thd[self->thread];
    if (!TS_THD(thd, TENSIX_TRISC_SYNC_TrackTensixInstructions))
        return true;
    if (!TS_THD(thd, TENSIX_TRISC_SYNC_TrackGPR))
        resources &= ~(unsigned)TS_TRACK_GPR;
    if (!TS_THD(thd, TENSIX_TRISC_SYNC_TrackTDMARegs))
        resources &= ~(unsigned)TS_TRACK_TDMA;
    if (!TS_THD(thd, TENSIX_TRISC_SYNC_TrackGlobalCfg))
        resources &= ~(unsigned)(TS_TRACK_CFG0 | TS_TRACK_CFG1);
    for (; resources; resources &= resources - 1) {
        unsigned r = (unsigned)__builtin_ctz(resources);
        if (self->track_writes[r] || (store && self->track_reads[r]))
            return ts_held(hold, TS_STALL_TTSYNC, &self->tracked, TS_NEVER);
    }
    return true;
}

// ---- Manual TTSync

bool ts_frontend_drained(const struct ts_frontend *self, ts_cycle now, struct ts_hold *hold)
{
    if (!ts_frontend_empty(self))
        return ts_held(hold, TS_STALL_TENSIX_SYNC, &self->component.object, TS_NEVER);
    return self->backend->ops->idle(self->backend, self->thread, now, hold);
}

bool ts_frontend_mop_drained(struct ts_frontend *self, ts_cycle now, struct ts_hold *hold)
{
    ts_frontend_cut(self, now);
    if (!self->mops && !self->mop.active)
        return true;
    // Stages behind time end no wait, and the MOP may end in this very cycle.
    ts_frontend_hurry(self, ts_frontend_reached(self, now));
    return ts_held(hold, TS_STALL_MOP_SYNC, &self->mop_done, TS_NEVER);
}

// ---- what the core sees in its CSRs

// Bits of an instruction in tt_cfg_qstatus, by unit.
static const uint16_t status_bits[TS_UNIT_COUNT] = {
    [TS_UNIT_SCALAR] = 1 << 2 | 1 << 8,
    [TS_UNIT_MOVER] = 1 << 3 | 1 << 8,
    [TS_UNIT_UNPACK0] = 1 << 4 | 1 << 8,
    [TS_UNIT_UNPACK1] = 1 << 4 | 1 << 8,
    [TS_UNIT_PACK] = 1 << 5 | 1 << 8,
    [TS_UNIT_CFG] = 1 << 6,
    [TS_UNIT_SYNC] = 1 << 7,
    [TS_UNIT_MISC] = 1 << 8,
    [TS_UNIT_VECTOR] = 1 << 9,
    [TS_UNIT_MATRIX] = 1 << 10,
};

static uint32_t word_status(uint32_t word)
{
    uint8_t op = TS_OP_OF(word);
    if (op == TS_OP_REPLAY)
        return !ts_decode_REPLAY(word).load_mode || ts_decode_REPLAY(word).execute_while_loading;
    return op == TS_OP_MOP ? 1 << 1 : status_bits[ts_op_hot[op].unit];
}

unsigned ts_frontend_words(const struct ts_frontend *self, uint32_t words[TS_FRONT_WORDS])
{
    unsigned n = 0;
    for (unsigned i = 0; i < self->fifo_count; i++)
        words[n++] = self->fifo[(self->fifo_first + i) % TS_FRONT_FIFO].word;
    for (unsigned i = 0; i < self->replay_count; i++)
        words[n++] = self->before_replay[(self->replay_first + i) % TS_FRONT_REPLAY].word;
    for (unsigned i = 0; i < self->gate_count; i++)
        words[n++] = self->gate[i].word;
    return n;
}

uint32_t ts_frontend_status(const struct ts_frontend *self, bool busy, ts_cycle now)
{
    uint32_t status = self->replay.replaying ? 1 : 0;
    uint32_t words[TS_FRONT_WORDS];
    if (self->mop.active)
        status |= 1 << 1;
    for (unsigned n = ts_frontend_words(self, words); n-- > 0;)
        status |= word_status(words[n]);
    if (busy) {
        uint32_t units = self->backend->ops->busy(self->backend, self->thread, now);
        for (; units; units &= units - 1)
            status |= status_bits[__builtin_ctz(units)];
    }
    return status;
}
