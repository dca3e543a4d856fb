// tensim pipe tune: the variants of a program that are best in cycles or memory.
#include "platform/cli/cmd_pipe.h"
#include "platform/cli/results.h"
#include "platform/study/pipe/tune.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char doc[] =
    "Run a TPUSH/TPOP program for every combination of values of some keys, in parallel, and print "
    "the variants that no other beats in both cycles and memory.\v"
    "The keys are those of --vary, else those of `tune` in the program, else the depth of every "
    "pipe "
    "and its local slots. Variants that are refused, deadlock, race or give wrong data are counted "
    "and left out; those of the front are explored: \"proved\" is safe in every interleaving, "
    "\"unsure\" only ran well.\n"
    "With -o DIR a run that was stopped continues when you give the same command again; DIR gets "
    "tune.html, tune.json and tune.csv.\n"
    "Example: tensim pipe tune config/pipes/gemm-tunable.yaml -o out/tune";

enum { OPTION_VARY = 512 };

static const struct argp_option options[] = {
    {"vary", OPTION_VARY, "KEY=LIST", 0,
     "a key to vary (as --set) and its values: 1,2,4 or 1..8; may be repeated", 0},
    {0},
};

struct arguments {
    struct ts_options options;
    struct ts_tune tune;
    struct ts_error error;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case OPTION_VARY:
        if (!ts_tune_vary(&self->tune, arg, &self->error))
            argp_error(state, "--vary: %s", self->error.text);
        return 0;
    case ARGP_KEY_ARG:
        if (self->tune.program)
            argp_error(state, "one program at a time");
        self->tune.program = arg;
        return 0;
    case ARGP_KEY_END:
        if (self->tune.program == NULL)
            argp_error(state, "name a program");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --set of the command line; keys end in 0 instead of '='.
struct sets {
    struct ts_pipe_set set[TS_SETS_MAX];
    char text[TS_SETS_MAX][160];
    struct ts_pipe_sets sets;
};

static int read_sets(const struct ts_options *given, struct sets *self)
{
    for (size_t i = 0; i < given->set_count; i++) {
        snprintf(self->text[i], sizeof self->text[i], "%s", given->sets[i]);
        char *equals = strchr(self->text[i], '=');
        if (equals == NULL)
            return ts_complain(TS_USAGE, "--set: '%s' is not KEY=VALUE", self->text[i]);
        *equals = 0;
        self->set[i] = (struct ts_pipe_set){self->text[i], equals + 1};
    }
    self->sets = (struct ts_pipe_sets){.set = self->set, .count = given->set_count};
    return TS_OK;
}

static int write_results(struct arguments *self, struct ts_results *results)
{
    json_t *document = ts_tune_json(&self->tune);
    ts_results_json(results, "tune.json", document);
    ts_results_write(results, "tune.csv", ts_tune_csv, &self->tune);
    ts_results_write(results, "tune.html", ts_tune_page, &self->tune);
    int code = ts_output_json(self->options.json, document);
    json_decref(document);
    return code;
}

int ts_cmd_pipe_tune(int argc, char **argv)
{
    struct arguments *self = calloc(1, sizeof *self);
    struct sets *sets = calloc(1, sizeof *sets);
    if (self == NULL || sets == NULL)
        abort();
    ts_options_init(&self->options);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    self->options.threads = cores > 0 ? (uint32_t)cores : 1;
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(&common, &self->options, "set threads out json quiet"), 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, "PROGRAM", doc, children, NULL, NULL};
    argv[0] = (char[]){"tensim pipe tune"};
    argp_parse(&argp, argc, argv, 0, NULL, self);
    struct ts_tune *tune = &self->tune;
    char path[512];
    int code = read_sets(&self->options, sets);
    tune->sets = &sets->sets;
    tune->threads = self->options.threads;
    tune->quiet = self->options.quiet;
    struct ts_results results = {0};
    if (code == TS_OK && !ts_tune_axes(tune, &self->error))
        code = ts_complain_error(&self->error);
    if (code == TS_OK)
        code = ts_results_begin(&results, &self->options, NULL, argc, argv);
    if (code == TS_OK && self->options.out) {
        snprintf(path, sizeof path, "%s/results.jsonl", self->options.out);
        tune->results = path;
    }
    if (code == TS_OK) {
        code = (int)ts_tune_run(tune, &self->error);
        if (self->error.code != TS_OK)
            code = ts_complain_error(&self->error);
        if (code != TS_OK) {
            ts_results_drop(&results, code);
        } else {
            code = ts_results_end(&results, write_results(self, &results));
            if (ts_options_talk(&self->options))
                ts_tune_print(tune, stdout);
        }
    }
    ts_tune_free(tune);
    free(sets);
    free(self);
    return code;
}
