// The parts of a tile that wait for each other, and what a core's loads and stores address: the one
// answer that hang reports, the loss account, the recorder and traces use.
#pragma once

#include "platform/tile/tile.h"

enum ts_node {
    TS_NODE_CORE,
    TS_NODE_GATE = TS_NODE_CORE + TS_RV_CORES, // a thread of the coprocessor: its front end
    TS_NODE_UNPACK = TS_NODE_GATE + TS_THREADS,
    TS_NODE_PACK = TS_NODE_UNPACK + 2,
    TS_NODE_NIU,
    TS_NODES = TS_NODE_NIU + TS_NOC_COUNT
};

// A node's component; NULL: an NIU, which the tile does not own.
struct ts_component *ts_node_component(struct ts_tile *self, unsigned node);
// The node that `by` (TS_BY_*) names; -1: none.
int ts_node_by(unsigned by);
// The node that can end a wait for the object now, as the kernel's wait-for graph has it; -1: none.
int ts_node_holder(struct ts_tile *self, const struct ts_object *object, enum ts_stall reason);

// Where the baby cores see NIUs, TTSync, semaphores and mailboxes.
#define TS_AT_NIUS       0xffb20000u // 0x10000 bytes for each
#define TS_AT_TTSYNC     0xffe80004u // Manual TTSync: all words of the thread
#define TS_AT_TTSYNC_MOP 0xffe80008u // the thread's MOP
#define TS_AT_SEMAPHORES 0xffe80020u // a word for each
#define TS_AT_MAILBOXES  0xffec0000u // 0x1000 bytes for each other core

enum ts_place_kind {
    TS_PLACE_L1,
    TS_PLACE_BUFFER,    // a counter of a circular buffer
    TS_PLACE_SEMAPHORE, // index: which
    TS_PLACE_MAILBOX,   // index: the core at its other end
    TS_PLACE_NIU,       // index: which NoC
    TS_PLACE_REGISTER   // any other
};

struct ts_place {
    enum ts_place_kind kind;
    unsigned index;
    const struct ts_buffer *buffer;
    bool full; // the buffer's `received`: who polls it waits for pages, otherwise for room
};

// What is at an address that the core uses.
struct ts_place ts_place_of(const struct ts_tile *self, unsigned core, uint32_t address);

static inline bool ts_at_niu(uint32_t address)
{
    return address - TS_AT_NIUS < TS_NOC_COUNT * 0x10000u;
}

// The place of a register behind TS_AT_NIUS as the units have it, whatever the machine's map is.
static inline uint32_t ts_niu_offset(const struct ts_tile *tile, uint32_t address)
{
    const uint32_t offset = address - TS_AT_NIUS;
    if (tile->config.machine->niu == NULL || !ts_at_niu(address))
        return offset;
    return (offset & 0x10000) |
           (ts_machine_niu_home(tile->config.machine, offset & 0xffff) & 0xffff);
}
