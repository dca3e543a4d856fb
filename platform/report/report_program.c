// What a program file's page shows besides a kernel's: the zones of its first core over time, and of all
// cores as a table.
#include "platform/report/page.h"
#include "platform/report/plot.h"
#include "platform/report/report.h"
#include "platform/run/plan/launch.h"

#define LEFT 90.0
#define ROW  32.0

static const char *color(const struct ts_program_run *run, const struct ts_launch_span *span)
{
    return span->depth == 0 ? "#8884" : ts_color(span->zone % run->zone_count);
}

void ts_report_zones(const struct ts_program_run *run, FILE *file)
{
    double span = (double)(run->last - run->first), width = TS_FIGURE_WIDTH - 8;
    double scale = (width - LEFT) / (span > 0 ? span : 1), height = ROW * TS_ON + 36;
    ts_figure_begin(file, "Timeline: zones of the first core, without boot", "timeline", height);
    for (unsigned p = 0; p < TS_ON; p++)
        fprintf(file, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s</text>\n", LEFT - 8,
                6 + ROW * p + 17, ts_program_processors[p]);
    for (uint32_t i = 0; i < run->span_count; i++) {
        const struct ts_launch_span *s = &run->spans[i];
        const struct ts_launch_zone *zone = &run->zones[s->zone];
        double inset = 3.0 * (s->depth < 4 ? s->depth : 4), w = (double)(s->end - s->start) * scale;
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>",
                LEFT + (double)(s->start - run->first) * scale, 6 + ROW * zone->processor + inset,
                w < 0.5 ? 0.5 : w, 24 - 2 * inset, color(run, s));
        ts_html_text(file, zone->name);
        fprintf(file, ": cycle %llu to %llu</title></rect>\n", (unsigned long long)s->start,
                (unsigned long long)s->end);
    }
    fprintf(file,
            "<text x=\"%.0f\" y=\"%.0f\">%llu</text><text x=\"%.0f\" y=\"%.0f\" "
            "text-anchor=\"end\">cycle %llu</text>",
            LEFT, height - 8, (unsigned long long)run->first, width, height - 8,
            (unsigned long long)run->last);
    ts_figure_end(file, false);
}

void ts_report_zone_table(const struct ts_program_run *run, FILE *file)
{
    fputs("<h2>Zones of all cores, in cycles</h2>\n", file);
    ts_table_begin(file, "counts",
                   (const char *const[]){"zone", "on", "times", "mean", "least", "most", NULL});
    for (unsigned p = 0; p < TS_ON; p++)
        for (uint32_t i = 0; i < run->zone_count; i++) {
            const struct ts_launch_zone *z = &run->zones[i];
            if (z->processor != p)
                continue;
            fputs("<tr><td>", file);
            ts_html_text(file, z->name);
            fprintf(file,
                    "</td><td>%s</td><td>%llu</td><td>%.1f</td><td>%llu</td><td>%llu</td></tr>\n",
                    ts_program_processors[p], (unsigned long long)z->count,
                    (double)z->sum / (double)z->count, (unsigned long long)z->least,
                    (unsigned long long)z->most);
        }
    ts_table_end(file);
}
