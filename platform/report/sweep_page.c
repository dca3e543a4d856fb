// The page of a sweep: throughput against throttle, accuracy against throughput, utilisation,
// cycles by cause.
#include "platform/report/page.h"
#include "platform/report/plot.h"
#include "platform/study/sweep/sweep.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SERIES 32

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

// Points by their common format and fidelity.
struct group {
    char name[64];
    struct ts_plot_point *throughput, *utilisation, *accuracy;
    size_t count;
};

struct page {
    const struct ts_sweep *sweep;
    struct group groups[SERIES];
    size_t group_count;
};

static struct group *group_of(struct page *page, const json_t *row)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s%s%s", text_of(row, "format"), text_of(row, "fidelity"),
             json_object_get(row, "op") ? " " : "", text_of(row, "op"));
    for (size_t i = 0; i < page->group_count; i++)
        if (strcmp(page->groups[i].name, name) == 0)
            return &page->groups[i];
    if (page->group_count == SERIES)
        return NULL;
    struct group *group = &page->groups[page->group_count++];
    snprintf(group->name, sizeof group->name, "%s", name);
    size_t n = page->sweep->points;
    group->throughput = calloc(n, sizeof *group->throughput);
    group->utilisation = calloc(n, sizeof *group->utilisation);
    group->accuracy = calloc(n, sizeof *group->accuracy);
    return group;
}

static void gather(struct page *page)
{
    for (size_t i = 0; i < page->sweep->points; i++) {
        const json_t *row = page->sweep->results[i];
        if (!row || json_integer_value(json_object_get(row, "code")) != 0)
            continue;
        struct group *group = group_of(page, row);
        if (!group)
            continue;
        double throttle = real_of(row, "throttle"), tflops = real_of(row, "tflops");
        const char *key = text_of(row, "key");
        group->throughput[group->count] = (struct ts_plot_point){throttle, tflops, key, false};
        group->utilisation[group->count] = (struct ts_plot_point){
            throttle, 100 * real_of(row, "utilisation"), key, false};
        group->accuracy[group->count] = (struct ts_plot_point){tflops, real_of(row, "rel_l2"), key,
                                                               false};
        group->count++;
    }
}

static int by_x_down(const void *a, const void *b)
{
    const struct ts_plot_point *p = a, *q = b;
    return p->x > q->x ? -1 : p->x < q->x ? 1 : p->y < q->y ? -1 : p->y > q->y;
}

// The runs that no other beats in both speed and accuracy.
static size_t pareto(const struct page *page, struct ts_plot_point *front)
{
    size_t count = 0, kept = 0;
    for (size_t g = 0; g < page->group_count; g++)
        for (size_t i = 0; i < page->groups[g].count; i++)
            if (isfinite(page->groups[g].accuracy[i].y) && page->groups[g].accuracy[i].y > 0)
                front[count++] = page->groups[g].accuracy[i];
    qsort(front, count, sizeof *front, by_x_down);
    double best = (double)INFINITY;
    for (size_t i = 0; i < count; i++)
        if (front[i].y < best) {
            best = front[i].y;
            front[kept++] = front[i];
        }
    return kept;
}

static void write_plots(struct page *page, FILE *file)
{
    struct ts_plot_series series[SERIES + 1];
    for (size_t i = 0; i < page->group_count; i++)
        series[i] = (struct ts_plot_series){page->groups[i].name, page->groups[i].throughput,
                                            page->groups[i].count, true, NULL};
    ts_plot_write(file, &(struct ts_plot){.title = "Throughput against throttle",
                                          .x_name = "throttle level",
                                          .y_name = "TFLOP/s of one tile",
                                          .series = series,
                                          .count = page->group_count,
                                          .from_zero = true});
    for (size_t i = 0; i < page->group_count; i++)
        series[i] = (struct ts_plot_series){page->groups[i].name, page->groups[i].accuracy,
                                            page->groups[i].count, false, NULL};
    struct ts_plot_point *front = calloc(page->sweep->points + 1, sizeof *front);
    size_t kept = front ? pareto(page, front) : 0;
    series[page->group_count] = (struct ts_plot_series){"Pareto front", front, kept, true,
                                                        "var(--dim)"};
    ts_plot_write(file, &(struct ts_plot){.title = "Accuracy against throughput",
                                          .x_name = "TFLOP/s of one tile",
                                          .y_name = "rel_l2",
                                          .series = series,
                                          .count = page->group_count + 1,
                                          .log_y = true});
    free(front);
    for (size_t i = 0; i < page->group_count; i++)
        series[i] = (struct ts_plot_series){page->groups[i].name, page->groups[i].utilisation,
                                            page->groups[i].count, true, NULL};
    ts_plot_write(file, &(struct ts_plot){.title = "Utilisation against throttle",
                                          .x_name = "throttle level",
                                          .y_name = "% of peak",
                                          .series = series,
                                          .count = page->group_count,
                                          .from_zero = true});
}

