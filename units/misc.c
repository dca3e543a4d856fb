// units/misc.c: see misc.h.
#include "units/misc.h"

#include <string.h>

static bool adc(struct ts_misc *self, struct ts_word in, ts_cycle now)
{
    if (!ts_adc_execute(&self->tensix->adcs, in.thread, in.word))
        return ts_unit_breach(&self->unit, in, now, "no such thread");
    return true;
}

static bool set_valid(struct ts_misc *self, struct ts_word in, ts_cycle now)
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

static bool misc_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                        struct ts_hold *hold)
{
    (void)unit, (void)in, (void)now, (void)hold;
    return true;
}

static bool misc_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    struct ts_misc *self = (struct ts_misc *)unit;
    unit->busy_until[in.thread] = now + 1;
    ts_unit_worked(unit, now, 1);
    switch (in.op) {
    case TS_OP_NOP:
        return true;
    case TS_OP_SETDVALID:
        return set_valid(self, in, now);
    default:
        return adc(self, in, now);
    }
}

static const struct ts_unit_ops misc_ops = {
    .id = TS_UNIT_MISC,
    .accept = misc_accept,
    .start = misc_start,
};

void ts_misc_init(struct ts_misc *self, struct ts_tensix *tensix, struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &misc_ops, &ts_unit_passive, domain, "misc");
    self->tensix = tensix;
    tensix->unit[TS_UNIT_MISC] = &self->unit;
}
