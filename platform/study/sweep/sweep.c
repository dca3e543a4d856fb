// Points and their runs (sweep.h).
#include "platform/study/sweep/sweep.h"

#include "platform/base/json.h"
#include "platform/run/plan/alias.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/llk.h"

#include <unistd.h>

#define POINT_LIMIT UINT64_C(1000000000)

// --- points

// Parameters of a kernel that make it a program on a chip (config/aliases.def).
static bool is_of_chip(const char *name)
{
    return ts_word_index("cores from place chip", name) >= 0;
}

// Reads the file of the kernel with so many settings. NULL: error.
static struct ts_plan *read_kernel(const struct ts_sweep *self, const char *const *settings,
                                   size_t count, bool alone, struct ts_error *error)
{
    struct ts_alias alias;
    if (!ts_alias_find(&alias, self->kernel, settings, count, error))
        return NULL;
    const struct ts_plan_options options = {
        .params = (const char *const *)alias.params, .param_count = alias.count, .alone = alone};
    struct ts_plan *plan = ts_plan_read(alias.path, &options, error);
    ts_alias_free(&alias);
    return plan;
}

bool ts_sweep_spawns(const struct ts_sweep *self)
{
    bool spawns = self->programs || self->check || self->activity;
    for (unsigned i = 0; i < self->axis_count; i++)
        spawns |= self->axes[i].kind == TS_AXIS_MACHINE || is_of_chip(self->axes[i].name);
    return spawns;
}

// A value of the machine: the parameter and its range are checked now.
static bool check_machine(const char *name, const char *value, struct ts_error *error)
{
    struct ts_params params = {0};
    char text[sizeof(struct ts_sweep_axis){0}.name + TS_SWEEP_VALUE + 2];
    ts_chip_params_add(&params);
    snprintf(text, sizeof text, "%s=%s", name, value);
    bool good = ts_params_set(&params, text, error) == TS_OK;
    ts_params_free(&params);
    return good;
}

// A kernel's and the machine's values are checked now, those of programs when they run.
static bool add_value(struct ts_sweep *self, struct ts_sweep_axis *axis, const char *value,
                      struct ts_error *error)
{
    char setting[sizeof axis->name + TS_SWEEP_VALUE + 2];
    json_t *text = json_string(value); // the tables are JSON
    const bool plain = text != NULL;
    json_decref(text);
    if (!plain)
        ts_fail(error, TS_USAGE, "%s: '%.40s' is not UTF-8", axis->name, value);
    else if (axis->count == TS_SWEEP_VALUES)
        ts_fail(error, TS_USAGE, "%s: more than %d values", axis->name, TS_SWEEP_VALUES);
    else if (strlen(value) >= TS_SWEEP_VALUE)
        ts_fail(error, TS_USAGE, "%s: '%.40s...' is too long", axis->name, value);
    else if (axis->kind == TS_AXIS_MACHINE && !self->point)
        check_machine(axis->name, value, error);
    if (error->code == TS_OK && axis->kind == TS_AXIS_OWN && !self->programs) {
        const char *settings[] = {setting};
        struct ts_alias alias;
        snprintf(setting, sizeof setting, "%s=%s", axis->name, value);
        if (!is_of_chip(axis->name))
            ts_plan_free(read_kernel(self, settings, 1, true, error));
        else if (ts_alias_find(&alias, self->kernel, settings, 1, error))
            ts_alias_free(&alias);
    }
    if (error->code == TS_OK)
        snprintf(axis->values[axis->count++], TS_SWEEP_VALUE, "%s", value);
    return error->code == TS_OK;
}

bool ts_sweep_axis_add(struct ts_sweep *self, const char *text, struct ts_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof self->axes[0].name ||
        equals[1] == '\0')
        return ts_refuse(error, TS_USAGE, "'%s' is not PARAMETER=VALUE,VALUE...", text);
    char name[sizeof self->axes[0].name];
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    if (strcmp(name, "clock") == 0)
        snprintf(name, sizeof name, "chip.clock_mhz");
    unsigned place = 0;
    while (place < self->axis_count && strcmp(self->axes[place].name, name) != 0)
        place++;
    if (place == TS_SWEEP_AXES)
        return ts_refuse(error, TS_USAGE, "more than %d parameters", TS_SWEEP_AXES);
    struct ts_sweep_axis *axis = &self->axes[place];
    if (place == self->axis_count)
        self->axis_count++;
    snprintf(axis->name, sizeof axis->name, "%s", name);
    axis->kind = strchr(name, '.') && !self->point ? TS_AXIS_MACHINE : TS_AXIS_OWN;
    axis->count = 0;
    long long from, to;
    int end = 0;
    if (sscanf(equals + 1, "%lld..%lld%n", &from, &to, &end) == 2 && equals[1 + end] == '\0') {
        char value[24];
        for (; from <= to && error->code == TS_OK; from++) {
            snprintf(value, sizeof value, "%lld", from);
            add_value(self, axis, value, error);
        }
        if (axis->count == 0)
            ts_fail(error, TS_USAGE, "'%s' has no values", text);
        return error->code == TS_OK;
    }
    char *copy = ts_need(strdup(equals + 1), "the sweep");
    for (char *rest = copy, *value; (value = strsep(&rest, ",")) != NULL;)
        if (!add_value(self, axis, value, error))
            break;
    free(copy);
    return error->code == TS_OK;
}

