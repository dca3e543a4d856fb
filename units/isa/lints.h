// Lints: their list (lints.def), ranked by harm, and the choice of those that are shown.
#ifndef TENSIM_UNITS_ISA_LINTS_H
#define TENSIM_UNITS_ISA_LINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ts_report {
#define TS_LINT(name, level, id, text) TS_REPORT_##name,
#include "config/lints.def"
#undef TS_LINT
    TS_REPORT_COUNT
};

enum ts_lint_level { TS_LINT_ERROR, TS_LINT_HAZARD, TS_LINT_IDIOM };

const char *ts_report_name(enum ts_report report); // what is wrong, in words
const char *ts_report_id(enum ts_report report);   // "semget-dropped"
const char *ts_report_level(enum ts_report report);

// A choice has a bit for each lint that is shown.
uint32_t ts_lints_default(void); // errors and hazards

// Reads "LEVEL[,-NAME][,NAME]...": error, hazard or all, without some lints and with others. False:
// `text` says what is wrong.
bool ts_lints_parse(const char *choice, uint32_t *shown, char *text, size_t size);

#endif
