// The page of the truth table: measured against simulated, then each family, folded: errors and rows.
#include "platform/report/page.h"
#include "platform/report/plot.h"
#include "platform/study/silicon/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAMILIES 32

// ---- scatter

static void scatter(const struct ts_silicon_table *self, FILE *file)
{
    struct ts_plot_series series[FAMILIES + 1];
    struct ts_plot_point *points = calloc(self->count + 2, sizeof *points);
    char(*labels)[320] = calloc(self->count + 1, sizeof *labels);
    size_t next = 0, used = 0;
    double low = INFINITY, high = 0;
    if (points == NULL || labels == NULL)
        abort();
    for (size_t f = 0; ts_silicon_families[f] && used < FAMILIES; f++) {
        const struct ts_silicon_family *family = ts_silicon_families[f];
        size_t first = next;
        for (size_t i = 0; i < self->count; i++) {
            const struct ts_silicon_result *r = &self->results[i];
            if (r->family != family || r->failure.code != TS_OK || r->simulated <= 0)
                continue;
            struct ts_silicon_text text = {.metric = ""};
            family->describe(r->row, &text);
            snprintf(labels[next], sizeof *labels, "(%+.1f %%) %s: %s, %s", 100 * r->error,
                     r->row->id, text.workload, text.metric);
            points[next] = (struct ts_plot_point){r->measured, r->simulated, labels[next], false};
            low = fmin(low, fmin(r->measured, r->simulated));
            high = fmax(high, fmax(r->measured, r->simulated));
            next++;
        }
        if (next > first)
            series[used++] = (struct ts_plot_series){family->name, points + first, next - first,
                                                     false, NULL};
    }
    // A correct model has every dot on this line.
    points[next] = (struct ts_plot_point){low, low, NULL, false};
    points[next + 1] = (struct ts_plot_point){high, high, NULL, false};
    series[used++] = (struct ts_plot_series){"equal", points + next, 2, true, "var(--dim)"};
    ts_plot_write(file, &(struct ts_plot){.title = "Simulated against measured",
                                          .class = "cloud",
                                          .x_name = "measured on a card",
                                          .y_name = "simulated",
                                          .series = series,
                                          .count = used,
                                          .log_x = true,
                                          .log_y = true});
    free(labels);
    free(points);
}

// ---- histograms

static const double edges[] = {-0.25, -0.15, -0.10, -0.05, -0.03, -0.01,
                               0.01,  0.03,  0.05,  0.10,  0.15,  0.25};
enum { EDGES = sizeof edges / sizeof *edges, BINS = EDGES + 1 };

static void histogram(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                      size_t color, FILE *file)
{
    const double width = TS_FIGURE_WIDTH, height = 240, left = 8, bottom = 56, top = 22;
    size_t bins[BINS] = {0}, most = 1, rows = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *r = &self->results[i];
        if ((family && r->family != family) || r->failure.code != TS_OK)
            continue;
        size_t bin = 0;
        while (bin < EDGES && r->error > edges[bin])
            bin++;
        bins[bin]++;
        most = bins[bin] > most ? bins[bin] : most;
        rows++;
    }
    char title[160];
    snprintf(title, sizeof title, "%s: %zu figure%s by error",
             family ? family->title : "all families", rows, rows == 1 ? "" : "s");
    ts_figure_begin(file, title, "histogram", height);
    double step = (width - 2 * left) / BINS;
    for (size_t b = 0; b < BINS; b++) {
        double tall = (height - top - bottom) * (double)bins[b] / (double)most;
        double x = left + step * (double)b;
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>"
                "%zu figures</title></rect>\n",
                x + 2, height - bottom - tall, step - 4, tall, ts_color(color), bins[b]);
        if (bins[b])
            fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%zu</text>\n",
                    x + step / 2, height - bottom - tall - 5, bins[b]);
        if (b < EDGES)
            // A phone has no room for all of them.
            fprintf(file, "<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%+.0f</text>\n",
                    b % 3 == 1 ? " class=\"wide\"" : "", x + step, height - bottom + 18,
                    100 * edges[b]);
    }
    fprintf(file,
            "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">simulated against measured, %%"
            "</text>\n",
            width / 2, height - 10);
    ts_figure_end(file, false);
}

// ---- tables

