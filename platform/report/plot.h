// Plots as SVG inside a page (page.h).
#ifndef TENSIM_REPORT_PLOT_H
#define TENSIM_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ts_plot_point {
    double x, y;
    const char *label; // shown when the pointer is over it; may be NULL
    bool named;        // the label is next to it
};

struct ts_plot_series {
    const char *name;
    const struct ts_plot_point *points;
    size_t count;
    bool line;         // else dots only
    const char *color; // NULL: the next of the palette
};

struct ts_plot {
    const char *title, *x_name, *y_name;
    const struct ts_plot_series *series;
    size_t count;
    bool log_y;
    bool from_zero; // y axis
    bool log_x;
    const char *class; // of page.css; may be NULL
};

// Frame, caption and drawing area of a plot, and their end. A key, if there is one, comes between:
// ts_figure_key, then its entries.
#define TS_FIGURE_WIDTH 640.0
void ts_figure_begin(FILE *file, const char *title, const char *class, double height);
void ts_figure_key(FILE *file);
void ts_key_entry(FILE *file, const char *color, const char *name);
void ts_figure_end(FILE *file, bool key);

void ts_plot_write(FILE *file, const struct ts_plot *plot);

// Rows of parts that add up to at most 1: name, then shares with names and colours.
struct ts_bar_part {
    const char *name;
    double share;
    const char *color;
};
struct ts_bar {
    const char *name;
    struct ts_bar_part parts[6];
};
void ts_bars_write(FILE *file, const char *title, const struct ts_bar *bars, size_t count);

// A colour that people with red-green colour blindness can distinguish from its neighbours.
const char *ts_color(size_t index);
// The colour of a stall reason, by its name: the same on every page (config/stall.def).
const char *ts_color_stall(const char *name);
#define TS_COLOR_BUSY "#009e73" // what works

#endif
