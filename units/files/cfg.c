// units/files/cfg.c: see units/tensix.h.
#include "units/tensix.h"

// What the machine fixes.
static void reset(struct ts_cfg *self)
{
    for (unsigned i = 0; i < self->machine->reset_count; i++) {
        const struct ts_machine_reset *is = &self->machine->resets[i];
        for (unsigned bank = 0; bank < 2 && !is->thread; bank++)
            self->bank[bank][is->addr] |= (uint32_t)is->value << is->shift;
        for (unsigned t = 0; t < TS_THREADS && is->thread; t++)
            self->thd[t][is->addr] |= (uint16_t)(is->value << is->shift);
    }
}

void ts_cfg_init(struct ts_cfg *self, const struct ts_machine *machine)
{
    memset(self, 0, sizeof *self);
    self->machine = machine;
    ts_cfg_reg_masks(self->mask);
    reset(self);
}

void ts_cfg_clear(struct ts_cfg *self, unsigned bank, unsigned first)
{
    memset(&self->bank[bank][first], 0, (TS_CFG_GLOBAL_BASE - first) * sizeof(uint32_t));
    if (self->machine->cfg == NULL)
        return;
    for (unsigned addr = 0; addr < self->machine->cfg_global; addr++)
        if (ts_machine_home(self->machine, addr) >= first)
            self->program[bank][addr] = 0;
    reset(self);
}

unsigned ts_cfg_rewrite(struct ts_cfg *self, unsigned bank, unsigned addr, uint32_t value,
                        struct ts_cfg_change change[TS_CFG_CHANGES])
{
    const struct ts_machine_field *field;
    unsigned count = 0;
    for (unsigned left = ts_machine_config(self->machine, addr, &field); left > 0;
         left--, field++) {
        const uint32_t mask = TS_FIELD_MASK(field->bits);
        unsigned i = 0;
        while (i < count && change[i].addr != field->to)
            i++;
        if (i == count)
            change[count++] = (struct ts_cfg_change){field->to, self->bank[bank][field->to]};
        change[i].value = (change[i].value & ~(mask << field->to_shift)) |
                          (value >> field->from_shift & mask) << field->to_shift;
    }
    self->program[bank][addr] = value;
    if (addr >= self->machine->cfg_global)
        self->program[!bank][addr] = value;
    return count;
}

// Registers from which no unit keeps derived state.
static const bool live[TS_CFG_ALL] = {
    [TS_CFG_ADDR_THCON_SEC0_REG1_L1_Dest_addr] = true,
    [TS_CFG_ADDR_THCON_SEC0_REG3_Base_address...
        TS_CFG_ADDR_THCON_SEC0_REG4_Base_cntx7_address] = true,
    [TS_CFG_ADDR_THCON_SEC1_REG3_Base_address...
        TS_CFG_ADDR_THCON_SEC1_REG4_Base_cntx7_address] = true,
    [TS_CFG_ADDR_DEST_TARGET_REG_CFG_PACK_SEC0_Offset] = true,
};

static const bool thd_live[TS_THD_ALL] = {
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
        ts_cfg_clear(self, bank, 0);
        return;
    }
    self->bank[bank][addr] = value;
}
