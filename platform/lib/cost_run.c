// Runs for the store of costs (cost.h), and tensim_cost.
#include "platform/base/json.h"
#include "platform/lib/cost_inside.h"
#include "platform/load/kind.h"
#include "platform/run/layer/layer.h"
#include "platform/tile/watchdog.h"

#define LIMIT UINT64_C(2000000000) // cycles, as the tensim program has it

// Of the families that a run exercises, that with the largest error of 90 %. `so_far`: of another run, or NULL; it is taken.
static json_t *margin_of(const json_t *trust, json_t *so_far)
{
    size_t i;
    json_t *family;
    json_array_foreach(json_object_get(trust, "families"), i, family)
    {
        const json_t *p90 = json_object_get(family, "p90");
        if (so_far && json_number_value(p90) <= ts_json_number(so_far, "p90"))
            continue;
        json_decref(so_far);
        so_far = json_pack("{s:O, s:O, s:O}", "family", json_object_get(family, "name"), "median",
                           json_object_get(family, "median"), "p90", p90);
    }
    return so_far;
}

static json_t *bytes_of(const struct ts_chip *const *chips, uint32_t count, struct ts_moved all)
{
    for (uint32_t i = 0; i < count; i++)
        ts_moved_add(&all, chips[i]);
    return json_pack("{s:I, s:I, s:I}", "dram_read", (json_int_t)all.dram_read, "dram_written",
                     (json_int_t)all.dram_written, "noc", (json_int_t)all.noc);
}

// The largest error of the tensors that a program, or an operation of a sequence, checks.
static void add_error(json_t *answer, const json_t *of)
{
    const json_t *now = json_object_get(of, "rel_l2"),
                 *most = json_object_get(json_object_get(answer, "error"), "rel_l2");
    if (now && !(json_number_value(now) <= json_number_value(most)))
        ts_json_put(answer, "error", "{s:O, s:O*}", "rel_l2", now, "pcc",
                    json_object_get(of, "pcc"));
}

// --- a program ---

static json_t *tell(struct tensim *sim)
{
    const struct ts_chip *chips[TS_SYSTEM_CHIPS];
    const struct ts_job_verdict *v = &sim->work->verdict; // of a system, its slowest chip's
    const uint32_t count = sim->work->jobs[0].chip ? ts_lib_works(sim) : 0;
    json_int_t cores = 0;
    json_t *document = json_object(), *tensor;
    const char *name;
    for (uint32_t i = 0; i < count; i++)
        chips[i] = &ts_lib_work(sim, i)->chip;
    for (uint32_t i = 0; i < ts_lib_works(sim); i++) {
        const struct ts_work *work = ts_lib_work(sim, i);
        cores += work->made;
        v = work->verdict.cycles > v->cycles ? &work->verdict : v;
    }
    ts_work_json(sim->work, document);
    json_t *answer = json_pack("{s:I, s:f, s:I, s:O*, s:I, s:s, s:s, s:o, s:o*, s:I, s:f}",
                               "cycles", (json_int_t)v->cycles, "us", 1e6 * v->seconds, "clock_mhz",
                               (json_int_t)v->clock_mhz, "chip", json_object_get(document, "chip"),
                               "cores", cores, "bound", v->bound_object, "evidence", v->evidence,
                               "bytes", bytes_of(chips, count, (struct ts_moved){0}), "margin",
                               margin_of(json_object_get(document, "trust"), NULL), "flops",
                               (json_int_t)sim->work->result.flops, "utilisation", v->utilisation);
    add_error(answer, document);
    json_object_foreach(json_object_get(document, "tensors"), name, tensor)
        add_error(answer, tensor);
    json_decref(document);
    return answer;
}

static json_t *run_program(const struct ts_costs *self, const struct ts_cost_query *query,
                           bool numbers, struct ts_error *error)
{
    struct tensim_config config;
    struct tensim_error failure = {0};
    char *said = NULL;
    size_t size = 0;
    tensim_config_init(&config);
    config.output = open_memstream(&said, &size); // the compiler's messages
    config.params = self->config.params;
    config.settings = self->config.settings;
    config.setting_count = self->config.setting_count;
    config.allow = self->config.allow;
    config.timing_only = config.no_expect = !numbers;
    struct tensim *sim = tensim_new_program(query->path, (const char *const *)query->settings,
                                            query->count, &config, &failure);
    const enum tensim_code code = sim ? tensim_run(sim, LIMIT, &failure) : failure.code;
    json_t *answer = code == TENSIM_OK ? tell(sim) : NULL;
    tensim_free(sim);
    if (config.output)
        fclose(config.output);
    const char *why = said ? strstr(said, "error: ") : NULL; // the first one
    if (code != TENSIM_OK)
        ts_fail(error, (enum ts_code)code, "%s%s%.*s", failure.text, why ? ": " : "",
                why ? (int)strcspn(why + 7, "\n") : 0, why ? why + 7 : "");
    free(said);
    return answer;
}

// --- a sequence ---

static struct ts_run go_on(void *context, ts_cycle limit)
{
    return ts_watched_run(context, limit < LIMIT ? limit : LIMIT);
}

