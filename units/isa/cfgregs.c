// units/isa/cfgregs.c: the table of configuration fields.
#include "units/isa/cfgregs.h"

#define TS_CFG_FIELD(name, addr, shift, bits) {#name, addr, shift, bits, 0},
#define TS_THD_FIELD(name, addr, shift, bits) {#name, addr, shift, bits, 1},
const struct ts_cfg_field ts_cfg_fields[] = {
#include "config/cfgregs.def"
};
const unsigned ts_cfg_field_count = sizeof ts_cfg_fields / sizeof *ts_cfg_fields;

static uint32_t reg_mask(unsigned addr, unsigned thread)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *f = &ts_cfg_fields[i];
        if (f->thread == thread && f->addr == addr)
            mask |= TS_FIELD_MASK(f->bits) << f->shift;
    }
    return mask;
}

uint32_t ts_cfg_reg_mask(unsigned addr)
{
    uint32_t mask = reg_mask(addr, 0);
    return mask ? mask : UINT32_MAX;
}

uint32_t ts_thd_reg_mask(unsigned addr)
{
    uint32_t mask = reg_mask(addr, 1);
    return mask ? mask : 0xffff;
}
