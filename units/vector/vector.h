// The vector unit (SFPU): 32 lanes of 32 bits, seventeen registers, lane predication, PRNG.
//
//   word --> decode --> bind (Dst address, format) --> issue --+--> load   --+
//                                                   SFPLOADMACRO +-> simple   +--> LRegs, flags
//                                                    schedules   +-> MAD      |
//                                                                +-> round    |
//                                                                +-> store  --+--> Dst
//
// Everything here is a plain function over plain state: no event kernel, no cycle counter.
// ts_vector_cycle is one clock of the unit: at most one issued instruction, those that
// SFPLOADMACRO scheduled for this cycle, results of two-cycle instructions written one cycle late.
// units/vector/use.h tells it when to stall.
//
// Source: tt-isa-documentation BlackholeA0 VectorUnit.md, LReg.md, SFP*.md, SoftReset.md;
//   bits and the PRNG's seeding from tenstorrent/ttsim 1.10.0.
// Inaccuracies:
//   LoadMacroConfig that differs between columns is refused, as is a condition stack whose depth
//   would differ between lanes; a template write through VD 12..15 takes all lanes regardless of
//   their flags (assumed, reported as a hazard); with ENABLE_DEST_INDEX erratum TEN-2932 is
//   reported, and the intended value written; with timing_only a configuration that does not come
//   from SFPLOADI or an immediate is not seen.
#pragma once

#include "units/files/dst.h"
#include "units/isa/bits.h"

#define TS_LANES        32u
#define TS_LREGS        17u
#define TS_ALL_LANES    0xFFFFFFFFu
#define TS_LREG_BONUS   16u // written and stored by scheduled instructions only
#define TS_CC_DEPTH     8u
#define TS_VECTOR_FIRST 0x70u
#define TS_VECTOR_LAST  0x99u

enum ts_vector_fault {
    TS_VECTOR_OK,
#define TS_VFAULT(name, kind, text) TS_VECTOR_##name,
#include "config/vector_fault.def"
    TS_VECTOR_FAULTS,
};
enum ts_vector_hazard {
#define TS_VHAZARD(name, text) TS_VHAZARD_##name##_BIT,
#include "config/vector_fault.def"
    TS_VHAZARDS,
#define TS_VHAZARD(name, text) TS_VHAZARD_##name = 1 << TS_VHAZARD_##name##_BIT,
#include "config/vector_fault.def"
};

// LaneConfig bits (SFPCONFIG.md).
enum {
    TS_LANE_FP16A_INF = 1 << 0,
    TS_LANE_NO_BACKDOOR = 1 << 1,
    TS_LANE_DEST_INDEX = 1 << 2,
    TS_LANE_CAPTURE_INDEX = 1 << 3,
    TS_LANE_BLOCK_WRITE = 1 << 4,
    TS_LANE_BLOCK_READ = 1 << 5,
    TS_LANE_ODD_READ = 1 << 6,
    TS_LANE_ODD_WRITE = 1 << 7,
    TS_LANE_EXCHANGE = 1 << 8,
    TS_LANE_BLOCK_MOVE = 3 << 9, // see ts_vector_blocked_columns
    TS_LANE_ROW_MASK = 15 << 12,
    TS_LANE_BITS = (1 << 18) - 1,
};

enum ts_vector_sub { TS_SUB_SIMPLE, TS_SUB_MAD, TS_SUB_ROUND, TS_SUB_STORE, TS_SUB_LOAD };
#define TS_SUBS_SCHEDULED 4u // the first four, in the order of LoadMacroConfig.Sequence
#define TS_DELAYS         8u

