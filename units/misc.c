// units/misc.c: see misc.h.
#include "units/misc.h"

// An address counter moved, unless the word names a thread that does not exist.
static bool moved(struct ts_misc_unit *self, struct ts_word in, ts_cycle now, bool done)
{
    return done || ts_unit_breach(&self->unit, in, now, "no such thread");
}

// ---- instructions

static bool ts_misc_NOP(struct ts_misc_unit *self, struct ts_word in, ts_cycle now)
{
    (void)self, (void)in, (void)now;
    return true;
}

static bool ts_misc_SETADC(struct ts_misc_unit *self, struct ts_word in, ts_cycle now)
{
    return moved(self, in, now,
                 ts_adc_set(&self->tensix->adcs, in.thread, ts_decode_SETADC(in.word)));
}

#define MOVE_ADC(op, counter, how)                                                                 \
    static bool ts_misc_##op(struct ts_misc_unit *self, struct ts_word in, ts_cycle now)           \
    {                                                                                              \
        return moved(                                                                              \
            self, in, now,                                                                         \
            ts_adc_move(&self->tensix->adcs, in.thread, in.word, TS_ADC_##counter, TS_ADC_##how)); \
    }
MOVE_ADC(SETADCXY, X, PUT)
MOVE_ADC(INCADCXY, X, ADD)
MOVE_ADC(ADDRCRXY, X, ADD_CR)
MOVE_ADC(SETADCZW, Z, PUT)
MOVE_ADC(INCADCZW, Z, ADD)
MOVE_ADC(ADDRCRZW, Z, ADD_CR)

static bool ts_misc_SETDVALID(struct ts_misc_unit *self, struct ts_word in, ts_cycle now)
{
    const struct ts_tensix_hooks *hooks = &self->tensix->hooks;
    unsigned files = ts_decode_SETDVALID(in.word).setvalid;
    if (!ts_tensix_report(self->tensix, &self->unit.component, in.thread, now, TS_REPORT_SETDVALID,
                          "%s", ts_insn_text(in).text))
        return false;
    if (!hooks->src_hand_over || !hooks->src_hand_over(hooks->tile, in.thread, files, now))
        return ts_unit_refuse(&self->unit, in, now, "not implemented: SETDVALID");
    return true;
}

static bool ts_misc_SETADCXX(struct ts_misc_unit *self, struct ts_word in, ts_cycle now)
{
    ts_adc_set_range(&self->tensix->adcs, in.thread, ts_decode_SETADCXX(in.word));
    (void)now;
    return true;
}

// ---- the unit

static bool misc_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                        struct ts_hold *hold)
{
    (void)unit, (void)in, (void)now, (void)hold;
    return true;
}

static bool misc_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    struct ts_misc_unit *self = (struct ts_misc_unit *)unit;
    unit->busy_until[in.thread] = now + 1;
    ts_unit_worked(unit, now, 1);
    switch (in.op) {
#define TS_OP_MISC(...) TS_CASE(misc, (self, in, now), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_unit_unspecified(unit, in, now);
}

static const struct ts_unit_ops misc_ops = {
    .id = TS_UNIT_MISC,
    .accept = misc_accept,
    .start = misc_start,
};

void ts_misc_unit_init(struct ts_misc_unit *self, struct ts_tensix *tensix,
                       struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &misc_ops, &ts_unit_passive, tensix, domain, "misc");
    self->tensix = tensix;
}