static json_t *tell_sequence(const struct ts_layer *layer)
{
    const struct ts_chip *chips[TS_SYSTEM_CHIPS];
    json_t *document = ts_layer_json(layer), *row, *longest = NULL, *margin = NULL;
    json_t *operations = json_object_get(document, "operations");
    json_int_t flops = 0, cores = 0;
    size_t i;
    for (i = 0; i < layer->system.chips; i++)
        chips[i] = &layer->chips[i].machine->chip;
    json_array_foreach(operations, i, row)
    {
        const json_int_t here = ts_json_integer(row, "cores");
        if (longest == NULL || ts_json_integer(row, "cycles") > ts_json_integer(longest, "cycles"))
            longest = row;
        cores = here > cores ? here : cores;
        flops += ts_json_integer(row, "flops");
        margin = margin_of(json_object_get(row, "trust"), margin);
    }
    json_t *parts = json_array();
    json_array_foreach(operations, i, row)
        ts_json_add(parts, "{s:O, s:O, s:O, s:O, s:O, s:O}", "name", json_object_get(row, "name"),
                    "line", json_object_get(row, "line"), "operation", json_object_get(row, "run"),
                    "settings", json_object_get(row, "set"), "cycles",
                    json_object_get(row, "cycles"), "bound", json_object_get(row, "bound"));
    json_t *answer = json_pack(
        "{s:O, s:O, s:O, s:O, s:I, s:O, s:o, s:o, s:o*, s:I, s:o}", "cycles",
        json_object_get(document, "layer_cycles"), "us", json_object_get(document, "us"),
        "clock_mhz", json_object_get(document, "clock_mhz"), "chip",
        json_object_get(document, "chip"), "cores", cores, "bound",
        json_object_get(longest, "bound"), "evidence",
        json_sprintf("the longest of %zu operations is %s, %.1f %% of the cycles",
                     json_array_size(operations),
                     json_string_value(json_object_get(longest, "name")),
                     ts_json_number(longest, "percent")),
        "bytes", bytes_of(chips, layer->system.chips, layer->moved), "margin", margin, "flops",
        flops, "operations", parts);
    json_array_foreach(operations, i, row) add_error(answer, row);
    json_decref(document);
    return answer;
}

static json_t *run_sequence(const struct ts_costs *self, const struct ts_cost_query *query,
                            bool numbers, struct ts_error *error)
{
    struct ts_dram_params channel;
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_from(&self->params);
    config.timing_only = !numbers;
    TS_PARAMS_FILL(&self->params, "dram", &channel);
    size_t changes = 0; // "@LINE:..." stand in front
    while (changes < query->count && query->settings[changes][0] == '@')
        changes++;
    const char **changed = calloc(changes + 1, sizeof *changed);
    for (size_t i = 0; changed && i < changes; i++)
        changed[i] = query->settings[i] + 1;
    struct ts_plan_options options = {.params = (const char *const *)query->settings + changes,
                                      .param_count = query->count - changes,
                                      .changes = changed,
                                      .change_count = changed ? changes : 0,
                                      .dram_bytes = (uint64_t)channel.size << 20,
                                      .unchecked = !numbers,
                                      .no_floats = !numbers,
                                      .sequence = true};
    ts_plan_allow(self->config.allow, &options.allow);
    struct ts_layer *layer = kernel ? ts_layer_new(query->path, &options, &self->params, &config,
                                                   kernel, error)
                                    : NULL;
    json_t *answer = NULL;
    if (kernel == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    if (layer && ts_kernel_elaborate(kernel, error) == TS_OK &&
        ts_layer_run(layer, go_on, kernel, error)) {
        if (layer->wrong[0])
            ts_fail(error, TS_DIFFERS, "%s", layer->wrong);
        else
            answer = tell_sequence(layer);
    }
    ts_layer_free(layer);
    ts_kernel_free(kernel);
    free(changed);
    return answer;
}

// --- both ---

json_t *ts_cost_run(const struct ts_costs *self, const struct ts_cost_query *query, bool numbers,
                    struct ts_error *error)
{
    json_t *answer = ts_kind_of(query->path) == TS_KIND_SEQUENCE
                         ? run_sequence(self, query, numbers, error)
                         : run_program(self, query, numbers, error);
    if (answer == NULL)
        return NULL;
    json_t *settings = json_object(), *whole = json_object();
    for (size_t i = 0; i < query->count; i++) {
        const char *equals = strchr(query->settings[i], '=');
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)(equals - query->settings[i]), query->settings[i]);
        json_object_set_new(settings, name, json_string(equals + 1));
    }
    json_object_set_new(whole, "operation", json_string(query->operation));
    json_object_set_new(whole, "settings", settings);
    json_object_update(whole, answer);
    json_decref(answer);
    return whole;
}

struct tensim_document *tensim_cost(const char *operation, const char *const *settings,
                                    size_t setting_count, const struct tensim_config *config,
                                    const char *store, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_cost_query query = {0};
    struct ts_costs *costs = ts_costs_open(store, config, false, &failure);
    json_t *answer = NULL;
    if (costs && ts_cost_ask(costs, operation, settings, setting_count, &query, &failure) &&
        (answer = ts_costs_find(costs, &query)) == NULL &&
        (answer = ts_cost_run(costs, &query, false, &failure)) != NULL &&
        !ts_costs_keep(costs, &query, answer, &failure)) {
        json_decref(answer);
        answer = NULL;
    }
    ts_cost_query_free(&query);
    ts_costs_close(costs);
    ts_lib_give(&failure, error);
    return (struct tensim_document *)answer;
}
