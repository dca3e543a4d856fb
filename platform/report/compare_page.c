// The page of a comparison: how far every run moved, and by which cause (compare.h).
#include "platform/report/page.h"
#include "platform/study/compare/compare.h"

#include <stdlib.h>
#include <string.h>

static const char *string_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const json_t *figure_named(const json_t *run, const char *name)
{
    const json_t *figures = json_object_get(run, "figures");
    for (size_t i = 0; i < json_array_size(figures); i++)
        if (strcmp(string_of(json_array_get(figures, i), "name"), name) == 0)
            return json_array_get(figures, i);
    return NULL;
}

// All runs in a table: cycles before and after.
static void add_runs(const json_t *document, json_t *page)
{
    json_t *rows = json_array(), *marked = json_array(), *run;
    size_t index;
    json_array_foreach(json_object_get(document, "runs"), index, run)
    {
        const json_t *cycles = figure_named(run, "cycles");
        if (json_is_true(json_object_get(run, "beyond")))
            json_array_append_new(marked, json_integer((json_int_t)json_array_size(rows)));
        json_array_append_new(
            rows,
            json_pack("[s, O?, O?, O?, s]", string_of(run, "name"), json_object_get(cycles, "a"),
                      json_object_get(cycles, "b"), json_object_get(cycles, "change"),
                      json_array_size(json_object_get(run, "figures")) == 0 ? "the same"
                      : json_is_true(json_object_get(run, "beyond"))        ? string_of(run, "why")
                                                                     : "within the tolerance"));
    }
    ts_page_add(page, "table", "Runs",
                json_pack("{s:[s, s, s, s, s], s:o, s:[i, i], s:o}", "heads", "run",
                          "cycles before", "after", "%", "verdict", "rows", rows, "text", 0, 4,
                          "marked", marked));
}

static json_t *bar_of(const json_t *row)
{
    char name[192];
    snprintf(name, sizeof name, "%s %s", string_of(row, "who"), string_of(row, "why"));
    return json_pack("{s:s, s:[[s, O]]}", "name", name, "parts", string_of(row, "why"),
                     json_object_get(row, "change"));
}

static void add_run(const json_t *run, bool open, json_t *page)
{
    const json_t *figures = json_object_get(run, "figures"), *moved = json_object_get(run, "moved");
    char title[512];
    snprintf(title, sizeof title, "%s%s", string_of(run, "name"),
             string_of(run, "name")[0] ? "" : "What moved");
    json_t *fold = ts_page_part(page, "fold", title), *rows = json_array(), *bars = json_array();
    json_object_set_new(fold, "open", json_boolean(open));
    for (size_t i = 0; i < json_array_size(figures); i++) {
        const json_t *f = json_array_get(figures, i);
        json_array_append_new(rows, json_pack("[s, O, O, O]", string_of(f, "name"),
                                              json_object_get(f, "a"), json_object_get(f, "b"),
                                              json_object_get(f, "change")));
    }
    ts_page_add(fold, "table", NULL,
                json_pack("{s:[s, s, s, s], s:o, s:[i]}", "heads", "figure", "before", "after", "%",
                          "rows", rows, "text", 0));
    for (size_t i = 0; i < json_array_size(moved); i++)
        json_array_append_new(bars, bar_of(json_array_get(moved, i)));
    if (json_array_size(bars) > 0)
        ts_page_add(fold, "bars", "Cycles that moved, by part and cause",
                    json_pack("{s:O, s:s}", "rows", bars, "unit", "cycles more (or fewer)"));
    json_decref(bars);
}

void ts_compare_page(const json_t *document, FILE *file)
{
    const json_t *runs = json_object_get(document, "runs");
    size_t beyond = ts_compare_beyond(document), count = json_array_size(runs);
    char answer[512], *command = NULL;
    snprintf(answer, sizeof answer, "%zu run%s compared: %zu beyond the tolerance of %g %%%s.",
             count, count == 1 ? "" : "s", beyond,
             json_number_value(json_object_get(document, "tolerance")),
             json_array_size(json_object_get(document, "only_a")) +
                     json_array_size(json_object_get(document, "only_b"))
                 ? ", counting runs that one side alone has"
                 : "");
    if (asprintf(&command, "tensim compare %s %s", string_of(document, "a"),
                 string_of(document, "b")) < 0)
        command = NULL;
    json_t *page = ts_page_new("tensim: two sets of runs", answer, command);
    free(command);
    if (count > 1)
        add_runs(document, page);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        if (json_array_size(json_object_get(json_array_get(runs, i), "figures")) > 0)
            add_run(json_array_get(runs, i), shown++ == 0, page);
    ts_page_write(page, file);
}
