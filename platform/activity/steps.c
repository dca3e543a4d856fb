// Steps of activity, see steps.h.
#include "platform/activity/steps.h"

#include "platform/kernel/domain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const unsigned ts_steps_ns[TS_STEPS_LENGTHS] = {1, 10, 100, 1000, 10000};

#define LOW_PERCENT  10
#define HIGH_PERCENT 60

// A over the window, a cycle each.
struct sums {
    int32_t *of;
    int64_t count;
};

static inline int64_t at(const struct sums *sums, int64_t t)
{
    return t >= 0 && t < sums->count ? sums->of[t] : 0;
}

// --- tiles, one by one ---

struct starts {
    ts_cycle *first; // by block
    uint32_t count, room;
};

static bool add_start(struct starts *self, ts_cycle cycle)
{
    if (self->count == self->room) {
        uint32_t room = self->room ? 2 * self->room : 64;
        ts_cycle *first = realloc(self->first, room * sizeof *first);
        if (first == NULL)
            return false;
        self->first = first;
        self->room = room;
    }
    self->first[self->count++] = cycle;
    return true;
}

static bool look_at_tile(struct ts_steps *self, const struct ts_activity *activity, uint32_t place,
                         int32_t *changes, struct starts *starts)
{
    ts_cycle from, to, last = 0;
    uint64_t mvmuls = 0;
    for (ts_cycle t = self->from; ts_activity_run(activity, place, t, &from, &to); t = to) {
        changes[from - self->from]++;
        changes[to - self->from]--;
        mvmuls += to - from;
        if (to - from > self->run)
            self->run = to - from;
        if (last && from - last > self->gap)
            self->gap = from - last;
        if ((last == 0 || from - last >= TS_STEPS_BLOCK) && !add_start(starts, from))
            return false;
        last = to;
    }
    const double duty = (double)mvmuls / (double)(self->to - self->from);
    self->mvmuls += mvmuls;
    if (self->used == 0 || duty < self->duty_least)
        self->duty_least = duty;
    if (duty > self->duty_most)
        self->duty_most = duty;
    self->used++;
    return true;
}

static void spread_of(struct ts_steps *self, const struct starts *starts, uint32_t count)
{
    uint32_t blocks = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (starts[i].count && starts[i].count < blocks)
            blocks = starts[i].count;
    self->blocks = blocks == UINT32_MAX ? 0 : blocks;
    for (uint32_t k = 0; k < self->blocks; k++) {
        ts_cycle first = TS_NEVER, last = 0;
        double sum = 0, squares = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (starts[i].count == 0)
                continue;
            const ts_cycle start = starts[i].first[k];
            first = start < first ? start : first;
            last = start > last ? start : last;
        }
        for (uint32_t i = 0; i < count; i++)
            if (starts[i].count) {
                const double late = (double)(starts[i].first[k] - first);
                sum += late;
                squares += late * late;
            }
        if (k == 0)
            self->spread_first = last - first;
        if (k == 0 || last - first > self->spread) {
            const double mean = sum / self->used;
            self->spread = last - first;
            self->deviation = sqrt(fmax(0, squares / self->used - mean * mean));
        }
    }
}

// --- all tiles together ---

static void look_along(struct ts_steps *self, const struct sums *sums, unsigned i)
{
    struct ts_step_of *rise = &self->rise[i], *fall = &self->fall[i];
    const int64_t w = (int64_t)rise->cycles, n = self->used;
    int64_t before = 0, behind = 0;
    bool open = false;
    for (int64_t t = -w; t <= sums->count + w; t++) {
        // [t - w, t) and [t, t + w)
        if (t > -w) {
            before += at(sums, t - 1) - at(sums, t - 1 - w);
            behind += at(sums, t + w - 1) - at(sums, t - 1);
        }
        if (behind - before > rise->sum) {
            rise->sum = behind - before;
            rise->at = (ts_cycle)((int64_t)self->from + t);
        }
        if (before - behind > fall->sum) {
            fall->sum = before - behind;
            fall->at = (ts_cycle)((int64_t)self->from + t);
        }
        const bool steep = 100 * before < LOW_PERCENT * n * w &&
                           100 * behind > HIGH_PERCENT * n * w;
        self->transitions[i] += steep && !open;
        open = steep;
    }
}

