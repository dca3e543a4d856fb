// Where the limiting unit's cycles went, and what would make the run faster: sections of the page of
// a run, from its document (report.h).
#include "platform/report/report.h"
#include "platform/report/sections.h"

#include <string.h>

#define SHOWN 10 // bars; smaller losses stand together

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : "";
}

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static void add_waterfall(const json_t *document, json_t *page)
{
    json_t *loss = json_object_get(document, "loss"), *row, *steps = json_array();
    double reached = number_of(document, "reached"), rest = 100 - reached;
    const char *peak = "every cycle";
    size_t index;
    json_array_foreach(loss, index, row) // repeated products: not the peak at the run's fidelity
        peak = strcmp(text_of(row, "cause"), "fidelity") == 0 ? "the LoFi peak" : peak;
    json_array_foreach(loss, index, row)
    {
        if (index >= SHOWN && json_array_size(loss) > SHOWN + 1)
            break;
        char name[96];
        snprintf(name, sizeof name, "%s: %s", text_of(row, "cause"), text_of(row, "object"));
        double percent = number_of(row, "percent");
        json_array_append_new(steps, json_pack("[s, f, s, s]", name, percent, text_of(row, "color"),
                                               text_of(row, "text")));
        rest -= percent;
    }
    if (index < json_array_size(loss))
        json_array_append_new(steps, json_pack("[s, f, s, s]", "all others", rest, "#bfbfbf",
                                               "smaller losses: see the table"));
    char title[96];
    snprintf(title, sizeof title, "From %s to %.1f %%: where the cycles of %s went", peak, reached,
             text_of(document, "loss_unit"));
    ts_page_add(page, "waterfall", title,
                json_pack("{s:o, s:f, s:s}", "steps", steps, "reached", reached, "peak", peak));
}

static void add_table(const json_t *document, json_t *page)
{
    json_t *row, *rows = json_array();
    size_t index;
    json_array_foreach(json_object_get(document, "loss"), index, row) json_array_append_new(
        rows, json_pack("[s, s, f, f, s]", text_of(row, "cause"), text_of(row, "object"),
                        number_of(row, "percent"), number_of(row, "cycles"), text_of(row, "text")));
    json_t *fold = ts_page_part(page, "fold", "Every loss");
    ts_page_add(fold, "table", NULL,
                json_pack("{s:[s, s, s, s, s], s:o, s:[i, i, i]}", "heads", "cause", "object", "%",
                          "cycles", "what happens", "rows", rows, "text", 0, 1, 4));
}

static void add_why(const json_t *document, json_t *page)
{
    json_t *why = json_object_get(document, "why"), *advice = json_object_get(document, "advice");
    json_t *row, *rows = json_array(), *tips = json_array();
    size_t index;
    json_array_foreach(why, index, row) json_array_append_new(
        rows, json_pack("[s, f, I, s, s]", text_of(row, "text"), number_of(row, "gain_percent"),
                        (json_int_t)number_of(row, "cycles"), text_of(row, "option"),
                        text_of(row, "next")));
    json_array_foreach(advice, index, row) json_array_append_new(
        tips, json_pack("[s, f, s, I, s]", text_of(row, "text"), number_of(row, "gain_percent"),
                        json_is_true(json_object_get(row, "at_most")) ? "at most" : "",
                        (json_int_t)number_of(row, "cycles"), text_of(row, "option")));
    ts_page_add(page, "table", "What if a resource were free",
                json_pack("{s:[s, s, s, s, s], s:o, s:[i, i, i]}", "heads", "resource", "gain, %",
                          "cycles", "repeat with", "the largest loss then", "rows", rows, "text", 0,
                          3, 4));
    if (json_array_size(tips))
        ts_page_add(page, "table", "Advice, each with the gain that a run shows",
                    json_pack("{s:[s, s, s, s, s], s:O, s:[i, i, i]}", "heads", "what", "gain, %",
                              "", "cycles", "option", "rows", tips, "text", 0, 2, 4));
    json_decref(tips);
}

void ts_report_loss(const json_t *document, json_t *page)
{
    if (json_object_get(document, "loss") == NULL)
        return;
    add_waterfall(document, page);
    add_table(document, page);
    if (json_object_get(document, "why"))
        add_why(document, page);
}
