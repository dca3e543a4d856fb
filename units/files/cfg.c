// units/files/cfg.c: see cfg.h.
#include "units/files/cfg.h"

#include <string.h>

void ts_cfg_init(struct ts_cfg *self)
{
    memset(self, 0, sizeof *self);
    ts_cfg_reg_masks(self->mask);
}

// Registers from which no unit keeps derived state.
static const bool live[TS_CFG_WORDS] = {
    [TS_CFG_ADDR_THCON_SEC0_REG1_L1_Dest_addr] = true,
    [TS_CFG_ADDR_THCON_SEC0_REG3_Base_address...
        TS_CFG_ADDR_THCON_SEC0_REG4_Base_cntx7_address] = true,
    [TS_CFG_ADDR_THCON_SEC1_REG3_Base_address...
        TS_CFG_ADDR_THCON_SEC1_REG4_Base_cntx7_address] = true,
    [TS_CFG_ADDR_DEST_TARGET_REG_CFG_PACK_SEC0_Offset] = true,
};

static const bool thd_live[TS_THD_WORDS] = {
    [TS_THD_ADDR_DEST_TARGET_REG_CFG_MATH_Offset] = true,
    [TS_THD_ADDR_UNPACK_MISC_CFG_CfgContextOffset_0] = true,
};

void ts_cfg_changed(struct ts_cfg *self)
{
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->generation[t]++;
}

void ts_cfg_write_thd(struct ts_cfg *self, unsigned thread, unsigned addr, uint16_t value)
{
    self->thd[thread][addr] = value;
    if (addr == TS_THD_ADDR_ENABLE_ACC_STATS_Enable) // of any thread counts for all
        ts_cfg_changed(self);
    else if (!thd_live[addr])
        self->generation[thread]++;
}

void ts_cfg_write(struct ts_cfg *self, unsigned bank, unsigned addr, uint32_t value, bool reset)
{
    if (!live[addr])
        ts_cfg_changed(self);
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
