// Text, CSV, JSON and Markdown of the truth table (report.h).
#include "platform/study/silicon/report.h"

#include "platform/base/json.h"
#include "platform/out/text.h"
#include "platform/study/silicon/bounds.h"
#include "platform/study/silicon/evidence.h"

#define BAR_MEDIAN       0.03 // over all rows
#define BAR_P90          0.10
#define BAR_ALONE_MEDIAN 0.02 // over those without twins
#define BAR_ALONE_P90    0.10
#define SETTINGS         256

size_t ts_silicon_count_ids(const struct ts_silicon_table *self,
                            const struct ts_silicon_family *family)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *result = &self->results[i];
        if ((family && result->family != family) || result->failure.code != TS_OK)
            continue;
        bool again = false; // a further figure of an id
        for (size_t k = 0; k < i && !again; k++)
            again = strncmp(self->results[k].row->id, result->row->id, 5) == 0;
        count += !again;
    }
    return count;
}

bool ts_silicon_misses(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                       char *text, size_t size)
{
    struct ts_silicon_summary s = ts_silicon_summarise(self->results, self->count, family);
    double median = family ? family->median : BAR_MEDIAN, p90 = family ? family->p90 : BAR_P90;
    size_t beaten = 0;
    for (size_t i = 0; i < self->count; i++)
        if (family == NULL || self->results[i].family == family)
            beaten += ts_silicon_bound_beaten(&self->results[i]) != NULL;
    *text = '\0';
    if (s.failed)
        snprintf(text, size, "%zu rows could not be run", s.failed);
    else if (s.unexplained)
        snprintf(text, size, "%zu rows off by more than %.0f %% without a cause", s.unexplained,
                 100 * TS_SILICON_CAUSE);
    else if (s.needless)
        snprintf(text, size, "%zu rows within %.0f %% are marked OFF: make them ROWs", s.needless,
                 100 * TS_SILICON_CAUSE);
    else if (beaten)
        snprintf(text, size, "%zu figures beat a documented bound", beaten);
    else if (self->whole && s.median > median)
        snprintf(text, size, "median %.2f %%, the bar is %.1f %%", 100 * s.median, 100 * median);
    else if (self->whole && s.p90 > p90)
        snprintf(text, size, "p90 %.2f %%, the bar is %.1f %%", 100 * s.p90, 100 * p90);
    struct ts_silicon_spread alone = {0};
    if (self->whole && family == NULL && *text == '\0')
        alone = ts_silicon_spread(self->results, self->count, NULL, NULL, TS_SILICON_ALONE);
    if (alone.median > BAR_ALONE_MEDIAN || alone.p90 > BAR_ALONE_P90)
        snprintf(text, size,
                 "without twins: median %.2f %%, p90 %.2f %%, the bars are %.0f and %.0f %%",
                 100 * alone.median, 100 * alone.p90, 100 * BAR_ALONE_MEDIAN, 100 * BAR_ALONE_P90);
    return *text != '\0';
}

// ---- CSV

static void csv_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

// The shortest decimal that reads back as the same number.
static void csv_exact(FILE *file, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, file);
}

void ts_silicon_csv(const struct ts_silicon_table *self, FILE *file)
{
    fputs("id,family,measured,simulated,error,metric,workload,reason,source,figures\n", file);
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *result = &self->results[i];
        const struct ts_silicon_id *id = ts_silicon_find_id(self->account, result->row->id);
        bool ran = result->failure.code == TS_OK;
        fprintf(file, "%s,%s,%.6g,", result->row->id, result->family->name, result->measured);
        if (ran)
            fprintf(file, "%.6g,%.5f,", result->simulated, result->error);
        else
            fputs(",,", file);
        csv_text(file, result->row->metric);
        fputc(',', file);
        csv_text(file, result->row->workload);
        fputc(',', file);
        csv_text(file, !ran ? result->failure.text
                       : fabs(result->error) > TS_SILICON_CAUSE && result->row->cause
                           ? result->row->cause
                           : "");
        fputc(',', file);
        csv_text(file, id ? id->source : "");
        for (unsigned figure = 0; figure <= result->row->other_count; figure++) {
            fputc(figure ? ' ' : ',', file);
            if (ran)
                csv_exact(file, result->figures[figure]);
        }
        fputc('\n', file);
    }
    for (size_t i = 0; self->whole && i < self->account->count; i++) {
        const struct ts_silicon_id *id = &self->account->ids[i];
        if (id->family)
            continue;
        fprintf(file, "%s,,,,,,,", id->id);
        csv_text(file, id->reason ? id->reason : "not yet");
        fputc(',', file);
        csv_text(file, id->source);
        fputs(",\n", file);
    }
}

// ---- JSON

static json_t *spread_json(const struct ts_silicon_spread *self)
{
    return json_pack("{s:I, s:f, s:f}", "figures", (json_int_t)self->figures, "median_abs_error",
                     self->median, "p90_abs_error", self->p90);
}

static json_t *summary_json(const struct ts_silicon_table *self,
                            const struct ts_silicon_family *family)
{
    struct ts_silicon_summary s = ts_silicon_summarise(self->results, self->count, family);
    struct ts_silicon_spread alone = ts_silicon_spread(self->results, self->count, family, NULL,
                                                       TS_SILICON_ALONE);
    char missed[200];
    ts_silicon_misses(self, family, missed, sizeof missed);
    return json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:s, s:I, s:o}", "rows",
                     (json_int_t)ts_silicon_count_ids(self, family), "figures", (json_int_t)s.rows,
                     "median_abs_error", s.median, "p90_abs_error", s.p90, "worst_abs_error",
                     s.worst, "bias", s.bias, "failed", (json_int_t)s.failed, "unexplained",
                     (json_int_t)s.unexplained, "misses", missed, "twins",
                     (json_int_t)(s.rows - alone.figures), "without_twins", spread_json(&alone));
}

