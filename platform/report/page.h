// An HTML page that opens from disk: no external script, style or image.
//
// Style and script are page.css and page.js, which the build turns into arrays (embed.cmake).
#ifndef TENSIM_REPORT_PAGE_H
#define TENSIM_REPORT_PAGE_H

#include <stdio.h>

extern const char ts_page_css[], ts_page_js[];

// Text with <, >, & and " escaped.
void ts_html_text(FILE *file, const char *text);
// The start of every page: title, style, heading; and its end, with the script.
void ts_page_begin(FILE *file, const char *title);
void ts_page_end(FILE *file);

// A table that scrolls if it is wider than the window. `class` selects the text columns (page.css);
// heads ends with NULL.
void ts_table_begin(FILE *file, const char *class, const char *const *heads);
void ts_table_end(FILE *file);

#endif
