// units/matrix/unit.h: the Matrix Unit (FPU) in time: when an instruction may enter, and until when
// it works.
//
//   wait gates T0 T1 T2 --> [ one instruction a cycle for all threads ] <--> Dst
//                                   ^
//                  SrcA, SrcB banks that unpackers handed over
//
// Source: tt-isa-documentation MatrixUnit.md and its instruction pages; bodies in op.h.
// Timing: matrix_* of config/blackhole.yaml. An instruction that needs a block of Dst written too
// few cycles ago keeps the port: other threads wait behind it (measured: rows S0004, B0406).
// Inaccuracies: data change at issue; only busy_until models the pipeline's depth.
#pragma once

#include "units/files/files.h"
#include "units/matrix/op.h"
#include "units/pack/pack.h"

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
