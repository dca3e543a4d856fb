// Tables and bars of a TPUSH/TPOP run's page (pipe_page.c).
#ifndef TENSIM_REPORT_PIPE_TABLES_H
#define TENSIM_REPORT_PIPE_TABLES_H

#include "platform/study/pipe/path.h"

#include <jansson.h>

// The critical path by operation; where the cycles of each pipe went.
void ts_pipe_table_path(const struct ts_pipe_picture *self, json_t *page);
void ts_pipe_table_busy(const struct ts_pipe_picture *self, json_t *page);
// What is wrong; after a deadlock who waits for whom.
void ts_pipe_table_findings(const struct ts_pipe_run *run, json_t *page);
void ts_pipe_table_deadlock(const struct ts_pipe_run *run, json_t *page);

#endif
