// units/cfg.c: see cfg.h.
#include "units/cfg.h"

#include "units/lint.h"

// ---- the pipeline

#define STAGE(s)            (1u << ((s) + 4))
#define STAGES(first, last) (STAGE((last) + 1) - STAGE(first))

// The stages occupied in this cycle.
static unsigned occupied(const struct ts_cfg_unit *self, ts_cycle now)
{
    ts_cycle age = now - self->pipe_cycle;
    return age > 5 ? 0 : (unsigned)self->pipe << age & 0x3f;
}

// May an instruction enter at this stage? Not if the stage or any lower one from -3 on is occupied;
// stage -4 stalls nothing, which is a hardware bug.
static bool may_enter(const struct ts_cfg_unit *self, int stage, ts_cycle now)
{
    unsigned in_the_way = stage == -4 ? STAGE(-4) : STAGES(-3, stage);
    return !(occupied(self, now) & in_the_way);
}

static void enter(struct ts_cfg_unit *self, unsigned stages, ts_cycle now)
{
    self->pipe = (uint8_t)(occupied(self, now) | stages);
    self->pipe_cycle = now;
}

static struct ts_cfg_unit_pending *later(struct ts_cfg_unit *self, struct ts_word in,
                                         unsigned cycles, ts_cycle now)
{
    struct ts_cfg_unit_pending *p = &self->pending[self->pending_count++];
    *p = (struct ts_cfg_unit_pending){
        .due = now + cycles,
        .op = in.op,
        .thread = in.thread,
        .bank = (uint8_t)ts_cfg_state(&self->tensix->cfg, in.thread),
        .count = 1,
    };
    ts_wake(&self->unit.component, p->due);
    return p;
}

static void put_word(struct ts_cfg_unit *self, unsigned by, unsigned bank, unsigned addr,
                     uint32_t value, ts_cycle now)
{
    ts_lint_config(self->tensix, &self->unit.component, by, bank, addr, value, now);
    ts_tensix_configure(self->tensix, by, bank, addr, value, true, now);
}

// A register of another machine's program.
static TS_SLOW_PATH void put_rewritten(struct ts_cfg_unit *self, unsigned by, unsigned bank,
                                       unsigned addr, uint32_t value, ts_cycle now)
{
    struct ts_cfg_change change[TS_CFG_CHANGES];
    const unsigned count = ts_cfg_rewrite(&self->tensix->cfg, bank, addr, value, change);
    for (unsigned i = 0; i < count; i++)
        put_word(self, by, bank, change[i].addr, change[i].value, now);
}

// `addr` is a program's register.
static void put(struct ts_cfg_unit *self, unsigned by, unsigned bank, unsigned addr, uint32_t value,
                ts_cycle now)
{
    if (__builtin_expect(self->tensix->cfg.machine->cfg != NULL, 0))
        put_rewritten(self, by, bank, addr, value, now);
    else
        put_word(self, by, bank, addr, value, now);
}

static bool no_register(const struct ts_cfg_unit *self, unsigned addr)
{
    return addr >= self->tensix->cfg.machine->cfg_words;
}

static void happen(struct ts_cfg_unit *self, const struct ts_cfg_unit_pending *p, ts_cycle now)
{
    if (p->op == TS_OP_RDCFG)
        self->tensix->deferred.gpr[p->thread][p->addr] = p->value[0];
    else if (p->base) // nobody else has to know
        ts_cfg_write(&self->tensix->cfg, p->bank, p->addr, p->value[0], true);
    else
        for (unsigned k = 0; k < p->count; k++)
            put(self, p->thread | TS_BY_LATE, p->bank, p->addr + k, p->value[k], now);
}

// What is due before `end` happens.
static void happen_before(struct ts_cfg_unit *self, ts_cycle end, ts_cycle now)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < self->pending_count; i++) {
        const struct ts_cfg_unit_pending *p = &self->pending[i];
        if (p->due < end)
            happen(self, p, now);
        else
            self->pending[kept++] = *p;
    }
    self->pending_count = (uint8_t)kept;
}

void ts_cfg_unit_settle(struct ts_cfg_unit *self, ts_cycle now)
{
    ts_tensix_late(self->tensix, now); // of SCALAR, too
    happen_before(self, TS_NEVER, now);
}

