// units/unit.c: construction of the common part of a unit, and its arbitration.
#include "units/unit.h"

ts_step ts_unit_sleep(struct ts_component *self, ts_cycle now)
{
    return ts_idle(self, now);
}

bool ts_unit_contend(struct ts_unit *self, unsigned thread, ts_cycle now)
{
    uint8_t me = (uint8_t)(1u << thread);
    if (self->entered == now || (self->keeper >= 0 && self->keeper != (int)thread)) {
        self->losers |= me;
        return false;
    }
    uint8_t others = self->losers & (uint8_t)~me;
    if (others && self->keeper < 0) {
        for (unsigned i = 1; i < TS_THREADS; i++) {
            unsigned next = (self->last + i) % TS_THREADS;
            if (next == thread)
                break;
            if (others & 1u << next) {
                self->losers |= me;
                return false;
            }
        }
    }
    return true;
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
