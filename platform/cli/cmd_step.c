// tensim step: a few Tensix instructions, and what each of them changes.
#include "platform/chip/chip.h"
#include "platform/cli/results.h"
#include "platform/study/step/step.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Run a few Tensix instructions on one tile and show what each of them changes: counters (RWC, "
    "ADC), rows of SrcA, SrcB and Dst, banks, semaphores, configuration, L1; with the cycle in "
    "which it passed the wait gate and what it waited for.\v"
    "PROGRAM is a small program (YAML), - is stdin: a list of words, as `- MVMUL addr_mode=1', `- "
    "TTI_MVMUL(0, 0, 1, 0)', `- ttmvmul 0,0,1,0' or `- 0x26004000', or the lists of several "
    "threads with a set-up of registers. config/step/README.md describes it; config/step has "
    "examples. With -o the table is also a "
    "page, step.html. Exit codes: 0 all instructions are done, 2 one waits for ever, 3 bad "
    "file, 4 an instruction breaks the hardware contract.";

enum { OPTION_VALUES = 512, OPTION_CHIP };

static const struct argp_option options[] = {
    {"values", OPTION_VALUES, NULL, 0, "show the numbers in the rows that change", 0},
    {"chip", OPTION_CHIP, "CARD", 0, "p150, which changes nothing: one tile runs without a chip",
     0},
    {0},
};

struct arguments {
    struct ts_options options;
    const char *path;
    bool values;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case OPTION_CHIP:
        ts_one_chip(arg,
                    "one tile runs without a chip, and its instructions do the same on every card",
                    state);
        return 0;
    case OPTION_VALUES:
        self->values = true;
        return 0;
    case ARGP_KEY_ARG:
        if (self->path)
            argp_error(state, "one program at a time");
        self->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (self->path == NULL)
            argp_error(state, "name a program");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int show(struct arguments *self, const struct ts_step *step,
                const struct ts_step_program *program, const struct ts_params *params, int argc,
                char **argv)
{
    struct ts_results results;
    int code = ts_results_begin(&results, &self->options, params, argc, argv);
    if (code != TS_OK)
        return code;
    json_t *document = ts_step_json(step, program);
    if (ts_options_talk(&self->options) && !self->options.quiet)
        ts_step_print(step, stdout);
    ts_results_page(&results, document, NULL);
    code = ts_output_json(self->options.json, document);
    json_decref(document);
    if (step->code != TS_OK)
        ts_complain(step->code, "%s", step->text);
    return ts_results_end(&results, code == TS_OK ? (int)step->code : code);
}

int ts_cmd_step(int argc, char **argv);
int ts_cmd_step(int argc, char **argv)
{
    struct arguments self = {0};
    struct ts_options_argp common;
    ts_options_init(&self.options);
    const struct argp_child children[] = {
        {ts_options_only(&common, &self.options, "config set max-cycles out json quiet"), 0, NULL,
         0},
        {0}};
    const struct argp argp = {options, parse, "PROGRAM", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    struct ts_params params = {0};
    struct ts_error error = {0};
    ts_chip_params_add(&params);
    enum ts_code code = ts_options_params(&self.options, &params, "blackhole.yaml");
    struct ts_step_program *program = code == TS_OK ? calloc(1, sizeof *program) : NULL;
    int result = (int)code;
    if (program && !ts_step_read(program, self.path, &error)) {
        result = ts_complain_error(&error);
    } else if (program) {
        struct ts_step step;
        struct ts_tile_config config = ts_tile_config_from(&params);
        config.run_ahead = false;
        ts_step_run(&step, program, &config, self.values, self.options.max_cycles);
        result = show(&self, &step, program, &params, argc, argv);
        ts_step_free(&step);
    }
    free(program);
    ts_params_free(&params);
    return result;
}
