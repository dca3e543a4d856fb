// The page of the truth table: measured against simulated, then each family, folded: errors and rows.
#include "platform/report/page.h"
#include "platform/report/sections.h"
#include "platform/study/silicon/evidence.h"
#include "platform/study/silicon/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool good(const struct ts_silicon_result *r)
{
    return r->failure.code == TS_OK;
}

// ---- plots

static void add_cloud(const struct ts_silicon_table *self, json_t *page)
{
    json_t *series = json_array();
    double low = (double)INFINITY, high = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++) {
        const struct ts_silicon_family *family = ts_silicon_families[f];
        json_t *points = json_array();
        for (size_t i = 0; i < self->count; i++) {
            const struct ts_silicon_result *r = &self->results[i];
            if (r->family != family || !good(r) || r->simulated <= 0)
                continue;
            char label[320];
            snprintf(label, sizeof label, "%+.1f %%, %s: %s, %s", 100 * r->error, r->row->id,
                     r->row->workload, r->row->metric);
            json_array_append_new(points, json_pack("[f, f, s]", r->measured, r->simulated, label));
            low = fmin(low, fmin(r->measured, r->simulated));
            high = fmax(high, fmax(r->measured, r->simulated));
        }
        if (json_array_size(points) > 0)
            json_array_append_new(series,
                                  json_pack("{s:s, s:O}", "name", family->name, "points", points));
        json_decref(points);
    }
    // A correct model has every dot on this line.
    json_array_append_new(series, json_pack("{s:s, s:b, s:b, s:s, s:[[f, f], [f, f]]}", "name",
                                            "equal", "line", 1, "bare", 1, "color", "--dim",
                                            "points", low, low, high, high));
    ts_page_add(page, "plot", "Simulated against measured",
                json_pack("{s:{s:s, s:b}, s:{s:s, s:b}, s:o, s:i}", "x", "name",
                          "measured on a card", "log", 1, "y", "name", "simulated", "log", 1,
                          "series", series, "height", 460));
}

static const double edges[] = {-0.25, -0.15, -0.10, -0.05, -0.03, -0.01,
                               0.01,  0.03,  0.05,  0.10,  0.15,  0.25};
enum { EDGES = sizeof edges / sizeof *edges, BINS = EDGES + 1 };

static void add_errors(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                       json_t *page)
{
    size_t bins[BINS] = {0}, rows = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *r = &self->results[i];
        if ((family && r->family != family) || !good(r))
            continue;
        size_t bin = 0;
        while (bin < EDGES && r->error > edges[bin])
            bin++;
        bins[bin]++;
        rows++;
    }
    json_t *names = json_array(), *values = json_array();
    for (size_t b = 0; b < BINS; b++) {
        char name[32];
        if (b == 0)
            snprintf(name, sizeof name, "< %.0f", 100 * edges[0]);
        else if (b == EDGES)
            snprintf(name, sizeof name, "> +%.0f", 100 * edges[EDGES - 1]);
        else
            snprintf(name, sizeof name, "%+.0f..%+.0f", 100 * edges[b - 1], 100 * edges[b]);
        json_array_append_new(names, json_string(name));
        json_array_append_new(values, json_integer((json_int_t)bins[b]));
    }
    char title[160];
    snprintf(title, sizeof title, "%s: %zu figure%s by error",
             family ? family->title : "All families", rows, rows == 1 ? "" : "s");
    ts_page_add(page, "columns", title,
                json_pack("{s:o, s:o, s:s, s:s}", "names", names, "values", values, "x",
                          "simulated against measured, %", "y", "figures"));
}

// ---- tables

static void add_families(const struct ts_silicon_table *self, json_t *page)
{
    json_t *rows = json_array();
    for (size_t f = 0; f == 0 || ts_silicon_families[f - 1]; f++) {
        const struct ts_silicon_family *family = ts_silicon_families[f]; // the last: all
        if (family && ts_silicon_count_ids(self, family) == 0)
            continue;
        struct ts_silicon_summary s = ts_silicon_summarise(self->results, self->count, family);
        struct ts_silicon_spread alone = ts_silicon_spread(self->results, self->count, family, NULL,
                                                           TS_SILICON_ALONE);
        json_array_append_new(
            rows,
            json_pack("[s, I, f, f, f, f, I, I, f, f]", family ? family->title : "all",
                      (json_int_t)ts_silicon_count_ids(self, family), 100 * s.median, 100 * s.p90,
                      100 * s.worst, 100 * s.bias, (json_int_t)(s.rows - alone.figures),
                      (json_int_t)alone.figures, 100 * alone.median, 100 * alone.p90));
    }
    ts_page_add(page, "table", NULL,
                json_pack("{s:[s, s, s, s, s, s, s, s, s, s], s:o, s:[i]}", "heads", "family",
                          "rows", "median %", "p90 %", "worst %", "bias %", "twins",
                          "figures without twins", "median % without", "p90 % without", "rows",
                          rows, "text", 0));
}

