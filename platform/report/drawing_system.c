// A system over time, for the map of a page (drawing.h, periods.h): each link, and of each chip one row of a kind.
// views/system.js reads it. Of routers only the whole run is known: a record does not say whether a core polls.
#include "platform/report/drawing.h"

#include "noc/eth.h"

// Rows of a chip: the mean of the parts that ever work, or the busiest of them.
static const struct chip_row {
    const char *name, *parts[4];
    bool most, all; // all: those that never work, too
} chip_rows[] = {
    {"matrix", {"matrix"}, false, false},
    {"noc", {"link_x0", "link_y0", "link_x1", "link_y1"}, true, true},
    {"dram", {"channel"}, false, true},
};

// "tile[1-2].link_x0", "dram[3].link_x0[0-5]": what stands behind the first dot.
static bool is_part(const struct ts_object *object, const char *name)
{
    const char *part = strstr(object->path, "].");
    size_t length = strlen(name);
    return part && strncmp(part + 2, name, length) == 0 &&
           (part[2 + length] == '\0' || part[2 + length] == '[');
}

// "chip3/eth[2-1].link"
static bool is_link(const struct ts_object *object)
{
    return strstr(object->path, "/eth[") && is_part(object, "link");
}

static int chip_of(const struct ts_object *object)
{
    return strncmp(object->path, "chip", 4) == 0 ? atoi(object->path + 4) : -1;
}

enum ts_periods_what ts_drawing_mapped_system(const struct ts_object *object)
{
    if (is_link(object))
        return TS_PERIODS_BUSY;
    for (size_t k = 0; k < sizeof chip_rows / sizeof *chip_rows; k++)
        for (size_t p = 0; p < 4 && chip_rows[k].parts[p]; p++)
            if (is_part(object, chip_rows[k].parts[p]))
                return TS_PERIODS_BUSY;
    return ts_drawing_mapped(object);
}

static bool works(const struct ts_periods_row *row, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (row->cycles[i])
            return true;
    return false;
}

// One kind of row of all chips: chips[number][name].
static void add_kind(json_t *chips, const struct ts_periods *periods, uint32_t count,
                     const struct chip_row *kind)
{
    const size_t size = json_array_size(chips);
    uint64_t(*sums)[TS_PERIODS] = calloc(size, sizeof *sums);
    uint64_t *parts = calloc(size, sizeof *parts);
    for (size_t r = 0; sums && parts && r < periods->count; r++) {
        const struct ts_periods_row *row = &periods->rows[r];
        const int chip = chip_of(row->object);
        bool is = false;
        for (size_t p = 0; p < 4 && kind->parts[p]; p++)
            is |= is_part(row->object, kind->parts[p]);
        if (!is || chip < 0 || !(kind->all || works(row, count)))
            continue;
        parts[chip]++;
        for (uint32_t i = 0; i < count; i++)
            if (!kind->most)
                sums[chip][i] += row->cycles[i];
            else if (row->cycles[i] > sums[chip][i])
                sums[chip][i] = row->cycles[i];
    }
    for (size_t chip = 0; sums && parts && chip < size; chip++) {
        for (uint32_t i = 0; !kind->most && parts[chip] && i < count; i++)
            sums[chip][i] /= parts[chip];
        json_object_set_new(json_array_get(chips, chip), kind->name,
                            ts_drawing_cycles(sums[chip], count));
    }
    free(sums);
    free(parts);
}

json_t *ts_drawing_system(const struct ts_periods *periods, ts_cycle span)
{
    const uint32_t count = ts_periods_count(periods, span);
    json_t *links = json_object(), *chips = json_array();
    for (size_t r = 0; r < periods->count; r++) {
        const struct ts_object *object = periods->rows[r].object;
        const int chip = chip_of(object);
        while (chip >= (int)json_array_size(chips))
            json_array_append_new(chips, json_object());
        if (!is_link(object))
            continue;
        const struct ts_eth *eth = (const struct ts_eth *)((const char *)object -
                                                           offsetof(struct ts_eth, frames.object));
        char name[32];
        snprintf(name, sizeof name, "%u/eth%u", eth->chip, eth->channel);
        json_object_set_new(links, name, ts_drawing_cycles(periods->rows[r].cycles, count));
    }
    for (size_t k = 0; k < sizeof chip_rows / sizeof *chip_rows; k++)
        add_kind(chips, periods, count, &chip_rows[k]);
    json_t *drawing = json_pack("{s:I, s:I, s:o, s:o}", "bin", (json_int_t)periods->bin, "span",
                                (json_int_t)span, "links", links, "chips", chips);
    if (json_array_size(chips) == 0) {
        json_decref(drawing);
        return NULL;
    }
    return drawing;
}
