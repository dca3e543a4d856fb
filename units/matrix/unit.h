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
#ifndef TENSIM_UNITS_MATRIX_UNIT_H
#define TENSIM_UNITS_MATRIX_UNIT_H

#include "units/files/files.h"
#include "units/matrix/op.h"
#include "units/pack/pack.h"

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
    struct ts_stream_plan plans[TS_STREAM_PLANS];
    struct ts_mvmul_run runs[TS_STREAM_PLANS]; // of the plans; empty: some need a broadcast
};

// May an instruction with this opcode enter, considering earlier instructions and the Src banks?
// False: *hold says what it waits for. The block of Dst is checked separately.
bool ts_matrix_open(const struct ts_matrix_unit *self, uint8_t op, ts_cycle now,
                    struct ts_hold *hold);

// What the configuration means for a thread's instructions.
struct ts_matrix_view *ts_matrix_view_of(struct ts_matrix_unit *self, unsigned thread);

// Can a stream begin with this MVMUL now? See stream.h.
bool ts_matrix_streams(struct ts_matrix_unit *self, struct ts_word first, ts_cycle now);
// If so: promises as many of these MVMULs of a thread as are certain to enter one a cycle, from
// `now` on. 0: none.
unsigned ts_matrix_stream(struct ts_matrix_unit *self, const uint32_t *words, unsigned count,
                          unsigned thread, ts_cycle now);

void ts_matrix_unit_init(struct ts_matrix_unit *self, struct ts_files *files,
                         struct ts_packer *packer, struct ts_domain *domain);

#endif
