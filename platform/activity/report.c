// Activity in words and figures, see report.h.
#include "platform/activity/steps.h"

#include "platform/base/json.h"

#define NOTE                                                                                   \
    "counts of cycles, no calibration: which step matters to a card is not published, and no " \
    "hang "                                                                                    \
    "is predicted"
#define BINS   240 // of the chip over time
#define FRAMES 48  // of the map

static double rise_of(const struct ts_step_of *step)
{
    return step->cycles ? (double)step->sum / (double)step->cycles : 0;
}

static double share(double part, double of)
{
    return of > 0 ? part / of : 0;
}

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *step_json(const struct ts_activity_steps *self, const struct ts_step_of *step)
{
    const double tiles = rise_of(step);
    return json_pack("{s:f, s:f, s:f, s:o, s:o}", "tiles", tiles, "of_used",
                     share(tiles, self->used), "of_chip", share(tiles, self->chip), "at",
                     integer(step->at), "changed", integer(step->tiles));
}

static json_t *steps_json(const struct ts_activity_steps *self, unsigned clock_mhz)
{
    const double ms = (double)(self->to - self->from) / (1e3 * clock_mhz);
    json_t *steps = json_array();
    for (unsigned i = 0; i < TS_STEPS_LENGTHS; i++)
        ts_json_add(steps, "{s:i, s:o, s:o, s:o, s:o, s:f}", "ns", (int)ts_activity_steps_ns[i],
                    "cycles", integer(self->rise[i].cycles), "rise",
                    step_json(self, &self->rise[i]), "fall", step_json(self, &self->fall[i]),
                    "transitions", integer(self->transitions[i]), "transitions_per_ms",
                    share((double)self->transitions[i], ms));
    return steps;
}

// Bins of the run, at most `most`, each a multiple of 8 cycles.
static ts_cycle bin_of(const struct ts_activity_steps *self, unsigned most)
{
    ts_cycle bin = (self->to - self->from + most - 1) / most;
    bin = (bin + 7) / 8 * 8;
    return bin ? bin : 8;
}

// The sums of all places over time, by source: of MVMULs the mean of A, of others busy members.
static json_t *series_json(const struct ts_activity_steps *self, const struct ts_activity *activity)
{
    const ts_cycle bin = bin_of(self, BINS), from = self->from / 8 * 8;
    uint64_t sums[BINS + 2];
    json_t *of = json_object();
    for (unsigned s = 0; s < TS_ACTIVITY_SOURCES; s++) {
        json_t *list = json_array();
        ts_activity_series(activity, TS_ACTIVITY_ALL, (enum ts_activity_source)s, from, self->to,
                           bin, sums);
        for (ts_cycle t = from, i = 0; t < self->to; t += bin, i++)
            json_array_append_new(list, integer(sums[i]));
        json_object_set_new(of, ts_activity_text[s].name, list);
    }
    return json_pack("{s:o, s:o, s:o}", "from", integer(from), "bin", integer(bin), "sums", of);
}

// MVMULs of each tile over time: a string for each frame, a character for each tile: 0 to 9 and a to z in 35 steps.
static json_t *map_json(const struct ts_activity_steps *self, const struct ts_activity *activity)
{
    const ts_cycle bin = bin_of(self, FRAMES), from = self->from / 8 * 8;
    const size_t frames = (self->to - from + bin - 1) / bin;
    char *text = calloc(frames, self->used + 1u);
    json_t *names = json_array(), *list = json_array();
    uint64_t sums[FRAMES + 2];
    uint32_t tile = 0;
    for (uint32_t i = 0; text && i < activity->count; i++) {
        const struct ts_activity_place *place = &activity->places[i];
        char name[32];
        if (!place->used)
            continue;
        snprintf(name, sizeof name, "%d-%d", place->x, place->y);
        json_array_append_new(names, json_string(name));
        ts_activity_series(activity, i, TS_ACTIVITY_MATRIX, from, self->to, bin, sums);
        for (size_t f = 0; f < frames; f++) {
            const ts_cycle at = from + f * bin, length = self->to - at < bin ? self->to - at : bin;
            text[f * (self->used + 1u) + tile] =
                "0123456789abcdefghijklmnopqrstuvwxyz"[(sums[f] * 35 + length / 2) / length];
        }
        tile++;
    }
    for (size_t f = 0; text && f < frames; f++)
        json_array_append_new(list, json_string(text + f * (self->used + 1u)));
    free(text);
    return json_pack("{s:o, s:o, s:o, s:o}", "from", integer(from), "bin", integer(bin), "names",
                     names, "frames", list);
}

