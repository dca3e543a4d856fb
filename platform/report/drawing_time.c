// A tile over time, for a run's page (drawing.h, history.h).
#include "platform/report/drawing.h"

#include "platform/base/json.h"
#include "platform/tile/names.h"

// The longest waits; of one tile alone, and of each of many.
#define WAITS      40
#define MANY_WAITS 12
#define DIGITS     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
#define FULL       4095 // all cycles of a bin

static const struct ts_domain *domain_of(const struct ts_tile *tile)
{
    return tile->matrix.unit.component.object.domain;
}

static const char *last_part(const struct ts_object *object)
{
    const char *dot = strrchr(object->path, '.');
    return dot ? dot + 1 : object->path;
}

struct ts_drawn_time ts_drawn_time(const struct ts_history *history, ts_cycle begin)
{
    const ts_cycle bin = ts_history_bin(history);
    return (struct ts_drawn_time){history, bin, (uint32_t)(begin / bin), ts_history_bins(history)};
}

// Two digits for each bin: how much of it, in 4095ths. So a page of 140 tiles stays small. Zeros at the end are left out. NULL:
// there is nothing. part: so much of each.
json_t *ts_drawing_series(const struct ts_series *self, double part,
                          const struct ts_drawn_time *time)
{
    char text[2 * TS_HISTORY_BINS];
    size_t used = 0, length = 0;
    for (uint32_t b = time->first; self->sums && b < time->count; b++) {
        uint64_t sum = self->sums[b] < time->bin ? self->sums[b] : time->bin;
        sum = part == 1 ? sum : (uint64_t)(part * (double)sum + 0.5);
        unsigned share = (unsigned)((FULL * sum + time->bin / 2) / time->bin);
        text[length++] = DIGITS[share >> 6];
        text[length++] = DIGITS[share & 63];
        used = share ? length : used;
    }
    return used ? json_stringn(text, used) : NULL;
}

static json_t *stalls(const struct ts_history_lane *lane, const struct ts_drawn_time *time)
{
    json_t *rows = json_object();
    for (unsigned r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++) {
        json_t *row = ts_drawing_series(&lane->stalls[r], 1, time);
        if (row)
            json_object_set_new(rows, ts_stall_name((enum ts_stall)r), row);
    }
    return rows;
}

static json_t *lanes(const struct ts_drawn_time *time, const struct ts_domain *domain)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < time->history->lane_count; i++) {
        const struct ts_history_lane *lane = &time->history->lanes[i];
        if (lane->object->domain == domain)
            ts_json_add(rows, "{s:s, s:o*, s:o*, s:o}", "name", last_part(lane->object), "busy",
                        ts_drawing_series(&lane->busy, 1, time), "polls",
                        ts_drawing_series(&lane->polls.all, 1, time), "stalls", stalls(lane, time));
    }
    return rows;
}

static json_t *values(const uint8_t *from, const struct ts_drawn_time *time)
{
    json_t *array = json_array();
    for (uint32_t i = time->first; i < time->count; i++)
        json_array_append_new(array, json_integer(from[i]));
    return array;
}

static json_t *semaphores(const struct ts_drawn_time *time, const struct ts_domain *domain)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < time->history->level_count; i++) {
        const struct ts_history_level *level = &time->history->levels[i];
        const char *bracket = strrchr(level->object->path, '[');
        if (level->object->domain == domain && level->changes > 1) // else set up and never used
            json_array_append_new(rows, json_pack("{s:i, s:I, s:o, s:o}", "number",
                                                  bracket ? (int)strtoul(bracket + 1, NULL, 10) : 0,
                                                  "changes", (json_int_t)level->changes, "low",
                                                  values(level->low, time), "high",
                                                  values(level->high, time)));
    }
    return rows;
}

// What a wait is on: a part of the tile, or what a core polls.
static const char *name_of(const struct ts_history_wait *wait, const struct ts_tile *tile,
                           char *text, size_t size)
{
    if (wait->reason != TS_STALL_RV_POLL)
        return wait->on ? last_part(wait->on) : "";
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        if (&tile->cores[core].component.object == wait->who && wait->polled != UINT32_MAX)
            return ts_tile_poll_name(tile, core, wait->polled, text, size);
    return "other places";
}

static json_t *waits(const struct ts_drawn_time *time, const struct ts_tile *tile, size_t *left_out)
{
    const size_t most = time->history->bins == TS_HISTORY_BINS ? WAITS : MANY_WAITS;
    struct ts_history_wait longest[WAITS];
    char text[80];
    size_t all = ts_history_waits(time->history, domain_of(tile), longest, most),
           count = all < most ? all : most;
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct ts_history_wait *w = &longest[i];
        if (w->reason != TS_STALL_IDLE && w->cycles != 0)
            ts_json_add(rows, "[s, s, s, I, I, o?]", last_part(w->who), ts_stall_name(w->reason),
                        name_of(w, tile, text, sizeof text), (json_int_t)w->cycles,
                        (json_int_t)w->times, ts_drawing_series(&w->when, w->part, time));
    }
    *left_out = all - count;
    return rows;
}

void ts_drawing_tile_time(const struct ts_drawn_time *time, const struct ts_tile *of, json_t *tile)
{
    const struct ts_domain *domain = domain_of(of);
    size_t left_out;
    json_object_set_new(tile, "lanes", lanes(time, domain));
    json_object_set_new(tile, "semaphores", semaphores(time, domain));
    json_object_set_new(tile, "waits", waits(time, of, &left_out));
    json_object_set_new(tile, "waits_left_out", json_integer((json_int_t)left_out));
}
