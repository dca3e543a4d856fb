// The way to the cores' debug registers (control.h).
#include "platform/tile/tile.h"

// Fields of RISC_DBG_CNTL_0.
#define INDEX        0x7ffu
#define IS_WRITE     (1u << 16)
#define CORE_SHIFT   17
#define TRIGGER      (1u << 31)
#define STATUS_WRITE 13 // of STATUS_0: the first of four bits, one a core
#define STATUS_VALID (1u << 30)

static enum ts_rv_answer trigger(struct ts_tile *tile, uint32_t control, ts_cycle now,
                                 struct ts_rv_reply *reply)
{
    struct ts_debug_port *self = &tile->control.debug;
    const uint32_t core = control >> CORE_SHIFT & 3, index = control & INDEX;
    ts_rv_debug_attach(&tile->cores[core], now);
    self->valid = false;
    if (control & IS_WRITE)
        return ts_rv_debug_write(&tile->cores[core], index, self->value, now, reply);
    enum ts_rv_answer answer = ts_rv_debug_read(&tile->cores[core], index, reply);
    self->read = reply->value;
    self->valid = answer == TS_RV_DONE;
    return answer;
}

uint32_t ts_debug_port_load(const struct ts_tile *tile, unsigned which)
{
    const struct ts_debug_port *self = &tile->control.debug;
    const uint32_t control = self->control;
    switch (which) {
    case TS_DEBUG_CNTL_0:
        return control;
    case TS_DEBUG_CNTL_1:
        return self->value;
    case TS_DEBUG_STATUS_0:
        return (control & (INDEX | TRIGGER)) | (self->valid ? STATUS_VALID : 0) |
               (control & IS_WRITE ? 1u << (STATUS_WRITE + (control >> CORE_SHIFT & 3)) : 0);
    default:
        return self->read;
    }
}

enum ts_rv_answer ts_debug_port_store(struct ts_tile *tile, unsigned which, uint32_t value,
                                      ts_cycle now, struct ts_rv_reply *reply)
{
    struct ts_debug_port *self = &tile->control.debug;
    if (which == TS_DEBUG_CNTL_1)
        self->value = value;
    if (which != TS_DEBUG_CNTL_0)
        return TS_RV_DONE; // STATUS: discarded
    const uint32_t before = self->control;
    self->control = value;
    if (value & TRIGGER && !(before & TRIGGER))
        return trigger(tile, value, now, reply);
    return TS_RV_DONE;
}
