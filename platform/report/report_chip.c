// The chip on the page of a run over many tiles or of a NoC workload (report.h): a map with a figure of
// every place, over the run or in a part of it, and the same figures of the whole chip over time.
#include "platform/kernel/kernel.h"
#include "platform/report/report.h"
#include "platform/report/sections.h"
#include "platform/run/work.h"

#include <stdlib.h>
#include <string.h>

#define SIDE 32 // more than a chip has columns or rows

// What the map shows, by the last part of an object's path.
static const struct sheet {
    const char *part, *name;
    enum ts_periods_what what;
} sheets[] = {
    {"matrix", "matrix unit busy", TS_PERIODS_BUSY},
    {"vector", "vector unit busy", TS_PERIODS_BUSY},
    {"t1", "math thread stalls", TS_PERIODS_WAITS},
    {"t0", "unpack thread stalls", TS_PERIODS_WAITS},
    {"t2", "pack thread stalls", TS_PERIODS_WAITS},
    {"unpack0", "unpacker 0 busy", TS_PERIODS_BUSY},
    {"pack", "packer busy", TS_PERIODS_BUSY},
    {"link_x0", "NoC 0: links to the right", TS_PERIODS_BUSY},
    {"link_y0", "NoC 0: links down", TS_PERIODS_BUSY},
    {"link_x1", "NoC 1: links to the left", TS_PERIODS_BUSY},
    {"link_y1", "NoC 1: links up", TS_PERIODS_BUSY},
    {"link_up0", "NoC 0: tile sends", TS_PERIODS_BUSY},
    {"link_down0", "NoC 0: tile receives", TS_PERIODS_BUSY},
    {"link_up1", "NoC 1: tile sends", TS_PERIODS_BUSY},
    {"link_down1", "NoC 1: tile receives", TS_PERIODS_BUSY},
    {"channel", "DRAM channels busy", TS_PERIODS_BUSY},
};
enum { SHEETS = sizeof sheets / sizeof *sheets };

// ---- places

struct place {
    char part[24];
    unsigned x, y;
    int channel; // of DRAM; -1: none
    bool known;  // x and y: a channel has three places
};

// "tile[1-2].link_x0", "dram[3].link_x0[0-5]", "dram[3].channel".
static bool place_of(const char *path, struct place *self)
{
    unsigned channel;
    int end = 0;
    *self = (struct place){.channel = -1};
    if (sscanf(path, "%*[a-z][%u-%u].%n", &self->x, &self->y, &end) == 2 && end > 0) {
        self->known = true;
        snprintf(self->part, sizeof self->part, "%s", path + end);
    } else if (sscanf(path, "dram[%u].%23[a-z0-9_]%n", &channel, self->part, &end) == 2) {
        self->channel = (int)channel;
        self->known = sscanf(path + end, "[%u-%u]", &self->x, &self->y) == 2;
    } else {
        return false;
    }
    return self->x < SIDE && self->y < SIDE;
}

static const struct sheet *sheet_of(const struct place *place)
{
    for (size_t i = 0; i < SHEETS; i++)
        if (strcmp(sheets[i].part, place->part) == 0)
            return &sheets[i];
    return NULL;
}

enum ts_periods_what ts_report_mapped(const struct ts_object *object)
{
    struct place place;
    const struct sheet *sheet = place_of(object->path, &place) ? sheet_of(&place) : NULL;
    return sheet ? sheet->what : TS_PERIODS_NOTHING;
}

// ---- the map

struct map {
    const struct ts_periods *periods;
    ts_cycle span;
    ts_cycle window; // cycles of the kernel, of which all work is
    uint32_t first;  // period in which something happens: not boot
    uint32_t count;  // of periods
    const struct ts_periods_row *row[SHEETS][SIDE][SIDE]; // NULL: there is none
    int channel[SIDE][SIDE];                              // of DRAM, plus 1
    unsigned left, right, top, bottom;
};

// The first period in which it worked; TS_PERIODS: it did not.
static uint32_t first_work(const struct ts_periods_row *row)
{
    uint32_t f = 0;
    while (f < TS_PERIODS && row->cycles[f] == 0)
        f++;
    return f;
}

static void widen(struct map *self, unsigned x, unsigned y)
{
    self->left = x < self->left ? x : self->left;
    self->right = x > self->right ? x : self->right;
    self->top = y < self->top ? y : self->top;
    self->bottom = y > self->bottom ? y : self->bottom;
}

