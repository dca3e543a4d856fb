// The verdict on a run: how fast, how much of the peak, what bounds it and why, how exact.
#ifndef TENSIM_RUN_VERDICT_H
#define TENSIM_RUN_VERDICT_H

#include "platform/run/measure.h"
#include "platform/run/roofs.h"

#include <jansson.h>

struct ts_loss_account;
struct ts_work;

struct ts_job_verdict {
    ts_cycle cycles; // of the loop
    ts_cycle first,
        window;             // the kernel's window (marks.h): its begin, its cycles
    ts_cycle span;          // of the complete run, boot included
    uint32_t clock_mhz;     // chip.clock_mhz
    double seconds;         // at that clock
    double cycles_per_unit; // product or tile
    struct ts_measures measures;
    char scope[24];         // of what cycles, FLOP, words and the roofs of units are: "all 4 tiles"
    uint64_t mvmuls, nops;  // that the math threads executed in the complete run
    double tflops;          // useful: of the products that were asked for
    double padding;         // of all products that were executed, the share that was not asked for
    double device;          // utilisation while the math kernels run; 0: not known
    ts_cycle device_cycles; // which is so long on average
    double peak_tflops;     // of this fidelity
    double utilisation;     // ideal / cycles
    double intensity;       // MVMUL / (MVMUL + NOP), as the vendor defines throttling
    double math_busy;       // of the unit that computes, share of the loop
    const char *bound_by;   // its kind
    char bound_object[32];  // its name: "matrix", "trisc0", "DRAM"
    char evidence[420];
    struct ts_roof roofs[TS_ROOFS]; // the nearest first
    unsigned roof_count;
};

#define TS_RESULT_VERSION 3 // of the document

// After the run of a work whose window is closed.
void ts_verdict_make(struct ts_job_verdict *self, const struct ts_work *work,
                     const struct ts_run *run);
// What bounds the run, by its loss account (bound.c).
void ts_verdict_bound(struct ts_job_verdict *self, const struct ts_work *work);
// What passes DRAM and the NoCs in the kernel's window.
struct ts_network_use {
    double dram, link, eth;      // shares of the window in which the busiest channel and links work
    double dram_rate, dram_peak; // GB/s, of all channels
    uint32_t channel;            // the busiest
    const char *path;            // of the busiest link
    double eth_rate, eth_peak;   // GB/s that leave by the busiest Ethernet link
    uint32_t eth_channel;        // it
};
struct ts_network_use ts_network_use_of(const struct ts_work *work);
// Adds the figures of config/figures.def.
void ts_verdict_json(const struct ts_work *work, json_t *document);
// {families: [{name, title, rows, median, p90}, ...], not_vendor: [words]}; errors in percent (trust.c).
json_t *ts_trust_json(const struct ts_job_verdict *verdict, const struct ts_work *work);
// {slowest, median, fastest: {tile, cycles, behind_percent}, cause, work}; NULL: there is nothing to rank (ranking.c).
json_t *ts_ranking_json(const struct ts_work *work);
// Cycles of a tile up to the end of its last kernel.
ts_cycle ts_ranking_cycles(const struct ts_work *work, uint32_t tile);

const char *ts_fidelity_name(uint32_t phases);

#endif
