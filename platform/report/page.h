// An HTML page that opens from disk: no external script, style or image.
//
// A page is a document: its title, the answer in a sentence, the command that made it, and sections. A section is a
// component with its data; page.js draws it, with Chart.js for plots. So a page in C says what there is to see, and how
// things look is decided in one place. Components and their fields:
//   cards    cards: [[value, name, hint], ...]
//   text     text, pre (as it is), class
//   table    heads, rows, text (columns with words, or true), marked (rows), hints (of heads), upright (from column)
//   plot     x, y: {name, log, zero}; series: [{name, line, bare, dashed, color, points: [[x, y, label], ...]}, ...]
//   bars     rows: [{name, parts: [[name, value], ...]}, ...], unit, high
//   waterfall  steps: [[name, percent, color, text], ...], reached: from 100 % down
//   columns  names, values, x, y
//   lanes    from, to, rows: [{name, parts: [[from, to, what, shade, label], ...]}, ...]
//   levels   from, to, bin, rows: [{name, low: [...], high: [...]} or {name, points: [[cycle, value], ...]}, ...]
//   heat     columns, names, sheets: [{name, unit, high, frames: [[values], ...]}, ...], times
//   graph    nodes, path, kind: who waits for whom
//   fold, plots  sections of their own: folded, or in two columns where there is room
//   search   label, hint, only: opens folds and hides rows
#ifndef TENSIM_REPORT_PAGE_H
#define TENSIM_REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

// The files of this folder and Chart.js, which the build turns into arrays (embed.cmake).
extern const char ts_page_css[], ts_page_js[];

// A new page; answer and command may be NULL. The caller owns it until ts_page_write.
json_t *ts_page_new(const char *title, const char *answer, const char *command);
// Adds a section; takes the reference to `fields` (an object), and gives the section back, which the page owns. title may be
// NULL.
json_t *ts_page_add(json_t *page, const char *component, const char *title, json_t *fields);
// A section for other sections: "fold" or "plots".
json_t *ts_page_part(json_t *page, const char *component, const char *title);
// Writes the page and frees it.
void ts_page_write(json_t *page, FILE *file);

// A command line, as a shell takes it; argv[0] is the program and its command. Freed by the caller.
char *ts_page_command(int argc, char *const *argv);

#endif
