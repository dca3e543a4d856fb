// units/pack_unit.c: see pack_unit.h.
#include "units/pack_unit.h"

#include "units/format.h"
#include "units/lint.h"

#include <string.h>

#define TS_PACR_ASIDE (3u << 15 | 1u) // addr_mode, last

static struct ts_pack_view view_of(const struct ts_files *files, unsigned thread)
{
    const struct ts_cfg *cfg = &files->tensix->cfg;
    bool stats = false;
    for (unsigned t = 0; t < TS_THREADS; t++)
        stats |= TS_THD(cfg->thd[t], ENABLE_ACC_STATS_Enable);
    return (struct ts_pack_view){ts_cfg_of(cfg, thread), cfg->thd[thread], thread, stats};
}

static bool pack_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                        struct ts_hold *hold)
{
    const struct ts_pack_unit *self = (const struct ts_pack_unit *)unit;
    (void)in;
    if (self->free > now)
        return ts_held(hold, TS_STALL_UNIT_BUSY, &unit->component.object, self->free);
    return true;
}

// The first cycle all of the plan's rows can be read in.
static ts_cycle rows_ready(const struct ts_pack_unit *self, const struct ts_pack_plan *plan,
                           ts_cycle now)
{
    const struct ts_files *files = self->files;
    const struct ts_tensix_timing *t = &files->tensix->timing;
    ts_cycle ready = now;
    for (unsigned i = 0; !plan->zero && i < plan->rows; i++) {
        uint32_t row = plan->read32 ? ts_dst_row32(&files->dst, plan->row[i])
                                    : ts_dst_row16(&files->dst, plan->row[i]);
        // block_ready counts the matrix unit's period; a reader is free a little earlier.
        ts_cycle written = files->block_ready[row / 8] + 1 + t->pack_hazard;
        if (written > ready + t->fpu_block_period)
            ready = written - t->fpu_block_period;
    }
    return ready;
}

// A stream of MVMULs must not change rows after they were read.
static TS_SLOW_PATH void cut_stream(struct ts_pack_unit *self, const struct ts_pack_plan *plan,
                                    ts_cycle now)
{
    struct ts_files *files = self->files;
    const uint64_t *blocks = files->tensix->stream.blocks;
    for (unsigned i = 0; !plan->zero && i < plan->rows; i++) {
        unsigned block = (plan->read32 ? ts_dst_row32(&files->dst, plan->row[i])
                                       : ts_dst_row16(&files->dst, plan->row[i])) /
                         8;
        if (blocks[block / 64] >> block % 64 & 1) {
            ts_stream_cut(files->tensix, now);
            return;
        }
    }
}

// How long the engine is taken: as long as its widest row.
static uint32_t cycles_of(struct ts_pack_unit *self, const struct ts_pack_plan *plan)
{
    if (self->cycles_bytes == plan->bytes && self->cycles_rows == plan->rows)
        return self->cycles;
    uint32_t rate = self->files->tensix->timing.pack_interface_bytes;
    uint32_t lanes = plan->rows ? plan->rows : 1;
    uint32_t row_bytes = (plan->bytes + lanes - 1) / lanes;
    uint32_t cycles = (row_bytes + rate - 1) / rate;
    self->cycles_bytes = plan->bytes;
    self->cycles_rows = plan->rows;
    self->cycles = cycles ? cycles : 1;
    return self->cycles;
}

// Everything of the plan that does not depend on counters. The address modifier and the last bit
// are no part of it.
static struct ts_refusal settings(struct ts_pack_unit *self, struct ts_word in,
                                  struct ts_args_PACR args)
{
    const uint32_t aside = (uint32_t)TS_PACR_ASIDE;
    uint32_t generation = self->files->tensix->cfg.generation;
    if (self->planned && self->plan_word == (in.word & ~aside) &&
        self->plan_generation == generation && self->plan_thread == in.thread)
        return ts_fine();
    self->view = view_of(self->files, in.thread);
    self->plan_word = in.word & ~aside;
    self->plan_generation = generation;
    self->plan_thread = in.thread;
    struct ts_refusal refusal = ts_pack_settings(&self->plan, &self->view, args);
    self->planned = !refusal.what;
    return refusal;
}

