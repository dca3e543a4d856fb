// report.html of one run: verdict, timeline, utilisation, stall matrix, set-up. One file that opens
// from disk.
#ifndef TENSIM_STUDY_REPORT_H
#define TENSIM_STUDY_REPORT_H

#include "platform/study/verdict.h"

struct ts_run_report {
    const struct ts_job *job;
    const struct ts_job_result *result;
    const struct ts_job_verdict *verdict;
    const json_t *stats;    // of the run
    const json_t *document; // the machine-readable result
    int argc;
    char **argv;
};

bool ts_report_write(const struct ts_run_report *self, const char *path);

#endif
