// The page of a NoC workload (report.h): its figures, the chip over time, networks and DRAM channels as tables.
#include "platform/report/page.h"
#include "platform/report/report.h"

#include <stdlib.h>
#include <string.h>

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

// The row with the largest value of a key; NULL: none is above 0.
static const json_t *largest(const json_t *rows, const char *key)
{
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (number_of(json_array_get(rows, i), key) > (best ? number_of(best, key) : 0))
            best = json_array_get(rows, i);
    return best;
}

static void answer_of(const json_t *document, char *text, size_t size)
{
    const json_t *noc = largest(json_object_get(document, "nocs"), "busiest_utilisation"),
                 *dram = largest(json_object_get(document, "dram"), "utilisation");
    double cycles = number_of(document, "cycles"), bytes = number_of(document, "bytes");
    int used = snprintf(
        text, size, "%.0f transfers, %.0f bytes in %.0f cycles: %.1f bytes a cycle.",
        number_of(document, "transfers"), bytes, cycles, bytes / (cycles > 0 ? cycles : 1));
    if (noc)
        used += snprintf(text + used, size - (size_t)used,
                         " The busiest link, %s of NoC %.0f, is busy in %.1f %% of them%s",
                         text_of(noc, "busiest_link"), number_of(noc, "noc"),
                         100 * number_of(noc, "busiest_utilisation"), dram ? "," : ".");
    if (dram)
        snprintf(text + used, size - (size_t)used, " the busiest DRAM channel, %.0f, in %.1f %%.",
                 number_of(dram, "channel"), 100 * number_of(dram, "utilisation"));
}

static void add_cards(const json_t *document, json_t *page)
{
    double cycles = number_of(document, "cycles"), bytes = number_of(document, "bytes"), moved = 0;
    json_t *cards = json_array();
    const json_t *nocs = json_object_get(document, "nocs"),
                 *dram = json_object_get(document, "dram");
    ts_report_card(cards, cycles, "cycles");
    ts_report_card(cards, bytes / (cycles > 0 ? cycles : 1), "bytes a cycle");
    if (json_object_get(document, "golden_cycles"))
        ts_report_card(cards, 100 * number_of(document, "error"), "%% off the golden %.0f cycles",
                       number_of(document, "golden_cycles"));
    for (size_t i = 0; i < json_array_size(nocs); i++) {
        const json_t *row = json_array_get(nocs, i);
        if (number_of(row, "packets_sent") > 0)
            ts_report_card(cards, 100 * number_of(row, "link_utilisation"),
                           "%% of the time: mean of the links of NoC %zu (most: %.1f)", i,
                           100 * number_of(row, "busiest_utilisation"));
    }
    for (size_t i = 0; i < json_array_size(dram); i++)
        moved += number_of(json_array_get(dram, i), "bytes_read") +
                 number_of(json_array_get(dram, i), "bytes_written");
    if (moved > 0)
        ts_report_card(cards, moved / (cycles > 0 ? cycles : 1), "bytes a cycle of DRAM");
    ts_page_add(page, "cards", NULL, json_pack("{s:o}", "cards", cards));
}

// A table with the keys of its rows as heads, in the order of the first row.
static void add_rows(json_t *page, const char *title, const json_t *from)
{
    json_t *heads = json_array(), *rows = json_array(), *text = json_array(), *value;
    const char *key;
    int column = 0;
    json_object_foreach(json_array_get(from, 0), key, value)
    {
        char head[32];
        snprintf(head, sizeof head, "%s", key);
        for (char *c = strchr(head, '_'); c; c = strchr(c, '_'))
            *c = ' ';
        json_array_append_new(heads, json_string(head));
        if (json_is_string(value))
            json_array_append_new(text, json_integer(column));
        column++;
    }
    for (size_t i = 0; i < json_array_size(from); i++) {
        json_t *row = json_array();
        json_object_foreach(json_array_get(from, i), key, value) json_array_append(row, value);
        json_array_append_new(rows, row);
    }
    ts_page_add(page, "table", title,
                json_pack("{s:o, s:o, s:o}", "heads", heads, "rows", rows, "text", text));
}

void ts_noc_page(const struct ts_noc_report *self, FILE *file)
{
    char title[256], answer[512], *command = ts_page_command(self->argc, self->argv);
    const char *slash = strrchr(self->workload, '/');
    snprintf(title, sizeof title, "tensim noc %.180s on %.40s", slash ? slash + 1 : self->workload,
             self->chip);
    answer_of(self->document, answer, sizeof answer);
    json_t *page = ts_page_new(title, answer, command);
    free(command);
    add_cards(self->document, page);
    if (self->periods)
        ts_report_map(self->periods, self->span, self->span, page);
    add_rows(page, "Networks", json_object_get(self->document, "nocs"));
    add_rows(page, "DRAM channels", json_object_get(self->document, "dram"));
    ts_page_write(page, file);
}
