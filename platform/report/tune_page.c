// The page of a tuning run (tune.h): cycles against memory with the front, one plot for each key that
// was varied, and the front as a table.
#include "platform/report/page.h"
#include "platform/report/plot.h"
#include "platform/study/pipe/tune.h"

#include <stdlib.h>
#include <string.h>

struct cloud {
    const struct ts_tune *tune;
    char (*labels)[200];
    struct ts_plot_point *all, *front;
    size_t all_count, front_count;
};

static int by_x(const void *a, const void *b)
{
    const struct ts_plot_point *x = a, *y = b;
    return x->x < y->x ? -1 : x->x > y->x;
}

static void gather(struct cloud *self)
{
    const struct ts_tune *tune = self->tune;
    for (size_t i = 0; i < tune->count; i++) {
        const struct ts_tune_point *point = &tune->points[i];
        if (!point->done || point->verdict != TS_PIPE_PASS)
            continue;
        ts_tune_key(tune, i, self->labels[i], sizeof self->labels[i]);
        struct ts_plot_point dot = {(double)point->memory / 1024, (double)point->cycles,
                                    self->labels[i], false};
        self->all[self->all_count++] = dot;
        if (point->front)
            self->front[self->front_count++] = dot;
    }
    qsort(self->front, self->front_count, sizeof *self->front, by_x);
}

static void write_trade(const struct cloud *self, FILE *file)
{
    const struct ts_plot_series series[] = {
        {"variants that pass", self->all, self->all_count, false, NULL},
        {"front: no other has fewer cycles and no more memory", self->front, self->front_count,
         true, "var(--stuck)"}};
    ts_plot_write(file, &(struct ts_plot){.title = "Cycles against memory",
                                          .x_name = "KiB of ring slots, tiles and buffers",
                                          .y_name = "cycles",
                                          .series = series,
                                          .count = 2,
                                          .from_zero = true});
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

static void write_axis(const struct cloud *self, unsigned number, FILE *file)
{
    const struct ts_tune *tune = self->tune;
    const struct ts_pipe_axis *axis = &tune->axes[number];
    bool numeric = is_numeric(axis);
    struct ts_plot_point best[TS_PIPE_VALUES], *dots = calloc(tune->count + 1, sizeof *dots);
    size_t count = 0, bests = 0;
    char title[120], x_name[300];
    if (dots == NULL)
        return;
    int used = snprintf(x_name, sizeof x_name, "%s", axis->key);
    for (unsigned v = 0; v < axis->count; v++) {
        double x = numeric ? strtod(axis->value[v], NULL) : v;
        struct ts_plot_point least = {x, 0, NULL, false};
        if (!numeric)
            used += snprintf(x_name + used, sizeof x_name - (size_t)used, "%s%u: %s",
                             v ? ", " : " (", v, axis->value[v]);
        for (size_t i = 0; i < tune->count; i++) {
            const struct ts_tune_point *point = &tune->points[i];
            if (!point->done || point->verdict != TS_PIPE_PASS ||
                strcmp(ts_tune_value(tune, i, number), axis->value[v]) != 0)
                continue;
            dots[count++] = (struct ts_plot_point){x, (double)point->cycles, self->labels[i],
                                                   false};
            if (least.label == NULL || (double)point->cycles < least.y)
                least = dots[count - 1];
        }
        if (least.label)
            best[bests++] = least;
    }
    if (!numeric)
        snprintf(x_name + used, sizeof x_name - (size_t)used, ")");
    snprintf(title, sizeof title, "Cycles by %s", axis->key);
    const struct ts_plot_series series[] = {{"variants that pass", dots, count, false, NULL},
                                            {"best", best, bests, true, "var(--stuck)"}};
    if (count && axis->count > 1)
        ts_plot_write(file, &(struct ts_plot){.title = title,
                                              .x_name = x_name,
                                              .y_name = "cycles",
                                              .series = series,
                                              .count = 2,
                                              .from_zero = true});
    free(dots);
}

static void write_front(const struct ts_tune *self, FILE *file)
{
    const char *heads[TS_PIPE_AXES + 5] = {"memory", "on chip", "cycles", "safe"};
    for (unsigned i = 0; i < self->axis_count; i++)
        heads[4 + i] = self->axes[i].key;
    fputs("<h2>Front of cycles against memory</h2>\n", file);
    ts_table_begin(file, "front", heads);
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_tune_point *point = &self->points[i];
        if (!point->front && i != self->own)
            continue;
        fprintf(file, "<tr><td>%llu%s</td><td>%llu</td><td>%llu</td><td>%s</td>",
                (unsigned long long)point->memory, i == self->own ? " (as it is)" : "",
                (unsigned long long)point->chip, (unsigned long long)point->cycles,
                point->proved ? "in every interleaving" : "not proved");
        for (unsigned k = 0; k < self->axis_count; k++) {
            fputs("<td>", file);
            ts_html_text(file, ts_tune_value(self, i, k));
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    ts_table_end(file);
}

void ts_tune_page(const void *what, FILE *file)
{
    const struct ts_tune *self = what;
    struct cloud cloud = {.tune = self,
                          .labels = calloc(self->count + 1, sizeof *cloud.labels),
                          .all = calloc(self->count + 1, sizeof *cloud.all),
                          .front = calloc(self->count + 1, sizeof *cloud.front)};
    if (cloud.labels == NULL || cloud.all == NULL || cloud.front == NULL)
        abort();
    char title[160];
    gather(&cloud);
    snprintf(title, sizeof title, "tensim pipe: %s, %zu variants", self->name, self->count);
    ts_page_begin(file, title);
    fprintf(
        file,
        "<p class=\"evidence\">Profile %s, preset %s. %zu of %zu variants pass; %zu of them are "
        "on the front.</p>\n<div class=\"plots\">\n",
        self->profile, self->preset, cloud.all_count, self->count, cloud.front_count);
    if (cloud.all_count)
        write_trade(&cloud, file);
    for (unsigned i = 0; i < self->axis_count; i++)
        write_axis(&cloud, i, file);
    fputs("</div>\n", file);
    write_front(self, file);
    ts_page_end(file);
    free(cloud.labels);
    free(cloud.all);
    free(cloud.front);
}
