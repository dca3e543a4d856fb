#include "platform/trace/periods.h"

#include "platform/kernel/kernel.h"

#define FIRST_BIN 64 // cycles

// Two periods become one.
static void halve(struct ts_periods *self)
{
    for (size_t i = 0; i < self->count; i++) {
        uint64_t *cycles = self->rows[i].cycles;
        for (uint32_t f = 0; f < TS_PERIODS / 2; f++)
            cycles[f] = cycles[2 * f] + cycles[2 * f + 1];
        memset(cycles + TS_PERIODS / 2, 0, TS_PERIODS / 2 * sizeof *cycles);
    }
    self->bin *= 2;
}

static void take_record(struct ts_trace_writer *base, const struct ts_record *record)
{
    struct ts_periods *self = (struct ts_periods *)base;
    uint32_t index = self->index[record->emitter];
    if (index == 0 ||
        record->kind !=
            (self->rows[index - 1].what == TS_PERIODS_BUSY ? TS_RECORD_BUSY : TS_RECORD_STALL))
        return;
    ts_cycle from = record->cycle, left = record->value;
    while ((from + left) / self->bin >= TS_PERIODS)
        halve(self);
    while (left > 0) {
        ts_cycle frame = from / self->bin, room = (frame + 1) * self->bin - from;
        ts_cycle part = room < left ? room : left;
        self->rows[index - 1].cycles[frame] += part;
        from += part;
        left -= part;
    }
}

static int done(struct ts_trace_writer *base)
{
    (void)base;
    return 0;
}

struct ts_periods *ts_periods_new(const struct ts_kernel *kernel,
                                  enum ts_periods_what (*wanted)(const struct ts_object *object))
{
    struct ts_periods *self = calloc(1, sizeof *self);
    size_t objects = 0, rows = 0;
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        objects++;
        rows += wanted(o) != TS_PERIODS_NOTHING;
    }
    if (self == NULL)
        return NULL;
    self->base = (struct ts_trace_writer){.record = take_record, .close = done};
    self->bin = FIRST_BIN;
    self->index = calloc(objects + 1, sizeof *self->index);
    self->rows = calloc(rows + 1, sizeof *self->rows);
    if (self->index == NULL || self->rows == NULL) {
        ts_periods_free(self);
        return NULL;
    }
    for (const struct ts_object *o = ts_kernel_objects(kernel); o; o = o->next) {
        enum ts_periods_what what = wanted(o);
        if (what == TS_PERIODS_NOTHING)
            continue;
        self->rows[self->count++] = (struct ts_periods_row){.object = o, .what = what};
        self->index[o->id] = (uint32_t)self->count;
    }
    return self;
}

void ts_periods_free(struct ts_periods *self)
{
    if (self == NULL)
        return;
    free(self->index);
    free(self->rows);
    free(self);
}

uint32_t ts_periods_count(const struct ts_periods *self, ts_cycle span)
{
    return (uint32_t)((span + self->bin - 1) / self->bin);
}
