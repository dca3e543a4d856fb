// A whole tile for a row: programs for any of its cores, coprocessor, overlay counters, and a chip
// around it where the row needs one. Markers as the operation tests of blackhole-py have them:
// the clock is read and stored in L1; an empty pair takes 12 to 13 cycles on the card.
#ifndef TENSIM_STUDY_SILICON_STAGE_H
#define TENSIM_STUDY_SILICON_STAGE_H

#include "cores/riscv/assemble.h"
#include "platform/study/silicon/rig.h"
#include "platform/tile/tile.h"

struct stage {
    const struct ts_silicon_context *context;
    struct ts_error *error;
    struct ts_rvasm code[TS_RV_CORES];
    unsigned active;     // mask of cores that run
    bool chip;           // the tile stands at 1-4 of a p150
    struct ts_chip *net; // while it is being built: for addresses of requests
    struct ts_tile *tile;
    struct ts_kernel *kernel;
    uint32_t *overlay; // counters of the streams
    // Of the cores, as the launch before left it, and as this one does. NULL: never launched before.
    struct ts_rv_predictor *learnt;
    unsigned launch; // 0: the first one
};

// Rows that are a median of many launches have a branch predictor that knows the program: two launches, and the second one
// counts.
#define STAGE_LAUNCHES 2

// Registers that every program may use; markers use STAGE_T only.
enum { STAGE_ZERO, STAGE_T = 5, STAGE_V = 6, STAGE_TOTAL = 7 };

// The counters of a tile's overlay streams as plain registers: STAGE_OVERLAY bytes of them.
#define STAGE_OVERLAY 0x40000
struct ts_window stage_overlay(uint32_t *words);

struct stage *stage_new(const struct ts_silicon_context *context, bool chip,
                        struct ts_error *error);
// The program of a core; it runs then.
struct ts_rvasm *stage_core(struct stage *self, unsigned core);
// Runs all programs; cycles between the markers of the core that has them. NAN: it failed.
double stage_run(struct stage *self);
void stage_free(struct stage *self);

// Markers: one interval, or several that add up.
void stage_start(struct ts_rvasm *code);
void stage_stop(struct ts_rvasm *code);
void stage_add_start(struct ts_rvasm *code);
void stage_add_stop(struct ts_rvasm *code);
// The interval between two readings of the clock in registers.
void stage_keep(struct ts_rvasm *code, unsigned start, unsigned stop);
// li as the card's assembler writes it; sw of a constant to an address; an end.
void stage_store(struct ts_rvasm *code, uint32_t address, uint32_t value);
void stage_tensix(struct ts_rvasm *code, uint32_t word);
void stage_sync(struct ts_rvasm *code);
void stage_end(struct ts_rvasm *code);

// Room for a branch or jump; and the one there leads to here.
static inline unsigned stage_forward(struct ts_rvasm *code)
{
    ts_rvasm_word(code, 0);
    return code->count - 1;
}

static inline void stage_land(struct ts_rvasm *code, unsigned from, enum ts_rv_op op, unsigned a,
                              unsigned b)
{
    if (!code->overflow)
        code->words[from] = ts_rv_encode(op, 0, a, b, (int32_t)(code->count - from) * 4);
}

#endif
