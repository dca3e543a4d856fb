// Runs and sums up the truth table (silicon.h).
#include "platform/base/json.h"
#include "platform/chip/workload.h"
#include "platform/run/timed.h"
#include "platform/study/pipe/tune.h"
#include "platform/study/silicon/evidence.h"
#include "platform/study/silicon/launch.h"

struct ts_silicon_context ts_silicon_context(const struct ts_params *params)
{
    return (struct ts_silicon_context){.params = params, .tile = ts_tile_config_from(params)};
}

bool ts_silicon_offered(const struct ts_silicon_family *self, const char *machine)
{
    return (!self->files || strcmp(self->machine, TS_SILICON_A5) == 0) &&
           strcmp(self->machine, machine) == 0;
}

static bool selected(const struct ts_silicon_family *one, const struct ts_silicon_family *family,
                     bool every)
{
    return family ? one == family : every || ts_silicon_offered(one, "blackhole");
}

struct ts_silicon_result *ts_silicon_select(const struct ts_silicon_family *family, bool every,
                                            size_t *count)
{
    *count = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (selected(ts_silicon_families[f], family, every))
            *count += ts_silicon_families[f]->count;
    struct ts_silicon_result *results = ts_need(calloc(*count ? *count : 1, sizeof *results),
                                                "the truth table");
    size_t next = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (selected(ts_silicon_families[f], family, every))
            for (size_t i = 0; i < ts_silicon_families[f]->count; i++)
                results[next++] = (struct ts_silicon_result){
                    .family = ts_silicon_families[f],
                    .row = &ts_silicon_families[f]->rows[i],
                };
    ts_silicon_find_twins(results, *count);
    return results;
}

// ---- running

static void show_share(void *seat, double share)
{
    ts_crew_share(seat, share);
}

// A row that is a trace of NoC requests in the user's tree.
static void run_trace(const struct ts_silicon_family *family, const struct ts_silicon_row *row,
                      const struct ts_silicon_context *context, double *simulated,
                      struct ts_error *error)
{
    char path[PATH_MAX];
    struct ts_soc soc;
    struct ts_workload work = {0};
    struct ts_chip *chip = ts_need(calloc(1, sizeof *chip), "the truth table");
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    snprintf(path, sizeof path, "%s/%s/%s", context->sources, family->sources, row->file);
    if (ts_soc_find(&soc, row->settings, error) == TS_OK &&
        ts_workload_load(&work, path, &soc, error) == TS_OK &&
        ts_chip_init(chip, kernel, &soc, context->params, NULL, 0, error) == TS_OK &&
        ts_workload_drive(&work, chip, TS_WORKLOAD_GAP, error) == TS_OK &&
        ts_kernel_elaborate(kernel, error) == TS_OK) {
        const struct ts_run run = ts_kernel_run(kernel, TS_NEVER - 1);
        const double results[] = {(double)run.cycle};
        *error = run.error;
        simulated[0] = row->figure(results, simulated);
    }
    ts_chip_free(chip);
    free(chip);
    ts_workload_free(&work);
    ts_kernel_free(kernel);
}

// The settings of a row, apart at blanks, with the path of its file.
enum { SETTINGS = 24 };

static size_t split_settings(const struct ts_silicon_row *row, char path[PATH_MAX], char text[512],
                             const char *settings[SETTINGS])
{
    size_t count = 0;
    char *rest;
    ts_config_path(path, PATH_MAX, row->file);
    snprintf(text, 512, "%s", row->settings);
    for (char *at = strtok_r(text, " ", &rest); at && count < SETTINGS;
         at = strtok_r(NULL, " ", &rest))
        settings[count++] = at;
    return count;
}

// A TPUSH/TPOP program: r[0] is all its cycles, r[1] the work of AIV0's vector pipe.
static void run_pipes(const struct ts_silicon_row *row, double *simulated, struct ts_error *error)
{
    char path[PATH_MAX], text[512];
    const char *settings[SETTINGS];
    const size_t count = split_settings(row, path, text, settings);
    double results[2];
    if (ts_tune_cycles(path, settings, count, results, error))
        simulated[0] = row->figure(results, simulated);
}

// A row of a family of program files.
static void run_file(const struct ts_silicon_row *row, const struct ts_silicon_context *context,
                     double *simulated, struct ts_error *error)
{
    char path[PATH_MAX], text[512];
    const char *settings[SETTINGS];
    struct ts_timed timed = {.path = path,
                             .settings = settings,
                             .sources = context->sources,
                             .threads = 1,
                             .shown = context->seat ? show_share : NULL,
                             .context = context->seat};
    struct ts_timed_cycles took;
    timed.setting_count = split_settings(row, path, text, settings);
    if (!ts_timed_run(&timed, context->params, &took, error))
        return;
    const double results[] = {(double)took.whole, (double)took.math};
    simulated[0] = row->figure(results, simulated);
}