// One instruction, decoded. Fields that an opcode's layout lacks are filled in as in hardware: VB
// is VD for UNARY, VC is VD for SFPMULI and SFPADDI.
struct ts_vector_insn {
    uint32_t word;
    uint8_t op; // enum ts_op
    uint8_t vd, vc, vb, va;
    uint8_t mod;
    uint8_t round;     // SFP_STOCH_RND: rounding mode; SFPLOADMACRO: macro index
    uint8_t addr_mod;  // SFPLOAD, SFPSTORE, SFPLOADMACRO
    uint16_t imm;      // all immediate bits the layout has, unextended
    bool scheduled;    // by SFPLOADMACRO: registers are final, no template write
    bool vb_given;     // scheduled, and VB was overridden
    uint8_t fmt;       // bound: mod with format 0 resolved
    uint8_t srcb_fmt;  // bound: what format 0 means
    uint8_t bf16_fmt;  // bound: what format BF16 means
    uint16_t dst_addr; // bound: 10 bits: row group, odd columns, unused
};

// What a thread contributes to the address and format of SFPLOAD, SFPSTORE and SFPLOADMACRO.
struct ts_vector_view {
    uint16_t math_offset; // thread config DEST_TARGET_REG_CFG_MATH_Offset
    uint16_t dst_rwc;     // RWC.Dst
    uint16_t regw_base;   // config DEST_REGW_BASE_Base
    uint16_t sp;          // RWC.Sp, updated by INT32_ALL accesses
    uint16_t sp_base;     // config DEST_SP_BASE_Base
    uint16_t stack_incr;  // thread config SFPU_STACK_Incr
    uint8_t srcb_format;  // config ALU_FORMAT_SPEC_REG_SrcB_val if overridden, else REG1_SrcB
    bool fp32;            // config ALU_ACC_CTRL_SFPU_Fp32_enabled
    struct ts_bits *bits; // NULL: silicon
};

// The result of a two-cycle instruction between its cycles.
struct ts_vector_late {
    uint32_t value[TS_LANES] __attribute__((aligned(64)));
    uint8_t reg[TS_LANES]; // per lane, when indirect
    uint32_t lanes;        // lanes to write; 0: nothing pending
    uint8_t vd;
    bool indirect;
    bool scheduled; // by SFPLOADMACRO: reads of the old value meanwhile are intended
};

// Everything that a second cycle writes.
struct ts_vector_second {
    struct ts_vector_late mad, round;
    uint32_t copy4; // lanes of SFPSHFT2 that move L1..L3 down
    uint32_t swap;  // lanes that SFPSWAP exchanges
    uint8_t swap_c, swap_b;
};

struct ts_vector {
    // set by the owner after reset: no arithmetic, only what decides when things happen
    // (SFPLOADI, SFPCONFIG, templates, SFPLOADMACRO's calendar)
    bool timing_only;
    struct ts_bits *bits; // NULL: silicon

    // architectural
    uint32_t lreg[TS_LREGS][TS_LANES] __attribute__((aligned(64)));
    uint32_t flags; // LaneFlags, a bit per lane
    uint32_t use;   // UseLaneFlagsForLaneEnable
    uint32_t stack_flags[TS_CC_DEPTH], stack_use[TS_CC_DEPTH];
    uint32_t depth;
    uint32_t prng[TS_LANES] __attribute__((aligned(64)));
    // Eight columns each: SFPCONFIG broadcasts them down the four rows of lanes.
    uint32_t lane_config[8];
    uint32_t template[4][8];
    uint32_t sequence[4][8];
    uint32_t misc[8];
    // derived from lane_config: lane masks
    uint32_t row_mask, no_backdoor, dest_index, capture, block_write, block_read, odd_read,
        odd_write, exchange, fp16a_inf;
    bool columns_differ; // some column's LoadMacroConfig differs from column 0's

    // pipeline: two-cycle instructions between their cycles; those that start use second[phase]
    struct ts_vector_second second[2];
    uint8_t phase;
    bool settling;     // second[phase] holds something
    bool config_lag;   // SFPCONFIG changed DISABLE_BACKDOOR_LOAD in the cycle before
    bool swap_resting; // a scheduled SFPSWAP is in its second cycle
    // calendar of SFPLOADMACRO: bit d of due[s] is an instruction for sub-unit s, d countdowns away
    // from its cycle; it is in slot[s][(head + d) % 8]
    struct ts_vector_insn slot[TS_SUBS_SCHEDULED][TS_DELAYS];
    uint8_t due[TS_SUBS_SCHEDULED];
    uint8_t
        counts_issues[TS_SUBS_SCHEDULED]; // entries of `due` that wait for instructions, not cycles
    uint8_t head;
};

