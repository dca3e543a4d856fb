// units/tensix.h: what the control units of one coprocessor share: register files and the tile.
//
// One struct ts_tensix per tile. Units hold a pointer to it; the tile fills in the hooks.
#pragma once

#include "platform/check/check.h"
#include "platform/mem/l1.h"
#include "units/files/adc.h"
#include "units/files/rwc.h"
#include "units/isa/bits.h"
#include "units/isa/lints.h"
#include "units/unit.h"

// the backend configuration as a register file (the unit that writes it is
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

#define TS_GPRS 64

// How the units reach the rest of the tile. Any hook may be NULL: its users then fault "not
// implemented" by name.
struct ts_tensix_hooks {
    void *tile;
    // A request to L1 sent now: the cycle it completes. Timing only.
    ts_cycle (*l1_request)(void *tile, uint32_t addr, unsigned bytes, bool write, ts_cycle now);
    // An unpacker or the packer would begin its transfer from or to L1 at `from`: the cycle it may. NULL:
    // always at once.
    ts_cycle (*l1_begin)(void *tile, unsigned unit, ts_cycle from);
    // Bytes of L1 changed: notifies those that track writes (pollers, decoded code).
    void (*l1_written)(void *tile, uint32_t addr, unsigned bytes, ts_cycle now);
    // Registers at 0xFFB11000 and above (LOADREG, STOREREG, STOREIND). False: no such register.
    bool (*mmio_read)(void *tile, uint32_t addr, uint32_t *value, ts_cycle now);
    bool (*mmio_write)(void *tile, uint32_t addr, uint32_t value, ts_cycle now);
    // A register of a NoC overlay stream (STREAMWAIT, STREAMWRCFG).
    uint32_t (*overlay_read)(void *tile, unsigned stream, unsigned reg);
    // UNPACR_NOP: messages of a stream are cleared.
    void (*overlay_clear)(void *tile, unsigned stream, uint32_t value, ts_cycle now);
    // STALLWAIT conditions 5 to 8 (SrcA/SrcB not with the unpackers / with the matrix unit): met,
    // or why not. A change of a bank wakes the waiters of the object named here.
    bool (*src_condition)(void *tile, unsigned condition, ts_cycle now, struct ts_hold *hold);
    // SETDVALID: bit 0 SrcA, bit 1 SrcB go to the matrix unit.
    bool (*src_hand_over)(void *tile, unsigned thread, unsigned files, ts_cycle now);
    // STOREIND to a Src file (4 BF16 values of 2 GPRs).
    bool (*src_store)(void *tile, unsigned thread, bool srcb, uint32_t addr, const uint32_t *gprs,
                      ts_cycle now);
    // SETDMAREG of packer state: 128 bits.
    bool (*pack_state)(void *tile, unsigned thread, unsigned source, unsigned packers,
                       uint32_t value[4]);
    // A Config register was written: PRNG seed, instruction cache, layout of Dst.
    void (*cfg_written)(void *tile, unsigned by, unsigned addr, uint32_t value, ts_cycle now);
    // How many words the thread's core has pushed; with `gate`, the number of the one that is at the
    // gate (UINT32_MAX: unknown).
    uint32_t (*pushed)(void *tile, unsigned thread, bool gate);
    // The pc that the word at the gate comes from (UINT32_MAX: unknown), and the cycle of its push;
    // for a detailed trace.
    uint32_t (*origin)(void *tile, unsigned thread, ts_cycle *pushed);
    // Does the thread have an UNPACR of this unpacker and context in flight, not started?
    bool (*awaits)(void *tile, unsigned thread, unsigned unpacker, unsigned context, ts_cycle now);
    // A report, as one line of text.
    void (*report)(void *tile, enum ts_report report, unsigned by, ts_cycle now, const char *text);
};

