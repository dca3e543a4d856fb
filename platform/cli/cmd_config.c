// tensim config: every number with its source; what can be changed of the structure, and what cannot.
#include "platform/base/json.h"
#include "platform/chip/chip.h"
#include "platform/cli/results.h"
#include "platform/out/text.h"

struct arguments {
    struct ts_options options;
    bool fixed;
    const char *chip;
};

static const struct ts_take takes[] = {TS_TEXT("chip", struct arguments, chip), {0}};

static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    self->fixed = strcmp(arg, "fixed") == 0;
    if ((!self->fixed && strcmp(arg, "chip") != 0) || state->arg_num > 0)
        argp_error(state, "'%s': there are the parameters of the chip only", arg);
}

static json_t *to_json(const struct ts_params *params)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < params->count; i++) {
        const struct ts_param_group *group = &params->groups[i];
        for (size_t j = 0; j < group->count; j++) {
            char key[128];
            snprintf(key, sizeof key, "%s.%s", group->name, group->rows[j].key);
            ts_json_add(rows, "{s:s, s:I, s:s, s:s, s:s, s:s, s:s}", "key", key, "value",
                        (json_int_t)group->values[j].value, "unit", group->rows[j].unit, "text",
                        group->rows[j].text, "kind", ts_param_kind_name(group->values[j].kind),
                        "source", group->values[j].source, "where", group->values[j].where);
        }
    }
    return json_pack("{s:o}", "parameters", rows);
}

// --- structure ---

static const struct {
    const char *parameter, *text;
} varies[] = {
#define TS_VARIES(parameter, text) {parameter, text},
#include "config/fixed.def"
};

static const struct {
    const char *name;
    long long value;
    const char *unit, *why, *nearest;
} fixed[] = {
#define TS_FIXED(name, value, unit, why, nearest) {name, value, unit, why, nearest},
#include "config/fixed.def"
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

// The row of a parameter, and its value; NULL: none, as for a chip file.
static const struct ts_param *find(const struct ts_params *params, const char *key,
                                   long long *value)
{
    for (size_t i = 0; i < params->count; i++) {
        const struct ts_param_group *group = &params->groups[i];
        size_t length = strlen(group->name);
        for (size_t j = 0; j < group->count; j++)
            if (strncmp(key, group->name, length) == 0 && key[length] == '.' &&
                strcmp(key + length + 1, group->rows[j].key) == 0) {
                *value = (long long)group->values[j].value;
                return &group->rows[j];
            }
    }
    return NULL;
}

static json_t *fixed_json(const struct ts_params *params)
{
    json_t *can = json_array(), *cannot = json_array();
    for (size_t i = 0; i < COUNT(varies); i++) {
        long long value = 0;
        const struct ts_param *row = find(params, varies[i].parameter, &value);
        json_t *line = json_pack("{s:s, s:s}", "parameter", varies[i].parameter, "text",
                                 varies[i].text);
        if (row)
            ts_json_more(line, "{s:I, s:s, s:I, s:I}", "value", (json_int_t)value, "unit",
                         row->unit, "low", (json_int_t)row->low, "high", (json_int_t)row->high);
        json_array_append_new(can, line);
    }
    for (size_t i = 0; i < COUNT(fixed); i++)
        ts_json_add(cannot, "{s:s, s:I, s:s, s:s, s:s}", "name", fixed[i].name, "value",
                    (json_int_t)fixed[i].value, "unit", fixed[i].unit, "why", fixed[i].why,
                    "nearest", fixed[i].nearest);
    return json_pack("{s:o, s:o}", "varies", can, "fixed", cannot);
}

int ts_cmd_config(int argc, char **argv)
{
    struct arguments self = {.fixed = false};
    ts_parse(&(struct ts_parser){.help = "config",
                                 .takes = takes,
                                 .common = "config set out json quiet",
                                 .word = take_word},
             argc, argv, &self);
    struct ts_soc soc;
    struct ts_error error = {0};
    if (ts_soc_find(&soc, self.chip ? self.chip : "p150", &error) != TS_OK)
        return ts_complain_error(&error);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, soc.machine->numbers);
    const char *json = self.options.json;
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &self.options, &params, argc, argv);
    if (code == TS_OK) {
        json_t *document = (self.fixed ? fixed_json : to_json)(&params);
        if (json)
            code = ts_output_json(json, document);
        else
            ts_text_print("config", document, true, stdout);
        ts_results_json(&results, "result.json", document);
        code = ts_results_end(&results, code);
        json_decref(document);
    }
    ts_params_free(&params);
    return code;
}
