// The roofs over a run: every resource that bounds it, how much of it was used in the kernel's window, the nearest first.
//
//   unit at this fidelity, vector unit, unpackers, packer, L1, the busiest link of each NoC, DRAM
//
// share: of the window in which the resource works, of a unit at a fidelity the utilisation. With that resource alone the run would
// take `share` of its time, so its roof is at rate / share. Rates of units, unpackers, packer and L1 are of all cores of a
// program, of one tile of a kernel; those of networks are of the chip.
#ifndef TENSIM_RUN_ROOFS_H
#define TENSIM_RUN_ROOFS_H

#include "platform/run/loss.h"

#define TS_ROOFS 8
#define TS_NEAR  0.60 // a roof that is nearer is the limit

struct ts_job_verdict;
struct ts_work;

struct ts_roof {
    char name[32]; // "DRAM", "NoC 0"
    enum ts_resource of;
    double share;      // of it that is used
    double rate, peak; // what passes it and what can; 0: not known
    const char *unit;  // of both: "TFLOP/s", "GB/s"
    char detail[128];
};

// After ts_marks_close and the figures of the verdict. Returns how many.
unsigned ts_roofs_make(struct ts_roof *to, const struct ts_job_verdict *verdict,
                       const struct ts_work *work);
// [{name, share, rate, peak, unit, detail}, ...]
json_t *ts_roofs_json(const struct ts_roof *roofs, unsigned count);

#endif
