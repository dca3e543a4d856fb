// Instances with work: built-in kernels, program files, and the tensors of these.
#include "platform/kernel/cluster.h"
#include "platform/lib/inside.h"
#include "platform/run/job_front.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/data.h"
#include "platform/run/plan/launch.h"

#include <stdlib.h>
#include <string.h>

// --- program files ---

static bool start_work(struct tensim *sim, const struct tensim_config *config,
                       struct ts_error *error)
{
    if (sim->work)
        sim->work->by_line = config->lines;
    return sim->work && ts_kernel_elaborate(sim->kernel, error) == TS_OK &&
           ts_work_start(sim->work, error);
}

// A plan, read and compiled, on its chip. NULL: error.
static struct ts_work *new_work(struct tensim *sim, const char *path,
                                const struct ts_plan_options *options, struct ts_error *error)
{
    struct ts_plan *plan = ts_plan_read(path, options, error);
    if (plan == NULL)
        return NULL;
    if (plan->captured)
        ts_captured_machine_compare(plan, &sim->params, error);
    if (error->code != TS_OK || !ts_plan_compile(plan, options, error)) {
        ts_plan_free(plan);
        return NULL;
    }
    return ts_work_new_program(plan, &sim->params, &sim->tile_config, sim->kernel, error);
}

// --- on a system: every chip has a plan of its own, and everything of it is in the chip's place ---

static bool find_system(struct tensim *sim, const char *name, struct ts_error *error)
{
    sim->system = calloc(1, sizeof *sim->system);
    if (sim->system == NULL)
        return ts_fail(error, TS_NO_MEMORY, "out of memory") == TS_OK;
    if (ts_system_find(sim->system, name, error) != TS_OK)
        return false;
    ts_kernel_expect(sim->kernel, sim->system->chips);
    sim->works = calloc(sim->system->chips, sizeof *sim->works);
    sim->chips = calloc(sim->system->chips, sizeof *sim->chips);
    if (sim->works && sim->chips)
        return true;
    return ts_fail(error, TS_NO_MEMORY, "out of memory") == TS_OK;
}

static bool build_works(struct tensim *sim, const char *path, struct ts_plan_options *options,
                        struct ts_error *error)
{
    options->system = sim->system;
    for (uint32_t i = 0; i < sim->system->chips; i++) {
        options->chip_id = i;
        ts_kernel_place(sim->kernel, i + 1);
        sim->works[i] = new_work(sim, path, options, error);
        ts_kernel_place(sim->kernel, 0);
        if (sim->works[i] == NULL)
            return false;
        sim->chips[i] = &sim->works[i]->chip;
    }
    sim->work = sim->works[0];
    ts_lib_connect(sim);
    return ts_kernel_elaborate(sim->kernel, error) == TS_OK;
}

static bool start_works(struct tensim *sim, struct ts_error *error)
{
    for (uint32_t i = 0; i < sim->system->chips && error->code == TS_OK; i++) {
        ts_kernel_place(sim->kernel, i + 1);
        ts_work_start(sim->works[i], error);
        ts_kernel_place(sim->kernel, 0);
    }
    return error->code == TS_OK;
}

static bool build_plan(struct tensim *sim, const char *path, const char *const *settings,
                       size_t setting_count, const struct tensim_config *config,
                       struct ts_error *error)
{
    struct ts_dram_params channel;
    TS_PARAMS_FILL(&sim->params, "dram", &channel);
    struct ts_plan_options options = {.params = settings,
                                      .param_count = setting_count,
                                      .dram_bytes = (uint64_t)channel.size << 20,
                                      .print = config->print,
                                      .unchecked = config->timing_only || config->no_expect,
                                      .no_floats = config->timing_only,
                                      .sources = config->sources,
                                      .notes = config->output};
    char system[64];
    if (!ts_plan_allow(config->allow, &options.allow))
        return ts_fail(error, TS_USAGE, "allow: '%.100s' is not a list of " TS_PLAN_ALLOW,
                       config->allow) == TS_OK;
    ts_plan_system(path, &options, system, sizeof system);
    if (system[0])
        return find_system(sim, system, error) && build_works(sim, path, &options, error) &&
               start_works(sim, error);
    sim->work = new_work(sim, path, &options, error);
    return start_work(sim, config, error);
}

bool tensim_is_program(const char *path)
{
    return ts_plan_is(path);
}

bool ts_lib_build_program(struct tensim *sim, const char *name, const struct tensim_config *config,
                          struct ts_error *error)
{
    char found[PATH_MAX];
    const char *path = ts_plan_find(name, found, sizeof found, error);
    return path && build_plan(sim, path, (const char *const *)sim->settings, sim->setting_count,
                              config, error);
}

// --- built-in kernels ---

// "name=value", or the name of a flag.
static bool set_option(struct ts_job_spec *spec, char *setting, struct ts_error *error)
{
    char text[512];
    char *equals = strchr(setting, '=');
    if (equals)
        *equals = '\0';
    if (!ts_spec_set(spec, setting, equals ? equals + 1 : "", text, sizeof text))
        ts_fail(error, TS_USAGE, "%s", text);
    return error->code == TS_OK;
}

