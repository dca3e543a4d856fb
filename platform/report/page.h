// An HTML page that opens from disk: no external script, style or image.
//
// A page is a result's JSON document inside a skeleton with style and scripts. The view of its schema (views/NAME.js of
// "tensim.NAME") says what there is to see: the title, the answer in a sentence, and sections. A section is a component
// with its data; page.js draws it, with Chart.js for plots. So how things look is decided in one place, and a page can be
// made again of the files of an old run. Components and their fields:
//   cards    cards: [[value, name, hint], ...]
//   text     text, pre (as it is), class
//   table    heads, rows, text (columns with words, or true), marked (rows), hints (of heads), upright (from column), links (of rows)
//   plot     x, y: {name, log, zero}; series: [{name, line, bare, dashed, color, points: [[x, y, label], ...]}, ...]
//   bars     rows: [{name, parts: [[name, value], ...]}, ...], unit, high
//   waterfall  steps: [[name, percent, color, text], ...], reached: from 100 % down
//   columns  names, values, x, y
//   source   pieces: [[number, text, ...], ...], lines, percent: a source with its cycles (views/run_lines.js)
//   lanes    from, to, bytes (addresses), legend, rows: [{name, parts: [[from, to, what, shade, label], ...]}, ...]
//   levels   from, to, bin, rows: [{name, low: [...], high: [...]} or {name, points: [[cycle, value], ...]}, ...]
//   network  columns, names, links: [{from, to, lane, name, down}, ...], sheets: [{name, chips: [[values], ...]}, ...], busy, times
//   heat     columns, names, sheets: [{name, unit, high, frames: [[values], ...]}, ...], times, tiles (that cells choose)
//   chooser  tiles: [{name, text}, ...], marked, from, bin, count, end: which tile, which part of the time (choice.js)
//   chosen   sections: of a choice; drawn again for each
//   graph    nodes, path, kind: who waits for whom
//   fold, plots  sections of their own: folded, or in two columns where there is room
//   search   label, hint, only: opens folds and hides rows
#pragma once

#include "platform/base/std.h"

#include <jansson.h>

// The files of this folder and Chart.js, which the build turns into arrays (embed.cmake).
extern const char ts_page_css[], ts_page_js[];

// The page of a document that names its schema. drawing: what only the page needs (drawing.json), or NULL; command: that
// made it, or NULL.
void ts_page_write(const json_t *document, const json_t *drawing, const char *command, FILE *file);
// The files of a run directory that become pages.
struct ts_page_file {
    const char *schema, *document, *page;
    bool drawn; // the page also needs drawing.json
};
extern const struct ts_page_file ts_page_files[]; // ends with a schema of NULL
// The row of a document; NULL: it has no page.
const struct ts_page_file *ts_page_file(const json_t *document);

// A command line, as a shell takes it; argv[0] is the program and its command. Freed by the caller.
char *ts_page_command(int argc, char *const *argv);