// ---- what the figures prove

static void add_settings(const struct ts_silicon_table *self, json_t *page)
{
    enum { MOST = 256 };
    struct ts_silicon_setting settings[MOST];
    size_t count = ts_silicon_settings(self->params, settings, MOST);
    json_t *rows = json_array();
    for (size_t i = 0; i < count && i < MOST; i++) {
        const struct ts_param_group *group = settings[i].group;
        const struct ts_param *param = &group->rows[settings[i].index];
        const struct ts_param_value *value = &group->values[settings[i].index];
        json_array_append_new(
            rows, json_pack("[o, I, s, s, s, s]", json_sprintf("%s.%s", group->name, param->key),
                            (json_int_t)value->value, param->unit, ts_param_kind_name(value->kind),
                            settings[i].rows, param->text));
    }
    char title[80];
    snprintf(title, sizeof title, "Parameters that were set on rows: %zu", count);
    json_t *fold = ts_page_part(page, "fold", title);
    ts_page_add(fold, "text", NULL,
                json_pack("{s:s}", "text",
                          "Nobody published these numbers; they follow from the rows named here. "
                          "Agreement on those rows proves nothing. On all others the parameter is "
                          "put to the test. `tensim config` has the full source of every number."));
    ts_page_add(fold, "table", NULL,
                json_pack("{s:[s, s, s, s, s, s], s:o, s:[i, i, i, i, i], s:s}", "heads",
                          "parameter", "value", "unit", "kind", "set on rows", "what it is", "rows",
                          rows, "text", 0, 2, 3, 4, 5, "class", "words"));
}

static void add_harness(json_t *page)
{
    json_t *rows = json_array();
    for (const struct ts_silicon_harness *h = ts_silicon_harness; h->family; h++)
        json_array_append_new(
            rows, json_pack("[s, s, f, s, s]", h->family, h->name, h->value, h->unit, h->reason));
    char title[80];
    snprintf(title, sizeof title, "Constants of the measurements' own programs: %zu",
             json_array_size(rows));
    json_t *fold = ts_page_part(page, "fold", title);
    ts_page_add(fold, "text", NULL,
                json_pack("{s:s}", "text",
                          "A measurement includes the loop, the poll and the clock reads of the "
                          "program that made it. Most probes run as programs on modelled cores, so "
                          "that these cycles come out of the model. Where a script stands in for a "
                          "program, they are constants:"));
    ts_page_add(fold, "table", NULL,
                json_pack("{s:[s, s, s, s, s], s:o, s:[i, i, i, i], s:s}", "heads", "family",
                          "constant", "value", "unit", "why it is one", "rows", rows, "text", 0, 1,
                          3, 4, "class", "words"));
}

static void add_evidence(const struct ts_silicon_table *self, json_t *page)
{
    struct ts_silicon_spread alone = ts_silicon_spread(self->results, self->count, NULL, NULL,
                                                       TS_SILICON_ALONE);
    struct ts_silicon_spread independent = ts_silicon_spread(self->results, self->count, NULL,
                                                             self->params, TS_SILICON_FREE);
    char text[900];
    snprintf(
        text, sizeof text,
        "Many rows repeat each other: the same program with another repeat count, position or "
        "core. A figure is a twin if rows before it in the table predict it: rows of the same "
        "program, one with the same measured value within %.0f %%, or two whose straight line it "
        "lies on within %.0f %%. The %zu figures without a twin have a median error of %.2f %%, "
        "90 %% of them are within %.1f %%. Of these, %zu were not used to set any parameter: "
        "median %.2f %%, 90 %% within %.1f %%.",
        100 * TS_SILICON_TWIN, 100 * TS_SILICON_TWIN, alone.figures, 100 * alone.median,
        100 * alone.p90, independent.figures, 100 * independent.median, 100 * independent.p90);
    ts_page_add(page, "text", "What the figures prove", json_pack("{s:s}", "text", text));
    add_settings(self, page);
    add_harness(page);
}

// Workload and metric, and why it is off if it is.
static json_t *words_of(const struct ts_silicon_result *r, bool off)
{
    const char *cause = !off            ? ""
                        : !good(r)      ? r->failure.text
                        : r->row->cause ? r->row->cause
                                        : "no cause known";
    return json_sprintf("%s, %s%s%s", r->row->workload, r->row->metric, off ? ". Off: " : "",
                        cause);
}

