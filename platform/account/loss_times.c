// The loss account over time: samples of a root's sums and of the words that passed the tile's gates (loss.h).
//
// A sample is taken where an episode of the root ends, so that nothing has to stop for it. What was booked since the sample before is
// spread evenly over the cycles between them.
//
// Inaccuracies: a wait is booked when it ends, and words of a stream when it ends: both may be some cycles off, less than a sample.
#include "platform/account/loss.h"

#define FINE 4 // samples in a bin, about

bool ts_loss_times_new(struct ts_loss_root *self, uint32_t bins)
{
    self->times = calloc(1, sizeof *self->times);
    if (self->times)
        self->times->bins = bins;
    return self->times != NULL;
}

void ts_loss_times_free(struct ts_loss_root *self)
{
    struct ts_loss_times *times = self->times;
    for (unsigned i = 0; times && i < TS_LOSS_ENTRIES; i++)
        ts_series_free(&times->entries[i]);
    for (unsigned i = 0; times && i < TS_THREADS * 256; i++)
        ts_series_free(&times->words[i / 256][i % 256]);
    free(times);
    self->times = NULL;
}

static void add(struct ts_loss_times *self, struct ts_series *series, ts_cycle to, uint64_t sum)
{
    if (sum && !ts_series_add(series, self->bins, self->at, to - self->at, sum))
        self->short_of_memory = true;
}

static void take(struct ts_loss_root *self, const struct ts_loss_sums *sums, ts_cycle to)
{
    struct ts_loss_times *times = self->times;
    for (uint32_t i = 0; i < sums->count; i++) {
        const int64_t cycles = sums->entries[i].cycles;
        if (cycles > times->before[i]) {
            add(times, &times->entries[i], to, (uint64_t)(cycles - times->before[i]));
            times->before[i] = cycles;
        }
    }
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const uint64_t *passed = self->loss->tile->front[t].passed;
        for (unsigned op = 0; op < 256; op++) {
            add(times, &times->words[t][op], to, passed[op] - times->passed[t][op]);
            times->passed[t][op] = passed[op];
        }
    }
    times->at = to;
}

void ts_loss_times_begin(struct ts_loss_root *self, ts_cycle at)
{
    struct ts_loss_times *times = self->times;
    if (times == NULL)
        return;
    times->at = times->begin = at;
    for (unsigned t = 0; t < TS_THREADS; t++)
        memcpy(times->passed[t], self->loss->tile->front[t].passed, sizeof times->passed[t]);
}

void ts_loss_sample(struct ts_loss_root *self, ts_cycle now)
{
    const struct ts_loss_times *times = self->times;
    if (now < times->at + (1 << TS_SERIES_SHIFT) ||
        (now - times->at) * FINE * times->bins < now - times->begin)
        return;
    take(self, &self->sums, now);
}

bool ts_loss_times_end(struct ts_loss_root *self, unsigned shift)
{
    struct ts_loss_times *times = self->times;
    if (times == NULL || !self->ended)
        return false;
    if (self->end > times->at)
        take(self, &self->closed, self->end);
    for (unsigned i = 0; i < TS_LOSS_ENTRIES; i++)
        ts_series_widen(&times->entries[i], times->bins, shift);
    for (unsigned i = 0; i < TS_THREADS * 256; i++)
        ts_series_widen(&times->words[i / 256][i % 256], times->bins, shift);
    return !times->short_of_memory;
}
