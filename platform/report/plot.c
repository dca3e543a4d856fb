// SVG and HTML (plot.h).
#include "platform/report/plot.h"

#include <math.h>
#include <string.h>

#define WIDTH  640.0
#define HEIGHT 360.0
#define LEFT   64.0
#define RIGHT  16.0
#define TOP    16.0
#define BOTTOM 48.0

const char *ts_plot_color(size_t index)
{
    // Okabe and Ito's palette, then darker and lighter kin of it.
    static const char *const colors[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00",
                                         "#56b4e9", "#7f7f7f", "#b8a100", "#8a4f7d", "#004b76",
                                         "#9c6b00", "#00654a", "#8f3f00", "#a9d5f2", "#bfbfbf",
                                         "#5b3fa0", "#6dbf8b", "#e3b7cf", "#3d3d3d", "#c1440e"};
    return colors[index % (sizeof colors / sizeof *colors)];
}

void ts_html_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else
            fputc(*text, file);
    }
}

// Of every page: readable on a phone, in the dark, without anything from elsewhere.
static const char style[] =
    ":root{--ink:#1b1f24;--dim:#5b6570;--line:#d9dee3;--soft:#f5f7f9;--paper:#fff;--accent:#0072b2}"
    "\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8ea;--dim:#9aa4ae;--line:#343a41;--soft:#"
    "1f2329;--paper:#15181c;--accent:#56b4e9}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;margin:0 "
    "auto;max-width:1280px;padding:20px 24px "
    "48px;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}\n"
    "h1{font-size:1.45em;line-height:1.25;margin:.2em 0 .7em}\n"
    "h2{font-size:1.1em;margin:1.8em 0 .5em}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px}\n"
    ".cards div{background:var(--soft);border:1px solid var(--line);border-radius:8px;padding:10px "
    "14px}\n"
    ".cards "
    "b{display:block;font-size:1.45em;font-weight:650;line-height:1.2;color:var(--accent);font-"
    "variant-numeric:tabular-nums}\n"
    ".cards span{color:var(--dim);font-size:.87em}\n"
    ".evidence{margin:1em 0 1.4em}\n"
    ".plots{columns:2 520px;column-gap:16px}\n"
    "figure{margin:0 0 16px;break-inside:avoid;border:1px solid "
    "var(--line);border-radius:8px;padding:12px "
    "14px;min-width:0;background:var(--paper)}\n"
    "figcaption{font-weight:600;margin-bottom:8px}\n"
    "svg{width:100%;height:auto;display:block}\n"
    "svg text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:var(--ink)}\n"
    "svg text.dim{fill:var(--dim)}\n"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92em;min-width:"
    "100%}\n"
    "th{background:var(--soft);font-weight:600;position:sticky;top:0}\n"
    "th,td{padding:4px 10px;border-bottom:1px solid "
    "var(--line);text-align:right;white-space:nowrap}\n"
    "tr:last-child td{border-bottom:0}\n"
    "tbody tr:hover td{background:var(--soft)}\n"
    "th:first-child,td:first-child{text-align:left}\n"
    ".waits th:nth-child(-n+3),.waits td:nth-child(-n+3){text-align:left}\n"
    ".key{display:flex;flex-wrap:wrap;gap:4px "
    "14px;margin-top:8px;font-size:.87em;color:var(--dim)}\n"
    ".key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:5px}\n"
    "pre{overflow-x:auto;background:var(--soft);border:1px solid "
    "var(--line);border-radius:8px;padding:10px 12px;font:13px/1.45 "
    "ui-monospace,Menlo,Consolas,monospace;white-space:pre}\n"
    "details{margin:1em 0}summary{cursor:pointer;font-weight:600}\n"
    "@media(max-width:600px){body{padding:12px 12px 32px}svg "
    "text{font-size:19px}.cards{grid-template-columns:1fr 1fr}}\n";

void ts_html_begin(FILE *file, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<link rel=\"icon\" href=\"data:,\"><title>",
          file);
    ts_html_text(file, title);
    fputs("</title><style>\n", file);
    fputs(style, file);
    fputs("</style></head><body>\n<h1>", file);
    ts_html_text(file, title);
    fputs("</h1>\n", file);
}

void ts_html_end(FILE *file)
{
    fputs("</body></html>\n", file);
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

static void tick_x(FILE *file, const struct scale *x, double v)
{
    char text[32];
    double px = LEFT + at(x, v) * (WIDTH - LEFT - RIGHT);
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\" stroke=\"#8884\"/>"
            "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n",
            px, TOP, px, HEIGHT - BOTTOM, px, HEIGHT - BOTTOM + 16, tick_label(v, text));
}

