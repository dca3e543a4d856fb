// Points and their runs (sweep.h).
#include "platform/study/sweep/sweep.h"

#include "platform/base/yaml.h"
#include "platform/chip/chip.h"
#include "platform/run/plan/plan.h"
#include "platform/run/spec.h"
#include "platform/run/work.h"
#include "platform/tile/watchdog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POINT_LIMIT UINT64_C(1000000000)

// --- points

// Parameters of a kernel that make it a program on a chip (config/job_front.def).
static bool is_of_chip(const struct ts_sweep *self, const char *name)
{
    char names[256];
    ts_option_sweeps(ts_job_kind_find(self->base.program), names, sizeof names);
    return ts_word_index("cores from chip", name) >= 0 && ts_word_index(names, name) >= 0;
}

bool ts_sweep_spawns(const struct ts_sweep *self)
{
    bool spawns = self->programs || self->check;
    for (unsigned i = 0; i < self->axis_count; i++)
        spawns |= self->axes[i].kind == TS_AXIS_MACHINE || is_of_chip(self, self->axes[i].name);
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
    struct ts_job_spec probe = self->base;
    char wrong[512];
    json_t *text = json_string(value); // the tables are JSON
    const bool plain = text != NULL;
    json_decref(text);
    if (!plain)
        ts_fail(error, TS_USAGE, "%s: '%.40s' is not UTF-8", axis->name, value);
    else if (axis->count == TS_SWEEP_VALUES)
        ts_fail(error, TS_USAGE, "%s: more than %d values", axis->name, TS_SWEEP_VALUES);
    else if (strlen(value) >= TS_SWEEP_VALUE)
        ts_fail(error, TS_USAGE, "%s: '%.40s...' is too long", axis->name, value);
    else if (axis->kind == TS_AXIS_MACHINE && !check_machine(axis->name, value, error))
        return false;
    else if (axis->kind == TS_AXIS_OWN && !self->programs && !is_of_chip(self, axis->name) &&
             !ts_spec_vary(&probe, axis->name, value, wrong, sizeof wrong))
        ts_fail(error, TS_USAGE, "%s", wrong);
    else
        snprintf(axis->values[axis->count++], TS_SWEEP_VALUE, "%s", value);
    return error->code == TS_OK;
}

bool ts_sweep_axis_add(struct ts_sweep *self, const char *text, struct ts_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof self->axes[0].name ||
        equals[1] == '\0') {
        ts_fail(error, TS_USAGE, "'%s' is not PARAMETER=VALUE,VALUE...", text);
        return false;
    }
    char name[sizeof self->axes[0].name];
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    if (strcmp(name, "clock") == 0)
        snprintf(name, sizeof name, "chip.clock_mhz");
    unsigned place = 0;
    while (place < self->axis_count && strcmp(self->axes[place].name, name) != 0)
        place++;
    if (place == TS_SWEEP_AXES) {
        ts_fail(error, TS_USAGE, "more than %d parameters", TS_SWEEP_AXES);
        return false;
    }
    struct ts_sweep_axis *axis = &self->axes[place];
    if (place == self->axis_count)
        self->axis_count++;
    snprintf(axis->name, sizeof axis->name, "%s", name);
    axis->kind = strchr(name, '.') ? TS_AXIS_MACHINE : TS_AXIS_OWN;
    axis->count = 0;
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
    if (!self->programs && self->axis_count) {
        ts_fail(error, TS_USAGE, "'%s': name the programs before the parameters", name);
        return false;
    }
    if (access(path, R_OK) != 0) {
        ts_fail(error, TS_SETUP, "%s: cannot be read: %s", path, strerror(errno));
        return false;
    }
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
    size_t used = (size_t)snprintf(key, size, "%s%s%s%s",
                                   self->programs ? "run" : self->base.program,
                                   self->base.strict ? " strict" : "", self->check ? " check=" : "",
                                   self->check ? self->check : "");
    for (unsigned i = 0; i < self->axis_count && used < size; i++)
        used += (size_t)snprintf(key + used, size - used, " %s=%s", self->axes[i].name,
                                 ts_sweep_value(self, index, i));
}

