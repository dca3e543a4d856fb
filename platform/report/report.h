// report.html of one run: verdict, roofline, timeline, semaphores, utilisation, who waits for what,
// stall matrix, set-up. One file that opens from disk.
#ifndef TENSIM_REPORT_REPORT_H
#define TENSIM_REPORT_REPORT_H

#include "platform/run/verdict.h"
#include "platform/trace/history.h"

#include "platform/base/params.h"

struct ts_run_report {
    const struct ts_job *job;
    const struct ts_job_result *result;
    const struct ts_job_verdict *verdict;
    const json_t *stats;             // of the run
    const json_t *document;          // the machine-readable result
    const struct ts_history *record; // NULL: nothing was kept over time
    const struct ts_params *params;
    uint32_t tiles; // that ran; the page shows the first
    int argc;
    char **argv;
};

// Parts of the page (report_time.c).
void ts_report_lanes(const struct ts_history *record, json_t *page);
void ts_report_levels(const struct ts_history *record, json_t *page);
void ts_report_waits(const struct ts_history *record, json_t *page);

// Parts of a program file's page (report_program.c).
void ts_report_zones(const struct ts_program_run *run, json_t *page);
void ts_report_zone_table(const struct ts_program_run *run, json_t *page);

// Of many tiles: a map of the chip (report_chip.c).
void ts_report_map(const json_t *stats, ts_cycle span, json_t *page);

// Where the cycles went, and what would make the run faster (report_loss.c).
void ts_report_loss(const json_t *document, json_t *page);
// The lints of the result (report_lints.c).
void ts_report_lints(const json_t *lints, json_t *page);

void ts_report_write(const struct ts_run_report *self, FILE *file);

#endif
