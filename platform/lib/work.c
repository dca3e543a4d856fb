// Instances with work: low-level kernels, program files, and the tensors of these.
#include "platform/kernel/cluster.h"
#include "platform/lib/inside.h"
#include "platform/run/plan/alias.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/data.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/llk.h"

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
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    if (ts_system_find(sim->system, name, error) != TS_OK)
        return false;
    ts_kernel_expect(sim->kernel, sim->system->chips);
    sim->works = calloc(sim->system->chips, sizeof *sim->works);
    sim->chips = calloc(sim->system->chips, sizeof *sim->chips);
    if (sim->works && sim->chips)
        return true;
    return ts_refuse(error, TS_NO_MEMORY, "out of memory");
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
        return ts_refuse(error, TS_USAGE, "allow: '%.100s' is not a list of " TS_PLAN_ALLOW,
                         config->allow);
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

// --- low-level kernels by their short names ---

// A setting that is of any run: "timing-only", "perturb=7:8". False: it is the program's.
static bool set_run(struct tensim *sim, struct tensim_config *config, const char *setting,
                    struct ts_error *error)
{
    struct ts_tile_config *tile = &sim->tile_config;
    struct ts_perturb_how how;
    const char *value;
    char text[TS_LINTS_TEXT];
    if (ts_plan_sets(setting, "timing_only"))
        tile->timing_only = config->timing_only = true;
    else if (ts_plan_sets(setting, "step_by_step"))
        tile->run_ahead = tile->park = false;
    else if (ts_plan_sets(setting, "strict"))
        tile->strict = true;
    else if ((value = ts_plan_sets(setting, "lint")) != NULL) {
        if (!ts_lints_parse(value, &tile->lints, text, sizeof text))
            ts_fail(error, TS_USAGE, "lint: %s", text);
    } else if ((value = ts_plan_sets(setting, "perturb")) != NULL) {
        if (!ts_perturb_parse(value, &how))
            ts_fail(error, TS_USAGE, "perturb: '%.60s' is not " TS_PERTURB_FORM, value);
        tile->perturb_seed = how.seed;
        tile->perturb_max = how.max;
        tile->perturb_holds = how.holds;
    } else {
        return false;
    }
    return true;
}

bool ts_lib_build_kernel(struct tensim *sim, const char *name, const struct tensim_config *from,
                         struct ts_error *error)
{
    struct tensim_config config = *from;
    struct ts_alias alias;
    const char **settings = calloc(sim->setting_count + 1, sizeof *settings);
    size_t count = 0;
    for (size_t i = 0; settings && i < sim->setting_count; i++)
        if (!set_run(sim, &config, sim->settings[i], error))
            settings[count++] = sim->settings[i];
    if (settings == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    bool good = error->code == TS_OK && ts_alias_find(&alias, name, settings, count, error);
    if (good) {
        good = build_plan(sim, alias.path, (const char *const *)alias.params, alias.count, &config,
                          error);
        ts_alias_free(&alias);
    }
    free(settings);
    return good;
}

// --- tensors ---

size_t tensim_tensors(const struct tensim *sim, struct tensim_tensor *tensors, size_t room)
{
    const struct ts_work *work = ts_lib_chosen_work(sim);
    const struct ts_plan *plan = work ? work->plan : NULL;
    for (size_t i = 0; plan && i < plan->tensor_count && i < room; i++) {
        const struct ts_plan_tensor *t = &plan->tensors[i];
        tensors[i] = (struct tensim_tensor){.name = t->name,
                                            .format = plan->llk.on ? ts_datum_name(t->format)
                                                                   : ts_plan_format_name(t->format),
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
    struct ts_plan *plan = work ? work->plan : NULL;
    int index = plan ? ts_plan_tensor_find(plan, name) : -1;
    struct ts_error failure = {0};
    struct ts_value value = {0};
    if (index < 0)
        return ts_lib_fail(error, TS_USAGE, "no tensor '%.60s'", name);
    struct ts_plan_tensor *t = &plan->tensors[index];
    if (count != (size_t)t->rows * t->columns)
        return ts_lib_fail(error, TS_USAGE, "%s has %zu elements, not %zu", name,
                           (size_t)t->rows * t->columns, count);
    if (plan->llk.on ? ts_llk_take(work, 0, t, &value, &failure)
                     : ts_plan_take(plan, t, &work->chip, &value, &failure))
        memcpy(values, value.at, count * sizeof *values);
    free(value.at);
    return ts_lib_give(&failure, error);
}
