// Steps of activity, see steps.h.
#include "platform/activity/steps.h"

#include "platform/kernel/domain.h"

const unsigned ts_activity_steps_ns[TS_STEPS_LENGTHS] = {1, 10, 100, 1000, 10000};

#define LOW_PERCENT  10
#define HIGH_PERCENT 60

// Sums of A: up[t] is that of the first t cycles of the window, modulo 2^32, also for t before it (0) and behind it. Differences
// of two, up to the longest w apart, are exact: w x tiles is below 2^31.
struct sums {
    const uint32_t *up;
    int64_t count;
};

static inline int64_t sum_of(const struct sums *sums, int64_t from, int64_t to)
{
    return (int64_t)(uint32_t)(sums->up[to] - sums->up[from]);
}

// --- tiles, one by one ---

struct starts {
    ts_cycle *first; // by block
    uint32_t count, room;
};

static bool add_start(struct starts *self, ts_cycle cycle)
{
    if (!TS_GROW(self->first, self->count, self->room))
        return false;
    self->first[self->count++] = cycle;
    return true;
}

static bool look_at_tile(struct ts_activity_steps *self, const struct ts_activity *activity,
                         uint32_t place, uint32_t *changes, struct starts *starts)
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

static void spread_of(struct ts_activity_steps *self, const struct starts *starts, uint32_t count)
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

#define BLOCK 1024 // values of t that are looked at together

// The largest and the smallest difference of two neighbouring sums, for t in [from, to).
static void extremes(const uint32_t *up, int64_t w, int64_t from, int64_t to, int32_t *most,
                     int32_t *least)
{
    int32_t high = INT32_MIN, low = INT32_MAX;
    for (int64_t t = from; t < to; t++) {
        const int32_t step = (int32_t)(up[t + w] - 2 * up[t] + up[t - w]);
        high = step > high ? step : high;
        low = step < low ? step : low;
    }
    *most = high;
    *least = low;
}

// A block has a larger step than all before: the first t that has it.
static void found(struct ts_step_of *self, const struct ts_activity_steps *steps,
                  const struct sums *sums, int64_t t, int64_t sign, int64_t sum)
{
    const int64_t w = (int64_t)self->cycles;
    if (sum <= self->sum)
        return;
    while (sign * (sum_of(sums, t, t + w) - sum_of(sums, t - w, t)) != sum)
        t++;
    self->sum = sum;
    self->at = (ts_cycle)((int64_t)steps->from + t);
}

static void look_along(struct ts_activity_steps *self, const struct sums *sums, unsigned i)
{
    const int64_t w = (int64_t)self->rise[i].cycles, n = self->used;
    bool open = false;
    for (int64_t t = -w, end = sums->count + w + 1; t < end; t += BLOCK) {
        const int64_t to = t + BLOCK < end ? t + BLOCK : end;
        int32_t most, least;
        extremes(sums->up, w, t, to, &most, &least);
        found(&self->rise[i], self, sums, t, 1, most);
        found(&self->fall[i], self, sums, t, -1, -(int64_t)least);
        if (100 * (int64_t)most <= (HIGH_PERCENT - LOW_PERCENT) * n * w) {
            open = false; // no step of this block is a transition
            continue;
        }
        for (int64_t k = t; k < to; k++) {
            const bool steep = 100 * sum_of(sums, k - w, k) < LOW_PERCENT * n * w &&
                               100 * sum_of(sums, k, k + w) > HIGH_PERCENT * n * w;
            self->transitions[i] += steep && !open;
            open = steep;
        }
    }
}

static void end_span(struct ts_activity_steps *self, int64_t from, int64_t to)
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

static void look_for_idle(struct ts_activity_steps *self, const struct sums *sums)
{
    int64_t from = 0;
    for (int64_t t = 0; t < sums->count; t++) {
        const uint32_t now = sums->up[t + 1] - sums->up[t];
        if (now > self->most)
            self->most = now;
        if (100 * (int64_t)now >= LOW_PERCENT * (int64_t)self->used) {
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

static void find_window(struct ts_activity_steps *self, const struct ts_activity *activity)
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

static ts_cycle cycles_of(unsigned ns, unsigned clock_mhz)
{
    const ts_cycle cycles = ((ts_cycle)ns * clock_mhz + 500) / 1000;
    return cycles ? cycles : 1;
}

bool ts_activity_steps_make(struct ts_activity_steps *self, const struct ts_activity *activity,
                            unsigned clock_mhz)
{
    *self = (struct ts_activity_steps){0};
    find_window(self, activity);
    const ts_cycle span = self->to - self->from;
    const ts_cycle pad = 2 * (cycles_of(ts_activity_steps_ns[TS_STEPS_LENGTHS - 1], clock_mhz) + 1);
    uint32_t *up = calloc(span + 1 + 2 * pad, sizeof *up), *changes = up ? up + pad + 1 : NULL;
    struct starts *starts = calloc(activity->count, sizeof *starts);
    bool good = up && starts;
    for (uint32_t i = 0; good && i < activity->count; i++)
        if (activity->places[i].used)
            good = look_at_tile(self, activity, i, changes, &starts[i]);
    uint32_t now = 0, sum = 0; // from changes of A to A to its sums
    for (ts_cycle t = 0; good && t < span + pad; t++) {
        now += changes[t];
        changes[t] = sum += now;
    }
    const struct sums sums = {up + pad, (int64_t)span};
    for (unsigned i = 0; good && i < TS_STEPS_LENGTHS; i++) {
        self->rise[i].cycles = self->fall[i].cycles = cycles_of(ts_activity_steps_ns[i], clock_mhz);
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
    free(up);
    return good;
}
