// See nodes.h.
#include "platform/tile/nodes.h"

#include "platform/tile/buffers.h"
#include "platform/tile/windows.h"

// Where the tile has its nodes. A component is the first thing in each of them.
static const struct {
    size_t at, size;
    unsigned node, count;
} rooms[] = {
#define ROOM(field, first, n)                                                                 \
    {                                                                                         \
        offsetof(struct ts_tile, field), sizeof(((struct ts_tile *)0)->field) / (n), first, n \
    }
    ROOM(cores, TS_NODE_CORE, TS_RV_CORES),
    ROOM(front, TS_NODE_GATE, TS_THREADS),
    ROOM(unpack, TS_NODE_UNPACK, 2),
    ROOM(pack, TS_NODE_PACK, 1),
#undef ROOM
};
#define ROOMS (sizeof rooms / sizeof *rooms)

struct ts_component *ts_node_component(struct ts_tile *self, unsigned node)
{
    for (unsigned i = 0; i < ROOMS; i++)
        if (node - rooms[i].node < rooms[i].count)
            return (void *)((char *)self + rooms[i].at + (node - rooms[i].node) * rooms[i].size);
    return NULL;
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
    const uintptr_t at = (uintptr_t)ts_object_holder(object, reason) - (uintptr_t)self;
    for (unsigned i = 0; i < ROOMS; i++)
        if (at - rooms[i].at < rooms[i].size * rooms[i].count)
            return (int)(rooms[i].node + (at - rooms[i].at) / rooms[i].size);
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