// The state of lint.h.
struct ts_lint {
    uint32_t posts, gets; // of MATH_PACK
    uint8_t poster;
    bool pack_open;             // a PACR without `last` went before
    bool exponents[TS_THREADS]; // a block-float pack of 16 bits, and no wait for SCALAR since
    bool cleared[TS_THREADS];   // and a ZEROACC behind one
    uint8_t dirty[TS_THREADS];  // configuration the core has stored without a wait since
    uint32_t dirty_from[TS_THREADS];
    ts_cycle dirty_at[TS_THREADS]; // of the last such store
    ts_cycle address_due;          // a write of the packer's address takes effect after this cycle
    ts_cycle flip_seen[2];         // SrcA, SrcB: from this cycle on a wait sees the last flip
    uint8_t early[TS_THREADS];     // files whose bank the thread's last wait saw too early
    ts_cycle early_at[TS_THREADS]; // cycle of that wait
    ts_cycle tile_at[TS_THREADS];  // a write of words 1 to 3 of a tile descriptor
    struct {
        uint8_t gpr;     // 1 + the one that the last scalar arithmetic wrote; 0: waited for
        uint32_t pushed; // by this word of the core
    } result[TS_THREADS];
    // Rows of Dst that are being unpacked, by block of 8, and until when; those that a ZEROACC met
    ts_cycle unpacks_from, unpacks_until, zeroacc_at;
    ts_cycle stored_at; // a core's last store to Dst
    uint64_t unpacks[2], flags_lost[2];
};

struct ts_tensix {
    // configuration
    struct ts_tensix_timing timing;
    struct ts_bits bits;
    struct ts_tensix_hooks hooks;
    bool strict; // harmful reports are faults
    // For free: a data phase of an unpacker takes a cycle.
    bool free_unpack;
    bool lints;             // look for races; off only to measure the cost
    uint64_t shown;         // the lints that are reported (lints.h); all are counted
    struct ts_check *check; // --check; NULL: none
    uint8_t writer;         // thread whose instruction writes L1 now, for those that track writes
    // L1, owned by the tile
    uint8_t *l1;
    uint32_t l1_bytes;
    struct ts_l1 *banks; // L1's banks that unpackers and packer queue for; NULL: always free
    // register files
    struct ts_cfg cfg; // written by ts_tensix_configure and ts_tensix_configure_thread
    struct ts_adcs adcs;
    struct {
        struct ts_rwc rwc[TS_THREADS];
    } streamed; // through the functions below only (units/isa/promise.h)
    struct {
        uint32_t gpr[TS_THREADS][TS_GPRS];
    } deferred; // through the functions below only, but for the units that write it late
    // the units by name; a unit that is not there yet is NULL
    struct ts_unit *unit[TS_UNIT_COUNT];
    // the front ends to wake
    struct ts_component *front[TS_THREADS];
    // By a SCALAR instruction, or by an unpacker that has not read all of its operands.
    struct ts_closed closed[TS_THREADS];
    struct ts_lint lint;
    const struct ts_promise *promise; // NULL: none
    // The first cycle at whose end a write happens that no step of its unit is due for; TS_NEVER: none.
    ts_cycle late;
    // counters
    uint64_t reports[TS_REPORT_COUNT];
};

// Defaults: timing of tensix_timing.def, everything else zero.
void ts_tensix_init(struct ts_tensix *self, const struct ts_machine *machine, uint8_t *l1,
                    uint32_t l1_bytes);

// The actor: a thread (0 to 2), one of these, or a core.
#define TS_BY_NOBODY 3
#define TS_BY_NOC    4
#define TS_BY_HOST   5
#define TS_BY_ETH    6
#define TS_BY_CORE   8  // + number of the core
#define TS_BY_LATE   32 // or'd to a thread: its instruction is no longer at the gate

