// The page of a sweep: what varies against throughput, accuracy against throughput, where the cycles went, every run.
#include "platform/report/page.h"
#include "platform/run/expected.h"
#include "platform/study/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Runs that share everything but the x axis are a line.
struct page {
    const struct ts_sweep *sweep;
    const struct ts_sweep_axis *x; // the one that the plots go along; NULL: the number of the run
    json_t *groups;                // name: {throughput, accuracy, utilisation}: points
};

static double real_of(const json_t *row, const char *name)
{
    const json_t *value = json_object_get(row, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text ? text : "";
}

static bool worked(const json_t *row)
{
    return row && json_integer_value(json_object_get(row, "code")) == 0;
}

static const char *name_of(const struct ts_sweep *sweep)
{
    return sweep->programs ? "programs" : sweep->base.program;
}

// ---- what varies

static bool numeric(const struct ts_sweep_axis *axis)
{
    for (unsigned i = 0; i < axis->count; i++) {
        char *end;
        strtod(axis->values[i], &end);
        if (end == axis->values[i] || *end)
            return false;
    }
    return true;
}

// The numeric axis with most values: it gives the longest lines.
static const struct ts_sweep_axis *x_axis(const struct ts_sweep *sweep)
{
    const struct ts_sweep_axis *best = NULL;
    for (unsigned i = 0; i < sweep->axis_count; i++) {
        const struct ts_sweep_axis *axis = &sweep->axes[i];
        if (axis->count > 1 && numeric(axis) && (best == NULL || axis->count > best->count))
            best = axis;
    }
    return best;
}

static const struct ts_sweep_axis *axis_of(const struct ts_sweep *sweep, const char *word,
                                           size_t length)
{
    for (unsigned i = 0; i < sweep->axis_count; i++)
        if (strlen(sweep->axes[i].name) < length && word[strlen(sweep->axes[i].name)] == '=' &&
            strncmp(sweep->axes[i].name, word, strlen(sweep->axes[i].name)) == 0)
            return &sweep->axes[i];
    return NULL;
}

// Values of a run's key that differ between runs, without the axis `but`: "bf16 hifi4". Values alone where they are words.
static void short_key(const struct ts_sweep *sweep, const char *key,
                      const struct ts_sweep_axis *but, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *word = key; *word;) {
        size_t length = strcspn(word, " ");
        const struct ts_sweep_axis *axis = axis_of(sweep, word, length);
        if (axis && axis->count > 1 && axis != but) {
            size_t skip = numeric(axis) ? 0 : strlen(axis->name) + 1;
            int more = snprintf(text + used, size - used, "%s%.*s", used ? " " : "",
                                (int)(length - skip), word + skip);
            used += (size_t)more < size - used ? (size_t)more : size - used - 1;
        }
        word += length + strspn(word + length, " ");
    }
    if (used == 0)
        snprintf(text, size, "%s", name_of(sweep));
}

static double x_of(const struct page *page, const json_t *row, size_t index)
{
    if (page->x == NULL)
        return (double)(index + 1);
    const char *key = text_of(row, "key");
    for (const char *word = key; *word;) {
        size_t length = strcspn(word, " ");
        if (axis_of(page->sweep, word, length) == page->x)
            return strtod(word + strlen(page->x->name) + 1, NULL);
        word += length + strspn(word + length, " ");
    }
    return (double)(index + 1);
}

// ---- plots

static void add_point(json_t *group, const char *to, double x, double y, const char *label)
{
    if (isfinite(x) && isfinite(y))
        json_array_append_new(json_object_get(group, to), json_pack("[f, f, s]", x, y, label));
}

static void gather(struct page *page)
{
    for (size_t i = 0; i < page->sweep->points; i++) {
        const json_t *row = page->sweep->results[i];
        if (!worked(row))
            continue;
        char name[160], label[160];
        short_key(page->sweep, text_of(row, "key"), page->x, name, sizeof name);
        short_key(page->sweep, text_of(row, "key"), NULL, label, sizeof label);
        json_t *group = json_object_get(page->groups, name);
        if (!group) {
            group = json_pack("{s:[], s:[], s:[], s:[]}", "cycles", "throughput", "accuracy",
                              "utilisation");
            json_object_set_new(page->groups, name, group);
        }
        double x = x_of(page, row, i);
        add_point(group, "cycles", x, real_of(row, "cycles"), label);
        add_point(group, "throughput", x, real_of(row, "tflops"), label);
        add_point(group, "utilisation", x, 100 * real_of(row, "utilisation"), label);
        add_point(group, "accuracy", ts_sweep_speed(row), ts_sweep_error(row), label);
    }
}

