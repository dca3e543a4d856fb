// The page of one run (report.h).
#include "platform/report/report.h"

#include "platform/explain/hang.h"
#include "platform/kernel/domain.h"
#include "platform/report/page.h"
#include "platform/report/plot.h"
#include "platform/run/expected.h"
#include "platform/run/plan/launch.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void card(FILE *file, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void card(FILE *file, const char *name, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("<div><b>", file);
    ts_html_text(file, text);
    fputs("</b><span>", file);
    ts_html_text(file, name);
    fputs("</span></div>\n", file);
}

static void write_error(const struct ts_run_report *self, FILE *file)
{
    char judged[128], name[160];
    if (self->job->program) {
        card(file,
             ts_program_wrong(self->job->program) ? "PCC: not as expected" : "PCC: as expected",
             "%.6f", self->result->agreement.pcc);
        return;
    }
    ts_expected_text(&self->job->spec, self->result->agreement.rel_l2, judged, sizeof judged);
    snprintf(name, sizeof name, "rel_l2, %s", judged);
    card(file, name, "%.2e", self->result->agreement.rel_l2);
}

// The main figures, then what bounds the run.
static void write_verdict(const struct ts_run_report *self, FILE *file)
{
    const struct ts_job_verdict *v = self->verdict;
    fputs("<div class=\"cards\">\n", file);
    char unit[64];
    snprintf(unit, sizeof unit, "cycles a %s", self->job->kind->unit);
    card(file, "cycles", "%llu", (unsigned long long)v->cycles);
    char clock[64];
    snprintf(clock, sizeof clock, "µs at %u MHz", TS_CLOCK_MHZ);
    card(file, clock, "%.2f", 1e6 * v->seconds);
    card(file, unit, "%.2f", v->cycles_per_unit);
    if (v->utilisation > 0) // else FLOPs are meaningless: functions and moves
        card(file, self->job->program ? "TFLOP/s" : "TFLOP/s of a tile", "%.3f", v->tflops);
    else if (v->cycles_per_unit > 0)
        card(file, "elements a cycle", "%.2f", 1024 / v->cycles_per_unit);
    if (v->utilisation > 0)
        card(file, "of the peak at this fidelity", "%.1f %%", 100 * v->utilisation);
    if (self->result->checked)
        write_error(self, file);
    card(file, "is what bounds it", "%s", v->bound_by);
    fputs("</div>\n<p class=\"evidence\">Bound by <b>", file);
    ts_html_text(file, v->bound_by);
    fputs("</b>: ", file);
    ts_html_text(file, v->evidence);
    fputs(".</p>\n", file);
}

static void write_text(const struct ts_run_report *self, FILE *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    ts_verdict_print(self->verdict, self->job, self->result, memory);
    fclose(memory);
    fputs("<details><summary>The verdict as text</summary><pre>", file);
    ts_html_text(file, text);
    fputs("</pre></details>\n", file);
    free(text);
}

// Throughput against work per byte, below the roofs of the unit and of the unpackers.
static void write_roofline(const struct ts_run_report *self, FILE *file)
{
    const struct ts_job_verdict *v = self->verdict;
    if (v->flops_per_byte <= 0 || v->peak_tflops <= 0 || v->unpack_roof <= 0)
        return;
    double per_byte = v->unpack_roof * TS_CLOCK_MHZ * 1e6 / 1e12; // TFLOP/s at 1 FLOP a byte
    double knee = v->peak_tflops / per_byte;
    double low = (knee < v->flops_per_byte ? knee : v->flops_per_byte) / 4;
    double high = (knee > v->flops_per_byte ? knee : v->flops_per_byte) * 4;
    struct ts_plot_point slope[] = {{low, low * per_byte, "unpackers' rate", true},
                                    {knee, v->peak_tflops, "both", false},
                                    {high, v->peak_tflops, "the unit's peak", true}};
    struct ts_plot_point run[] = {{v->flops_per_byte, v->tflops, "this run", true}};
    struct ts_plot_series series[] = {{"roofs: unpackers, unit", slope, 3, true, NULL},
                                      {"this run", run, 1, false, NULL}};
    ts_plot_write(
        file, &(struct ts_plot){.title = self->job->program ? "Roofline" : "Roofline of one tile",
                                .x_name = "FLOP per byte unpacked from L1",
                                .y_name = "TFLOP/s",
                                .series = series,
                                .count = 2,
                                .log_y = true,
                                .log_x = true});
}

static const char *zone_color(unsigned zone)
{
    return zone == 0 ? "#8884" : ts_color(zone);
}

