// units/cfg.c: see cfg.h.
#include "units/cfg.h"

#include <string.h>

void ts_cfg_init(struct ts_cfg *self)
{
    memset(self, 0, sizeof *self);
    for (unsigned i = 0; i < TS_CFG_WORDS; i++)
        self->mask[i] = ts_cfg_reg_mask(i);
}

void ts_cfg_write(struct ts_cfg *self, unsigned bank, unsigned addr, uint32_t value, bool reset)
{
    self->generation++;
    value &= self->mask[addr];
    if (addr >= TS_CFG_GLOBAL_BASE) {
        self->bank[0][addr] = self->bank[1][addr] = value;
        return;
    }
    if (addr == TS_CFG_ADDR_STATE_RESET_EN && reset) {
        memset(self->bank[bank], 0, TS_CFG_GLOBAL_BASE * sizeof(uint32_t));
        return;
    }
    self->bank[bank][addr] = value;
}
