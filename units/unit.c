// units/unit.c: construction of the common part of a unit, and its arbitration.
#include "units/tensix.h"

ts_step ts_unit_sleep(struct ts_component *self, ts_cycle now)
{
    return ts_idle(self, now);
}

bool ts_unit_contend(struct ts_unit *self, unsigned thread, ts_cycle now)
{
    const uint8_t me = (uint8_t)(1u << thread);
    if (self->at_once)
        return true;
    bool wins = self->entered != now && !(self->keeper & ~me);
    if (wins && !self->keeper)
        for (unsigned next = (self->last + 1u) % TS_THREADS; wins && next != thread;
             next = (next + 1) % TS_THREADS)
            wins = !(self->losers & 1u << next);
    if (!wins)
        self->losers |= me;
    return wins;
}

static const struct ts_counter unit_counters[] = {
    TS_UNIT_COUNTER,
    {0},
};

const struct ts_component_ops ts_unit_passive = {
    .kind = "unit",
    .step = ts_unit_sleep,
    .counters = unit_counters,
};

void ts_unit_init(struct ts_unit *self, const struct ts_unit_ops *ops,
                  const struct ts_component_ops *component_ops, struct ts_tensix *tensix,
                  struct ts_domain *domain, const char *name)
{
    tensix->unit[ops->id] = self;
    ts_component_init(&self->component, component_ops, domain, "%s", name);
    self->ops = ops;
    self->accept = ops->accept;
    self->start = ops->start;
    self->entered = TS_NEVER;
    self->last = TS_THREADS - 1;
}