// Where each row belongs; the edges are around all that did something.
static void gather(struct map *self)
{
    const struct ts_periods_row *channels[SIDE] = {NULL};
    for (size_t i = 0; i < self->periods->count; i++) {
        const struct ts_periods_row *row = &self->periods->rows[i];
        struct place place;
        if (!place_of(row->object->path, &place))
            continue;
        if (place.known)
            self->row[sheet_of(&place) - sheets][place.y][place.x] = row;
        if (place.known && place.channel >= 0)
            self->channel[place.y][place.x] = place.channel + 1;
        if (!place.known && place.channel < SIDE)
            channels[place.channel] = row;
        uint32_t first = first_work(row);
        self->first = first < self->first ? first : self->first;
        if (place.known && first < TS_PERIODS)
            widen(self, place.x, place.y);
    }
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++)
            if (self->channel[y][x])
                self->row[SHEETS - 1][y][x] = channels[self->channel[y][x] - 1];
}

static struct map *map_new(const struct ts_periods *periods, ts_cycle span, ts_cycle window)
{
    struct map *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->periods = periods;
    self->span = span;
    self->window = window ? window : span;
    self->count = ts_periods_count(periods, span);
    self->left = self->top = SIDE;
    self->first = TS_PERIODS;
    gather(self);
    if (self->left < SIDE && self->first < self->count)
        return self;
    free(self);
    return NULL;
}

// Cycles of a frame: the last one ends with the run.
static ts_cycle length(const struct map *self, uint32_t frame)
{
    ts_cycle from = frame * self->periods->bin, left = self->span - from;
    return left < self->periods->bin ? left : self->periods->bin;
}

// Percent of a frame. A DRAM channel's work can be booked beyond the end.
static double share(const struct map *self, const struct ts_periods_row *row, uint32_t frame)
{
    double percent = 100 * (double)row->cycles[frame] / (double)length(self, frame);
    return percent < 100 ? percent : 100;
}

// Percent of the kernel's cycles.
static double mean(const struct map *self, const struct ts_periods_row *row)
{
    double sum = 0;
    for (uint32_t f = 0; f < self->count; f++)
        sum += share(self, row, f) * (double)length(self, f);
    double percent = sum / (double)self->window;
    return percent < 100 ? percent : 100;
}

// Tenths of a percent are enough for all of it, percents for a frame.
static json_t *rounded(double percent, unsigned parts)
{
    return parts == 1 ? json_integer((json_int_t)(percent + 0.5))
                      : json_real((double)(json_int_t)(percent * parts + 0.5) / parts);
}

// A frame of a sheet; `frame` -1: the kernel. Null where there is nothing of this kind.
static json_t *values(const struct map *map, unsigned sheet, int frame, double *high)
{
    json_t *all = json_array();
    for (unsigned y = map->top; y <= map->bottom; y++)
        for (unsigned x = map->left; x <= map->right; x++) {
            const struct ts_periods_row *row = map->row[sheet][y][x];
            double value = row == NULL ? 0
                           : frame < 0 ? mean(map, row)
                                       : share(map, row, (uint32_t)frame);
            *high = value > *high ? value : *high;
            json_array_append_new(all, row ? rounded(value, frame < 0 ? 10 : 1) : json_null());
        }
    return all;
}

// NULL: it has nothing to show.
static json_t *sheet_json(const struct map *map, unsigned sheet)
{
    json_t *frames = json_array();
    double high = 0;
    json_array_append_new(frames, values(map, sheet, -1, &high));
    for (uint32_t f = map->first; f < map->count; f++)
        json_array_append_new(frames, values(map, sheet, (int)f, &high));
    if (high < 1) { // percent: set-up
        json_decref(frames);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:f, s:o}", "name", sheets[sheet].name, "unit", "%", "high", high,
                     "frames", frames);
}

static json_t *names_of(const struct map *map)
{
    json_t *names = json_array();
    for (unsigned y = map->top; y <= map->bottom; y++)
        for (unsigned x = map->left; x <= map->right; x++)
            json_array_append_new(names, map->channel[y][x]
                                             ? json_sprintf("DRAM%d", map->channel[y][x] - 1)
                                             : json_sprintf("%u-%u", x, y));
    return names;
}

static json_t *times_of(const struct map *map)
{
    json_t *times = json_pack("[s]", map->window < map->span ? "the kernel" : "the whole run");
    for (uint32_t f = map->first; f < map->count; f++) {
        ts_cycle from = f * map->periods->bin;
        json_array_append_new(times, json_sprintf("cycles %llu to %llu", (unsigned long long)from,
                                                  (unsigned long long)(from + length(map, f))));
    }
    return times;
}

