// The parts of a run's page that show time and waits (report.h, history.h).
#include "platform/report/page.h"
#include "platform/report/plot.h"
#include "platform/report/report.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH TS_FIGURE_WIDTH
#define LEFT  180.0 // room for names, also in the large type of narrow screens
#define RIGHT 12.0
#define WAITS 40

static const char *last_part(const struct ts_object *object)
{
    const char *dot = strrchr(object->path, '.');
    return dot ? dot + 1 : object->path;
}

static void row_name(FILE *file, const char *name, double y)
{
    fprintf(file, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, y);
    ts_html_text(file, name);
    fputs("</text>\n", file);
}

// A time axis below the rows.
static void end(FILE *file, const struct ts_history *record, double height)
{
    fprintf(file,
            "<text x=\"%.0f\" y=\"%.0f\">0</text><text x=\"%.0f\" y=\"%.0f\" "
            "text-anchor=\"end\">%llu cycles</text>\n",
            LEFT, height - 4, WIDTH - RIGHT, height - 4, (unsigned long long)record->end);
    ts_figure_end(file, false);
}

void ts_report_lanes(const struct ts_history *record, FILE *file)
{
    uint32_t bins = ts_history_bins(record), shown = 0;
    double row = 24, step = (WIDTH - LEFT - RIGHT) / bins;
    for (size_t i = 0; i < record->lane_count; i++)
        for (uint32_t b = 0; b < bins; b++)
            if (record->lanes[i].busy[b]) {
                shown++;
                break;
            }
    double height = row * shown + 30, y = 2;
    ts_figure_begin(file, "Cores and threads over time (full colour: busy all the time)", "lanes",
                    height);
    for (size_t i = 0; i < record->lane_count; i++) {
        const struct ts_history_lane *lane = &record->lanes[i];
        bool any = false;
        for (uint32_t b = 0; b < bins; b++)
            any |= lane->busy[b] != 0;
        if (!any)
            continue;
        row_name(file, last_part(lane->object), y + 16);
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" class=\"track\"/>\n",
                LEFT, y, WIDTH - LEFT - RIGHT, row - 5);
        for (uint32_t b = 0; b < bins;) {
            // Neighbours of the same shade are one rectangle.
            unsigned shade = (unsigned)(10 * lane->busy[b] / record->bin);
            uint32_t from = b;
            while (b < bins && (unsigned)(10 * lane->busy[b] / record->bin) == shade)
                b++;
            bool some = shade > 0 || lane->busy[from] > 0;
            if (some)
                fprintf(file,
                        "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" "
                        "fill=\"%s\" fill-opacity=\"%.2f\"><title>%s: about %u %% from cycle %llu "
                        "to %llu</title></rect>\n",
                        LEFT + step * from, y, step * (b - from) + 0.05, row - 5, ts_color(0),
                        0.1 + 0.09 * (shade > 10 ? 10 : shade), last_part(lane->object),
                        shade >= 10 ? 100 : 10 * shade, (unsigned long long)(from * record->bin),
                        (unsigned long long)(b * record->bin));
        }
        y += row;
    }
    end(file, record, height);
}

static const char *semaphore_name(const struct ts_object *object, char text[48])
{
    // As the guest's kernels use them.
    static const char *const uses[8] = {NULL,          "MATH_PACK", "UNPACK_TO_DEST", NULL, NULL,
                                        "UNPACK_SYNC", NULL,        "MATH_DONE"};
    const char *bracket = strrchr(object->path, '[');
    unsigned number = bracket ? (unsigned)strtoul(bracket + 1, NULL, 10) : 0;
    snprintf(text, 48, "%u %s", number, number < 8 && uses[number] ? uses[number] : "");
    return text;
}

void ts_report_semaphores(const struct ts_history *record, FILE *file)
{
    uint32_t bins = ts_history_bins(record);
    size_t shown = 0;
    for (size_t i = 0; i < record->level_count; i++)
        shown += record->levels[i].changes > 1;
    double row = 54, step = (WIDTH - LEFT - RIGHT) / bins, height = row * (double)shown + 30, y = 4;
    ts_figure_begin(file, "Semaphores over time: lowest and highest value", "semaphores", height);
    for (size_t i = 0; i < record->level_count; i++) {
        const struct ts_history_level *level = &record->levels[i];
        char name[48];
        if (level->changes <= 1) // set up and never used
            continue;
        unsigned top = 1;
        for (uint32_t b = 0; b < bins; b++)
            top = level->high[b] > top ? level->high[b] : top;
        double tall = row - 12, floor = y + tall;
        row_name(file, semaphore_name(level->object, name), y + 14);
        fprintf(file,
                "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\" class=\"dim\">%llu "
                "changes</text>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "class=\"track\"/>\n",
                LEFT - 6, y + 33, (unsigned long long)level->changes, LEFT, y, WIDTH - LEFT - RIGHT,
                tall);
        // The band between lowest and highest, with the lowest filled.
        for (int pass = 0; pass < 2; pass++) {
            const uint8_t *value = pass == 0 ? level->high : level->low;
            fprintf(file, "<path fill=\"%s\" fill-opacity=\"%s\" d=\"M%.1f,%.1f", TS_COLOR_BUSY,
                    pass == 0 ? "0.35" : "0.9", LEFT, floor);
            for (uint32_t b = 0; b < bins; b++)
                if (b == 0 || value[b] != value[b - 1])
                    fprintf(file, "H%.2fV%.1f", LEFT + step * b, floor - tall * value[b] / top);
            fprintf(file, "H%.2fV%.1fZ\"><title>semaphore %s: highest %u</title></path>\n",
                    WIDTH - RIGHT, floor, name, top);
        }
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" class=\"dim\">%u</text>\n", LEFT + 4, y + 15,
                top);
        y += row;
    }
    end(file, record, height);
}

void ts_report_waits(const struct ts_history *record, FILE *file)
{
    struct ts_history_wait waits[WAITS];
    size_t count = ts_history_waits(record, waits, WAITS), shown = 0;
    fputs("<h2>Who waits, why, and on what</h2>\n", file);
    ts_table_begin(file, "waits",
                   (const char *const[]){"who", "why", "on what", "cycles", "of the run", "times",
                                         "mean", NULL});
    for (size_t i = 0; i < count; i++) {
        const struct ts_history_wait *w = &waits[i];
        if (w->reason == TS_STALL_IDLE || w->cycles == 0)
            continue;
        fprintf(file, "<tr><td>%s</td><td title=\"", last_part(w->who));
        ts_html_text(file, ts_stall_text(w->reason));
        fprintf(file, "\">%s</td><td>", ts_stall_name(w->reason));
        ts_html_text(file, w->on ? last_part(w->on) : "");
        fprintf(file, "</td><td>%llu</td><td>%.1f %%</td><td>%llu</td><td>%.1f</td></tr>\n",
                (unsigned long long)w->cycles,
                100 * (double)w->cycles / (double)(record->end ? record->end : 1),
                (unsigned long long)w->times, (double)w->cycles / (double)w->times);
        shown++;
    }
    if (shown == 0)
        fputs("<tr><td colspan=\"7\">nobody</td></tr>\n", file);
    ts_table_end(file);
}
