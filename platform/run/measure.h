// FLOP of a run, and figures in the units that fit a kernel: elements a cycle for kernels that work tile by tile,
// operations and FLOP/s of the vector unit for functions, the chip's sum for a grid of tiles.
//
// The vector unit has 32 lanes and executes an instruction a cycle: 64 FLOP with SFPMAD, which is its
// roof. An MVMUL is 8 x 16 x 16 products and sums, 64 times as much.
#ifndef TENSIM_RUN_MEASURE_H
#define TENSIM_RUN_MEASURE_H

#include "platform/run/job.h"

#define TS_VECTOR_LANES 32
#define TS_VECTOR_FLOPS (2 * TS_VECTOR_LANES) // of an SFPMAD

// FLOP of words that passed a tile's math gate, by opcode (config/flops.def), and the cycles that the unit takes for them
// at least: flops / cycles is its peak for them, a cycle.
struct ts_flops {
    double flops, cycles;
};
// The matrix unit's: `phases` of math fidelity are words of the same FLOP. `only`: an opcode, or 0 for all.
struct ts_flops ts_flops_matrix(const struct ts_tile *tile, uint32_t phases, unsigned only);

struct ts_measures {
    double elements;   // of the result a cycle; 0: not a kernel that works tile by tile
    double operations; // lanes of the vector unit that worked, a cycle; 0: none did
    uint64_t flops;    // of the vector unit, all lanes
};

void ts_measures_make(struct ts_measures *self, const struct ts_job *job,
                      const struct ts_job_result *result);
#endif