static bool pack(struct ts_pack_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    struct ts_args_PACR args = ts_decode_PACR(in.word);
    struct ts_refusal refusal = settings(self, in, args);
    if (!refusal.what)
        refusal = ts_pack_place(&self->plan, &self->view, &tensix->adcs, &self->state, args);
    const struct ts_pack_plan *plan = &self->plan;
    if (!refusal.what &&
        (!ts_lint_pack(tensix, &self->unit.component, in, ts_format_is_bfp(plan->out), now) ||
         !ts_lint_starts(tensix, &self->unit.component, in, TS_LINT_PACK, now)))
        return false;
    if (__builtin_expect(tensix->stream.count != 0, 0))
        cut_stream(self, plan, now);
    uint32_t at = self->state.open ? self->state.data_byte : plan->data_addr;
    uint32_t exponents = self->state.open ? self->state.exp_byte : plan->exp_addr;
    if (!refusal.what && !files->timing_only)
        refusal = ts_pack_run(plan, &self->state, &files->dst, tensix->l1, tensix->l1_bytes);
    if (__builtin_expect(refusal.what != NULL, 0))
        return ts_unit_refused(&self->unit, in, now, &refusal);
    if (files->timing_only) {
        self->state.open = !(plan->last || plan->flush);
        if (plan->last)
            ts_pack_account(plan, &self->state);
    }
    if (plan->last && plan->out_fifo)
        ts_unit_changed(&self->unit, now); // cores may wait for the tile's size
    ts_pack_finish(plan, &self->view, &tensix->adcs, args);
    tensix->lint.pack_open = self->state.open;

    uint32_t cycles = cycles_of(self, plan);
    ts_cycle begin = rows_ready(self, plan, now);
    if (plan->bytes && tensix->hooks.l1_stream)
        begin = tensix->hooks.l1_stream(tensix->hooks.tile, TS_UNIT_PACK, at, plan->bytes, cycles,
                                        begin);
    self->free = begin + cycles;
    self->unit.busy_until[in.thread] = self->free + tensix->timing.pack_drain;
    ts_unit_worked(&self->unit, begin, cycles);
    self->bytes += plan->bytes;
    if (plan->bytes && !files->timing_only) {
        tensix->writer = in.thread;
        ts_tensix_l1_written(tensix, at, plan->bytes, now);
        if (ts_format_is_bfp(plan->out))
            ts_tensix_l1_written(tensix, exponents, 16, now);
        if (plan->compress) // anywhere in the tile so far
            ts_tensix_l1_written(tensix, self->state.first_byte,
                                 tensix->l1_bytes - self->state.data_byte < 160
                                     ? tensix->l1_bytes - self->state.first_byte
                                     : self->state.data_byte + 160 - self->state.first_byte,
                                 now);
    }
    return true;
}

static bool setreg(struct ts_pack_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_tensix *tensix = self->files->tensix;
    struct ts_pack_view view = view_of(self->files, in.thread);
    uint32_t addr, value;
    bool some;
    struct ts_refusal refusal = ts_pack_setreg(&view, &self->setreg, ts_decode_PACR_SETREG(in.word),
                                               &addr, &value, &some);
    if (refusal.what)
        return ts_unit_refused(&self->unit, in, now, &refusal);
    self->free = now + 1;
    self->unit.busy_until[in.thread] = now + 1 + tensix->timing.pack_drain;
    ts_unit_worked(&self->unit, now, 1);
    if (some && (!tensix->hooks.mmio_write ||
                 !tensix->hooks.mmio_write(tensix->hooks.tile, addr, value, now)))
        return ts_unit_refuse(&self->unit, in, now, "not implemented: register it writes");
    return true;
}

static bool pack_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    struct ts_pack_unit *self = (struct ts_pack_unit *)unit;
    switch (in.op) {
    case TS_OP_PACR:
        return pack(self, in, now);
    case TS_OP_PACR_SETREG:
        return setreg(self, in, now);
    default:
        return ts_unit_refuse(unit, in, now, "not implemented");
    }
}

static const struct ts_unit_ops pack_ops = {
    .id = TS_UNIT_PACK,
    .accept = pack_accept,
    .start = pack_start,
};

static const struct ts_counter counters[] = {
    {"instructions", "instructions", "words that entered the unit",
     offsetof(struct ts_unit, instructions)},
    {"bytes", "bytes", "data written to L1", offsetof(struct ts_pack_unit, bytes)},
    {0},
};

static const struct ts_component_ops component_ops = {
    .kind = "unit",
    .step = ts_unit_sleep,
    .counters = counters,
};

void ts_pack_unit_init(struct ts_pack_unit *self, struct ts_files *files, struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &pack_ops, &component_ops, domain, "pack");
    self->files = files;
    self->cycles_bytes = UINT32_MAX;
    files->tensix->unit[TS_UNIT_PACK] = &self->unit;
}
