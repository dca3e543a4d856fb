// SVG (plot.h).
#include "platform/report/plot.h"

#include "platform/kernel/stall.h"
#include "platform/report/page.h"

#include <math.h>
#include <string.h>

#define WIDTH  TS_FIGURE_WIDTH
#define HEIGHT 360.0
#define LEFT   72.0
#define RIGHT  16.0
#define TOP    16.0
#define BOTTOM 48.0

const char *ts_color(size_t index)
{
    // Okabe and Ito's palette, then darker and lighter variants of it.
    static const char *const colors[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00",
                                         "#56b4e9", "#7f7f7f", "#b8a100", "#8a4f7d", "#004b76",
                                         "#9c6b00", "#00654a", "#8f3f00", "#a9d5f2", "#bfbfbf",
                                         "#5b3fa0", "#6dbf8b", "#e3b7cf", "#3d3d3d", "#c1440e"};
    return colors[index % (sizeof colors / sizeof *colors)];
}

const char *ts_color_stall(const char *name)
{
    static const char *const colors[TS_STALL_COUNT] = {
#define TS_STALL(id, name, text, color) color,
#include "config/stall.def"
#undef TS_STALL
    };
    int reason = 0;
    while (reason < TS_STALL_COUNT - 1 && strcmp(ts_stall_name((enum ts_stall)reason), name) != 0)
        reason++;
    return colors[reason];
}

void ts_figure_begin(FILE *file, const char *title, const char *class, double height)
{
    fputs("<figure><figcaption>", file);
    ts_html_text(file, title);
    fprintf(file, "</figcaption><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" class=\"%s\">\n", WIDTH,
            height, class);
}

void ts_figure_key(FILE *file)
{
    fputs("</svg><div class=\"key\">", file);
}

void ts_key_entry(FILE *file, const char *color, const char *name)
{
    fprintf(file, "<span><i style=\"background:%s\"></i>", color);
    ts_html_text(file, name);
    fputs("</span>", file);
}

void ts_figure_end(FILE *file, bool key)
{
    fprintf(file, "</%s></figure>\n", key ? "div" : "svg");
}

struct scale {
    double low, high;
    bool log;
};

static double at(const struct scale *scale, double value)
{
    double low = scale->low, high = scale->high;
    if (scale->log) {
        low = log10(low);
        high = log10(high);
        value = log10(value);
    }
    return (value - low) / (high - low);
}

static void include(struct scale *scale, double value, bool *first)
{
    if (!isfinite(value) || (scale->log && value <= 0))
        return;
    if (*first || value < scale->low)
        scale->low = value;
    if (*first || value > scale->high)
        scale->high = value;
    *first = false;
}

// A step of 1, 2 or 5 times a power of ten that gives about five.
static double step_of(double span)
{
    double raw = span / 5, power = pow(10, floor(log10(raw))), rest = raw / power;
    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

// 1000 is 1k: the decades of a log axis stay short.
static const char *tick_label(double v, char text[32])
{
    double unit = fabs(v) >= 1e6 ? 1e6 : fabs(v) >= 1e3 ? 1e3 : 1;
    snprintf(text, 32, "%g%s", v / unit, unit == 1e6 ? "M" : unit == 1e3 ? "k" : "");
    return text;
}

static double plot_x(const struct scale *x, double v)
{
    return LEFT + at(x, v) * (WIDTH - LEFT - RIGHT);
}

static double plot_y(const struct scale *y, double v)
{
    return HEIGHT - BOTTOM - at(y, v) * (HEIGHT - TOP - BOTTOM);
}

static void tick_x(FILE *file, const struct scale *x, double v)
{
    char text[32];
    double px = plot_x(x, v);
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\" class=\"grid\"/>"
            "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n",
            px, TOP, px, HEIGHT - BOTTOM, px, HEIGHT - BOTTOM + 16, tick_label(v, text));
}

static void tick_y(FILE *file, const struct scale *y, double v)
{
    char text[32];
    double py = plot_y(y, v);
    fprintf(file,
            "<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" class=\"grid\"/>"
            "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            LEFT, py, WIDTH - RIGHT, py, LEFT - 6, py + 4, tick_label(v, text));
}

static void axis(FILE *file, const struct scale *scale,
                 void (*tick)(FILE *file, const struct scale *scale, double v))
{
    if (scale->log) {
        for (double e = floor(log10(scale->low)); e <= ceil(log10(scale->high)); e++)
            if (pow(10, e) >= scale->low * 0.999 && pow(10, e) <= scale->high * 1.001)
                tick(file, scale, pow(10, e));
        return;
    }
    double step = step_of(scale->high - scale->low);
    for (double v = ceil(scale->low / step) * step; v <= scale->high + step / 1000; v += step)
        tick(file, scale, fabs(v) < step / 1000 ? 0 : v);
}

static void widen(struct scale *scale, bool from_zero, bool empty)
{
    if (empty)
        *scale = (struct scale){0, 1, false};
    if (scale->log) {
        scale->low = pow(10, floor(log10(scale->low)));
        scale->high = pow(10, ceil(log10(scale->high) + 1e-9));
        if (scale->low == scale->high)
            scale->high *= 10;
        return;
    }
    if (from_zero && scale->low > 0)
        scale->low = 0;
    double span = scale->high - scale->low;
    if (span <= 0)
        span = fabs(scale->high) > 0 ? fabs(scale->high) : 1;
    scale->high += 0.05 * span;
    if (!from_zero || scale->low != 0)
        scale->low -= 0.05 * span;
}

static const char *series_color(const struct ts_plot_series *series, size_t index)
{
    return series->color ? series->color : ts_color(index);
}

static bool shown(const struct scale *y, const struct ts_plot_point *point)
{
    return isfinite(point->y) && !(y->log && point->y <= 0);
}

static void write_point(FILE *file, const struct ts_plot_series *series,
                        const struct ts_plot_point *point, const char *color, double x, double y)
{
    fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>", x, y, color);
    ts_html_text(file, series->name);
    fprintf(file, ": %g, %g", point->x, point->y);
    if (point->label) {
        fputs(" ", file);
        ts_html_text(file, point->label);
    }
    fputs("</title></circle>\n", file);
    if (!point->named)
        return;
    // On the side that has room.
    bool right = x < (LEFT + WIDTH - RIGHT) / 2;
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", right ? x + 8 : x - 8, y + 20,
            right ? "start" : "end");
    ts_html_text(file, point->label);
    fputs("</text>\n", file);
}