bool ts_sweep_program_add(struct ts_sweep *self, const char *name, const char *path,
                          struct ts_error *error)
{
    struct ts_sweep_axis *axis = &self->axes[0];
    if (!self->programs && self->axis_count)
        return ts_refuse(error, TS_USAGE, "'%s': name the programs before the parameters", name);
    if (access(path, R_OK) != 0)
        return ts_refuse(error, TS_SETUP, "%s: cannot be read: %s", path, strerror(errno));
    self->programs = true;
    self->axis_count = self->axis_count ? self->axis_count : 1;
    snprintf(axis->name, sizeof axis->name, TS_SWEEP_FILES);
    if (!add_value(self, axis, name, error))
        return false;
    snprintf(self->paths[axis->count - 1], TS_SWEEP_PATH, "%s", path);
    return true;
}

// More than a crew takes may be any larger number.
static size_t count_points(const struct ts_sweep *self)
{
    size_t points = 1;
    for (unsigned i = 0; i < self->axis_count && points <= TS_CREW_RUNS; i++)
        points *= self->axes[i].count;
    return points;
}

// The first axis changes slowest.
const char *ts_sweep_value(const struct ts_sweep *self, size_t index, unsigned axis)
{
    for (unsigned i = self->axis_count; i-- > axis + 1;)
        index /= self->axes[i].count;
    return self->axes[axis].values[index % self->axes[axis].count];
}

// Values of point `index` as "throttle=0 fidelity=lofi ...": its key in the results file.
static void write_key(const struct ts_sweep *self, size_t index, char *key, size_t size)
{
    snprintf(key, size, "%s%s%s%s%s%s", self->programs ? "run" : self->kernel,
             self->strict ? " strict" : "", self->check ? " check=" : "",
             self->check ? self->check : "", self->activity ? " activity" : "",
             self->timing_only ? " timing-only" : "");
    for (unsigned i = 0; i < self->axis_count; i++)
        ts_append(key, size, " %s=%s", self->axes[i].name, ts_sweep_value(self, index, i));
}

// The settings of a point.
struct settings {
    char texts[TS_SWEEP_AXES][sizeof(struct ts_sweep_axis){0}.name + TS_SWEEP_VALUE + 2];
    const char *list[TS_SWEEP_AXES + 8];
    size_t count;
};

static void settings_of(const struct ts_sweep *self, size_t index, struct settings *to)
{
    to->count = 0;
    for (const char *const *base = self->base; *base && !self->programs; base++)
        to->list[to->count++] = *base;
    for (unsigned i = self->programs ? 1 : 0; i < self->axis_count; i++) {
        if (self->axes[i].kind != TS_AXIS_OWN)
            continue;
        snprintf(to->texts[i], sizeof to->texts[i], "%s=%s", self->axes[i].name,
                 ts_sweep_value(self, index, i));
        to->list[to->count++] = to->texts[i];
    }
}

static struct ts_plan *read_point(const struct ts_sweep *self, size_t index, struct ts_error *error)
{
    struct settings settings;
    settings_of(self, index, &settings);
    return read_kernel(self, settings.list, settings.count, false, error);
}

bool ts_sweep_accepts(const struct ts_sweep *self, const char *setting)
{
    struct settings settings;
    struct ts_error error = {0};
    settings.count = 0;
    for (const char *const *base = self->base; *base; base++)
        settings.list[settings.count++] = *base;
    settings.list[settings.count++] = setting;
    struct ts_plan *plan = read_kernel(self, settings.list, settings.count, false, &error);
    ts_plan_free(plan);
    return plan != NULL;
}

// Does every program have every parameter? What its values may be, its run says.
static bool check_programs(const struct ts_sweep *self, char *text, size_t size)
{
    for (unsigned p = 0; p < self->axes[0].count; p++) {
        char names[2000];
        ts_plan_settings(self->paths[p], names, sizeof names);
        for (unsigned i = 1; names[0] && i < self->axis_count; i++)
            if (self->axes[i].kind == TS_AXIS_OWN && ts_word_index(names, self->axes[i].name) < 0) {
                snprintf(text, size, "%.200s has no parameter '%.60s'; it has: %.600s",
                         self->axes[0].values[p], self->axes[i].name, names);
                return false;
            }
    }
    return true;
}