static struct ts_job_spec spec_of(const struct ts_sweep *self, size_t index)
{
    struct ts_job_spec spec = self->base;
    char wrong[512];
    for (unsigned i = 0; i < self->axis_count; i++)
        ts_spec_vary(&spec, self->axes[i].name, ts_sweep_value(self, index, i), wrong,
                     sizeof wrong);
    return spec;
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
        return check_programs(self, text, size);
    if (ts_sweep_spawns(self))
        return true;
    for (size_t i = 0, points = count_points(self); i < points; i++) {
        struct ts_job_spec spec = spec_of(self, i);
        if (ts_spec_check(&spec, text, size))
            return true;
    }
    return false;
}

const char *ts_sweep_warning(const struct ts_sweep *self)
{
    for (size_t i = 0, points = count_points(self); i < points && !ts_sweep_spawns(self); i++) {
        struct ts_job_spec spec = spec_of(self, i);
        const char *warning = ts_spec_warning(&spec);
        if (warning)
            return warning;
    }
    return NULL;
}

// --- one run

static void run_point(const struct ts_sweep *self, size_t index, json_t *row)
{
    struct ts_job_spec spec = spec_of(self, index);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_work *work = kernel ? ts_work_new(&spec, NULL, kernel, &error) : NULL;
    if (work && ts_kernel_elaborate(kernel, &error) == TS_OK && ts_work_start(work, &error)) {
        struct ts_run run = ts_work_run(work, POINT_LIMIT);
        if (ts_work_finish(work, &run, &error) && work->result.code == TS_OK) {
            json_object_set_new(row, "code", json_integer(TS_OK));
            ts_verdict_json(&work->verdict, &work->jobs[0], &work->result, row);
            if (work->loss)
                ts_loss_brief(work->loss, row);
        } else if (error.code == TS_OK) {
            ts_fail(&error, work->result.code, "%s", work->result.text);
        }
    }
    if (error.code != TS_OK || work == NULL) {
        json_object_set_new(row, "code", json_integer(error.code ? error.code : TS_NO_MEMORY));
        json_object_set_new(row, "error", json_string(error.text));
    }
    ts_work_free(work);
    ts_kernel_free(kernel);
}

// --- the crew's list

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    write_key(context, index, key, size);
}

// Roughly: products, by what the matrix unit does for each.
static double cost_of(const void *context, size_t index)
{
    struct ts_job_spec spec = spec_of(context, index);
    double work = (double)spec.m * spec.n * (spec.k ? spec.k : 1);
    return work * (1.0 + spec.phases) * (1.0 + 0.5 * spec.throttle) *
           (spec.repeat ? spec.repeat : 1);
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    (void)seat;
    if (ts_sweep_spawns(context))
        ts_sweep_spawn(context, index, row);
    else
        run_point(context, index, row);
}

void ts_sweep_column(const struct ts_sweep *self, unsigned axis, char *name, size_t size)
{
    snprintf(name, size, "%s", self->axes[axis].name);
    for (char *at = name; (at = strchr(at, '-')) != NULL;)
        *at = '_';
}

void ts_sweep_keep(const struct ts_sweep *self, size_t index, json_t *row)
{
    for (unsigned i = 0; i < self->axis_count; i++) {
        char name[sizeof self->axes[i].name];
        const char *value = ts_sweep_value(self, index, i);
        int64_t number;
        ts_sweep_column(self, i, name, sizeof name);
        if (json_object_get(row, name) == NULL)
            json_object_set_new(row, name,
                                ts_parse_int(value, &number) ? json_integer(number)
                                                             : json_string(value));
    }
}

int ts_sweep_run(struct ts_sweep *self, struct ts_error *error)
{
    struct ts_crew *crew = &self->crew;
    char command[80];
    snprintf(command, sizeof command, "sweep %s",
             self->programs ? "of programs" : self->base.program);
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
            self->findings += (size_t)json_integer_value(
                json_object_get(self->results[i], "findings"));
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
