// The verdict on a run: how fast, how much of the peak, what bounds it and why, how exact.
#ifndef TENSIM_RUN_VERDICT_H
#define TENSIM_RUN_VERDICT_H

#include "platform/run/measure.h"
#include "platform/run/ranking.h"
#include "platform/run/roofs.h"
#include "platform/run/trust.h"

#include <jansson.h>
#include <stdio.h>

struct ts_loss_account;
struct ts_work;

// Activity of a component in the run.
struct ts_share {
    const char *name; // last part of the path
    double busy;      // of the window
    struct {
        enum ts_stall reason;
        double share;
    } stalls[4]; // largest first; share 0 ends
};

struct ts_job_verdict {
    ts_cycle cycles; // of the loop
    ts_cycle first,
        window;    // the kernel's window (marks.h): its begin, its cycles, the base of `shares`
    ts_cycle span; // of the complete run, boot included
    uint32_t clock_mhz;     // chip.clock_mhz
    double seconds;         // at that clock
    double cycles_per_unit; // product or tile
    double ideal;           // minimum cycles of the unit
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
    struct ts_trust trust;
    struct ts_ranking ranking; // of several tiles
    struct ts_share shares[32];
    unsigned share_count;
    const struct ts_loss_account *loss; // of the work; NULL: none
};

// After the run of a work whose window is closed.
void ts_verdict_make(struct ts_job_verdict *self, const struct ts_work *work,
                     const struct ts_run *run);
// What bounds the run, by its loss account (bound.c).
void ts_verdict_bound(struct ts_job_verdict *self, const struct ts_work *work);
void ts_verdict_print(const struct ts_work *work, FILE *file);
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
// Adds {cycles, cycles_per_product, tflops, utilisation, intensity, bound_by, rel_l2, pcc, max_ulp,
// ...}.
void ts_verdict_json(const struct ts_work *work, json_t *document);

// A line if values are NaN or infinite.
void ts_verdict_odd(const struct ts_agreement *agreement, const char *indent, FILE *file);

const char *ts_fidelity_name(uint32_t phases);

#endif