// Zones of the three threads over time.
static void write_timeline(const struct ts_run_report *self, FILE *file)
{
    static const char *const threads[TS_THREADS] = {"unpack", "math", "pack"};
    static const char *const zones[TS_JOB_ZONES] = {"kernel", "init", "tile loop"};
    ts_cycle first = TS_NEVER, last = 0;
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const struct ts_job_zone *zone = &self->result->zones[t][TS_JOB_KERNEL];
        first = zone->start < first ? zone->start : first;
        last = zone->end > last ? zone->end : last;
    }
    double span = last > first ? (double)(last - first) : 1, width = 632, left = 90;
    double scale = (width - left) / span;
    ts_figure_begin(file, "Timeline: zones of the three threads, without boot", "timeline", 132);
    for (unsigned t = 0; t < TS_THREADS; t++) {
        double y = 6 + 32 * t;
        fprintf(file, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n", left - 8,
                y + 17, threads[t]);
        for (unsigned z = 0; z < TS_JOB_ZONES; z++) {
            const struct ts_job_zone *zone = &self->result->zones[t][z];
            if (zone->end <= zone->start)
                continue;
            double x = left + (double)(zone->start - first) * scale;
            double w = (double)(zone->end - zone->start) * scale;
            fprintf(file,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%u\" "
                    "fill=\"%s\"><title>%s %s: cycle %llu to %llu</title></rect>\n",
                    x, z == 0 ? y : y + 5, w < 0.5 ? 0.5 : w, z == 0 ? 24 : 14, zone_color(z),
                    threads[t], zones[z], (unsigned long long)zone->start,
                    (unsigned long long)zone->end);
        }
    }
    fprintf(file,
            "<text x=\"%.0f\" y=\"124\">%llu</text><text x=\"%.0f\" y=\"124\" "
            "text-anchor=\"end\">cycle %llu</text>",
            left, (unsigned long long)first, width, (unsigned long long)last);
    ts_figure_key(file);
    for (unsigned z = 0; z < TS_JOB_ZONES; z++)
        ts_key_entry(file, zone_color(z), zones[z]);
    ts_figure_end(file, true);
}

static void write_utilisation(const struct ts_run_report *self, FILE *file)
{
    const struct ts_job_verdict *verdict = self->verdict;
    struct ts_bar *bars = calloc(verdict->share_count + 1, sizeof *bars);
    if (!bars)
        return;
    for (unsigned i = 0; i < verdict->share_count; i++) {
        bars[i].name = verdict->shares[i].name;
        bars[i].parts[0] = (struct ts_bar_part){"busy", verdict->shares[i].busy, TS_COLOR_BUSY};
        unsigned part = 1;
        for (unsigned k = 0; k < 4 && verdict->shares[i].stalls[k].share > 0; k++)
            if (verdict->shares[i].stalls[k].reason != TS_STALL_IDLE) {
                const char *reason = ts_stall_name(verdict->shares[i].stalls[k].reason);
                bars[i].parts[part++] = (struct ts_bar_part){
                    reason, verdict->shares[i].stalls[k].share, ts_color_stall(reason)};
            }
    }
    char title[128];
    snprintf(
        title, sizeof title,
        "Utilisation: busy, and waiting by reason, of %llu cycles, the whole run with boot (the "
        "rest is idle)",
        (unsigned long long)verdict->span);
    ts_bars_write(file, title, bars, verdict->share_count);
    free(bars);
}

// Does the page show this part of the tile?
static bool of_tile(const struct ts_run_report *self, const char *name)
{
    const char *tile = self->job->domain->object.path;
    return name && strncmp(name, tile, strlen(tile)) == 0;
}