static uint32_t rotate_right(uint32_t x, unsigned n)
{
    return n ? x << (32 - n) | x >> n : x;
}

static bool rmwcib(struct ts_cfg_unit *self, struct ts_word in, unsigned byte, ts_cycle now)
{
    struct ts_args_RMWCIB0 a = ts_decode_RMWCIB0(in.word);
    if (no_register(self, a.cfg_reg_addr))
        return ts_unit_breach(&self->unit, in, now, "no such configuration register");
    struct ts_cfg *cfg = &self->tensix->cfg;
    unsigned bank = ts_cfg_state(cfg, in.thread);
    uint32_t mask = a.mask << 8 * byte, data = a.data << 8 * byte;
    uint32_t value = (ts_cfg_register(cfg, bank, a.cfg_reg_addr) & ~mask) | (data & mask);
    struct ts_cfg_change change[TS_CFG_CHANGES];
    const unsigned count = ts_cfg_changes(cfg, bank, a.cfg_reg_addr, value, change);
    for (unsigned i = 0; i < count; i++) {
        const unsigned addr = change[i].addr;
        if (!ts_lint_config(self->tensix, &self->unit.component, in.thread, bank, addr,
                            change[i].value, now))
            return false;
        ts_lint_config_written(self->tensix, in.thread, addr, now);
        ts_tensix_configure(self->tensix, in.thread, bank, addr, change[i].value, false, now);
    }
    enter(self, STAGE(0), now);
    return true;
}

// CFGSHIFTMASK's operations.
static uint32_t combined(unsigned operation, uint32_t value, uint32_t operand)
{
    const uint32_t results[] = {value | operand,  value & operand,  value ^ operand,
                                value + operand,  value | ~operand, value & ~operand,
                                value ^ ~operand, value - operand};
    return results[operation & 7];
}

// ---- cores and the mover

bool ts_cfg_unit_external_accept(const struct ts_cfg_unit *self, ts_cycle now, struct ts_hold *hold)
{
    return may_enter(self, 0, now) ||
           ts_held(hold, TS_STALL_CFG_PIPE, &self->unit.component.object, now + 1);
}

bool ts_cfg_unit_external_read(struct ts_cfg_unit *self, uint32_t word, uint32_t *value,
                               ts_cycle now)
{
    const struct ts_cfg *cfg = &self->tensix->cfg;
    const unsigned words = cfg->machine->cfg_words, thd = cfg->machine->thd_words;
    if (word >= 3 * words + TS_THREADS * thd)
        return false;
    ts_cfg_unit_settle(self, now);
    if (word < 2 * words)
        *value = ts_cfg_register(cfg, word / words, word % words);
    else if (word < 3 * words)
        *value = ts_cfg_register(cfg, 0, word - 2 * words);
    else
        *value = cfg->thd[(word - 3 * words) / thd]
                         [ts_machine_thread(cfg->machine, (word - 3 * words) % thd)];
    enter(self, STAGE(0), now);
    self->riscv_reads++;
    return true;
}

bool ts_cfg_unit_external_write(struct ts_cfg_unit *self, unsigned by, uint32_t word,
                                uint32_t value, ts_cycle now)
{
    const unsigned words = self->tensix->cfg.machine->cfg_words;
    if (word >= 3 * words)
        return false;
    ts_cfg_unit_settle(self, now);
    put(self, by, word / words == 1, word % words, value, now);
    if (word >= 2 * words)
        ts_tensix_program(self->tensix, by, 1, word % words, value, now);
    enter(self, STAGE(0), now);
    self->riscv_writes++;
    return true;
}

// ---- instructions

static bool ts_cfg_WRCFG(struct ts_cfg_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_WRCFG a = ts_decode_WRCFG(in.word);
    if (no_register(self, a.cfg_reg))
        return ts_unit_breach(&self->unit, in, now, "no such configuration register");
    const uint32_t *gpr = ts_tensix_gprs(self->tensix, in.thread, now);
    struct ts_cfg_unit_pending *p = later(self, in, 1, now);
    p->base = !a.wr128b && self->tensix->cfg.machine->cfg == NULL &&
              (ts_cfg_base_context(0, a.cfg_reg) >= 0 || ts_cfg_base_context(1, a.cfg_reg) >= 0);
    if (a.wr128b) {
        p->count = 4;
        p->addr = (uint16_t)(a.cfg_reg & ~3u);
        memcpy(p->value, &gpr[a.gpr_address & ~3u], sizeof p->value);
    } else {
        p->addr = (uint16_t)a.cfg_reg;
        p->value[0] = gpr[a.gpr_address];
    }
    enter(self, STAGE(-1), now);
    const struct ts_machine *machine = self->tensix->cfg.machine;
    return ts_lint_wrcfg(self->tensix, &self->unit.component, in,
                         machine->cfg ? ts_machine_home(machine, p->addr) : p->addr, p->count,
                         p->due);
}

