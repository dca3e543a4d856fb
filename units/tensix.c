// units/tensix.c: see tensix.h.
#include "units/tensix.h"

void ts_tensix_init(struct ts_tensix *self, const struct ts_machine *machine, uint8_t *l1,
                    uint32_t l1_bytes)
{
    memset(self, 0, sizeof *self);
    self->timing = ts_tensix_timing_default;
    self->bits = ts_bits_all(TS_BITS_SILICON);
    self->lints = true;
    self->shown = ts_lints_default();
    self->writer = TS_BY_NOBODY;
    self->late = TS_NEVER;
    self->l1 = l1;
    self->l1_bytes = l1_bytes;
    ts_cfg_init(&self->cfg, machine);
}

void ts_tensix_later(struct ts_tensix *self, struct ts_domain *domain, ts_cycle due)
{
    if (due < self->late)
        self->late = due;
    ts_domain_happens(domain, due);
}

void ts_tensix_happen(struct ts_tensix *self, ts_cycle now)
{
    self->late = TS_NEVER; // what is due later says so again
    self->unit[TS_UNIT_SCALAR]->ops->happen(self->unit[TS_UNIT_SCALAR], now);
}

// ---- promises

static void apply(struct ts_tensix *self, ts_cycle to)
{
    const struct ts_promise *promise = self->promise;
    struct ts_unit *unit = self->unit[promise->unit];
    self->promise = NULL;
    if (to > promise->from)
        unit->ops->apply(unit, promise, to);
}

void ts_promise_stop(struct ts_tensix *self, ts_cycle now)
{
    const struct ts_promise *promise = self->promise;
    struct ts_component *front = self->front[promise->thread];
    const ts_cycle from = promise->from, due = from + promise->cycles;
    ts_cycle at = ts_runs_before(front) ? now : now + 1;
    at = at < from ? from : at > due ? due : at;
    apply(self, at);
    ts_recall(front, due, at);
}

void ts_promise_end(struct ts_tensix *self, unsigned thread)
{
    if (self->promise && self->promise->thread == thread)
        apply(self, self->promise->from + self->promise->cycles);
}

// Do words that can be promised use this register?
static bool promises_read(unsigned addr)
{
    return addr <= TS_CFG_ADDR_DEST_SP_BASE_Base ||
           addr == TS_CFG_ADDR_DEST_ACCESS_CFG_swizzle_32b || addr == TS_CFG_ADDR_STATE_RESET_EN ||
           addr == TS_CFG_ADDR_PRNG_SEED_Seed_Val;
}

void ts_tensix_configure(struct ts_tensix *self, unsigned by, unsigned bank, unsigned addr,
                         uint32_t value, bool reset, ts_cycle now)
{
    if (promises_read(addr))
        ts_promise_cut(self, now);
    ts_cfg_write(&self->cfg, bank, addr, value, reset);
    if (self->hooks.cfg_written)
        self->hooks.cfg_written(self->hooks.tile, by, addr, value, now);
}

void ts_tensix_program(struct ts_tensix *self, unsigned by, unsigned bank, unsigned addr,
                       uint32_t value, ts_cycle now)
{
    struct ts_cfg_change change[TS_CFG_CHANGES];
    const unsigned count = ts_cfg_changes(&self->cfg, bank, addr, value, change);
    for (unsigned i = 0; i < count; i++)
        ts_tensix_configure(self, by, bank, change[i].addr, change[i].value, true, now);
}

void ts_tensix_configure_thread(struct ts_tensix *self, unsigned thread, unsigned addr,
                                uint16_t value)
{
    ts_cfg_write_thd(&self->cfg, thread, addr, value);
}

bool ts_tensix_report(struct ts_tensix *self, struct ts_component *component, unsigned by,
                      ts_cycle now, enum ts_report report, const char *format, ...)
{
    ts_promise_cut(self, now);
    self->reports[report]++;
    if (!self->lints || !(self->shown >> report & 1) || (!self->strict && !self->hooks.report))
        return true;
    char detail[320];
    TS_VSNPRINTF(detail, sizeof detail, format);
    if (self->hooks.report)
        self->hooks.report(self->hooks.tile, report, by, now, detail);
    if (!self->strict || !(ts_lints_harmful() >> report & 1))
        return true;
    ts_fault(component, now, TS_CONTRACT, "%s: %s (%s)", ts_report_id(report),
             ts_report_name(report), detail);
    return false;
}

struct ts_insn_text ts_insn_text(struct ts_word in)
{
    struct ts_insn_text out;
    int n = snprintf(out.text, sizeof out.text, "T%u ", in.thread);
    ts_disasm_fields(in.word, out.text + n, sizeof out.text - (size_t)n);
    return out;
}

bool ts_unit_refuse(struct ts_unit *unit, struct ts_word in, ts_cycle now, const char *what)
{
    ts_fault(&unit->component, now, TS_NOT_IMPLEMENTED, "%s: %s", ts_insn_text(in).text, what);
    return false;
}

bool ts_unit_unspecified(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    return ts_unit_refuse(unit, in, now, "not implemented: no public specification");
}

bool ts_unit_breach(struct ts_unit *unit, struct ts_word in, ts_cycle now, const char *what)
{
    ts_fault(&unit->component, now, TS_CONTRACT, "%s: %s", ts_insn_text(in).text, what);
    return false;
}

// Condition bits of STALLWAIT that test whether a unit still works for the thread.
static const uint8_t condition_unit[13] = {
    [0] = TS_UNIT_SCALAR, [1] = TS_UNIT_UNPACK0, [2] = TS_UNIT_UNPACK1, [3] = TS_UNIT_PACK,
    [4] = TS_UNIT_MATRIX, [9] = TS_UNIT_MOVER,   [11] = TS_UNIT_VECTOR, [12] = TS_UNIT_CFG,
};

bool ts_tensix_conditions(const struct ts_tensix *tensix, unsigned thread, unsigned conditions,
                          ts_cycle now, ts_cycle *met, struct ts_hold *hold)
{
    *met = 0;
    for (unsigned mask = conditions & 0x1fff; mask; mask &= mask - 1) {
        unsigned c = (unsigned)__builtin_ctz(mask);
        const struct ts_unit *unit = tensix->unit[condition_unit[c]];
        if (condition_unit[c] != TS_UNIT_NONE) {
            if (!unit)
                continue;
            // C9 and C12 test all threads, the others this one.
            bool all = c == 9 || c == 12;
            for (unsigned t = all ? 0 : thread; t < (all ? TS_THREADS : thread + 1); t++) {
                ts_cycle until = unit->busy_until[t];
                if (until > now)
                    return ts_held(hold, TS_STALL_STALLWAIT, &unit->component.object, until);
                if (until > *met)
                    *met = until;
            }
        } else if (c != 10 && tensix->hooks.src_condition &&
                   !tensix->hooks.src_condition(tensix->hooks.tile, c, now, hold)) {
            return false;
        }
        // C10: accesses of the thread's core to GPRs and configuration take effect in program order
        // with its pushes in this model, so nothing is outstanding here.
    }
    return true;
}