static void write_series(FILE *file, const struct ts_plot_series *series, size_t index,
                         const struct scale *x, const struct scale *y)
{
    const char *color = series_color(series, index);
    if (series->line) {
        // Every other line is dashed: two that coincide are both visible.
        fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", color,
                index % 2 ? " stroke-dasharray=\"7 5\"" : "");
        for (size_t i = 0; i < series->count; i++)
            if (shown(y, &series->points[i]))
                fprintf(file, "%.1f,%.1f ", plot_x(x, series->points[i].x),
                        plot_y(y, series->points[i].y));
        fputs("\"/>\n", file);
    }
    for (size_t i = 0; i < series->count; i++)
        if (shown(y, &series->points[i]))
            write_point(file, series, &series->points[i], color, plot_x(x, series->points[i].x),
                        plot_y(y, series->points[i].y));
}

void ts_plot_write(FILE *file, const struct ts_plot *plot)
{
    struct scale x = {.log = plot->log_x}, y = {.log = plot->log_y};
    bool first_x = true, first_y = true;
    for (size_t s = 0; s < plot->count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++) {
            include(&x, plot->series[s].points[i].x, &first_x);
            include(&y, plot->series[s].points[i].y, &first_y);
        }
    widen(&x, false, first_x);
    widen(&y, plot->from_zero, first_y);
    ts_figure_begin(file, plot->title, plot->class ? plot->class : "plot", HEIGHT);
    axis(file, &x, tick_x);
    axis(file, &y, tick_y);
    for (size_t s = 0; s < plot->count; s++)
        write_series(file, &plot->series[s], s, &x, &y);
    fprintf(file, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8);
    ts_html_text(file, plot->x_name);
    fprintf(file,
            "</text><text transform=\"rotate(-90)\" x=\"%.0f\" y=\"20\" text-anchor=\"middle\">",
            -(TOP + HEIGHT - BOTTOM) / 2);
    ts_html_text(file, plot->y_name);
    fputs("</text>", file);
    ts_figure_key(file);
    for (size_t s = 0; s < plot->count; s++)
        ts_key_entry(file, series_color(&plot->series[s], s), plot->series[s].name);
    ts_figure_end(file, true);
}

// Every name and colour that occurs, once.
static void write_bar_key(FILE *file, const struct ts_bar *bars, size_t count)
{
    const struct ts_bar_part *seen[48];
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < 6 && bars[i].parts[p].name; p++) {
            const struct ts_bar_part *part = &bars[i].parts[p];
            size_t k = 0;
            while (k < known && strcmp(seen[k]->name, part->name) != 0)
                k++;
            if (k < known || known == sizeof seen / sizeof *seen)
                continue;
            seen[known++] = part;
            ts_key_entry(file, part->color, part->name);
        }
}

void ts_bars_write(FILE *file, const char *title, const struct ts_bar *bars, size_t count)
{
    // Long names are above their bars.
    size_t longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = strlen(bars[i].name) > longest ? strlen(bars[i].name) : longest;
    bool above = longest > 12;
    double row = above ? 44 : 26, left = above ? 4 : 110, tall = row - (above ? 24 : 6);
    double height = row * (double)count + 8;
    ts_figure_begin(file, title, "bars", height);
    for (size_t i = 0; i < count; i++) {
        double y = 4 + row * (double)i, x = left;
        fprintf(file, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"%s\">", above ? left : left - 6,
                y + 15, above ? "start" : "end");
        ts_html_text(file, bars[i].name);
        y += above ? 20 : 0;
        fprintf(
            file,
            "</text><rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" class=\"track\"/>\n",
            left, y, WIDTH - left - RIGHT, tall);
        for (size_t p = 0; p < 6 && bars[i].parts[p].name; p++) {
            const struct ts_bar_part *part = &bars[i].parts[p];
            double width = part->share * (WIDTH - left - RIGHT);
            fprintf(
                file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"><title>", x,
                y, width, tall, part->color);
            ts_html_text(file, bars[i].name);
            fputs(": ", file);
            ts_html_text(file, part->name);
            fprintf(file, " %.1f %%</title></rect>\n", 100 * part->share);
            x += width;
        }
    }
    ts_figure_key(file);
    write_bar_key(file, bars, count);
    ts_figure_end(file, true);
}
