// The units' access to the rest of their tile: L1, registers, the instruction caches, the front
// ends, and each other (struct ts_tensix_hooks).
#include "platform/tile/hooks.h"

#include "platform/tile/lints.h"

// ---- L1 and the registers of the tile

static ts_cycle l1_request(void *context, uint32_t addr, unsigned bytes, bool write, ts_cycle now)
{
    struct ts_tile *self = context;
    // A narrow write keeps its bank.
    uint32_t busy = write && bytes < TS_L1_GRANULE ? self->config.params.l1_narrow : 1;
    return ts_l1_reserve(&self->l1, TS_L1_PORT_B_T0_NC, addr, now, busy) + busy;
}

static void l1_written(void *context, uint32_t addr, unsigned bytes, ts_cycle now)
{
    struct ts_tile *self = context;
    ts_l1_notify(&self->l1, addr, bytes, now);
    ts_l1_note(&self->l1, addr, bytes, self->tensix.writer, TS_NO_PC, now);
}

static bool mmio_read(void *context, uint32_t addr, uint32_t *value, ts_cycle now)
{
    struct ts_tile *self = context;
    struct ts_rv_reply reply = {0};
    if (ts_tile_load(self, TS_OUTSIDE, addr, 4, now, &reply) != TS_RV_DONE)
        return false;
    *value = reply.value;
    return true;
}

static bool mmio_write(void *context, uint32_t addr, uint32_t value, ts_cycle now)
{
    struct ts_tile *self = context;
    struct ts_rv_reply reply = {0};
    self->outside_by = self->tensix.writer;
    enum ts_rv_answer answer = ts_tile_store(self, TS_OUTSIDE, addr, 4, &value, 1, now, &reply);
    self->outside_by = TS_BY_NOC;
    return answer == TS_RV_DONE;
}

// ---- the front ends

// Follows the words of a front end in order, with the context of each.
struct follow {
    unsigned unpacker, context; // what to look for
    unsigned now[2];            // context of each unpacker
    unsigned recorded;          // so many words are only recorded by the replay expander
    bool found;
};

static void follow_word(struct follow *self, uint32_t word)
{
    uint8_t op = TS_OP_OF(word);
    if (op == TS_OP_SETC16 &&
        (word >> 16 & 0xff) == TS_THD_ADDR_UNPACK_MISC_CFG_CfgContextOffset_0) {
        self->now[0] = word & 15;
        self->now[1] = word >> 8 & 15;
    }
    bool uses = op == TS_OP_MOP || op == TS_OP_REPLAY ||
                (op == TS_OP_UNPACR && (word >> 23 & 1) == self->unpacker);
    self->found |= uses && (self->now[self->unpacker] & 7) == self->context;
}

// The same for words that have not passed the replay expander.
static void follow_before_replay(struct follow *self, uint32_t word)
{
    if (self->recorded) {
        self->recorded--;
        return;
    }
    const struct ts_args_REPLAY replay = ts_decode_REPLAY(word);
    if (TS_OP_OF(word) == TS_OP_REPLAY && replay.load_mode) {
        if (!replay.execute_while_loading)
            self->recorded = replay.len ? replay.len : 64;
        return;
    }
    follow_word(self, word);
}

static bool awaits(void *context, unsigned thread, unsigned unpacker, unsigned which, ts_cycle now)
{
    struct ts_tile *self = context;
    struct ts_frontend *front = &self->front[thread];
    ts_frontend_catch_up(front, now);
    const uint16_t *thd = self->tensix.cfg.thd[thread];
    struct follow f = {.unpacker = unpacker,
                       .context = which,
                       .recorded = front->replay.execute ? 0 : front->replay.recording,
                       .now = {TS_THD(thd, UNPACK_MISC_CFG_CfgContextOffset_0),
                               TS_THD(thd, UNPACK_MISC_CFG_CfgContextOffset_1)}};
    // What is at the gate with its thread held by an UNPACR has been taken.
    for (unsigned i = 0; i < front->gate_count; i++)
        follow_word(&f, front->gate[i].word);
    if (front->replay.replaying)
        follow_word(&f, (uint32_t)TS_OP_REPLAY << 24);
    for (unsigned i = 0; i < front->replay_count; i++)
        follow_before_replay(
            &f, front->before_replay[(front->replay_first + i) % TS_FRONT_REPLAY].word);
    if (front->mop.active)
        follow_word(&f, (uint32_t)TS_OP_MOP << 24);
    for (unsigned i = 0; i < front->fifo_count; i++)
        follow_before_replay(&f, front->fifo[(front->fifo_first + i) % TS_FRONT_FIFO].word);
    return f.found;
}

static uint32_t pushed(void *context, unsigned thread, bool gate)
{
    const struct ts_tile *self = context;
    return ts_frontend_push_number(&self->front[thread], gate);
}

