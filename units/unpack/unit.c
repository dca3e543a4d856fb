// units/unpack/unit.c: see unit.h.
#include "units/unpack/unit.h"
#include "units/trace.h"

#include "units/files/format.h"
#include "units/lint.h"

#define UNPLANNED UINT64_MAX // no thread has such a word

struct ts_unpack_view ts_unpack_view_of(const struct ts_files *files, unsigned thread)
{
    const struct ts_tensix *tensix = files->tensix;
    return (struct ts_unpack_view){
        .cfg = ts_cfg_of(&tensix->cfg, thread),
        .thd = tensix->cfg.thd[thread],
        .thread = thread,
        .l1 = tensix->l1,
        .l1_size = tensix->l1_bytes,
        .bits = &files->tensix->bits,
    };
}

// The cycles of a data phase.
static uint32_t data_cycles(const struct ts_unpack_unit *self, const struct ts_unpack_plan *plan,
                            unsigned *shift)
{
    const struct ts_tensix *tensix = self->files->tensix;
    *shift = plan->bytes_shift; // granules of L1 a cycle
    if (plan->bytes_shift == 2 && ts_format_bits(plan->in_format) >= 16 &&
        !ts_bits_machine(&tensix->bits, TS_RULE_unpack_rows_16))
        *shift += tensix->timing.unpack_wide;
    uint32_t cycles = (plan->bytes + (16u << *shift) - 1) >> (4 + *shift);
    return cycles == 0 || tensix->free_unpack ? 1 : cycles;
}

// A data phase that goes on at `begin` behind its first `ahead` cycles: when it ends.
static ts_cycle data_phase(const struct ts_unpack_unit *self, const struct ts_unpack_plan *plan,
                           uint32_t ahead, ts_cycle begin, ts_cycle now)
{
    struct ts_tensix *tensix = self->files->tensix;
    unsigned shift;
    uint32_t cycles = data_cycles(self, plan, &shift) - ahead;
    if (shift && !tensix->free_unpack && ts_bits_machine(&tensix->bits, TS_RULE_unpackers_share)) {
        const struct ts_unpack_unit *other = (const struct ts_unpack_unit *)
                                                 tensix->unit[TS_UNIT_UNPACK0 + !self->which];
        if (other->free > begin && other->plan && other->plan->bytes_shift)
            begin = other->free;
    }
    if (tensix->banks && plan->bytes && cycles && !tensix->free_unpack)
        begin = ts_l1_flow(tensix->banks, TS_L1_UNPACK0 + self->which,
                           (uint32_t)(plan->data_bit / 8) + (ahead << (4 + shift)), 1u << shift,
                           cycles, begin, now);
    return begin + cycles;
}

// The data phase of an UNPACR waits for the bank since `ready`. By `now` it has read for so many cycles:
// as much as the way to the bank holds, at most.
static uint32_t read_ahead(const struct ts_unpack_unit *self, ts_cycle ready, ts_cycle now)
{
    const uint64_t latency = self->files->tensix->timing.unpack_latency;
    unsigned shift;
    uint32_t cycles = data_cycles(self, self->plan, &shift), most = cycles;
    if (latency < most)
        most = (uint32_t)latency;
    return now <= ready ? 0 : now - ready < most ? (uint32_t)(now - ready) : most;
}

// The unit is done with the thread's instruction at `end`.
static void busy(struct ts_unpack_unit *self, struct ts_word in, ts_cycle now, ts_cycle begin,
                 ts_cycle end)
{
    struct ts_unit *unit = &self->unit;
    self->begun = begin;
    self->free = end;
    ts_unit_worked_on(unit, begin, end - begin, now);
    unit->busy_until[in.thread] = end;
    ts_unit_changed(unit, now);
}

// Tells the lints which rows of Dst are being written.
static void into_dst(struct ts_files *files, const struct ts_unpack_plan *plan, unsigned thread,
                     ts_cycle from, ts_cycle until)
{
    uint64_t blocks[2] = {0};
    for (uint32_t row = ts_unpack_dst_row(plan), end = row + (plan->count + 15) / 16; row < end;
         row += 8) {
        unsigned block = ts_files_block(files, plan->dst32, row & (TS_DST_ROWS - 1));
        blocks[block / 64] |= UINT64_C(1) << block % 64;
    }
    if (__builtin_expect(files->tensix->check != NULL, 0))
        ts_tensix_blocks(files->tensix, thread, TS_UNIT_UNPACK0, true, blocks);
    ts_lint_unpacks_dst(files->tensix, blocks, from, until);
}

