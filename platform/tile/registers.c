// Registers of the coprocessor in the cores' address space: GPRs, backend configuration, TDMA-RISC
// and Dst (windows.h).
//
// Source: tt-isa-documentation BlackholeA0/TensixTile/BabyRISCV/README.md (memory map),
//   AutoTTSync.md, TDMA-RISC.md, Dst.md.
#include "platform/tile/windows.h"

#include "platform/tile/lints.h"
#include "units/lint.h"

// ---- GPRs: a TRISC sees its own 64, BRISC all 192

static uint32_t *gpr_of(struct ts_tile *self, unsigned core, uint32_t address, ts_cycle now)
{
    unsigned index = (address & 0xfff) / 4, first = ts_is_trisc(core) ? core - TS_RV_TRISC0 : 0;
    if (index >= (ts_is_trisc(core) ? TS_GPRS : TS_THREADS * TS_GPRS))
        return NULL;
    return &ts_tensix_gprs(&self->tensix, first + index / TS_GPRS, now)[index % TS_GPRS];
}

TS_WINDOW_LOAD(ts_gpr_load)
{
    struct ts_tile *self = tile;
    (void)size;
    const uint32_t *gpr = gpr_of(self, core, address, now);
    if (!gpr)
        return ts_tile_refuse(reply, TS_CONTRACT, "no GPR at 0x%08x", address);
    if (ts_window_tracked(self, core, TS_TRACK_GPR, false, now, reply))
        return TS_RV_WAIT;
    ts_cfg_unit_settle(&self->cfg, now);
    reply->value = *gpr;
    ts_window_narrow(reply, address);
    return TS_RV_DONE;
}

TS_WINDOW_STORE(ts_gpr_store)
{
    struct ts_tile *self = tile;
    (void)size, (void)count;
    uint32_t *gpr = gpr_of(self, core, address, now);
    if (!gpr)
        return ts_tile_refuse(reply, TS_CONTRACT, "no GPR at 0x%08x", address);
    if (ts_window_tracked(self, core, TS_TRACK_GPR, true, now, reply))
        return TS_RV_WAIT;
    ts_cfg_unit_settle(&self->cfg, now);
    *gpr = words[0];
    return TS_RV_DONE;
}

// ---- backend configuration

static unsigned cfg_resources(const struct ts_machine *machine, uint32_t word)
{
    unsigned both = TS_TRACK_CFG0 | TS_TRACK_CFG1;
    if (word >= 2u * machine->cfg_words || word % machine->cfg_words >= machine->cfg_global)
        return both;
    return word < machine->cfg_words ? TS_TRACK_CFG0 : TS_TRACK_CFG1;
}

TS_WINDOW_LOAD(ts_cfg_load)
{
    struct ts_tile *self = tile;
    (void)size;
    uint32_t word = (address & 0xffff) / 4;
    if (ts_window_tracked(self, core, cfg_resources(self->tensix.cfg.machine, word), false, now,
                          reply))
        return TS_RV_WAIT;
    struct ts_hold hold;
    bool goes = ts_cfg_unit_external_accept(&self->cfg, now, &hold);
    if (!ts_cfg_unit_external_read(&self->cfg, word, &reply->value, now))
        return ts_tile_refuse(reply, TS_CONTRACT, "no configuration register at 0x%08x", address);
    if (ts_is_trisc(core)) // the core's stores are complete
        self->tensix.lint.dirty[core - TS_RV_TRISC0] = 0;
    ts_window_narrow(reply, address);
    return goes ? TS_RV_DONE : ts_window_held(&hold, now, reply);
}

TS_WINDOW_STORE(ts_cfg_store)
{
    struct ts_tile *self = tile;
    (void)size, (void)count;
    uint32_t word = (address & 0xffff) / 4;
    if (ts_window_tracked(self, core, cfg_resources(self->tensix.cfg.machine, word), true, now,
                          reply))
        return TS_RV_WAIT;
    struct ts_hold hold;
    bool goes = ts_cfg_unit_external_accept(&self->cfg, now, &hold);
    const struct ts_machine *machine = self->tensix.cfg.machine;
    if (ts_is_trisc(core) && word < 3u * machine->cfg_words)
        ts_lint_config_stored(&self->tensix, core - TS_RV_TRISC0,
                              ts_machine_home(machine, word % machine->cfg_words), now);
    if (!ts_cfg_unit_external_write(&self->cfg, core < TS_RV_CORES ? TS_BY_CORE + core : TS_BY_NOC,
                                    word, words[0], now))
        return ts_tile_refuse(reply, TS_CONTRACT, "configuration at 0x%08x cannot be written",
                              address);
    return goes ? TS_RV_DONE : ts_window_held(&hold, now, reply);
}