static json_t *settings_json(const struct ts_silicon_table *self)
{
    struct ts_silicon_setting settings[SETTINGS];
    size_t count = ts_silicon_settings(self->params, settings, SETTINGS);
    json_t *all = json_array();
    for (size_t i = 0; i < count && i < SETTINGS; i++) {
        const struct ts_silicon_setting *one = &settings[i];
        const struct ts_param *param = &one->group->rows[one->index];
        const struct ts_param_value *value = &one->group->values[one->index];
        ts_json_add(all, "{s:o, s:I, s:s, s:s, s:s, s:s}", "key",
                    json_sprintf("%s.%s", one->group->name, param->key), "value",
                    (json_int_t)value->value, "unit", param->unit, "kind",
                    ts_param_kind_name(value->kind), "rows", one->rows, "text", param->text);
    }
    return all;
}

// Those of the machine that the rows are of.
static json_t *harness_json(const struct ts_silicon_table *self)
{
    json_t *all = json_array();
    for (const struct ts_silicon_harness *h = ts_silicon_harness; h->family; h++)
        if (self->count == 0 ||
            strcmp(ts_silicon_family(h->family)->machine, self->results->family->machine) == 0)
            ts_json_add(all, "{s:s, s:s, s:f, s:s, s:s}", "family", h->family, "name", h->name,
                        "value", h->value, "unit", h->unit, "reason", h->reason);
    return all;
}

json_t *ts_silicon_json(const struct ts_silicon_table *self)
{
    json_t *families = json_array(), *rows = json_array(), *left = json_array();
    const struct ts_silicon_account *a = self->account;
    size_t off = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++) {
        if (ts_silicon_count_ids(self, ts_silicon_families[f]) == 0)
            continue;
        json_t *family = summary_json(self, ts_silicon_families[f]);
        json_object_set_new(family, "name", json_string(ts_silicon_families[f]->name));
        json_object_set_new(family, "title", json_string(ts_silicon_families[f]->title));
        json_array_append_new(families, family);
    }
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *result = &self->results[i];
        bool ran = result->failure.code == TS_OK;
        const bool is_off = ran && fabs(result->error) > TS_SILICON_CAUSE;
        const char *reason = !ran                 ? result->failure.text
                             : !is_off            ? NULL
                             : result->row->cause ? result->row->cause
                                                  : "no cause known";
        const struct ts_silicon_bound *bound = ts_silicon_bound_beaten(result);
        off += is_off;
        char set[80];
        ts_silicon_set_on(self->params, result->row->id, set, sizeof set);
        ts_json_add(rows, "{s:s, s:s, s:f, s:o, s:o, s:s?, s:s, s:s, s:s?, s:s?, s:b, s:o*}", "id",
                    result->row->id, "family", result->family->name, "measured", result->measured,
                    "simulated", ran ? json_real(result->simulated) : json_null(), "error",
                    ran ? json_real(result->error) : json_null(), "reason", reason, "workload",
                    result->row->workload, "metric", result->row->metric, "twin_of",
                    result->twin ? result->twin->id : NULL, "sets", *set ? set : NULL, "failed",
                    (int)!ran, "beats",
                    bound ? json_sprintf("%s: %s", bound->document, bound->text) : NULL);
    }
    for (size_t i = 0; self->whole && i < self->account->count; i++) {
        const struct ts_silicon_id *id = &self->account->ids[i];
        if (id->family == NULL)
            ts_json_add(left, "{s:s, s:s, s:s, s:s}", "id", id->id, "source", id->source,
                        "described", ts_silicon_public_name(id->described), "reason",
                        id->reason ? id->reason : "not yet");
    }
    struct ts_silicon_spread independent = ts_silicon_spread(self->results, self->count, NULL,
                                                             self->params, TS_SILICON_FREE);
    json_t *measurements = json_pack(
        "{s:I, s:I, s:[I, I, I], s:[I, I, I], s:I, s:I, s:I, s:I}", "published",
        (json_int_t)a->count, "recreated", (json_int_t)a->recreated, "recreated_of",
        (json_int_t)a->recreated_of[0], (json_int_t)a->recreated_of[1],
        (json_int_t)a->recreated_of[2], "described", (json_int_t)a->described[0],
        (json_int_t)a->described[1], (json_int_t)a->described[2], "left", (json_int_t)a->left,
        "open", (json_int_t)a->open, "off", (json_int_t)off, "bounded",
        (json_int_t)ts_silicon_bounded(self->results, self->count));
    return json_pack("{s:s, s:b, s:o, s:{s:f, s:f}, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "tensim.silicon", "whole", (int)self->whole, "measurements", measurements,
                     "limits", "twin", TS_SILICON_TWIN, "off", TS_SILICON_CAUSE, "summary",
                     summary_json(self, NULL), "families", families, "rows", rows, "left", left,
                     "independent", spread_json(&independent), "parameters", settings_json(self),
                     "harness", harness_json(self));
}

// ---- text (config/text.def)

static void print(const struct ts_silicon_table *self, const char *view, bool all, FILE *file)
{
    json_t *document = ts_silicon_json(self);
    ts_text_print(view, document, all, file);
    json_decref(document);
}

void ts_silicon_text(const struct ts_silicon_table *self, bool rows, FILE *file)
{
    if (rows)
        print(self, "silicon_rows", true, file);
    print(self, "silicon", true, file);
}

void ts_silicon_markdown(const struct ts_silicon_table *self, FILE *file)
{
    print(self, "silicon_markdown", true, file);
}

void ts_silicon_markdown_summary(const struct ts_silicon_table *self, FILE *file)
{
    print(self, "silicon_markdown", false, file);
}
