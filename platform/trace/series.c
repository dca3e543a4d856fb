#include "platform/trace/series.h"

void ts_series_widen(struct ts_series *self, uint32_t bins, unsigned shift)
{
    while (self->sums && self->shift < shift) {
        for (uint32_t b = 0; b < bins / 2; b++)
            self->sums[b] = self->sums[2 * b] + self->sums[2 * b + 1];
        memset(self->sums + bins / 2, 0, bins / 2 * sizeof *self->sums);
        self->shift++;
    }
}

bool ts_series_add(struct ts_series *self, uint32_t bins, ts_cycle from, ts_cycle cycles,
                   uint64_t sum)
{
    if (self->sums == NULL) {
        self->sums = calloc(bins, sizeof *self->sums);
        self->shift = TS_SERIES_SHIFT;
        if (self->sums == NULL)
            return false;
    }
    while ((from + cycles) >> self->shift >= bins)
        ts_series_widen(self, bins, self->shift + 1);
    while (cycles > 0) {
        ts_cycle b = from >> self->shift, rest = ((b + 1) << self->shift) - from;
        ts_cycle part = rest < cycles ? rest : cycles;
        uint64_t share = sum * part / cycles;
        self->sums[b] += share;
        sum -= share;
        from += part;
        cycles -= part;
    }
    return true;
}

void ts_series_free(struct ts_series *self)
{
    free(self->sums);
    self->sums = NULL;
}