// MVMULs by chip, and on all chips by row and by column: {"1": 4096, ...}; the same over time in `series`, in its bins.
static void add_groups(const struct ts_activity_steps *self, const struct ts_activity *activity,
                       json_t *to, json_t *series)
{
    static const char *const names[] = {"chips", "columns", "rows"};
    const ts_cycle bin = bin_of(self, BINS), from = self->from / 8 * 8;
    const size_t bins = (self->to - from + bin - 1) / bin;
    uint64_t sums[BINS + 2];
    for (unsigned g = 0; g < 3; g++) {
        json_t *group = json_object(), *over_time = json_object();
        for (uint32_t i = 0; i < activity->count; i++) {
            const struct ts_activity_place *place = &activity->places[i];
            char key[16];
            if (!place->used)
                continue;
            snprintf(key, sizeof key, "%d", g == 0 ? place->chip : g == 1 ? place->x : place->y);
            json_t *list = json_object_get(over_time, key);
            if (list == NULL)
                json_object_set_new(over_time, key, list = json_array());
            ts_activity_series(activity, i, TS_ACTIVITY_MATRIX, from, self->to, bin, sums);
            uint64_t all = (uint64_t)ts_json_integer(group, key);
            for (size_t b = 0; b < bins; all += sums[b++]) {
                json_t *sum = json_array_get(list, b);
                if (sum == NULL)
                    json_array_append_new(list, integer(sums[b]));
                else
                    json_integer_set(sum, json_integer_value(sum) + (json_int_t)sums[b]);
            }
            json_object_set_new(group, key, integer(all));
        }
        json_object_set_new(to, names[g], group);
        json_object_set_new(series, names[g], over_time);
    }
}

static json_t *sums_json(const struct ts_activity *activity)
{
    json_t *sums = json_object();
    for (unsigned s = 0; s < TS_ACTIVITY_SOURCES; s++)
        json_object_set_new(sums, ts_activity_text[s].name,
                            integer(ts_activity_sum(activity, TS_ACTIVITY_ALL,
                                                    (enum ts_activity_source)s, 0, activity->end)));
    return sums;
}

bool ts_activity_steps_json(const struct ts_activity_steps *self,
                            const struct ts_activity *activity, unsigned clock_mhz,
                            json_t *document)
{
    static const char *const names[] = {"step_ns1", "step_ns10", "step_ns100", "step_us1"};
    const double span = (double)(self->to - self->from);
    json_t *spans = json_array();
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        json_object_set_new(document, names[i], json_real(rise_of(&self->rise[i])));
    json_object_set_new(document, "idle_common", integer(self->idle));
    json_object_set_new(document, "start_spread", integer(self->spread));
    for (unsigned i = 0; i < TS_STEPS_SPANS; i++)
        json_array_append_new(spans, integer(self->idle_spans[i]));
    json_t *activity_json = json_pack(
        "{s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:f, s:i, s:o}", "note", NOTE, "clock_mhz",
        (int)clock_mhz, "tiles_used", (int)self->used, "tiles_chip", (int)self->chip, "from",
        integer(self->from), "to", integer(self->to), "mvmuls", integer(self->mvmuls), "mean",
        share((double)self->mvmuls, span), "most", (int)self->most, "sums", sums_json(activity));
    json_t *more = json_pack(
        "{s:o, s:{s:o, s:o, s:o}, s:{s:i, s:o, s:o, s:o, s:f}, s:{s:f, s:f, s:f, s:o, s:o}}",
        "steps", steps_json(self, clock_mhz), "idle", "longest", integer(self->idle), "at",
        integer(self->idle_at), "spans", spans, "starts", "gap", TS_STEPS_BLOCK, "blocks",
        integer(self->blocks), "spread", integer(self->spread), "spread_first",
        integer(self->spread_first), "deviation", self->deviation, "duty", "least",
        self->duty_least, "mean", share((double)self->mvmuls, span * self->used), "most",
        self->duty_most, "longest_run", integer(self->run), "longest_gap", integer(self->gap));
    if (activity_json == NULL || more == NULL)
        return false;
    json_object_update(activity_json, more);
    json_decref(more);
    if (self->used) {
        json_t *series = series_json(self, activity);
        add_groups(self, activity, activity_json, series);
        json_object_set_new(activity_json, "series", series);
        json_object_set_new(activity_json, "map", map_json(self, activity));
    }
    return json_object_set_new(document, "activity", activity_json) == 0;
}
