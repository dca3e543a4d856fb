// units/pack/unit.c: see unit.h.
#include "units/pack/unit.h"

#include "units/files/format.h"
#include "units/lint.h"

#define PACR_MODE  (3u << 15)       // addr_mode
#define PACR_ASIDE (PACR_MODE | 1u) // and last
#define UNPLANNED  UINT64_MAX       // no thread has such a word

#define EXPONENTS     64u // bytes before the data of a tile, in block formats
#define SMALLEST_FP16 113 // 8-bit exponent of the smallest number with a 5-bit one

static struct ts_pack_view view_of(const struct ts_files *files, unsigned thread)
{
    const struct ts_cfg *cfg = &files->tensix->cfg;
    bool stats = false;
    for (unsigned t = 0; t < TS_THREADS; t++)
        stats |= TS_THD(cfg->thd[t], ENABLE_ACC_STATS_Enable);
    return (struct ts_pack_view){ts_cfg_of(cfg, thread), cfg->thd[thread], thread, stats,
                                 &files->tensix->bits};
}

// ---- when rows of Dst can be read

// The first cycle, not before `ready`, in which a block can be read.
static ts_cycle block_ready(const struct ts_files *files, unsigned block, ts_cycle ready,
                            ts_cycle now)
{
    const struct ts_tensix_timing *t = &files->tensix->timing;
    // ts_files_block_ready counts the matrix unit's period; a reader is free a little earlier.
    ts_cycle written = ts_files_block_ready(files, block, now) + 1 + t->pack_hazard;
    return written > ready + t->matrix_block_period ? written - t->matrix_block_period : ready;
}

// The same for all of the plan's rows.
static ts_cycle rows_ready(const struct ts_files *files, const struct ts_pack_plan *plan,
                           ts_cycle now)
{
    bool one = plan->adjacent && plan->row[0] % 4 == 0; // block
    unsigned rows = plan->zero ? 0 : one ? 1 : plan->rows;
    ts_cycle ready = now;
    for (unsigned i = 0; i < rows; i++) {
        unsigned block = ts_files_block(files, plan->read32, plan->row[i]);
        ready = block_ready(files, block, ready, now);
    }
    return ready;
}

// ---- what a PACR does

// What a plan was made for: the word without its address modifier and `last`, the thread, the
// configuration.
static uint64_t plan_key(const struct ts_pack_unit *self, struct ts_word in)
{
    return (uint64_t)self->files->tensix->cfg.generation[in.thread] << 32 |
           (uint32_t)in.thread << 24 | (in.word & (0xFFFFFFu & ~PACR_ASIDE));
}

static TS_SLOW_PATH struct ts_refusal make_plan(struct ts_pack_unit *self, struct ts_word in)
{
    struct ts_args_PACR args = ts_decode_PACR(in.word);
    if (self->plan_key != plan_key(self, in)) {
        self->plan_key = UNPLANNED;
        self->view = view_of(self->files, in.thread);
        struct ts_refusal refusal = ts_pack_settings(&self->plan, &self->view, args);
        if (refusal.what)
            return refusal;
        self->adc = ts_pack_adc(&self->plan, &self->files->tensix->adcs);
        self->plan_key = plan_key(self, in);
    }
    struct ts_refusal refusal = ts_pack_place(&self->plan, &self->view, self->adc, &self->state,
                                              args.last);
    const struct ts_files *files = self->files;
    uint32_t rate = files->tensix->timing.pack_interface_bytes; // of each read interface
    uint32_t cycles = (self->plan.row_bytes + rate - 1) / rate;
    self->cycles = cycles ? cycles : 1;
    self->silent = files->timing_only && !self->plan.zero && self->plan.adjacent &&
                   !self->plan.bfp && !self->plan.out_fifo && !files->tensix->hooks.l1_begin;
    return refusal;
}

