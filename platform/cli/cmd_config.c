// tensim config: every number with its source.
#include "platform/chip/chip.h"
#include "platform/cli/results.h"

#include <string.h>

static const char doc[] = "List every parameter of the chip: key, value, unit, kind, source.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case ARGP_KEY_ARG:
        if (strcmp(arg, "chip") != 0 || state->arg_num > 0)
            argp_error(state, "'%s': there are the parameters of the chip only", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_text(const struct ts_params *params)
{
    for (size_t i = 0; i < params->count; i++) {
        const struct ts_param_group *group = &params->groups[i];
        for (size_t j = 0; j < group->count; j++) {
            const struct ts_param *row = &group->rows[j];
            const struct ts_param_value *value = &group->values[j];
            printf("%s.%s = %lld %s\n    %s\n    %s: %s (%s)\n", group->name, row->key,
                   (long long)value->value, row->unit, row->text, ts_param_kind_name(value->kind),
                   value->source, value->where);
        }
    }
}

static json_t *to_json(const struct ts_params *params)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < params->count; i++) {
        const struct ts_param_group *group = &params->groups[i];
        for (size_t j = 0; j < group->count; j++) {
            char key[128];
            snprintf(key, sizeof key, "%s.%s", group->name, group->rows[j].key);
            json_array_append_new(
                rows,
                json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:s}", "key", key, "value",
                          (json_int_t)group->values[j].value, "unit", group->rows[j].unit, "text",
                          group->rows[j].text, "kind", ts_param_kind_name(group->values[j].kind),
                          "source", group->values[j].source, "where", group->values[j].where));
        }
    }
    return json_pack("{s:o}", "parameters", rows);
}

int ts_cmd_config(int argc, char **argv);
int ts_cmd_config(int argc, char **argv)
{
    struct ts_options options;
    ts_options_init(&options);
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(&common, &options, "config set out json quiet"), 0, NULL, 0}, {0}};
    const struct argp argp = {NULL, parse, NULL, doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&options, &params, "blackhole.yaml");
    const char *json = options.json;
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &options, &params, argc, argv);
    if (code == TS_OK) {
        json_t *document = to_json(&params);
        if (json)
            code = ts_output_json(json, document);
        else
            print_text(&params);
        ts_results_json(&results, "result.json", document);
        code = ts_results_end(&results, code);
        json_decref(document);
    }
    ts_params_free(&params);
    return code;
}
