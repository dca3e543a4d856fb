// tensim compare: runs, or sets of runs, against one or several baselines: what moved, by which cause.
#include "platform/cli/common.h"
#include "platform/cli/results.h"
#include "platform/study/compare/compare.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Compare two runs, or two sets of runs: what moved, and by which cause.\v"
    "The last one, B, is compared with each of the others. They are run directories (-o of any "
    "command), directories of a sweep, directories of such "
    "directories, or files that a command wrote with --json. Runs are compared by name. Exit code "
    "1 if cycles differ or errors grow by more than the tolerance, if a run stops differently, or "
    "if one side alone has it: a gate for CI.";

#define SETS 9

struct arguments {
    struct ts_options options;
    struct ts_compare_limits limits;
    const char *sets[SETS], *html;
    unsigned count;
};

static void parse_tolerance(void *input, char *arg, struct argp_state *state)
{
    struct ts_compare_limits *limits = &((struct arguments *)input)->limits;
    char *end = strstr(arg, "slower");
    limits->slower |= end && end[6] == '\0';
    if (end == arg)
        return;
    limits->tolerance = strtod(arg, &end);
    if (end == arg || (*end && strcmp(end, ",slower") != 0) || !(limits->tolerance >= 0))
        argp_error(state, "--tolerance: '%s' is not a percentage", arg);
}

static const struct ts_take takes[] = {
    TS_CALL("tolerance", parse_tolerance), TS_FILE("html", struct arguments, html), {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (self->count == SETS)
        argp_error(state, "at most %d baselines: '%s'", SETS - 1, arg);
    self->sets[self->count++] = arg;
}

static void take_end(void *input, struct argp_state *state)
{
    const struct arguments *self = input;
    if (self->count < 2)
        argp_error(state, "name at least two runs or sets of runs");
}

int ts_cmd_compare(int argc, char **argv)
{
    struct arguments self = {0};
    ts_parse(&(struct ts_parser){.takes = takes,
                                 .common = "out json quiet",
                                 .words = "A... B",
                                 .doc = doc,
                                 .word = take_word,
                                 .end = take_end},
             argc, argv, &self);
    struct ts_results results;
    struct ts_error error = {0};
    json_t *document = ts_compare(self.sets, self.count - 1, self.sets[self.count - 1],
                                  &self.limits, &error);
    if (document == NULL)
        return ts_complain_error(&error);
    int code = ts_compare_beyond(document) ? TS_DIFFERS : TS_OK;
    int begun = ts_results_begin(&results, &self.options, NULL, argc, argv);
    if (begun == TS_OK) {
        ts_results_page(&results, document, NULL);
        code = ts_results_end(&results, code);
        int written = ts_output_page(self.html, document, NULL, NULL);
        written = written ? written : ts_output_json(self.options.json, document);
        code = written ? written : code;
        if (ts_options_talk(&self.options) && !self.options.quiet)
            ts_compare_print(document, stdout);
    }
    json_decref(document);
    return begun ? begun : code;
}
