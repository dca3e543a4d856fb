// units/lint.c: see lint.h.
#include "units/lint.h"

#define PACK_ADDRESS TS_CFG_ADDR_THCON_SEC0_REG1_L1_Dest_addr

// Cycles after which a core's store to the configuration has certainly arrived: its queue has four
// entries, and a store takes less than eight cycles (assumed).
#define LONG_AGO 32

// Conditions of STALLWAIT.
enum {
    C_SCALAR = 1 << 0,
    C_MATRIX = 1 << 4,
    C_SRCA_VALID = 1 << 7,
    C_SRCB_VALID = 1 << 8,
    C_TRISC_CFG = 1 << 10
};
#define SRC_VALID ((unsigned)(C_SRCA_VALID | C_SRCB_VALID))

// clear_mode of ZEROACC: all of Dst.
#define CLEAR_ALL 3

// A move this many cycles behind a wait still relies on it (assumed: more words than the vendor's
// library has between them).
#define RELIES 16

// ---- Dst

static bool with_packer(struct ts_tensix *tensix, struct ts_component *component,
                        enum ts_report report, struct ts_word in, unsigned block, ts_cycle now)
{
    return ts_tensix_report(tensix, component, in.thread, now, report,
                            "%s, Dst rows %u to %u: %u posts of MATH_PACK, %u gets",
                            ts_insn_text(in).text, 8 * block, 8 * block + 7, tensix->lint.posts,
                            tensix->lint.gets);
}

bool ts_lint_dst(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                 unsigned block, ts_cycle now)
{
    return with_packer(tensix, component, TS_REPORT_DST_OVERWRITTEN, in, block, now);
}

bool ts_lint_dst_held(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                      unsigned block, ts_cycle now)
{
    return with_packer(tensix, component, TS_REPORT_DST_HELD, in, block, now);
}

// ---- configuration

// The unit that reads a register while it works; 0: none that is tracked.
#define SEC0 TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor
#define SEC1 TS_CFG_ADDR_THCON_SEC1_REG0_TileDescriptor
static const uint8_t user_of[TS_CFG_ALL] = {
    [TS_CFG_ADDR_PCK0_ADDR_CTRL_XY_REG_0_Xstride... TS_CFG_ADDR_PCK_EDGE_TILE_FACE_SET_SELECT_select] =
        TS_LINT_PACK,
    [SEC0 + 4 ... SEC0 + 7] = TS_LINT_PACK,
    [44 ... 45] = TS_LINT_UNPACK0,
    [SEC0... SEC0 + 3] = TS_LINT_UNPACK0,
    [SEC0 + 8 ... SEC0 + 19] = TS_LINT_UNPACK0,
    [46 ... 47] = TS_LINT_UNPACK1,
    [SEC1... SEC1 + 3] = TS_LINT_UNPACK1,
    [SEC1 + 8 ... SEC1 + 19] = TS_LINT_UNPACK1,
};

unsigned ts_lint_user(unsigned addr)
{
    static const uint8_t units[] = {[TS_LINT_UNPACK0] = TS_UNIT_UNPACK0,
                                    [TS_LINT_UNPACK1] = TS_UNIT_UNPACK1,
                                    [TS_LINT_PACK] = TS_UNIT_PACK};
    return addr < TS_CFG_ALL ? units[user_of[addr]] : TS_UNIT_NONE;
}

bool ts_lint_latched(unsigned addr)
{
    return addr == PACK_ADDRESS || ts_cfg_base_context(0, addr) >= 0 ||
           ts_cfg_base_context(1, addr) >= 0;
}

#define BIT_OF(field) (TS_FIELD_MASK(TS_CFG_BITS_##field) << TS_CFG_SHIFT_##field)