// SrcA is written in bursts of rows. One that is not aligned may lose what lies behind a set of 16 rows.
static bool bursts_fit(struct ts_unpack_unit *self, struct ts_word in, ts_cycle now)
{
    const struct ts_unpack_plan *plan = self->plan;
    uint32_t row = ts_unpack_dst_row(plan), rows = (plan->count + 15) / 16, burst = plan->burst;
    if (burst < 2 || (row & (burst - 1)) == 0 || row % 16 + rows <= 16)
        return true;
    return ts_tensix_report(self->files->tensix, &self->unit.component, in.thread, now,
                            TS_REPORT_SRCA_BURST, "%s: %u rows from row %u, %u a burst",
                            ts_insn_text(in).text, rows, row % TS_SRC_ROWS, burst);
}

// A check hears of the bytes that a data phase reads.
static TS_SLOW_PATH void observe(const struct ts_unpack_unit *self, unsigned thread)
{
    const struct ts_unpack_plan *plan = self->plan;
    const struct ts_tensix *tensix = self->files->tensix;
    const unsigned unit = TS_UNIT_UNPACK0 + self->which;
    uint32_t at = (uint32_t)(plan->data_bit / 8), left = plan->bytes;
    if (left && ts_checks_for(tensix->check, TS_CHECK_MEMORY))
        ts_memory_format(tensix->check, thread, unit, false, at, plan->in_format);
    uint32_t row = plan->row_data * ts_format_bits(plan->in_format) / 8;
    if (!plan->uncompressed || row == 0 || row == plan->row_stride)
        row = left;
    for (uint32_t bytes; left; left -= bytes, at += plan->row_stride) {
        bytes = row < left ? row : left;
        ts_tensix_access(tensix, thread, unit, TS_OBJECT_L1, TS_HOW_READ, at, bytes);
    }
    if (plan->bfp && !plan->forced_exp)
        ts_tensix_access(tensix, thread, unit, TS_OBJECT_L1, TS_HOW_READ,
                         (uint32_t)(plan->exp_16th / 16), (plan->count + 15) / 16);
}

// The data phase: the unpacker owns the bank.
static bool unpack(struct ts_unpack_unit *self, struct ts_word in, ts_cycle from, ts_cycle now)
{
    struct ts_files *files = self->files;
    const struct ts_unpack_plan *plan = self->plan;
    const struct ts_tensix *tensix = files->tensix;
    struct ts_unpack_view view = ts_unpack_view_of(files, in.thread);
    const ts_cycle ready = self->free > from ? self->free : from;
    const uint32_t ahead = read_ahead(self, ready, now);
    ts_cycle begin = ready > now ? ready : now;
    const ts_cycle waited = begin - ready - ahead;
    if (__builtin_expect(tensix->hooks.l1_begin != NULL, 0))
        begin = tensix->hooks.l1_begin(tensix->hooks.tile, TS_UNIT_UNPACK0 + self->which, begin);
    struct ts_dst *dst = plan->target == TS_UNPACK_DST ? ts_files_dst(files, now) : NULL;
    if (plan->target == TS_UNPACK_SRCA && plan->count > 16 && !bursts_fit(self, in, now))
        return false;
    if (!files->timing_only) {
        struct ts_refusal refusal = ts_unpack_run(plan, ts_files_unpacked(files), dst, tensix->l1,
                                                  tensix->l1_bytes);
        if (__builtin_expect(refusal.what != NULL, 0))
            return ts_unit_refused(&self->unit, in, now, &refusal);
    }
    self->bytes += plan->bytes;
    if (__builtin_expect(tensix->check != NULL, 0))
        observe(self, in.thread);
    ts_cycle end = data_phase(self, plan, ahead, begin, now);
    unsigned index = ts_files_src(files, self->which)->unpacker;
    ts_unpack_hand_over(plan, &view, &self->state, ts_files_unpacked(files));
    busy(self, in, now, begin, end);
    // The way to the bank delays the hand-over, not the next data phase. What is on it has waited too.
    const ts_cycle late = tensix->timing.unpack_latency - ahead;
    const ts_cycle valid = end + ahead + (waited < late ? late - waited : 0) +
                           tensix->timing.unpack_valid;
    self->unit.busy_until[in.thread] = end + tensix->timing.unpack_idle;
    if (plan->target == TS_UNPACK_DST)
        into_dst(files, plan, in.thread, begin, valid);
    if (plan->args.set_dat_valid)
        ts_files_handed_over(files, self->which, index, valid);
    return true;
}

