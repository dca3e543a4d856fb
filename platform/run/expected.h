// The error a kernel's result should have, so that a run can report whether its own is normal.
#ifndef TENSIM_RUN_EXPECTED_H
#define TENSIM_RUN_EXPECTED_H

#include "platform/run/job.h"

// An upper estimate of rel_l2 against double arithmetic on the same operands. It adds the losses of
// the format's and the fidelity's products, of sums in Dst, of the function and of the result's
// format.
double ts_expected_error(const struct ts_numbers *numbers);
// "expected for HiFi4 with 16-bit Dst", "larger than expected for ...: at most ...", or "exact".
void ts_expected_text(const struct ts_numbers *numbers, double rel_l2, char *text, size_t size);
// How many rows of the result are compared end to end: all, or as many of a large product as do not
// make the run much longer.
uint32_t ts_end_to_end_rows(const struct ts_numbers *numbers);
// Why more fidelity may not give less error here, as a sentence; NULL: it gives less.
const char *ts_expected_note(const struct ts_numbers *numbers);
// Of a run with MVMULs: fidelity_rel_l2, what the fidelity takes from products of N(0,1) (config/fidelity_error.def), and
// fidelity_note, if fewer phases would take no more.
void ts_fidelity_json(const struct ts_numbers *numbers, json_t *document);

#endif
