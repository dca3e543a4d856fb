// units/lint.c: see lint.h.
#include "units/lint.h"

#define PACK_ADDRESS TS_CFG_ADDR_THCON_SEC0_REG1_L1_Dest_addr

// Cycles after which a core's store to the configuration has certainly arrived: its queue has four
// entries, and a store takes less than eight cycles (assumed).
#define LONG_AGO 32

// Conditions of STALLWAIT.
enum { C_SCALAR = 1 << 0, C_TRISC_CFG = 1 << 10 };

// ---- Dst

bool ts_lint_dst(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                 unsigned block, ts_cycle now)
{
    return ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_DST_OVERWRITTEN,
                            "%s, Dst rows %u to %u: %u posts of MATH_PACK, %u gets",
                            ts_insn_text(in).text, 8 * block, 8 * block + 7, tensix->lint.posts,
                            tensix->lint.gets);
}

// ---- configuration

// The unit that reads a register while it works; 0: none that is tracked.
static unsigned user_of(unsigned addr)
{
    const unsigned sec1 = TS_CFG_ADDR_THCON_SEC1_REG0_TileDescriptor -
                          TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor;
    const unsigned sec0 = TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor;
    if ((addr >= TS_CFG_ADDR_PCK0_ADDR_CTRL_XY_REG_0_Xstride &&
         addr <= TS_CFG_ADDR_PCK_EDGE_TILE_FACE_SET_SELECT_select) ||
        (addr >= sec0 + 4 && addr < sec0 + 8))
        return TS_LINT_PACK;
    if (addr == 44 || addr == 45 || (addr >= sec0 && addr < sec0 + 4) ||
        (addr >= sec0 + 8 && addr < sec0 + 20))
        return TS_LINT_UNPACK0;
    if (addr == 46 || addr == 47 || (addr >= sec0 + sec1 && addr < sec0 + sec1 + 4) ||
        (addr >= sec0 + sec1 + 8 && addr < sec0 + sec1 + 20))
        return TS_LINT_UNPACK1;
    return 0;
}

// The context whose unpacker base address this is; -1 if it is not one.
static int context_of(unsigned user, unsigned addr)
{
    const unsigned sec1 = TS_CFG_ADDR_THCON_SEC1_REG0_TileDescriptor -
                          TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor;
    unsigned base = TS_CFG_ADDR_THCON_SEC0_REG3_Base_address + (user == TS_LINT_UNPACK1 ? sec1 : 0);
    return user != TS_LINT_PACK && addr >= base && addr < base + 8 ? (int)(addr - base) : -1;
}

static const char *by_name(unsigned by)
{
    static const char *const names[] = {"T0",       "T1",     "T2",    "?",     "the NoC",
                                        "the host", "?",      "?",     "brisc", "trisc0",
                                        "trisc1",   "trisc2", "ncrisc"};
    by &= ~(unsigned)TS_BY_LATE;
    return by < sizeof names / sizeof *names ? names[by] : "?";
}

bool ts_lint_config(struct ts_tensix *tensix, struct ts_component *component, unsigned by,
                    unsigned bank, unsigned addr, uint32_t value, ts_cycle now)
{
    unsigned user = user_of(addr);
    if (__builtin_expect(user == 0, 1) || tensix->cfg.bank[bank][addr] == value)
        return true;
    unsigned id = user == TS_LINT_PACK      ? TS_UNIT_PACK
                  : user == TS_LINT_UNPACK0 ? TS_UNIT_UNPACK0
                                            : TS_UNIT_UNPACK1;
    const struct ts_unit *unit = tensix->unit[id];
    if (addr == PACK_ADDRESS) {
        // A PACR takes its address when it starts: in order behind it, a write is safe once the
        // stream is closed. A core's store is not ordered with anything.
        bool core = by >= TS_BY_CORE && !(by & TS_BY_LATE) && unit && unit->busy_until[2] > now;
        if (!tensix->lint.pack_open && !core)
            return true;
        return ts_tensix_report(tensix, component, by, now, TS_REPORT_PACK_ADDRESS,
                                "0x%x -> 0x%x by %s%s", tensix->cfg.bank[bank][addr], value,
                                by_name(by),
                                core ? " while it packs" : " before the last PACR of its stream");
    }
    int context = context_of(user, addr);
    if (context >= 0) {
        // An UNPACR takes its address when it starts. In order behind it a write is safe; a core's
        // store is not ordered with its earlier pushes.
        unsigned thread = by - TS_BY_CORE - 1;
        if (by < TS_BY_CORE || by & TS_BY_LATE || thread >= TS_THREADS || !tensix->hooks.awaits ||
            !tensix->hooks.awaits(tensix->hooks.tile, thread, user == TS_LINT_UNPACK1,
                                  (unsigned)context, now))
            return true;
        return ts_tensix_report(tensix, component, by, now, TS_REPORT_CONFIG_IN_USE,
                                "register %u: 0x%x -> 0x%x by %s; an UNPACR of T%u that was pushed "
                                "before has not taken it yet",
                                addr, tensix->cfg.bank[bank][addr], value, by_name(by), thread);
    }
    if (!unit)
        return true;
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (unit->busy_until[t] > now && ts_cfg_state(&tensix->cfg, t) == bank)
            return ts_tensix_report(tensix, component, by, now, TS_REPORT_CONFIG_IN_USE,
                                    "register %u: 0x%x -> 0x%x by %s; %s works for T%u", addr,
                                    tensix->cfg.bank[bank][addr], value, by_name(by),
                                    ts_unit_name(id), t);
    return true;
}

