// Lints: their list (lints.def), ranked by harm, and the choice of those that are shown.
#pragma once

#include "platform/base/std.h"

enum ts_report {
#define TS_LINT(name, ...) TS_REPORT_##name,
#include "config/lints.def"
    TS_REPORT_COUNT
};

// The worst first.
enum ts_lint_harm {
    TS_LINT_RESULT,
    TS_LINT_HANG,
    TS_LINT_PORTABILITY,
    TS_LINT_STYLE,
    TS_LINT_HARMS
};

struct ts_lint_info {
    const char *id;   // "semget-dropped"
    const char *text; // what is wrong
    const char *cure; // what to do
    const char *source;
    enum ts_lint_harm harm;
    bool idiom; // of the vendor's kernels, harmless on silicon: shown only on request
};
extern const struct ts_lint_info ts_lint_info[TS_REPORT_COUNT];

const char *ts_report_name(enum ts_report report); // what is wrong, in words
const char *ts_report_id(enum ts_report report);
const char *ts_report_harm(enum ts_report report); // "wrong result"
const char *ts_lint_harm_name(enum ts_lint_harm harm);

// A choice has a bit for each lint that is shown.
#define TS_LINT_BIT(report) (UINT64_C(1) << (report))
uint64_t ts_lints_default(void); // all but the idioms
uint64_t ts_lints_harmful(void); // wrong results and hangs: --lint=strict stops at these

// Reads "HARM[,-NAME][,NAME]...": result, hang, portability, style (each with those before it) or all
// (idioms too), without some lints and with others. False: `text` says what is wrong.
#define TS_LINTS_TEXT 1200
bool ts_lints_parse(const char *choice, uint64_t *shown, char *text, size_t size);
