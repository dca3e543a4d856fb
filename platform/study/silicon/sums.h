// The sum of 1024 values: eight GAPOOL or MVMUL, and three ways to add up what is left in Dst.
#ifndef TENSIM_STUDY_SILICON_SUMS_H
#define TENSIM_STUDY_SILICON_SUMS_H

#include "platform/study/silicon/silicon.h"

enum sum_finish { BY_VECTOR, BY_TRANSPOSE, BY_ROW };

// The words of a finish; how many.
unsigned sum_finish(enum sum_finish how, uint32_t op, uint32_t words[32]);
// From L1, by all three threads: cycles from the launch of the unpackers until T1 has its sum and
// has notified T2. Packing is not in the published interval: nothing waits for it before the marker.
double sum_from_l1(enum sum_finish how, const struct ts_silicon_context *context,
                   struct ts_error *error);

#endif