static json_t *series_of(const struct page *page, const char *what, bool line)
{
    json_t *series = json_array(), *group;
    const char *name;
    json_object_foreach(page->groups, name, group)
    {
        json_t *points = json_object_get(group, what);
        if (json_array_size(points) > 0)
            json_array_append_new(
                series, json_pack("{s:s, s:b, s:O}", "name", name, "line", line, "points", points));
    }
    return series;
}

static void add_along_x(const struct page *page, json_t *to, const char *what, const char *title,
                        const char *unit)
{
    json_t *series = series_of(page, what, page->x != NULL);
    if (json_array_size(series) == 0) {
        json_decref(series);
        return;
    }
    const char *name = page->x ? page->x->name : "run";
    char text[96];
    snprintf(text, sizeof text, "%s against %s", title, name);
    ts_page_add(to, "plot", text,
                json_pack("{s:{s:s}, s:{s:s, s:b}, s:o}", "x", "name", name, "y", "name", unit,
                          "zero", 1, "series", series));
}

// Runs that no other of their shape beats in both speed and accuracy.
struct front {
    size_t *points, count;
};

// A dashed line for each shape.
static void add_fronts(const struct ts_sweep *sweep, const struct front *front, json_t *series)
{
    char shape[TS_SWEEP_VALUE], last[TS_SWEEP_VALUE] = "", label[160], name[TS_SWEEP_VALUE + 16];
    json_t *points = NULL;
    for (size_t i = 0; i < front->count; i++) {
        const json_t *row = sweep->results[front->points[i]];
        ts_sweep_shape(sweep, front->points[i], shape, sizeof shape);
        if (points == NULL || strcmp(shape, last) != 0) {
            points = json_array();
            snprintf(name, sizeof name, "front of %s", shape);
            json_array_append_new(series,
                                  json_pack("{s:s, s:b, s:b, s:s, s:o}", "name", name, "line", 1,
                                            "dashed", 1, "color", "--dim", "points", points));
            snprintf(last, sizeof last, "%s", shape);
        }
        short_key(sweep, text_of(row, "key"), NULL, label, sizeof label);
        json_array_append_new(
            points, json_pack("[f, f, s]", ts_sweep_speed(row), ts_sweep_error(row), label));
    }
}

static void add_accuracy(const struct page *page, json_t *to, const struct front *front)
{
    json_t *series = series_of(page, "accuracy", false);
    if (json_array_size(series) == 0) {
        json_decref(series);
        return;
    }
    add_fronts(page->sweep, front, series);
    struct ts_job_spec most = page->sweep->base; // of what a 16-bit Dst could be asked
    most.phases = 4;
    most.dst32 = false;
    const char *dst = page->sweep->programs ? NULL : ts_expected_note(&most);
    char note[640];
    snprintf(note, sizeof note,
             "The error is that of the result against float64 on the data before it was rounded to "
             "its format. On a dashed line are the runs that no other of the same shape beats in "
             "both. A triangle at the foot stands for an error of 0.%s%s%s",
             dst ? " Note: " : "", dst ? dst : "", dst ? "." : "");
    ts_page_add(to, "plot", "Accuracy against speed",
                json_pack("{s:{s:s}, s:{s:s, s:b}, s:o, s:s}", "x", "name", "TFLOP/s of one tile",
                          "y", "name", "rel_l2 end to end", "log", 1, "series", series, "note",
                          note));
}

// The runs on a front, fastest first within a shape.
static void add_front_table(const struct ts_sweep *sweep, const struct front *front, json_t *page)
{
    if (front->count == 0)
        return;
    json_t *rows = json_array();
    for (size_t i = 0; i < front->count; i++) {
        const json_t *row = sweep->results[front->points[i]];
        char shape[TS_SWEEP_VALUE], name[160];
        ts_sweep_shape(sweep, front->points[i], shape, sizeof shape);
        short_key(sweep, text_of(row, "key"), NULL, name, sizeof name);
        json_array_append_new(rows, json_pack("[s, s, f, f, f]", shape, name, ts_sweep_speed(row),
                                              ts_sweep_error(row), real_of(row, "rel_l2")));
    }
    ts_page_add(page, "table", "Runs that no other of their shape beats in speed and accuracy",
                json_pack("{s:[s, s, s, s, s], s:o, s:[i, i]}", "heads", "shape", "run", "TFLOP/s",
                          "rel_l2 end to end", "rel_l2 of the units", "rows", rows, "text", 0, 1));
}

