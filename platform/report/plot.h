// Plots as SVG inside an HTML page that opens from disk: no script from elsewhere, no image files.
#ifndef TENSIM_REPORT_PLOT_H
#define TENSIM_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ts_plot_point {
    double x, y;
    const char *label; // shown when the pointer is over it; may be NULL
};

struct ts_plot_series {
    const char *name;
    const struct ts_plot_point *points;
    size_t count;
    bool line; // else dots only
};

struct ts_plot {
    const char *title, *x_name, *y_name;
    const struct ts_plot_series *series;
    size_t count;
    bool log_y;
    bool from_zero; // y axis
    bool log_x;
};

// Text with <, > and & escaped.
void ts_html_text(FILE *file, const char *text);
// Head of a page, with its style; and its end.
void ts_html_begin(FILE *file, const char *title);
void ts_html_end(FILE *file);
void ts_plot_write(FILE *file, const struct ts_plot *plot);

// Rows of parts that add up to at most 1: name, then shares with names and colours by index.
struct ts_bar_part {
    const char *name;
    double share;
    unsigned color;
};
struct ts_bar {
    const char *name;
    struct ts_bar_part parts[6];
};
void ts_bars_write(FILE *file, const char *title, const struct ts_bar *bars, size_t count);

// A colour that is told from its neighbours by people who do not see red and green alike.
const char *ts_plot_color(size_t index);

#endif
