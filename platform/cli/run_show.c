// tensim run --show: a few Tensix instructions, and what each of them changes.
#include "platform/chip/soc.h"
#include "platform/cli/run.h"
#include "platform/study/step/step.h"

static int show(const struct ts_ask *self, const struct ts_step *step,
                const struct ts_step_program *program, const struct ts_params *params)
{
    struct ts_results results;
    int code = ts_results_begin(&results, &self->options, params, self->argc, self->argv);
    if (code != TS_OK)
        return code;
    json_t *document = ts_step_json(step, program);
    if (ts_options_talk(&self->options))
        ts_step_print(step, stdout);
    ts_results_page(&results, document, NULL);
    code = ts_output_json(self->options.json, document);
    json_decref(document);
    if (step->code != TS_OK)
        ts_complain(step->code, "%s", step->text);
    return ts_results_end(&results, code == TS_OK ? (int)step->code : code);
}

int ts_run_show(struct ts_ask *self)
{
    struct ts_params params = {0};
    struct ts_error error = {0};
    const struct ts_machine *machine = ts_soc_machine(self->chip);
    if (machine == ts_machines && self->chip && strcmp(self->chip, "p150") != 0)
        return ts_complain(TS_USAGE,
                           "--chip %s: one tile runs without a chip, and its instructions do the "
                           "same on every card of Blackhole",
                           self->chip);
    int result = ts_ask_params(self, &params);
    struct ts_step_program *program = result == TS_OK ? calloc(1, sizeof *program) : NULL;
    if (program && !ts_step_read(program, self->file, machine, &error)) {
        result = ts_complain_error(&error);
    } else if (program) {
        struct ts_step step;
        struct ts_tile_config config = ts_tile_config_from(&params);
        config.run_ahead = false;
        ts_step_run(&step, program, &config, self->values, self->options.max_cycles);
        result = show(self, &step, program, &params);
        ts_step_free(&step);
    }
    free(program);
    ts_params_free(&params);
    return result;
}