// The math thread's gate in every run.
static void add_gates(const struct ts_sweep *sweep, json_t *page)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < sweep->points; i++) {
        const json_t *row = sweep->results[i], *where = row ? json_object_get(row, "where") : NULL;
        size_t index;
        json_t *share, *value;
        const char *name;
        json_array_foreach((json_t *)where, index, share)
        {
            if (strcmp(text_of(share, "name"), "t1") != 0)
                continue;
            char label[160];
            short_key(sweep, text_of(row, "key"), NULL, label, sizeof label);
            json_t *parts = json_pack("[[s, f]]", "busy", 100 * real_of(share, "busy"));
            json_object_foreach(json_object_get(share, "stalls"), name,
                                value) if (strcmp(name, "idle"))
                json_array_append_new(parts,
                                      json_pack("[s, f]", name, 100 * json_number_value(value)));
            json_array_append_new(rows, json_pack("{s:s, s:o}", "name", label, "parts", parts));
        }
    }
    size_t count = json_array_size(rows);
    if (count == 0) {
        json_decref(rows);
        return;
    }
    char title[96];
    snprintf(title, sizeof title, "Where the cycles of %zu runs went", count);
    ts_page_add(ts_page_part(page, "fold", title), "bars",
                "The math thread's gate: busy when it passes a word (the rest is idle)",
                json_pack("{s:o, s:s, s:i}", "rows", rows, "unit", "% of the run", "high", 100));
}

// ---- tables

// Columns of figures that some run has; programs have their own.
static const char **shown_columns(const struct ts_sweep *sweep)
{
    static const char *const known[] = {"cycles",
                                        "cycles_per_product",
                                        "cycles_per_tile",
                                        "tflops",
                                        "utilisation",
                                        "intensity",
                                        "bound_by",
                                        "loss_cause",
                                        "loss_object",
                                        "loss_percent",
                                        "end_to_end_rel_l2",
                                        "end_to_end_pcc",
                                        "rel_l2",
                                        "pcc",
                                        NULL};
    const char **all = sweep->programs ? ts_sweep_columns(sweep) : NULL;
    const char *const *from = all ? all : known;
    size_t count = 0, kept = 0;
    while (from[count])
        count++;
    const char **shown = calloc(count + 1, sizeof *shown);
    if (shown == NULL)
        abort();
    for (size_t c = 0; c < count; c++) {
        bool other = strcmp(from[c], "key") == 0 || strcmp(from[c], "error") == 0;
        for (size_t i = 0; i < sweep->points && !other; i++)
            if (worked(sweep->results[i]) && json_object_get(sweep->results[i], from[c])) {
                shown[kept++] = from[c];
                break;
            }
    }
    free(all);
    return shown;
}

static void add_runs(const struct ts_sweep *sweep, json_t *page)
{
    const char **shown = shown_columns(sweep);
    json_t *heads = json_pack("[s]", "run"), *text = json_pack("[i]", 0), *rows = json_array();
    for (size_t c = 0; shown[c]; c++)
        json_array_append_new(heads, json_string(shown[c]));
    for (size_t i = 0; i < sweep->points; i++) {
        if (!worked(sweep->results[i]))
            continue;
        json_t *row = json_pack("[s]", text_of(sweep->results[i], "key"));
        for (size_t c = 0; shown[c]; c++) {
            json_t *value = json_object_get(sweep->results[i], shown[c]);
            json_array_append_new(row, value ? json_incref(value) : json_null());
            if (json_array_size(rows) == 0 && json_is_string(value))
                json_array_append_new(text, json_integer((json_int_t)c + 1));
        }
        json_array_append_new(rows, row);
    }
    ts_page_add(page, "table", "Runs",
                json_pack("{s:o, s:o, s:o}", "heads", heads, "rows", rows, "text", text));
    free(shown);
}

