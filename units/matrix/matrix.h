// The matrix unit's instruction bodies: data in SrcA, SrcB and Dst, no time, no counters.
//
//   SrcA, SrcB --> [ multiply, add, max, move ] <--> Dst
//
// The timed component resolves an instruction word, the configuration and the RWCs into the small
// structs here, calls one body, then applies the address modifier and flips banks. A body that does
// not support a request returns a refusal that names it; state is then unchanged.
//
// Source: tt-isa-documentation, one page per instruction; bits from tenstorrent/ttsim 1.10.0.
// Inaccuracies: stochastic rounding of results (ALU_ROUNDING_MODE_Fpu_srnd_en) has no public
//   specification: the last rounding of MVMUL, DOTPV, GAPOOL and ELW* takes random bits from
//   tensim's own generator, with the packer's documented bias, and moves round as usual. MVMUL with
//   mixed 5-bit and 8-bit exponent operands is refused; the legacy CONV3/MPOOL3/APOOL3 have no
//   specification. With Zero_Flag_disabled_src, SrcA zero and SrcB minus zero (ELWSUB: plus zero),
//   the reference wraps an unsigned difference to a huge sum; tensim keeps the difference itself.
#pragma once

#include "units/files/dst.h"
#include "units/files/format.h"
#include "units/files/src.h"
#include "units/isa/bits.h"
#include "units/refusal.h"

// How operands and accumulator are read: the result of configuration and recorded formats.
struct ts_matrix_mode {
    uint8_t style_a;     // enum ts_style of SrcA; decides the accumulator's format
    uint8_t style_b;     // enum ts_style of SrcB
    bool int8;           // ALU_ACC_CTRL_INT8_math_enabled: integers, always a 32-bit Dst
    bool dst32;          // Dst is accessed as 32 bits
    bool keep_denormals; // ALU_ACC_CTRL_Zero_Flag_disabled_src
    bool stochastic;     // ALU_ROUNDING_MODE_Fpu_srnd_en
    uint8_t phase;       // fidelity phase 0 to 3
    bool minus_one;      // the machine's rule of that name, with a 32-bit Dst
    bool check;          // words may have bits that their format does not have (ts_alu_unusual)
};

// Fields of cfg words 0 to 2 and the thread configuration that decide formats.
struct ts_alu_cfg {
    uint8_t fmt_a, fmt_b;        // ALU_FORMAT_SPEC_REG0_SrcA, REG1_SrcB (or SrcB_val, by rule)
    uint8_t fmt_a_override;      // ALU_FORMAT_SPEC_REG_SrcA_val
    bool override_a;             // ALU_FORMAT_SPEC_REG_SrcA_override
    bool implied_a, implied_b;   // not DISABLE_IMPLIED_SRCx_FMT_Base: the bank's format counts
    bool fp32, int8;             // ALU_ACC_CTRL_Fp32_enabled, INT8_math_enabled
    bool zero_flag_disabled_src; // ALU_ACC_CTRL_Zero_Flag_disabled_src
    bool fp16a_force;            // FP16A_FORCE_Enable
    bool stochastic;             // ALU_ROUNDING_MODE_Fpu_srnd_en
    bool uncut;                  // the rule src_uncut
    bool minus_one;              // the machine's rule of that name
    uint8_t fmt_dest;            // SFPU_DEST_FMT_Base
};

// From the raw words: cfg[0..2] of the current state, and the thread's SETC16 registers; and the rules.
struct ts_alu_cfg ts_alu_cfg_read(const uint32_t *cfg, const uint16_t *thread_cfg,
                                  struct ts_bits *bits);

// Formats of SrcA and SrcB for instructions that compute (and for MOVA2D, MOVD2A by their SrcA
// part).
unsigned ts_alu_format_a(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs);
unsigned ts_alu_format_b(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs);
// MOVB2D and MOVD2B use "SrcA's" format too, but implied formats come from the SrcB bank.
unsigned ts_alu_format_ab(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs);

// Src words of eight or sixteen rows that a rule is about: bits that BF16 does not have, integers
// whose exponent is neither 0 nor 16. Refuses the latter.
struct ts_refusal ts_alu_unusual(const struct ts_alu_cfg *cfg, const struct ts_srcs *srcs,
                                 struct ts_bits *bits, unsigned row_a, unsigned row_b);

void ts_matrix_mode_of(struct ts_matrix_mode *mode, const struct ts_alu_cfg *cfg,
                       const struct ts_srcs *srcs, unsigned phase);

// ---- bodies ------------------------------------------------------------------------------------
// Rows are the sums of instruction field, RWC and bases, unmasked: each body aligns them as
// hardware does.

// MVMUL, DOTPV (rows 8), GAPOOL (rows 4): Dst[rows x 16] += SrcB[rows x 16] @ SrcA[16 x 16].
struct ts_refusal ts_mvmul(struct ts_dst *dst, struct ts_srcs *srcs,
                           const struct ts_matrix_mode *mode, unsigned row_a, unsigned row_b,
                           unsigned row_d, unsigned rows);
