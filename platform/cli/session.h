// One run from elaboration to exit code: run directory, trace, host thread, stats, hang report,
// verdict.
#pragma once

#include "platform/activity/activity.h"
#include "platform/cli/results.h"
#include "platform/out/progress.h"
#include "platform/trace/events.h"
#include "platform/trace/history.h"
#include "platform/trace/periods.h"

struct ts_session {
    const struct ts_options *options;
    const struct ts_params *params; // NULL: those of `sim`
    struct tensim *sim;             // of the library; or NULL, and
    struct ts_kernel *kernel;       // built, not elaborated
    uint32_t clock_mhz;             // of `kernel`; the library's instance knows its own
    int argc;
    char **argv;
    ts_cycle limit; // of ts_session_run_sim, not a failure of its own; 0: --max-cycles
    bool patient;   // the host will act again: cores that only poll are no hang
    bool embedded;  // in a host's program: no signals, no progress, nothing on stdout
    bool explains;  // the command reports a hang in its own words
    bool content;   // all that was asked for has happened: that everybody waits then is no hang
    // For the progress line: how much work there is in what unit, and how much of it is done (called
    // whenever the watchdog looks; NULL: the unit is cycles). 0: not known.
    double work;
    const char *unit;
    double (*done)(void *context);
    void *done_context;
    bool again; // the same run once more, for its checks: only what they find is reported
    // Repeats a program whose result is wrong under all checks; NULL: not asked for. What they find, or NULL.
    json_t *(*recheck)(void *context);
    void *recheck_context;
    bool by_line;             // --lines
    const char *lines;        // the source or line that it shows; NULL: all
    const struct ts_why *why; // repeats the run with resources for free; NULL: not asked for
    FILE *printed;            // what kernels print; NULL: stderr
    const char *record;       // file for the first tile's operations (--record); or NULL
    const char *near;         // file for the near misses of all tiles (--search=near); or NULL
    const struct ts_domain **recorded; // a run directory's report shows these over time; or NULL
    size_t recorded_count;
    // Set: the report shows the chip over time, with what this wants of each object.
    enum ts_periods_what (*mapped)(const struct ts_object *object);
    // Results.
    struct ts_run run;
    double seconds;      // of simulation
    unsigned findings;   // of checks
    json_t *stats;       // NULL: nobody has asked for them
    json_t *document;    // what --json writes; commands add to it
    const char *schema;  // of the document, if it has a page (report/page.h); NULL: it has none
    json_t *drawing;     // what only the page needs, or NULL
    json_t *hang;        // the wait-for graph, after a deadlock
    json_t *limit_story; // what the cores did at the cycle limit; given to the document
    struct ts_history *history;   // of `recorded`
    struct ts_periods *periods;   // of `mapped`
    struct ts_activity *activity; // --activity
    struct ts_released *released; // waits that ended, for it; NULL: nobody logs them
    struct ts_results results;    // of the run directory; commands add files to it
    // Private.
    struct ts_trace *trace; // not of the library: the report's history is on the same bus
    struct ts_trace_names *names;
    struct ts_trace_end trace_ends[TS_TRACE_FORMATS];
    struct ts_host *host;
    struct ts_progress *progress;
};

// Takes the run directory, elaborates, starts trace, progress and host thread. An exit code; TS_OK to go on.
int ts_session_begin(struct ts_session *self);
// Runs to `limit` or --max-cycles, whichever is first. May be called again.
enum ts_stop ts_session_run(struct ts_session *self, ts_cycle limit);
// Runs `sim` to its end, to `until` (NULL: none) or to --max-cycles. An exit code is left to
// ts_session_end. *at: when the word had its value; 0: it had not.
void ts_session_run_sim(struct ts_session *self, const struct tensim_until *until, uint64_t *at);
// Ends trace and host thread and collects the results. An exit code that stands for the stop
// reason; a limit that is not --max-cycles is a normal end.
int ts_session_end(struct ts_session *self);
// Writes the results: run directory, --json, --stats-hash. Call after adding to `document` and
// `results`. Returns `code`, or what went wrong in writing.
int ts_session_write(struct ts_session *self, int code);
void ts_session_free(struct ts_session *self);
// The host thread of the session that runs ends before it: the process will be copied.
void ts_session_leave_host(void);

// problems.c: problems of a run as compilers write them, FILE:LINE:COLUMN: severity: text, so that editors jump to them (--problems).
// Lints, findings of checks, the fault and the waits of a hang, from a run's document: those whose line is known.
void ts_problems_print(const json_t *document, FILE *file);
// A message that begins with a place, "program.yaml:12:14: text"; nothing if it does not.
void ts_problems_message(const char *message, FILE *file);

// work_session.c: the run of a low-level kernel or of a program file: session, verdict, report.
// Runs the work of session->sim. Returns the exit code.
int ts_work_session(struct ts_session *session);
// The first wrong element of each tensor of a program that has run, and who wrote it last: on stderr.
void ts_work_differs(const struct ts_session *session);

// card_loop.c: in place of ts_session_run_sim, for a program on one chip. An exit code: of the argument alone.
int ts_card_loop(struct ts_session *session);
