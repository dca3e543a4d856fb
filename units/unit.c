// units/unit.c: construction of the common part of a unit.
#include "units/unit.h"

ts_step ts_unit_sleep(struct ts_component *self, ts_cycle now)
{
    return ts_idle(self, now);
}

static const struct ts_counter unit_counters[] = {
    {"instructions", "instructions", "words that entered the unit",
     offsetof(struct ts_unit, instructions)},
    {0},
};

const struct ts_component_ops ts_unit_passive = {
    .kind = "unit",
    .step = ts_unit_sleep,
    .counters = unit_counters,
};

void ts_unit_init(struct ts_unit *self, const struct ts_unit_ops *ops,
                  const struct ts_component_ops *component_ops, struct ts_domain *domain,
                  const char *name)
{
    ts_component_init(&self->component, component_ops, domain, "%s", name);
    self->ops = ops;
    self->accept = ops->accept;
    self->start = ops->start;
    self->entered = TS_NEVER;
    self->last = TS_THREADS - 1;
    self->keeper = -1;
}