// Bits of ALU registers that the matrix or the vector unit uses while it works.
static uint32_t alu_bits(unsigned addr, unsigned unit)
{
    const uint32_t srcb = BIT_OF(ALU_FORMAT_SPEC_REG1_SrcB) |
                          BIT_OF(ALU_ACC_CTRL_SFPU_Fp32_enabled);
    bool matrix = unit == TS_UNIT_MATRIX;
    switch (addr) {
    case TS_CFG_ADDR_ALU_FORMAT_SPEC_REG_SrcA_val:
        return matrix ? UINT32_MAX
                      : BIT_OF(ALU_FORMAT_SPEC_REG_SrcB_val) |
                            BIT_OF(ALU_FORMAT_SPEC_REG_SrcB_override);
    case TS_CFG_ADDR_ALU_FORMAT_SPEC_REG1_SrcB:
        return matrix ? srcb | BIT_OF(ALU_ROUNDING_MODE_Fpu_srnd_en) |
                            BIT_OF(ALU_FORMAT_SPEC_REG0_SrcAUnsigned) |
                            BIT_OF(ALU_FORMAT_SPEC_REG0_SrcBUnsigned) |
                            BIT_OF(ALU_FORMAT_SPEC_REG0_SrcA) | BIT_OF(ALU_ACC_CTRL_Fp32_enabled) |
                            BIT_OF(ALU_ACC_CTRL_INT8_math_enabled)
                      : srcb;
    case TS_CFG_ADDR_ALU_ACC_CTRL_Zero_Flag_disabled_src:
        return matrix ? BIT_OF(ALU_ACC_CTRL_Zero_Flag_disabled_src) |
                            BIT_OF(ALU_ACC_CTRL_Zero_Flag_disabled_dst)
                      : 0;
    case TS_CFG_ADDR_DEST_ACCESS_CFG_swizzle_32b:
        return UINT32_MAX;
    default:
        return 0;
    }
}

// The thread that the unit works for with this bank of the configuration; -1: none.
static int works_for(const struct ts_tensix *tensix, unsigned id, unsigned bank, unsigned addr,
                     ts_cycle now)
{
    const struct ts_unit *unit = tensix->unit[id];
    for (unsigned t = 0; unit && t < TS_THREADS; t++)
        if (unit->busy_until[t] > now &&
            (addr >= TS_CFG_GLOBAL_BASE || ts_cfg_state(&tensix->cfg, t) == bank))
            return (int)t;
    return -1;
}

static const char *by_name(unsigned by)
{
    static const char *const names[] = {"T0",       "T1",     "T2",    "?",     "the NoC",
                                        "the host", "?",      "?",     "brisc", "trisc0",
                                        "trisc1",   "trisc2", "ncrisc"};
    by &= ~(unsigned)TS_BY_LATE;
    return by < sizeof names / sizeof *names ? names[by] : "?";
}

// ALU registers, and the seed.
static bool alu_written(struct ts_tensix *tensix, struct ts_component *component, unsigned by,
                        unsigned bank, unsigned addr, uint32_t value, ts_cycle now)
{
    static const uint8_t units[] = {TS_UNIT_MATRIX, TS_UNIT_VECTOR};
    uint32_t old = tensix->cfg.bank[bank][addr];
    if (addr == TS_CFG_ADDR_PRNG_SEED_Seed_Val && (by & ~(unsigned)TS_BY_LATE) < TS_THREADS)
        return ts_tensix_report(tensix, component, by, now, TS_REPORT_PRNG_SEED,
                                "register %u: 0x%x by %s", addr, value, by_name(by));
    for (unsigned i = 0; i < sizeof units; i++) {
        if (!((old ^ value) & alu_bits(addr, units[i])))
            continue;
        ts_promise_cut(tensix, now);
        int thread = works_for(tensix, units[i], bank, addr, now);
        // In order behind its own matrix instructions the vendor's kernels write, and it works.
        bool own = units[i] == TS_UNIT_MATRIX && thread == (int)(by & ~(unsigned)TS_BY_LATE);
        if (thread >= 0)
            return ts_tensix_report(tensix, component, by, now,
                                    own ? TS_REPORT_CONFIG_OWN_MATH : TS_REPORT_CONFIG_IN_USE,
                                    "register %u: 0x%x -> 0x%x by %s; %s works for T%d", addr, old,
                                    value, by_name(by), ts_unit_name(units[i]), thread);
    }
    return true;
}

