// The chip over time, for the map of a page (drawing.h, periods.h): the cycles of every object that the map shows, by path.
// views/chip.js reads the paths.
#include "platform/report/drawing.h"

// Parts of a tile, of the network around it, of DRAM; of threads the map shows waits.
static const struct {
    const char *part;
    enum ts_periods_what what;
} mapped[] = {
    {"matrix", TS_PERIODS_BUSY},     {"vector", TS_PERIODS_BUSY},   {"t0", TS_PERIODS_WAITS},
    {"t1", TS_PERIODS_WAITS},        {"t2", TS_PERIODS_WAITS},      {"unpack0", TS_PERIODS_BUSY},
    {"pack", TS_PERIODS_BUSY},       {"link_x0", TS_PERIODS_BUSY},  {"link_y0", TS_PERIODS_BUSY},
    {"link_x1", TS_PERIODS_BUSY},    {"link_y1", TS_PERIODS_BUSY},  {"link_up0", TS_PERIODS_BUSY},
    {"link_down0", TS_PERIODS_BUSY}, {"link_up1", TS_PERIODS_BUSY}, {"link_down1", TS_PERIODS_BUSY},
    {"channel", TS_PERIODS_BUSY},
};

// The map of a system's run is of its first chip; drawing_system.c has all of them.
static const char *path_of(const struct ts_object *object)
{
    if (strncmp(object->path, "chip", 4) != 0)
        return object->path;
    return strncmp(object->path, "chip0/", 6) == 0 ? object->path + 6 : NULL;
}

// "tile[1-2].link_x0", "dram[3].link_x0[0-5]", "dram[3].channel": the part behind the first dot.
enum ts_periods_what ts_drawing_mapped(const struct ts_object *object)
{
    const char *part = strstr(object->path, "].");
    if (path_of(object) == NULL)
        return TS_PERIODS_NOTHING;
    size_t length = part ? strcspn(part + 2, "[") : 0;
    for (size_t i = 0; part && i < sizeof mapped / sizeof *mapped; i++)
        if (strlen(mapped[i].part) == length && strncmp(mapped[i].part, part + 2, length) == 0)
            return mapped[i].what;
    return TS_PERIODS_NOTHING;
}

// Zeros at the end are left out: most links of a chip do nothing most of the time.
json_t *ts_drawing_cycles(const uint64_t *cycles, uint32_t count)
{
    json_t *values = json_array();
    while (count > 0 && cycles[count - 1] == 0)
        count--;
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(values, json_integer((json_int_t)cycles[i]));
    return values;
}

json_t *ts_drawing_chip(const struct ts_periods *periods, ts_cycle span, ts_cycle window)
{
    json_t *rows = json_object();
    uint32_t count = ts_periods_count(periods, span);
    for (size_t i = 0; i < periods->count; i++) {
        const struct ts_periods_row *row = &periods->rows[i];
        if (ts_drawing_mapped(row->object) != TS_PERIODS_NOTHING)
            json_object_set_new(rows, path_of(row->object), ts_drawing_cycles(row->cycles, count));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "bin", (json_int_t)periods->bin, "span",
                     (json_int_t)span, "window", (json_int_t)window, "rows", rows);
}
