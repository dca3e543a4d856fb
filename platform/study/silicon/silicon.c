// Runs and sums up the truth table (silicon.h).
#include "platform/study/silicon/silicon.h"

#include "platform/base/crew.h"
#include "platform/chip/chip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TS_SILICON_FAMILY(name) extern const struct ts_silicon_family ts_silicon_##name;
#include "platform/study/silicon/families.def"
#undef TS_SILICON_FAMILY

const struct ts_silicon_family *const ts_silicon_families[] = {
#define TS_SILICON_FAMILY(name) &ts_silicon_##name,
#include "platform/study/silicon/families.def"
#undef TS_SILICON_FAMILY
    NULL,
};

const struct ts_silicon_family *ts_silicon_family(const char *name)
{
    for (size_t i = 0; ts_silicon_families[i]; i++)
        if (strcmp(ts_silicon_families[i]->name, name) == 0)
            return ts_silicon_families[i];
    return NULL;
}

void ts_silicon_params_add(struct ts_params *params)
{
    ts_chip_params_add(params);
}

enum ts_code ts_silicon_params(struct ts_params *params, struct ts_error *error)
{
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_silicon_params_add(params);
    return ts_params_load(params, path, error);
}

struct ts_silicon_context ts_silicon_context(const struct ts_params *params)
{
    return (struct ts_silicon_context){.params = params, .tile = ts_tile_config_from(params)};
}

struct ts_silicon_result *ts_silicon_select(const struct ts_silicon_family *family, size_t *count)
{
    *count = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (family == NULL || family == ts_silicon_families[f])
            *count += ts_silicon_families[f]->count;
    struct ts_silicon_result *results = calloc(*count ? *count : 1, sizeof *results);
    if (results == NULL)
        abort();
    size_t next = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (family == NULL || family == ts_silicon_families[f])
            for (size_t i = 0; i < ts_silicon_families[f]->count; i++)
                results[next++] = (struct ts_silicon_result){
                    .family = ts_silicon_families[f],
                    .row = ts_silicon_row(ts_silicon_families[f], i),
                };
    return results;
}

// ---- running

static void run_row(struct ts_silicon_result *result, const struct ts_silicon_context *context)
{
    const struct ts_silicon_row *row = result->row;
    double *simulated = result->figures;
    result->failure = (struct ts_error){0};
    result->measured = row->measured;
    result->error = 0;
    if (row->other_count >= TS_SILICON_FIGURES) {
        ts_fail(&result->failure, TS_BUG, "%s: too many figures", row->id);
        return;
    }
    result->family->run(row, context, simulated, &result->failure);
    for (unsigned i = 0; i <= row->other_count && result->failure.code == TS_OK; i++) {
        double measured = i ? row->others[i - 1] : row->measured;
        double error = simulated[i] / measured - 1;
        if (!isfinite(error)) {
            ts_fail(&result->failure, TS_BUG, "%s: %f is no figure", row->id, simulated[i]);
        } else if (i == 0 || fabs(error) > fabs(result->error)) {
            result->measured = measured;
            result->simulated = simulated[i];
            result->error = error;
        }
    }
}

struct rows {
    struct ts_silicon_result *results;
    size_t count;
    const struct ts_silicon_context *context;
    struct ts_progress *progress;
};

static bool work(void *context, size_t index)
{
    const struct rows *self = context;
    // From the end: the long rows stand there, and a long row last would leave threads idle.
    run_row(&self->results[self->count - 1 - index], self->context);
    ts_progress_add(self->progress, 1);
    return true;
}

void ts_silicon_run(struct ts_silicon_result *results, size_t count,
                    const struct ts_silicon_context *context, unsigned threads,
                    struct ts_progress *progress)
{
    struct rows rows = {results, count, context, progress};
    ts_crew_run(count, threads, work, &rows);
}

// ---- summing up

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct ts_silicon_summary ts_silicon_summarise(const struct ts_silicon_result *results,
                                               size_t count, const struct ts_silicon_family *family)
{
    struct ts_silicon_summary summary = {0};
    double *errors = calloc(count ? count : 1, sizeof *errors);
    if (errors == NULL)
        abort();
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
    }
    if (summary.rows > 0) {
        qsort(errors, summary.rows, sizeof *errors, by_size);
        summary.median = errors[summary.rows / 2];
        summary.p90 = errors[summary.rows * 9 / 10];
        summary.worst = errors[summary.rows - 1];
        summary.bias /= (double)summary.rows;
    }
    free(errors);
    return summary;
}

void ts_silicon_print(FILE *file, const struct ts_silicon_result *result)
{
    struct ts_silicon_text text = {.metric = ""};
    result->family->describe(result->row, &text);
    if (result->failure.code != TS_OK) {
        fprintf(file, "%-16s failed: %s\n", result->row->id, result->failure.text);
        return;
    }
    fprintf(file, "%-16s %12.3f %12.3f %+8.2f %%  %s, %s\n", result->row->id, result->measured,
            result->simulated, 100 * result->error, text.workload, text.metric);
    if (fabs(result->error) > TS_SILICON_CAUSE)
        fprintf(file, "%-16s %s\n", "", result->row->cause ? result->row->cause : "no cause known");
}
