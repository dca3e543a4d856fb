// tensim pipe tune: the variants of a program that are best in cycles or memory.
#include "platform/cli/cmd_pipe.h"
#include "platform/cli/crew_options.h"
#include "platform/cli/results.h"
#include "platform/study/pipe/tune.h"

#include <stdlib.h>
#include <string.h>

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
    struct ts_crew_options crew;
    struct ts_tune tune;
    struct ts_error error;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->crew;
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
    ts_results_page(results, document, NULL);
    ts_results_write(results, "tune.csv", ts_tune_csv, &self->tune);
    int code = ts_output_json(self->options.json, document);
    json_decref(document);
    return code;
}

int ts_cmd_pipe_tune(int argc, char **argv)
{
    struct arguments *self = calloc(1, sizeof *self);
    struct sets *sets = calloc(1, sizeof *sets);
    if (self == NULL || sets == NULL)
        ts_out_of_memory("the command");
    ts_options_init(&self->options);
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(&common, &self->options, "set threads out json quiet"), 0, NULL, 0},
        {&ts_crew_argp, 0, NULL, 0},
        {0}};
    const struct argp argp = {options, parse, "PROGRAM", doc, children, NULL, NULL};
    argv[0] = (char[]){"tensim pipe tune"};
    ts_crew_hush();
    argp_parse(&argp, argc, argv, 0, NULL, self);
    int code = ts_crew_options_ready(&self->crew, &self->options.out, &self->options.json, false);
    code = code ? code : read_sets(&self->options, sets);
    self->tune.sets = &sets->sets;
    struct ts_results results = {0};
    if (code == TS_OK && !ts_tune_axes(&self->tune, &self->error))
        code = ts_complain_error(&self->error);
    code = code ? code : ts_results_begin(&results, &self->options, NULL, argc, argv);
    struct ts_crew crew = ts_crew_from(&self->crew, self->options.threads, self->options.quiet,
                                       argc, argv);
    ts_crew_keep(&crew, &results, self->options.out);
    if (code == TS_OK) {
        code = ts_tune_run(&self->tune, &crew, &self->error);
        if (!ts_crew_whole(&crew, "runs", &code, &self->error)) {
            code = ts_results_drop(&results, code);
        } else {
            code = ts_results_end(&results, write_results(self, &results));
            if (ts_options_talk(&self->options))
                ts_tune_print(&self->tune, stdout);
        }
    }
    ts_crew_free(&crew);
    free(self->crew.merge);
    ts_tune_free(&self->tune);
    free(sets);
    free(self);
    return code;
}