bool ts_sweep_check(const struct ts_sweep *self, char *text, size_t size)
{
    if (count_points(self) > TS_CREW_RUNS) {
        snprintf(text, size, "more than %d runs: vary less", TS_CREW_RUNS);
        return false;
    }
    if (self->programs)
        return self->point || check_programs(self, text, size);
    if (ts_sweep_spawns(self))
        return true;
    for (size_t i = 0, points = count_points(self); i < points; i++) {
        struct ts_error error = {0};
        struct ts_plan *plan = read_point(self, i, &error);
        ts_plan_free(plan);
        if (plan)
            return true;
        snprintf(text, size, "%s", error.text);
    }
    return false;
}

#define WARNED 64 // points that are looked at

// Files warn of integers only.
static bool has_integers(const struct ts_sweep *self)
{
    for (unsigned i = 0; i < self->axis_count; i++)
        for (unsigned k = 0; k < self->axes[i].count; k++)
            if (strncmp(self->axes[i].values[k], "int", 3) == 0)
                return true;
    return false;
}

void ts_sweep_warning(const struct ts_sweep *self, char *text, size_t size)
{
    const size_t points = ts_sweep_spawns(self) || !has_integers(self) ? 0 : count_points(self);
    text[0] = '\0';
    for (size_t i = 0; i < points && i < WARNED && text[0] == '\0'; i++) {
        struct ts_error error = {0};
        struct ts_plan *plan = read_point(self, i, &error);
        if (plan && plan->llk.on && !ts_llk_warning(plan, text, size))
            text[0] = '\0';
        ts_plan_free(plan);
    }
}

// --- one run

// What a point runs: a file, its settings, the machine.
struct point {
    struct ts_alias alias; // path and parameters
    struct ts_params params;
    struct ts_tile_config config;
    struct ts_plan_options options;
};

static bool set_machine(const struct ts_sweep *self, size_t index, struct point *to,
                        struct ts_error *error)
{
    char path[512], setting[sizeof self->axes[0].name + TS_SWEEP_VALUE + 2];
    const char *chip = NULL;
    for (unsigned i = 0; i < self->axis_count; i++)
        if (strcmp(self->axes[i].name, "chip") == 0)
            chip = ts_sweep_value(self, index, i);
    ts_config_path(path, sizeof path, ts_soc_machine(chip)->numbers);
    ts_chip_params_add(&to->params);
    ts_params_load(&to->params, path, error);
    for (unsigned i = 0; i < self->axis_count && error->code == TS_OK; i++) {
        snprintf(setting, sizeof setting, "%s=%s", self->axes[i].name,
                 ts_sweep_value(self, index, i));
        if (self->axes[i].kind == TS_AXIS_MACHINE)
            ts_params_set(&to->params, setting, error);
    }
    to->config = ts_tile_config_from(&to->params);
    to->config.strict = self->strict;
    return error->code == TS_OK;
}

// Is there a chip, or another machine?
static bool has_machine(const struct ts_sweep *self)
{
    bool grid = false;
    for (unsigned i = 0; i < self->axis_count; i++)
        grid |= strcmp(self->axes[i].name, "grid") == 0;
    return grid || ts_sweep_spawns(self);
}

static bool begin_point(const struct ts_sweep *self, size_t index, struct point *to,
                        struct ts_error *error)
{
    struct settings settings;
    struct ts_dram_params channel;
    settings_of(self, index, &settings);
    if (!self->programs) {
        if (!ts_alias_find(&to->alias, self->kernel, settings.list, settings.count, error))
            return false;
    } else {
        const size_t program = index / (self->points / self->axes[0].count);
        snprintf(to->alias.path, sizeof to->alias.path, "%s", self->paths[program]);
        for (size_t i = 0; i < settings.count; i++)
            to->alias.params[to->alias.count++] = strdup(settings.list[i]);
    }
    to->options = (struct ts_plan_options){.params = (const char *const *)to->alias.params,
                                           .param_count = to->alias.count};
    to->config = ts_tile_config_default();
    to->config.strict = self->strict;
    if (!has_machine(self)) // tiles alone
        return true;
    if (!set_machine(self, index, to, error))
        return false;
    TS_PARAMS_FILL(&to->params, "dram", &channel);
    to->options.dram_bytes = (uint64_t)channel.size << 20;
    return !self->allow || ts_plan_allow(self->allow, &to->options.allow);
}

void ts_sweep_keep_figures(const json_t *document, json_t *row)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)document, name, value)
    {
        const bool figure = json_is_string(value) || json_is_number(value);
        if ((figure || ts_word_index("roofs activity", name) >= 0) &&
            json_object_get(row, name) == NULL)
            json_object_set(row, name, value);
    }
}

