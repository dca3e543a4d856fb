// report.html of one run: verdict, roofline, timeline, semaphores, utilisation, who waits for what,
// stall matrix, set-up. One file that opens from disk.
#ifndef TENSIM_REPORT_REPORT_H
#define TENSIM_REPORT_REPORT_H

#include "platform/run/verdict.h"
#include "platform/trace/history.h"
#include "platform/trace/periods.h"

#include "platform/base/params.h"

struct ts_work;

struct ts_run_report {
    const struct ts_job *job;
    const struct ts_job_result *result;
    const struct ts_job_verdict *verdict;
    const json_t *stats;              // of the run
    const json_t *document;           // the machine-readable result
    const struct ts_history *record;  // NULL: nothing was kept over time
    const struct ts_periods *periods; // the chip over time; NULL: one tile ran
    const struct ts_work *work;       // all tiles
    const struct ts_params *params;
    uint32_t tiles; // that ran
    int argc;
    char **argv;
};

// A figure at the top of the page.
void ts_report_card(json_t *cards, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Parts of the page (report_time.c).
// `from`: where the time that they show begins; `window`: cycles of the kernel.
void ts_report_lanes(const struct ts_history *record, ts_cycle from, json_t *page);
void ts_report_levels(const struct ts_history *record, ts_cycle from, json_t *page);
void ts_report_waits(const struct ts_history *record, ts_cycle window, json_t *page);

// Parts of a program file's page (report_program.c).
void ts_report_zones(const struct ts_program_run *run, json_t *page);
void ts_report_zone_table(const struct ts_program_run *run, json_t *page);

// The chip, in places and over time (report_chip.c).
// `window`: cycles of the kernel, if there is boot before it.
void ts_report_map(const struct ts_periods *periods, ts_cycle span, ts_cycle window, json_t *page);
// Figures of the chip, for the cards.
void ts_report_chip_cards(const struct ts_work *work, json_t *cards);
// What the map wants of an object.
enum ts_periods_what ts_report_mapped(const struct ts_object *object);

// Where the cycles went, and what would make the run faster (report_loss.c).
void ts_report_loss(const json_t *document, json_t *page);
// The lints of the result (report_lints.c).
void ts_report_lints(const json_t *lints, json_t *page);

void ts_report_write(const struct ts_run_report *self, FILE *file);

#endif