void ts_silicon_simulate(const struct ts_silicon_result *result,
                         const struct ts_silicon_context *context, json_t *row)
{
    const struct ts_silicon_row *of = result->row;
    double simulated[TS_SILICON_FIGURES] = {0};
    struct ts_error failure = {0};
    if (of->other_count >= TS_SILICON_FIGURES)
        ts_fail(&failure, TS_BUG, "%s: too many figures", of->id);
    else if (result->family->files && strstr(of->file, ".json"))
        run_trace(result->family, of, context, simulated, &failure);
    else if (strcmp(result->family->machine, TS_SILICON_A5) == 0)
        run_pipes(of, simulated, &failure);
    else if (result->family->files)
        run_file(of, context, simulated, &failure);
    else
        ts_launch(result->family->name, of, context, simulated, &failure);
    json_t *figures = json_array();
    for (unsigned i = 0; i <= of->other_count && failure.code == TS_OK; i++) {
        if (!isfinite(simulated[i]))
            ts_fail(&failure, TS_BUG, "%s: %f is no figure", of->id, simulated[i]);
        else
            json_array_append_new(figures, json_real(simulated[i]));
    }
    json_object_set_new(row, "code", json_integer(failure.code));
    if (failure.code != TS_OK)
        json_object_set_new(row, "error", json_string(failure.text));
    else
        json_object_set(row, "figures", figures);
    json_decref(figures);
}

void ts_silicon_settle(struct ts_silicon_result *result, const json_t *row)
{
    const struct ts_silicon_row *of = result->row;
    const json_t *figures = json_object_get(row, "figures");
    int code = (int)ts_json_integer(row, "code");
    result->failure = (struct ts_error){0};
    result->measured = of->measured;
    result->error = 0;
    if (code != TS_OK)
        ts_fail(&result->failure, (enum ts_code)code, "%s",
                json_string_value(json_object_get(row, "error")));
    for (unsigned i = 0; i <= of->other_count && result->failure.code == TS_OK; i++) {
        double simulated = json_real_value(json_array_get(figures, i));
        double measured = i ? of->others[i - 1] : of->measured;
        double error = simulated / measured - 1;
        result->figures[i] = simulated;
        if (!isfinite(error)) {
            ts_fail(&result->failure, TS_BUG, "%s: %f is no figure", of->id, simulated);
        } else if (i == 0 || fabs(error) > fabs(result->error)) {
            result->measured = measured;
            result->simulated = simulated;
            result->error = error;
        }
    }
}

struct rows {
    struct ts_silicon_result *results;
    const struct ts_silicon_context *context;
};

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    const struct rows *self = context;
    snprintf(key, size, "%s %s", self->results[index].family->name, self->results[index].row->id);
}

// The long rows stand at the end.
static double cost_of(const void *context, size_t index)
{
    (void)context;
    return (double)index;
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct rows *self = context;
    struct ts_silicon_context with = *self->context;
    with.seat = seat;
    ts_silicon_simulate(&self->results[index], &with, row);
}

int ts_silicon_run(struct ts_silicon_result *results, size_t count,
                   const struct ts_silicon_context *context, uint64_t configuration,
                   struct ts_crew *crew, struct ts_error *error)
{
    struct rows rows = {results, context};
    struct ts_crew_list list = {.command = "silicon",
                                .unit = "rows",
                                .count = count,
                                .configuration = configuration,
                                .context = &rows,
                                .key = key_of,
                                .cost = cost_of,
                                .run = run_of};
    int code = ts_crew_run(crew, &list, error);
    for (size_t i = 0; i < count && code == TS_OK && crew->shards == 0; i++)
        ts_silicon_settle(&results[i], crew->rows[i]);
    return code;
}

// ---- summing up

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return TS_COMPARE(x, y);
}

void ts_silicon_order(double *errors, size_t count, double *median, double *p90)
{
    qsort(errors, count, sizeof *errors, by_size);
    *median = errors[count / 2];
    *p90 = errors[count * 9 / 10];
}

struct ts_silicon_summary ts_silicon_summarise(const struct ts_silicon_result *results,
                                               size_t count, const struct ts_silicon_family *family)
{
    struct ts_silicon_summary summary = {0};
    double *errors = ts_need(calloc(count ? count : 1, sizeof *errors), "the truth table");
    for (size_t i = 0; i < count; i++) {
        if (family != NULL && results[i].family != family)
            continue;
        if (results[i].failure.code != TS_OK) {
            summary.failed++;
            continue;
        }
        double size = fabs(results[i].error);
        errors[summary.rows++] = size;
        summary.bias += results[i].error;
        summary.unexplained += size > TS_SILICON_CAUSE && results[i].row->cause == NULL;
        summary.needless += size <= TS_SILICON_CAUSE && results[i].row->cause != NULL;
    }
    if (summary.rows > 0) {
        ts_silicon_order(errors, summary.rows, &summary.median, &summary.p90);
        summary.worst = errors[summary.rows - 1];
        summary.bias /= (double)summary.rows;
    }
    free(errors);
    return summary;
}
