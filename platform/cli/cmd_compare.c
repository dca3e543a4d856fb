// tensim compare: runs, or sets of runs, against one or several baselines: what moved, by which cause.
#include "platform/cli/results.h"
#include "platform/study/compare/compare.h"

struct arguments {
    struct ts_options options;
    struct ts_compare_limits limits;
    struct ts_texts words; // the last is compared with the others
    const char *html;
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
    TS_CALL("tolerance", parse_tolerance), TS_FORM("html", FILE, struct arguments, html), {0}};

int ts_cmd_compare(int argc, char **argv)
{
    struct arguments self = {0};
    ts_parse(&(struct ts_parser){.help = "compare",
                                 .takes = takes,
                                 .common = "out json quiet",
                                 .to = offsetof(struct arguments, words)},
             argc, argv, &self);
    struct ts_results results;
    struct ts_error error = {0};
    json_t *document = ts_compare(self.words.text, (unsigned)self.words.count - 1,
                                  self.words.text[self.words.count - 1], &self.limits, &error);
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