static bool ts_cfg_RDCFG(struct ts_cfg_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_RDCFG a = ts_decode_RDCFG(in.word);
    if (no_register(self, a.cfg_reg))
        return ts_unit_breach(&self->unit, in, now, "no such configuration register");
    struct ts_cfg_unit_pending *p = later(self, in, 1, now);
    p->addr = (uint16_t)a.gpr_address;
    p->value[0] = ts_cfg_register(&self->tensix->cfg, p->bank, a.cfg_reg);
    if (ts_machine_has(self->tensix->cfg.machine, TS_RULE_rdcfg_holds))
        self->tensix->closed[in.thread] = (struct ts_closed){p->due + 1, TS_STALL_CFG_PIPE,
                                                             &self->unit.component.object};
    enter(self, STAGE(0), now);
    return true;
}

static bool ts_cfg_SETC16(struct ts_cfg_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_SETC16 a = ts_decode_SETC16(in.word);
    if (a.setc16_reg >= (self->tensix->cfg.machine->thd ? TS_THD_ALL : TS_THD_WORDS))
        return ts_unit_breach(&self->unit, in, now, "no such thread configuration register");
    bool bias = (a.setc16_reg >= TS_THD_ADDR_ADDR_MOD_BIAS_SEC0_BiasIncr &&
                 a.setc16_reg <= TS_THD_ADDR_ADDR_MOD_BIAS_SEC7_BiasIncr &&
                 !ts_machine_has(self->tensix->cfg.machine, TS_RULE_bias_bit)) ||
                (a.setc16_reg >= TS_THD_ADDR_ADDR_MOD_AB_SEC0_BiasCntIncr &&
                 a.setc16_reg <= TS_THD_ADDR_ADDR_MOD_AB_SEC7_BiasCntIncr);
    bool ab2 = a.setc16_reg >= TS_THD_ADDR_ADDR_MOD_AB2_SEC0_SrcAIncr &&
               a.setc16_reg <= TS_THD_ADDR_ADDR_MOD_AB2_SEC7_SrcAIncr;
    if ((bias || ab2) && a.setc16_value)
        return ts_unit_refuse(&self->unit, in, now,
                              bias ? "not implemented: ADDR_MOD_BIAS"
                                   : "not implemented: ADDR_MOD_AB2");
    ts_tensix_configure_thread(self->tensix, in.thread, a.setc16_reg, (uint16_t)a.setc16_value);
    return true;
}

#define RMWCIB(byte)                                                                           \
    static bool ts_cfg_RMWCIB##byte(struct ts_cfg_unit *self, struct ts_word in, ts_cycle now) \
    {                                                                                          \
        return rmwcib(self, in, byte, now);                                                    \
    }
RMWCIB(0)
RMWCIB(1)
RMWCIB(2)
RMWCIB(3)

static bool ts_cfg_STREAMWRCFG(struct ts_cfg_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_STREAMWRCFG a = ts_decode_STREAMWRCFG(in.word);
    const struct ts_tensix_hooks *hooks = &self->tensix->hooks;
    if (no_register(self, a.cfg_reg))
        return ts_unit_breach(&self->unit, in, now, "no such configuration register");
    if (!hooks->overlay_read)
        return ts_unit_refuse(&self->unit, in, now, "not implemented: NoC overlay streams");
    const uint16_t *thd = self->tensix->cfg.thd[in.thread];
    unsigned stream = thd[TS_THD_ADDR_STREAM_ID_SYNC_SEC0_BankSel + a.stream_id_sel] & 0x3f;
    struct ts_cfg_unit_pending *p = later(self, in, 4, now);
    p->addr = (uint16_t)a.cfg_reg;
    p->value[0] = hooks->overlay_read(hooks->tile, stream, a.stream_reg_addr);
    enter(self, STAGE(-4), now);
    return true;
}

