// units/scalar/scalar.c: see scalar.h. GPR arithmetic and the unit; memory is in memory.c.
#include "units/lint.h"
#include "units/scalar/memory.h"

// ---- timing

static bool finish_in(struct ts_scalar_unit *self, struct ts_word in, unsigned cycles, ts_cycle now)
{
    ts_scalar_occupy(self, in.thread, now + cycles);
    ts_unit_worked(&self->unit, now, cycles);
    return true;
}

// ---- arithmetic: all six have the same operands
//
// The operands are read in the second cycle: they include the result of an RDCFG right before. The
// document only says to avoid this (RDCFG.md), but the vendor's matmul kernels add to an RDCFG's
// result in the next instruction.

static bool arithmetic(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_BITWOPDMAREG a = ts_decode_BITWOPDMAREG(in.word);
    // One read returns both GPRs if they are in the same aligned group of four.
    bool one_read = a.op_b_is_const || a.op_a_reg_index / 4 == a.op_b_reg_index / 4;
    const struct ts_tensix_timing *t = &self->tensix->timing;
    self->alu = in;
    self->alu_at = now + 1;
    ts_lint_scalar(self->tensix, in.thread, a.result_reg_index);
    ts_tensix_later(self->tensix, self->unit.component.domain, self->alu_at);
    return finish_in(self, in, one_read ? t->scalar_alu : t->scalar_alu_apart, now);
}

void ts_scalar_compute(struct ts_scalar_unit *self)
{
    struct ts_args_BITWOPDMAREG a = ts_decode_BITWOPDMAREG(self->alu.word);
    uint32_t *gpr = self->tensix->deferred.gpr[self->alu.thread];
    uint32_t left = gpr[a.op_a_reg_index];
    uint32_t right = a.op_b_is_const ? a.op_b_reg_index : gpr[a.op_b_reg_index];
    uint32_t result = 0;
    switch (self->alu.op) {
    case TS_OP_ADDDMAREG:
        result = left + right;
        break;
    case TS_OP_SUBDMAREG:
        result = left - right;
        break;
    case TS_OP_MULDMAREG:
        result = (left & 0xffff) * (right & 0xffff);
        break;
    case TS_OP_BITWOPDMAREG:
        result = a.op_sel == 0 ? left & right : a.op_sel == 1 ? left | right : left ^ right;
        break;
    case TS_OP_SHIFTDMAREG:
        result = a.op_sel == 0 ? left << (right & 31) : left >> (right & 31);
        break;
    default: // CMPDMAREG
        result = a.op_sel == 0 ? left > right : a.op_sel == 1 ? left < right : left == right;
    }
    gpr[a.result_reg_index] = result;
    self->alu_at = TS_NEVER;
}

// ---- SETDMAREG

// The 128 bits of packer state that the special form of SETDMAREG reads, with reserved fields of a
// tile header kept (size 3).
static void merge_header(uint32_t *to, const uint32_t *from)
{
    to[0] = (to[0] & 0xffff0000) | (from[0] & 0xffff);
    to[1] = (to[1] & 0xff00ffff) | (from[1] & 0x00ff0000);
    to[2] = from[2];
}

// ---- instructions

bool ts_scalar_SETDMAREG(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_SETDMAREG a = ts_decode_SETDMAREG(in.word);
    uint32_t *gpr = ts_tensix_gprs(self->tensix, in.thread, now);
    unsigned half = a.reg_index_16b, shift = (half & 1) * 16;
    if (!a.set_signals_mode) {
        uint32_t value = TS_BITS(in.word, 8, 16);
        gpr[half >> 1] = (gpr[half >> 1] & ~(0xffffu << shift)) | value << shift;
        return finish_in(self, in, self->tensix->timing.scalar_set, now);
    }
    const struct ts_tensix_hooks *hooks = &self->tensix->hooks;
    unsigned from = TS_BITS(in.word, 8, 3), source = TS_BITS(in.word, 11, 4),
             packers = TS_BITS(in.word, 15, 4);
    uint32_t value[4] = {0};
    // Sources above 9 read as zero: the documented way to clear four GPRs.
    if (source <= 9 &&
        !(hooks->pack_state && hooks->pack_state(hooks->tile, in.thread, source, packers, value)))
        return ts_unit_refuse(&self->unit, in, now, "not implemented: packer state");
    switch (a.payload_sig_sel_size) {
    case 0: {
        uint32_t picked = value[from >> 1] >> (from & 1) * 16 & 0xffff;
        gpr[half >> 1] = (gpr[half >> 1] & ~(0xffffu << shift)) | picked << shift;
        break;
    }
    case 1:
        gpr[half >> 1] = value[from >> 1];
        break;
    case 2:
        memcpy(&gpr[half >> 1 & 0x3c], value, sizeof value);
        break;
    default:
        merge_header(&gpr[half >> 1 & 0x3c], value);
    }
    return finish_in(self, in, self->tensix->timing.scalar_set, now);
}

