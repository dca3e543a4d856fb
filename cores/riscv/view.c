// See view.h.
#include "cores/riscv/view.h"

struct ts_rv_view ts_rv_core_view(const struct ts_rv_core *self)
{
    const bool parked = self->watch.parked;
    return (struct ts_rv_view){
        .ended = self->held || self->stopped || self->spinning,
        .held = self->held,
        .paused = self->paused,
        .halted = self->halted,
        .spinning = self->spinning,
        .waits = self->pending,
        .parked = parked,
        .free = self->watch.returned,
        .pc = self->pc,
        .at = self->pending ? self->pending_pc
              : parked      ? self->watch.pc
                            : self->pc,
        .address = self->pending ? self->pending_address : self->watch.address,
        .value = self->watch.value,
        .instructions = self->instret,
        .time = self->t,
        .x = self->r,
        .stores = self->store_count,
        .blocked = self->store_blocked,
        .blocked_on = &self->store_wait,
        .wrote = self->bus_sent,
        .polled = self->look.at[0].address,
        .polled_pc = self->look.at[0].pc,
        .repeats = self->look.repeats,
        .polled_from = self->look.from,
    };
}
