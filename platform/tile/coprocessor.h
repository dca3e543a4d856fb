// The Tensix coprocessor of a tile: its front ends and units, plugged into the cores' address
// space.
//
//   TRISC0..2 --push, MOP cfg--> front ends T0 T1 T2 --> sync cfg scalar misc mover
//   BRISC ------push----------->  (behind the MOP)   \-> matrix vector unpack pack:
//   ts_coprocessor_add cores <--- GPR, CFG, TDMA, semaphores, TTSync windows ---> units
//
// What a front end finds no unit for faults "not implemented" by name.
#ifndef TENSIM_TILE_COPROCESSOR_H
#define TENSIM_TILE_COPROCESSOR_H

#include "cores/frontend/frontend.h"
#include "platform/tile/tile.h"
#include "units/backend.h"
#include "units/cfg.h"
#include "units/matrix/unit.h"
#include "units/misc.h"
#include "units/mover.h"
#include "units/pack/unit.h"
#include "units/scalar/scalar.h"
#include "units/sync.h"
#include "units/unpack/unit.h"
#include "units/vector/unit.h"

#define TS_COPROCESSOR_SAYS 24

struct ts_coprocessor {
    struct ts_tile *tile;
    struct ts_tensix tensix;
    struct ts_backend backend;
    struct ts_frontend front[TS_THREADS];
    struct ts_sync sync;
    struct ts_config config;
    struct ts_scalar scalar;
    struct ts_misc misc;
    struct ts_mover mover;
    // The first reports (what hardware takes without a word and is nearly always a bug); all are
    // counted in tensix.reports.
    struct ts_said {
        enum ts_report report;
        uint8_t by;     // TS_BY_*
        uint32_t pc;    // of the core's instruction; TS_NO_PC: not known
        ts_cycle cycle; // the first time
        uint64_t count; // from the same place
        char text[320];
    } said[TS_COPROCESSOR_SAYS];
    unsigned said_count;
    uint32_t said_pc; // of what is reported now, where the caller knows better; TS_NO_PC
    // the data path
    struct ts_files files;
    struct ts_matrix_unit matrix;
    struct ts_vector_unit vector;
    struct ts_unpack_unit unpack[2];
    struct ts_pack_unit pack;
    struct ts_perturb stream[3]; // of the unpackers' and the packer's ports of L1
};

// Builds the coprocessor in the tile's domain and plugs its windows. The struct is the caller's,
// and must live as long as the kernel.
void ts_coprocessor_init(struct ts_coprocessor *self, struct ts_tile *tile);

// Reports what a core, or somebody for the tile, did; as ts_tensix_report. `pc`: TS_NO_PC if it is
// not known.
bool ts_coprocessor_lint(struct ts_tile *tile, enum ts_report report, unsigned by, uint32_t pc,
                         ts_cycle now, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
// "T0", "brisc", "the NoC".
const char *ts_by_name(unsigned by);

// soft_reset.c: the tile's hook for RISCV_DEBUG_REG_SOFT_RESET_0.
void ts_coprocessor_soft_reset(void *context, uint32_t before, uint32_t after, ts_cycle now);

// For struct ts_conform_options: allocates a coprocessor from the kernel and builds it.
bool ts_coprocessor_furnish(struct ts_tile *tile, void *context, struct ts_error *error);

#endif
