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

enum { OPTION_HTML = 512 };

static const struct argp_option options[] = {
    {"tolerance", 'T', "PERCENT,slower", 0,
     "how far cycles and errors may move (default 0); slower: fewer cycles and smaller errors are "
     "never beyond it",
     0},
    {"html", OPTION_HTML, "FILE", 0, "write the page to FILE", 0},
    {0},
};

struct arguments {
    struct ts_options options;
    struct ts_compare_limits limits;
    const char *sets[SETS], *html;
    unsigned count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    char *end;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case 'T':
        end = strstr(arg, "slower");
        self->limits.slower |= end && end[6] == '\0';
        if (end == arg)
            return 0;
        self->limits.tolerance = strtod(arg, &end);
        if (end == arg || (*end && strcmp(end, ",slower") != 0) || !(self->limits.tolerance >= 0))
            argp_error(state, "--tolerance: '%s' is not a percentage", arg);
        return 0;
    case OPTION_HTML:
        self->html = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (self->count == SETS)
            argp_error(state, "at most %d baselines: '%s'", SETS - 1, arg);
        self->sets[self->count++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (self->count < 2)
            argp_error(state, "name at least two runs or sets of runs");
        return 0;
    case ARGP_KEY_SUCCESS:
        ts_demand_writable(self->html);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ts_cmd_compare(int argc, char **argv);
int ts_cmd_compare(int argc, char **argv)
{
    struct arguments self = {0};
    struct ts_options_argp common;
    ts_options_init(&self.options);
    const struct argp_child children[] = {
        {ts_options_only(&common, &self.options, "out json quiet"), 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, "A... B", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
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