bool ts_scalar_REG2FLOP(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_REG2FLOP a = ts_decode_REG2FLOP(in.word);
    struct ts_tensix *tensix = self->tensix;
    const uint32_t *gpr = ts_tensix_gprs(tensix, in.thread, now);
    if (a.target_sel == 0) {
        const struct ts_machine *machine = tensix->cfg.machine;
        unsigned addr = machine->cfg_thcon + a.flop_index;
        if (addr >= machine->cfg_global)
            return ts_unit_breach(&self->unit, in, now, "no THCON configuration register");
        unsigned bank = ts_cfg_state(&tensix->cfg, in.thread);
        unsigned count = a.size_sel ? 1 : 4, align = a.size_sel ? 0 : 3;
        for (unsigned i = 0; i < count; i++)
            ts_tensix_program(tensix, in.thread, bank, (addr & ~align) + i,
                              gpr[(a.reg_index & ~align) + i], now);
        return finish_in(self, in, tensix->timing.scalar_reg2flop, now);
    }
    if (a.target_sel == 1)
        return ts_unit_breach(&self->unit, in, now, "no such target");
    uint32_t value = gpr[a.reg_index];
    switch (a.size_sel) {
    case 0:
        value = 0;
        break;
    case 1:
        value = a.byte_offset ? 0 : value;
        break;
    case 2:
        value = a.byte_offset == 0 ? value & 0xffff : a.byte_offset == 2 ? value >> 16 : 0;
        break;
    default:
        value = value >> a.byte_offset * 8 & 0xff;
    }
    unsigned thread = a.target_sel & 1 ? a.context_id_2 : in.thread;
    unsigned group = a.flop_index >> 3 & 3;
    if (thread < TS_THREADS && group < TS_ADC_GROUPS)
        ts_adc_poke(&tensix->adcs, thread, group, a.flop_index >> 5 & 1, a.flop_index & 3,
                    a.flop_index >> 2 & 1, value);
    return finish_in(self, in, tensix->timing.scalar_reg2flop, now);
}

#define ARITHMETIC(op, undefined)                                                     \
    bool ts_scalar_##op(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now) \
    {                                                                                 \
        if (undefined)                                                                \
            return ts_unit_breach(&self->unit, in, now, "no such operation");         \
        return arithmetic(self, in, now);                                             \
    }
ARITHMETIC(ADDDMAREG, false)
ARITHMETIC(SUBDMAREG, false)
ARITHMETIC(MULDMAREG, false)
ARITHMETIC(BITWOPDMAREG, ts_decode_BITWOPDMAREG(in.word).op_sel > 2)
ARITHMETIC(SHIFTDMAREG, ts_decode_SHIFTDMAREG(in.word).op_sel > 1)
ARITHMETIC(CMPDMAREG, ts_decode_CMPDMAREG(in.word).op_sel > 2)

bool ts_scalar_DMANOP(struct ts_scalar_unit *self, struct ts_word in, ts_cycle now)
{
    return finish_in(self, in, self->tensix->timing.scalar_nop, now);
}

// ---- the unit

void ts_scalar_abort(struct ts_scalar_unit *self, ts_cycle now)
{
    for (unsigned t = 0; t < TS_THREADS; t++) {
        self->unit.busy_until[t] = now;
        if (self->tensix->closed[t].object == &self->unit.component.object)
            self->tensix->closed[t].until = now;
    }
    self->requests = 0;
    self->attempt = TS_NEVER;
    self->alu_at = TS_NEVER;
    self->done = now;
    ts_unit_changed(&self->unit, now);
}

static bool scalar_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                          struct ts_hold *hold)
{
    const struct ts_scalar_unit *self = (const struct ts_scalar_unit *)unit;
    const struct ts_object *object = &unit->component.object;
    if (self->done > now)
        return ts_held(hold, TS_STALL_UNIT_BUSY, object, self->done);
    if ((in.op == TS_OP_ATINCGET || in.op == TS_OP_ATSWAP) && self->next_atomic > now)
        return ts_held(hold, TS_STALL_UNIT_BUSY, object, self->next_atomic);
    if (self->requests == TS_SCALAR_REQUESTS)
        return ts_held(hold, TS_STALL_MEMORY, object, TS_NEVER);
    return true;
}

static void scalar_happen(struct ts_unit *unit, ts_cycle now)
{
    struct ts_scalar_unit *self = (struct ts_scalar_unit *)unit;
    if (self->alu_at < now)
        ts_scalar_compute(self);
    else if (self->alu_at != TS_NEVER)
        ts_tensix_later(self->tensix, unit->component.domain, self->alu_at);
}

static bool scalar_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    switch (in.op) {
#define TS_OP_SCALAR(...) TS_CASE(scalar, ((struct ts_scalar_unit *)unit, in, now), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_unit_unspecified(unit, in, now);
}

static const struct ts_unit_ops scalar_ops = {
    .id = TS_UNIT_SCALAR,
    .accept = scalar_accept,
    .start = scalar_start,
    .happen = scalar_happen,
};

static const struct ts_counter scalar_counters[] = {
    TS_UNIT_COUNTER,
    {"retries", "attempts", "attempts of ATCAS, ATINCGETPTR and FLUSHDMA that failed",
     offsetof(struct ts_scalar_unit, retries)},
    {0},
};

static void scalar_settle(struct ts_component *component, ts_cycle now)
{
    ts_tensix_late(((struct ts_scalar_unit *)component)->tensix, now);
}

static const struct ts_component_ops scalar_component = {
    .kind = "unit",
    .step = ts_scalar_step,
    .settle = scalar_settle,
    .counters = scalar_counters,
};

void ts_scalar_unit_init(struct ts_scalar_unit *self, struct ts_tensix *tensix,
                         struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &scalar_ops, &scalar_component, tensix, domain, "scalar");
    self->tensix = tensix;
    self->attempt = TS_NEVER;
    self->alu_at = TS_NEVER;
}