static bool nop(struct ts_unpack_unit *self, struct ts_word in, ts_cycle from, ts_cycle now)
{
    struct ts_files *files = self->files;
    const struct ts_tensix *tensix = files->tensix;
    struct ts_unpack_view view = ts_unpack_view_of(files, in.thread);
    struct ts_unpack_nop_write write;
    struct ts_srcs *srcs = ts_files_srcs(files, now);
    unsigned owners = ts_files_owners(files);
    struct ts_refusal refusal = ts_unpack_nop(&view, &self->state, srcs,
                                              ts_decode_UNPACR_NOP(in.word), &write);
    if (__builtin_expect(refusal.what != NULL, 0))
        return ts_unit_refused(&self->unit, in, now, &refusal);
    if (write.some) {
        if (!tensix->hooks.overlay_clear)
            return ts_unit_refuse(&self->unit, in, now, "not implemented: NoC overlay streams");
        tensix->hooks.overlay_clear(tensix->hooks.tile, write.stream, write.value, now);
    }
    ts_cycle begin = self->free > from ? self->free : from;
    if (begin < now)
        begin = now;
    ts_cycle end = begin + tensix->timing.unpack_nop;
    busy(self, in, now, begin, end);
    self->unit.busy_until[in.thread] = end + tensix->timing.unpack_nop_idle;
    unsigned diff = owners ^ ts_files_owners(files);
    if (diff)
        ts_files_handed_over(files, self->which, (unsigned)__builtin_ctz(diff) & 1, end);
    return true;
}

static inline bool go(struct ts_unpack_unit *self, struct ts_word in, ts_cycle from, ts_cycle now)
{
    return in.op == TS_OP_UNPACR ? unpack(self, in, from, now) : nop(self, in, from, now);
}

// What a plan was made for: the word, its thread, the context, the configuration.
static uint64_t plan_key(const struct ts_unpack_unit *self, struct ts_word in)
{
    const struct ts_cfg *cfg = &self->files->tensix->cfg;
    unsigned context = cfg->thd[in.thread][TS_THD_ADDR_UNPACK_MISC_CFG_CfgContextOffset_0] >>
                       8 * self->which;
    if (ts_decode_UNPACR(in.word).auto_inc_context_id)
        context += self->state.context[in.thread];
    return (uint64_t)cfg->generation[in.thread] << 32 | (context & 7) << 28 |
           (uint32_t)in.thread << 24 | (in.word & 0xFFFFFFu);
}

static TS_SLOW_PATH struct ts_refusal settle(struct ts_unpack_unit *self, unsigned place,
                                             const struct ts_unpack_view *view, struct ts_word in,
                                             uint64_t key)
{
    struct ts_refusal refusal = ts_unpack_settings(&self->plans[place], view, &self->state,
                                                   ts_decode_UNPACR(in.word));
    self->plan_key[place] = refusal.what ? UNPLANNED : key;
    return refusal;
}

static inline struct ts_refusal make_plan(struct ts_unpack_unit *self,
                                          const struct ts_unpack_view *view, struct ts_word in)
{
    uint64_t key = plan_key(self, in);
    unsigned place = (uint32_t)key * 0x9E3779B1u >> 30;
    self->plan = &self->plans[place];
    if (__builtin_expect(self->plan_key[place] != key, 0)) {
        struct ts_refusal refusal = settle(self, place, view, in, key);
        if (refusal.what)
            return refusal;
    }
    return ts_unpack_place(self->plan, view, &self->files->tensix->adcs, &self->state);
}
_Static_assert(TS_UNPACK_PLANS == 1 << (32 - 30), "make_plan finds a place for every key");

// The instruction continues from cycle `from`, once the unpacker owns the bank: it may wait for it
// in the unit.
static bool claim(struct ts_unpack_unit *self, struct ts_word in, unsigned bank, ts_cycle from,
                  ts_cycle now)
{
    struct ts_hold hold;
    if (ts_files_unpacker_has(self->files, self->which, bank, now, &hold))
        return go(self, in, from, now);
    self->pending = true;
    self->waiting = in;
    self->bank = (int8_t)bank;
    self->begun = from;
    self->unit.busy_until[in.thread] = TS_NEVER;
    // Nothing begins before the current data phase has ended. Until then the unit is busy, not
    // waiting.
    ts_wake(&self->unit.component, self->free > from ? self->free : from);
    return true;
}

// ---- instructions