bool ts_lint_config(struct ts_tensix *tensix, struct ts_component *component, unsigned by,
                    unsigned bank, unsigned addr, uint32_t value, ts_cycle now)
{
    unsigned user = user_of[addr];
    if (user == 0)
        return alu_written(tensix, component, by, bank, addr, value, now);
    if (tensix->cfg.bank[bank][addr] == value)
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
    int context = user == TS_LINT_PACK ? -1 : ts_cfg_base_context(user == TS_LINT_UNPACK1, addr);
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
    int thread = works_for(tensix, id, bank, addr, now);
    return thread < 0 || ts_tensix_report(tensix, component, by, now, TS_REPORT_CONFIG_IN_USE,
                                          "register %u: 0x%x -> 0x%x by %s; %s works for T%d", addr,
                                          tensix->cfg.bank[bank][addr], value, by_name(by),
                                          ts_unit_name(id), thread);
}

bool ts_lint_wrcfg(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                   unsigned addr, unsigned count, ts_cycle due)
{
    struct ts_lint *lint = &tensix->lint;
    unsigned first = ts_decode_WRCFG(in.word).gpr_address & ~(count - 1);
    unsigned result = lint->result[in.thread].gpr;
    if (addr <= PACK_ADDRESS && PACK_ADDRESS < addr + count)
        lint->address_due = due;
    for (unsigned k = 0; k < count; k++)
        ts_lint_config_written(tensix, in.thread, addr + k, due);
    // Words that the core pushed one by one come apart; those of a REPLAY have one push.
    if (result - 1 < first || result - 1 >= first + count ||
        tensix->closed[in.thread].until + 1 != due ||
        tensix->hooks.pushed(tensix->hooks.tile, in.thread, true) != lint->result[in.thread].pushed)
        return true;
    lint->result[in.thread].gpr = 0;
    return ts_tensix_report(tensix, component, in.thread, due - 1, TS_REPORT_REPLAY_WRCFG, "%s",
                            ts_insn_text(in).text);
}

void ts_lint_scalar(struct ts_tensix *tensix, unsigned thread, unsigned gpr)
{
    if (!tensix->hooks.pushed)
        return;
    tensix->lint.result[thread].gpr = (uint8_t)(gpr + 1);
    tensix->lint.result[thread].pushed = tensix->hooks.pushed(tensix->hooks.tile, thread, true);
}

void ts_lint_config_written(struct ts_tensix *tensix, unsigned thread, unsigned addr, ts_cycle now)
{
    unsigned tile0 = addr - TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor,
             tile1 = addr - TS_CFG_ADDR_THCON_SEC1_REG0_TileDescriptor;
    if (tile0 - 1 >= 3 && tile1 - 1 >= 3)
        return;
    tensix->lint.dirty[thread] |= tile0 - 1 < 3 ? TS_LINT_TILE0 : TS_LINT_TILE1;
    tensix->lint.tile_at[thread] = now;
}

