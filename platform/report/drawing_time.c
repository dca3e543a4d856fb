// The first tile over time, for a run's page (drawing.h, history.h).
#include "platform/report/drawing.h"

#include <stdlib.h>
#include <string.h>

#define WAITS 40 // the longest

static const char *last_part(const struct ts_object *object)
{
    const char *dot = strrchr(object->path, '.');
    return dot ? dot + 1 : object->path;
}

// Bins of work or of polls. The instructions of polls are no work. Zeros at the end are left out.
static json_t *bins(const struct ts_history_lane *lane, uint32_t first, uint32_t count, bool polls)
{
    json_t *values = json_array();
    for (uint32_t b = first, zeros = 0; b < count; b++) {
        uint64_t busy = lane->busy[b], in_polls = lane->busy_polls[b];
        uint64_t cycles = polls ? lane->polls[b] : busy > in_polls ? busy - in_polls : 0;
        zeros = cycles ? zeros : zeros + 1;
        for (; cycles && zeros; zeros--)
            json_array_append_new(values, json_integer(0));
        if (cycles)
            json_array_append_new(values, json_integer((json_int_t)cycles));
    }
    return values;
}

static json_t *lanes(const struct ts_history *history, uint32_t first, uint32_t count)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < history->lane_count; i++) {
        const struct ts_history_lane *lane = &history->lanes[i];
        json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "name", last_part(lane->object),
                                              "busy", bins(lane, first, count, false), "polls",
                                              bins(lane, first, count, true)));
    }
    return rows;
}

static json_t *values(const uint8_t *from, uint32_t first, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = first; i < count; i++)
        json_array_append_new(array, json_integer(from[i]));
    return array;
}

static json_t *semaphores(const struct ts_history *history, uint32_t first, uint32_t count)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < history->level_count; i++) {
        const struct ts_history_level *level = &history->levels[i];
        const char *bracket = strrchr(level->object->path, '[');
        if (level->changes > 1) // else set up and never used
            json_array_append_new(rows, json_pack("{s:i, s:I, s:o, s:o}", "number",
                                                  bracket ? (int)strtoul(bracket + 1, NULL, 10) : 0,
                                                  "changes", (json_int_t)level->changes, "low",
                                                  values(level->low, first, count), "high",
                                                  values(level->high, first, count)));
    }
    return rows;
}

static json_t *waits(const struct ts_history *history, size_t *left_out)
{
    struct ts_history_wait longest[WAITS];
    size_t all = ts_history_waits(history, longest, WAITS), count = all < WAITS ? all : WAITS;
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct ts_history_wait *w = &longest[i];
        if (w->reason != TS_STALL_IDLE && w->cycles != 0)
            json_array_append_new(
                rows, json_pack("{s:s, s:s, s:s, s:I, s:I}", "who", last_part(w->who), "why",
                                ts_stall_name(w->reason), "on", w->on ? last_part(w->on) : "",
                                "cycles", (json_int_t)w->cycles, "times", (json_int_t)w->times));
    }
    *left_out = all - count;
    return rows;
}

json_t *ts_drawing_time(const struct ts_history *history, ts_cycle begin)
{
    const ts_cycle bin = ts_history_bin(history);
    const uint32_t first = (uint32_t)(begin / bin), count = ts_history_bins(history);
    size_t left_out;
    json_t *longest = waits(history, &left_out);
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:I}", "bin", (json_int_t)bin, "from",
                     (json_int_t)(first * bin), "end", (json_int_t)history->end, "lanes",
                     lanes(history, first, count), "semaphores", semaphores(history, first, count),
                     "waits", longest, "waits_left_out", (json_int_t)left_out);
}