// The words of a run's key that differ between runs.
static char *short_key(const struct ts_sweep *sweep, const char *key)
{
    char *text = calloc(1, strlen(key) + 2), *to = text;
    for (const char *word = key; text && *word;) {
        size_t length = strcspn(word, " ");
        bool varies = false;
        for (size_t i = 0; i < sweep->points && !varies; i++) {
            const char *other = sweep->results[i] ? text_of(sweep->results[i], "key") : key;
            varies = true; // unless it has the same complete word
            for (const char *at = other; varies && (at = strchr(at, ' ')) != NULL; at++)
                varies = strncmp(at + 1, word, length) != 0 ||
                         (at[1 + length] && at[1 + length] != ' ');
        }
        if (varies && word != key) {
            if (to != text)
                *to++ = ' ';
            memcpy(to, word, length);
            to += length;
        }
        word += length + strspn(word + length, " ");
    }
    return text;
}

// The math thread's gate in every run.
static void write_stalls(const struct ts_sweep *sweep, FILE *file)
{
    struct ts_bar *bars = calloc(sweep->points + 1, sizeof *bars);
    size_t count = 0;
    for (size_t i = 0; bars && i < sweep->points && count < 96; i++) {
        const json_t *row = sweep->results[i], *where = row ? json_object_get(row, "where") : NULL;
        size_t index;
        json_t *share;
        json_array_foreach((json_t *)where, index, share)
        {
            if (strcmp(text_of(share, "name"), "t1") != 0)
                continue;
            struct ts_bar *bar = &bars[count];
            bar->name = short_key(sweep, text_of(row, "key"));
            if (bar->name == NULL)
                continue;
            count++;
            bar->parts[0] = (struct ts_bar_part){"passes a word", real_of(share, "busy"),
                                                 TS_COLOR_BUSY};
            unsigned part = 1;
            const char *name;
            json_t *value;
            json_object_foreach(json_object_get(share, "stalls"), name, value)
            {
                if (part == 6 || strcmp(name, "idle") == 0)
                    continue;
                bar->parts[part++] = (struct ts_bar_part){name, json_number_value(value),
                                                          ts_color_stall(name)};
            }
        }
    }
    bool fold = count > 24; // a screen has room for this many
    if (fold)
        fprintf(file, "<details><summary>Where the cycles of %zu runs went</summary>\n", count);
    ts_bars_write(file, "The math thread's gate: passes a word, or waits (the rest is idle)", bars,
                  count);
    if (fold)
        fputs("</details>\n", file);
    for (size_t i = 0; i < count; i++)
        free((char *)(uintptr_t)bars[i].name);
    free(bars);
}

// Columns that no run has are left out.
static const char **shown_columns(const struct ts_sweep *sweep)
{
    static const char *const known[] = {
        "key",         "cycles",    "cycles_per_product", "cycles_per_tile", "tflops",
        "utilisation", "intensity", "bound_by",           "rel_l2",          "pcc",
        "error",       NULL};
    const char **all = sweep->programs ? ts_sweep_columns(sweep) : NULL;
    const char *const *from = all ? all : known;
    size_t count = 0, columns = 0;
    while (from[count])
        count++;
    const char **shown = calloc(count + 1, sizeof *shown);
    if (shown == NULL)
        abort();
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < sweep->points; i++)
            if (sweep->results[i] && json_object_get(sweep->results[i], from[c])) {
                shown[columns++] = from[c];
                break;
            }
    free(all);
    return shown;
}

static void write_table(const struct ts_sweep *sweep, FILE *file)
{
    const char **shown = shown_columns(sweep);
    fputs("<h2>Runs</h2>\n", file);
    ts_table_begin(file, "runs", shown);
    for (size_t i = 0; i < sweep->points; i++) {
        if (!sweep->results[i])
            continue;
        fputs("<tr>", file);
        for (size_t c = 0; shown[c]; c++) {
            const json_t *value = json_object_get(sweep->results[i], shown[c]);
            fputs("<td>", file);
            if (json_is_string(value))
                ts_html_text(file, json_string_value(value));
            else if (json_is_integer(value))
                fprintf(file, "%lld", (long long)json_integer_value(value));
            else if (json_is_real(value))
                fprintf(file, "%.5g", json_real_value(value));
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    ts_table_end(file);
    free(shown);
}

void ts_sweep_page(const struct ts_sweep *self, FILE *file)
{
    struct page *page = calloc(1, sizeof *page);
    if (!page)
        abort();
    page->sweep = self;
    gather(page);
    char title[128];
    snprintf(title, sizeof title, "tensim sweep: %s, %zu runs",
             self->programs ? "programs" : self->base.program, self->points);
    ts_page_begin(file, title);
    if (!self->programs) {
        fputs("<div class=\"plots\">\n", file);
        write_plots(page, file);
        write_stalls(self, file);
        fputs("</div>\n", file);
    }
    write_table(self, file);
    ts_page_end(file);
    for (size_t i = 0; i < page->group_count; i++) {
        free(page->groups[i].throughput);
        free(page->groups[i].utilisation);
        free(page->groups[i].accuracy);
    }
    free(page);
}