void ts_lint_config_stored(struct ts_tensix *tensix, unsigned thread, unsigned addr, ts_cycle now)
{
    unsigned user = user_of[addr];
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

// A wait for a valid bank, without MATRIX, right behind a flip: it sees the bank before.
static void wait_for_bank(struct ts_tensix *tensix, unsigned thread, unsigned conditions,
                          ts_cycle now)
{
    struct ts_lint *lint = &tensix->lint;
    lint->early[thread] = 0;
    if (conditions & C_MATRIX)
        return;
    ts_cycle met;
    struct ts_hold hold;
    for (unsigned b = 0; b < 2; b++)
        if (conditions & (unsigned)C_SRCA_VALID << b && lint->flip_seen[b] > now &&
            ts_tensix_conditions(tensix, thread, conditions & ~SRC_VALID, now, &met, &hold)) {
            lint->early[thread] |= (uint8_t)(1u << b);
            lint->early_at[thread] = now;
        }
}

void ts_lint_stallwait(struct ts_tensix *tensix, unsigned thread, unsigned conditions, ts_cycle now)
{
    tensix->lint.result[thread].gpr = 0;
    tensix->lint.dirty[thread] &= (uint8_t) ~(TS_LINT_TILE0 | TS_LINT_TILE1);
    if (conditions & (SRC_VALID | C_MATRIX))
        wait_for_bank(tensix, thread, conditions, now);
    if (conditions & C_SCALAR)
        tensix->lint.exponents[thread] = false;
    if (conditions & C_TRISC_CFG && tensix->lint.dirty[thread] && behind_store(tensix, thread))
        tensix->lint.dirty[thread] = 0;
}

bool ts_lint_uses_config(struct ts_tensix *tensix, struct ts_component *component,
                         struct ts_word in, unsigned user, ts_cycle now)
{
    uint8_t *dirty = &tensix->lint.dirty[in.thread];
    if (*dirty & user << 3) { // once a write
        *dirty &= (uint8_t) ~(user << 3);
        if (now < tensix->lint.tile_at[in.thread] + LONG_AGO &&
            !ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_TILE_DESCRIPTOR, "%s",
                              ts_insn_text(in).text))
            return false;
    }
    if (!(*dirty & user) || !behind_store(tensix, in.thread))
        return true;
    *dirty &= (uint8_t)~user; // once a store
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
    struct ts_lint *lint = &tensix->lint;
    bool marks = ts_decode_ZEROACC(in.word).clear_zero_flags; // rows as not zero
    bool meets = !marks && now >= lint->unpacks_from && now < lint->unpacks_until;
    lint->zeroacc_at = now;
    if (lint->stored_at == now && !marks &&
        !ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_ZEROACC_FLAGS,
                          "%s, in the cycle of a core's store", ts_insn_text(in).text))
        return false;
    for (unsigned i = 0; i < 2 && (marks || meets); i++)
        lint->flags_lost[i] = meets ? lint->flags_lost[i] | lint->unpacks[i] : 0;
    // Silicon hangs where packs and clears of a part follow each other: the first one passes.
    if (!lint->exponents[in.thread] || ts_decode_ZEROACC(in.word).clear_mode == CLEAR_ALL)
        return true;
    lint->exponents[in.thread] = false;
    if (!lint->cleared[in.thread]) {
        lint->cleared[in.thread] = true;
        return true;
    }
    return ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_ZEROACC_EXPONENTS, "%s",
                            ts_insn_text(in).text);
}

// ---- rows of Dst

void ts_lint_unpacks_dst(struct ts_tensix *tensix, const uint64_t blocks[2], ts_cycle from,
                         ts_cycle until)
{
    struct ts_lint *lint = &tensix->lint;
    bool meets = lint->zeroacc_at >= from && lint->zeroacc_at < until;
    for (unsigned i = 0; i < 2; i++) {
        lint->unpacks[i] = blocks[i];
        lint->flags_lost[i] = meets ? lint->flags_lost[i] | blocks[i]
                                    : lint->flags_lost[i] & ~blocks[i];
    }
    lint->unpacks_from = from;
    lint->unpacks_until = until;
}

bool ts_lint_dst_lost(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                      unsigned block, ts_cycle now)
{
    memset(tensix->lint.flags_lost, 0, sizeof tensix->lint.flags_lost); // once a ZEROACC
    return ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_ZEROACC_FLAGS,
                            "%s, Dst rows %u to %u", ts_insn_text(in).text, 8 * block,
                            8 * block + 7);
}

// ---- banks

bool ts_lint_moves(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                   unsigned srcb, ts_cycle now)
{
    struct ts_lint *lint = &tensix->lint;
    if (!(lint->early[in.thread] >> srcb & 1) || now > lint->early_at[in.thread] + RELIES)
        return true;
    lint->early[in.thread] = 0; // once a wait
    return ts_tensix_report(tensix, component, in.thread, now, TS_REPORT_VLD_WITHOUT_MATH,
                            "%s; the wait at cycle %llu", ts_insn_text(in).text,
                            (unsigned long long)lint->early_at[in.thread]);
}

// ---- units

bool ts_lint_two_threads(struct ts_tensix *tensix, struct ts_unit *unit, struct ts_word in,
                         unsigned other, ts_cycle now)
{
    return ts_tensix_report(tensix, &unit->component, in.thread, now, TS_REPORT_TWO_THREADS,
                            "%s enters %s, which works for T%u", ts_insn_text(in).text,
                            ts_unit_name(unit->ops->id), other);
}