static inline bool ts_unpack_UNPACR(struct ts_unpack_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    struct ts_args_UNPACR args = ts_decode_UNPACR(in.word);
    struct ts_unpack_view view = ts_unpack_view_of(files, in.thread);
    if (__builtin_expect(args.cfg_context_cnt_inc | args.search_cache_flush, 0) &&
        ts_unpack_other(&view, &self->state, args)) {
        busy(self, in, now, now, now + 1);
        return true;
    }
    struct ts_refusal refusal = make_plan(self, &view, in);
    if (__builtin_expect(refusal.what != NULL, 0))
        return ts_unit_refused(&self->unit, in, now, &refusal);
    if (!ts_lint_starts(tensix, &self->unit.component, in, (unsigned)TS_LINT_UNPACK0 << self->which,
                        now))
        return false;
    ts_unpack_count(self->plan, &view, &tensix->adcs, &self->state);
    ts_cycle from = now + tensix->timing.unpack_address;
    files->unpack_address = from;
    tensix->closed[in.thread] = (struct ts_closed){from, TS_STALL_UNIT_BUSY,
                                                   &self->unit.component.object};
    return claim(self, in, ts_files_src(files, self->which)->unpacker, from, now);
}

static inline bool ts_unpack_UNPACR_NOP(struct ts_unpack_unit *self, struct ts_word in,
                                        ts_cycle now)
{
    struct ts_args_UNPACR_NOP args = ts_decode_UNPACR_NOP(in.word);
    int wanted = ts_unpack_nop_bank(ts_files_unpacked(self->files), args);
    if (wanted < 0 && !ts_unpack_nop_gives(&self->files->tensix->bits, args))
        return go(self, in, now, now); // touches no bank
    unsigned own = ts_files_src(self->files, self->which)->unpacker;
    return claim(self, in, wanted < 0 ? own : (unsigned)wanted, now + 1, now);
}

// ---- the unit

static bool unpack_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                          struct ts_hold *hold)
{
    const struct ts_unpack_unit *self = (const struct ts_unpack_unit *)unit;
    (void)in;
    if (self->pending)
        return ts_held(hold, TS_STALL_UNIT_BUSY, &unit->component.object, TS_NEVER);
    ts_cycle ready = self->files->unpack_address;
    if (self->begun > ready)
        ready = self->begun;
    if (ready > now)
        return ts_held(hold, TS_STALL_UNIT_BUSY, &unit->component.object, ready);
    return true;
}

static bool unpack_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    switch (in.op) {
#define TS_OP_UNPACK(...) TS_CASE(unpack, ((struct ts_unpack_unit *)unit, in, now), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_unit_unspecified(unit, in, now);
}

// Only for an instruction that waits for a bank.
static ts_step unpack_step(struct ts_component *component, ts_cycle now)
{
    struct ts_unpack_unit *self = (struct ts_unpack_unit *)component;
    if (!self->pending)
        return ts_idle(component, now);
    struct ts_hold hold;
    if (!ts_files_unpacker_has(self->files, self->which, (unsigned)self->bank, now, &hold)) {
        const ts_cycle ready = self->free > self->begun ? self->free : self->begun;
        if (self->waiting.op == TS_OP_UNPACR)
            ts_busy_until(component, ready + read_ahead(self, ready, TS_NEVER));
        ts_step step = ts_block(component, now, hold.reason, hold.object);
        if (hold.until != TS_NEVER)
            ts_wake(component, hold.until);
        return step;
    }
    self->pending = false;
    if (!go(self, self->waiting, self->begun, now))
        return 0;
    if (ts_trace_detail(&component->object))
        ts_trace_work(&self->unit, self->waiting.thread, self->begun, self->free);
    return ts_idle(component, now);
}

static const struct ts_unit_ops unpack_ops[2] = {
    {.id = TS_UNIT_UNPACK0, .accept = unpack_accept, .start = unpack_start},
    {.id = TS_UNIT_UNPACK1, .accept = unpack_accept, .start = unpack_start},
};

static const struct ts_counter counters[] = {
    TS_UNIT_COUNTER,
    {"bytes", "bytes", "data read from L1", offsetof(struct ts_unpack_unit, bytes)},
    {0},
};

static const struct ts_component_ops component_ops = {
    .kind = "unit",
    .step = unpack_step,
    .counters = counters,
};

void ts_unpack_unit_init(struct ts_unpack_unit *self, unsigned which, struct ts_files *files,
                         struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &unpack_ops[which], &component_ops, files->tensix, domain,
                 which ? "unpack1" : "unpack0");
    self->files = files;
    self->which = (uint8_t)which;
    for (unsigned i = 0; i < TS_UNPACK_PLANS; i++)
        self->plan_key[i] = UNPLANNED;
}
