// units/isa/cfgregs.c: the table of configuration fields.
#include "units/isa/cfgregs.h"

const struct ts_cfg_field ts_cfg_fields[] = {
#define TS_CFG_FIELD(name, addr, shift, bits) {#name, addr, shift, bits, 0, 0},
#define TS_THD_FIELD(name, addr, shift, bits) {#name, addr, shift, bits, 1, 0},
#include "config/cfgregs.def"
#define TS_CFG_FIELD(name, addr, shift, bits) {#name, addr, shift, bits, 0, 1},
#define TS_THD_FIELD(name, addr, shift, bits) {#name, addr, shift, bits, 1, 1},
#include "config/wormhole/own.def"
};
const unsigned ts_cfg_field_count = sizeof ts_cfg_fields / sizeof *ts_cfg_fields;

void ts_cfg_reg_masks(uint32_t masks[TS_CFG_ALL])
{
    memset(masks, 0, TS_CFG_ALL * sizeof *masks);
    for (unsigned i = 0; i < ts_cfg_field_count; i++) {
        const struct ts_cfg_field *f = &ts_cfg_fields[i];
        if (!f->thread && !f->own)
            masks[f->addr] |= TS_FIELD_MASK(f->bits) << f->shift;
    }
    for (unsigned i = 0; i < TS_CFG_ALL; i++)
        if (masks[i] == 0)
            masks[i] = UINT32_MAX;
}