static uint32_t origin(void *context, unsigned thread, ts_cycle *when)
{
    const struct ts_tile *self = context;
    return ts_frontend_origin(&self->front[thread], when);
}

// Hardware restarts the random numbers only for a store by a core (or from outside).
static void seed(struct ts_tile *self, unsigned by, uint32_t value)
{
    struct ts_bits *bits = &self->tensix.bits;
    by &= ~(unsigned)TS_BY_LATE;
    if ((by < TS_THREADS || by == TS_BY_NOBODY) && ts_bits_ask(bits, TS_BITS_prng_writer))
        return;
    ts_vector_seed(&self->vector.state, value, ts_bits_ask(bits, TS_BITS_prng_seed));
}

static void cfg_written(void *context, unsigned by, unsigned addr, uint32_t value, ts_cycle now)
{
    struct ts_tile *self = context;
    // Bits in the order BRISC, TRISC0..2, NCRISC, the order of the cores.
    if (addr == TS_CFG_ADDR_RISCV_IC_INVALIDATE_InvalidateAll)
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            if (value & 1u << core)
                ts_rv_core_invalidate(&self->cores[core], now);
    if (addr == TS_CFG_ADDR_PRNG_SEED_Seed_Val)
        seed(self, by, value);
    if (addr == TS_CFG_ADDR_DEST_ACCESS_CFG_swizzle_32b) {
        struct ts_dst *dst = ts_files_dst(&self->files, now);
        dst->swizzle_32b = value & 1;
        dst->remap_addrs = value >> 1 & 1;
    }
}

// Only present when transfers are perturbed.
static ts_cycle l1_begin(void *context, unsigned unit, ts_cycle from)
{
    struct ts_tile *self = context;
    struct ts_perturb *perturb =
        &self->transfer[unit == TS_UNIT_PACK ? 2 : unit == TS_UNIT_UNPACK1];
    ts_cycle begin = ts_perturb_holds(perturb, from) ? perturb->until : from;
    ts_perturb_passed(perturb);
    return begin;
}

// ---- Src and packer state for the control units

static bool src_condition(void *context, unsigned condition, ts_cycle now, struct ts_hold *hold)
{
    struct ts_tile *self = context;
    return ts_files_condition(&self->files, condition, now, hold);
}

static bool src_hand_over(void *context, unsigned thread, unsigned files, ts_cycle now)
{
    struct ts_tile *self = context;
    struct ts_srcs *srcs = ts_files_srcs(&self->files, now);
    struct ts_unpack_view view = ts_unpack_view_of(&self->files, thread);
    struct ts_unpacker states[2] = {self->unpack[0].state, self->unpack[1].state};
    unsigned owners = ts_files_owners(&self->files);
    ts_setdvalid(&view, states, srcs, files);
    self->unpack[0].state = states[0];
    self->unpack[1].state = states[1];
    ts_files_changed(&self->files, owners, now);
    return true;
}

static bool src_store(void *context, unsigned thread, bool srcb, uint32_t addr,
                      const uint32_t *gprs, ts_cycle now)
{
    struct ts_tile *self = context;
    struct ts_srcs *srcs = ts_files_srcs(&self->files, now);
    struct ts_unpack_view view = ts_unpack_view_of(&self->files, thread);
    struct ts_unpacker states[2] = {self->unpack[0].state, self->unpack[1].state};
    struct ts_refusal refusal = ts_src_store(&view, states, srcs, srcb, addr, gprs);
    if (!refusal.what)
        return true;
    ts_fault(&self->front[thread].component, now, (enum ts_code)refusal.kind, "%s (%u)",
             refusal.what, refusal.value);
    return false;
}

static bool pack_state(void *context, unsigned thread, unsigned source, unsigned packers,
                       uint32_t value[4])
{
    struct ts_tile *self = context;
    struct ts_pack_view view = {ts_cfg_of(&self->tensix.cfg, thread), self->tensix.cfg.thd[thread],
                                thread, false, &self->tensix.bits};
    ts_pack_state(&view, &self->pack.state, source, packers, value);
    return true;
}

void ts_tile_hooks(struct ts_tile *self, struct ts_tensix_hooks *hooks)
{
    *hooks = (struct ts_tensix_hooks){
        .tile = self,
        .l1_request = l1_request,
        .l1_written = l1_written,
        .mmio_read = mmio_read,
        .mmio_write = mmio_write,
        .cfg_written = cfg_written,
        .report = ts_tile_report,
        .pushed = pushed,
        .origin = origin,
        .awaits = awaits,
        .l1_begin = self->config.perturb_max ? l1_begin : NULL,
        .src_condition = src_condition,
        .src_hand_over = src_hand_over,
        .src_store = src_store,
        .pack_state = pack_state,
    };
}
