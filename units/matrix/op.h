// One matrix-unit instruction from its word: rows from RWCs and bases, the body, then address
// modifier and flips.
//
// The timed component asks ts_matrix_access first (which banks must be its own, which Dst rows are
// touched: what the wait gate and the Dst hazards need), then ts_matrix_execute. Nothing here knows
// of time.
#ifndef TENSIM_UNITS_MATRIX_OP_H
#define TENSIM_UNITS_MATRIX_OP_H

#include "units/files/rwc.h"
#include "units/matrix/matrix.h"

struct ts_matrix_view {
    const uint32_t *cfg; // the thread's Config bank
    const uint16_t *thd; // its ThreadConfig
    struct ts_rwc *rwc;  // its counters
    struct ts_srcs *srcs;
    struct ts_dst *dst;
    uint8_t *last_row_a; // SrcA row of the last instruction that computed one: SHIFTXA's input, by
                         // hardware bug
    uint16_t block_cols; // BLOCK_DEST_MOV of the vector unit's lanes
    const struct ts_alu_cfg *alu; // ts_alu_cfg_read of the above; NULL: read it
    bool dry;                     // counters, modifiers and flips only: no data (--timing-only)
    // What else follows from the configuration; with `alu` only (ts_matrix_view_settle).
    bool dst32;    // Dst is accessed as 32 bits
    uint32_t base; // MATH_Offset + DEST_REGW_BASE, added to every row of Dst
};

// Fills in the above from cfg, thd and alu.
void ts_matrix_view_settle(struct ts_matrix_view *m);

struct ts_matrix_access {
    bool need_a, need_b; // waits until the bank is the matrix unit's
    bool read_dst, write_dst;
    bool dst32;
    uint16_t dst_row;  // first row, aligned as the instruction does
    uint16_t dst_rows; // 0: no Dst; bulk clears count as none
};

void ts_matrix_access_to(struct ts_matrix_access *access, const struct ts_matrix_view *m,
                         uint32_t word);
static inline struct ts_matrix_access ts_matrix_access(const struct ts_matrix_view *m,
                                                       uint32_t word)
{
    struct ts_matrix_access access;
    ts_matrix_access_to(&access, m, word);
    return access;
}
struct ts_refusal ts_matrix_execute(const struct ts_matrix_view *m, uint32_t word);

#endif