// The data, into L1.
static bool move_data(struct ts_pack_unit *self, struct ts_word in, ts_cycle now)
{
    const struct ts_pack_plan *plan = &self->plan;
    struct ts_packer *state = &self->state;
    struct ts_tensix *tensix = self->files->tensix;
    uint32_t at = state->open ? state->data_byte : plan->data_addr;
    uint32_t exponents = state->open ? state->exp_byte : plan->exp_addr;
    struct ts_refusal refusal = ts_pack_run(plan, state, ts_files_dst_ready(self->files),
                                            tensix->l1, tensix->l1_bytes);
    if (__builtin_expect(refusal.what != NULL, 0))
        return ts_unit_refused(&self->unit, in, now, &refusal);
    if (!plan->bytes)
        return true;
    tensix->writer = in.thread;
    ts_tensix_l1_written(tensix, at, plan->bytes, now);
    if (plan->bfp)
        ts_tensix_l1_written(tensix, exponents, 16, now);
    if (plan->compress) // anywhere in the tile so far
        ts_tensix_l1_written(tensix, state->first_byte,
                             tensix->l1_bytes - state->data_byte < 160
                                 ? tensix->l1_bytes - state->first_byte
                                 : state->data_byte + 160 - state->first_byte,
                             now);
    return true;
}

// The data of a PACR go to `at` from `begin` on, unless L1's banks are taken: the cycle they begin.
static inline ts_cycle flow(struct ts_pack_unit *self, uint32_t at, ts_cycle begin, ts_cycle now)
{
    const struct ts_tensix *tensix = self->files->tensix;
    const struct ts_pack_plan *plan = &self->plan;
    if (!plan->bytes || !tensix->banks)
        return begin;
    uint32_t width = (plan->bytes + 15) / 16; // granules a cycle
    if (self->cycles > 1)
        width = (plan->bytes + 16 * self->cycles - 1) / (16 * self->cycles);
    self->l1_next = at + plan->bytes;
    return ts_l1_flow(tensix->banks, TS_L1_PACK, at, width, self->cycles, begin, now);
}

// A check hears of the bytes and the rows of a PACR.
static TS_SLOW_PATH void observe(const struct ts_pack_unit *self, unsigned thread, uint32_t at,
                                 uint32_t bytes)
{
    const struct ts_pack_plan *plan = &self->plan;
    const struct ts_tensix *tensix = self->files->tensix;
    if (bytes && ts_checks_for(tensix->check, TS_CHECK_MEMORY))
        ts_memory_format(tensix->check, thread, TS_UNIT_PACK, true, at, plan->out);
    if (bytes)
        ts_tensix_access(tensix, thread, TS_UNIT_PACK, TS_OBJECT_L1, TS_HOW_WRITE, at, bytes);
    if (bytes && plan->bfp && at == plan->data_addr)
        ts_tensix_access(tensix, thread, TS_UNIT_PACK, TS_OBJECT_L1, TS_HOW_WRITE, plan->exp_addr,
                         EXPONENTS);
    if (plan->from_l1)
        ts_tensix_access(tensix, thread, TS_UNIT_PACK, TS_OBJECT_L1, TS_HOW_READ, plan->source,
                         plan->count * plan->source_bytes);
    for (unsigned i = 0, last = TS_DST_BLOCKS; i < plan->rows && !plan->zero; i++) {
        unsigned block = ts_files_block(self->files, plan->read32, plan->row[i]);
        if (block != last)
            ts_tensix_block(tensix, thread, TS_UNIT_PACK, false, block);
        last = block;
    }
}

// A check hears of tiles of Dst that are packed, and that nobody has written.
static void observe_dst(struct ts_pack_unit *self, unsigned thread, bool last)
{
    const struct ts_pack_plan *plan = &self->plan;
    const struct ts_dst *dst = ts_files_dst_ready(self->files);
    if (plan->zero || plan->from_l1 || self->files->timing_only || plan->rows == 0)
        return;
    if (!self->dst.open)
        self->dst.first = plan->row[0];
    for (unsigned i = 0; i < plan->rows; i++)
        self->dst.written |= dst->valid[plan->read32 ? ts_dst_row32(dst, plan->row[i])
                                                     : ts_dst_row16(dst, plan->row[i])];
    self->dst.open = !last;
    if (last && !self->dst.written)
        ts_memory_dst(self->files->tensix->check, thread, TS_UNIT_PACK, self->dst.first);
    if (last)
        self->dst.written = false;
}

