// The parts of a run's page that show time and waits (report.h, history.h).
#include "platform/report/report.h"
#include "platform/report/sections.h"

#include <stdlib.h>
#include <string.h>

#define WAITS 40

static const char *last_part(const struct ts_object *object)
{
    const char *dot = strrchr(object->path, '.');
    return dot ? dot + 1 : object->path;
}

// How busy a component was in a bin: 0 not at all, 1 a little, then in tenths.
static unsigned shade_of(const struct ts_history *record, uint64_t busy)
{
    return busy == 0 ? 0 : 1 + (unsigned)(10 * busy / ts_history_bin(record));
}

// Neighbours alike are one part; where it did nothing there is none.
static json_t *lane_parts(const struct ts_history *record, const struct ts_history_lane *lane)
{
    uint32_t bins = ts_history_bins(record);
    json_t *parts = json_array();
    for (uint32_t b = 0; b < bins;) {
        unsigned shade = shade_of(record, lane->busy[b]);
        uint32_t from = b;
        uint64_t busy = 0;
        while (b < bins && shade_of(record, lane->busy[b]) == shade)
            busy += lane->busy[b++];
        if (shade == 0)
            continue;
        char label[32];
        snprintf(label, sizeof label, "busy for %.0f %%",
                 100 * (double)busy / (double)((b - from) * ts_history_bin(record)));
        json_array_append_new(parts, json_pack("[I, I, s, f, s]",
                                               (json_int_t)(from * ts_history_bin(record)),
                                               (json_int_t)(b * ts_history_bin(record)), "busy",
                                               shade > 10 ? 1.0 : 0.1 * (shade - 1), label));
    }
    return parts;
}

void ts_report_lanes(const struct ts_history *record, json_t *page)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < record->lane_count; i++) {
        json_t *parts = lane_parts(record, &record->lanes[i]);
        if (json_array_size(parts) > 0)
            json_array_append_new(rows,
                                  json_pack("{s:s, s:o}", "name",
                                            last_part(record->lanes[i].object), "parts", parts));
        else
            json_decref(parts);
    }
    ts_page_add(
        page, "lanes", "Who works when (full colour: busy all the time)",
        json_pack("{s:i, s:I, s:o}", "from", 0, "to", (json_int_t)record->end, "rows", rows));
}

static const char *semaphore_name(const struct ts_object *object, uint64_t changes, char text[80])
{
    // As the guest's kernels use them.
    static const char *const uses[8] = {NULL,           " MATH_PACK", " UNPACK_TO_DEST", NULL, NULL,
                                        " UNPACK_SYNC", NULL,         " MATH_DONE"};
    const char *bracket = strrchr(object->path, '[');
    unsigned number = bracket ? (unsigned)strtoul(bracket + 1, NULL, 10) : 0;
    snprintf(text, 80, "%u%s, %llu changes", number, number < 8 && uses[number] ? uses[number] : "",
             (unsigned long long)changes);
    return text;
}

static json_t *values(const uint8_t *from, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer(from[i]));
    return array;
}

void ts_report_levels(const struct ts_history *record, json_t *page)
{
    uint32_t bins = ts_history_bins(record);
    json_t *rows = json_array();
    for (size_t i = 0; i < record->level_count; i++) {
        const struct ts_history_level *level = &record->levels[i];
        char name[80];
        if (level->changes <= 1) // set up and never used
            continue;
        json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "name",
                                              semaphore_name(level->object, level->changes, name),
                                              "low", values(level->low, bins), "high",
                                              values(level->high, bins)));
    }
    if (json_array_size(rows) == 0) {
        json_decref(rows);
        return;
    }
    ts_page_add(page, "levels", "Semaphores: lowest and highest value",
                json_pack("{s:i, s:I, s:I, s:o}", "from", 0, "to", (json_int_t)record->end, "bin",
                          (json_int_t)ts_history_bin(record), "rows", rows));
}

void ts_report_waits(const struct ts_history *record, json_t *page)
{
    struct ts_history_wait waits[WAITS];
    size_t count = ts_history_waits(record, waits, WAITS);
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct ts_history_wait *w = &waits[i];
        if (w->reason == TS_STALL_IDLE || w->cycles == 0)
            continue;
        json_array_append_new(
            rows, json_pack("[s, s, s, I, f, I, f]", last_part(w->who), ts_stall_name(w->reason),
                            w->on ? last_part(w->on) : "", (json_int_t)w->cycles,
                            100 * (double)w->cycles / (double)(record->end ? record->end : 1),
                            (json_int_t)w->times, (double)w->cycles / (double)w->times));
    }
    ts_page_add(page, "table", "Who waits, why, and on what",
                json_pack("{s:[s, s, s, s, s, s, s], s:o, s:[i, i, i], s:i}", "heads", "who", "why",
                          "on what", "cycles", "% of the run", "times", "mean", "rows", rows,
                          "text", 0, 1, 2, "swatch", 1));
}