// The kernel alone on its tiles.
static bool build_tiles(struct tensim *sim, const struct ts_job_kind *kind,
                        const struct tensim_config *config, struct ts_error *error)
{
    char text[512];
    struct ts_job_spec spec;
    ts_job_spec_default(&spec, kind->name);
    spec.strict = config->strict;
    spec.lints = sim->tile_config.lints;
    spec.unchecked = config->no_hang_check;
    spec.timing_only = config->timing_only;
    spec.perturb_seed = config->perturb_seed;
    spec.perturb_max = config->perturb_max;
    spec.perturb_holds = config->perturb_holds;
    spec.tile_config = &sim->tile_config;
    for (size_t i = 0; i < sim->setting_count; i++)
        if (!set_option(&spec, sim->settings[i], error))
            return false;
    if (!ts_spec_check(&spec, text, sizeof text)) {
        ts_fail(error, TS_USAGE, "%s", text);
        return false;
    }
    sim->work = ts_work_new(&spec, &sim->params, sim->kernel, error);
    return start_work(sim, config, error);
}

// The option that a setting names, and its value; -1: no kernel has it.
static int option_of(const char *setting, const char **value)
{
    char name[64];
    size_t length = strcspn(setting, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, setting);
    *value = setting[length] ? setting + length + 1 : "";
    return ts_option_find(name);
}

// Do the settings make it a program? `cores`: those that are asked for; NULL: none.
static bool is_front(const struct tensim *sim, const char **cores)
{
    bool any = false;
    *cores = NULL;
    for (size_t i = 0; i < sim->setting_count; i++) {
        const char *value;
        int id = option_of(sim->settings[i], &value);
        any |= id >= 0 && ts_front_asks((enum ts_job_option_id)id);
        if (id == TS_OPTION_CORES)
            *cores = value;
    }
    return any;
}

static bool set_front(struct ts_front *front, const struct ts_job_kind *kind, const char *setting,
                      struct ts_error *error)
{
    char text[512];
    const char *value;
    int found = option_of(setting, &value);
    enum ts_job_option_id id = (enum ts_job_option_id)found;
    if (found < 0 || !ts_option_applies(id, kind))
        ts_fail(error, TS_USAGE, "%s has no parameter '%.60s'", kind->name, setting);
    else if (ts_job_options[id].front == NULL)
        ts_fail(error, TS_USAGE, "%s: with cores, from or chip this goes into the configuration",
                ts_job_options[id].name);
    else if (!ts_front_option(front, id, value, text, sizeof text))
        ts_fail(error, TS_USAGE, "%s", text);
    return error->code == TS_OK;
}

// The kernel as the program file of its operation.
static bool build_front(struct tensim *sim, const struct ts_job_kind *kind, const char *cores,
                        const struct tensim_config *config, struct ts_error *error)
{
    struct ts_front front;
    char text[512];
    bool good = ts_front_begin(&front, kind->name, cores, text, sizeof text);
    if (!good)
        ts_fail(error, TS_USAGE, "%s", text);
    for (size_t i = 0; good && i < sim->setting_count; i++)
        good = set_front(&front, kind, sim->settings[i], error);
    good = good && build_plan(sim, front.path, (const char *const *)front.params, front.param_count,
                              config, error);
    ts_front_end(&front);
    return good;
}

bool ts_lib_build_kernel(struct tensim *sim, const char *name, const struct tensim_config *config,
                         struct ts_error *error)
{
    const struct ts_job_kind *kind = ts_job_kind_find(name);
    const char *cores;
    if (kind == NULL) {
        ts_fail(error, TS_USAGE, "no kernel '%s'", name);
        return false;
    }
    return is_front(sim, &cores) ? build_front(sim, kind, cores, config, error)
                                 : build_tiles(sim, kind, config, error);
}

// --- tensors ---

size_t tensim_tensors(const struct tensim *sim, struct tensim_tensor *tensors, size_t room)
{
    const struct ts_work *work = ts_lib_chosen_work(sim);
    const struct ts_plan *plan = work && work->program ? work->program->plan : NULL;
    for (size_t i = 0; plan && i < plan->tensor_count && i < room; i++) {
        const struct ts_plan_tensor *t = &plan->tensors[i];
        tensors[i] = (struct tensim_tensor){.name = t->name,
                                            .format = ts_plan_format_name(t->format),
                                            .dimensions = t->dimensions,
                                            .integers = ts_plan_format_integer(t->format),
                                            .filled = t->filled,
                                            .checked = t->checked,
                                            .right = !t->wrong};
        memcpy(tensors[i].shape, t->shape, sizeof t->shape);
    }
    return plan ? plan->tensor_count : 0;
}

enum tensim_code tensim_tensor_read(struct tensim *sim, const char *name, double *values,
                                    size_t count, struct tensim_error *error)
{
    struct ts_work *work = ts_lib_chosen_work(sim);
    struct ts_plan *plan = work && work->program ? work->program->plan : NULL;
    int index = plan ? ts_plan_tensor_find(plan, name) : -1;
    struct ts_error failure = {0};
    struct ts_value value = {0};
    if (index < 0)
        return ts_lib_fail(error, TS_USAGE, "no tensor '%.60s'", name);
    struct ts_plan_tensor *t = &plan->tensors[index];
    if (count != (size_t)t->rows * t->columns)
        return ts_lib_fail(error, TS_USAGE, "%s has %zu elements, not %zu", name,
                           (size_t)t->rows * t->columns, count);
    if (ts_plan_take(plan, t, &work->chip, &value, &failure))
        memcpy(values, value.at, count * sizeof *values);
    free(value.at);
    return ts_lib_give(&failure, error);
}