// `last`: with this part the packers are through.
static TS_SLOW_PATH void checks(struct ts_pack_unit *self, unsigned thread, uint32_t at, bool last)
{
    observe(self, thread, at, self->plan.bytes);
    if (ts_checks_for(self->files->tensix->check, TS_CHECK_MEMORY))
        observe_dst(self, thread, last);
}

// The packer works for self->cycles from `begin` on. STALLWAIT sees it busy until it has drained.
static inline void take_cycles(struct ts_pack_unit *self, unsigned thread, ts_cycle begin,
                               ts_cycle now)
{
    self->free = begin + self->cycles;
    self->unit.busy_until[thread] = self->free + self->files->tensix->timing.pack_drain;
    ts_unit_worked_on(&self->unit, begin, self->cycles, now);
}

// The counters step, the engine is taken. `more`: a row was packed before, and the data follow it.
static inline void book(struct ts_pack_unit *self, struct ts_word in, ts_cycle begin, bool more,
                        ts_cycle now)
{
    const struct ts_tensix *tensix = self->files->tensix;
    const struct ts_pack_plan *plan = &self->plan;
    ts_pack_finish(plan, self->adc, ts_decode_PACR(in.word).addr_mode);
    const uint32_t at = more ? self->l1_next : plan->data_addr;
    if (__builtin_expect(tensix->check != NULL, 0))
        checks(self, in.thread, at, plan->last);
    begin = flow(self, at, begin, now);
    take_cycles(self, in.thread, begin, now);
    self->bytes += self->plan.bytes;
}

// 8-bit exponents go to a block format with 5-bit ones, and small ones are not made zero before.
static bool wraps(const struct ts_pack_plan *plan)
{
    return plan->bfp && plan->read32 && ts_format_is_fp16_class(plan->out) &&
           !ts_format_is_fp16_class(plan->middle) &&
           !(plan->exp_threshold_en && plan->exp_threshold >= SMALLEST_FP16);
}

// Reports rows that a ZEROACC has met. False: that was a fault.
static bool check_rows(struct ts_pack_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_tensix *tensix = self->files->tensix;
    const struct ts_pack_plan *plan = &self->plan;
    const uint64_t *lost = tensix->lint.flags_lost;
    if (__builtin_expect(!(lost[0] | lost[1]), 1))
        return true;
    for (unsigned i = 0; i < plan->rows && !plan->zero; i++)
        if (!ts_lint_dst_read(tensix, &self->unit.component, in,
                              ts_files_block(self->files, plan->read32, plan->row[i]), now))
            return false;
    return true;
}

// Any PACR; `placed`: the plan exists.
static TS_SLOW_PATH bool pack(struct ts_pack_unit *self, struct ts_word in, ts_cycle now,
                              bool placed)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    struct ts_component *component = &self->unit.component;
    const struct ts_pack_plan *plan = &self->plan;
    struct ts_refusal refusal = placed ? ts_fine() : make_plan(self, in);
    if (__builtin_expect(refusal.what != NULL, 0))
        return ts_unit_refused(&self->unit, in, now, &refusal);
    if (!tensix->lint.pack_open && !ts_lint_pack_opens(tensix, component, in, now))
        return false;
    if (!ts_lint_starts(tensix, component, in, TS_LINT_PACK, now))
        return false;
    if (__builtin_expect(wraps(plan), 0) && !placed &&
        !ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_PACK_THRESHOLD, "%s",
                          ts_insn_text(in).text))
        return false;
    ts_lint_packs(tensix, in.thread, plan->bfp && !plan->read32);
    if (!check_rows(self, in, now))
        return false;
    ts_cycle begin = rows_ready(files, plan, now);
    const bool more = self->state.open;
    if (files->timing_only) {
        self->state.open = !(plan->last || plan->flush);
        if (plan->last)
            ts_pack_account(plan, &self->state);
    } else if (!move_data(self, in, now))
        return false;
    tensix->lint.pack_open = self->state.open;
    if (plan->last && plan->out_fifo)
        ts_unit_changed(&self->unit, now); // cores may wait for the tile's size
    if (plan->bytes && tensix->hooks.l1_begin)
        begin = tensix->hooks.l1_begin(tensix->hooks.tile, TS_UNIT_PACK, begin);
    book(self, in, begin, more, now);
    return true;
}

