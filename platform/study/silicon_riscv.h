// Re-creates the measurements of config/silicon_riscv.def: guest programs made on the spot, timed
// in the simulator.
//
// Shapes, by what was measured:
//   PROBE16      loop of 16 instructions and addi, bne; cycles per body instruction, loop included
//   BLOCK        loop of 64 instructions and addi, bne; cycles per instruction, loop subtracted
//   LOOP         loop of n instructions and addi, bne; cycles per body instruction
//   RETIRED      loop of n instructions and addi, bne; cycles per retired instruction
//   COUNTED      loop of three instructions and the body; raw cycles of 10,000 rounds
//   RAW          the same; cycles per round
//   MINUS3       the same; cycles per round less the three of the loop
//   MINUS3_HALF  the same for two loads a round
#ifndef TENSIM_STUDY_SILICON_RISCV_H
#define TENSIM_STUDY_SILICON_RISCV_H

#include "platform/tile/tile.h"

struct ts_silicon_row {
    const char *id;
    double measured;
    uint8_t shape, probe;
    uint16_t count;
    uint32_t cfg0;
    uint8_t timed;  // enum ts_rv_id
    uint8_t active; // mask of cores
};

struct ts_silicon_result {
    const struct ts_silicon_row *row;
    const char *probe;
    double simulated;
    double error;       // (simulated - measured) / measured
    const char *reason; // why it is off by more than 10 %; NULL if it is not
};

struct ts_silicon_summary {
    size_t rows;
    double median, p90, worst; // of the absolute errors
};

extern const struct ts_silicon_row ts_silicon_riscv[];
extern const size_t ts_silicon_riscv_count;

// Runs one row. False: error.
bool ts_silicon_riscv_run(const struct ts_silicon_row *row, const struct ts_rv_params *params,
                          struct ts_silicon_result *result, struct ts_error *error);
struct ts_silicon_summary ts_silicon_summary(const struct ts_silicon_result *results, size_t count);

#endif