static void add_map(const struct map *map, json_t *page)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < SHEETS; i++) {
        json_t *sheet = sheet_json(map, i);
        if (sheet)
            json_array_append_new(all, sheet);
    }
    ts_page_add(
        page, "heat", "The chip: share of the time, by place",
        json_pack("{s:i, s:o, s:o, s:o, s:s}", "columns", (int)(map->right - map->left + 1),
                  "names", names_of(map), "sheets", all, "times", times_of(map), "note",
                  "Positions are those of NoC 0. The slider goes through the run, without boot."));
}

// ---- over time

// The mean, or the most, of the places of some sheets, frame by frame.
static void add_line(const struct map *map, json_t *series, const char *name, unsigned first,
                     unsigned last, bool most)
{
    json_t *points = json_array();
    double all = 0;
    for (uint32_t f = map->first; f < map->count; f++) {
        double sum = 0, high = 0;
        unsigned count = 0;
        for (unsigned s = first; s <= last; s++)
            for (unsigned i = 0; i < SIDE * SIDE; i++) {
                const struct ts_periods_row *row = map->row[s][i / SIDE][i % SIDE];
                double value = row ? share(map, row, f) : 0;
                sum += value;
                count += row != NULL;
                high = value > high ? value : high;
            }
        double value = most ? high : count ? sum / count : 0;
        all += value;
        json_array_append_new(
            points,
            json_pack("[I, f]", (json_int_t)(f * map->periods->bin + length(map, f) / 2), value));
    }
    if (all > 0)
        json_array_append_new(
            series, json_pack("{s:s, s:b, s:O}", "name", name, "line", 1, "points", points));
    json_decref(points);
}

static void add_lines(const struct map *map, json_t *page)
{
    static const struct {
        const char *name, *first, *last;
        bool most;
    } lines[] = {{"matrix units, mean of the tiles", "matrix", "matrix", false},
                 {"math threads stall, mean", "t1", "t1", false},
                 {"the busiest link of NoC 0", "link_x0", "link_y0", true},
                 {"the busiest link of NoC 1", "link_x1", "link_y1", true},
                 {"DRAM channels, mean", "channel", "channel", false}};
    json_t *series = json_array();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        unsigned first = 0, last = 0;
        for (unsigned s = 0; s < SHEETS; s++) {
            first = strcmp(sheets[s].part, lines[i].first) == 0 ? s : first;
            last = strcmp(sheets[s].part, lines[i].last) == 0 ? s : last;
        }
        add_line(map, series, lines[i].name, first, last, lines[i].most);
    }
    ts_page_add(page, "plot", "The chip over time",
                json_pack("{s:{s:s}, s:{s:s, s:b}, s:o, s:i}", "x", "name", "cycle", "y", "name",
                          "% of the time", "zero", 1, "series", series, "height", 300));
}

// ---- totals

// The matrix units of all tiles.
static void matrix_card(const struct ts_work *work, json_t *cards)
{
    double sum = 0, least = 100, most = 0;
    for (uint32_t i = 0; i < work->made; i++) {
        double busy = 100 * ts_marks_busy(&work->marks,
                                          &work->jobs[i].tile->matrix.unit.component.object);
        sum += busy;
        least = busy < least ? busy : least;
        most = busy > most ? busy : most;
    }
    if (sum > 0)
        ts_report_card(cards, sum / work->made, "%% busy: matrix units of %u tiles (%.1f to %.1f)",
                       work->made, least, most);
}

static void dram_cards(const struct ts_work *work, json_t *cards)
{
    struct ts_network_use traffic = ts_network_use_of(work);
    if (traffic.dram_rate == 0)
        return;
    ts_report_card(cards, traffic.dram_rate, "GB/s of DRAM, of %.0f", traffic.dram_peak);
    ts_report_card(cards, 100 * traffic.dram, "%% busy: DRAM channel %u, the busiest",
                   traffic.channel);
}

static void link_cards(const struct ts_work *work, json_t *cards)
{
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const char *path;
        double busy = 100 * ts_marks_busiest(&work->marks, &work->chip.torus, noc, &path);
        if (busy > 0)
            ts_report_card(cards, busy, "%% busy: the busiest link of NoC %u (%s)", noc, path);
    }
}

void ts_report_chip_cards(const struct ts_work *work, json_t *cards)
{
    if (work->made > 0)
        matrix_card(work, cards);
    if (work->spec.grid_rows == 0 && work->program == NULL)
        return; // tiles without networks
    dram_cards(work, cards);
    link_cards(work, cards);
}

void ts_report_map(const struct ts_periods *periods, ts_cycle span, ts_cycle window, json_t *page)
{
    struct map *map = map_new(periods, span, window);
    if (map) {
        add_map(map, page);
        add_lines(map, page);
    }
    free(map);
}