// By far the most common case without data: nothing to report or to catch up, only time and
// counters.
static inline bool pack_on(struct ts_pack_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    const struct ts_pack_plan *plan = &self->plan;
    if (plan->row[0] % 4 != 0 || tensix->lint.dirty[in.thread] & TS_LINT_PACK ||
        (!tensix->lint.pack_open && tensix->lint.address_due >= now))
        return false;
    unsigned block = ts_files_block(files, plan->read32, plan->row[0]);
    if (ts_promise_writes(tensix->promise, block) || tensix->lint.flags_lost[block / 64])
        return false;
    const bool more = self->state.open;
    self->state.open = tensix->lint.pack_open = !plan->last;
    book(self, in, block_ready(files, block, now, now), more, now);
    if (__builtin_expect(plan->last, 0))
        ts_pack_account(plan, &self->state);
    return true;
}

// ---- four packers (the machine's rule of that name): each PACR is so many of one that has packer 0's registers

// The configuration as packer `which` has it, with the registers of packer 0.
static void configure_as(uint32_t *cfg, const uint32_t *from, unsigned which)
{
    static const uint8_t thcon[4] = {
        TS_CFG_ADDR_THCON_SEC0_REG1_Exp_section_size, TS_CFG_ADDR_THCON_SEC0_REG8_Exp_section_size,
        TS_CFG_ADDR_THCON_SEC1_REG1_Exp_section_size, TS_CFG_ADDR_THCON_SEC1_REG8_Exp_section_size};
    enum { ADDRESS = 1, FORMATS = 2, HEADER_HERE = 1 << 22, HEADER_THERE = 1 << 17 };
    memcpy(cfg, from, TS_CFG_ALL * sizeof *cfg);
    const uint32_t first = from[thcon[0] + ADDRESS] +
                           !TS_CFG(from, THCON_SEC0_REG1_Sub_l1_tile_header_size);
    memcpy(cfg + thcon[0], from + thcon[which], 4 * sizeof *cfg);
    if (which && first >> 31)
        cfg[thcon[0] + ADDRESS] += first;
    uint32_t *formats = &cfg[thcon[0] + FORMATS];
    if (which & 1) // REG8 has one field elsewhere
        *formats = (*formats & 0xff01ffff) | (*formats & HEADER_THERE ? HEADER_HERE : 0);
    static const uint8_t fifo[4] = {TS_CFG_ADDR_THCON_SEC0_REG9_Pack_0_2_limit_address,
                                    TS_CFG_ADDR_THCON_SEC0_REG9_Pack_1_3_limit_address,
                                    TS_CFG_ADDR_THCON_SEC1_REG9_Pack_0_2_limit_address,
                                    TS_CFG_ADDR_THCON_SEC1_REG9_Pack_1_3_limit_address};
    memcpy(cfg + fifo[0], from + fifo[which], 2 * sizeof *cfg);
    cfg[TS_CFG_ADDR_PACK_COUNTERS_SEC0_pack_per_xy_plane] =
        from[TS_CFG_ADDR_PACK_COUNTERS_SEC0_pack_per_xy_plane + which];
    cfg[TS_CFG_ADDR_DEST_TARGET_REG_CFG_PACK_SEC0_Offset] =
        from[TS_CFG_ADDR_DEST_TARGET_REG_CFG_PACK_SEC0_Offset + which];
    uint32_t *rows = &cfg[TS_CFG_ADDR_PCK_EDGE_TILE_ROW_SET_SELECT_select];
    *rows = (*rows & 0x1ffff) | (*rows >> 17 >> 2 * which & 3) << 17;
    uint32_t *faces = &cfg[TS_CFG_ADDR_PCK_EDGE_TILE_FACE_SET_SELECT_select];
    *faces = (*faces & ~0xffu) | (*faces & 0xff) >> 2 * which;
}

