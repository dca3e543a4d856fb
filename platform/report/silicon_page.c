// The page of the truth table: measured against simulated, then each family, folded: errors and rows.
#include "platform/report/page.h"
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
            struct ts_silicon_text text = {.metric = ""};
            char label[320];
            family->describe(r->row, &text);
            snprintf(label, sizeof label, "%+.1f %%, %s: %s, %s", 100 * r->error, r->row->id,
                     text.workload, text.metric);
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
        json_array_append_new(rows,
                              json_pack("[s, I, f, f, f, f]", family ? family->title : "all",
                                        (json_int_t)ts_silicon_count_ids(self, family),
                                        100 * s.median, 100 * s.p90, 100 * s.worst, 100 * s.bias));
    }
    ts_page_add(page, "table", NULL,
                json_pack("{s:[s, s, s, s, s, s], s:o, s:[i]}", "heads", "family", "rows",
                          "median %", "p90 %", "worst %", "bias %", "rows", rows, "text", 0));
}

// Workload and metric, and why it is off if it is.
static json_t *words_of(const struct ts_silicon_result *r, bool off)
{
    struct ts_silicon_text text = {.metric = ""};
    r->family->describe(r->row, &text);
    const char *cause = !off            ? ""
                        : !good(r)      ? r->failure.text
                        : r->row->cause ? r->row->cause
                                        : "no cause known";
    return json_sprintf("%s, %s%s%s", text.workload, text.metric, off ? ". Off: " : "", cause);
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
        json_array_append_new(rows, json_pack("[s, f, o, o, o]", r->row->id, r->measured,
                                              good(r) ? json_real(r->simulated) : json_null(),
                                              good(r) ? json_real(100 * r->error) : json_null(),
                                              words_of(r, off)));
    }
    ts_page_add(page, "table", NULL,
                json_pack("{s:[s, s, s, s, s], s:o, s:[i, i], s:o, s:s}", "heads", "row",
                          "measured", "simulated", "error %", "workload, metric, cause", "rows",
                          rows, "text", 0, 4, "marked", marked, "class", "words"));
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
    char answer[256];
    snprintf(
        answer, sizeof answer,
        "%zu published measurements of real Blackhole cards, re-created with one set of "
        "parameters: median error %.2f %%, 90 %% of them within %.1f %%, the worst %.1f %% off.",
        ts_silicon_count_ids(self, NULL), 100 * all.median, 100 * all.p90, 100 * all.worst);
    json_t *page = ts_page_new("tensim against silicon", answer, "tensim silicon");
    add_families(self, page);
    json_t *plots = ts_page_part(page, "plots", NULL);
    add_cloud(self, plots);
    add_errors(self, NULL, plots);
    ts_page_add(page, "text", NULL,
                json_pack("{s:s}", "text",
                          "Error is simulated against measured; a row of several figures counts by "
                          "the one farthest off."));
    ts_page_add(page, "search", "Every row, by family",
                json_pack("{s:s, s:s, s:s}", "label", "show rows with", "hint",
                          "S0220, MVMUL, noc ...", "only", "only those off by more than 10 %"));
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (ts_silicon_count_ids(self, ts_silicon_families[f]))
            add_family(self, ts_silicon_families[f], page);
    if (self->whole)
        add_left_out(self->account, page);
    ts_page_write(page, file);
}
