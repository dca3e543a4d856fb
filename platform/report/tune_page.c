// The page of a tuning run (tune.h): cycles against memory with the front, one plot for each key that
// was varied, and the front as a table.
#include "platform/report/page.h"
#include "platform/study/pipe/tune.h"

#include <stdlib.h>
#include <string.h>

static bool passed(const struct ts_tune_point *point)
{
    return point->done && point->verdict == TS_PIPE_PASS;
}

static json_t *dot(const struct ts_tune *self, size_t index, double x)
{
    char label[200];
    ts_tune_key(self, index, label, sizeof label);
    return json_pack("[f, I, s]", x, (json_int_t)self->points[index].cycles, label);
}

static void add_plot(json_t *page, const char *title, const char *x_name, json_t *dots,
                     const char *line_name, json_t *line)
{
    ts_page_add(page, "plot", title,
                json_pack("{s:{s:s}, s:{s:s, s:b}, s:[{s:s, s:o}, {s:s, s:b, s:s, s:o}]}", "x",
                          "name", x_name, "y", "name", "cycles", "zero", 1, "series", "name",
                          "variants that pass", "points", dots, "name", line_name, "line", 1,
                          "color", "--stuck", "points", line));
}

static int by_x(const void *a, const void *b)
{
    double x = json_number_value(json_array_get(*(json_t *const *)a, 0));
    double y = json_number_value(json_array_get(*(json_t *const *)b, 0));
    return x < y ? -1 : x > y;
}

// The points in the order of the x axis, for a line through them.
static json_t *sorted(json_t *points)
{
    size_t count = json_array_size(points);
    json_t **all = calloc(count + 1, sizeof *all), *line = json_array();
    if (all == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        all[i] = json_array_get(points, i);
    qsort(all, count, sizeof *all, by_x);
    for (size_t i = 0; i < count; i++)
        json_array_append(line, all[i]);
    free(all);
    json_decref(points);
    return line;
}

static void add_trade(const struct ts_tune *self, json_t *page)
{
    json_t *dots = json_array(), *front = json_array();
    for (size_t i = 0; i < self->count; i++) {
        if (!passed(&self->points[i]))
            continue;
        json_t *one = dot(self, i, (double)self->points[i].memory / 1024);
        if (self->points[i].front)
            json_array_append(front, one);
        json_array_append_new(dots, one);
    }
    add_plot(page, "Cycles against memory", "KiB of ring slots, tiles and buffers", dots,
             "front: no other has fewer cycles and no more memory", sorted(front));
}

// A key's values on the x axis: as they are if all are numbers, else by their place in the list.
static bool is_numeric(const struct ts_pipe_axis *axis)
{
    for (unsigned i = 0; i < axis->count; i++) {
        char *end;
        strtod(axis->value[i], &end);
        if (*end || end == axis->value[i])
            return false;
    }
    return true;
}

static void axis_name(const struct ts_pipe_axis *axis, bool numeric, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", axis->key);
    for (unsigned v = 0; v < axis->count && !numeric && (size_t)used < size; v++)
        used += snprintf(text + used, size - (size_t)used, "%s%u: %s%s", v ? ", " : " (", v,
                         axis->value[v], v + 1 == axis->count ? ")" : "");
}

static void add_axis(const struct ts_tune *self, unsigned number, json_t *page)
{
    const struct ts_pipe_axis *axis = &self->axes[number];
    bool numeric = is_numeric(axis);
    json_t *dots = json_array(), *bests = json_array();
    for (unsigned v = 0; v < axis->count; v++) {
        double x = numeric ? strtod(axis->value[v], NULL) : v;
        size_t best = self->count;
        for (size_t i = 0; i < self->count; i++) {
            if (!passed(&self->points[i]) ||
                strcmp(ts_tune_value(self, i, number), axis->value[v]) != 0)
                continue;
            json_array_append_new(dots, dot(self, i, x));
            if (best == self->count || self->points[i].cycles < self->points[best].cycles)
                best = i;
        }
        if (best < self->count)
            json_array_append_new(bests, dot(self, best, x));
    }
    char title[120], x_name[300];
    axis_name(axis, numeric, x_name, sizeof x_name);
    snprintf(title, sizeof title, "Cycles by %s", axis->key);
    if (json_array_size(dots) > 0 && axis->count > 1) {
        add_plot(page, title, x_name, dots, "best", bests);
    } else {
        json_decref(dots);
        json_decref(bests);
    }
}

static void add_front(const struct ts_tune *self, json_t *page)
{
    json_t *heads = json_pack("[s, s, s, s, s]", "variant", "memory", "on chip", "cycles", "safe");
    json_t *rows = json_array(), *text = json_pack("[i, i]", 0, 4);
    for (unsigned i = 0; i < self->axis_count; i++) {
        json_array_append_new(text, json_integer((json_int_t)json_array_size(heads)));
        json_array_append_new(heads, json_string(self->axes[i].key));
    }
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_tune_point *point = &self->points[i];
        if (!point->front && i != self->own)
            continue;
        json_t *row = json_pack("[s, I, I, I, s]", i == self->own ? "as it is" : "",
                                (json_int_t)point->memory, (json_int_t)point->chip,
                                (json_int_t)point->cycles,
                                point->proved ? "in every interleaving" : "not proved");
        for (unsigned k = 0; k < self->axis_count; k++)
            json_array_append_new(row, json_string(ts_tune_value(self, i, k)));
        json_array_append_new(rows, row);
    }
    ts_page_add(page, "table", "Front of cycles against memory",
                json_pack("{s:o, s:o, s:o}", "heads", heads, "rows", rows, "text", text));
}

void ts_tune_page(const void *what, FILE *file)
{
    const struct ts_tune *self = what;
    size_t good = 0, front = 0;
    for (size_t i = 0; i < self->count; i++) {
        good += passed(&self->points[i]);
        front += passed(&self->points[i]) && self->points[i].front;
    }
    char title[160], answer[320];
    snprintf(title, sizeof title, "tensim pipe: %s, %zu variants", self->name, self->count);
    snprintf(answer, sizeof answer,
             "%zu of %zu variants pass; %zu of them are on the front of cycles against memory. "
             "Profile %s, preset %s.",
             good, self->count, front, self->profile, self->preset);
    json_t *page = ts_page_new(title, answer, self->command);
    json_t *plots = ts_page_part(page, "plots", NULL);
    if (good)
        add_trade(self, plots);
    for (unsigned i = 0; i < self->axis_count; i++)
        add_axis(self, i, plots);
    add_front(self, page);
    ts_page_write(page, file);
}
