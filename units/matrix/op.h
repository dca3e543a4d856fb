// One matrix-unit instruction from its word: rows from RWCs and bases, the body, then address
// modifier and flips.
//
// The timed component calls ts_matrix_access first (which banks it must own, which Dst rows are
// touched: for the wait gate and the Dst hazards), then ts_matrix_execute. Nothing here depends on
// time.
#pragma once

#include "units/files/rwc.h"
#include "units/isa/effects.h"
#include "units/matrix/matrix.h"

// The banks that a word needs: bit 0 SrcA, bit 1 SrcB.
static inline unsigned ts_matrix_needs(uint32_t word)
{
    return ts_op_effects[TS_OP_OF(word)].waits;
}
// The banks that a word returns to the unpackers. All have the same field.
static inline unsigned ts_matrix_returns(uint32_t word)
{
    bool can = ts_op_effects[TS_OP_OF(word)].kind & (TS_MATRIX_GIVES | TS_MATRIX_LONG);
    return can ? ts_decode_MVMUL(word).clear_dvalid : 0;
}

struct ts_matrix_view {
    const uint32_t *cfg; // the thread's Config bank
    const uint16_t *thd; // the thread's ThreadConfig
    struct ts_rwc *rwc;  // the thread's counters
    struct ts_srcs *srcs;
    struct ts_dst *dst;
    uint8_t *last_row_a; // SrcA row of the last instruction that computed one: SHIFTXA's input, by
                         // hardware bug
    uint16_t block_cols; // BLOCK_DEST_MOV of the vector unit's lanes
    struct ts_packer *packer;     // CLREXPHIST clears its histogram; NULL: none is there
    const struct ts_alu_cfg *alu; // ts_alu_cfg_read of the above; NULL: read it
    struct ts_bits *bits;         // the rules; NULL: silicon
    bool dry;                     // counters, modifiers and flips only: no data (--timing-only)
    // What else follows from the configuration; with `alu` only (ts_matrix_view_settle).
    bool dst32;      // Dst is accessed as 32 bits
    uint16_t region; // DEST_REGW_BASE
    uint32_t base;   // ts_matrix_base when the view was asked for: added to every row of Dst
};

// MATH_Offset changes with every tile: it does not count as configuration that stays.
static inline uint32_t ts_matrix_base(const struct ts_matrix_view *m)
{
    return TS_THD(m->thd, DEST_TARGET_REG_CFG_MATH_Offset) + m->region;
}

// Fills in the above from cfg, thd and alu.
void ts_matrix_view_settle(struct ts_matrix_view *m);

struct ts_matrix_access {
    bool need_a, need_b; // waits until the matrix unit owns the bank
    bool read_dst, write_dst;
    bool dst32;
    uint16_t dst_row;  // first row, aligned as the instruction does
    uint16_t dst_rows; // 0: no Dst; bulk clears count as none
};

struct ts_matrix_access ts_matrix_access(const struct ts_matrix_view *m, uint32_t word);

// Executes the body of the word: rows, data (matrix.h), address modifier, flips.
struct ts_refusal ts_matrix_execute(const struct ts_matrix_view *m, uint32_t word);
// The same for MVMULs that follow each other and return no bank.
struct ts_refusal ts_matrix_run(const struct ts_matrix_view *m, const uint32_t *words,
                                unsigned count);
// Their data only, prepared; counters stay. False: nothing is done, ts_matrix_run can.
bool ts_matrix_multiply(const struct ts_matrix_view *m, const struct ts_mvmul_run *run);
