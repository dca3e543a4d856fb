// Runs a row: its programs are assembled at build time (config/silicon, config/probes).
//
// The sources of a family are assembled into two images (cores/guest/CMakeLists.txt): NAME.text, the code
// of all rows, and NAME.index, which says for each row what runs where and which words are results
// (config/probes/probe.inc lists the directives). A row is a number of runs on fresh models; the
// figures follow from the results of all of them.
#pragma once

#include "platform/study/silicon/silicon.h"

#define TS_LAUNCH_RESULTS 4200

// Fills simulated[0] and, for further figures, simulated[1..]. An error fails the row.
void ts_launch(const char *family, const struct ts_silicon_row *row,
               const struct ts_silicon_context *context, double *simulated, struct ts_error *error);