// The part of one packer, up to four rows at a time. `begin`, `cycles`, `bytes`: of the PACR so far.
static struct ts_refusal pack_as(struct ts_pack_unit *self, struct ts_args_PACR args,
                                 struct ts_word in, unsigned which, ts_cycle *begin,
                                 uint32_t *bytes, ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    struct ts_pack_plan *plan = &self->plan;
    struct ts_packer *state = which ? &self->more[which - 1] : &self->state;
    uint32_t cfg[TS_CFG_ALL];
    struct ts_pack_view view = view_of(files, in.thread);
    configure_as(cfg, view.cfg, which);
    view.cfg = cfg;
    static const uint8_t contexts[4] = {
        TS_CFG_ADDR_THCON_SEC0_REG1_Addr_cnt_context, TS_CFG_ADDR_THCON_SEC0_REG8_Addr_cnt_context,
        TS_CFG_ADDR_THCON_SEC1_REG1_Addr_cnt_context, TS_CFG_ADDR_THCON_SEC1_REG8_Addr_cnt_context};
    args.addr_cnt_context = cfg[contexts[which]] >> TS_CFG_SHIFT_THCON_SEC0_REG1_Addr_cnt_context &
                            3;
    struct ts_refusal refusal = ts_pack_settings(plan, &view, args);
    if (refusal.what)
        return refusal;
    struct ts_adc adc = *ts_pack_adc(plan, &tensix->adcs);
    const uint32_t x = adc.channel[0].v[TS_ADC_X], last = adc.channel[1].v[TS_ADC_X],
                   count = args.flush ? 0 : last - x + 1,
                   offset = cfg[TS_CFG_ADDR_DEST_TARGET_REG_CFG_PACK_SEC0_Offset];
    if (count > 16 && (count % 16 || count > 256 || x % 16))
        return ts_not_implemented("PACR: data of a packer", count);
    if (plan->from_l1)
        return ts_not_implemented("PACR: from L1, with four packers", which);
    const unsigned all = ts_decode_PACR(in.word).read_intf_sel;
    uint32_t left = (count + 15) / 16, done = 0;
    do {
        const uint32_t rows = left < 4 ? left : 4;
        args.read_intf_sel = rows ? (1u << rows) - 1 : 1;
        args.last = left <= 4 && (in.word & 1);
        cfg[TS_CFG_ADDR_DEST_TARGET_REG_CFG_PACK_SEC0_Offset] = offset + 4 * done;
        adc.channel[1].v[TS_ADC_X] = count > 16 ? x + 15 : last;
        refusal = ts_pack_settings(plan, &view, args);
        if (!refusal.what)
            refusal = ts_pack_place(plan, &view, &adc, state, args.last);
        if (refusal.what)
            return refusal;
        const ts_cycle ready = rows_ready(files, plan, now);
        *begin = ready > *begin ? ready : *begin;
        const uint32_t at = state->open ? state->data_byte : plan->data_addr,
                       exponents = state->open ? state->exp_byte : plan->exp_addr;
        if (__builtin_expect(tensix->check != NULL, 0))
            checks(self, in.thread, at, plan->last && all >> which <= 1);
        if (files->timing_only) {
            state->open = !(plan->last || plan->flush);
            state->data_byte = at + plan->bytes;
        } else {
            refusal = ts_pack_run(plan, state, ts_files_dst_ready(files), tensix->l1,
                                  tensix->l1_bytes);
        }
        if (refusal.what)
            return refusal;
        if (plan->bytes && !files->timing_only) {
            ts_tensix_l1_written(tensix, at, plan->bytes, now);
            if (plan->bfp)
                ts_tensix_l1_written(tensix, exponents, 16, now);
        }
        *bytes += plan->bytes;
        left -= rows;
        done++;
    } while (left);
    return refusal;
}

