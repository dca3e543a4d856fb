// units/matrix/unit.h: the Matrix Unit (FPU) in time: when an instruction may enter, and until when
// it works.
//
//   wait gates T0 T1 T2 --> [ one instruction a cycle for all threads ] <--> Dst
//                                   ^
//                  SrcA, SrcB banks that unpackers handed over
//
// Source: tt-isa-documentation MatrixUnit.md and its instruction pages; bodies in op.c.
// Timing: matrix_* of config/blackhole.yaml. An instruction that needs a block of Dst written too
// few cycles ago keeps the port: other threads wait behind it (measured: rows S0004, B0406).
// Inaccuracies: data change at issue; only busy_until models the pipeline's depth.
#pragma once

#include "units/files/files.h"
#include "units/isa/effects.h"
#include "units/matrix/matrix.h"
#include "units/pack/pack.h"

// One matrix-unit instruction from its word: rows from RWCs and bases, the body, then address
// modifier and flips.
//
// The timed component calls ts_matrix_access first (which banks it must own, which Dst rows are
// touched: for the wait gate and the Dst hazards), then ts_matrix_execute. Nothing here depends on
// time.

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

#define TS_MATRIX_PLANS 64

// Which MVMULs a plan is for, and what else decides what they do.
struct ts_matrix_key {
    uint16_t mods[3][8]; // the thread's ADDR_MODs
    struct ts_rwc rwc;   // the thread's counters before the first word
    uint16_t base;       // of Dst
    uint8_t layout;      // of Dst
    uint8_t count;       // of words
};

// What the MVMULs of a promise do, as long as the blocks of Dst are ready: the same words often come
// back.
struct ts_matrix_plan {
    struct ts_matrix_key key;
    uint32_t words[TS_PROMISE_MOST];
    uint8_t count; // of words that enter one a cycle
    uint8_t row_a; // SrcA row of the last one
    uint8_t block[TS_PROMISE_MOST];
    uint64_t blocks[2]; // of Dst that they write, low halves too
    uint8_t uses;       // how many blocks, without those
    struct {
        uint8_t block, first, last; // the first and the last word that write it
    } use[TS_PROMISE_MOST];
    struct ts_rwc after; // the thread's counters behind all of them
};

struct ts_matrix_unit {
    struct ts_unit unit;
    struct ts_files *files;
    struct ts_packer *packer; // CLREXPHIST clears the packer's histogram
    uint8_t last_row_a;
    // pipeline: what the last instructions block
    ts_cycle free;        // the port is taken for complete cycles: MOVA2D, SHIFTXB
    ts_cycle after_move;  // instructions that MOVA2D.md delays wait until this cycle
    ts_cycle after_movd2; // before this cycle only the same kind of MOVD2x
    uint8_t movd2_op;
    // what follows from the configuration, by thread, while its generation stays
    struct ts_alu_cfg alu[TS_THREADS];
    struct ts_matrix_view view[TS_THREADS];
    uint32_t generation[TS_THREADS];
    bool half; // MOVA2D: half a cycle is left over
    struct ts_matrix_plan plans[TS_MATRIX_PLANS];
    struct ts_mvmul_run runs[TS_MATRIX_PLANS]; // of the plans; empty: some need a broadcast
    const struct ts_matrix_plan *promised;
};

// May an instruction with this opcode enter, considering earlier instructions and the Src banks?
// False: *hold says what it waits for. The block of Dst is checked separately.
bool ts_matrix_open(const struct ts_matrix_unit *self, uint8_t op, ts_cycle now,
                    struct ts_hold *hold);

// What the configuration means for a thread's instructions.
struct ts_matrix_view *ts_matrix_view_of(struct ts_matrix_unit *self, unsigned thread);

// Promises of MVMULs: see struct ts_unit_ops.
bool ts_matrix_promises(struct ts_unit *unit, struct ts_word first, ts_cycle now);
bool ts_matrix_promise(struct ts_unit *unit, struct ts_promise *promise);
void ts_matrix_apply(struct ts_unit *unit, const struct ts_promise *promise, ts_cycle to);

void ts_matrix_unit_init(struct ts_matrix_unit *self, struct ts_files *files,
                         struct ts_packer *packer, struct ts_domain *domain);
