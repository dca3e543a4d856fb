// What a program file's page shows besides a kernel's: the zones of its first core over time, and of all
// cores as a table.
#include "platform/report/report.h"
#include "platform/report/sections.h"
#include "platform/run/plan/launch.h"

void ts_report_zones(const struct ts_program_run *run, json_t *page)
{
    json_t *rows = json_array();
    for (unsigned p = 0; p < TS_ON; p++) {
        json_t *parts = json_array();
        for (uint32_t i = 0; i < run->span_count; i++) {
            const struct ts_launch_span *s = &run->spans[i];
            const struct ts_launch_zone *zone = &run->zones[s->zone];
            if (zone->processor == p)
                json_array_append_new(parts, json_pack("[I, I, s, f]", (json_int_t)s->start,
                                                       (json_int_t)s->end, zone->name,
                                                       s->depth == 0 ? 0.2 : 1.0));
        }
        json_array_append_new(
            rows, json_pack("{s:s, s:o}", "name", ts_program_processors[p], "parts", parts));
    }
    char title[96] = "Zones of the first core, without boot";
    if (run->spans_left_out)
        snprintf(title, sizeof title,
                 "The first %u zones of the first core, without boot; %llu more are not shown",
                 run->span_count, (unsigned long long)run->spans_left_out);
    ts_page_add(page, "lanes", title,
                json_pack("{s:I, s:I, s:o}", "from", (json_int_t)run->first, "to",
                          (json_int_t)run->last, "rows", rows));
}

void ts_report_zone_table(const struct ts_program_run *run, json_t *page)
{
    json_t *rows = json_array();
    for (unsigned p = 0; p < TS_ON; p++)
        for (uint32_t i = 0; i < run->zone_count; i++) {
            const struct ts_launch_zone *z = &run->zones[i];
            if (z->processor == p)
                json_array_append_new(
                    rows, json_pack("[s, s, I, f, I, I]", z->name, ts_program_processors[p],
                                    (json_int_t)z->count, (double)z->sum / (double)z->count,
                                    (json_int_t)z->least, (json_int_t)z->most));
        }
    ts_page_add(page, "table", "Zones of all cores, in cycles",
                json_pack("{s:[s, s, s, s, s, s], s:o, s:[i, i]}", "heads", "zone", "on", "times",
                          "mean", "least", "most", "rows", rows, "text", 0, 1));
}