static size_t add_failed(const struct ts_sweep *sweep, json_t *page)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < sweep->points; i++) {
        const json_t *row = sweep->results[i];
        if (row && !worked(row))
            json_array_append_new(rows, json_pack("[s, I, s]", text_of(row, "key"),
                                                  json_integer_value(json_object_get(row, "code")),
                                                  text_of(row, "error")));
    }
    size_t count = json_array_size(rows);
    if (count == 0)
        json_decref(rows);
    else
        ts_page_add(page, "table", "Runs that failed",
                    json_pack("{s:[s, s, s], s:o, s:[i, i], s:s}", "heads", "run", "exit code",
                              "why", "rows", rows, "text", 0, 2, "class", "words"));
    return count;
}

// ---- the page

static void answer_of(const struct ts_sweep *sweep, const struct front *front, char *text,
                      size_t size)
{
    const json_t *best = NULL;
    size_t good = 0;
    for (size_t i = 0; i < sweep->points; i++) {
        const json_t *row = sweep->results[i];
        if (!worked(row))
            continue;
        good++;
        if (best == NULL || real_of(row, "tflops") > real_of(best, "tflops"))
            best = row;
    }
    int used = snprintf(text, size, "%zu of %zu runs worked.", good, sweep->points);
    if (best == NULL || !(real_of(best, "tflops") > 0))
        return;
    char name[160];
    short_key(sweep, text_of(best, "key"), NULL, name, sizeof name);
    used += snprintf(text + used, size - (size_t)used, " Fastest: %s, %.3f TFLOP/s, bound by %s.",
                     name, real_of(best, "tflops"), text_of(best, "bound_by"));
    size_t exact = 0;
    for (size_t i = 1; i < front->count; i++)
        if (ts_sweep_error(sweep->results[front->points[i]]) <
            ts_sweep_error(sweep->results[front->points[exact]]))
            exact = i;
    if (front->count < 2)
        return;
    const json_t *row = sweep->results[front->points[exact]];
    short_key(sweep, text_of(row, "key"), NULL, name, sizeof name);
    snprintf(text + used, size - (size_t)used,
             " Most exact of the %zu that no other beats: %s, end-to-end rel_l2 %.2g.",
             front->count, name, ts_sweep_error(row));
}

// What makes the same tables, wherever they go.
static char *command_of(const struct ts_sweep *sweep)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fputs("tensim sweep", file);
    if (!sweep->programs)
        fprintf(file, " %s", sweep->base.program);
    for (unsigned k = 0; sweep->programs && k < sweep->axes[0].count; k++)
        fprintf(file, " %s", sweep->axes[0].values[k]);
    fputs(sweep->base.strict ? " --strict" : "", file);
    for (unsigned i = sweep->programs ? 1 : 0; i < sweep->axis_count; i++) {
        fprintf(file, " %s", sweep->axes[i].name);
        for (unsigned k = 0; k < sweep->axes[i].count; k++)
            fprintf(file, "%c%s", k ? ',' : '=', sweep->axes[i].values[k]);
    }
    fclose(file);
    return text;
}

void ts_sweep_page(const struct ts_sweep *self, FILE *file)
{
    struct page page = {.sweep = self, .x = x_axis(self), .groups = json_object()};
    gather(&page);
    struct front front = {.points = calloc(self->points + 1, sizeof *front.points)};
    if (front.points == NULL)
        abort();
    front.count = ts_sweep_front(self, front.points);
    char title[128], answer[640];
    snprintf(title, sizeof title, "tensim sweep: %s, %zu runs", name_of(self), self->points);
    answer_of(self, &front, answer, sizeof answer);
    char *command = command_of(self);
    json_t *to = ts_page_new(title, answer, command);
    free(command);
    json_t *plots = ts_page_part(to, "plots", NULL);
    add_along_x(&page, plots, "throughput", "Throughput", "TFLOP/s of one tile");
    add_accuracy(&page, plots, &front);
    add_along_x(&page, plots, "utilisation", "Utilisation", "% of the peak");
    add_along_x(&page, plots, "cycles", "Cycles", "cycles");
    add_front_table(self, &front, to);
    add_failed(self, to);
    add_runs(self, to);
    add_gates(self, to);
    ts_page_write(to, file);
    free(front.points);
    json_decref(page.groups);
}