// MVMULs one after the other, prepared: what they read and write does not depend on data.
struct ts_mvmul_run {
    uint8_t count;
    bool odd;                     // two of them would need the same place for their exponents
    uint8_t need_a[2], need_b[2]; // bit per 8 rows, for the high and the low slice
    uint64_t pairs;               // as pair_ok of ts_srcs
    struct {
        uint8_t a, b, phase; // blocks of 8 rows
        uint16_t row[2];     // of Dst, where four and four are
    } step[64];
};
void ts_mvmul_run_add(struct ts_mvmul_run *run, const struct ts_dst *dst, bool dst32,
                      unsigned row_a, unsigned row_b, unsigned row_d, unsigned phase);
// Executes them; mode->phase does not count. False: nothing is done, as operands or mode are not the
// usual ones.
bool ts_mvmuls(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_matrix_mode *mode,
               const struct ts_mvmul_run *run);
// MVMUL with BroadcastSrcBRow: one row of SrcB onto Dst rows 0, 2, 4, 6 of a block.
struct ts_refusal ts_mvmul_broadcast(struct ts_dst *dst, struct ts_srcs *srcs,
                                     const struct ts_matrix_mode *mode, unsigned row_a,
                                     unsigned row_b, unsigned row_d);

enum ts_elw_op { TS_ELW_ADD, TS_ELW_SUB, TS_ELW_MUL };
struct ts_elw {
    uint8_t op;                        // enum ts_elw_op
    bool add_dst;                      // ELWADD, ELWSUB: accumulate; ELWMUL always does
    bool broadcast_row, broadcast_col; // of SrcB: its one row, its column 0
};
struct ts_refusal ts_elementwise(struct ts_dst *dst, struct ts_srcs *srcs,
                                 const struct ts_matrix_mode *mode, const struct ts_elw *elw,
                                 unsigned row_a, unsigned row_b, unsigned row_d);

// GMPOOL: the maximum of each SrcA column (16 rows, scaled by SrcB's exponents) and of Dst.
struct ts_refusal ts_gmpool(struct ts_dst *dst, struct ts_srcs *srcs,
                            const struct ts_matrix_mode *mode, bool argmax, unsigned row_a,
                            unsigned row_b, unsigned row_d);

// Moves. `rows` is 1, 4 or 8; block_cols is BLOCK_DEST_MOV of the lanes (a set bit skips a column).
struct ts_move {
    uint8_t format_a; // ts_alu_format_a, or _ab for MOVB2D and MOVD2B
    uint8_t format_b; // ts_alu_format_b, for MOVB2D
    bool fp16a_force;
    bool fp32;     // Fp32_enabled
    bool dst32;    // Fp32_enabled or INT8_math_enabled: MOVD2x reads Dst as 32 bits
    bool dst32_lo; // the low half of a 32-bit datum
    bool keep_denormals;
    bool broadcast_row, broadcast_col; // MOVB2D
    uint8_t rows;
    uint16_t block_cols;
    struct ts_bits *bits; // NULL: silicon
};
struct ts_refusal ts_mova2d(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_a, unsigned row_d);
struct ts_refusal ts_movb2d(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_b, unsigned row_d);
struct ts_refusal ts_movd2a(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_a, unsigned row_d);
struct ts_refusal ts_movd2b(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_move *move,
                            unsigned row_b, unsigned row_d);
struct ts_refusal ts_movb2a(struct ts_srcs *srcs, const struct ts_move *move, unsigned row_a,
                            unsigned row_b);

// TRNSPSRCB: rows 16 to 31 of SrcB, transposed in place.
void ts_trnspsrcb(struct ts_srcs *srcs);
// SHIFTXA: sixteen rows from in_row (the last SrcA row any instruction computed) to rows 0 to 15,
// one lane right (direction 2) or left (3). SHIFTXB: one row of SrcB one lane left, rotating or
// filling with zero.
struct ts_refusal ts_shiftxa(struct ts_srcs *srcs, unsigned direction, unsigned in_row);
void ts_shiftxb(struct ts_srcs *srcs, bool shift_in_zero, unsigned row_b);

// ZEROACC: marks rows undefined (defined again, when revert). `offset` is MATH_Offset + RWC +
// DEST_REGW_BASE, `absolute` DEST_ACCESS_CFG_zeroacc_absolute_tile_mode.
enum ts_zeroacc_mode { TS_ZEROACC_ROW, TS_ZEROACC_16, TS_ZEROACC_HALF, TS_ZEROACC_ALL };
struct ts_zeroacc {
    uint8_t mode; // enum ts_zeroacc_mode
    bool use_32b; // the instruction's bit, for 16 rows
    bool dst32;   // Fp32_enabled or INT8_math_enabled, for one row
    bool revert;
    bool absolute;
    bool odd;             // the AddrMod's number is, for one row
    struct ts_bits *bits; // NULL: silicon
};
void ts_zeroacc(struct ts_dst *dst, const struct ts_zeroacc *z, unsigned where, unsigned offset);

// ZEROSRC: which bits 0 SrcA, 1 SrcB; both banks, or the matrix unit's, or the unpacker's.
void ts_zerosrc(struct ts_srcs *srcs, unsigned which, bool both_banks, bool matrix_bank,
                bool negative_infinity);

// CLEARDVALID: returns banks. which bits 0 SrcA, 1 SrcB; keep_bank stays on the same bank.
void ts_cleardvalid(struct ts_srcs *srcs, unsigned which, bool keep_bank, bool reset);
