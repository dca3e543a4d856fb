// Sections of a page (sections.h).
#include "platform/report/sections.h"

json_t *ts_page_new(const char *title, const char *answer)
{
    return json_pack("{s:s, s:s, s:s*, s:[]}", "schema", "tensim.sections", "title", title,
                     "answer", answer, "sections");
}

json_t *ts_page_add(json_t *page, const char *component, const char *title, json_t *fields)
{
    json_object_set_new(fields, "component", json_string(component));
    if (title)
        json_object_set_new(fields, "title", json_string(title));
    json_array_append_new(json_object_get(page, "sections"), fields);
    return fields;
}

json_t *ts_page_part(json_t *page, const char *component, const char *title)
{
    return ts_page_add(page, component, title, json_pack("{s:[]}", "sections"));
}