static TS_SLOW_PATH bool pack_four(struct ts_pack_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_tensix *tensix = self->files->tensix;
    const struct ts_args_PACR args = ts_decode_PACR(in.word);
    const unsigned mask = args.read_intf_sel ? args.read_intf_sel : 1;
    if ((mask & (mask - 1)) && mask != 3 && mask != 12 && mask != 15)
        return ts_unit_breach(&self->unit, in, now, "no such set of packers");
    if (!tensix->lint.pack_open && !ts_lint_pack_opens(tensix, &self->unit.component, in, now))
        return false;
    if (!ts_lint_starts(tensix, &self->unit.component, in, TS_LINT_PACK, now))
        return false;
    ts_cycle begin = now;
    uint32_t most = 0;
    tensix->writer = in.thread;
    self->plan_key = UNPLANNED;
    for (unsigned which = 0; which < 4; which++) {
        uint32_t bytes = 0;
        if (!(mask >> which & 1))
            continue;
        struct ts_refusal refusal = pack_as(self, args, in, which, &begin, &bytes, now);
        if (refusal.what)
            return ts_unit_refused(&self->unit, in, now, &refusal);
        self->bytes += bytes;
        most = bytes > most ? bytes : most;
    }
    tensix->lint.pack_open = !(args.last || args.flush);
    ts_pack_finish(&self->plan, ts_pack_adc(&self->plan, &tensix->adcs), args.addr_mode);
    const uint32_t rate = tensix->timing.pack_interface_bytes;
    self->cycles = most > rate ? (most + rate - 1) / rate : 1;
    take_cycles(self, in.thread, begin, now);
    return true;
}

// ---- instructions

static inline bool ts_pack_PACR(struct ts_pack_unit *self, struct ts_word in, ts_cycle now)
{
    if (__builtin_expect(ts_bits_machine(&self->files->tensix->bits, TS_RULE_four_packers), 0))
        return pack_four(self, in, now);
    // The start of a stream matters for data, and for a check, which hears where they go.
    const bool silent = self->silent && !self->files->tensix->check;
    bool placed = self->plan_key == plan_key(self, in) && (silent || self->state.open) &&
                  ts_pack_goes_on(&self->plan, &self->view, self->adc,
                                  ts_decode_PACR(in.word).last);
    return (placed && self->silent && pack_on(self, in, now)) || pack(self, in, now, placed);
}

static TS_SLOW_PATH bool ts_pack_PACR_SETREG(struct ts_pack_unit *self, struct ts_word in,
                                             ts_cycle now)
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

// ---- the unit

static bool pack_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                        struct ts_hold *hold)
{
    const struct ts_pack_unit *self = (const struct ts_pack_unit *)unit;
    (void)in;
    if (self->free > now)
        return ts_held(hold, TS_STALL_UNIT_BUSY, &unit->component.object, self->free);
    return true;
}

static bool pack_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    switch (in.op) {
#define TS_OP_PACK(...) TS_CASE(pack, ((struct ts_pack_unit *)unit, in, now), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_unit_unspecified(unit, in, now);
}

static const struct ts_unit_ops pack_ops = {
    .id = TS_UNIT_PACK,
    .accept = pack_accept,
    .start = pack_start,
};

static const struct ts_counter counters[] = {
    TS_UNIT_COUNTER,
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
    ts_unit_init(&self->unit, &pack_ops, &component_ops, files->tensix, domain, "pack");
    self->files = files;
    self->plan_key = UNPLANNED;
}
