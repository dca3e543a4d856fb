// The lints of a run as a table, the most harmful first (explain/hang.h has the list).
#include "platform/report/report.h"
#include "platform/report/sections.h"

#include <stdio.h>

static const char *text_of(const json_t *lint, const char *key)
{
    const char *text = json_string_value(json_object_get(lint, key));
    return text ? text : "";
}

// "1-2, trisc1, cycle 434, in f (a.c:3)".
static void where(const json_t *lint, char *text, size_t size)
{
    const char *core = text_of(lint, "core"), *place = text_of(lint, "place");
    snprintf(text, size, "%s, %s, cycle %lld%s%s", text_of(lint, "tile"),
             core[0] ? core : text_of(lint, "by"),
             (long long)json_integer_value(json_object_get(lint, "cycle")), place[0] ? ", " : "",
             place);
}

void ts_report_lints(const json_t *lints, json_t *page)
{
    size_t i;
    const json_t *lint;
    json_t *rows = json_array();
    json_array_foreach(lints, i, lint)
    {
        char place[320];
        where(lint, place, sizeof place);
        json_array_append_new(rows, json_pack("[s, s, s, s, s, s]", text_of(lint, "name"),
                                              text_of(lint, "harm"), text_of(lint, "lint"), place,
                                              text_of(lint, "first"), text_of(lint, "remedy")));
    }
    ts_page_add(page, "table", "Lints: what hardware does not forgive",
                json_pack("{s:[s, s, s, s, s, s], s:o, s:[i, i, i, i, i, i]}", "heads", "lint",
                          "harm", "what is wrong", "first", "detail", "what to do", "rows", rows,
                          "text", 0, 1, 2, 3, 4, 5));
}