void ts_lint_config_later(struct ts_tensix *tensix, unsigned addr, unsigned count, ts_cycle due)
{
    if (addr <= PACK_ADDRESS && PACK_ADDRESS < addr + count)
        tensix->lint.address_due = due;
}

void ts_lint_config_stored(struct ts_tensix *tensix, unsigned thread, unsigned addr, ts_cycle now)
{
    unsigned user = user_of(addr);
    if (!user || !tensix->hooks.pushed)
        return;
    tensix->lint.dirty[thread] |= (uint8_t)user;
    tensix->lint.dirty_from[thread] = tensix->hooks.pushed(tensix->hooks.tile, thread, false);
    tensix->lint.dirty_at[thread] = now;
}

// Is the word at the thread's gate younger than the core's last store to the configuration?
static bool behind_store(const struct ts_tensix *tensix, unsigned thread)
{
    uint32_t at = tensix->hooks.pushed(tensix->hooks.tile, thread, true);
    return at != UINT32_MAX && (int32_t)(at - tensix->lint.dirty_from[thread]) >= 0;
}

void ts_lint_stallwait(struct ts_tensix *tensix, unsigned thread, unsigned conditions)
{
    if (conditions & C_SCALAR)
        tensix->lint.exponents[thread] = false;
    if (conditions & C_TRISC_CFG && tensix->lint.dirty[thread] && behind_store(tensix, thread))
        tensix->lint.dirty[thread] = 0;
}

bool ts_lint_uses_config(struct ts_tensix *tensix, struct ts_component *component,
                         struct ts_word in, unsigned user, ts_cycle now)
{
    if (!behind_store(tensix, in.thread))
        return true;
    tensix->lint.dirty[in.thread] &= (uint8_t)~user; // once a store
    bool idiom = user == TS_LINT_PACK && now >= tensix->lint.dirty_at[in.thread] + LONG_AGO;
    return ts_tensix_report(tensix, component, in.thread, now,
                            idiom ? TS_REPORT_CONFIG_LONG_AGO : TS_REPORT_CONFIG_NOT_WAITED, "%s",
                            ts_insn_text(in).text);
}

// ---- packer

bool ts_lint_pack_opens(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                        ts_cycle now)
{
    if (tensix->lint.address_due < now)
        return true;
    return ts_tensix_report(
        tensix, component, in.thread, now, TS_REPORT_PACK_ADDRESS,
        "starts with the old address, WRCFG has not arrived (a DMANOP is missing): %s",
        ts_insn_text(in).text);
}

bool ts_lint_zeroacc(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                     ts_cycle now)
{
    if (!tensix->lint.exponents[in.thread])
        return true;
    tensix->lint.exponents[in.thread] = false;
    return ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_ZEROACC_EXPONENTS, "%s",
                            ts_insn_text(in).text);
}

// ---- units

bool ts_lint_two_threads(struct ts_tensix *tensix, struct ts_unit *unit, struct ts_word in,
                         unsigned other, ts_cycle now)
{
    return ts_tensix_report(tensix, &unit->component, in.thread, now, TS_REPORT_TWO_THREADS,
                            "%s enters %s, which works for T%u", ts_insn_text(in).text,
                            ts_unit_name(unit->ops->id), other);
}
