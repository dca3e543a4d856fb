// The page of the truth table: measured against simulated, errors by family, every row.
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
            points[next] = (struct ts_plot_point){r->measured, r->simulated, labels[next]};
            low = fmin(low, fmin(r->measured, r->simulated));
            high = fmax(high, fmax(r->measured, r->simulated));
            next++;
        }
        if (next > first)
            series[used++] = (struct ts_plot_series){family->name, points + first, next - first,
                                                     false};
    }
    // A model that is right has every dot on this line.
    points[next] = (struct ts_plot_point){low, low, NULL};
    points[next + 1] = (struct ts_plot_point){high, high, NULL};
    series[used++] = (struct ts_plot_series){"equal", points + next, 2, true};
    ts_plot_write(file, &(struct ts_plot){.title = "Simulated against measured",
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
    const double width = 640, height = 240, left = 8, bottom = 56, top = 22;
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
    fputs("<figure><figcaption>", file);
    ts_html_text(file, family ? family->title : "all families");
    fprintf(file,
            ": %zu figure%s by error</figcaption><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
            rows, rows == 1 ? "" : "s", width, height);
    double step = (width - 2 * left) / BINS;
    for (size_t b = 0; b < BINS; b++) {
        double tall = (height - top - bottom) * (double)bins[b] / (double)most;
        double x = left + step * (double)b;
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>"
                "%zu figures</title></rect>\n",
                x + 2, height - bottom - tall, step - 4, tall, ts_plot_color(color), bins[b]);
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
            "</text></svg></figure>\n",
            width / 2, height - 10);
}

// ---- tables

static void families(const struct ts_silicon_table *self, FILE *file)
{
    fputs("<div class=\"scroll\"><table "
          "class=\"sum\"><tr><th>family</th><th>rows</th><th>median</th><th>p90</th>"
          "<th>worst</th><th>bias</th></tr>\n",
          file);
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
    fputs("</table></div>\n", file);
}

static void rows(const struct ts_silicon_table *self, FILE *file)
{
    fputs("<h2>Every row</h2>\n<p><label>show rows with <input id=\"find\" type=\"search\" "
          "placeholder=\"S0220, MVMUL, noc ...\"></label> <label><input id=\"off\" "
          "type=\"checkbox\"> only those off by more than 10 %</label></p>\n<div class=\"scroll\">"
          "<table id=\"rows\" "
          "class=\"rows\"><tr><th>row</th><th>family</th><th>measured</th><th>simulated</th>"
          "<th>error</th><th>workload, metric, cause</th></tr>\n",
          file);
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_silicon_result *r = &self->results[i];
        bool off = fabs(r->error) > TS_SILICON_CAUSE || r->failure.code != TS_OK;
        struct ts_silicon_text text = {.metric = ""};
        r->family->describe(r->row, &text);
        fprintf(file, "<tr%s><td>%s</td><td>%s</td><td>%.6g</td>", off ? " class=\"off\"" : "",
                r->row->id, r->family->name, r->measured);
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
    fputs("</table></div>\n", file);
}

static void left_out(const struct ts_silicon_account *account, FILE *file)
{
    fprintf(file,
            "<h2>Not re-created: %zu of %zu</h2>\n<div class=\"scroll\"><table "
            "class=\"rows\"><tr><th>row</th>"
            "<th>described</th><th>why not, source</th></tr>\n",
            account->count - account->recreated, account->count);
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
    fputs("</table></div>\n", file);
}

void ts_silicon_page(const struct ts_silicon_table *self, FILE *file)
{
    ts_html_begin(file, "tensim against silicon");
    fputs(
        "<style>.rows td:last-child{white-space:normal;min-width:220px;text-align:left}"
        ".rows th:last-child{text-align:left}.scroll{margin-bottom:16px}"
        ".sum td:first-child{white-space:normal}@media(max-width:600px){"
        ".sum th,.sum td{padding:4px 5px;font-size:12px}text.wide{display:none}}.off "
        "td{color:#b40000}circle{fill-opacity:.55}circle:hover{stroke:#000;"
        "stroke-width:2}#tip{position:fixed;left:8px;right:8px;bottom:8px;max-width:900px;"
        "margin:auto;background:#222;color:#fff;padding:8px 12px;border-radius:6px;display:none}"
        "td small{color:#777;word-break:break-all}.rows th:nth-child(2),.rows td:nth-child(2)"
        "{text-align:left}@media(prefers-color-scheme:dark){.off td{color:#ff8a80}}</style>\n"
        "<p>Measurements published for real Blackhole cards, re-created on the model with one set "
        "of parameters. Error is simulated against measured; a row of several figures counts by "
        "the one farthest off.</p>\n",
        file);
    families(self, file);
    fputs("<div class=\"plots\">\n", file);
    scatter(self, file);
    histogram(self, NULL, 6, file);
    size_t color = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (ts_silicon_count_ids(self, ts_silicon_families[f]))
            histogram(self, ts_silicon_families[f], color++, file);
    fputs("</div>\n", file);
    rows(self, file);
    if (self->whole)
        left_out(self->account, file);
    fputs("<div id=\"tip\"></div>\n<script>\n"
          "const tip=document.getElementById('tip');\n"
          "for(const on of ['pointerover','click'])document.addEventListener(on,e=>{"
          "const t=e.target.closest('circle,rect');const s=t&&t.querySelector('title');"
          "tip.style.display=s?'block':'none';if(s)tip.textContent=s.textContent});\n"
          "const find=document.getElementById('find'),off=document.getElementById('off');\n"
          "const filter=()=>{const w=find.value.toLowerCase();"
          "for(const r of document.querySelectorAll('#rows tr+tr'))"
          "r.hidden=(off.checked&&r.className!='off')||!r.textContent.toLowerCase().includes(w)};\n"
          "find.addEventListener('input',filter);off.addEventListener('change',filter);\n"
          "</script>\n",
          file);
    ts_html_end(file);
}