// Waits by component (rows) and reason (columns), in cycles.
static void write_matrix(const struct ts_run_report *self, FILE *file)
{
    const json_t *units = json_object_get(self->stats, "units");
    bool used[TS_STALL_COUNT] = {false};
    size_t index;
    json_t *unit;
    json_array_foreach((json_t *)units, index, unit) for (int r = TS_STALL_IDLE + 1;
                                                          r < TS_STALL_COUNT; r++)
        used[r] |= of_tile(self, json_string_value(json_object_get(unit, "name"))) &&
                   json_object_get(json_object_get(unit, "stall"),
                                   ts_stall_name((enum ts_stall)r)) != NULL;
    fprintf(file,
            "<h2>Stall matrix (of %llu cycles, the whole run with boot)</h2>\n<div "
            "class=\"scroll\"><table class=\"stalls\"><tr><th>who</th><th>busy</th><th>idle</th>",
            (unsigned long long)self->verdict->span);
    for (int r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++)
        if (used[r]) {
            const char *name = ts_stall_name((enum ts_stall)r);
            fputs("<th class=\"up\" title=\"", file);
            ts_html_text(file, ts_stall_text((enum ts_stall)r));
            fprintf(file, "\"><span>%s</span> <i style=\"background:%s\"></i></th>", name,
                    ts_color_stall(name));
        }
    fputs("</tr>\n", file);
    json_array_foreach((json_t *)units, index, unit)
    {
        const char *name = json_string_value(json_object_get(unit, "name"));
        if (!of_tile(self, name))
            continue;
        fputs("<tr><td>", file);
        ts_html_text(file, strrchr(name, '.') ? strrchr(name, '.') + 1 : name);
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
    ts_table_end(file);
}

// Instructions that the three threads executed.
static void write_instructions(const struct ts_run_report *self, FILE *file)
{
    fputs("<h2>Instructions that passed the gates</h2>\n", file);
    ts_table_begin(file, "counts", (const char *const[]){"instruction", "T0", "T1", "T2", NULL});
    for (unsigned op = 0; op < 256; op++) {
        uint64_t count[TS_THREADS], sum = 0;
        for (unsigned t = 0; t < TS_THREADS; t++)
            sum += count[t] = self->job->tile->front[t].passed[op];
        if (sum)
            fprintf(file, "<tr><td>%s</td><td>%llu</td><td>%llu</td><td>%llu</td></tr>\n",
                    ts_op_info[op].name, (unsigned long long)count[0], (unsigned long long)count[1],
                    (unsigned long long)count[2]);
    }
    ts_table_end(file);
}

static void write_provenance(const struct ts_run_report *self, FILE *file)
{
    fputs("<h2>Set-up</h2><pre>", file);
    for (int i = 0; i < self->argc; i++) {
        ts_html_text(file, self->argv[i]);
        fputc(i + 1 < self->argc ? ' ' : '\n', file);
    }
    fprintf(file, "tensim %s, clock %u MHz, %u %s\n", TENSIM_VERSION, TS_CLOCK_MHZ, self->tiles,
            self->tiles == 1 ? "tile" : "tiles, of which this is the first");
    fputs("</pre>\n<details><summary>Every parameter: value, unit, kind, source</summary><pre "
          "id=\"config\">",
          file);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = self->params ? open_memstream(&text, &size) : NULL;
    if (memory) {
        ts_params_write(self->params, memory);
        fclose(memory);
        ts_html_text(file, text);
        free(text);
    }
    fputs("</pre></details>\n<details><summary>The result as JSON</summary><pre id=\"result\">",
          file);
    text = json_dumps(self->document, JSON_INDENT(1));
    if (text)
        ts_html_text(file, text);
    free(text);
    fputs("</pre></details>\n", file);
}

// As requested: for a grid, the complete matrix.
static void title_of(const struct ts_run_report *self, char *text, size_t size)
{
    const struct ts_job_spec *s = &self->job->spec;
    if (self->job->program) {
        snprintf(text, size, "tensim %s on %u core%s", ts_program_name(self->job->program),
                 self->tiles, self->tiles == 1 ? "" : "s");
        return;
    }
    uint32_t rows = s->grid_rows ? s->grid_rows : 1, columns = s->grid_rows ? s->grid_columns : 1;
    char inner[16] = "";
    if (strncmp(s->program, "matmul", 6) == 0)
        snprintf(inner, sizeof inner, "x%u", s->k);
    int used = snprintf(text, size, "tensim %s%s%s %ux%u%s %s %s", s->program, s->op ? " " : "",
                        s->op ? s->op : "", s->m * rows, s->n * columns, inner,
                        ts_datum_name(s->format), ts_fidelity_name(s->phases));
    if (s->grid_rows)
        snprintf(text + used, size - (size_t)used, ": tile %ux%u%s of a grid of %ux%u", s->m, s->n,
                 inner, rows, columns);
}

void ts_report_write(const struct ts_run_report *self, FILE *file)
{
    char title[160];
    title_of(self, title, sizeof title);
    ts_page_begin(file, title);
    write_verdict(self, file);
    if (json_object_get(self->document, "hang"))
        ts_hang_section(json_object_get(self->document, "hang"), file);
    fputs("<div class=\"plots\">\n", file);
    if (self->job->program)
        ts_report_zones(self->job->program, file);
    else
        write_timeline(self, file);
    write_roofline(self, file);
    if (self->record) {
        ts_report_lanes(self->record, file);
        ts_report_semaphores(self->record, file);
    }
    write_utilisation(self, file);
    fputs("</div>\n", file);
    if (self->job->program)
        ts_report_zone_table(self->job->program, file);
    if (self->record)
        ts_report_waits(self->record, file);
    write_matrix(self, file);
    write_instructions(self, file);
    write_text(self, file);
    write_provenance(self, file);
    ts_page_end(file);
}