static void families(const struct ts_silicon_table *self, FILE *file)
{
    ts_table_begin(file, "sum",
                   (const char *const[]){"family", "rows", "median", "p90", "worst", "bias", NULL});
    for (size_t f = 0; f == 0 || ts_silicon_families[f - 1]; f++) {
        const struct ts_silicon_family *family = ts_silicon_families[f]; // the last: all
        if (family && ts_silicon_count_ids(self, family) == 0)
            continue;
        struct ts_silicon_summary s = ts_silicon_summarise(self->results, self->count, family);
        fputs("<tr><td>", file);
        ts_html_text(file, family ? family->title : "all");
        fprintf(file,
                "</td><td>%zu</td><td>%.2f %%</td><td>%.2f %%</td><td>%.1f %%</td><td>%+.2f %%"
                "</td></tr>\n",
                ts_silicon_count_ids(self, family), 100 * s.median, 100 * s.p90, 100 * s.worst,
                100 * s.bias);
    }
    ts_table_end(file);
}

static void rows(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                 FILE *file)
{
    ts_table_begin(file, "rows",
                   (const char *const[]){"row", "measured", "simulated", "error",
                                         "workload, metric, cause", NULL});
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *r = &self->results[i];
        if (r->family != family)
            continue;
        bool off = fabs(r->error) > TS_SILICON_CAUSE || r->failure.code != TS_OK;
        struct ts_silicon_text text = {.metric = ""};
        r->family->describe(r->row, &text);
        fprintf(file, "<tr%s><td>%s</td><td>%.6g</td>", off ? " class=\"off\"" : "", r->row->id,
                r->measured);
        if (r->failure.code == TS_OK)
            fprintf(file, "<td>%.6g</td><td>%+.2f %%</td><td>", r->simulated, 100 * r->error);
        else
            fputs("<td></td><td></td><td>", file);
        ts_html_text(file, text.workload);
        fputs(", ", file);
        ts_html_text(file, text.metric);
        if (off) {
            fputs("<br><em>", file);
            ts_html_text(file, r->failure.code != TS_OK ? r->failure.text
                               : r->row->cause          ? r->row->cause
                                                        : "no cause known");
            fputs("</em>", file);
        }
        fputs("</td></tr>\n", file);
    }
    ts_table_end(file);
}

// One family, folded: a table of a thousand rows is 55,000 pixels tall.
static void folded(const struct ts_silicon_table *self, const struct ts_silicon_family *family,
                   size_t color, FILE *file)
{
    struct ts_silicon_summary s = ts_silicon_summarise(self->results, self->count, family);
    fputs("<details class=\"family\"><summary>", file);
    ts_html_text(file, family->title);
    size_t count = ts_silicon_count_ids(self, family);
    fprintf(file, ": %zu row%s, median %.2f %%, worst %.1f %%</summary>\n<div class=\"plots\">\n",
            count, count == 1 ? "" : "s", 100 * s.median, 100 * s.worst);
    histogram(self, family, color, file);
    fputs("</div>\n", file);
    rows(self, family, file);
    fputs("</details>\n", file);
}

static void left_out(const struct ts_silicon_account *account, FILE *file)
{
    fprintf(file, "<details><summary>Not re-created: %zu of %zu</summary>\n",
            account->count - account->recreated, account->count);
    ts_table_begin(file, "text",
                   (const char *const[]){"row", "described", "why not, source", NULL});
    for (size_t i = 0; i < account->count; i++) {
        const struct ts_silicon_id *id = &account->ids[i];
        if (id->family)
            continue;
        fprintf(file, "<tr><td>%s</td><td>%s</td><td>", id->id,
                ts_silicon_public_name(id->described));
        ts_html_text(file, id->reason ? id->reason : "not yet");
        fputs("<br><small>", file);
        ts_html_text(file, id->source);
        fputs("</small></td></tr>\n", file);
    }
    ts_table_end(file);
    fputs("</details>\n", file);
}

void ts_silicon_page(const struct ts_silicon_table *self, FILE *file)
{
    ts_page_begin(file, "tensim against silicon");
    fputs(
        "<p>Measurements published for real Blackhole cards, re-created on the model with one set "
        "of parameters. Error is simulated against measured; a row of several figures counts by "
        "the one farthest off.</p>\n",
        file);
    families(self, file);
    fputs("<div class=\"plots\">\n", file);
    scatter(self, file);
    histogram(self, NULL, 6, file);
    fputs("</div>\n<h2>Every row, by family</h2>\n<p><label>show rows with <input id=\"find\" "
          "type=\"search\" placeholder=\"S0220, MVMUL, noc ...\"></label> <label><input id=\"off\" "
          "type=\"checkbox\"> only those off by more than 10 %</label></p>\n",
          file);
    size_t color = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (ts_silicon_count_ids(self, ts_silicon_families[f]))
            folded(self, ts_silicon_families[f], color++, file);
    if (self->whole)
        left_out(self->account, file);
    ts_page_end(file);
}
