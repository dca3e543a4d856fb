// The stages of a kernel's pipeline, and which of them is the slowest.
//
//   ncrisc --> unpack (TRISC0, T0, unpackers) --> math (TRISC1, T1, matrix, vector) --> pack (TRISC2, T2, packer) --> brisc
//
// A stage that waits for another one (a circular buffer, a semaphore, a bank of SrcA) would not be faster if its own work took
// less. The stage that waits least for others sets the pace: its own time is the run's. What this time consists of is
// the bound: its unit, its code, its transfers. From the accounts of all tiles in the kernel's window (marks.h).
//
// Inaccuracies: a core that runs ahead of its thread may wait while the thread still works; both count. Own times are means
// of the tiles.
#ifndef TENSIM_RUN_STAGES_H
#define TENSIM_RUN_STAGES_H

#include <stdbool.h>

struct ts_work;

enum ts_stage_id {
    TS_STAGE_BRISC,
    TS_STAGE_NCRISC,
    TS_STAGE_UNPACK,
    TS_STAGE_MATH,
    TS_STAGE_PACK,
    TS_STAGES
};

// What a stage does with its own time, as shares of the window.
enum ts_stage_part {
    TS_PART_DRAM,   // transfers from or to DRAM under way
    TS_PART_NOC,    // other transfers
    TS_PART_CODE,   // instructions of its core
    TS_PART_UNIT,   // the unpackers, the matrix unit, the packer
    TS_PART_SECOND, // the vector unit
    TS_PART_ISSUE,  // all else: instructions of its thread, waits within the stage
    TS_PARTS
};

struct ts_stage {
    bool used;
    double own;
    double part[TS_PARTS];
};

// Of a work whose window is closed.
void ts_stages_make(struct ts_stage stages[TS_STAGES], const struct ts_work *work);

// What cores that move data do with their own time: those that other tiles wait for, weighted by how long they do. As
// shares of all of it; CODE is of BRISC, SECOND of NCRISC.
void ts_stages_movers(double part[TS_PARTS], const struct ts_work *work);

extern const char *const ts_stage_names[TS_STAGES];

#endif
