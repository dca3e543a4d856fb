// See nodes.h.
#include "platform/tile/nodes.h"

#include "platform/tile/buffers.h"
#include "platform/tile/windows.h"

struct ts_component *ts_node_component(struct ts_tile *self, unsigned node)
{
    return node < TS_NODE_GATE     ? &self->cores[node].component
           : node < TS_NODE_UNPACK ? &self->front[node - TS_NODE_GATE].component
           : node < TS_NODE_PACK   ? &self->unpack[node - TS_NODE_UNPACK].unit.component
           : node == TS_NODE_PACK  ? &self->pack.unit.component
                                   : NULL;
}

int ts_node_by(unsigned by)
{
    if (by < TS_THREADS)
        return TS_NODE_GATE + (int)by;
    return by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES ? TS_NODE_CORE + (int)(by - TS_BY_CORE)
                                                             : -1;
}

int ts_node_holder(struct ts_tile *self, const struct ts_object *object, enum ts_stall reason)
{
    const struct ts_component *holder = ts_object_holder(object, reason);
    for (unsigned node = 0; holder && node < TS_NODE_NIU; node++)
        if (ts_node_component(self, node) == holder)
            return (int)node;
    return -1;
}

struct ts_place ts_place_of(const struct ts_tile *self, unsigned core, uint32_t address)
{
    struct ts_place place = {.kind = TS_PLACE_REGISTER};
    if (ts_is_trisc(core) && address - TS_AT_SEMAPHORES < 4 * TS_SEMAPHORES) {
        place.kind = TS_PLACE_SEMAPHORE;
        place.index = (address - TS_AT_SEMAPHORES) / 4;
    } else if (address - TS_AT_MAILBOXES < 0x1000 * TS_MAIL_CORES) {
        place.kind = TS_PLACE_MAILBOX;
        place.index = (address - TS_AT_MAILBOXES) >> 12;
    } else if (ts_at_niu(address)) {
        place.kind = TS_PLACE_NIU;
        place.index = (address - TS_AT_NIUS) >> 16;
    } else {
        place.buffer = ts_buffers_at(self, address, &place.full);
        place.kind = place.buffer           ? TS_PLACE_BUFFER
                     : address < TS_L1_SIZE ? TS_PLACE_L1
                                            : TS_PLACE_REGISTER;
    }
    return place;
}