// ---- TDMA-RISC

TS_WINDOW_LOAD(ts_tdma_load)
{
    struct ts_tile *self = tile;
    (void)size;
    if (ts_window_tracked(self, core, TS_TRACK_TDMA, false, now, reply))
        return TS_RV_WAIT;
    ts_promise_cut(&self->tensix, now);
    bool empty = false, busy = ts_unit_busy(&self->pack.unit, 2, now);
    if (!ts_mover_read(&self->mover, core, address & 0xffc, &reply->value, now) &&
        !ts_pack_tdma_read(&self->pack.state, &self->pack.setreg, busy, address & 0xffc,
                           &reply->value, &empty))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "load from 0x%08x: TDMA-RISC register",
                              address);
    struct ts_hold hold;
    if (empty) {
        ts_held(&hold, TS_STALL_FIFO_EMPTY, &self->pack.unit.component.object, TS_NEVER);
        return ts_window_held(&hold, now, reply);
    }
    ts_window_narrow(reply, address);
    return TS_RV_DONE;
}

TS_WINDOW_STORE(ts_tdma_store)
{
    struct ts_tile *self = tile;
    (void)size, (void)count;
    if (ts_window_tracked(self, core, TS_TRACK_TDMA, true, now, reply))
        return TS_RV_WAIT;
    struct ts_hold hold;
    if (!ts_mover_write_accept(&self->mover, address & 0xfff, &hold))
        return ts_window_held(&hold, now, reply);
    bool mine = ts_mover_write(&self->mover, core, address & 0xfff, words[0], now);
    if (!(ts_pack_tdma_write(&self->pack.state, &self->pack.setreg, address & 0xfff, words[0]) |
          mine))
        return ts_tile_refuse(reply, TS_NOT_IMPLEMENTED, "store to 0x%08x: TDMA-RISC register",
                              address);
    return TS_RV_DONE;
}

// ---- Dst as TRISCs see it

static bool dst_access(const struct ts_tile *self, unsigned core, unsigned *format,
                       bool *no_swizzle, bool *is_unsigned)
{
    if (!ts_is_trisc(core))
        return false;
    unsigned thread = core - TS_RV_TRISC0, shift = 14 + 5 * thread;
    uint32_t word = ts_cfg_of(&self->tensix.cfg, thread)[3];
    *no_swizzle = word >> shift & 1;
    *is_unsigned = word >> (shift + 1) & 1;
    *format = word >> (shift + 2) & 7;
    return true;
}

TS_WINDOW_LOAD(ts_dst_load)
{
    struct ts_tile *self = tile;
    unsigned format;
    bool no_swizzle, is_unsigned;
    if (!dst_access(self, core, &format, &no_swizzle, &is_unsigned) ||
        !ts_dst_risc_load(ts_files_dst(&self->files, now), address - 0xffbd8000u, size, format,
                          no_swizzle, is_unsigned, &reply->value))
        return ts_tile_refuse(reply, TS_CONTRACT, "load of %u bytes of Dst at 0x%08x", size,
                              address);
    return TS_RV_DONE;
}

TS_WINDOW_STORE(ts_dst_store)
{
    struct ts_tile *self = tile;
    unsigned format;
    bool no_swizzle, is_unsigned;
    (void)count;
    if (!dst_access(self, core, &format, &no_swizzle, &is_unsigned) ||
        !ts_dst_risc_store(ts_files_dst(&self->files, now), address - 0xffbd8000u, size, format,
                           no_swizzle, is_unsigned, words[0]))
        return ts_tile_refuse(reply, TS_CONTRACT, "store of %u bytes to Dst at 0x%08x", size,
                              address);
    self->tensix.lint.stored_at = now;
    if (self->tensix.lint.zeroacc_at == now)
        ts_tile_lint(self, TS_REPORT_ZEROACC_FLAGS, TS_BY_CORE + core, ts_store_pc(self, core), now,
                     "store to 0x%08x in the cycle of a ZEROACC", address);
    return TS_RV_DONE;
}
