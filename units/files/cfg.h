// units/files/cfg.h: the backend configuration as a register file (the unit that writes it is
// units/cfg.h).
//
//   Config[2][224]       two banks; a thread uses the one its CFG_STATE_ID names; from register 180
//                        on the banks are one
//   ThreadConfig[3][68]  16 bits each, one bank per thread
//
// Programs of another machine have other registers (units/isa/machine.h): ts_cfg_changes says which of these words a write
// of one of theirs changes, and keeps it as they read it.
//
// Units read fields with TS_CFG and TS_THD of units/isa/cfgregs.h. A thread's `generation` changes with
// every write that its instructions can see: a unit may keep what it derived from the configuration
// while the generation stays. Exception: registers that kernels write for every tile (addresses in
// L1, the halves of Dst, the unpackers' contexts). A unit reads those when an instruction needs them.
//
// Source: tt-isa-documentation BlackholeA0/BackendConfiguration.md.
#pragma once

#include "units/isa/machine.h"

struct ts_cfg {
    uint32_t bank[2][TS_CFG_ALL];
    uint16_t thd[TS_THREADS][TS_THD_ALL];
    uint32_t generation[TS_THREADS];
    uint32_t mask[TS_CFG_ALL]; // bits that exist
    const struct ts_machine *machine;
    uint32_t program[2][TS_CFG_WORDS]; // registers of another machine
};

void ts_cfg_init(struct ts_cfg *self, const struct ts_machine *machine);

static inline unsigned ts_cfg_state(const struct ts_cfg *self, unsigned thread)
{
    return TS_THD(self->thd[thread], CFG_STATE_ID_StateID);
}
// The Config bank that a thread uses now.
static inline const uint32_t *ts_cfg_of(const struct ts_cfg *self, unsigned thread)
{
    return self->bank[ts_cfg_state(self, thread)];
}

// The context whose base address of an unpacker the register is; -1: it is none.
static inline int ts_cfg_base_context(unsigned unpacker, unsigned addr)
{
    unsigned base = unpacker ? TS_CFG_ADDR_THCON_SEC1_REG3_Base_address
                             : TS_CFG_ADDR_THCON_SEC0_REG3_Base_address;
    return addr >= base && addr < base + 8 ? (int)(addr - base) : -1;
}

// Writes one register of a bank, with the hardware's side effects at special addresses. `reset`: a
// write to STATE_RESET_EN clears the bank (every write does, except RMWCIB).
void ts_cfg_write(struct ts_cfg *self, unsigned bank, unsigned addr, uint32_t value, bool reset);
// Writes a thread's own register.
void ts_cfg_write_thd(struct ts_cfg *self, unsigned thread, unsigned addr, uint16_t value);
// A program writes one of its registers: the words that change. Call ts_cfg_write for each.
#define TS_CFG_CHANGES 4
struct ts_cfg_change {
    unsigned addr;
    uint32_t value;
};
unsigned ts_cfg_rewrite(struct ts_cfg *self, unsigned bank, unsigned addr, uint32_t value,
                        struct ts_cfg_change change[TS_CFG_CHANGES]);
static inline unsigned ts_cfg_changes(struct ts_cfg *self, unsigned bank, unsigned addr,
                                      uint32_t value, struct ts_cfg_change change[TS_CFG_CHANGES])
{
    if (__builtin_expect(self->machine->cfg != NULL, 0))
        return ts_cfg_rewrite(self, bank, addr, value, change);
    change[0] = (struct ts_cfg_change){addr, value};
    return 1;
}
// A register as programs read it.
static inline uint32_t ts_cfg_register(const struct ts_cfg *self, unsigned bank, unsigned addr)
{
    return __builtin_expect(self->machine->cfg != NULL, 0) ? self->program[bank][addr]
                                                           : self->bank[bank][addr];
}
// Words of a bank are 0 again, from `first` on.
void ts_cfg_clear(struct ts_cfg *self, unsigned bank, unsigned first);
// Registers were written in another way.
void ts_cfg_changed(struct ts_cfg *self);