// Counts and reports what `by` did; under strict, faults the component if it is harmful (lints.h).
// True: go on.
bool ts_tensix_report(struct ts_tensix *self, struct ts_component *component, unsigned by,
                      ts_cycle now, enum ts_report report, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

// Call before any access to state that promised words write, and any write of state they depend on.
static inline void ts_promise_cut(struct ts_tensix *self, ts_cycle now)
{
    if (__builtin_expect(self->promise != NULL, 0))
        ts_promise_stop(self, now);
}

// A thread's counters of rows.
static inline struct ts_rwc *ts_tensix_rwc(struct ts_tensix *self, unsigned thread, ts_cycle now)
{
    ts_promise_cut(self, now);
    return &self->streamed.rwc[thread];
}
// SCALAR's arithmetic writes its GPR a cycle after its word has passed: only later words and cores see it. So nobody
// steps for it. The gate calls ts_tensix_late; GPRs cannot be reached without it (tests/floors.sh).
void ts_tensix_later(struct ts_tensix *self, struct ts_domain *domain, ts_cycle due);
TS_SLOW_PATH void ts_tensix_happen(struct ts_tensix *self, ts_cycle now);
// What was due before `now` happens.
static inline void ts_tensix_late(struct ts_tensix *self, ts_cycle now)
{
    if (__builtin_expect(self->late < now, 0))
        ts_tensix_happen(self, now);
}

// A thread's GPRs.
static inline uint32_t *ts_tensix_gprs(struct ts_tensix *self, unsigned thread, ts_cycle now)
{
    ts_tensix_late(self, now);
    return self->deferred.gpr[thread];
}
// The same for a look where it has just been done: a word of the thread passes, or the run has ended.
static inline const uint32_t *ts_tensix_own_gprs(const struct ts_tensix *self, unsigned thread)
{
    return self->deferred.gpr[thread];
}

// Writes a register of Config as instructions and cores do (ts_cfg_write), and notifies the units
// affected. `by`: TS_BY_*.
void ts_tensix_configure(struct ts_tensix *self, unsigned by, unsigned bank, unsigned addr,
                         uint32_t value, bool reset, ts_cycle now);
// The same of a program's register (units/isa/machine.h).
void ts_tensix_program(struct ts_tensix *self, unsigned by, unsigned bank, unsigned addr,
                       uint32_t value, ts_cycle now);
// Writes a register of the ThreadConfig of a word's own thread.
void ts_tensix_configure_thread(struct ts_tensix *self, unsigned thread, unsigned addr,
                                uint16_t value);

// A word passes its gate: what a check knows of the order of accesses (gate_order.c).
TS_SLOW_PATH void ts_tensix_pass(struct ts_tensix *self, struct ts_word in, unsigned unit,
                                 ts_cycle now);

// A unit accesses L1, or registers that a check follows (platform/check).
static inline void ts_tensix_access(const struct ts_tensix *self, unsigned thread, unsigned unit,
                                    enum ts_check_object object, enum ts_check_how how,
                                    uint32_t address, uint32_t length)
{
    if (__builtin_expect(self->check != NULL, 0))
        ts_check_unit(self->check, thread, unit, object, how, address, length);
}

// The same of a block of Dst.
static inline void ts_tensix_block(const struct ts_tensix *self, unsigned thread, unsigned unit,
                                   bool writes, unsigned block)
{
    ts_tensix_access(self, thread, unit, TS_OBJECT_DST, writes ? TS_HOW_WRITE : TS_HOW_READ,
                     block * 16, 16);
}

// The same of all of these blocks: a bit each.
static inline void ts_tensix_blocks(const struct ts_tensix *self, unsigned thread, unsigned unit,
                                    bool writes, const uint64_t blocks[2])
{
    for (unsigned half = 0; half < 2; half++)
        for (uint64_t left = blocks[half]; left;) {
            const unsigned first = (unsigned)__builtin_ctzll(left);
            const uint64_t from = ~(left >> first);
            const unsigned count = from ? (unsigned)__builtin_ctzll(from) : 64;
            ts_tensix_access(self, thread, unit, TS_OBJECT_DST, writes ? TS_HOW_WRITE : TS_HOW_READ,
                             (64 * half + first) * 16, count * 16);
            left &= count + first < 64 ? UINT64_MAX << (count + first) : 0;
        }
}

// After a write to L1.
static inline void ts_tensix_l1_written(const struct ts_tensix *self, uint32_t addr, unsigned bytes,
                                        ts_cycle now)
{
    if (self->hooks.l1_written)
        self->hooks.l1_written(self->hooks.tile, addr, bytes, now);
}

// STALLWAIT's conditions C0..C12 (FLUSHDMA has the first four): are all met? *met: since when,
// as far as that is known.
bool ts_tensix_conditions(const struct ts_tensix *self, unsigned thread, unsigned conditions,
                          ts_cycle now, ts_cycle *met, struct ts_hold *hold);

// The disassembled word in a fault's text: "T1 MVMUL dst=0 ...".
struct ts_insn_text {
    char text[280]; // the longest, UNPACR with every operand, has 240
};
struct ts_insn_text ts_insn_text(struct ts_word in);

// Faults the unit: named and not modelled. Returns false, as start does.
bool ts_unit_refuse(struct ts_unit *unit, struct ts_word in, ts_cycle now, const char *what)
    __attribute__((cold, noinline));
// Faults the unit: no public specification (status NONE in tensix.def).
bool ts_unit_unspecified(struct ts_unit *unit, struct ts_word in, ts_cycle now)
    __attribute__((cold, noinline));
// Faults the unit: undefined behaviour in the documents.
bool ts_unit_breach(struct ts_unit *unit, struct ts_word in, ts_cycle now, const char *what)
    __attribute__((cold, noinline));