static void end_span(struct ts_steps *self, int64_t from, int64_t to)
{
    const ts_cycle length = (ts_cycle)(to - from);
    if (length == 0)
        return;
    unsigned place = 63u - (unsigned)__builtin_clzll(length);
    self->idle_spans[place < TS_STEPS_SPANS ? place : TS_STEPS_SPANS - 1]++;
    if (length > self->idle) {
        self->idle = length;
        self->idle_at = self->from + (ts_cycle)from;
    }
}

static void look_for_idle(struct ts_steps *self, const struct sums *sums)
{
    int64_t from = 0;
    for (int64_t t = 0; t < sums->count; t++) {
        if ((uint32_t)sums->of[t] > self->most)
            self->most = (uint32_t)sums->of[t];
        if (100 * (int64_t)sums->of[t] >= LOW_PERCENT * (int64_t)self->used) {
            end_span(self, from, t);
            from = t + 1;
        }
    }
    end_span(self, from, sums->count);
}

static uint32_t tiles_of(const struct ts_activity *activity, const struct ts_step_of *step,
                         bool rise)
{
    uint32_t tiles = 0;
    const ts_cycle t = step->at, w = step->cycles;
    for (uint32_t i = 0; step->sum && i < activity->count; i++) {
        if (!activity->places[i].used)
            continue;
        uint64_t before = ts_activity_sum(activity, i, TS_ACTIVITY_MATRIX, t > w ? t - w : 0, t);
        uint64_t behind = ts_activity_sum(activity, i, TS_ACTIVITY_MATRIX, t, t + w);
        tiles += rise ? behind > before : before > behind;
    }
    return tiles;
}

static void find_window(struct ts_steps *self, const struct ts_activity *activity)
{
    self->from = TS_NEVER;
    for (uint32_t i = 0; i < activity->count; i++) {
        const struct ts_activity_place *place = &activity->places[i];
        const char *path = place->domain->object.path;
        ts_cycle from, to, t = 0;
        self->chip += path && strstr(path, "tile[") != NULL;
        if (!place->used)
            continue;
        for (bool first = true; ts_activity_run(activity, i, t, &from, &to);
             t = to, first = false) {
            if (first && from < self->from)
                self->from = from;
            if (to > self->to)
                self->to = to;
        }
    }
    if (self->from == TS_NEVER)
        self->from = 0;
}

bool ts_steps_make(struct ts_steps *self, const struct ts_activity *activity, unsigned clock_mhz)
{
    *self = (struct ts_steps){0};
    find_window(self, activity);
    const ts_cycle span = self->to - self->from;
    int32_t *changes = calloc(span + 1, sizeof *changes);
    struct starts *starts = calloc(activity->count, sizeof *starts);
    bool good = changes && starts;
    for (uint32_t i = 0; good && i < activity->count; i++)
        if (activity->places[i].used)
            good = look_at_tile(self, activity, i, changes, &starts[i]);
    for (ts_cycle t = 1; good && t < span; t++)
        changes[t] += changes[t - 1];
    const struct sums sums = {changes, (int64_t)span};
    for (unsigned i = 0; good && i < TS_STEPS_LENGTHS; i++) {
        ts_cycle w = ((ts_cycle)ts_steps_ns[i] * clock_mhz + 500) / 1000;
        self->rise[i].cycles = self->fall[i].cycles = w ? w : 1;
        look_along(self, &sums, i);
        self->rise[i].tiles = tiles_of(activity, &self->rise[i], true);
        self->fall[i].tiles = tiles_of(activity, &self->fall[i], false);
    }
    if (good) {
        look_for_idle(self, &sums);
        spread_of(self, starts, activity->count);
    }
    for (uint32_t i = 0; starts && i < activity->count; i++)
        free(starts[i].first);
    free(starts);
    free(changes);
    return good;
}