// What a row proves: "twin of S0002", "sets noc.atomic", or nothing to say.
static json_t *proof_of(const struct ts_silicon_table *self, const struct ts_silicon_result *r)
{
    char set[80];
    ts_silicon_set_on(self->params, r->row->id, set, sizeof set);
    return json_sprintf("%s%s%s%s%s", *set ? "sets " : "", set, *set && r->twin ? ", " : "",
                        r->twin ? "twin of " : "", r->twin ? r->twin->id : "");
}

static void add_rows(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                     json_t *page)
{
    json_t *rows = json_array(), *marked = json_array();
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *r = &self->results[i];
        if (r->family != family)
            continue;
        bool off = fabs(r->error) > TS_SILICON_CAUSE || !good(r);
        if (off)
            json_array_append_new(marked, json_integer((json_int_t)json_array_size(rows)));
        json_array_append_new(rows, json_pack("[s, f, o, o, o, o]", r->row->id, r->measured,
                                              good(r) ? json_real(r->simulated) : json_null(),
                                              good(r) ? json_real(100 * r->error) : json_null(),
                                              proof_of(self, r), words_of(r, off)));
    }
    ts_page_add(page, "table", NULL,
                json_pack("{s:[s, s, s, s, s, s], s:o, s:[i, i, i], s:o, s:s}", "heads", "row",
                          "measured", "simulated", "error %", "twin, sets",
                          "workload, metric, cause", "rows", rows, "text", 0, 4, 5, "marked",
                          marked, "class", "words"));
}

// One family, folded: a table of a thousand rows is 55,000 pixels tall.
static void add_family(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                       json_t *page)
{
    struct ts_silicon_summary s = ts_silicon_summarise(self->results, self->count, family);
    size_t count = ts_silicon_count_ids(self, family);
    char title[160];
    snprintf(title, sizeof title, "%s: %zu row%s, median %.2f %%, worst %.1f %%", family->title,
             count, count == 1 ? "" : "s", 100 * s.median, 100 * s.worst);
    json_t *fold = ts_page_part(page, "fold", title);
    add_errors(self, family, fold);
    add_rows(self, family, fold);
}

static void add_left_out(const struct ts_silicon_account *account, json_t *page)
{
    char title[64];
    snprintf(title, sizeof title, "Not re-created: %zu of %zu", account->count - account->recreated,
             account->count);
    json_t *rows = json_array();
    for (size_t i = 0; i < account->count; i++) {
        const struct ts_silicon_id *id = &account->ids[i];
        if (!id->family)
            json_array_append_new(rows, json_pack("[s, s, s, s]", id->id,
                                                  ts_silicon_public_name(id->described),
                                                  id->reason ? id->reason : "not yet", id->source));
    }
    ts_page_add(ts_page_part(page, "fold", title), "table", NULL,
                json_pack("{s:[s, s, s, s], s:o, s:b, s:s}", "heads", "row", "described", "why not",
                          "source", "rows", rows, "text", 1, "class", "words"));
}

void ts_silicon_page(const struct ts_silicon_table *self, FILE *file)
{
    struct ts_silicon_summary all = ts_silicon_summarise(self->results, self->count, NULL);
    char answer[384];
    snprintf(
        answer, sizeof answer,
        "%zu published measurements of real Blackhole cards, re-created with one set of "
        "parameters: median error %.2f %%, 90 %% of them within %.1f %%, the worst %.1f %% off.",
        ts_silicon_count_ids(self, NULL), 100 * all.median, 100 * all.p90, 100 * all.worst);
    size_t used = strlen(answer);
    if (!self->whole)
        snprintf(answer + used, sizeof answer - used,
                 " This is a part: %zu of the %zu rows; bars are judged only over all of them.",
                 self->count, self->all);
    json_t *page = ts_page_new("tensim against silicon", answer);
    add_families(self, page);
    json_t *plots = ts_page_part(page, "plots", NULL);
    add_cloud(self, plots);
    add_errors(self, NULL, plots);
    ts_page_add(page, "text", NULL,
                json_pack("{s:s}", "text",
                          "Error is simulated against measured; a row of several figures counts by "
                          "the one farthest off."));
    add_evidence(self, page);
    ts_page_add(page, "search", "Every row, by family",
                json_pack("{s:s, s:s, s:s}", "label", "show rows with", "hint",
                          "S0220, MVMUL, noc ...", "only", "only those off by more than 10 %"));
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (ts_silicon_count_ids(self, ts_silicon_families[f]))
            add_family(self, ts_silicon_families[f], page);
    if (self->whole)
        add_left_out(self->account, page);
    ts_page_write(page, NULL, "tensim silicon", file);
    json_decref(page);
}