static bool ts_cfg_CFGSHIFTMASK(struct ts_cfg_unit *self, struct ts_word in, ts_cycle now)
{
    struct ts_args_CFGSHIFTMASK a = ts_decode_CFGSHIFTMASK(in.word);
    if (no_register(self, a.cfg_reg))
        return ts_unit_breach(&self->unit, in, now, "no such configuration register");
    struct ts_cfg_unit_pending *p = later(self, in, 1, now);
    const uint32_t *bank = self->tensix->cfg.bank[p->bank];
    unsigned scratch = a.scratch_sel < 3 ? a.scratch_sel : in.thread;
    uint32_t mask = (2u << a.mask_width) - 1;
    uint32_t operand = rotate_right(bank[TS_CFG_ADDR_SCRATCH_SEC0_val + scratch] & mask,
                                    a.right_cshift_amt);
    uint32_t value = bank[a.cfg_reg];
    if (!a.disable_mask_on_old_val)
        value &= ~rotate_right(mask, a.right_cshift_amt);
    p->addr = (uint16_t)a.cfg_reg;
    p->value[0] = combined(a.operation, value, operand);
    // Two cycles in stage 0, and stage -1 is closed in the first: the closed place moves up with
    // it.
    enter(self, STAGE(-1) | STAGE(0), now);
    return true;
}

// ---- the unit

static bool cfg_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                       struct ts_hold *hold)
{
    const struct ts_cfg_unit *self = (const struct ts_cfg_unit *)unit;
    if (in.op == TS_OP_SETC16)
        return true;
    int stage = in.op == TS_OP_WRCFG ? -1 : in.op == TS_OP_STREAMWRCFG ? -4 : 0;
    return may_enter(self, stage, now) ||
           ts_held(hold, TS_STALL_CFG_PIPE, &unit->component.object, now + 1);
}

static bool cfg_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    static const uint8_t cycles[256] = {
        [TS_OP_SETC16] = 1,       [TS_OP_WRCFG] = 2,   [TS_OP_RDCFG] = 2,
        [TS_OP_CFGSHIFTMASK] = 2, [TS_OP_RMWCIB0] = 1, [TS_OP_RMWCIB1] = 1,
        [TS_OP_RMWCIB2] = 1,      [TS_OP_RMWCIB3] = 1, [TS_OP_STREAMWRCFG] = 5,
    };
    ts_cycle until = now + cycles[in.op];
    if (until > unit->busy_until[in.thread])
        unit->busy_until[in.thread] = until;
    ts_unit_worked(unit, now, 1);
    switch (in.op) {
#define TS_OP_CFG(...) TS_CASE(cfg, ((struct ts_cfg_unit *)unit, in, now), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return ts_unit_unspecified(unit, in, now);
}

static ts_step cfg_step(struct ts_component *component, ts_cycle now)
{
    struct ts_cfg_unit *self = (struct ts_cfg_unit *)component;
    happen_before(self, now + 1, now);
    ts_cycle next = TS_NEVER;
    for (unsigned i = 0; i < self->pending_count; i++)
        if (self->pending[i].due < next)
            next = self->pending[i].due;
    ts_step step = ts_idle(component, now);
    if (next != TS_NEVER)
        ts_wake(component, next);
    return step;
}

static const struct ts_unit_ops cfg_ops = {
    .id = TS_UNIT_CFG,
    .accept = cfg_accept,
    .start = cfg_start,
};

static const struct ts_counter cfg_counters[] = {
    TS_UNIT_COUNTER,
    {"riscv_reads", "accesses", "loads of cores", offsetof(struct ts_cfg_unit, riscv_reads)},
    {"riscv_writes", "accesses", "stores of cores and of the mover",
     offsetof(struct ts_cfg_unit, riscv_writes)},
    {0},
};

static const struct ts_component_ops cfg_component = {
    .kind = "unit",
    .step = cfg_step,
    .counters = cfg_counters,
};

void ts_cfg_unit_init(struct ts_cfg_unit *self, struct ts_tensix *tensix, struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &cfg_ops, &cfg_component, tensix, domain, "cfg");
    self->tensix = tensix;
}