// What one clock did.
struct ts_vector_done {
    enum ts_vector_fault fault;
    uint16_t hazards; // TS_VHAZARD_*
    uint8_t executed; // instructions executed, including scheduled ones
    bool dst_read, dst_written;
    uint16_t macro_store; // ts_vector_place of a store that SFPLOADMACRO booked; 0: none
};

// The part of Dst that an access covers, 4 rows and 8 columns, as a number above 0.
static inline uint16_t ts_vector_place(const struct ts_vector_insn *insn)
{
    return (uint16_t)((insn->dst_addr >> 1) + 1);
}

void ts_vector_reset(struct ts_vector *v);

// PRNG_SEED_Seed_Val was written. `silicon`: the rule prng_seed.
void ts_vector_seed(struct ts_vector *v, uint32_t seed, bool silicon);

// False: no vector instruction.
bool ts_vector_decode(uint32_t word, struct ts_vector_insn *insn);

static inline bool ts_vector_touches_dst(uint8_t op)
{
    return op == TS_OP_SFPLOAD || op == TS_OP_SFPSTORE || op == TS_OP_SFPLOADMACRO;
}

// Fills in address and format of an instruction that touches Dst. Moves view->sp where it should;
// the caller applies insn->addr_mod to the RWCs (not FidelityPhase) after this.
void ts_vector_bind(struct ts_vector_insn *insn, struct ts_vector_view *view);
// What a format means to a bound instruction.
uint8_t ts_vector_format(const struct ts_vector_insn *insn, unsigned mod);
// Physical row of Dst that a bound SFPSTORE writes first.
uint32_t ts_vector_row(const struct ts_vector_insn *insn, const struct ts_dst *dst);

// One clock; issue is NULL when no thread issues to the unit. No call is needed for cycles in which
// nothing is issued and ts_vector_idle holds.
void ts_vector_cycle(struct ts_vector *v, struct ts_dst *dst, const struct ts_vector_insn *issue,
                     struct ts_vector_done *done);

// The next cycles issue nothing. If nothing is scheduled, ends what is between its cycles; false: those
// cycles must be clocked.
bool ts_vector_settle(struct ts_vector *v);

// Nothing scheduled and nothing between its cycles.
bool ts_vector_idle(const struct ts_vector *v);
// Something is scheduled that will execute although no thread issues anything.
bool ts_vector_runs(const struct ts_vector *v);

// Nothing scheduled, and no mode in which plain instructions are reported.
bool ts_vector_calm(const struct ts_vector *v);
// Has a condition stack of this depth what the instruction needs of it, whatever its mode?
static inline bool ts_vector_stacks(unsigned depth, uint8_t op)
{
    return op == TS_OP_SFPPUSHC  ? depth > 0 && depth < TS_CC_DEPTH
           : op == TS_OP_SFPPOPC ? depth > 0
                                 : true;
}

// Lanes that instructions write (IsLaneEnabled).
static inline uint32_t ts_vector_enabled(const struct ts_vector *v)
{
    return ~v->row_mask & (v->flags | ~v->use);
}

// BLOCK_DEST_MOV: a bit per column of Dst that MOVA2D, MOVB2D, MOVB2A, MOVD2A and MOVD2B skip.
uint16_t ts_vector_blocked_columns(const struct ts_vector *v);

const char *ts_vector_fault_text(enum ts_vector_fault fault);
bool ts_vector_fault_is_contract(enum ts_vector_fault fault);
const char *ts_vector_hazard_text(unsigned bit);

// x * y + z as the MAD sub-unit (and the baby cores' F extension) computes it: denormals are zero,
// the product keeps 27 bits and a sticky one, one rounding to nearest even, one NaN.
uint32_t ts_vector_fma(uint32_t x, uint32_t y, uint32_t z);
