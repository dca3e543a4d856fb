// The map of the chip on the page of a run over many tiles (report.h): one figure of every tile that ran.
#include "platform/report/page.h"
#include "platform/report/report.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 32 // more than a chip has columns or rows

struct map {
    const json_t *unit[SIDE][SIDE]; // by y and x; NULL: no tile ran there
    unsigned left, right, top, bottom;
};

// The part of each tile that has this name.
static void gather(struct map *self, const json_t *stats, const char *part)
{
    memset(self->unit, 0, sizeof self->unit);
    size_t index;
    json_t *unit;
    json_array_foreach(json_object_get(stats, "units"), index, unit)
    {
        const char *name = json_string_value(json_object_get(unit, "name"));
        unsigned x, y;
        int used = 0;
        if (name && sscanf(name, "tile[%u-%u].%n", &x, &y, &used) == 2 && used > 0 && x < SIDE &&
            y < SIDE && strcmp(name + used, part) == 0)
            self->unit[y][x] = unit;
    }
}

// The rectangle around the tiles that ran: only they have a matrix unit in the stats. False: none.
static bool find_edges(struct map *self, const json_t *stats)
{
    *self = (struct map){.left = SIDE, .top = SIDE};
    gather(self, stats, "matrix");
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            if (self->unit[y][x]) {
                self->left = x < self->left ? x : self->left;
                self->right = x > self->right ? x : self->right;
                self->top = y < self->top ? y : self->top;
                self->bottom = y;
            }
    return self->left < SIDE;
}

static double waited(const json_t *unit)
{
    double sum = 0;
    const char *why;
    json_t *cycles;
    json_object_foreach(json_object_get(unit, "stall"), why, cycles)
        sum += json_number_value(cycles);
    return sum;
}

// One value of every cell, in percent of the span; null where no tile ran.
static json_t *sheet(const struct map *map, const char *name, bool waits, double span)
{
    json_t *values = json_array();
    double high = 0;
    for (unsigned y = map->top; y <= map->bottom; y++)
        for (unsigned x = map->left; x <= map->right; x++) {
            const json_t *unit = map->unit[y][x];
            double cycles = waits ? waited(unit) : json_number_value(json_object_get(unit, "busy"));
            double share = 100 * cycles / span;
            high = unit && share > high ? share : high;
            json_array_append_new(values, unit ? json_real(share) : json_null());
        }
    return json_pack("{s:s, s:s, s:f, s:[o]}", "name", name, "unit", "%", "high",
                     high > 0 ? high : 1, "frames", values);
}

static json_t *names_of(const struct map *map)
{
    json_t *names = json_array();
    for (unsigned y = map->top; y <= map->bottom; y++)
        for (unsigned x = map->left; x <= map->right; x++)
            json_array_append_new(names, json_sprintf("%u-%u", x, y));
    return names;
}

void ts_report_map(const json_t *stats, ts_cycle span, json_t *page)
{
    static const struct {
        const char *part, *name;
        bool waits;
    } sheets[] = {{"matrix", "matrix unit busy", false},   {"t1", "math thread waits", true},
                  {"unpack0", "unpacker 0 busy", false},   {"pack", "packer busy", false},
                  {"niu0", "NoC 0 interface busy", false}, {"niu1", "NoC 1 interface busy", false}};
    struct map *map = malloc(sizeof *map);
    if (map && find_edges(map, stats)) {
        json_t *all = json_array();
        for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
            gather(map, stats, sheets[i].part);
            json_array_append_new(
                all, sheet(map, sheets[i].name, sheets[i].waits, (double)(span ? span : 1)));
        }
        ts_page_add(page, "heat", "The chip: share of the whole run, by tile",
                    json_pack("{s:i, s:o, s:o, s:[s]}", "columns",
                              (int)(map->right - map->left + 1), "names", names_of(map), "sheets",
                              all, "times", "the whole run"));
    }
    free(map);
}
