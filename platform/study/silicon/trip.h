// Round trips over the NoC by a modelled core: the loop the reports describe. Looks at
// NOC_CMD_CTRL, writes seven registers, starts, polls the counter.
#ifndef TENSIM_STUDY_SILICON_TRIP_H
#define TENSIM_STUDY_SILICON_TRIP_H

#include "platform/study/silicon/rig.h"

// Cycles of one iteration of a loop of blocking requests by BRISC of tile 1-2.
double trip_cycles(const struct ts_silicon_context *context, unsigned noc, struct ts_noc_xy to,
                   bool read, uint32_t length, struct ts_error *error);

#endif
