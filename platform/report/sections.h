// Sections of a page that C makes itself (page.h has the components).
#ifndef TENSIM_REPORT_SECTIONS_H
#define TENSIM_REPORT_SECTIONS_H

#include <jansson.h>

// A new page; answer may be NULL. The caller owns it.
json_t *ts_page_new(const char *title, const char *answer);
// Adds a section; takes the reference to `fields` (an object), and gives the section back, which the page owns. title may be
// NULL.
json_t *ts_page_add(json_t *page, const char *component, const char *title, json_t *fields);
// A section for other sections: "fold" or "plots".
json_t *ts_page_part(json_t *page, const char *component, const char *title);

#endif
