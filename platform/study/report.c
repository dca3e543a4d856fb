// The page of one run (report.h).
#include "platform/study/report.h"

#include "platform/study/hang.h"
#include "platform/study/plot.h"

#include <stdlib.h>
#include <string.h>

static void write_verdict(const struct ts_run_report *self, FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    ts_verdict_print(self->verdict, self->job, self->result, memory);
    fclose(memory);
    fputs("<pre>", file);
    ts_html_text(file, text);
    fputs("</pre>\n", file);
    free(text);
}

// Zones of the three threads over time.
static void write_timeline(const struct ts_run_report *self, FILE *file)
{
    static const char *const threads[TS_THREADS] = {"unpack", "math", "pack"};
    static const char *const zones[TS_JOB_ZONES] = {"kernel", "init", "tile loop"};
    double span = self->result->cycles ? (double)self->result->cycles : 1, width = 640, left = 64;
    fputs("<figure><figcaption>Timeline: zones of the three threads</figcaption>"
          "<svg viewBox=\"0 0 640 120\" role=\"img\" class=\"timeline\">\n",
          file);
    for (unsigned t = 0; t < TS_THREADS; t++) {
        double y = 6 + 32 * t;
        fprintf(file, "<text x=\"58\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n", y + 17,
                threads[t]);
        for (unsigned z = 0; z < TS_JOB_ZONES; z++) {
            const struct ts_job_zone *zone = &self->result->zones[t][z];
            if (zone->end <= zone->start)
                continue;
            double x = left + (double)zone->start / span * (width - left - 8);
            double w = (double)(zone->end - zone->start) / span * (width - left - 8);
            fprintf(file,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%u\" "
                    "fill=\"%s\"><title>%s %s: cycle %llu to "
                    "%llu</title></rect>\n",
                    x, z == 0 ? y : y + 5, w < 0.5 ? 0.5 : w, z == 0 ? 24 : 14,
                    z == 0 ? "#8884" : ts_plot_color(z), threads[t], zones[z],
                    (unsigned long long)zone->start, (unsigned long long)zone->end);
        }
    }
    fprintf(file,
            "<text x=\"%.0f\" y=\"116\">0</text><text x=\"%.0f\" y=\"116\" "
            "text-anchor=\"end\">%llu cycles</text>",
            left, width - 8, (unsigned long long)self->result->cycles);
    fputs("</svg></figure>\n", file);
}

static void write_utilisation(const struct ts_run_report *self, FILE *file)
{
    const struct ts_job_verdict *verdict = self->verdict;
    struct ts_bar *bars = calloc(verdict->share_count + 1, sizeof *bars);
    if (!bars)
        return;
    for (unsigned i = 0; i < verdict->share_count; i++) {
        bars[i].name = verdict->shares[i].name;
        bars[i].parts[0] = (struct ts_bar_part){"busy", verdict->shares[i].busy, 2};
        unsigned part = 1;
        for (unsigned k = 0; k < 4 && verdict->shares[i].stalls[k].share > 0; k++)
            if (verdict->shares[i].stalls[k].reason != TS_STALL_IDLE)
                bars[i].parts[part++] = (struct ts_bar_part){
                    ts_stall_name(verdict->shares[i].stalls[k].reason),
                    verdict->shares[i].stalls[k].share, k + 3};
    }
    ts_bars_write(file, "Utilisation: busy, and waiting by reason (the rest is idle)", bars,
                  verdict->share_count);
    free(bars);
}

// Who waits, why, for how many cycles: rows are components, columns reasons.
static void write_matrix(const struct ts_run_report *self, FILE *file)
{
    const json_t *units = json_object_get(self->stats, "units");
    bool used[TS_STALL_COUNT] = {false};
    size_t index;
    json_t *unit;
    json_array_foreach((json_t *)units, index, unit) for (int r = TS_STALL_IDLE + 1;
                                                          r < TS_STALL_COUNT; r++)
        used[r] |= json_object_get(json_object_get(unit, "stall"),
                                   ts_stall_name((enum ts_stall)r)) != NULL;
    fputs("<h2>Who waits, and why (cycles)</h2><div class=\"scroll\"><table "
          "class=\"stalls\"><tr><th>who</th>"
          "<th>busy</th><th>idle</th>",
          file);
    for (int r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++)
        if (used[r]) {
            fputs("<th title=\"", file);
            ts_html_text(file, ts_stall_text((enum ts_stall)r));
            fprintf(file, "\">%s</th>", ts_stall_name((enum ts_stall)r));
        }
    fputs("</tr>\n", file);
    json_array_foreach((json_t *)units, index, unit)
    {
        fputs("<tr><td>", file);
        ts_html_text(file, json_string_value(json_object_get(unit, "name")));
        fprintf(file, "</td><td>%lld</td><td>%lld</td>",
                (long long)json_integer_value(json_object_get(unit, "busy")),
                (long long)json_integer_value(json_object_get(unit, "idle")));
        for (int r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++)
            if (used[r]) {
                json_int_t cycles = json_integer_value(json_object_get(
                    json_object_get(unit, "stall"), ts_stall_name((enum ts_stall)r)));
                fprintf(file, cycles ? "<td>%lld</td>" : "<td></td>", (long long)cycles);
            }
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

// What the three threads executed.
static void write_instructions(const struct ts_run_report *self, FILE *file)
{
    fputs("<h2>Instructions that passed the gates</h2><div "
          "class=\"scroll\"><table><tr><th>instruction</th><th>T0</th>"
          "<th>T1</th><th>T2</th></tr>\n",
          file);
    for (unsigned op = 0; op < 256; op++) {
        uint64_t count[TS_THREADS], sum = 0;
        for (unsigned t = 0; t < TS_THREADS; t++)
            sum += count[t] = self->job->coprocessor->front[t].passed[op];
        if (sum)
            fprintf(file, "<tr><td>%s</td><td>%llu</td><td>%llu</td><td>%llu</td></tr>\n",
                    ts_op_info[op].name, (unsigned long long)count[0], (unsigned long long)count[1],
                    (unsigned long long)count[2]);
    }
    fputs("</table></div>\n", file);
}

static void write_provenance(const struct ts_run_report *self, FILE *file)
{
    fputs("<h2>Set-up</h2><pre>", file);
    for (int i = 0; i < self->argc; i++) {
        ts_html_text(file, self->argv[i]);
        fputc(i + 1 < self->argc ? ' ' : '\n', file);
    }
    fprintf(file, "tensim %s, clock %u MHz, one tile\n", TENSIM_VERSION, TS_CLOCK_MHZ);
    fputs("</pre>\n<h2>Result</h2><pre id=\"result\">", file);
    char *text = json_dumps(self->document, JSON_INDENT(1));
    if (text)
        ts_html_text(file, text);
    free(text);
    fputs("</pre>\n", file);
}

bool ts_report_write(const struct ts_run_report *self, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    char title[128];
    const struct ts_job_spec *s = &self->job->spec;
    snprintf(title, sizeof title, "tensim %s%s%s %s %s", s->kernel, s->op ? " " : "",
             s->op ? s->op : "", ts_datum_name(s->format), ts_fidelity_name(s->phases));
    ts_html_begin(file, title);
    write_verdict(self, file);
    if (json_object_get(self->document, "hang"))
        ts_hang_section(json_object_get(self->document, "hang"), file);
    fputs("<div class=\"plots\">\n", file);
    write_timeline(self, file);
    write_utilisation(self, file);
    fputs("</div>\n", file);
    write_matrix(self, file);
    write_instructions(self, file);
    write_provenance(self, file);
    ts_html_end(file);
    return fclose(file) == 0;
}
