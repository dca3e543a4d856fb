// The machine of a captured launch: `machine:' of its file has the parameters that the host's TENSIM_OPTIONS changed (captured.h).
#include "platform/run/plan/captured.h"

#include <inttypes.h>

#define SET "--set " // before the errors of ts_params_set

static bool read_defaults(struct ts_params *params, struct ts_error *error)
{
    char path[PATH_MAX];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(params);
    return ts_params_load(params, path, error) == TS_OK;
}

static void set_all(struct ts_yaml_node map, struct ts_params *params)
{
    if (map.node && !ts_yaml_is_map(map))
        ts_yaml_error(map, "machine: parameters with their values, like {noc.hop: 12}");
    for (size_t i = 0; map.node && ts_yaml_is_map(map) && i < ts_yaml_count(map); i++) {
        struct ts_error why = {0};
        char text[256];
        snprintf(text, sizeof text, "%.120s=%.120s", ts_yaml_text(ts_yaml_key(map, i), ""),
                 ts_yaml_text(ts_yaml_value(map, i), ""));
        if (ts_params_set(params, text, &why) != TS_OK)
            ts_yaml_error(ts_yaml_key(map, i), "machine: %s", why.text + strlen(SET));
    }
}

// The first parameter from number *next on that differs; false: there is none.
static bool next_difference(const struct ts_params *params, const struct ts_params *from,
                            size_t *next, const struct ts_param_group **group, size_t *row)
{
    size_t number = 0;
    for (size_t g = 0; g < params->count; g++)
        for (size_t i = 0; i < params->groups[g].count; i++, number++)
            if (number >= *next &&
                params->groups[g].values[i].value != from->groups[g].values[i].value) {
                *group = &params->groups[g];
                *row = i;
                *next = number + 1;
                return true;
            }
    return false;
}

static void print_value(const struct ts_param_group *group, size_t row, char *text, size_t size)
{
    const int64_t value = group->values[row].value;
    if (group->names)
        snprintf(text, size, "%s", group->names[value]);
    else
        snprintf(text, size, "%" PRId64, value);
}

bool ts_captured_machine_print(const struct ts_params *params, FILE *file, struct ts_error *error)
{
    struct ts_params defaults = {0};
    const struct ts_param_group *group;
    size_t next = 0, row;
    bool good = read_defaults(&defaults, error), any = false;
    while (good && next_difference(params, &defaults, &next, &group, &row)) {
        char text[64];
        print_value(group, row, text, sizeof text);
        fprintf(file, "%s    %s.%s: %s\n", any ? "" : "machine:\n", group->name,
                group->rows[row].key, text);
        any = true;
    }
    ts_params_free(&defaults);
    return good;
}

bool ts_captured_machine_set(const char *path, struct ts_params *params, struct ts_error *error)
{
    struct ts_yaml yaml;
    struct ts_error own = {0};
    if (!ts_yaml_mentions(path, "captured"))
        return error->code == TS_OK;
    if (ts_yaml_load(&yaml, path, &own)) { // otherwise ts_plan_read says why
        struct ts_yaml_node root = ts_yaml_root(&yaml);
        if (ts_yaml_is_map(root) && ts_yaml_find(root, "captured").node)
            set_all(ts_yaml_find(root, "machine"), params);
        if (own.code != TS_OK)
            *error = own;
    }
    ts_yaml_free(&yaml);
    return error->code == TS_OK;
}

void ts_captured_machine_compare(struct ts_plan *plan, const struct ts_params *params,
                                 struct ts_error *error)
{
    struct ts_params then = {0};
    const struct ts_param_group *group;
    size_t next = 0, row;
    char *to = plan->captured->other;
    const size_t size = sizeof plan->captured->other;
    if (read_defaults(&then, error))
        set_all(ts_yaml_find(ts_yaml_root(&plan->yaml), "machine"), &then);
    if (error->code == TS_OK && next_difference(&then, params, &next, &group, &row)) {
        char text[64];
        unsigned more = 0;
        print_value(group, row, text, sizeof text);
        int used = snprintf(to, size, "%s.%s was %s", group->name, group->rows[row].key, text);
        while (next_difference(&then, params, &next, &group, &row))
            more++;
        if (more)
            snprintf(to + used, size - (size_t)used, ", and %u more", more);
    }
    ts_params_free(&then);
}