static void tell(const struct ts_sweep *self, const struct ts_work *work, json_t *row,
                 struct ts_error *error)
{
    json_t *document = json_object();
    if (ts_sweep_spawns(self)) {
        ts_work_json(work, document);
        ts_sweep_keep_figures(document, row);
    } else {
        ts_verdict_json(work, row);
    }
    if (work->loss)
        ts_loss_brief(work->loss, row);
    json_decref(document);
    if (work->program && ts_program_wrong(work->program))
        ts_fail(error, TS_DIFFERS, "the result is not what the program file expects");
}

static void run_point(const struct ts_sweep *self, size_t index, json_t *row)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct point *point = calloc(1, sizeof *point);
    struct ts_error error = {0};
    struct ts_work *work = NULL;
    if (ts_sweep_spawns(self))
        ts_sweep_keep(self, index, row);
    if (kernel == NULL || point == NULL) {
        ts_fail(&error, TS_NO_MEMORY, "out of memory");
    } else if (begin_point(self, index, point, &error)) {
        struct ts_plan *plan = ts_plan_read(point->alias.path, &point->options, &error);
        if (plan && ts_plan_compile(plan, &point->options, &error))
            work = ts_work_new_program(plan, has_machine(self) ? &point->params : NULL,
                                       &point->config, kernel, &error);
        else
            ts_plan_free(plan);
    }
    if (work && ts_kernel_elaborate(kernel, &error) == TS_OK && ts_work_start(work, &error)) {
        struct ts_run run = ts_work_run(work, POINT_LIMIT);
        if (ts_work_finish(work, &run, &error) && work->result.code == TS_OK)
            tell(self, work, row, &error);
        else if (error.code == TS_OK)
            ts_fail(&error, work->result.code, "%s", work->result.text);
    }
    json_object_set_new(row, "code", json_integer(error.code));
    if (error.code != TS_OK)
        json_object_set_new(row, "error", json_string(error.text));
    ts_work_free(work);
    ts_kernel_free(kernel);
    if (point) {
        ts_alias_free(&point->alias);
        ts_params_free(&point->params);
    }
    free(point);
}

void ts_sweep_with(const struct ts_sweep *self, size_t index, ts_sweep_point *what, json_t *row)
{
    struct settings settings;
    settings_of(self, index, &settings);
    ts_sweep_keep(self, index, row);
    what(self->paths[index / (count_points(self) / self->axes[0].count)], settings.list,
         settings.count, row);
}

// --- the crew's list

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    write_key(context, index, key, size);
}

// Roughly: products, by what the matrix unit does for each.
static double cost_of(const void *context, size_t index)
{
    const struct ts_sweep *self = context;
    double cost = 1;
    for (unsigned i = 0; i < self->axis_count; i++) {
        const char *name = self->axes[i].name, *value = ts_sweep_value(self, index, i);
        int64_t number = 1;
        if (ts_parse_int(value, &number) && strcmp(name, "throttle") == 0)
            cost *= 1 + 0.5 * (double)number;
        else if (strcmp(name, "fidelity") == 0)
            cost *= 2 + ts_word_index(TS_PLAN_FIDELITIES, value);
        else if (ts_word_index("m n k repeat", name) >= 0)
            cost *= (double)number;
    }
    return cost;
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct ts_sweep *self = context;
    (void)seat;
    if (self->point)
        ts_sweep_with(self, index, self->point, row);
    else if (ts_sweep_is_command(context, index))
        ts_sweep_spawn(context, index, row);
    else
        run_point(context, index, row);
}

int ts_sweep_run(struct ts_sweep *self, struct ts_error *error)
{
    struct ts_crew *crew = &self->crew;
    char command[80];
    snprintf(command, sizeof command, "sweep %s", self->programs ? "of programs" : self->kernel);
    struct ts_crew_list list = {.command = command,
                                .unit = "runs",
                                .count = count_points(self),
                                .configuration = self->programs ? ts_sweep_program_hash(self) : 0,
                                .context = self,
                                .key = key_of,
                                .cost = self->programs ? NULL : cost_of,
                                .run = run_of};
    self->points = list.count;
    // Other ranks than 0 have no directory.
    if (self->directory &&
        (self->out = ts_rundir_open(self->directory, crew->argc, crew->argv, error)) == NULL)
        return (int)error->code;
    crew->directory = self->directory;
    crew->out = self->out;
    int code = ts_crew_run(crew, &list, error);
    self->results = crew->rows;
    self->resumed = crew->resumed;
    for (size_t i = 0; self->results && i < self->points; i++)
        if (self->results[i]) {
            ts_sweep_keep(self, i, self->results[i]);
            self->findings += (size_t)ts_json_integer(self->results[i], "findings");
        }
    return code;
}

void ts_sweep_free(struct ts_sweep *self)
{
    ts_crew_free(&self->crew);
    self->results = NULL;
    ts_rundir_free(self->out);
    self->out = NULL;
}