static void tick_y(FILE *file, const struct scale *y, double v)
{
    char text[32];
    double py = HEIGHT - BOTTOM - at(y, v) * (HEIGHT - TOP - BOTTOM);
    fprintf(file,
            "<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" stroke=\"#8884\"/>"
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
    fputs("<figure><figcaption>", file);
    ts_html_text(file, plot->title);
    fprintf(file, "</figcaption><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" class=\"plot\">\n",
            WIDTH, HEIGHT);
    axis(file, &x, tick_x);
    axis(file, &y, tick_y);
    for (size_t s = 0; s < plot->count; s++) {
        const struct ts_plot_series *series = &plot->series[s];
        if (series->line) {
            // Every other line is dashed: two that coincide are both seen.
            fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
                    ts_plot_color(s), s % 2 ? " stroke-dasharray=\"7 5\"" : "");
            for (size_t i = 0; i < series->count; i++)
                if (isfinite(series->points[i].y) && !(y.log && series->points[i].y <= 0))
                    fprintf(file, "%.1f,%.1f ",
                            LEFT + at(&x, series->points[i].x) * (WIDTH - LEFT - RIGHT),
                            HEIGHT - BOTTOM -
                                at(&y, series->points[i].y) * (HEIGHT - TOP - BOTTOM));
            fputs("\"/>\n", file);
        }
        for (size_t i = 0; i < series->count; i++) {
            const struct ts_plot_point *point = &series->points[i];
            if (!isfinite(point->y) || (y.log && point->y <= 0))
                continue;
            fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>",
                    LEFT + at(&x, point->x) * (WIDTH - LEFT - RIGHT),
                    HEIGHT - BOTTOM - at(&y, point->y) * (HEIGHT - TOP - BOTTOM), ts_plot_color(s));
            ts_html_text(file, series->name);
            fprintf(file, ": %g, %g", point->x, point->y);
            if (point->label) {
                fputs(" ", file);
                ts_html_text(file, point->label);
            }
            fputs("</title></circle>\n", file);
        }
    }
    fprintf(file, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8);
    ts_html_text(file, plot->x_name);
    fprintf(file,
            "</text><text transform=\"rotate(-90)\" x=\"%.0f\" y=\"14\" text-anchor=\"middle\">",
            -(TOP + HEIGHT - BOTTOM) / 2);
    ts_html_text(file, plot->y_name);
    fputs("</text></svg><div class=\"key\">", file);
    for (size_t s = 0; s < plot->count; s++) {
        fprintf(file, "<span><i style=\"background:%s\"></i>", ts_plot_color(s));
        ts_html_text(file, plot->series[s].name);
        fputs("</span>", file);
    }
    fputs("</div></figure>\n", file);
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
            while (k < known &&
                   (strcmp(seen[k]->name, part->name) != 0 || seen[k]->color != part->color))
                k++;
            if (k < known || known == sizeof seen / sizeof *seen)
                continue;
            seen[known++] = part;
            fprintf(file, "<span><i style=\"background:%s\"></i>", ts_plot_color(part->color));
            ts_html_text(file, part->name);
            fputs("</span>", file);
        }
}

void ts_bars_write(FILE *file, const char *title, const struct ts_bar *bars, size_t count)
{
    // Names that are long stand above their bars.
    size_t longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = strlen(bars[i].name) > longest ? strlen(bars[i].name) : longest;
    bool above = longest > 12;
    double row = above ? 44 : 26, left = above ? 4 : 110, tall = row - (above ? 24 : 6);
    double height = row * (double)count + 8;
    fputs("<figure><figcaption>", file);
    ts_html_text(file, title);
    fprintf(file, "</figcaption><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" class=\"bars\">\n",
            WIDTH, height);
    for (size_t i = 0; i < count; i++) {
        double y = 4 + row * (double)i, x = left;
        fprintf(file, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"%s\">", above ? left : left - 6,
                y + 15, above ? "start" : "end");
        ts_html_text(file, bars[i].name);
        y += above ? 20 : 0;
        fprintf(
            file,
            "</text><rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"#8882\"/>\n",
            left, y, WIDTH - left - RIGHT, tall);
        for (size_t p = 0; p < 6 && bars[i].parts[p].name; p++) {
            const struct ts_bar_part *part = &bars[i].parts[p];
            double width = part->share * (WIDTH - left - RIGHT);
            fprintf(
                file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" fill=\"%s\"><title>", x,
                y, width, tall, ts_plot_color(part->color));
            ts_html_text(file, bars[i].name);
            fputs(": ", file);
            ts_html_text(file, part->name);
            fprintf(file, " %.1f %%</title></rect>\n", 100 * part->share);
            x += width;
        }
    }
    fputs("</svg><div class=\"key\">", file);
    write_bar_key(file, bars, count);
    fputs("</div></figure>\n", file);
}
