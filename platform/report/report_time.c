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

// How much of a bin: 0 nothing, 1 a little, then in tenths.
static unsigned shade_of(const struct ts_history *record, uint64_t cycles)
{
    return cycles == 0 ? 0 : 1 + (unsigned)(10 * cycles / ts_history_bin(record));
}

// Work, or polls, of a bin: what there is more of. The instructions of polls are no work.
static uint64_t cycles_of(const struct ts_history_lane *lane, uint32_t bin, bool polls)
{
    uint64_t polled = lane->polls[bin], busy = lane->busy[bin], in_polls = lane->busy_polls[bin];
    busy = busy > in_polls ? busy - in_polls : 0;
    return polls ? (polled > busy ? polled : 0) : (busy >= polled ? busy : 0);
}

// Neighbours alike are one part; where it did nothing there is none.
static void add_parts(const struct ts_history *record, const struct ts_history_lane *lane,
                      ts_cycle begin, bool polls, json_t *parts)
{
    const ts_cycle bin = ts_history_bin(record);
    uint32_t bins = ts_history_bins(record);
    for (uint32_t b = (uint32_t)(begin / bin); b < bins;) {
        unsigned shade = shade_of(record, cycles_of(lane, b, polls));
        uint32_t from = b;
        uint64_t sum = 0;
        while (b < bins && shade_of(record, cycles_of(lane, b, polls)) == shade)
            sum += cycles_of(lane, b++, polls);
        if (shade == 0)
            continue;
        char label[32];
        snprintf(label, sizeof label, "%s for %.0f %%", polls ? "polls" : "busy",
                 100 * (double)sum / (double)((b - from) * bin));
        ts_cycle start = from * bin > begin ? from * bin : begin;
        json_array_append_new(parts,
                              json_pack("[I, I, s, f, s]", (json_int_t)start, (json_int_t)(b * bin),
                                        polls ? ts_stall_name(TS_STALL_RV_POLL) : "busy",
                                        shade > 10 ? 1.0 : 0.1 * (shade - 1), label));
    }
}

void ts_report_lanes(const struct ts_history *record, ts_cycle begin, json_t *page)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < record->lane_count; i++) {
        json_t *parts = json_array();
        add_parts(record, &record->lanes[i], begin, true, parts);
        add_parts(record, &record->lanes[i], begin, false, parts);
        if (json_array_size(parts) > 0)
            json_array_append_new(rows,
                                  json_pack("{s:s, s:o}", "name",
                                            last_part(record->lanes[i].object), "parts", parts));
        else
            json_decref(parts);
    }
    ts_page_add(page, "lanes", "Who works when, without boot (full colour: all the time)",
                json_pack("{s:I, s:I, s:o}", "from", (json_int_t)begin, "to",
                          (json_int_t)record->end, "rows", rows));
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

static json_t *values(const uint8_t *from, uint32_t first, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = first; i < count; i++)
        json_array_append_new(array, json_integer(from[i]));
    return array;
}

void ts_report_levels(const struct ts_history *record, ts_cycle begin, json_t *page)
{
    const ts_cycle bin = ts_history_bin(record);
    uint32_t bins = ts_history_bins(record), first = (uint32_t)(begin / bin);
    json_t *rows = json_array();
    for (size_t i = 0; i < record->level_count; i++) {
        const struct ts_history_level *level = &record->levels[i];
        char name[80];
        if (level->changes <= 1) // set up and never used
            continue;
        json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "name",
                                              semaphore_name(level->object, level->changes, name),
                                              "low", values(level->low, first, bins), "high",
                                              values(level->high, first, bins)));
    }
    if (json_array_size(rows) == 0) {
        json_decref(rows);
        return;
    }
    ts_page_add(page, "levels", "Semaphores: lowest and highest value",
                json_pack("{s:I, s:I, s:I, s:o}", "from", (json_int_t)(first * bin), "to",
                          (json_int_t)record->end, "bin", (json_int_t)bin, "rows", rows));
}

void ts_report_waits(const struct ts_history *record, ts_cycle window, json_t *page)
{
    struct ts_history_wait waits[WAITS];
    size_t all = ts_history_waits(record, waits, WAITS), count = all < WAITS ? all : WAITS;
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct ts_history_wait *w = &waits[i];
        double percent = 100 * (double)w->cycles / (double)(window ? window : 1);
        if (w->reason == TS_STALL_IDLE || w->cycles == 0)
            continue;
        json_array_append_new(rows, json_pack("[s, s, s, I, f, I, f]", last_part(w->who),
                                              ts_stall_name(w->reason),
                                              w->on ? last_part(w->on) : "", (json_int_t)w->cycles,
                                              percent < 100 ? percent : 100, (json_int_t)w->times,
                                              (double)w->cycles / (double)w->times));
    }
    char title[96] = "Who waits, why, and on what, in the kernel";
    size_t used = strlen(title);
    if (count < all)
        snprintf(title + used, sizeof title - used, " (the longest; %zu shorter ones are left out)",
                 all - count);
    ts_page_add(page, "table", title,
                json_pack("{s:[s, s, s, s, s, s, s], s:o, s:[i, i, i], s:i}", "heads", "who", "why",
                          "on what", "cycles", "% of the kernel", "times", "mean", "rows", rows,
                          "text", 0, 1, 2, "swatch", 1));
}
